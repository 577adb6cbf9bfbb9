// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero export: a network as one file that other programs load.
#include "model/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/model_rating.h"
#include "cli/weights.h"
#include "play/self_calibration.h"

namespace khanzero {

namespace {

constexpr int kPositions = 200;

struct ExportCommand {
  std::string weights;
  std::string format = "torchscript";
  std::string precision = "fp32";
  std::string out;
  bool json = false;
};

void Print(const ExportCommand& command, const ExportSource& source, const ExportReport& report) {
  if (command.json) {
    std::cout << nlohmann::ordered_json{{"file", command.out},
                                        {"format", command.format},
                                        {"precision", command.precision},
                                        {"bytes", report.bytes},
                                        {"positions", report.positions},
                                        {"max_policy_difference", report.max_policy_difference},
                                        {"max_wdl_difference", report.max_wdl_difference},
                                        {"top1_agreement", report.top1_agreement}}
                     .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << "\n";
    return;
  }
  const CheckpointInfo& info = source.description.info;
  fmt::print(
      "Wrote {} ({} bytes, {}): {} of step {}\n"
      "Read back and compared with the checkpoint on {} positions: logits differ by at most "
      "{:.2g}, win/draw/loss by {:.2g}; the best move is the same in {:.1f} % of them\n",
      command.out, report.bytes, command.precision, info.game.name, info.step, report.positions,
      report.max_policy_difference, report.max_wdl_difference, 100.0 * report.top1_agreement);
}

void Run(const ExportCommand& command) {
  const std::filesystem::path path = FindCheckpoint(command.weights);
  const auto format = ChoiceOf<ExportFormat>(command.format, kExportFormatNames);
  ExportSource source = LoadExportSource(path, kPositions);
  // A file to play with says how int8 is planned, so that no program has to find out at its start.
  if (format == ExportFormat::kSafetensors) {
    source.network = Calibrated(source.network, source.description.info.game.name);
  }
  if (!source.description.rating) source.description.rating = RatingOfCheckpoint(path);
  source.description.precision = ChoiceOf<ModelPrecision>(command.precision, kModelPrecisionNames);
  Print(command, source, ExportModel(source, format, command.out));
}

}  // namespace

void AddExport(CLI::App& app) {
  const auto command = std::make_shared<ExportCommand>();
  CLI::App* const sub = app.add_subcommand("export", "Write a network as a model for elsewhere");
  sub->add_option("--checkpoint", command->weights, kWeightsHelp)->required()->type_name("PATH");
  sub->add_option(
         "--format", command->format,
         "torchscript: for LibTorch and PyTorch; onnx: for ONNX runtimes; safetensors: the "
         "layers alone, which khanzero itself plays with, too")
      ->check(OneOf(kExportFormatNames))
      ->capture_default_str();
  sub->add_option("--precision", command->precision,
                  "How weights are stored; with fp16 the file has half the size")
      ->check(OneOf(kModelPrecisionNames))
      ->capture_default_str();
  sub->add_option("--out", command->out, "The file to write; one that is there is replaced")
      ->required()
      ->type_name("FILE");
  sub->add_flag("--json", command->json, "Print the report as one JSON object");
  sub->footer(
      "A model takes planes [B, planes, ranks, files] and gives policy logits [B, policy size] "
      "and\n"
      "win/draw/loss probabilities [B, 3] for the side to move, for any B. Under the name\n"
      "khanzero.json the file says what it is, what planes and policy indices mean, and where it\n"
      "comes from; 'khanzero info FILE' prints it. Before the command reports success, the file "
      "is\n"
      "read back and compared with the checkpoint; one that differs is removed (exit code 1).");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
