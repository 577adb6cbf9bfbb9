// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero COMMAND: reads the command line, runs the command, and turns what is thrown into one
// line on stderr and an exit code: 0 done, 1 failed, 2 bad usage or input.
#include <malloc.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "env/error.h"
#include "model/version.h"
#include "train/nearest_name.h"

namespace khanzero {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;

// LibTorch asks for and frees large tensors at every step. By default glibc maps such blocks one by
// one and gives each back to the system when it is freed, so every step pays for new pages. Blocks
// below the threshold stay in the heap and are used again: 10 to 50 % faster in inference and
// training.
void KeepLargeBlocks() {
  constexpr int kLargestBlock = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  mallopt(M_TRIM_THRESHOLD, kLargestBlock);
}

// One line, and nothing that steers a terminal: what is wrong may be quoted from a stranger's file.
int Fail(int code, const std::string& what) {
  std::string line;
  for (const char c : what) {
    const bool control = (c >= '\0' && c < ' ') || c == '\x7f';
    line += c == '\n' ? " " : control ? Printable(std::string(1, c)) : std::string(1, c);
  }
  std::cout.flush();
  std::fprintf(stderr, "khanzero: %s\n", line.c_str());
  return code;
}

std::string DidYouMean(const std::string& name, const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = NearestName(name, known);
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}

// CLI11 would only say that a command is missing.
void RefuseUnknownCommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) throw InputError("a command is needed; 'khanzero --help' lists them");
  const std::string name = argv[1];
  if (name.starts_with('-')) return;
  std::vector<std::string> commands;
  for (const CLI::App* const command : app.get_subcommands({})) {
    if (command->get_name() == name) return;
    commands.push_back(command->get_name());
  }
  const std::string hint = DidYouMean(name, commands);
  throw InputError("unknown command '" + name + "'" +
                   (hint.empty() ? "; 'khanzero --help' lists the commands" : hint));
}

// What is wrong with the command line, and where to read on.
std::string UsageText(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* deepest = &app;
  std::string path;  // "data check "
  while (app.remaining_size() == 0 && !deepest->get_subcommands().empty()) {
    deepest = deepest->get_subcommands().back();
    path += deepest->get_name() + " ";
  }
  const CLI::App& command = *deepest;
  std::string text = error.what();
  const std::vector<std::string> unexpected = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unexpected.empty()) {
    std::vector<std::string> flags;
    for (const CLI::Option* const option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    }
    const std::string& argument = unexpected.front();
    text = "unexpected argument '" + argument + "'";
    if (argument.starts_with('-')) text += DidYouMean(argument, flags);
  }
  return text + (text.ends_with('?') ? " See 'khanzero " : "; see 'khanzero ") + path + "--help'";
}

int Run(int argc, char** argv) {
  CLI::App app("Self-play reinforcement learning for Khan's Chess and The Serbest.", "khanzero");
  app.set_version_flag("--version", "khanzero " + std::string(ProgramVersion()));
  app.require_subcommand(1);
  app.footer("'khanzero COMMAND --help' explains a command.");
  AddCommands(app);
  try {
    RefuseUnknownCommand(app, argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return Fail(kBadInput, UsageText(app, error));
  } catch (const InputError& error) {
    return Fail(kBadInput, error.what());
  }
  // Figures that never reached their file are a failure, whatever was computed.
  if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return Fail(kFailed, "cannot write to the standard output");
  }
  return kDone;
}

}  // namespace
}  // namespace khanzero

int main(int argc, char** argv) {
  khanzero::KeepLargeBlocks();
  try {
    khanzero::BecomeOtherProgram(argc, argv);
    return khanzero::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    return khanzero::Fail(khanzero::kFailed, "out of memory");
  } catch (const std::exception& error) {
    return khanzero::Fail(khanzero::kFailed, error.what());
  }
}
