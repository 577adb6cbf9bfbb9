// SPDX-License-Identifier: GPL-3.0-or-later
//
// A second, independent rules engine for both games, for tests only: an oracle that the real one
// is compared with. It was written from the rules alone and shares no code with the engine under
// test, so that the two are unlikely to be wrong in the same way. It is deliberately naive - a
// mailbox board, every move made on a copy and tested, no tables, no hashing, nothing incremental -
// because its whole worth is that one can read it against the rules and see that it is right.

#ifndef KHANZERO_TESTS_NAIVE_NAIVE_RULES_H_
#define KHANZERO_TESTS_NAIVE_NAIVE_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "naive_position.h"

namespace khanzero::naive {

struct Ending {
  std::string result;  // "1-0", "0-1", "1/2-1/2", or "*" while the game goes on
  // "checkmate", "stalemate", "campmate", "khan", "repetition", "fifty", or "" while it goes on
  std::string reason;
};

// A game from a start position on, with the moves played on this object as its history. A value:
// a copy is a game of its own.
class NaiveGame {
 public:
  // `variant` is "khans" or "serbest"; `kings_landing` is 7 or 8, ignored by khans. Throws
  // std::invalid_argument saying what is wrong with the variant, the FEN or the King's Landing.
  static NaiveGame FromFen(const std::string& variant, const std::string& fen,
                           int kings_landing = 7);
  static NaiveGame Start(const std::string& variant, int kings_landing = 7);

  // UCI text, sorted bytewise. A game already won by campmate or Khan has none; the 50-move rule
  // and repetition are ignored here.
  std::vector<std::string> LegalMoves() const;

  // Whether the king of the side to move is attacked; false while it is not on the board.
  bool InCheck() const;

  // Whether a piece of the side could capture on the square (file a and rank 1 are 0) if an enemy
  // stood there, pins and checks aside.
  bool IsAttacked(int file, int rank, bool by_white) const;

  // Campmate or Khan is named before checkmate or stalemate, these before the 50-move rule, and
  // that before repetition.
  Ending CurrentEnding() const;

  // Throws std::invalid_argument if `uci` is not one of LegalMoves(). After a draw by the 50-move
  // rule or repetition one may still play on.
  void Play(const std::string& uci);

  // The present position; a hand is written in the rules' order, an empty one as [].
  std::string Fen() const;

  // Earlier occurrences of the present position in this object; the start position is one.
  int Repetitions() const;

 private:
  explicit NaiveGame(const Position& start);

  friend uint64_t Perft(const NaiveGame& game, int depth);

  Position position_;
  std::vector<std::string> earlier_keys_;  // RepetitionKey of every position before the present
};

// The number of legal move sequences of exactly `depth` plies. A won game has no moves below it;
// the 50-move rule and repetition are ignored. 1 at depth 0.
uint64_t Perft(const NaiveGame& game, int depth);

}  // namespace khanzero::naive

#endif  // KHANZERO_TESTS_NAIVE_NAIVE_RULES_H_
