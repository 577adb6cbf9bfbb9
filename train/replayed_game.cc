// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/replayed_game.h"

#include <algorithm>

#include "env/error.h"
#include "env/games.h"
#include "env/history.h"
#include "train/move_ranks.h"
#include "train/survivors.h"

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
                      .target_weights = {},
                      .surprises = {},
                      .survivors = {}};
    if (record.move_ranks.size() > 65535) Fail(record, "it has more than 65535 plies");
    GameState<G> state(Start(game));
    SurvivorTracker<G> tracker;
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
        game.surprises.push_back(sample->surprise);
        ++sample;
      }
      const Move move = ranks[record.move_ranks[ply]].move;
      game.moves.push_back(move);
      tracker.Add(state.position(), move);
      state.Play(move);
    }
    CheckEnd(record, state.position().ComputeOutcome());
    tracker.Add(state.position());
    KeepSurvivors(tracker.Survivors(), game);
    return game;
  }

  std::string FenAt(const ReplayedGame& game, size_t ply) const override {
    return StateAt(game, ply).position().Fen();
  }

  void Build(const ReplayedGame& game, size_t sample_index, Mirror mirror, Targets targets,
             std::span<float> planes, TrainingSample& out) const override {
    const ReplayedGame::Sample& sample = game.samples[sample_index];
    GameState<G> state = StateAt(game, sample.ply);
    const Position& position = state.position();
    G::Encode(position, planes);

    const bool mirrored = mirror == Mirror::kYes && G::CanMirror(position);
    if (mirrored) MirrorPlanes(planes);
    ListLegal(position, mirrored, out.legal_indices);
    FillPolicy(game, sample_index, mirrored, out.legal_indices, out.policy);

    const Color mover = position.side_to_move();
    out.result = WdlFor(game.outcome.result, mover);
    out.capped = game.outcome.reason == EndReason::kPlyCap;
    const float win = static_cast<float>(sample.root_win) / 255.0F;
    const float loss = static_cast<float>(sample.root_loss) / 255.0F;
    out.root = {win, std::max(0.0F, 1.0F - win - loss), loss};
    if (targets == Targets::kPlay) return;
    out.plies_left = static_cast<int>(game.moves.size()) - sample.ply;
    FillSurvival(game, sample_index, mirrored, position, out.survival);
    state.Play(game.moves[sample.ply]);
    FillReply(game, sample_index, mirrored, state.position(), out);
  }

 private:
  using Position = typename G::Position;
  using Bits = typename Position::Bits;
  using Geo = typename Position::Geo;
  static constexpr int kSurvivorWords = (Geo::kSquares + 63) / 64;

  [[noreturn]] static void Fail(const GameRecord& record, const std::string& what) {
    throw InputError("game " + std::to_string(record.number) + " does not replay: " + what);
  }

  static Position Start(const ReplayedGame& game) {
    return game.start_fen.empty() ? Position::Start(game.settings)
                                  : Position::FromFen(game.start_fen, game.settings);
  }

  static GameState<G> StateAt(const ReplayedGame& game, size_t ply) {
    GameState<G> state(Start(game));
    for (size_t i = 0; i < ply; ++i) state.Play(game.moves[i]);
    return state;
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

  static uint16_t Seen(uint16_t index, bool mirrored) {
    return mirrored ? G::MirroredPolicyIndex(index) : index;
  }

  // The policy indices of the legal moves, rising.
  static void ListLegal(const Position& position, bool mirrored, std::vector<uint16_t>& indices) {
    typename G::Moves moves;
    position.LegalMoves(moves);
    indices.clear();
    for (const Move& move : moves) {
      indices.push_back(Seen(G::PolicyIndex(position, move), mirrored));
    }
    std::sort(indices.begin(), indices.end());
  }

  static size_t PlaceOf(const std::vector<uint16_t>& indices, uint16_t index) {
    return static_cast<size_t>(std::lower_bound(indices.begin(), indices.end(), index) -
                               indices.begin());
  }

  static void FillPolicy(const ReplayedGame& game, size_t sample_index, bool mirrored,
                         const std::vector<uint16_t>& indices, std::vector<float>& policy) {
    policy.clear();
    if (!game.has_policy(sample_index)) return;
    const uint32_t begin = game.target_begin(sample_index);
    const uint32_t end = game.samples[sample_index].target_end;
    float sum = 0.0F;
    for (uint32_t i = begin; i < end; ++i) sum += static_cast<float>(game.target_weights[i]);
    policy.assign(indices.size(), 0.0F);
    for (uint32_t i = begin; i < end; ++i) {
      policy[PlaceOf(indices, Seen(game.target_indices[i], mirrored))] =
          static_cast<float>(game.target_weights[i]) / sum;
    }
  }

  // `position` is the one after the sample's move.
  static void FillReply(const ReplayedGame& game, size_t sample_index, bool mirrored,
                        const Position& position, TrainingSample& out) {
    const auto ply = static_cast<size_t>(game.samples[sample_index].ply) + 1;
    out.reply_indices.clear();
    out.reply_policy.clear();
    if (ply >= game.moves.size()) return;
    ListLegal(position, mirrored, out.reply_indices);
    const size_t next = sample_index + 1;
    if (next < game.samples.size() && game.samples[next].ply == ply && game.has_policy(next)) {
      FillPolicy(game, next, mirrored, out.reply_indices, out.reply_policy);
      return;
    }
    out.reply_policy.assign(out.reply_indices.size(), 0.0F);
    const uint16_t played = Seen(G::PolicyIndex(position, game.moves[ply]), mirrored);
    out.reply_policy[PlaceOf(out.reply_indices, played)] = 1.0F;
  }

  // Of all positions, the words of those that are samples.
  static void KeepSurvivors(const std::vector<Bits>& survivors, ReplayedGame& game) {
    for (const ReplayedGame::Sample& sample : game.samples) {
      Bits bits = survivors[sample.ply];
      for (int word = 0; word < kSurvivorWords; ++word) {
        game.survivors.push_back(static_cast<uint64_t>(bits));
        if constexpr (kSurvivorWords > 1) bits >>= 64;
      }
    }
  }

  static void FillSurvival(const ReplayedGame& game, size_t sample_index, bool mirrored,
                           const Position& position, std::vector<float>& survival) {
    survival.assign(static_cast<size_t>(Geo::kSquares), -1.0F);
    const uint64_t* const words = &game.survivors[sample_index * kSurvivorWords];
    for (Bits pieces = position.occupied(); pieces != 0;) {
      const Square square = PopLowest(pieces);
      const Square seen = Geo::Relative(position.side_to_move(), square);
      const int file = mirrored ? Geo::kFiles - 1 - Geo::FileOf(seen) : Geo::FileOf(seen);
      const bool lasts = (words[square / 64] >> (square % 64) & 1) != 0;
      survival[Geo::SquareAt(file, Geo::RankOf(seen))] = lasts ? 1.0F : 0.0F;
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
