// SPDX-License-Identifier: GPL-3.0-or-later
//
// The program that answers at once: loading LibTorch takes 0.3 s, which a GUI that starts an engine
// or a script that asks for one figure need not wait for. For everything else it becomes
// khanzero-torch.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "env/error.h"
#include "model/cpu_features.h"
#include "model/files.h"

namespace khanzero {
namespace {

bool IsQuick(std::string_view name) {
  CLI::App app;
  AddQuickCommands(app);
  return std::ranges::any_of(app.get_subcommands({}), [&](const CLI::App* const command) {
    return command->get_name() == name;
  });
}

// Whether NVIDIA's driver is there and has a device; whether LibTorch can use it is seen later.
bool HasGpu() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return false;
  auto* const init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto* const count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  return init != nullptr && count != nullptr && init(0) == 0 && count(&devices) == 0 && devices > 0;
}

// Networks of quick commands are computed by oneDNN on the processor, unless LibTorch is asked for,
// there is a GPU, or the processor lacks what oneDNN is fast with (as MakeEvaluator chooses).
bool NeedsTorch(int argc, char** argv) {
  bool on_cpu = false;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::string_view value = word.substr(word.find('=') + 1);
    if (value == "torch" || value.starts_with("cuda")) return true;
    on_cpu |= value == "cpu";
  }
  return !ThisCpu().avx2 || (!on_cpu && HasGpu());
}

}  // namespace

void AddCommands(CLI::App& app) { AddQuickCommands(app); }

void BecomeOtherProgram(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "--version" || (IsQuick(command) && !NeedsTorch(argc, argv))) return;
  const std::filesystem::path program = PathBesideProgram("khanzero-torch");
  execv(program.c_str(), argv);
  throw RuntimeFailure("cannot start " + program.string() +
                       ", which has this command: " + std::strerror(errno));
}

}  // namespace khanzero
