// SPDX-License-Identifier: GPL-3.0-or-later
//
// A fingerprint of the search: fixed positions searched with a fixed evaluator, and the visits they
// get as one number. It changes when, and only when, the search behaves differently.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "env/game_info.h"
#include "env/random.h"
#include "mcts/batch.h"

namespace khanzero {

// An opinion on every position, strong and without reason, that depends on its planes alone.
class OpinionatedEvaluator : public Evaluator {
 public:
  explicit OpinionatedEvaluator(const EncodingShape& shape) : shape_(shape) {}
  const EncodingShape& shape() const override { return shape_; }
  void Evaluate(EvaluationBatch& batch) override {
    batch.PrepareOutputs();
    const auto size = static_cast<size_t>(shape_.input_size());
    for (int i = 0; i < batch.size(); ++i) {
      uint64_t hash = 0;
      for (const float x : batch.planes().subspan(static_cast<size_t>(i) * size, size)) {
        hash = Mix64(hash + std::bit_cast<uint32_t>(x));
      }
      const std::span<float> logits = batch.mutable_logits(i);
      const auto indices = std::as_const(batch).policy_indices(i);
      for (size_t m = 0; m < logits.size(); ++m) {
        logits[m] = static_cast<float>(Mix64(hash + indices[m]) % 1024) / 256.0F;
      }
      const float win = static_cast<float>(hash % 97) / 128.0F;
      const float draw = static_cast<float>(hash / 97 % 31) / 128.0F;
      batch.mutable_wdl(i) = {win, draw, 1.0F - win - draw};
    }
  }

 private:
  EncodingShape shape_;
};

struct SearchSignature {
  uint64_t nodes = 0;   // of all trees
  uint64_t visits = 0;  // a hash of the visits of every root move

  std::string Text() const {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text = std::to_string(nodes) + " nodes, visits ";
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[visits >> shift & 15];
    return text;
  }
};

// Searches the start and positions of random games, in play and as in self-play.
template <Game G>
SearchSignature ComputeSearchSignature(RootAlgorithm algorithm) {
  constexpr int kGames = 12;
  SearchSettings settings;
  settings.algorithm = algorithm;
  settings.simulations = 200;
  OpinionatedEvaluator evaluator(InfoOf<G>().shape);
  SearchSignature signature;
  for (int game_number = 0; game_number < kGames; ++game_number) {
    Random random(static_cast<uint64_t>(game_number));
    GameState<G> game(G::Position::Start());
    typename G::Moves moves;
    for (int ply = 0; ply < 8 * game_number; ++ply) {
      game.position().LegalMoves(moves);
      GameState<G> next = game;
      next.Play(moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))]);
      if (next.position().ComputeOutcome().over()) break;
      game = next;
    }
    const auto exploration = game_number % 2 == 0 ? Exploration::kNone : Exploration::kSelfPlay;
    Search<G> search(settings, exploration, Random(1));
    search.Begin(game.position(), game.history());
    Search<G>* const one = &search;
    BatchSearcher<G>(evaluator, 1).Run(std::span(&one, 1));
    signature.nodes += search.tree().node_count();
    for (const RootMove& move : search.Result().moves) {
      // A sum: the order of the moves does not matter.
      signature.visits += Mix64(Mix64(static_cast<uint64_t>(game_number) << 32 | move.visits) +
                                G::PolicyIndex(game.position(), move.move));
    }
  }
  return signature;
}

}  // namespace khanzero
