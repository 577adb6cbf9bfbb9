// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero pgn check: replays games and says which are not what they claim to be.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "env/error.h"
#include "env/games.h"
#include "model/files.h"
#include "play/pgn_check.h"

namespace khanzero {

namespace {

struct PgnCommand {
  std::vector<std::string> files;
  std::string game;
  bool json = false;
};

void RunCheck(const PgnCommand& command) {
  PgnCheckReport report;
  for (const std::string& file : command.files) {
    CheckPgn(ReadFile(file), file, command.game, report);
  }
  std::cout << (command.json ? ToJson(report) + "\n" : ToText(report));
  if (!report.wrong.empty()) {
    throw RuntimeFailure(std::to_string(report.wrong.size()) + " of " +
                         std::to_string(report.games) +
                         " games are wrong; the first: " + report.wrong.front().source + ":" +
                         std::to_string(report.wrong.front().line));
  }
}

}  // namespace

void AddPgn(CLI::App& app) {
  CLI::App& pgn = *app.add_subcommand("pgn", "Check games in PGN files");
  pgn.require_subcommand(1);
  const auto command = std::make_shared<PgnCommand>();
  CLI::App& check = *pgn.add_subcommand(
      "check", "Replay every game by the rules and verify moves, result, end and tags");
  check.add_option("FILE", command->files, "PGN files with moves in UCI notation")
      ->required()
      ->type_name("");
  check
      .add_option("--game", command->game,
                  "The game they must be; it is needed where they have no Variant tag")
      ->check(CLI::IsMember(GameNames()))
      ->type_name("GAME");
  check.add_flag("--json", command->json, "Print the report as one JSON object");
  check.footer("Exit codes: 0 all games are good, 1 some are wrong, 2 bad usage or no PGN.");
  check.callback([command] { RunCheck(*command); });
}

}  // namespace khanzero
