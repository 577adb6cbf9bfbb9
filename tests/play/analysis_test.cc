// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/analysis.h"

#include <gtest/gtest.h>

#include "env/khans.h"
#include "env/serbest.h"

namespace khanzero {
namespace {

template <Game G>
std::vector<AnalysisLine> Analyse(const std::string& fen, int64_t nodes, int lines) {
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  evaluators.push_back(std::make_unique<UniformEvaluator>(InfoOf<G>().shape));
  Analyst<G> analyst(std::move(evaluators));
  const GameState<G> game(G::Position::FromFen(fen));
  return BestLines(analyst.Run(game, {.nodes = nodes}), lines);
}

TEST(Analysis, AMateIsSaidWithItsLine) {
  const auto lines = Analyse<Khans>("8/8/3K4/8/7k/8/8/8 w - - 0 1", 2000, 1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].mate, 2);
  EXPECT_EQ(lines[0].moves.size(), 3U);
  EXPECT_EQ(lines[0].wdl.win, 1.0F);
  const auto lost = Analyse<Khans>("8/8/8/8/8/8/3k4/7K w - - 0 1", 2000, 1);
  EXPECT_EQ(lost[0].mate, -1);
  EXPECT_EQ(lost[0].wdl.loss, 1.0F);
}

TEST(Analysis, LinesAreTheBestMovesAndDiffer) {
  for (const int64_t nodes : {1, 300}) {
    const auto lines = Analyse<Serbest>(std::string(SerbestSpec::kStartFen), nodes, 5);
    ASSERT_EQ(lines.size(), nodes == 1 ? 1U : 5U);
    for (size_t i = 0; i < lines.size(); ++i) {
      ASSERT_FALSE(lines[i].moves.empty());
      EXPECT_EQ(lines[i].moves[0], lines[i].move);
      EXPECT_NEAR(lines[i].wdl.win + lines[i].wdl.draw + lines[i].wdl.loss, 1.0F, 1e-5F);
      for (size_t j = 0; j < i; ++j) EXPECT_NE(lines[i].move, lines[j].move);
    }
  }
}

TEST(Analysis, ThousandthsSumToAThousand) {
  for (int win = 0; win <= 100; ++win) {
    for (int draw = 0; draw <= 100 - win; ++draw) {
      const Wdl wdl{.win = static_cast<float>(win) / 100.0F + 0.0004F,
                    .draw = static_cast<float>(draw) / 100.0F,
                    .loss = static_cast<float>(100 - win - draw) / 100.0F};
      const std::array<int, 3> parts = InThousand(wdl);
      EXPECT_EQ(parts[0] + parts[1] + parts[2], 1000);
      for (const int part : parts) EXPECT_GE(part, 0);
    }
  }
}

}  // namespace
}  // namespace khanzero
