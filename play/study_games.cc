// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/study_games.h"

#include <charconv>
#include <map>

#include "env/error.h"
#include "env/games.h"
#include "play/match.h"
#include "play/pgn_reader.h"
#include "play/pgn_replay.h"

namespace khanzero {

namespace {

StudyGame GameOf(const std::string& game, const FinishedGame& finished, const std::string& pgn) {
  PgnReader reader(pgn, "game");
  const auto record = reader.Next();
  Check(record.has_value(), "a game that was played has a record");
  StudyGame study{.result = finished.result, .ending = finished.reason};
  study.start_fen = record->Tag("FEN").value_or("");
  const std::string plies = record->Tag("OpeningPlies").value_or("0");
  std::from_chars(plies.data(), plies.data() + plies.size(), study.opening_plies);
  WithGame(game, [&]<class G>() {
    ReplayedPgn<G> replayed = ReplayPgn<G>(*record);
    study.settings = replayed.start.settings();
    study.moves = std::move(replayed.moves);
  });
  return study;
}

}  // namespace

std::vector<StudyGame> PlayStudyGames(const std::string& game, const std::string& weights,
                                      const StudyPlaySettings& settings,
                                      const StudyProgress& progress) {
  Contestant player{.spec = "checkpoint:" + weights, .name = "network"};
  player.settings.inference = settings.inference;
  player.settings.search.simulations = settings.nodes;
  std::map<int64_t, StudyGame> games;  // by number: they end in any order
  MatchSettings match;
  match.pairs = settings.games;
  match.games_of_pair = 1;
  match.seed = settings.seed;
  match.game = settings.rules;
  match.max_plies = settings.max_plies;
  match.threads = settings.threads;
  match.stop = settings.stop;
  match.openings.plies = settings.opening_plies;
  match.on_pgn = [&](const FinishedGame& finished, const std::string& pgn) {
    games.emplace(finished.round.pair, GameOf(game, finished, pgn));
    progress("games played", static_cast<int64_t>(games.size()), settings.games);
  };
  PlayMatch(game, player, player, match);
  if (settings.stop.stop_requested()) throw RuntimeFailure("stopped while the games were played");
  std::vector<StudyGame> played;
  for (auto& [number, one] : games) played.push_back(std::move(one));
  return played;
}

}  // namespace khanzero
