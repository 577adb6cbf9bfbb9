// SPDX-License-Identifier: GPL-3.0-or-later
//
// The keys of the positions of a game, to count repetitions. A search pushes and pops on the same
// object while it walks down and up its tree.
#pragma once

#include <cstdint>
#include <vector>

#include "env/position.h"

namespace khanzero {

class KeyHistory {
 public:
  void Push(uint64_t key) { keys_.push_back(key); }
  void Pop() { keys_.pop_back(); }
  void Clear() { keys_.clear(); }
  void Truncate(size_t size) { keys_.resize(size); }
  size_t size() const { return keys_.size(); }

  // How often `key` stood among the positions reached since the last irreversible move, given that
  // the position of `key` comes next and its half-move count is `halfmove_clock`.
  int CountEarlier(uint64_t key, uint32_t halfmove_clock) const {
    const size_t reach = halfmove_clock < keys_.size() ? halfmove_clock : keys_.size();
    int count = 0;
    // The same side moves every second ply, and four plies are the shortest way back.
    for (size_t back = 4; back <= reach; back += 2) count += keys_[keys_.size() - back] == key;
    return count;
  }

 private:
  std::vector<uint64_t> keys_;
};

// Plays `move` in `position`, whose earlier positions are in `history`, and keeps both in step.
template <class Spec>
void PlayWithHistory(Position<Spec>& position, KeyHistory& history, Move move) {
  history.Push(position.key());
  position.Play(move);
  position.set_repetitions(history.CountEarlier(position.key(), position.halfmove_clock()));
}

// A game in progress: the position and where it came from.
template <class Game>
class GameState {
 public:
  using Position = typename Game::Position;

  explicit GameState(const Position& start) : position_(start) {}

  const Position& position() const { return position_; }
  const KeyHistory& history() const { return history_; }
  void Play(Move move) { PlayWithHistory(position_, history_, move); }

 private:
  Position position_;
  KeyHistory history_;
};

}  // namespace khanzero
