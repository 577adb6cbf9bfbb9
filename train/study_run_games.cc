// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/study_run_games.h"

#include <algorithm>
#include <memory>

#include "env/error.h"
#include "train/replay_store.h"
#include "train/replayed_game.h"

namespace khanzero {

StudyRunGames ReadStudyGames(const RunFolder& run, const Config& config, int64_t most,
                             const StudyProgress& progress) {
  const ReplayStore store(run.store(), config.game, ReplayStore::Access::kReadOnly);
  const std::unique_ptr<Replayer> replayer = MakeReplayer(config.game);
  StudyRunGames read;
  const std::vector<StoredGame> stored = store.First(ReplayStore::Order::kNewest, most, most);
  int64_t done = 0;
  for (const StoredGame& game : stored) {
    try {
      ReplayedGame replayed = replayer->Replay(ParseRecord(game.bytes));
      read.games.push_back({.start_fen = std::move(replayed.start_fen),
                            .settings = replayed.settings,
                            .moves = std::move(replayed.moves),
                            .opening_plies = replayed.samples.empty() ? 0 : replayed.samples[0].ply,
                            .result = replayed.outcome.result,
                            .ending = std::string(Text(replayed.outcome.reason))});
    } catch (const InputError&) {
      ++read.damaged;
    }
    progress("games read", ++done, static_cast<int64_t>(stored.size()));
  }
  std::reverse(read.games.begin(), read.games.end());
  return read;
}

}  // namespace khanzero
