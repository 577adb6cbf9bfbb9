// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero play: a person against a network or a baseline, in the terminal.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <random>

#include "cli/commands.h"
#include "cli/inference_options.h"
#include "cli/weights.h"
#include "env/games.h"
#include "play/player_spec.h"
#include "play/terminal_play.h"

namespace khanzero {

namespace {

struct PlayCommand {
  std::string weights;
  std::string side = "white";
  std::string color = "auto";
  std::optional<uint64_t> seed;
  std::optional<double> skill;
  bool no_eval = false;
  TerminalPlaySettings settings;
};

// Colour where a person looks on, unless the environment asks for none (https://no-color.org).
bool UseColor(const std::string& choice) {
  if (choice != "auto") return choice == "always";
  const char* const none = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (none == nullptr || *none == '\0') && terminal != nullptr &&
         std::string(terminal) != "dumb";
}

void Run(PlayCommand& command) {
  TerminalPlaySettings& settings = command.settings;
  if (!settings.opponent.empty()) {
    if (!command.weights.empty()) {
      throw InputError("play takes one opponent: --weights PATH or --against PLAYER, not both");
    }
    if (settings.game.empty()) {
      throw InputError("play needs --game with --against; the games are " + GameNamesText());
    }
    if (command.skill) throw InputError("--skill is for a network, not for --against");
  } else {
    const ChosenNetwork network = ChooseNetwork(command.weights, settings.game);
    settings.game = network.game;
    settings.network = network.path;
    settings.name = "the agent (" + network.path.filename().string() + ")";
    if (command.skill) settings.skill = SkillOfLevel(*command.skill);
  }
  settings.side = command.side == "white" ? Color::kWhite : Color::kBlack;
  settings.seed = command.seed ? *command.seed : std::random_device()();
  settings.color = UseColor(command.color);
  settings.show_eval = !command.no_eval;
  // One game: leaves of one tree fill the batch; 4 gave the most simulations a second.
  settings.player.leaves_per_search = 4;
  PlayInTerminal(settings, std::cin, std::cout);
}

}  // namespace

void AddPlay(CLI::App& app) {
  const auto command = std::make_shared<PlayCommand>();
  TerminalPlaySettings& settings = command->settings;
  settings.player.search.simulations = 400;
  CLI::App* const sub = app.add_subcommand("play", "Play against an agent in the terminal");
  sub->add_option("--weights", command->weights,
                  std::string(kWeightsHelp) + "; without it the agent that comes with the program")
      ->type_name("PATH");
  sub->add_option("--against", settings.opponent, "Another opponent: " + std::string(kPlayerForms))
      ->type_name("PLAYER");
  sub->add_option("--game", settings.game, "The game; a network knows its own")
      ->check(CLI::IsMember(GameNames()));
  sub->add_option("--side", command->side, "The side you play")
      ->check(CLI::IsMember({"white", "black"}))
      ->capture_default_str();
  sub->add_option("--nodes", settings.player.search.simulations,
                  "Simulations a network has for each move: fewer play weaker")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  sub->add_option("--skill", command->skill,
                  "How strong a network plays, 0 to 20; hints are at full strength always")
      ->check(CLI::Range(0.0, 1.0 * kMostSkill))
      ->type_name("LEVEL");
  sub->add_option("--kings-landing", settings.settings.kings_landing,
                  "serbest: the king is placed on own ranks 1 to this")
      ->check(CLI::Range(7, 8))
      ->capture_default_str();
  sub->add_option("--fen", settings.start_fen, "Start from this position")->type_name("FEN");
  sub->add_option("--color", command->color, "Colours: auto is for terminals, without NO_COLOR")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  sub->add_flag("--no-eval", command->no_eval, "Do not show what a network thinks of its moves");
  AddInferenceOptions(*sub, settings.player.inference);
  sub->add_option("--seed", command->seed, "Seed of the opponent's dice; random without it");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
