// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero report: a run at a glance, as one HTML file, or as a page for a repository.
#include "train/report.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "env/error.h"
#include "train/run_summary.h"

namespace khanzero {

namespace {

struct ReportCommand {
  std::string run;
  std::string out;
  std::string markdown;
  bool json = false;
};

void PrintJson(const nlohmann::ordered_json& json) {
  std::cout << json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

void RunMarkdown(const ReportCommand& command) {
  if (!command.out.empty()) {
    throw InputError("report: --out names the HTML file and --markdown another; give one of them");
  }
  const RunSummary summary = WriteRunSummary(RunFolder{command.run}, command.markdown);
  if (command.json) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const std::filesystem::path& file : summary.files) files.push_back(file.string());
    PrintJson({{"files", files},
               {"cycles", summary.cycles},
               {"rated", summary.rated},
               {"notes", summary.notes}});
    return;
  }
  fmt::print("Wrote {} and {} pictures: {} cycles, {} rated checkpoints\n", command.markdown,
             summary.files.size() - 1, summary.cycles, summary.rated);
  for (const std::string& note : summary.notes) fmt::print("Note: {}\n", note);
}

void Run(const ReportCommand& command) {
  if (!command.markdown.empty()) {
    RunMarkdown(command);
    return;
  }
  const RunFolder run{command.run};
  const std::filesystem::path out =
      command.out.empty() ? run.report() : std::filesystem::path(command.out);
  const ReportSummary summary = WriteReport(run, out);
  if (command.json) {
    PrintJson({{"file", out.string()},
               {"cycles", summary.cycles},
               {"games", summary.games},
               {"notes", summary.notes}});
    return;
  }
  fmt::print("Wrote {}: {} cycles, {} games to step through\n", out.string(), summary.cycles,
             summary.games);
  for (const std::string& note : summary.notes) fmt::print("Note: {}\n", note);
}

}  // namespace

void AddReport(CLI::App& app) {
  const auto command = std::make_shared<ReportCommand>();
  CLI::App* const sub =
      app.add_subcommand("report", "Draw a run: one HTML file with its plots and some games");
  sub->add_option("--run", command->run, "The run's folder; it may be training meanwhile")
      ->required()
      ->type_name("DIR");
  sub->add_option("--out", command->out,
                  "The file to write; one that is there is replaced. Without it: report.html in "
                  "the run's folder")
      ->type_name("FILE");
  sub->add_option("--markdown", command->markdown,
                  "Write a page for a repository instead: the run's metrics by hours, ratings and "
                  "configuration in this file, its pictures (SVG) beside it")
      ->type_name("FILE");
  sub->add_flag("--json", command->json,
                "Print what the report holds as one JSON object on stdout");
  sub->footer(
      "The file needs no network and nothing beside it. `train` writes it anew after each cycle.\n"
      "What is missing or damaged is left out with a note.\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage or input.");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
