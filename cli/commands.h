// SPDX-License-Identifier: GPL-3.0-or-later
//
// The commands of `khanzero`. Each function adds one subcommand with its options, its help and the
// callback that runs it, and is defined in cli/<command>.cc. To add a command: declare it here,
// list it in AddQuickCommands (quick_commands.cc) or, if it needs LibTorch or runs for long, in
// AddAllCommands (all_commands.cc), and add its file to cli/CMakeLists.txt.
//
// A callback gives figures on stdout and throws InputError (exit code 2) or anything else derived
// from std::exception (exit code 1). Its options live as long as the callback: a std::shared_ptr
// that the lambda holds, since CLI11 keeps addresses of the options and copies of the callback.
#pragma once

#include <CLI/CLI.hpp>

namespace khanzero {

// The commands of the program that is linked.
void AddCommands(CLI::App& app);
// Those that need no LibTorch and should answer at once.
void AddQuickCommands(CLI::App& app);
// Where another program has the command that `argv` asks for, becomes that program; returns else.
// Throws RuntimeFailure when it is not there.
void BecomeOtherProgram(int argc, char** argv);

void AddAnalyze(CLI::App& app);
void AddBench(CLI::App& app);
void AddConfig(CLI::App& app);
void AddData(CLI::App& app);
void AddMatch(CLI::App& app);
void AddExport(CLI::App& app);
void AddInfo(CLI::App& app);
void AddLadder(CLI::App& app);
void AddPerft(CLI::App& app);
void AddPgn(CLI::App& app);
void AddPlay(CLI::App& app);
void AddReport(CLI::App& app);
void AddSelfPlay(CLI::App& app);
void AddServe(CLI::App& app);
void AddStatus(CLI::App& app);
void AddStudy(CLI::App& app);
void AddSuite(CLI::App& app);
void AddTrain(CLI::App& app);
void AddUci(CLI::App& app);

}  // namespace khanzero
