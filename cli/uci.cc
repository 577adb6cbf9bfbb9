// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero uci: the UCI engine, for chess programs and scripts.
#include "play/uci.h"

#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/inference_options.h"
#include "cli/weights.h"
#include "env/games.h"

namespace khanzero {

namespace {

struct UciCommand {
  std::string weights;
  std::string variant;
  InferenceSettings inference;
};

void Run(UciCommand& command) {
  const DefaultFinder find_default = [](const std::string& game) -> std::optional<std::string> {
    const std::optional<std::filesystem::path> file = DefaultWeights(game);
    return file ? std::optional(file->string()) : std::nullopt;
  };
  std::random_device entropy;
  UciEngine engine(std::cout, NetworkLoader(command.inference), find_default,
                   (uint64_t{entropy()} << 32) ^ entropy());
  std::string variant = command.variant;
  std::string weights;
  if (!command.weights.empty()) {
    const ChosenNetwork network = ChooseNetwork(command.weights, variant);
    variant = network.game;
    weights = network.path.string();
  }
  if (!variant.empty()) engine.SetVariant(variant);
  // A wrong file given here ends the program; one given as an option is answered in the protocol.
  if (!weights.empty()) engine.LoadWeights(weights);
  engine.Run(std::cin);
}

}  // namespace

void AddUci(CLI::App& app) {
  const auto command = std::make_shared<UciCommand>();
  CLI::App* const sub = app.add_subcommand("uci", "The UCI engine, for chess programs");
  sub->add_option("--weights", command->weights,
                  std::string(kWeightsHelp) + "; the option WeightsFile changes it")
      ->type_name("PATH");
  sub->add_option("--variant", command->variant,
                  "The game: " + GameNamesText() + "; without it, that of the weights");
  AddInferenceOptions(*sub, command->inference);
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
