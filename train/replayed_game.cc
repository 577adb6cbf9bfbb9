// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/replayed_game.h"

#include <algorithm>

#include "env/error.h"
#include "env/games.h"
#include "env/history.h"
#include "train/move_ranks.h"

namespace khanzero {

namespace {

template <Game G>
class GameReplayer : public Replayer {
 public:
  const GameInfo& info() const override { return info_; }

  ReplayedGame Replay(const GameRecord& record) const override {
    if (record.game != info_.name || record.rules_version != info_.rules_version) {
      Fail(record, "it is of '" + record.game + "', rules version " +
                       std::to_string(record.rules_version) + "; this is '" + info_.name +
                       "', rules version " + std::to_string(info_.rules_version));
    }
    ReplayedGame game{.id = record.id,
                      .settings = record.settings,
                      .start_fen = record.start_fen,
                      .outcome = record.outcome,
                      .moves = {},
                      .samples = {},
                      .target_indices = {},
                      .target_weights = {}};
    if (record.move_ranks.size() > 65535) Fail(record, "it has more than 65535 plies");
    GameState<G> state(Start(game));
    auto sample = record.samples.begin();
    for (size_t ply = 0; ply < record.move_ranks.size(); ++ply) {
      const auto where = " at ply " + std::to_string(ply);
      const MoveRanks<G> ranks(state.position());
      if (state.position().OutcomeGiven(ranks.size() > 0).over()) {
        Fail(record, "it goes on after its end" + where);
      }
      if (record.move_ranks[ply] >= ranks.size()) Fail(record, "an illegal move" + where);
      if (sample != record.samples.end() && sample->ply == static_cast<int>(ply)) {
        for (const TargetEntry& entry : sample->target) {
          if (entry.rank >= ranks.size()) Fail(record, "a target on an illegal move" + where);
          game.target_indices.push_back(ranks[entry.rank].policy_index);
          game.target_weights.push_back(entry.weight);
        }
        game.samples.push_back({static_cast<uint16_t>(ply), sample->root_win, sample->root_loss,
                                static_cast<uint32_t>(game.target_indices.size())});
        ++sample;
      }
      const Move move = ranks[record.move_ranks[ply]].move;
      game.moves.push_back(move);
      state.Play(move);
    }
    CheckEnd(record, state.position().ComputeOutcome());
    return game;
  }

  void Build(const ReplayedGame& game, size_t sample_index, Mirror mirror, std::span<float> planes,
             TrainingSample& out) const override {
    const ReplayedGame::Sample& sample = game.samples[sample_index];
    GameState<G> state(Start(game));
    for (int ply = 0; ply < sample.ply; ++ply) state.Play(game.moves[static_cast<size_t>(ply)]);
    const typename G::Position& position = state.position();
    G::Encode(position, planes);

    const bool mirrored = mirror == Mirror::kYes && G::CanMirror(position);
    if (mirrored) MirrorPlanes(planes);
    typename G::Moves moves;
    position.LegalMoves(moves);
    const auto index_of = [&](uint16_t index) {
      return mirrored ? G::MirroredPolicyIndex(index) : index;
    };
    out.legal_indices.clear();
    for (const Move& move : moves) {
      out.legal_indices.push_back(index_of(G::PolicyIndex(position, move)));
    }
    std::sort(out.legal_indices.begin(), out.legal_indices.end());
    FillPolicy(game, sample_index, index_of, out);

    const Color mover = position.side_to_move();
    out.result = WdlFor(game.outcome.result, mover);
    out.capped = game.outcome.reason == EndReason::kPlyCap;
    const float win = static_cast<float>(sample.root_win) / 255.0F;
    const float loss = static_cast<float>(sample.root_loss) / 255.0F;
    out.root = {win, std::max(0.0F, 1.0F - win - loss), loss};
  }

 private:
  using Position = typename G::Position;

  [[noreturn]] static void Fail(const GameRecord& record, const std::string& what) {
    throw InputError("game " + std::to_string(record.number) + " does not replay: " + what);
  }

  static Position Start(const ReplayedGame& game) {
    return game.start_fen.empty() ? Position::Start(game.settings)
                                  : Position::FromFen(game.start_fen, game.settings);
  }

  static void CheckEnd(const GameRecord& record, const Outcome& outcome) {
    const bool capped = record.outcome.reason == EndReason::kPlyCap;
    if (capped ? outcome.over() || record.outcome.result != Result::kDraw
               : outcome != record.outcome) {
      Fail(record, "its end is given as " + Describe(record.outcome) + ", the rules say " +
                       Describe(outcome));
    }
  }

  static std::string Describe(const Outcome& outcome) {
    return std::string(Text(outcome.result)) + " (" +
           (outcome.over() ? std::string(Text(outcome.reason)) : std::string("not over")) + ")";
  }

  static void FillPolicy(const ReplayedGame& game, size_t sample_index, const auto& index_of,
                         TrainingSample& out) {
    const uint32_t begin = sample_index == 0 ? 0 : game.samples[sample_index - 1].target_end;
    const uint32_t end = game.samples[sample_index].target_end;
    float sum = 0.0F;
    for (uint32_t i = begin; i < end; ++i) sum += static_cast<float>(game.target_weights[i]);
    out.policy.assign(out.legal_indices.size(), 0.0F);
    for (uint32_t i = begin; i < end; ++i) {
      const auto at = std::lower_bound(out.legal_indices.begin(), out.legal_indices.end(),
                                       index_of(game.target_indices[i]));
      out.policy[static_cast<size_t>(at - out.legal_indices.begin())] =
          static_cast<float>(game.target_weights[i]) / sum;
    }
  }

  // Every plane is a picture of the board or the same everywhere, so turning files suffices.
  static void MirrorPlanes(std::span<float> planes) {
    constexpr auto kPlanes = static_cast<size_t>(G::kInputPlanes);
    const auto square = [&](int file, int rank) {
      return planes.begin() +
             static_cast<std::ptrdiff_t>(static_cast<size_t>(rank * G::kFiles + file) * kPlanes);
    };
    for (int rank = 0; rank < G::kRanks; ++rank) {
      for (int file = 0; file < G::kFiles / 2; ++file) {
        std::swap_ranges(square(file, rank), square(file, rank) + kPlanes,
                         square(G::kFiles - 1 - file, rank));
      }
    }
  }

  GameInfo info_ = InfoOf<G>();
};

}  // namespace

std::unique_ptr<Replayer> MakeReplayer(const std::string& game) {
  return WithGame(game, []<class G>() -> std::unique_ptr<Replayer> {
    return std::make_unique<GameReplayer<G>>();
  });
}

}  // namespace khanzero
