// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/model_rating.h"

#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "env/error.h"
#include "model/files.h"
#include "model/foreign_json.h"

namespace khanzero {

std::optional<ModelRating> RatingOfCheckpoint(const std::filesystem::path& checkpoint) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(checkpoint, error);
  if (error || folder.parent_path().filename() != "checkpoints") return std::nullopt;
  const std::filesystem::path ladder = folder.parent_path().parent_path() / "ladder.json";
  try {
    const nlohmann::json json = ParseForeignJson(ReadFile(ladder, kMostJsonBytes));
    if (!json.is_object() || !json.contains("players")) return std::nullopt;
    const ForeignJson fields(json, ladder.string());
    for (const nlohmann::json& player : json["players"]) {
      if (!player.is_object() ||
          player.value("name", nlohmann::json()) != folder.filename().string()) {
        continue;
      }
      const ForeignJson entry(player, ladder.string());
      if (!player.contains("elo") || player["elo"].is_null()) return std::nullopt;
      return ModelRating{.elo = entry.Number("elo"),
                         .error = entry.Number("error"),
                         .anchor = fields.Text("anchor"),
                         .nodes = static_cast<int>(
                             fields.Object("conditions").Integer("nodes", 0, 1'000'000'000))};
    }
  } catch (const InputError&) {
    // A missing or damaged ladder: the rating is not known.
  }
  return std::nullopt;
}

}  // namespace khanzero
