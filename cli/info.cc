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
#include "env/error.h"
#include "model/checkpoint_files.h"
#include "model/folded_network.h"
#include "model/load_network.h"
#include "model/model_file.h"

namespace khanzero {

namespace {

using Json = nlohmann::ordered_json;

struct InfoCommand {
  std::string path;
  bool json = false;
};

Json Describe(const std::filesystem::path& path) {
  const ModelFile file = ReadModelFile(path);
  Json json = {{"kind", kModelKindNames[static_cast<size_t>(file.kind)]}};
  if (file.kind == ModelKind::kCheckpoint) {
    json.update(
        Json(ToJson(ReadCheckpointFiles(path, nullptr).info)));  // loading verifies every file
  } else {
    Json description = Json::parse(file.description);
    description.erase("kind");  // what the file is has been seen
    json.update(description);
    // Its arrays are verified, too.
    if (file.kind == ModelKind::kSafetensors) LoadFoldedNetwork(path.string(), nullptr);
  }
  return json;
}

// Values of the file as they are, but for what could steer a terminal.
std::string ValueText(const Json& value) {
  return value.is_string() ? Printable(value.get<std::string>()) : value.dump();
}

void Run(const InfoCommand& command) {
  const Json json = Describe(FindCheckpoint(command.path));
  if (command.json) {
    std::cout << json.dump() << "\n";
    return;
  }
  for (const auto& [key, value] : json.items()) {
    // Long lists are for --json; what is null is not known.
    const bool small = value.is_object() && value.size() <= 6 &&
                       std::ranges::none_of(value, [](const Json& v) { return v.is_structured(); });
    if (value.is_null() || value.is_array() || (value.is_object() && !small)) continue;
    std::string text = ValueText(value);
    if (small) {
      text.clear();
      for (const auto& [name, part] : value.items()) {
        text += (text.empty() ? "" : ", ") + name + " " + ValueText(part);
      }
    }
    fmt::print("{:<18} {}\n", Printable(key), text);
  }
}

}  // namespace

void AddInfo(CLI::App& app) {
  const auto command = std::make_shared<InfoCommand>();
  CLI::App* const sub = app.add_subcommand("info", "Say what a checkpoint or exported model is");
  sub->add_option("path", command->path,
                  "A checkpoint's folder, latest:RUN, best:RUN, or a file of 'khanzero export' in "
                  "any format")
      ->required()
      ->type_name("PATH");
  sub->add_flag("--json", command->json,
                "Print everything, the planes and the policy map included, as one JSON object");
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
