// SPDX-License-Identifier: GPL-3.0-or-later
//
// A position as letters on a board, to build, scatter, mirror and spoil FENs with. It knows the
// form of a FEN but no rule.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "env/game.h"
#include "env/random.h"

namespace khanzero {

struct FenBoard {
  std::vector<std::string> ranks;  // ranks[0] is rank 1; '.' is an empty square
  std::string hand;
  bool has_hand = false;
  char side = 'w';
  std::string castling = "-";
  uint32_t halfmove_count = 0;
  uint32_t fullmove_number = 1;

  static FenBoard Empty(int files, int rank_count, bool has_hand) {
    FenBoard board;
    board.ranks.assign(static_cast<size_t>(rank_count),
                       std::string(static_cast<size_t>(files), '.'));
    board.has_hand = has_hand;
    return board;
  }

  template <class Position>
  static FenBoard Of(const Position& position) {
    using Spec = typename Position::Spec;
    FenBoard board = Empty(Spec::kFiles, Spec::kRanks, Spec::kHasHands);
    for (int s = 0; s < Position::kSquares; ++s) {
      const auto square = static_cast<Square>(s);
      const PieceType type = position.type_on(square);
      if (type == kNoPiece) continue;
      board.Cell(s) = Spec::kPieces[type].LetterFor(position.color_on(square));
    }
    for (const Color color : {Color::kWhite, Color::kBlack}) {
      for (int t = 0; t < Position::kTypes; ++t) {
        board.hand.append(static_cast<size_t>(position.in_hand(color, t)),
                          Spec::kPieces[static_cast<size_t>(t)].LetterFor(color));
      }
    }
    board.side = position.side_to_move() == Color::kWhite ? 'w' : 'b';
    if (position.castling() != 0) {
      board.castling = (position.castling() & Position::kKingSide) != 0 ? "K" : "";
      if ((position.castling() & Position::kQueenSide) != 0) board.castling += 'Q';
    }
    board.halfmove_count = position.halfmove_clock();
    board.fullmove_number = position.fullmove_number();
    return board;
  }

  int files() const { return static_cast<int>(ranks[0].size()); }
  int squares() const { return files() * static_cast<int>(ranks.size()); }
  // The letter on a square, counted from a1 along the ranks.
  char& Cell(int square) {
    return ranks[static_cast<size_t>(square / files())][static_cast<size_t>(square % files())];
  }

  std::string Fen() const {
    std::string text;
    for (size_t r = ranks.size(); r-- > 0;) {
      int empty = 0;
      const auto flush = [&] {
        if (empty > 0) text += std::to_string(empty);
        empty = 0;
      };
      for (const char letter : ranks[r]) {
        if (letter == '.') {
          ++empty;
        } else {
          flush();
          text += letter;
        }
      }
      flush();
      if (r > 0) text += '/';
    }
    if (has_hand) text += "[" + hand + "]";
    return text + " " + side + " " + castling + " - " + std::to_string(halfmove_count) + " " +
           std::to_string(fullmove_number);
  }

  // Left and right exchanged.
  FenBoard Mirrored() const {
    FenBoard board = *this;
    for (std::string& rank : board.ranks) std::reverse(rank.begin(), rank.end());
    return board;
  }

  // The board turned over and the armies exchanged.
  FenBoard ColorsExchanged() const {
    FenBoard board = *this;
    const auto exchange = [](std::string& text) {
      for (char& c : text) {
        c = static_cast<char>(std::islower(c) ? std::toupper(c) : std::tolower(c));
      }
    };
    std::reverse(board.ranks.begin(), board.ranks.end());
    for (std::string& rank : board.ranks) exchange(rank);
    exchange(board.hand);
    board.side = side == 'w' ? 'b' : 'w';
    return board;
  }
};

}  // namespace khanzero
