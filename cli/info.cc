// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero info: what a checkpoint or an exported model is.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/weights.h"
#include "model/checkpoint.h"
#include "model/export.h"

namespace khanzero {

namespace {

struct InfoCommand {
  std::string path;
  bool json = false;
};

nlohmann::ordered_json Describe(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw InputError("'" + path.string() + "' does not exist");
  }
  if (!std::filesystem::is_directory(path)) {
    auto json = nlohmann::ordered_json::parse(ReadTorchScriptMetadata(path));
    json["kind"] = "torchscript";
    return json;
  }
  // Loading verifies every file.
  const CheckpointInfo info = LoadCheckpoint(path, nullptr).info;
  const EncodingShape& shape = info.game.shape;
  return {{"kind", "checkpoint"},
          {"game", info.game.name},
          {"rules_version", info.game.rules_version},
          {"encoding_version", info.game.encoding_version},
          {"board", fmt::format("{}x{}", shape.files, shape.ranks)},
          {"input_planes", shape.input_planes},
          {"policy_size", shape.policy_size()},
          {"blocks", info.network.blocks},
          {"channels", info.network.channels},
          {"step", info.step},
          {"games", info.games},
          {"positions", info.positions},
          {"date", info.date},
          {"program_version", info.program_version}};
}

void Run(const InfoCommand& command) {
  const nlohmann::ordered_json json = Describe(FindCheckpoint(command.path));
  if (command.json) {
    std::cout << json.dump() << "\n";
    return;
  }
  for (const auto& [key, value] : json.items()) {
    if (value.is_array() || value.is_object()) continue;  // long lists are for --json
    fmt::print("{:<18} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

}  // namespace

void AddInfo(CLI::App& app) {
  const auto command = std::make_shared<InfoCommand>();
  CLI::App* const sub = app.add_subcommand("info", "Say what a checkpoint or exported model is");
  sub->add_option("path", command->path,
                  "A checkpoint's folder, latest:RUN, best:RUN, or an exported TorchScript file")
      ->required()
      ->type_name("PATH");
  sub->add_flag("--json", command->json, "Print everything as one JSON object");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
