// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero report: a run at a glance, as one HTML file.
#include "train/report.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"

namespace khanzero {

namespace {

struct ReportCommand {
  std::string run;
  std::string out;
  bool json = false;
};

void Run(const ReportCommand& command) {
  const RunFolder run{command.run};
  const std::filesystem::path out =
      command.out.empty() ? run.report() : std::filesystem::path(command.out);
  const ReportSummary summary = WriteReport(run, out);
  if (command.json) {
    std::cout << nlohmann::ordered_json{{"file", out.string()},
                                        {"cycles", summary.cycles},
                                        {"games", summary.games},
                                        {"notes", summary.notes}}
                     .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
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
  sub->add_flag("--json", command->json,
                "Print what the report holds as one JSON object on stdout");
  sub->footer(
      "The file needs no network and nothing beside it. `train` writes it anew after each cycle.\n"
      "What is missing or damaged is left out with a note.\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage or input.");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
