// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/policy_games.h"

#include <algorithm>
#include <span>

#include "env/games.h"
#include "env/history.h"
#include "env/random.h"
#include "mcts/softmax.h"

namespace khanzero {
namespace {

// Games side by side, each of which gives every kPliesBetween-th of its positions.
constexpr int kMostGames = 128;
constexpr int kPliesBetween = 4;

// An index with the chance that `shares`, which sum to 1, give it.
int DrawShare(std::span<const float> shares, Random& random) {
  double left = random.Uniform();
  size_t i = 0;
  while (i + 1 < shares.size() && left >= static_cast<double>(shares[i])) {
    left -= static_cast<double>(shares[i++]);
  }
  return static_cast<int>(i);
}

template <Game G>
std::vector<float> Play(const Config& config, Evaluator& evaluator, int count) {
  const auto start = G::Position::Start({.kings_landing = config.kings_landing});
  struct Seat {
    GameState<G> state;
    int plies = 0;
    typename G::Moves moves = {};
  };
  std::vector<Seat> seats(static_cast<size_t>(std::min(count, kMostGames)),
                          Seat{.state = GameState<G>(start)});
  constexpr size_t kInputSize = size_t{G::kInputPlanes} * G::kSquares;
  const size_t wanted = static_cast<size_t>(count) * kInputSize;
  std::vector<float> kept;
  Random random(config.seed);
  EvaluationBatch batch(evaluator.shape());
  std::vector<uint16_t> indices;
  std::vector<float> shares;
  for (int round = 0;; ++round) {
    batch.Clear();
    for (Seat& seat : seats) {
      const auto& position = seat.state.position();
      position.LegalMoves(seat.moves);
      indices.clear();
      for (const Move& move : seat.moves) indices.push_back(G::PolicyIndex(position, move));
      G::Encode(position, batch.Add(indices));
    }
    if (round % kPliesBetween == 0) {
      const auto planes =
          batch.planes().first(std::min(batch.planes().size(), wanted - kept.size()));
      kept.insert(kept.end(), planes.begin(), planes.end());
      if (kept.size() == wanted) return kept;
    }
    evaluator.Evaluate(batch);
    for (size_t i = 0; i < seats.size(); ++i) {
      Seat& seat = seats[i];
      Softmax(batch.logits(static_cast<int>(i)), shares);
      seat.state.Play(seat.moves[DrawShare(shares, random)]);
      const bool ends = ++seat.plies >= config.selfplay.max_plies ||
                        seat.state.position().ComputeOutcome().over();
      if (ends) seat = Seat{.state = GameState<G>(start)};
    }
  }
}

}  // namespace

std::vector<float> PolicyGamePositions(const Config& config, Evaluator& evaluator, int count) {
  return WithGame(config.game, [&]<class G>() { return Play<G>(config, evaluator, count); });
}

}  // namespace khanzero
