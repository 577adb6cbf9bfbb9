// SPDX-License-Identifier: GPL-3.0-or-later
//
// Moves and positions as text: squares of one and two digits, malformed and illegal moves told
// apart, and FEN faults named with their place.
#include <gtest/gtest.h>

#include "env/games.h"
#include "tests/env/position_text.h"

namespace khanzero {
namespace {

// The message of the InputError that `action` throws; empty when it throws none.
template <class Action>
std::string MessageOf(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

template <class G>
std::string MoveMessage(std::string_view fen, std::string_view move) {
  return MessageOf([&] { G::TextToMove(At<G>(fen), move); });
}

void ExpectHas(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
}

const std::string kKhansStart(Khans::Spec::kStartFen);
const std::string kSerbestStart(Serbest::Spec::kStartFen);

// --- Moves -----------------------------------------------------------------------------------

TEST(Notation, SquaresHaveALetterAndOneOrTwoDigits) {
  using Geo = Serbest::Position::Geo;
  EXPECT_EQ(SquareName<Geo>(0), "a1");
  EXPECT_EQ(SquareName<Geo>(9), "j1");
  EXPECT_EQ(SquareName<Geo>(90), "a10");
  EXPECT_EQ(SquareName<Geo>(99), "j10");
}

TEST(Notation, SquaresOfTwoDigitsAreRead) {
  const auto position = At<Serbest>("10/R9/10/10/10/10/10/10/10/10[PKpk] w - - 0 1");
  for (const char* const text : {"a9a10", "a9a1", "a9j9", "P@j10", "P@a1", "P@a10"}) {
    const Move move = Serbest::TextToMove(position, text);
    EXPECT_EQ(Serbest::MoveToText(move), text);
  }
  const Move up = Serbest::TextToMove(position, "a9a10");
  EXPECT_EQ(up.from, 80);
  EXPECT_EQ(up.to, 90);
  const Move placed = Serbest::TextToMove(position, "P@j10");
  EXPECT_EQ(placed.kind, MoveKind::kPlacement);
  EXPECT_EQ(placed.to, 99);
  EXPECT_EQ(placed.from, placed.to);
}

TEST(Notation, PlacementsOfBlackAreCapitalToo) {
  const auto position = At<Serbest>("10/10/10/10/10/10/10/10/10/10[p] b - - 0 1");
  EXPECT_EQ(Serbest::MoveToText(Serbest::TextToMove(position, "P@j10")), "P@j10");
  ExpectHas(MessageOf([&] { Serbest::TextToMove(position, "p@j10"); }), "malformed");
}

TEST(Notation, MalformedMovesAreCalledMalformed) {
  for (const char* const text :
       {"",      "e",     "e2",  "e2e", "e2e9", "i2e4",  "e0e4",  "e2e4qq", "E2E4", " e2e4",
        "e2e4 ", "e2-e4", "@e4", "P@",  "P@e9", "P@e44", "e02e4", "0000",   "O-O",  "\xff\xfe"}) {
    ExpectHas(MoveMessage<Khans>(kKhansStart, text), "malformed");
  }
  for (const char* const text : {"P@e11", "P@k1", "P@e", "a11a1", "a1a100", "PP@e4", "a10"}) {
    ExpectHas(MoveMessage<Serbest>(kSerbestStart, text), "malformed");
  }
}

TEST(Notation, WellFormedMovesThatAreNotLegalAreCalledSo) {
  for (const char* const text : {"e2e5", "e1g1", "a7a6", "e2e4q", "P@e4"}) {
    const std::string message = MoveMessage<Khans>(kKhansStart, text);
    ExpectHas(message, "not legal");
    ExpectHas(message, text);
    ExpectHas(message, kKhansStart);
  }
  for (const char* const text : {"a1a2", "K@a8", "T@e5", "a9a10"}) {
    ExpectHas(MoveMessage<Serbest>(kSerbestStart, text), "not legal");
  }
}

TEST(Notation, APromotionNeedsItsLetter) {
  const std::string fen = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
  ExpectHas(MoveMessage<Khans>(fen, "a7a8"), "not legal");
  ExpectHas(MoveMessage<Khans>(fen, "a7a8k"), "not legal");
  ExpectHas(MoveMessage<Khans>(fen, "a7a8Q"), "malformed");
  EXPECT_EQ(MoveMessage<Khans>(fen, "a7a8n"), "");
}

// --- FEN -------------------------------------------------------------------------------------

struct BadFen {
  std::string fen;
  std::vector<std::string> parts;  // what the message must say
};

template <class G>
void ExpectRefused(const BadFen& bad) {
  const std::string message = MessageOf([&] { At<G>(bad.fen); });
  ASSERT_NE(message, "") << "accepted: " << bad.fen;
  ExpectHas(message, std::string(G::kName));
  for (const std::string& part : bad.parts) ExpectHas(message, part);
}

TEST(Fen, FaultsOfKhansAreNamedWithTheirPlace) {
  const std::vector<BadFen> faults = {
      {"", {"missing"}},
      {"4k3/8/8/8/8/8/8/4K3", {"side to move", "missing", "1 of 6"}},
      {"4k3/8/8/8/8/8/8/4K3 w", {"castling", "missing"}},
      {"4k3/8/8/8/8/8/8/4K3 w -", {"en passant", "missing"}},
      {"4k3/8/8/8/8/8/8/4K3 w - -", {"half-move", "missing"}},
      {"4k3/8/8/8/8/8/8/4K3 w - - 0", {"full-move", "missing"}},
      {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 x", {"'x'", "too many"}},
      {"4k3/8/8/8/8/8/8/4K3  w - - 0 1", {"7 fields"}},
      {"4k3/8/8/8/8/8/4K3 w - - 0 1", {"7 ranks"}},
      {"4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", {"more than 8 ranks"}},
      {"4k3/8/7/8/8/8/8/4K3 w - - 0 1", {"rank 6", "7 squares"}},
      {"4k3/8/8/8/sssssssss/8/8/4K3 w - - 0 1", {"rank 4", "more than 8"}},
      {"4k3/44/8/8/8/8/8/4K3 w - - 0 1", {"rank 7", "'44'"}},
      {"4k3/8/8/9/8/8/8/4K3 w - - 0 1", {"rank 5", "'9'"}},
      {"4k3/8/8/0/8/8/8/4K3 w - - 0 1", {"rank 5", "'0'"}},
      {"4k3/8/8/8/8/8/1x6/4K3 w - - 0 1", {"rank 2", "'x'"}},
      {"4k3/8/8/8/3p4/8/8/4K3 w - - 0 1", {"rank 4", "'p'", "black"}},
      {"4k3/8/8/8/3S4/8/8/4K3 w - - 0 1", {"rank 4", "'S'", "white"}},
      {"4k3/8/8/8/8/8/8/4K2P w - - 0 1", {"'P'", "h1"}},
      {"P3k3/8/8/8/8/8/8/4K3 w - - 0 1", {"'P'", "a8"}},
      {"4k3/8/8/8/8/8/8/s3K3 w - - 0 1", {"'s'", "a1"}},
      {"8/8/8/8/8/8/8/4K3 w - - 0 1", {"black", "0 kings"}},
      {"4k3/8/8/8/8/8/8/3KK3 w - - 0 1", {"white", "2 kings"}},
      {"4k3/8/8/8/8/8/8/4K3 W - - 0 1", {"side to move", "'W'"}},
      {"4k3/8/8/8/8/8/8/R3K2R w QK - 0 1", {"castling", "'QK'"}},
      {"4k3/8/8/8/8/8/8/R3K2R w k - 0 1", {"castling", "'k'"}},
      {"4k3/8/8/8/8/8/8/R3K3 w K - 0 1", {"castling", "'K'", "h1"}},
      {"4k3/8/8/8/8/8/8/4K2R w Q - 0 1", {"castling", "'Q'", "a1"}},
      {"4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", {"castling", "e1"}},
      {"4k3/8/8/8/8/8/8/4K3 w - e3 0 1", {"en passant", "e3"}},
      {"4k3/8/8/8/8/8/8/4K3 w - - x 1", {"half-move", "'x'"}},
      {"4k3/8/8/8/8/8/8/4K3 w - - -1 1", {"half-move", "'-1'"}},
      {"4k3/8/8/8/8/8/8/4K3 w - - 0.5 1", {"half-move", "'0.5'"}},
      {"4k3/8/8/8/8/8/8/4K3 w - - 0 0", {"full-move", "at least 1"}},
      {"4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999999999999", {"full-move", "too large"}},
      {"4k3/8/8/8/8/8/8/4K2r b - - 0 1", {"not to move is in check", "e1"}},
      {"4K3/8/8/8/k7/8/8/8 w - - 0 1", {"last rank", "e8"}},
      {"8/8/8/K7/8/8/8/4k3 b - - 0 1", {"last rank", "e1"}},
  };
  for (const BadFen& fault : faults) ExpectRefused<Khans>(fault);
}

TEST(Fen, FaultsOfSerbestAreNamedWithTheirPlace) {
  const std::string empty = "10/10/10/10/10/10/10/10/10/10";
  const std::string rest = " w - - 0 1";
  const std::vector<BadFen> faults = {
      {empty + rest, {"hand", "missing"}},
      {empty + "[Kk" + rest, {"hand", "']'"}},
      {empty + "[Kk]x" + rest, {"hand", "']'"}},
      {empty + "[Kx]" + rest, {"'x'", "hand"}},
      {empty + "[KK]" + rest, {"white", "2 'K'", "at most 1"}},
      {empty + "[ppppppp]" + rest, {"black", "7 'p'", "at most 6"}},
      {empty + "[" + std::string(300, 'p') + "]" + rest, {"black", "more than 15 'p'", "hand"}},
      {"10/10/10/10/Q9/10/10/10/10/10[Q]" + rest, {"white", "2 'Q'"}},
      {"10/10/10/10/sss7/10/10/10/10/10[]" + rest, {"black", "3 's'", "at most 2"}},
      {"10/10/10/10/55/10/10/10/10/10[]" + rest, {"rank 6", "'55'"}},
      {"10/10/10/10/11/10/10/10/10/10[]" + rest, {"rank 6", "'11'"}},
      {"10/10/10/10/01K8/10/10/10/10/10[]" + rest, {"rank 6", "'01'"}},
      {"10/10/10/10/T9/10/10/10/10/10[]" + rest, {"rank 6", "'T'"}},
      {"10/10/10/10/10/10/10/10/10[]" + rest, {"9 ranks"}},
      {empty + "[] w K - 0 1", {"castling", "'K'"}},
      {"4k5/10/10/10/10/10/10/10/10/4R5[]" + rest, {"not to move is in check", "e10"}},
      {"4K5/10/10/10/10/10/10/10/10/10[]" + rest, {"last rank", "e10"}},
  };
  for (const BadFen& fault : faults) ExpectRefused<Serbest>(fault);
}

TEST(Fen, AHandIsReadInAnyOrderAndWrittenInOne) {
  const std::string empty = "10/10/10/10/10/10/10/10/10/10";
  EXPECT_EQ(At<Serbest>(empty + "[sPkpSNbKqRrBQn] w - - 0 1").Fen(),
            empty + "[KQRBNPSkqrbnps] w - - 0 1");
  EXPECT_EQ(At<Serbest>(empty + "[] w - - 0 1").Fen(), empty + "[] w - - 0 1");
  EXPECT_EQ(At<Serbest>(empty + "[-] w - - 0 1").Fen(), empty + "[] w - - 0 1");
}

TEST(Fen, CountsAreKept) {
  const std::string fen = "4k3/8/8/8/8/8/8/R3K2R b KQ - 137 4321";
  EXPECT_EQ(At<Khans>(fen).Fen(), fen);
  EXPECT_EQ(At<Khans>(fen).halfmove_clock(), 137U);
  EXPECT_EQ(At<Khans>(fen).fullmove_number(), 4321U);
}

TEST(Fen, AMessageShowsAtMostTheStartOfALongText) {
  const std::string message = MessageOf([] { At<Khans>(std::string(100000, 'x')); });
  EXPECT_NE(message, "");
  EXPECT_LT(message.size(), 1000U);
}

}  // namespace
}  // namespace khanzero
