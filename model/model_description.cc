// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a reader needs to know comes from the encoder and the policy map themselves.
#include "model/model_description.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "env/error.h"
#include "env/games.h"
#include "model/foreign_json.h"
#include "model/version.h"

namespace khanzero {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormatName = "khanzero model";
constexpr int kFormatVersion = 2;

template <Game G>
Json PolicyPlanesOf() {
  Json planes = Json::array();
  for (const PolicyPlane& plane : PolicyMap<typename G::Spec>::Planes()) {
    switch (plane.kind) {
      case PolicyPlane::Kind::kMove:
        planes.push_back({{"files", plane.step.file}, {"ranks", plane.step.rank}});
        break;
      case PolicyPlane::Kind::kPromotion:
        planes.push_back({{"files", plane.step.file},
                          {"ranks", plane.step.rank},
                          {"promotion_choice", plane.choice}});
        break;
      case PolicyPlane::Kind::kPlacement:
        planes.push_back({{"placement", std::string(1, plane.piece)}});
    }
  }
  return planes;
}

template <Game G>
Json PromotionsOf() {
  Json promotions = Json::object();
  for (const PieceSpec& piece : G::Spec::kPieces) {
    if (!piece.promotes_to.empty()) {
      promotions[std::string(1, piece.letter)] = std::string(piece.promotes_to);
    }
  }
  return promotions;
}

Json InputOf(const CheckpointInfo& info, bool known) {
  const EncodingShape& shape = info.game.shape;
  Json input = {{"name", "planes"},
                {"shape", {"batch", shape.input_planes, shape.ranks, shape.files}},
                {"view",
                 "squares as the side to move sees them: ranks are turned for Black, files "
                 "are not; rank 0 is the mover's own first rank, file 0 is a"}};
  if (known) {
    input["planes"] =
        WithGame(info.game.name, []<class G>() { return Encoder<typename G::Spec>::PlaneNames(); });
  }
  return input;
}

Json PolicyOf(const CheckpointInfo& info, bool known) {
  const EncodingShape& shape = info.game.shape;
  Json policy = {
      {"size", shape.policy_size()},
      {"index",
       "plane * squares + square; square = rank * files + file, in the mover's view: the "
       "square a piece moves from, or the one it is placed on"}};
  if (!known) return policy;
  policy["planes_meaning"] =
      "files, ranks: where the piece goes, in the mover's view; castling is the king's move of two "
      "files. placement: the piece put on the square. A piece that must promote becomes the first "
      "letter of its promotions, or that of promotion_choice (counted from 0)";
  WithGame(info.game.name, [&]<class G>() {
    policy["promotions"] = PromotionsOf<G>();
    policy["planes"] = PolicyPlanesOf<G>();
  });
  return policy;
}

Json OutputsOf(const CheckpointInfo& info) {
  return {{{"name", "policy"},
           {"shape", {"batch", info.game.shape.policy_size()}},
           {"meaning", "logits of all moves; take the softmax over the legal ones alone"}},
          {{"name", "wdl"},
           {"shape", {"batch", 3}},
           {"meaning", "probabilities of win, draw, loss for the side to move"}}};
}

std::optional<ModelRating> RatingFrom(const ForeignJson& json) {
  const auto& value = json.value();
  if (!value.contains("rating") || value["rating"].is_null()) return std::nullopt;
  const ForeignJson rating = json.Object("rating");
  return ModelRating{.elo = rating.Number("elo"),
                     .error = rating.Number("error"),
                     .anchor = rating.Text("anchor"),
                     .nodes = static_cast<int>(rating.Integer("nodes", 0, 1'000'000'000))};
}

}  // namespace

std::string SerializeModelDescription(const ModelDescription& description) {
  const CheckpointInfo& info = description.info;
  Json json = {{"format", kFormatName}, {"format_version", kFormatVersion}};
  const Json fields = ToJson(info);
  for (const auto& [key, value] : fields.items()) json[key] = value;
  if (info.program_version.empty()) json["program_version"] = ProgramVersion();
  json["precision"] = kModelPrecisionNames[static_cast<size_t>(description.precision)];
  json["licence"] = "GPL-3.0-or-later";
  json["rating"] = nullptr;
  if (const auto& rating = description.rating) {
    json["rating"] = {{"elo", rating->elo},
                      {"error", rating->error},
                      {"anchor", rating->anchor},
                      {"nodes", rating->nodes}};
  }
  const auto names = GameNames();
  const bool known = std::ranges::find(names, info.game.name) != names.end() &&
                     InfoOfGame(info.game.name) == info.game;
  json["input"] = InputOf(info, known);
  json["outputs"] = OutputsOf(info);
  json["policy"] = PolicyOf(info, known);
  return json.dump() + "\n";
}

ModelDescription ParseModelDescription(std::string_view json, const std::string& source) {
  const nlohmann::json parsed = ParseForeignJson(json);
  if (!parsed.is_object() || parsed.value("format", nlohmann::json()) != kFormatName) {
    throw InputError(source + " has no description of a model of this program, or a damaged one");
  }
  const ForeignJson fields(parsed, source);
  const int64_t version = fields.Integer("format_version", 0, 1'000'000);
  if (version != kFormatVersion) {
    throw InputError(source + " has a description of format version " + std::to_string(version) +
                     ", this program (" + std::string(ProgramVersion()) + ") reads version " +
                     std::to_string(kFormatVersion) + ": export the checkpoint again");
  }
  const std::string precision = fields.Text("precision");
  const auto* const known = std::ranges::find(kModelPrecisionNames, precision);
  if (known == kModelPrecisionNames.end()) {
    throw InputError(source + " is of an unknown precision");
  }
  return {.info = InfoFrom(fields),
          .precision = static_cast<ModelPrecision>(known - kModelPrecisionNames.begin()),
          .rating = RatingFrom(fields)};
}

}  // namespace khanzero
