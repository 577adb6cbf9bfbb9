// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero play: a person against a network or a baseline, in the terminal.
#include <iostream>
#include <memory>
#include <random>

#include "cli/commands.h"
#include "cli/weights.h"
#include "env/games.h"
#include "model/load_network.h"
#include "play/terminal_play.h"

namespace khanzero {

namespace {

struct PlayCommand {
  std::string weights;
  std::string side = "white";
  std::optional<uint64_t> seed;
  TerminalPlaySettings settings;
};

void Run(PlayCommand& command) {
  TerminalPlaySettings& settings = command.settings;
  if (command.weights.empty() == settings.opponent.empty()) {
    throw InputError("play needs an opponent: either --weights PATH or --against PLAYER");
  }
  if (!command.weights.empty()) {
    const std::filesystem::path checkpoint = FindCheckpoint(command.weights);
    const std::string game = ReadNetworkInfo(checkpoint).game.name;
    if (settings.game.empty()) settings.game = game;
    settings.opponent = "checkpoint:" + checkpoint.string();
    settings.name = "the agent (" + checkpoint.filename().string() + ")";
  }
  if (settings.game.empty()) {
    throw InputError("play needs --game with --against; the games are " + GameNamesText());
  }
  settings.side = command.side == "white" ? Color::kWhite : Color::kBlack;
  settings.seed = command.seed ? *command.seed : std::random_device()();
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
  sub->add_option("--weights", command->weights, kWeightsHelp)->type_name("PATH");
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
  sub->add_option("--kings-landing", settings.settings.kings_landing,
                  "serbest: the king is placed on own ranks 1 to this")
      ->check(CLI::Range(7, 8))
      ->capture_default_str();
  sub->add_option("--fen", settings.start_fen, "Start from this position")->type_name("FEN");
  sub->add_option("--seed", command->seed, "Seed of the opponent's dice; random without it");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
