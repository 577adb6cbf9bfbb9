// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a UCI engine remembers from one `go` to the next: the tree, and the cache of evaluations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mcts/evaluation_cache.h"
#include "mcts/search.h"

namespace khanzero {

// A game with the moves that led to its position.
template <Game G>
class PlayedGame {
 public:
  using Position = typename G::Position;

  explicit PlayedGame(const Position& start) : start_(start), state_(start) {}

  void Play(Move move) {
    state_.Play(move);
    moves_.push_back(move);
  }
  const Position& start() const { return start_; }
  const Position& position() const { return state_.position(); }
  const KeyHistory& history() const { return state_.history(); }
  const std::vector<Move>& moves() const { return moves_; }

  // Whether this is `earlier` or goes on from it.
  bool GoesOnFrom(const PlayedGame& earlier) const {
    return start_ == earlier.start_ && moves_.size() >= earlier.moves_.size() &&
           std::equal(earlier.moves_.begin(), earlier.moves_.end(), moves_.begin());
  }

 private:
  Position start_;
  GameState<G> state_;
  std::vector<Move> moves_;
};

template <Game G>
class UciMemory {
 public:
  // A search of the game's position that knows what earlier ones found out about it, unless it is
  // to begin `anew`. REQUIRES: there is a legal move; since the last Forget() neither `settings`
  // nor `hash_mib` has changed.
  Search<G>& Begin(const PlayedGame<G>& game, const SearchSettings& settings, int64_t hash_mib,
                   bool anew) {
    if (!cache_) cache_ = std::make_unique<EvaluationCache>(CacheBytes(hash_mib));
    if (!search_) search_.emplace(settings, Exploration::kNone, Random(0));
    if (!anew && last_ && game.GoesOnFrom(*last_)) {
      const std::vector<Move>& moves = game.moves();
      search_->Continue(game.position(), game.history(),
                        std::span(moves).subspan(last_->moves().size()));
    } else {
      search_->Begin(game.position(), game.history());
    }
    last_ = game;
    return *search_;
  }
  // As Begin(), for a search that chooses among `moves` alone: neither does it know what earlier
  // ones found out, nor do later ones go on from it. REQUIRES: legal moves, one at least.
  Search<G>& BeginAmong(const PlayedGame<G>& game, std::span<const Move> moves,
                        const SearchSettings& settings, int64_t hash_mib) {
    Search<G>& search = Begin(game, settings, hash_mib, /*anew=*/true);
    search.LimitRoot(moves);
    last_.reset();
    return search;
  }
  // REQUIRES: Begin() was called since the last Forget().
  EvaluationCache& cache() { return *cache_; }

  void Forget() {
    last_.reset();
    search_.reset();
    cache_.reset();
  }

  // The shares of the memory that the option Hash allows.
  static size_t CacheBytes(int64_t hash_mib) { return static_cast<size_t>(hash_mib) << 18; }
  static size_t TreeBytes(int64_t hash_mib) { return 3 * CacheBytes(hash_mib); }

 private:
  std::optional<Search<G>> search_;
  std::optional<PlayedGame<G>> last_;  // what search_ was begun for
  std::unique_ptr<EvaluationCache> cache_;
};

}  // namespace khanzero
