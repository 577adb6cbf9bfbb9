// SPDX-License-Identifier: GPL-3.0-or-later
//
// The naive rules engine's own board: what a position holds, and the few questions about it that
// both games share. See naive_rules.h for why this engine is deliberately naive, and use it only
// through that header; this one is its inside.

#ifndef KHANZERO_TESTS_NAIVE_NAIVE_POSITION_H_
#define KHANZERO_TESTS_NAIVE_NAIVE_POSITION_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace khanzero::naive {

enum class Variant { kKhans, kSerbest };

// file 0 is file a, rank 0 is rank 1.
struct Square {
  int file = 0;
  int rank = 0;
  bool operator==(const Square&) const = default;
};

inline constexpr char kEmpty = '.';
inline constexpr int kMaxSize = 10;

// The hand of both sides is one string of FEN letters, always in this order.
inline constexpr char kHandOrder[] = "KQRBNPSkqrbnps";

// A plain mailbox. Pieces are their FEN letters, White's in capitals. Khan's Chess uses the corner
// of the board that lies in files 0-7 and ranks 0-7.
struct Position {
  Variant variant = Variant::kKhans;
  int size = 8;                                              // files, and ranks, of the board
  int kings_landing = 7;                                     // serbest only
  std::array<std::array<char, kMaxSize>, kMaxSize> board{};  // [rank][file]
  std::string hand;  // serbest only; "KQRRBB...", in the order of kHandOrder
  bool white_to_move = true;
  bool castle_king_side = false;   // White's right with the rook on h1; khans only
  bool castle_queen_side = false;  // White's right with the rook on a1; khans only
  int halfmove_count = 0;
  int fullmove_number = 1;

  char At(Square square) const { return board[square.rank][square.file]; }
  void Set(Square square, char piece) { board[square.rank][square.file] = piece; }
};

struct Move {
  Square from{};  // of no meaning in a placement
  Square to{};
  char placed = 0;     // capital letter of the kind placed, 0 in a move
  char promotion = 0;  // small letter of the kind promoted to, 0 without promotion
};

// --- Letters ---------------------------------------------------------------------------------

bool IsWhite(char piece);
// The piece's kind: its letter made small.
char Kind(char piece);
// The letter of a piece of this kind and side.
char PieceOf(char kind, bool white);
bool BelongsTo(char piece, bool white);  // false for an empty square

// --- Squares ---------------------------------------------------------------------------------

// All squares of the board, a1 first.
std::vector<Square> AllSquares(const Position& position);
// 1 for the rank nearest to the side, the board's height for its last rank.
int OwnRank(const Position& position, Square square, bool white);
// How many ranks `to` lies ahead of `from`, seen by the side; negative when behind.
int RanksAhead(Square from, Square to, bool white);
bool IsKingStep(Square from, Square to);
bool IsKnightJump(Square from, Square to);
// The two squares are different, on one rank or file (or one diagonal), and all between is empty.
bool IsClearRookLine(const Position& position, Square from, Square to);
bool IsClearBishopLine(const Position& position, Square from, Square to);

// --- Attacks ---------------------------------------------------------------------------------

// True if the piece on `from` could capture an enemy that stood on `to`, not minding its own king.
bool Attacks(const Position& position, Square from, Square to);
bool IsAttacked(const Position& position, Square square, bool by_white);
std::optional<Square> FindKing(const Position& position, bool white);
// False when the side's king is not on the board.
bool IsKingAttacked(const Position& position, bool white);
bool IsKingOnLastRank(const Position& position, bool white);

// --- What each game must answer (naive_khans.cc, naive_serbest.cc) ---------------------------

// The piece on `from` may go to the empty square `to`, own king and castling aside.
bool KhansMovesQuietly(const Position& position, Square from, Square to);
bool SerbestMovesQuietly(const Position& position, Square from, Square to);
// The piece on `from` captures on `to`, if an enemy stands there.
bool KhansCaptures(const Position& position, Square from, Square to);
bool SerbestCaptures(const Position& position, Square from, Square to);
// All legal moves, in no particular order, of a position that is not yet won.
std::vector<Move> KhansLegalMoves(const Position& position);
std::vector<Move> SerbestLegalMoves(const Position& position);
// The position after a legal move, but for the side to move and the full-move number.
Position KhansAfter(const Position& position, const Move& move);
Position SerbestAfter(const Position& position, const Move& move);

// --- FEN (naive_fen.cc) ----------------------------------------------------------------------

// Throws std::invalid_argument saying what is wrong and where.
Position ParseFen(Variant variant, const std::string& fen, int kings_landing);
std::string FormatFen(const Position& position);
// The FEN without its two counts: what must be equal for a repetition.
std::string RepetitionKey(const Position& position);
std::string SquareName(Square square);

}  // namespace khanzero::naive

#endif  // KHANZERO_TESTS_NAIVE_NAIVE_POSITION_H_
