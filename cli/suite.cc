// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero suite: how many positions of a suite a player solves.
#include "play/suite.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/inference_options.h"
#include "cli/signals.h"
#include "env/error.h"
#include "env/games.h"
#include "model/files.h"
#include "play/player_spec.h"

namespace khanzero {

namespace {

struct SuiteCommand {
  std::string algorithm = "puct";
  GameSettings game_settings{};
  std::optional<double> least_share;
  bool verbose = false;
  bool json = false;
  SuiteSettings settings;
};

void Run(SuiteCommand command) {
  SuiteSettings& settings = command.settings;
  PlayerSettings& player = settings.player_settings;
  player.search.algorithm = ChoiceOf<RootAlgorithm>(command.algorithm, kRootAlgorithmNames);
  const StopOnSignals signals;
  settings.stop = signals.token();
  player.stop = signals.token();
  const std::vector<SuitePosition> positions =
      ReadSuite(ReadFile(settings.source), settings.source, command.game_settings);
  const SuiteReport report = RunSuite(positions, settings);
  std::cout << (command.json ? ToJson(report) + "\n"
                             : ToText(report, command.verbose ? SuiteDetail::kUnsolved
                                                              : SuiteDetail::kTotals));
  if (report.answers.size() < positions.size()) {
    throw RuntimeFailure("stopped early: " + std::to_string(report.answers.size()) + " of " +
                         std::to_string(positions.size()) + " positions were tried");
  }
  if (command.least_share && report.Total().value() < *command.least_share) {
    throw RuntimeFailure("the share solved is " + std::to_string(report.Total().value()) +
                         ", below the required " + std::to_string(*command.least_share));
  }
}

}  // namespace

void AddSuite(CLI::App& app) {
  const auto command = std::make_shared<SuiteCommand>();
  SuiteSettings& settings = command->settings;
  PlayerSettings& player = settings.player_settings;
  CLI::App& sub = *app.add_subcommand("suite", "How many positions of a suite a player solves");
  sub.add_option("FILE", settings.source, "The suite: FEN or EPD with bm, am or result, one a line")
      ->required()
      ->type_name("");
  sub.add_option("--game", settings.game, "The game: " + GameNamesText())
      ->required()
      ->check(CLI::IsMember(GameNames()))
      ->type_name("GAME");
  sub.add_option("--player", settings.player, "One of: " + std::string(kPlayerForms))
      ->required()
      ->type_name("PLAYER");
  sub.add_option("--nodes,--simulations", player.search.simulations,
                 "Simulations a network player has for each move")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000))
      ->type_name("N");
  sub.add_option("--algorithm", command->algorithm, "Search of network players")
      ->capture_default_str()
      ->check(OneOf(kRootAlgorithmNames));
  AddInferenceOptions(sub, player.inference);
  sub.add_option("--leaves", player.leaves_per_search,
                 "Leaves of one tree in a batch; more than 1 is faster for few positions")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  sub.add_option("--concurrency", settings.concurrency, "Positions at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  sub.add_option("--max-plies", settings.max_plies,
                 "A position whose result is asked for is played out so far; then it is a draw")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  sub.add_option(
         "--kings-landing", command->game_settings.kings_landing,
         "serbest: the king is placed on own ranks 1 to this, where a position does not say")
      ->capture_default_str()
      ->check(CLI::Range(7, 8))
      ->type_name("N");
  sub.add_option("--seed", settings.seed, "Seed of the player's dice")->capture_default_str();
  sub.add_option("--require", command->least_share,
                 "Exit with 1 when a smaller share than this, 0 to 1, is solved")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE");
  sub.add_flag("--verbose", command->verbose, "List the positions that were not solved");
  sub.add_flag("--json", command->json, "Print one JSON object, unsolved positions included");
  sub.footer("Exit codes: 0 done, 1 fewer solved than --require asks for, 2 bad usage or input.");
  sub.callback([command] { Run(*command); });
}

}  // namespace khanzero
