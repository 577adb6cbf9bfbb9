// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/match_result.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "env/error.h"
#include "env/random.h"
#include "play/referee.h"

namespace khanzero {

namespace {

// 0, 1 or 2 for a loss, a draw or a win of A.
int HalfPointsOfA(const FinishedGame& game) {
  if (game.result == Result::kDraw) return 1;
  return game.result == WinFor(game.round.side_of_a) ? 2 : 0;
}

}  // namespace

double Tally::score() const {
  if (games() == 0) return 0.0;
  return (static_cast<double>(wins) + 0.5 * static_cast<double>(draws)) /
         static_cast<double>(games());
}

double ScoreError(const Tally& tally) {
  constexpr double kNormal95 = 1.959964;
  const auto games = static_cast<double>(tally.games());
  if (games == 0.0) return 0.0;
  const double mean = tally.score();
  const double squares =
      (static_cast<double>(tally.wins) + 0.25 * static_cast<double>(tally.draws)) / games;
  return kNormal95 * std::sqrt(std::max(0.0, squares - mean * mean) / games);
}

std::string Text(const Round& round) {
  return std::to_string(round.pair + 1) + (round.side_of_a == Color::kWhite ? ".1" : ".2");
}

std::optional<Round> ParseRound(const std::string& text) {
  Round round;
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, round.pair);
  if (error != std::errc{} || end - dot != 2 || *dot != '.' || round.pair < 1) return std::nullopt;
  if (dot[1] != '1' && dot[1] != '2') return std::nullopt;
  round.side_of_a = dot[1] == '1' ? Color::kWhite : Color::kBlack;
  --round.pair;
  return round;
}

std::optional<Result> ParseResult(std::string_view text) {
  for (const Result result : {Result::kWhiteWins, Result::kBlackWins, Result::kDraw}) {
    if (text == Text(result)) return result;
  }
  return std::nullopt;
}

uint64_t MovesKey(uint64_t start_key, std::span<const Move> moves) {
  uint64_t key = start_key;
  for (const Move& move : moves) {
    const uint64_t bits = uint64_t{move.from} | uint64_t{move.to} << 8 |
                          uint64_t{move.piece} << 16 |
                          uint64_t{static_cast<uint8_t>(move.kind)} << 24;
    key = Mix64(key + bits);
  }
  return key;
}

void MatchResult::Add(const FinishedGame& finished) {
  Check(finished.result != Result::kOngoing, "a game that counts is over");
  const int half_points = HalfPointsOfA(finished);
  Tally& side = finished.round.side_of_a == Color::kWhite ? as_white : as_black;
  for (Tally* const tally : {&total, &side}) {
    ++(half_points == 2 ? tally->wins : half_points == 1 ? tally->draws : tally->losses);
  }
  ++endings[finished.reason];
  EndingCount& by_side = endings_by_side[finished.reason];
  ++(finished.result == Result::kDraw        ? by_side.draws
     : finished.result == Result::kWhiteWins ? by_side.white_wins
                                             : by_side.black_wins);
  if (IsFault(finished.reason)) ++(half_points == 0 ? faults_of_a : faults_of_b)[finished.reason];
  plies += finished.plies;
  ++lengths[finished.plies];
  unique_games.insert(finished.moves_key);

  const auto [first, is_first] = half_pairs.emplace(finished.round.pair, finished);
  if (is_first) return;
  const int first_half_points = HalfPointsOfA(first->second);
  ++pairs[static_cast<size_t>(first_half_points + half_points)];
  if (std::abs(first_half_points - half_points) == 2) ++pairs_win_loss;
  half_pairs.erase(first);
}

int64_t MatchResult::pair_count() const {
  return std::accumulate(pairs.begin(), pairs.end(), int64_t{0});
}

double MatchResult::average_plies() const {
  return total.games() == 0 ? 0.0 : static_cast<double>(plies) / static_cast<double>(total.games());
}

int MatchResult::LengthQuantile(double share) const {
  const auto wanted =
      std::max<int64_t>(1, std::llround(std::ceil(share * static_cast<double>(total.games()))));
  int64_t games = 0;
  for (const auto& [length, count] : lengths) {
    games += count;
    if (games >= wanted) return length;
  }
  return 0;
}

Tally MatchResult::white() const {
  return {.wins = as_white.wins + as_black.losses,
          .draws = total.draws,
          .losses = as_white.losses + as_black.wins};
}

double MatchResult::white_score() const { return white().score(); }

std::optional<MatchStatistics> MatchResult::Statistics() const {
  if (pair_count() == 0) return std::nullopt;
  return ComputeStatistics(pairs);
}

}  // namespace khanzero
