// SPDX-License-Identifier: GPL-3.0-or-later
//
// The program with all commands.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cli/commands.h"

namespace khanzero {

void AddCommands(CLI::App& app) {
  AddTrain(app);
  AddSelfPlay(app);
  AddMatch(app);
  AddSuite(app);
  AddLadder(app);
  AddExport(app);
  AddBench(app);
  AddQuickCommands(app);
}

// GNU OpenMP's threads spin for a long time while they wait, which ruins everything as soon as the
// machine has other work; not spinning at all costs the learner some of its rate when there is
// none. It reads its settings before main, so a command that trains starts itself again with a
// short spin.
void BecomeOtherProgram(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command != "train" && command != "bench") return;
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  setenv("GOMP_SPINCOUNT", "1000", 1);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) execv(program.c_str(), argv);
  // Without /proc the command runs all the same, slower.
}

}  // namespace khanzero
