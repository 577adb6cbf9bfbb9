// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/player_spec.h"

#include <gtest/gtest.h>

#include <fstream>

#include "env/error.h"

namespace khanzero {
namespace {

TEST(PlayerSpec, ReadsEveryForm) {
  EXPECT_EQ(ParsePlayerSpec("random").kind, PlayerKind::kRandom);
  EXPECT_EQ(ParsePlayerSpec("greedy").kind, PlayerKind::kGreedy);
  const PlayerSpec alpha_beta = ParsePlayerSpec("alphabeta:3");
  EXPECT_EQ(alpha_beta.kind, PlayerKind::kAlphaBeta);
  EXPECT_EQ(alpha_beta.depth, 3);
  const PlayerSpec checkpoint = ParsePlayerSpec("checkpoint:a/b:c");
  EXPECT_EQ(checkpoint.kind, PlayerKind::kCheckpoint);
  EXPECT_EQ(checkpoint.checkpoint, "a/b:c");
  EXPECT_EQ(checkpoint.name, "checkpoint:a/b:c");
}

TEST(PlayerSpec, ABadOneListsTheForms) {
  for (const char* const text :
       {"", "rnd", "random:1", "alphabeta", "alphabeta:", "alphabeta:0", "alphabeta:2x",
        "alphabeta:99", "checkpoint:", "checkpoint", "latest:", "Greedy"}) {
    try {
      ParsePlayerSpec(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("alphabeta:DEPTH, checkpoint:PATH"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(PlayerSpec, LatestFollowsTheRunsPointer) {
  const std::filesystem::path run = std::filesystem::path(testing::TempDir()) / "player_spec_run";
  std::filesystem::create_directories(run);
  std::filesystem::remove(run / "latest");
  EXPECT_THROW(ParsePlayerSpec("latest:" + run.string()), InputError);
  std::ofstream(run / "latest") << "step_000120\n";
  EXPECT_EQ(ParsePlayerSpec("latest:" + run.string()).checkpoint,
            run / "checkpoints" / "step_000120");
  std::ofstream(run / "latest") << "../elsewhere\n";
  EXPECT_THROW(LatestCheckpoint(run), InputError);
}

}  // namespace
}  // namespace khanzero
