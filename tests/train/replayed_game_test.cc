// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/replayed_game.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "env/error.h"
#include "env/history.h"
#include "tests/train/sample_games.h"
#include "train/move_ranks.h"
#include "train/survivors.h"

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
        replayer->Build(game, sample, Mirror::kNo, Targets::kAll, rebuilt, built);
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
        replayer->Build(game, i, mirror, Targets::kAll, planes, sample);
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
      replayer->Build(game, i, Mirror::kNo, Targets::kAll, planes, sample);
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

TYPED_TEST(Replaying, TheReplyIsTheTargetOfTheOpponentsSearch) {
  const auto replayer = this->Make();
  std::vector<float> planes(static_cast<size_t>(replayer->info().shape.input_size()));
  for (const GameRecord& record : this->Play(8)) {
    ReplayedGame game = replayer->Replay(record);
    for (size_t i = 0; i + 1 < game.samples.size(); ++i) {
      TrainingSample sample;
      TrainingSample next;
      replayer->Build(game, i, Mirror::kNo, Targets::kAll, planes, sample);
      replayer->Build(game, i + 1, Mirror::kNo, Targets::kAll, planes, next);
      EXPECT_EQ(sample.reply_indices, next.legal_indices);
      EXPECT_EQ(sample.reply_policy, next.policy);
      EXPECT_EQ(sample.plies_left, next.plies_left + 1);
    }
    TrainingSample last;
    replayer->Build(game, game.samples.size() - 1, Mirror::kNo, Targets::kAll, planes, last);
    EXPECT_TRUE(last.reply_indices.empty());
    EXPECT_EQ(last.plies_left, 1);
    // Where the reply was not searched, the move played is the target.
    game.samples.erase(game.samples.begin() + 1);
    TrainingSample played;
    replayer->Build(game, 0, Mirror::kNo, Targets::kAll, planes, played);
    EXPECT_EQ(std::ranges::count(played.reply_policy, 1.0F), 1);
    EXPECT_EQ(std::accumulate(played.reply_policy.begin(), played.reply_policy.end(), 0.0F), 1.0F);
  }
}

// Pieces followed one by one, forwards, against the tracker that goes backwards.
TYPED_TEST(Replaying, SurvivalIsThatOfEachPieceFollowed) {
  using G = TypeParam;
  using Geo = typename G::Position::Geo;
  const auto replayer = this->Make();
  std::vector<float> planes(static_cast<size_t>(replayer->info().shape.input_size()));
  int lost = 0;
  for (const GameRecord& record : this->Play(10)) {
    const ReplayedGame game = replayer->Replay(record);
    std::vector<typename G::Position> positions = {G::Position::Start(record.settings)};
    for (const Move& move : game.moves) {
      positions.push_back(positions.back());
      positions.back().Play(move);
    }
    for (size_t i = 0; i < game.samples.size(); ++i) {
      const size_t ply = game.samples[i].ply;
      std::map<int, int> origin;  // present square -> square at `ply`
      for (int s = 0; s < Geo::kSquares; ++s) {
        if ((positions[ply].occupied() & Geo::Bit(s)) != 0) origin[s] = s;
      }
      for (size_t at = ply; at < game.moves.size(); ++at) {
        const Move move = game.moves[at];
        std::map<int, int> next;
        const auto own = positions[at].pieces(positions[at].side_to_move());
        const auto own_after = positions[at + 1].pieces(positions[at].side_to_move());
        for (const auto& [square, from] : origin) {
          const auto bit = Geo::Bit(square);
          if (square == move.from && move.from != move.to) {
            next[move.to] = from;
          } else if ((own & bit) != 0 && (own_after & bit) == 0) {
            for (int s = 0; s < Geo::kSquares; ++s) {  // the rook that castled
              if (s != move.to && (own_after & ~own & Geo::Bit(s)) != 0) next[s] = from;
            }
          } else if (square != move.to && (positions[at + 1].occupied() & bit) != 0) {
            next[square] = from;
          }
        }
        origin = next;
      }
      std::vector<float> expected(static_cast<size_t>(Geo::kSquares), -1.0F);
      const Color mover = positions[ply].side_to_move();
      for (int s = 0; s < Geo::kSquares; ++s) {
        if ((positions[ply].occupied() & Geo::Bit(s)) != 0)
          expected[Geo::Relative(mover, s)] = 0.0F;
      }
      for (const auto& [now, then] : origin) expected[Geo::Relative(mover, then)] = 1.0F;
      TrainingSample sample;
      replayer->Build(game, i, Mirror::kNo, Targets::kAll, planes, sample);
      EXPECT_EQ(sample.survival, expected) << "game " << record.number << " ply " << ply;
      lost += static_cast<int>(std::ranges::count(expected, 0.0F));
    }
  }
  EXPECT_GT(lost, 0);
}

TEST(Survivors, ARookThatCastlesIsTheSamePiece) {
  using G = Khans;
  auto position = G::Position::FromFen("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
  SurvivorTracker<G> tracker;
  const Move castle = G::TextToMove(position, "e1g1");
  const auto before = position.occupied();
  tracker.Add(position, castle);
  position.Play(castle);
  tracker.Add(position);
  EXPECT_EQ(tracker.Survivors()[0], before);
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
      replayer->Build(game, i, Mirror::kYes, Targets::kAll, built, sample);
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
