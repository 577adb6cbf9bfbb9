// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero export: a checkpoint as a model that other programs load.
#include "model/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/weights.h"
#include "env/games.h"
#include "env/history.h"
#include "env/random.h"
#include "model/checkpoint.h"
#include "model/inference.h"

namespace khanzero {

namespace {

struct ExportCommand {
  std::string weights;
  std::string format = "torchscript";
  std::string out;
  bool json = false;
};

// Encoded positions of random games of the checkpoint's game: what the export is verified on.
std::vector<float> RandomPositions(const GameInfo& info) {
  return WithGame(info.name, [&]<class G>() {
    constexpr int kPositions = 200;
    const auto input_size = static_cast<size_t>(info.shape.input_size());
    std::vector<float> planes(kPositions * input_size);
    Random random(1);
    GameState<G> state(G::Position::Start());
    typename G::Moves moves;
    for (size_t i = 0; i < kPositions; ++i) {
      G::Encode(state.position(), {planes.data() + i * input_size, input_size});
      state.position().LegalMoves(moves);
      state.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
      if (state.position().ComputeOutcome().over()) {
        state = GameState<G>(G::Position::Start());
      }
    }
    return planes;
  });
}

void Run(const ExportCommand& command) {
  const std::filesystem::path checkpoint = FindCheckpoint(command.weights);
  const CheckpointInfo info = ReadCheckpointInfo(checkpoint);
  const std::shared_ptr<const FoldedNetwork> network =
      LoadFoldedNetwork(checkpoint.string(), nullptr);
  const ExportReport report =
      ExportTorchScript(*network, info, command.out, RandomPositions(info.game));
  if (command.json) {
    std::cout << nlohmann::ordered_json{{"file", command.out},
                                        {"format", command.format},
                                        {"bytes", report.bytes},
                                        {"positions", report.positions},
                                        {"max_policy_difference", report.max_policy_difference},
                                        {"max_wdl_difference", report.max_wdl_difference}}
                     .dump()
              << "\n";
    return;
  }
  fmt::print(
      "Wrote {} ({} bytes): {} of step {}\n"
      "Loaded back and compared on {} positions: logits differ by at most {:.2g}, win/draw/loss "
      "by {:.2g}\n",
      command.out, report.bytes, info.game.name, info.step, report.positions,
      report.max_policy_difference, report.max_wdl_difference);
}

}  // namespace

void AddExport(CLI::App& app) {
  const auto command = std::make_shared<ExportCommand>();
  CLI::App* const sub = app.add_subcommand("export", "Write a checkpoint as a model for elsewhere");
  sub->add_option("--checkpoint", command->weights, kWeightsHelp)->required()->type_name("PATH");
  sub->add_option("--format", command->format, "torchscript: LibTorch and PyTorch load it")
      ->check(CLI::IsMember({"torchscript"}))
      ->capture_default_str();
  sub->add_option("--out", command->out, "The file to write; one that is there is replaced")
      ->required()
      ->type_name("FILE");
  sub->add_flag("--json", command->json, "Print the report as one JSON object");
  sub->footer(
      "The module takes planes [B, planes, ranks, files] and gives policy logits [B, policy size]\n"
      "and win/draw/loss probabilities [B, 3] for the side to move; its extra file khanzero.json\n"
      "describes them. In Python:\n"
      "  files = {'khanzero.json': ''}; model = torch.jit.load(FILE, _extra_files=files)");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
