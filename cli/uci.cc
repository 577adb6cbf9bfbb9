// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero uci: the UCI engine, for chess programs and scripts.
#include "play/uci.h"

#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/weights.h"
#include "env/games.h"
#include "model/load_network.h"

namespace khanzero {

namespace {

struct UciCommand {
  std::string weights;
  std::string variant;
  InferenceSettings inference;
};

void Run(const UciCommand& command) {
  UciEngine engine(std::cout, CheckpointLoader(command.inference));
  std::filesystem::path weights;
  std::string variant = command.variant;
  if (!command.weights.empty()) {
    weights = FindCheckpoint(command.weights);
    if (variant.empty()) variant = ReadNetworkInfo(weights).game.name;
  }
  if (!variant.empty()) engine.SetVariant(variant);
  // A wrong file given here ends the program; one given as an option is answered in the protocol.
  if (!command.weights.empty()) engine.LoadWeights(weights.string());
  engine.Run(std::cin);
}

}  // namespace

void AddUci(CLI::App& app) {
  const auto command = std::make_shared<UciCommand>();
  CLI::App* const sub = app.add_subcommand("uci", "The UCI engine, for chess programs");
  sub->add_option("--weights", command->weights, kWeightsHelp)->type_name("PATH");
  sub->add_option("--variant", command->variant,
                  "The game: " + GameNamesText() + "; without it, that of the weights");
  sub->add_option("--device", command->inference.device, "auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
