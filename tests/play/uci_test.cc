// SPDX-License-Identifier: GPL-3.0-or-later
//
// The UCI engine, driven line by line with an evaluator that needs no file.
#include "play/uci.h"

#include <gtest/gtest.h>

#include <regex>

#include "play/uci_game.h"
#include "tests/play/uci_fixture.h"

namespace khanzero {
namespace {

using Uci = UciTest;

TEST_F(Uci, ShakesHandsWithoutLoadingANetwork) {
  const std::string text = Say({"setoption name WeightsFile value good", "uci"});
  EXPECT_EQ(loads_, 0);
  for (const char* const part :
       {"id name KhanZero ",
        "option name UCI_Variant type combo default khans var khans var serbest",
        "option name WeightsFile type string", "option name KingsLanding type spin", "uciok\n"}) {
    EXPECT_TRUE(Has(text, part)) << part;
  }
  EXPECT_EQ(Say({"isready"}), "readyok\n");
  EXPECT_EQ(loads_, 1);
  Say({"isready", "ucinewgame", "go nodes 1"});
  EXPECT_EQ(loads_, 1);
}

TEST_F(Uci, AMissingNetworkIsAnErrorAndGoIsAnsweredAllTheSame) {
  std::string text = Say({"isready"});
  EXPECT_TRUE(Has(text, "info string error: no network is given")) << text;
  EXPECT_TRUE(text.ends_with("readyok\n")) << text;
  text = Say({"go nodes 10"});
  EXPECT_TRUE(Has(text, "info string error: no network is given")) << text;
  EXPECT_TRUE(Has(text, "WeightsFile")) << text;
  EXPECT_TRUE(Has(text, "bestmove (none)\n"));
  text = Say({"setoption name WeightsFile value bad", "isready"});
  EXPECT_EQ(text, "info string error: cannot read 'bad'\nreadyok\n");
  EXPECT_TRUE(Has(Say({"go nodes 10"}), "bestmove (none)\n"));
  EXPECT_THROW(engine_.LoadWeights("bad"), InputError);
}

TEST_F(Uci, TakesTheNetworkThatComesWithTheProgramAndSaysSo) {
  std::string asked;
  UciEngine engine(
      out_,
      [&](const std::string& path, const GameInfo& game, int) {
        EXPECT_EQ(path, "models/serbest.safetensors");
        std::vector<std::unique_ptr<Evaluator>> evaluators;
        evaluators.push_back(std::make_unique<UniformEvaluator>(game.shape));
        return evaluators;
      },
      [&](const std::string& game) -> std::optional<std::string> {
        asked = game;
        return game == "serbest" ? std::optional<std::string>("models/serbest.safetensors")
                                 : std::nullopt;
      });
  engine.Execute("isready");
  EXPECT_EQ(asked, "khans");
  EXPECT_TRUE(Has(Take(), "info string error: no network is given"));
  engine.Execute("setoption name UCI_Variant value serbest");
  Take();
  engine.Execute("isready");
  EXPECT_EQ(Take(),
            "info string WeightsFile is empty; the network is models/serbest.safetensors\n"
            "readyok\n");
  engine.Execute("go nodes 10");
  engine.WaitForSearch();
  EXPECT_TRUE(Has(Take(), "bestmove "));
}

TEST_F(Uci, NamesTheVariantWithItsBoard) {
  EXPECT_EQ(Say({"setoption name UCI_Variant value serbest"}),
            "info string variant serbest files 10 ranks 10 pocket 16 template fairy startpos "
            "10/10/10/10/10/10/10/10/10/10[KQRRBBNNPPPPPPSSkqrrbbnnppppppss] w - - 0 1\n");
  EXPECT_TRUE(
      Has(Say({"setoption name uci_variant value khans"}),
          "info string variant khans files 8 ranks 8 pocket 0 template fairy startpos lhat"));
  EXPECT_TRUE(
      Has(Say({"setoption name UCI_Variant value chess"}),
          "info string error: option UCI_Variant is 'chess'; it must be one of: khans, serbest"));
}

TEST_F(Uci, ANetworkIsLoadedAnewForAnotherVariant) {
  LoadGame("khans");
  Say({"isready", "setoption name UCI_Variant value serbest", "isready"});
  EXPECT_EQ(loads_, 2);
}

TEST_F(Uci, PlaysLegalMovesInBothGames) {
  for (const char* const variant : {"khans", "serbest"}) {
    LoadGame(variant);
    const auto check = [&](const std::string& position, const std::string& go) {
      const std::string text = Say({position, go});
      const std::string move = BestMove(text);
      EXPECT_EQ(Take(), "");
      // The engine itself accepts the move in that position.
      const std::string again = Say({position + (Has(position, "moves") ? " " : " moves ") + move});
      EXPECT_EQ(again, "") << text;
    };
    check("position startpos", "go nodes 100");
    check("position startpos", "go nodes 1");
    check("position startpos", "go movetime 60");
    check("position startpos", "go wtime 1000 btime 1000 winc 10 binc 10 movestogo 20");
    check("position startpos", "go depth 2");
  }
  LoadGame("serbest");
  EXPECT_EQ(Say({"position startpos moves P@j10 p@a1"}).find("info string error: move 'p@a1'"), 0U);
  EXPECT_EQ(Say({"position startpos moves P@j10 P@a1 N@e5"}), "");
}

TEST_F(Uci, ReadsSquaresOfRankTen) {
  LoadGame("serbest");
  EXPECT_EQ(Say({"position startpos moves R@a9 P@j10 a9a10"}), "");
  EXPECT_TRUE(Has(Say({"d"}), "Fen: R8p/10/")) << Say({"d"});
}

TEST_F(Uci, ABadPositionIsNamedAndChangesNothing) {
  LoadGame("khans");
  Say({"position startpos moves e2e4"});
  const std::string before = Say({"d"});
  EXPECT_TRUE(Has(before, "lhatkahl/ssssssss/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1")) << before;
  EXPECT_TRUE(Has(Say({"position startpos moves e2e4 e7e5"}),
                  "info string error: move 'e7e5' is not legal in lhatkahl/"));
  EXPECT_TRUE(Has(Say({"position startpos moves e2e4x9"}), "info string error: move 'e2e4x9'"));
  EXPECT_TRUE(Has(Say({"position fen 8/8/8 w - - 0 1"}), "info string error: bad khans FEN"));
  EXPECT_TRUE(Has(Say({"position fen"}), "info string error: "));
  EXPECT_TRUE(Has(Say({"position"}), "info string error: "));
  EXPECT_TRUE(Has(Say({"position startpos e2e4"}), "info string error: "));
  EXPECT_EQ(Say({"d"}), before);
  // A move in the position before it would be no answer.
  const std::string text = Say({"go nodes 5"});
  EXPECT_TRUE(Has(text, "info string error: the last position was refused")) << text;
  EXPECT_TRUE(Has(text, "bestmove (none)\n"));
  EXPECT_FALSE(Has(Say({"position startpos", "go nodes 5"}), "(none)"));
}

TEST_F(Uci, PlaysAWinAtHandAndSaysMate) {
  LoadGame("khans");
  std::string text = Say({"position fen k7/7R/8/8/8/8/8/K5R1 w - - 0 1", "go nodes 3000"});
  EXPECT_TRUE(Has(text, "score mate ")) << text;
  text = Say({"position fen 7k/3K4/8/8/8/8/8/8 w - - 0 1", "go infinite", "stop"});
  EXPECT_TRUE(Has(text, "score mate 1 ")) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("bestmove d7[cde]8\n"))) << text;
  LoadGame("serbest");
  text = Say({"position fen 10/10/10/10/10/10/10/10/3k6/9K[] b - - 0 1", "go nodes 100"});
  EXPECT_TRUE(std::regex_search(text, std::regex("score mate 1 .*\nbestmove d2[cde]1\n"))) << text;
}

TEST_F(Uci, MateScoresHaveTheSignOfTheMover) {
  LoadGame("khans");
  std::string text = Say({"position fen 8/8/8/8/8/8/3k4/7K w - - 0 1", "go nodes 3000"});
  EXPECT_TRUE(Has(text, "score mate -1 ")) << text;
  text = Say({"position fen 8/8/3K4/8/7k/8/8/8 w - - 0 1", "go nodes 3000"});
  EXPECT_TRUE(Has(text, "score mate 2 ")) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("depth 3 .* pv d6[cde]7 \\S+ [b-f]7[a-h]8\n")))
      << text;
}

TEST_F(Uci, APositionWithoutMovesHasNoBestMove) {
  LoadGame("khans");
  EXPECT_EQ(Say({"position fen 3K3k/8/8/8/8/8/8/8 b - - 0 1", "go nodes 10"}),
            "info depth 0 score mate 0\nbestmove (none)\n");
}

TEST_F(Uci, StopEndsAnInfiniteSearch) {
  LoadGame("khans");
  for (const char* const go : {"go infinite", "go", "go ponder wtime 1000 btime 1000"}) {
    EXPECT_TRUE(engine_.Execute(go));
    EXPECT_TRUE(engine_.Execute("isready"));
    EXPECT_EQ(Take().find("bestmove"), std::string::npos);
    EXPECT_TRUE(Has(Say({"stop"}), "bestmove "));
  }
}

TEST_F(Uci, PonderHitStartsTheClock) {
  LoadGame("khans");
  EXPECT_TRUE(engine_.Execute("go ponder movetime 30"));
  EXPECT_TRUE(Has(Say({"ponderhit"}), "bestmove "));
}

// The depth of the last line of a search.
int DepthIn(const std::string& text) {
  int depth = -1;
  const std::regex pattern("info depth ([0-9]+)");
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    depth = std::stoi((*at)[1]);
  }
  return depth;
}

TEST_F(Uci, TheTreeIsKeptWhenTheGameGoesOn) {
  for (const std::string game : {"khans", "serbest"}) {
    LoadGame(game);
    const std::string text = Say({"ucinewgame", "position startpos", "go nodes 3000"});
    std::smatch line;
    ASSERT_TRUE(std::regex_search(text, line, std::regex("bestmove (\\S+) ponder (\\S+)"))) << text;
    const std::string next = "position startpos moves " + line[1].str() + " " + line[2].str();
    // One more node: what it knows beyond that comes from the search before.
    EXPECT_GE(DepthIn(Say({next, "go nodes 1"})), 2) << game;
    // Nothing is known of another game, nor after the memory was changed.
    EXPECT_EQ(DepthIn(Say({"ucinewgame", next, "go nodes 1"})), 1) << game;
    Say({"ucinewgame", "position startpos", "go nodes 3000"});
    EXPECT_EQ(DepthIn(Say({"setoption name Hash value 64", next, "go nodes 1"})), 1) << game;
    Say({"ucinewgame", "position startpos", "go nodes 3000"});
    EXPECT_EQ(DepthIn(Say({"setoption name WeightsFile value good", next, "go nodes 1"})), 1);
  }
}

// Through whole games, with the opponent answering as expected and otherwise.
TEST_F(Uci, PlaysOnWithTheTreeItHas) {
  for (const std::string game : {"khans", "serbest"}) {
    LoadGame(game);
    Say({"ucinewgame", "setoption name Threads value 2"});
    std::string moves;
    for (int ply = 0; ply < 60; ++ply) {
      const std::string text = Say({"position startpos" + (moves.empty() ? "" : " moves" + moves),
                                    "go nodes " + std::to_string(ply % 3 == 0 ? 5 : 300)});
      ASSERT_FALSE(Has(text, "error")) << text;
      const std::string move = BestMove(text);
      if (move == "(none)") break;
      moves += " " + move;
    }
  }
}

TEST_F(Uci, ThreadsSearchTheSameTree) {
  LoadGame("khans");
  for (const char* const threads : {"4", "1", "2"}) {
    const std::string text = Say({std::string("setoption name Threads value ") + threads,
                                  "ucinewgame", "position startpos", "go nodes 500"});
    EXPECT_TRUE(Has(text, " nodes 500 ")) << text;
    EXPECT_TRUE(Has(text, "bestmove ")) << text;
  }
  EXPECT_TRUE(Has(Say({"setoption name Threads value 0"}), "it must be from 1 to 256"));
}

TEST_F(Uci, TheTreeKeepsWithinHash) {
  LoadGame("serbest");
  const std::string text =
      Say({"setoption name Hash value 4", "ucinewgame", "position startpos", "go nodes 1000000"});
  EXPECT_TRUE(Has(text, "the size that Hash allows")) << text;
  EXPECT_TRUE(Has(text, "hashfull 1000")) << text;
  EXPECT_TRUE(Has(text, "bestmove "));
}

TEST_F(Uci, ASecondGoIsRefusedWhileOneRuns) {
  LoadGame("khans");
  EXPECT_TRUE(engine_.Execute("go infinite"));
  EXPECT_TRUE(engine_.Execute("go nodes 10"));
  EXPECT_TRUE(Has(Say({"stop"}), "info string error: a search is running"));
}

TEST_F(Uci, GoMateEndsWhenAWinIsProven) {
  LoadGame("khans");
  const std::string text = Say({"position fen k7/7R/8/8/8/8/8/K5R1 w - - 0 1", "go mate 3"});
  EXPECT_TRUE(Has(text, "score mate ")) << text;
  EXPECT_TRUE(Has(text, "bestmove ")) << text;
}

TEST_F(Uci, PerftCounts) {
  EXPECT_TRUE(Has(Say({"go perft 1"}), "e2e4: 1\n"));
  EXPECT_TRUE(Has(Say({"setoption name UCI_Variant value serbest", "go perft 1"}),
                  "\nNodes searched: 670\n"));
}

TEST_F(Uci, ShowsSeveralLinesAndChances) {
  LoadGame("khans");
  const std::string text = Say(
      {"setoption name MultiPV value 3", "setoption name UCI_ShowWDL value true", "go nodes 200"});
  EXPECT_TRUE(Has(text, " multipv 3 score cp 0 wdl 0 1000 0 nodes 200 nps ")) << text;
  EXPECT_FALSE(Has(text, " multipv 4 "));
}

TEST_F(Uci, AnswersWithOneOfTheSearchMoves) {
  LoadGame("khans");
  EXPECT_EQ(BestMove(Say({"position startpos", "go nodes 50 searchmoves a2a3"})), "a2a3");
  EXPECT_EQ(BestMove(Say({"go searchmoves h2h4 nodes 50"})), "h2h4");
  EXPECT_TRUE(Has(Say({"go nodes 10 searchmoves a2a5"}), "'a2a5' is no legal move"));
}

TEST_F(Uci, SearchesTheSearchMovesAlone) {
  LoadGame("khans");
  // All looks are at the two moves, so each line is long.
  const std::string text = Say({"setoption name MultiPV value 5", "position startpos",
                                "go nodes 400 searchmoves a2a3 h2h4 a2a3"});
  EXPECT_TRUE(Has(text, " multipv 2 ")) << text;
  EXPECT_FALSE(Has(text, " multipv 3 ")) << text;
  EXPECT_FALSE(Has(text, "info depth 1 ")) << text;
  // A win is there, but not by these moves; and the next search knows all moves again.
  const std::string win = "position fen 8/4K3/8/8/8/8/7k/8 w - - 20 70";
  const std::string other = Say({win, "go nodes 50 searchmoves e7e6 e7d6"});
  EXPECT_FALSE(Has(other, "score mate 1 ")) << other;
  EXPECT_TRUE(BestMove(other) == "e7e6" || BestMove(other) == "e7d6") << other;
  EXPECT_TRUE(Has(Say({"go nodes 50"}), "score mate 1 "));
}

TEST_F(Uci, KingsLandingIsKept) {
  LoadGame("serbest");
  EXPECT_TRUE(Has(Say({"position startpos moves K@e8"}), "is not legal"));
  EXPECT_EQ(Say({"setoption name KingsLanding value 8", "position startpos moves K@e8"}), "");
}

TEST_F(Uci, AFailingNetworkStillGivesABestMove) {
  class Failing : public UniformEvaluator {
   public:
    using UniformEvaluator::UniformEvaluator;
    void Evaluate(EvaluationBatch&) override { throw RuntimeFailure("the device is lost"); }
  };
  UciEngine engine(out_, [](const std::string&, const GameInfo& game, int threads) {
    std::vector<std::unique_ptr<Evaluator>> evaluators;
    for (int i = 0; i < threads; ++i) evaluators.push_back(std::make_unique<Failing>(game.shape));
    return evaluators;
  });
  engine.Execute("setoption name WeightsFile value any");
  for (const char* const threads : {"1", "3"}) {
    engine.Execute(std::string("setoption name Threads value ") + threads);
    engine.Execute("go nodes 10");
    engine.WaitForSearch();
    EXPECT_EQ(Take(), "info string error: the device is lost\nbestmove (none)\n");
  }
}

TEST(UciTime, SharesTheClock) {
  UciLimits limits;
  EXPECT_FALSE(ThinkTimeMs(limits, 50, Color::kWhite));
  limits.movetime_ms = 1000;
  EXPECT_EQ(ThinkTimeMs(limits, 50, Color::kWhite), 950);
  limits.movetime_ms.reset();
  limits.white_time_ms = 60000;
  limits.black_time_ms = 100;
  EXPECT_EQ(ThinkTimeMs(limits, 50, Color::kWhite), 1950);
  EXPECT_EQ(ThinkTimeMs(limits, 50, Color::kBlack), 1);
  limits.black_increment_ms = 1000;
  EXPECT_EQ(ThinkTimeMs(limits, 50, Color::kBlack), 30);  // 80 % of the clock at most
}

TEST(UciScore, CentipawnsGrowWithTheValue) {
  EXPECT_EQ(CentipawnsFromValue(0.0), 0);
  EXPECT_EQ(CentipawnsFromValue(0.52), 100);
  EXPECT_EQ(CentipawnsFromValue(-0.52), -100);
  EXPECT_GT(CentipawnsFromValue(1.0), 1000);
}

}  // namespace
}  // namespace khanzero
