// SPDX-License-Identifier: GPL-3.0-or-later
//
// A classical searcher for any game: negamax with alpha-beta, iterative deepening, a hash table of
// best moves, captures first, killer moves and a history of cutoffs, and captures searched on
// beyond the horizon. The evaluation counts material, the squares each side attacks (mobility:
// legal moves would count every empty square once for each kind of piece in hand), and the kings'
// way to their last ranks. It is a yardstick and knows nothing special of either game.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "env/bitboard.h"
#include "env/error.h"
#include "env/random.h"
#include "play/player.h"

namespace khanzero {

template <Game G>
class AlphaBeta {
 public:
  using Position = typename G::Position;
  static constexpr int kMate = 30'000;  // less the plies to it

  struct Answer {
    Move move;
    int score = 0;  // for the side to move, hundredths of a pawn
    uint64_t nodes = 0;
  };

  // REQUIRES: 1 <= depth.
  explicit AlphaBeta(int depth) : depth_(depth), table_(kTableSize) {}

  // The best move by a search of `depth` plies; `random` decides between equals. Once `stop` (which
  // may be null) is true, the answer is that of the last depth that was searched to its end.
  // REQUIRES: the game is not over.
  Answer Choose(const GameState<G>& game, Random random, const std::atomic<bool>* stop = nullptr);

 private:
  using Moves = typename G::Moves;
  static constexpr size_t kTableSize = size_t{1} << 16;
  static constexpr int kMostPlies = 64;
  static constexpr int kQuietPlies = 6;  // captures are followed so far beyond the horizon
  static constexpr int kAttackWeight = 4;

  struct Entry {
    uint64_t key = 0;
    Move move;
  };
  // What orders the moves of one node.
  struct Scores {
    std::array<int, G::kMaxMoves> of;
  };

  // After it is true, values mean nothing.
  bool Stopped() {
    constexpr uint64_t kNodesBetween = 1024;
    if (stop_ != nullptr && nodes_ % kNodesBetween == 0) stopped_ = stopped_ || stop_->load();
    return stopped_;
  }
  int Negamax(const Position& position, int depth, int alpha, int beta, int ply);
  int Quiescence(const Position& position, int plies_left, int alpha, int beta, int ply);
  Position After(const Position& position, Move move) {
    Position next = position;
    PlayWithHistory(next, history_, move);
    return next;
  }
  static bool HasGoalMove(const Position& position, const Moves& moves) {
    return std::any_of(moves.begin(), moves.end(),
                       [&](const Move& m) { return position.IsGoalMove(m); });
  }
  static int Evaluate(const Position& position);
  static int KingRace(const Position& position, Color side);
  void Order(const Position& position, const Moves& moves, int ply, Scores& scores) const;
  void Reward(const Position& position, Move move, int depth, int ply);
  int& Cutoffs(Color side, Move move) { return cutoffs_[Index(side)][move.to][CutoffOrigin(move)]; }
  static size_t CutoffOrigin(Move move) {
    return move.kind == MoveKind::kPlacement ? static_cast<size_t>(kSquares) + move.piece
                                             : move.from;
  }
  // The index of the best move not yet taken; it gets the lowest score.
  static int TakeBest(Scores& scores, int count);

  static constexpr int kSquares = Position::kSquares;
  static constexpr int kTaken = -2'000'000'000;

  int depth_;
  const std::atomic<bool>* stop_ = nullptr;
  bool stopped_ = false;
  uint64_t nodes_ = 0;
  KeyHistory history_;
  std::vector<Entry> table_;
  std::array<std::array<Move, 2>, kMostPlies + 1> killers_{};
  std::array<std::array<std::array<int, kSquares + Position::kTypes>, kSquares>, 2> cutoffs_{};
};

template <Game G>
auto AlphaBeta<G>::Choose(const GameState<G>& game, Random random, const std::atomic<bool>* stop)
    -> Answer {
  stop_ = stop;
  stopped_ = false;
  nodes_ = 0;
  history_ = game.history();
  std::fill(table_.begin(), table_.end(), Entry{});
  killers_ = {};
  cutoffs_ = {};
  const Position& root = game.position();
  Moves legal;
  root.LegalMoves(legal);
  Check(!legal.empty(), "a player is asked for a move in a game that is over");
  std::vector<Move> order(legal.begin(), legal.end());
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  std::stable_sort(order.begin(), order.end(), [&](const Move& a, const Move& b) {
    return G::Gain(root, a) > G::Gain(root, b);
  });
  for (const Move& move : order) {
    if (root.IsGoalMove(move)) return {.move = move, .score = kMate - 1, .nodes = 1};
  }
  Answer answer{.move = order[0]};
  for (int depth = 1; depth <= depth_; ++depth) {
    int best = -kMate - 1;
    size_t best_at = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const Position next = After(root, order[i]);
      const int score = -Negamax(next, depth - 1, -kMate - 1, -best, 1);
      history_.Pop();
      if (stopped_) return answer;
      if (score > best) {
        best = score;
        best_at = i;
      }
    }
    // The best move so far is looked at first at the next depth.
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best_at),
                order.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
    answer = {.move = order[0], .score = best, .nodes = nodes_};
    if (std::abs(best) >= kMate - depth) break;  // decided: deeper finds nothing shorter
  }
  return answer;
}

template <Game G>
int AlphaBeta<G>::Negamax(const Position& position, int depth, int alpha, int beta, int ply) {
  if (depth <= 0 || ply >= kMostPlies) {
    return Quiescence(position, kQuietPlies, alpha, beta, ply);
  }
  if (Stopped()) return 0;
  ++nodes_;
  Moves moves;
  position.LegalMoves(moves);
  if (moves.empty()) return -(kMate - ply);  // mate, stalemate and the goal all lose
  // A position that came back once can come back again.
  if (position.halfmove_clock() >= 100 || position.repetitions() >= 1) return 0;
  if (HasGoalMove(position, moves)) return kMate - ply - 1;

  Scores scores;
  Order(position, moves, ply, scores);
  int best = -kMate - 1;
  Move best_move = moves[0];
  for (int i = 0; i < moves.size(); ++i) {
    const Move move = moves[TakeBest(scores, moves.size())];
    const Position next = After(position, move);
    const int score = -Negamax(next, depth - 1, -beta, -std::max(alpha, best), ply + 1);
    history_.Pop();
    if (score <= best) continue;
    best = score;
    best_move = move;
    if (best >= beta) {
      Reward(position, move, depth, ply);
      break;
    }
  }
  table_[position.key() % kTableSize] = {.key = position.key(), .move = best_move};
  return best;
}

// Follows captures and promotions until the position is quiet. A side need not capture.
template <Game G>
int AlphaBeta<G>::Quiescence(const Position& position, int plies_left, int alpha, int beta,
                             int ply) {
  if (Stopped()) return 0;
  ++nodes_;
  Moves moves;
  position.LegalMoves(moves);
  if (moves.empty()) return -(kMate - ply);
  if (position.halfmove_clock() >= 100 || position.repetitions() >= 1) return 0;
  if (HasGoalMove(position, moves)) return kMate - ply - 1;
  int best = Evaluate(position);
  if (best >= beta || plies_left == 0) return best;
  Scores scores;
  for (int i = 0; i < moves.size(); ++i) {
    scores.of[static_cast<size_t>(i)] = G::Gain(position, moves[i]);
  }
  for (int i = 0; i < moves.size(); ++i) {
    const int at = TakeBest(scores, moves.size());
    const int gain = G::Gain(position, moves[at]);
    if (gain <= 0) break;
    const Position next = After(position, moves[at]);
    const int score = -Quiescence(next, plies_left - 1, -beta, -std::max(alpha, best), ply + 1);
    history_.Pop();
    best = std::max(best, score);
    if (best >= beta) break;
  }
  return best;
}

template <Game G>
int AlphaBeta<G>::Evaluate(const Position& position) {
  const Color us = position.side_to_move();
  const auto side_score = [&](Color side) {
    return G::Material(position, side) + kAttackWeight * PopCount(position.AttackedBy(side)) +
           KingRace(position, side);
  };
  return side_score(us) - side_score(~us);
}

// A king two or one steps from its last rank is a threat; farther off its way hardly matters.
template <Game G>
int AlphaBeta<G>::KingRace(const Position& position, Color side) {
  const int distance = G::KingDistanceToGoal(position, side);
  return distance <= 1 ? 80 : distance == 2 ? 40 : 3 * (G::kRanks - distance);
}

template <Game G>
void AlphaBeta<G>::Order(const Position& position, const Moves& moves, int ply,
                         Scores& scores) const {
  const Entry& entry = table_[position.key() % kTableSize];
  const auto& killers = killers_[static_cast<size_t>(ply)];
  const auto& cutoffs = cutoffs_[Index(position.side_to_move())];
  for (int i = 0; i < moves.size(); ++i) {
    const Move move = moves[i];
    int& score = scores.of[static_cast<size_t>(i)];
    const int gain = G::Gain(position, move);
    if (entry.key == position.key() && entry.move == move) {
      score = 1'000'000'000;
    } else if (gain > 0) {
      score = 500'000'000 + gain;
    } else if (move == killers[0] || move == killers[1]) {
      score = 400'000'000;
    } else {
      score = std::min(cutoffs[move.to][CutoffOrigin(move)], 300'000'000);
    }
  }
}

template <Game G>
void AlphaBeta<G>::Reward(const Position& position, Move move, int depth, int ply) {
  if (G::Gain(position, move) > 0) return;
  auto& killers = killers_[static_cast<size_t>(ply)];
  if (move != killers[0]) {
    killers[1] = killers[0];
    killers[0] = move;
  }
  int& cutoffs = Cutoffs(position.side_to_move(), move);
  cutoffs = std::min(cutoffs + depth * depth, 300'000'000);
}

template <Game G>
int AlphaBeta<G>::TakeBest(Scores& scores, int count) {
  int best = 0;
  for (int i = 1; i < count; ++i) {
    if (scores.of[static_cast<size_t>(i)] > scores.of[static_cast<size_t>(best)]) best = i;
  }
  scores.of[static_cast<size_t>(best)] = kTaken;
  return best;
}

template <Game G>
class AlphaBetaPlayer : public Player<G> {
 public:
  AlphaBetaPlayer(std::string name, int depth) : name_(std::move(name)), search_(depth) {}
  const std::string& name() const override { return name_; }

  void ChooseMoves(std::span<const Turn<G>> turns, std::span<Move> moves) override {
    for (size_t i = 0; i < turns.size(); ++i) {
      moves[i] = search_.Choose(*turns[i].game, Random(turns[i].seed)).move;
    }
  }

 private:
  std::string name_;
  AlphaBeta<G> search_;
};

}  // namespace khanzero
