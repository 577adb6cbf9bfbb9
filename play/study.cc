// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/study.h"

#include <nlohmann/json.hpp>

#include "env/games.h"

namespace khanzero {

namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Estimate& e) { return {{"value", e.value}, {"low", e.low}, {"high", e.high}}; }

Json GamesJson(const MatchResult& games) {
  const Tally white = games.white();
  Json endings = Json::object();
  for (const auto& [reason, count] : games.endings_by_side) {
    endings[reason] = {{"games", count.games()},
                       {"white_wins", count.white_wins},
                       {"draws", count.draws},
                       {"black_wins", count.black_wins},
                       {"share", ToJson(WilsonShare(count.games(), white.games()))}};
  }
  Json lengths = Json::object();
  for (const auto& [plies, count] : games.lengths) lengths[std::to_string(plies)] = count;
  return {{"games", white.games()},
          {"white_wins", white.wins},
          {"draws", white.draws},
          {"black_wins", white.losses},
          {"white_score", white.score()},
          {"white_score_error", ScoreError(white)},
          {"unique_games", games.unique_games.size()},
          {"average_plies", games.average_plies()},
          {"median_plies", games.LengthQuantile(0.5)},
          {"games_by_plies", lengths},
          {"endings", endings}};
}

Json PiecesJson(const PieceValues& pieces, const PieceValueSettings& settings) {
  Json values = Json::array();
  for (const PieceValue& value : pieces.values) {
    values.push_back({{"piece", value.piece},
                      {"letter", std::string(1, value.letter)},
                      {"side", Name(value.side)},
                      {"in_hand", value.in_hand},
                      {"positions", value.observations},
                      {"games", value.games},
                      {"score", ToJson(value.score)},
                      {"logit", ToJson(value.logit)},
                      {"units", value.units ? ToJson(*value.units) : Json(nullptr)}});
  }
  return {{"unit", pieces.unit.empty() ? Json(nullptr) : Json(pieces.unit)},
          {"positions", pieces.positions},
          {"games", pieces.games},
          {"positions_per_game", settings.positions_per_game},
          {"least_score", settings.least_score},
          {"resamples", settings.resamples},
          {"values", values}};
}

Json MovesJson(const std::vector<MoveOpinion>& moves) {
  Json list = Json::array();
  for (const MoveOpinion& move : moves) {
    Json one = {{"move", move.move},
                {"san", move.san},
                {"prior", move.prior},
                {"visits", move.visits},
                {"score", move.score ? Json(*move.score) : Json(nullptr)}};
    if (!move.line.empty()) one["line"] = move.line;
    list.push_back(std::move(one));
  }
  return list;
}

Json PlacementsJson(const std::vector<PlacementMap>& maps) {
  Json list = Json::array();
  for (const PlacementMap& map : maps) {
    list.push_back({{"piece", map.piece},
                    {"count", map.count},
                    {"share", map.share},
                    {"squares", map.squares}});
  }
  return list;
}

Json FirstMovesJson(const Study& study) {
  Json positions = Json::array();
  for (const PositionOpinion& position : study.first.positions) {
    positions.push_back({{"after", position.after},
                         {"fen", position.fen},
                         {"side_to_move", position.side},
                         {"legal_moves", position.legal_moves},
                         {"nodes", position.nodes},
                         {"network_score", position.network_score},
                         {"score", position.score},
                         {"searched", MovesJson(position.searched)},
                         {"policy", MovesJson(position.policy)}});
  }
  Json json = {{"positions", positions}};
  if (!study.first.placements.empty()) {
    json["placements_by_policy"] = PlacementsJson(study.first.placements);
    json["placements_in_games"] = {{"games", study.placed.games},
                                   {"white", PlacementsJson(study.placed.white)},
                                   {"black", PlacementsJson(study.placed.black)}};
  }
  return json;
}

}  // namespace

MatchResult CountGames(const std::string& game, const std::vector<StudyGame>& games) {
  MatchResult result;
  result.game = game;
  result.name_a = result.name_b = "network";
  WithGame(game, [&]<class G>() {
    for (size_t i = 0; i < games.size(); ++i) {
      const StudyGame& one = games[i];
      const auto start = one.start_fen.empty() ? G::Position::Start(one.settings)
                                               : G::Position::FromFen(one.start_fen, one.settings);
      result.Add({.round = {static_cast<int64_t>(i), Color::kWhite},
                  .result = one.result,
                  .reason = one.ending,
                  .plies = static_cast<int>(one.moves.size()),
                  .moves_key = MovesKey(start.key(), one.moves)});
    }
  });
  return result;
}

std::string StudyJson(const Study& study) {
  return Json{{"game", study.game},
              {"network", study.network},
              {"games_from", study.games_from},
              {"seed", study.seed},
              {"games", GamesJson(study.games)},
              {"pieces", PiecesJson(study.pieces, study.piece_settings)},
              {"first_moves", FirstMovesJson(study)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace khanzero
