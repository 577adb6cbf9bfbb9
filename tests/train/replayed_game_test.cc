// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/replayed_game.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "env/error.h"
#include "env/history.h"
#include "tests/train/sample_games.h"
#include "train/move_ranks.h"

namespace khanzero {
namespace {

template <class G>
class Replaying : public testing::Test {
 protected:
  static std::vector<GameRecord> Play(int64_t count) {
    return PlayGames(SmallConfig(std::string(G::kName)), count);
  }
  static std::unique_ptr<Replayer> Make() { return MakeReplayer(std::string(G::kName)); }
};
template <class>
struct TestTypes;
template <class... G>
struct TestTypes<std::tuple<G...>> {
  using Type = testing::Types<G...>;
};
TYPED_TEST_SUITE(Replaying, TestTypes<Games>::Type);

TYPED_TEST(Replaying, PlanesEqualThoseOfPlay) {
  using G = TypeParam;
  const auto replayer = this->Make();
  for (const GameRecord& record : this->Play(8)) {
    const ReplayedGame game = replayer->Replay(record);
    GameState<G> state(G::Position::Start(record.settings));
    size_t sample = 0;
    for (size_t ply = 0; ply < record.move_ranks.size(); ++ply) {
      const MoveRanks<G> ranks(state.position());
      if (sample < game.samples.size() && game.samples[sample].ply == ply) {
        std::vector<float> played(static_cast<size_t>(G::kInputPlanes) * G::kSquares);
        std::vector<float> rebuilt(played.size());
        G::Encode(state.position(), played);
        TrainingSample built;
        replayer->Build(game, sample, Mirror::kNo, rebuilt, built);
        EXPECT_EQ(played, rebuilt);
        ASSERT_EQ(built.legal_indices.size(), ranks.size());
        for (size_t i = 0; i < ranks.size(); ++i) {
          EXPECT_EQ(built.legal_indices[i], ranks[i].policy_index);
        }
        ++sample;
      }
      state.Play(ranks[record.move_ranks[ply]].move);
    }
    EXPECT_EQ(sample, game.samples.size());
  }
}

TYPED_TEST(Replaying, TargetsAreFiniteAndSumToOne) {
  const auto replayer = this->Make();
  std::vector<float> planes(static_cast<size_t>(replayer->info().shape.input_size()));
  for (const GameRecord& record : this->Play(8)) {
    const ReplayedGame game = replayer->Replay(record);
    for (size_t i = 0; i < game.samples.size(); ++i) {
      for (const Mirror mirror : {Mirror::kNo, Mirror::kYes}) {
        TrainingSample sample;
        replayer->Build(game, i, mirror, planes, sample);
        EXPECT_NEAR(std::accumulate(sample.policy.begin(), sample.policy.end(), 0.0), 1.0, 1e-5);
        for (const float p : sample.policy) EXPECT_GE(p, 0.0F);
        EXPECT_NEAR(sample.root.win + sample.root.draw + sample.root.loss, 1.0, 1e-5);
        for (const float plane : planes) EXPECT_TRUE(plane >= 0.0F && plane <= 1.0F);
        const std::set<uint16_t> unique(sample.legal_indices.begin(), sample.legal_indices.end());
        EXPECT_EQ(unique.size(), sample.legal_indices.size());
      }
    }
  }
}

// The result is absolute in the record and the mover's in the sample.
TYPED_TEST(Replaying, ResultIsSeenByTheMover) {
  const auto replayer = this->Make();
  std::vector<float> planes(static_cast<size_t>(replayer->info().shape.input_size()));
  int decided = 0;
  for (const GameRecord& record : this->Play(40)) {
    if (record.outcome.result == Result::kDraw) continue;
    ++decided;
    const ReplayedGame game = replayer->Replay(record);
    for (size_t i = 0; i < game.samples.size(); ++i) {
      TrainingSample sample;
      replayer->Build(game, i, Mirror::kNo, planes, sample);
      const bool white_to_move = game.samples[i].ply % 2 == 0;
      const bool white_won = record.outcome.result == Result::kWhiteWins;
      EXPECT_EQ(sample.result.win, white_to_move == white_won ? 1.0F : 0.0F);
      EXPECT_EQ(sample.result.loss, white_to_move == white_won ? 0.0F : 1.0F);
    }
    // The winner made the last move, and its search saw the win.
    const SampleRecord& last = record.samples.back();
    EXPECT_EQ(last.root_win, 255) << "number " << record.number;
  }
  EXPECT_GT(decided, 0);
}

TYPED_TEST(Replaying, AChangedGameIsRefused) {
  const auto replayer = this->Make();
  const std::vector<GameRecord> games = this->Play(20);
  const auto refused = [&](GameRecord record, const std::string& what) {
    try {
      replayer->Replay(record);
      ADD_FAILURE() << "accepted: " << what;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  };
  GameRecord record = games.front();
  record.move_ranks[2] = 60000;
  refused(record, "illegal move at ply 2");

  record = games.front();
  record.rules_version = 99;
  refused(record, "rules version 99");

  record = games.front();
  record.game = "chess";
  refused(record, "'chess'");

  record = games.front();
  record.samples.front().target.back().rank = 50000;
  refused(record, "a target on an illegal move");

  record = games.front();
  record.outcome = {
      record.outcome.result == Result::kWhiteWins ? Result::kBlackWins : Result::kWhiteWins,
      EndReason::kCheckmate};
  refused(record, "its end is given as");

  for (GameRecord ended : games) {
    if (ended.outcome.reason == EndReason::kPlyCap) continue;
    ended.move_ranks.push_back(0);
    refused(ended, "it goes on after its end");
    return;
  }
  FAIL() << "no game of the sample ended by the rules";
}

// Left and right exchanged: the legal moves of the mirrored position, and back again.
TYPED_TEST(Replaying, MirroringTwiceIsNothing) {
  using G = TypeParam;
  for (int index = 0; index < G::kPolicySize; ++index) {
    const auto i = static_cast<uint16_t>(index);
    EXPECT_EQ(G::MirroredPolicyIndex(G::MirroredPolicyIndex(i)), i);
  }
}

// The FEN with each rank turned around.
std::string MirroredFen(const std::string& fen) {
  const size_t end = std::min(fen.find('['), fen.find(' '));
  std::string out;
  std::string rank;
  for (size_t i = 0; i <= end; ++i) {
    if (i < end && fen[i] != '/') {
      rank += fen[i];
      continue;
    }
    std::string turned;
    for (size_t at = rank.size(); at-- > 0;) {
      if (rank[at] == '0') {
        turned += "10";
        --at;
      } else {
        turned += rank[at];
      }
    }
    out += turned + (i < end ? "/" : "");
    rank.clear();
  }
  return out + fen.substr(end);
}

TYPED_TEST(Replaying, MirroredSampleIsThatOfTheMirroredPosition) {
  using G = TypeParam;
  const auto replayer = this->Make();
  const auto size = static_cast<size_t>(replayer->info().shape.input_size());
  int mirrored_samples = 0;
  for (const GameRecord& record : this->Play(12)) {
    const ReplayedGame game = replayer->Replay(record);
    GameState<G> state(G::Position::Start(record.settings));
    size_t ply = 0;
    for (size_t i = 0; i < game.samples.size(); ++i) {
      for (; ply < game.samples[i].ply; ++ply) state.Play(game.moves[ply]);
      std::vector<float> built(size);
      TrainingSample sample;
      replayer->Build(game, i, Mirror::kYes, built, sample);
      const bool allowed = G::CanMirror(state.position());
      mirrored_samples += allowed;
      auto expected_position = G::Position::FromFen(
          allowed ? MirroredFen(state.position().Fen()) : state.position().Fen(), record.settings);
      expected_position.set_repetitions(state.position().repetitions());
      std::vector<float> expected(size);
      G::Encode(expected_position, expected);
      EXPECT_EQ(built, expected) << state.position().Fen();
      const MoveRanks<G> ranks(expected_position);
      ASSERT_EQ(sample.legal_indices.size(), ranks.size());
      for (size_t k = 0; k < ranks.size(); ++k) {
        EXPECT_EQ(sample.legal_indices[k], ranks[k].policy_index) << state.position().Fen();
      }
    }
  }
  EXPECT_GT(mirrored_samples, 0);
}

TEST(KhansReplaying, NoMirrorWithCastlingRights) {
  EXPECT_FALSE(Khans::CanMirror(Khans::Position::Start()));
  EXPECT_TRUE(Khans::CanMirror(
      Khans::Position::FromFen("lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1")));
}

}  // namespace
}  // namespace khanzero
