// SPDX-License-Identifier: GPL-3.0-or-later
//
// A person at the terminal, with what is typed given beforehand.
#include "play/terminal_play.h"

#include <gtest/gtest.h>

#include <sstream>

#include "env/error.h"
#include "env/khans.h"
#include "env/serbest.h"
#include "play/outcome_text.h"
#include "play/terminal_board.h"

namespace khanzero {
namespace {

std::string PlayedWith(TerminalPlaySettings settings, const std::string& typed) {
  if (settings.opponent.empty()) settings.opponent = "greedy";
  std::istringstream in(typed);
  std::ostringstream out;
  PlayInTerminal(settings, in, out);
  return out.str();
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TerminalPlay, DrawsTheBoardFromBothSides) {
  const std::string text = PlayedWith({.game = "khans"}, "flip\nquit\n");
  EXPECT_TRUE(Has(text,
                  "  8 l h a t k a h l \n"
                  "  7 s s s s s s s s \n"
                  "  6 . . . . . . . . \n"))
      << text;
  EXPECT_TRUE(Has(text,
                  "  7 s s s s s s s s \n"
                  "  8 l h a k t a h l \n"
                  "    h g f e d c b a \n"))
      << text;
}

TEST(TerminalPlay, DrawsRankTenAndHands) {
  const std::string text = PlayedWith({.game = "serbest", .opponent = "random"}, "N@j10\nquit\n");
  EXPECT_TRUE(Has(text,
                  "    a b c d e f g h i j \n"
                  "    White in hand: K Q Rx2 Bx2 Nx2 Px6 Sx2\n"
                  "    Black in hand: k q rx2 bx2 nx2 px6 sx2\n"))
      << text;
  EXPECT_TRUE(Has(text, " 10 . . . . . . . . . N \n")) << text;
  EXPECT_TRUE(Has(text, "White in hand: K Q Rx2 Bx2 N Px6 Sx2\n")) << text;
}

TEST(TerminalPlay, ColourMarksTheLastMoveAndOnlyWhereItIsAskedFor) {
  EXPECT_FALSE(Has(PlayedWith({.game = "khans"}, "e2e4\nquit\n"), "\x1b["));
  const std::string text = PlayedWith({.game = "khans", .color = true}, "e2e4\nquit\n");
  EXPECT_TRUE(Has(text, "\x1b[7m\x1b[1mP\x1b[0m")) << text;
}

TEST(TerminalPlay, CommandsDoWhatHelpSays) {
  const std::string text = PlayedWith(
      {.game = "khans", .opponent = "random"},
      "help\nfen\nNf3\nundo\nundo\nmoves e4\nhint\neval\nnonsense\n e2e9 \n\nresign\ne2e4\nundo\n"
      "fen\nnew 7k/3K4/8/8/8/8/8/8 w - - 0 1\nfen\nnew nonsense\nd7d8\nhint\nnew\nquit\n");
  const std::string start(KhansSpec::kStartFen);
  for (const std::string& part :
       {std::string("give the game up"), start + "\n", std::string("There is no move of yours"),
        std::string("e2e4 (1)\n"), std::string("Perhaps "),
        std::string("only a network evaluates; this is random"),
        std::string("'nonsense' is no move"), std::string("there is no square e9"),
        std::string("The game is over, 0-1. White resigns. Black wins."),
        std::string("The game is over; 'new', 'undo' or 'quit'."),
        std::string("7k/3K4/8/8/8/8/8/8 w - - 0 1\n"), std::string("bad khans FEN"),
        std::string("The game is over, 1-0. Campmate: White's king has reached rank 8. White wins. "
                    "Well played!")}) {
    EXPECT_TRUE(Has(text, part)) << part << "\n" << text;
  }
}

TEST(TerminalPlay, TheOpponentMovesFirstWhereThePersonIsBlack) {
  const std::string text =
      PlayedWith({.game = "khans", .opponent = "random", .side = Color::kBlack}, "quit\n");
  EXPECT_TRUE(Has(text, "random plays ")) << text;
  EXPECT_TRUE(Has(text, "black to move> ")) << text;
}

TEST(TerminalPlay, ManyPlacementsAreCountedOrListedWhenAskedFor) {
  const std::string text = PlayedWith({.game = "serbest"}, "moves\nmoves N@e4\nmoves @a1\nquit\n");
  EXPECT_TRUE(Has(text, "K@... on 70 squares; N@... on 100 squares;")) << text;
  EXPECT_TRUE(Has(text, "(670)\n")) << text;
  EXPECT_TRUE(Has(text, "N@e4 (1)\n")) << text;
}

TEST(TerminalPlay, TheEndOfTheInputLeaves) {
  EXPECT_TRUE(Has(PlayedWith({.game = "khans"}, "e2e4"), "greedy plays "));
  EXPECT_THROW(PlayedWith({.game = "khans", .start_fen = "8/8 w"}, ""), InputError);
  EXPECT_THROW(PlayedWith({.game = "khans", .opponent = "nobody"}, ""), InputError);
}

TEST(OutcomeText, SaysWhoWonAndWhy) {
  EXPECT_EQ(OutcomeText<Khans>({Result::kBlackWins, EndReason::kCheckmate}),
            "Checkmate: White's king is attacked and has no way out. Black wins.");
  EXPECT_EQ(OutcomeText<Khans>({Result::kWhiteWins, EndReason::kStalemate}),
            "Stalemate: Black has no legal move, which loses here. White wins.");
  EXPECT_EQ(OutcomeText<Khans>({Result::kBlackWins, EndReason::kCampmate}),
            "Campmate: Black's king has reached rank 1. Black wins.");
  EXPECT_EQ(OutcomeText<Serbest>({Result::kWhiteWins, EndReason::kKhan}),
            "White's king has reached rank 10 and is Khan. White wins.");
  EXPECT_EQ(OutcomeText<Serbest>({Result::kDraw, EndReason::kFiftyMoves}),
            "Fifty moves of both sides without a capture or a placement: a draw.");
  EXPECT_EQ(OutcomeText<Khans>({Result::kDraw, EndReason::kRepetition}),
            "The same position for the third time: a draw.");
}

}  // namespace
}  // namespace khanzero
