// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero data: looking after the games of a run.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/data_text.h"
#include "cli/signals.h"
#include "env/error.h"
#include "train/run_folder.h"

namespace khanzero {

namespace {

struct DataCommand {
  std::string run;
  std::string out;
  std::string part = "all";
  int64_t positions = 0;
  bool dry_run = false;
  bool json = false;
};

// A line on stderr that is drawn anew in place; nothing where stderr is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(const char* doing) : doing_(doing) {}
  ~ProgressLine() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void operator()(int64_t done, int64_t games) {
    using std::chrono::steady_clock;
    if (!terminal_ || steady_clock::now() < next_) return;
    next_ = steady_clock::now() + std::chrono::milliseconds(200);
    drawn_ = true;
    std::fputs(fmt::format("\r\x1b[K{} {:.0f} %", doing_,
                           100.0 * static_cast<double>(done) / static_cast<double>(games))
                   .c_str(),
               stderr);
    std::fflush(stderr);
  }

 private:
  const char* doing_;
  const bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_{};
};

ReplayStore OpenToRead(const DataCommand& command, const Config& config) {
  return ReplayStore(RunFolder(command.run).store(), config.game, ReplayStore::Access::kReadOnly);
}

template <class Report>
void Print(const DataCommand& command, const Config& config, const Report& report,
           const std::string& before_text = "") {
  if (command.json) {
    nlohmann::ordered_json json = {{"run", command.run}, {"game", config.game}};
    json.update(ToJson(report));
    std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  } else {
    std::cout << before_text << ToText(report);
  }
}

void RunCheck(const DataCommand& command) {
  const Config config = ReadRunConfig(command.run, {});
  const ReplayStore store = OpenToRead(command, config);
  const DataCheckReport report = [&] {
    ProgressLine progress("Checking");
    return CheckData(store, config, std::ref(progress));
  }();
  Print(command, config, report);
  if (report.damaged > 0) {
    throw RuntimeFailure(fmt::format("{} of {} games in '{}' are damaged", report.damaged,
                                     report.rows, RunFolder(command.run).store().string()));
  }
  if (!report.sound())
    throw RuntimeFailure("the store is damaged: " + report.file_problems.front());
}

void RunStats(const DataCommand& command) {
  const Config config = ReadRunConfig(command.run, {});
  const ReplayStore store = OpenToRead(command, config);
  const DataStats stats = [&] {
    ProgressLine progress("Reading");
    return ComputeDataStats(store, config, std::ref(progress));
  }();
  Print(command, config, stats);
}

void RunExport(const DataCommand& command) {
  const Config config = ReadRunConfig(command.run, {});
  const ReplayStore store = OpenToRead(command, config);
  const StopOnSignals signals;
  const DataExportReport report = [&] {
    ProgressLine progress("Exporting");
    DataExportOptions options{
        .positions = command.positions, .progress = std::ref(progress), .stop = signals.token()};
    for (size_t i = 0; i < kDataPartNames.size(); ++i) {
      if (kDataPartNames[i] == command.part) options.part = static_cast<DataPart>(i);
    }
    return ExportData(store, config, command.out, options);
  }();
  Print(command, config, report, "Wrote " + command.out + ": ");
}

void RunPrune(const DataCommand& command) {
  const Config config = ReadRunConfig(command.run, {});
  if (command.dry_run) {
    Print(command, config, PlanPrune(OpenToRead(command, config), config, command.positions));
  } else {
    Print(command, config, PruneData(RunFolder(command.run), config, command.positions));
  }
}

// Adds one subcommand with the options that all of them have.
CLI::App& AddPart(CLI::App& data, const std::string& name, const std::string& description,
                  const std::shared_ptr<DataCommand>& command,
                  void (*run)(const DataCommand& command)) {
  CLI::App* const sub = data.add_subcommand(name, description);
  sub->add_option("--run", command->run, "The run's folder")->required()->type_name("DIR");
  sub->add_flag("--json", command->json, "Print the report as one JSON object");
  sub->callback([command, run] { run(*command); });
  return *sub;
}

}  // namespace

void AddData(CLI::App& app) {
  CLI::App& data = *app.add_subcommand("data", "Check, describe, export or prune a run's games");
  data.require_subcommand(1);
  data.footer(
      "'khanzero data PART --help' explains a part. check, stats and export may run beside a\n"
      "training run; they change nothing in it.");

  const auto command = std::make_shared<DataCommand>();
  AddPart(data, "check", "Look for damage: replays every stored game", command, RunCheck)
      .footer("Exit codes: 0 all is well, 1 something is damaged, 2 bad usage or input.");
  AddPart(data, "stats", "Sizes, lengths, results, targets, openings", command, RunStats);

  CLI::App& exported =
      AddPart(data, "export", "Write positions as arrays that numpy reads", command, RunExport);
  exported
      .add_option("--out", command->out, "The NPZ file to write; one that is there is replaced")
      ->required()
      ->type_name("FILE");
  exported
      .add_option("--positions", command->positions,
                  "At most this many, the newest; without it all of them")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  std::vector<std::string> parts(kDataPartNames.begin(), kDataPartNames.end());
  exported.add_option("--part", command->part, "Which games: training, validation or all")
      ->check(CLI::IsMember(parts))
      ->capture_default_str();
  exported.footer(
      "In Python: z = numpy.load(FILE); z['planes'][i] is a position, its legal moves are\n"
      "z['legal_indices'][z['legal_offsets'][i]:z['legal_offsets'][i + 1]]. docs/formats.md\n"
      "describes every array.");

  CLI::App& prune = AddPart(data, "prune", "Delete the oldest games", command, RunPrune);
  prune
      .add_option("--keep-positions", command->positions,
                  "How many of the newest positions stay (whole games: a few more)")
      ->required()
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  prune.add_flag("--dry-run", command->dry_run, "Say what would be deleted, delete nothing");
  prune.footer(
      "Refused while the run is being trained. Checkpoints stay. The run counts deleted games as\n"
      "played: it goes on as if they were there, with what is left for its window.");
}

}  // namespace khanzero
