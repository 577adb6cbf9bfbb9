// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random games and random scattered positions, the same for a seed. A scattered position is not
// reached by play: few or many pieces anywhere, often crowded round a king, so that checks, pins,
// blocked checks and promotions are common. It may break a rule of FEN; that is for the test.
#pragma once

#include <string>
#include <vector>

#include "env/history.h"
#include "env/khans.h"
#include "env/serbest.h"
#include "tests/env/fen_board.h"

namespace khanzero {

// A move of a random game: often back where a piece came from, so that positions repeat, and in
// games with hands not always a placement, though those are many.
template <class G>
Move RandomMove(const typename G::Moves& moves, const std::vector<Move>& played, Random& random) {
  const auto any = [&] {
    return moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))];
  };
  if (played.size() >= 2 && random.Below(4) == 0) {
    const Move& last = played[played.size() - 2];
    for (const Move& move : moves) {
      if (move.from == last.to && move.to == last.from && move.kind == MoveKind::kNormal) {
        return move;
      }
    }
  }
  Move move = any();
  for (int tries = 0; tries < 20 && move.kind == MoveKind::kPlacement && random.Below(3) > 0;
       ++tries) {
    move = any();
  }
  return move;
}

// Plays one random game and shows every position, the start included, to `see`.
template <class G, class See>
void RandomGame(Random& random, const GameSettings& settings, int most_plies, See&& see) {
  GameState<G> game(G::Position::Start(settings));
  std::vector<Move> played;
  typename G::Moves moves;
  for (int ply = 0;; ++ply) {
    see(game);
    game.position().LegalMoves(moves);
    if (ply == most_plies || game.position().OutcomeGiven(!moves.empty()).over()) return;
    const Move move = RandomMove<G>(moves, played, random);
    played.push_back(move);
    game.Play(move);
  }
}

// Either King's Landing by turns, where the game knows it.
inline GameSettings SettingsOfGame(int number) { return {.kings_landing = 7 + number % 2}; }

// An empty square, within two steps of `near` when that is a square.
inline int RandomEmptySquare(FenBoard& board, int near, Random& random) {
  for (;;) {
    const int square = static_cast<int>(random.Below(static_cast<uint64_t>(board.squares())));
    if (board.Cell(square) != '.') continue;
    if (near >= 0 && random.Below(200) > 0) {
      const int file_distance = std::abs(square % board.files() - near % board.files());
      const int rank_distance = std::abs(square / board.files() - near / board.files());
      if (file_distance > 2 || rank_distance > 2) continue;
    }
    return square;
  }
}

inline FenBoard ScatteredKhans(Random& random) {
  FenBoard board = FenBoard::Empty(8, 8, false);
  board.side = random.Below(2) == 0 ? 'w' : 'b';
  const bool at_home = random.Below(3) == 0;
  const int white_king = at_home ? 4 : RandomEmptySquare(board, -1, random);
  board.Cell(white_king) = 'K';
  if (at_home) {
    board.Cell(0) = 'R';
    board.Cell(7) = 'R';
    board.castling = std::vector<std::string>{"KQ", "K", "Q", "-"}[random.Below(4)];
  }
  const int black_king = RandomEmptySquare(board, -1, random);
  board.Cell(black_king) = 'k';
  // Now and then a letter of the other army, seldom one that a FEN may not hold.
  const std::string_view usual = "PPPNBRQssstalhtalh";
  const std::string_view other = "HATLnbrqpS";
  const int count = static_cast<int>(random.Below(random.Below(4) == 0 ? 24 : 9));
  const std::vector<int> places = {-1, -1, white_king, black_king};
  for (int i = 0; i < count; ++i) {
    const int square = RandomEmptySquare(board, places[random.Below(4)], random);
    const uint64_t unusual = random.Below(100);
    const char letter = unusual < 90   ? usual[random.Below(usual.size())]
                        : unusual < 99 ? other[random.Below(other.size() - 2)]
                                       : other[random.Below(other.size())];
    const int rank = square / 8;
    const bool barred = (letter == 'P' && (rank == 0 || rank == 7)) || (letter == 's' && rank == 0);
    if (!barred || random.Below(50) == 0) board.Cell(square) = letter;
  }
  board.halfmove_count = static_cast<uint32_t>(random.Below(104));
  board.fullmove_number = 1 + static_cast<uint32_t>(random.Below(150));
  return board;
}

inline FenBoard ScatteredSerbest(Random& random) {
  FenBoard board = FenBoard::Empty(10, 10, true);
  board.side = random.Below(2) == 0 ? 'w' : 'b';
  int king = -1;
  const uint64_t on_board_of_10 = random.Below(11);
  const bool hands_stay = random.Below(2) == 0;
  for (const std::string_view army : {"KQRRBBNNPPPPPPSS", "kqrrbbnnppppppss"}) {
    for (const char letter : army) {
      const bool royal = letter == 'K' || letter == 'k';
      if (royal ? random.Below(5) > 0 : random.Below(10) < on_board_of_10) {
        const int square = RandomEmptySquare(board, random.Below(2) == 0 ? king : -1, random);
        board.Cell(square) = letter;
        if (royal) king = square;
      } else if (hands_stay || royal || random.Below(4) == 0) {
        board.hand += letter;
      }
    }
  }
  if (random.Below(60) == 0) board.hand += "KQRBNPSkqrbnps"[random.Below(14)];
  board.halfmove_count = static_cast<uint32_t>(random.Below(104));
  board.fullmove_number = 1 + static_cast<uint32_t>(random.Below(150));
  return board;
}

template <class G>
FenBoard Scattered(Random& random) {
  if constexpr (std::is_same_v<G, Khans>) {
    return ScatteredKhans(random);
  } else {
    static_assert(std::is_same_v<G, Serbest>, "say how to scatter this game's pieces");
    return ScatteredSerbest(random);
  }
}

// The FEN with one or two characters replaced, removed, put in or exchanged.
inline std::string SpoiledFen(std::string fen, Random& random) {
  static constexpr std::string_view kAlphabet = "KQRBNPSTALHkqrbnpstalhx0123456789/[]-wb .@+";
  const uint64_t changes = 1 + random.Below(2);
  for (uint64_t i = 0; i < changes && !fen.empty(); ++i) {
    const size_t at = random.Below(fen.size());
    const char letter = kAlphabet[random.Below(kAlphabet.size())];
    switch (random.Below(4)) {
      case 0:
        fen[at] = letter;
        break;
      case 1:
        fen.erase(at, 1);
        break;
      case 2:
        fen.insert(at, 1, letter);
        break;
      default:
        std::swap(fen[at], fen[random.Below(fen.size())]);
    }
  }
  return fen;
}

}  // namespace khanzero
