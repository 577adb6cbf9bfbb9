// SPDX-License-Identifier: GPL-3.0-or-later
//
// Plays the games of a match. Each thread has players of its own and takes pairs from a common
// count; in a thread all games where A is to move go to A in one call, then all of B's, or all of
// both where one player plays both sides.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "env/error.h"
#include "env/random.h"
#include "play/make_player.h"
#include "play/match.h"
#include "play/openings.h"
#include "play/pgn.h"
#include "play/referee.h"
#include "play/time_control.h"

namespace khanzero {

template <Game G>
class MatchRunner {
 public:
  using Position = typename G::Position;

  // `players` are the settings of A and B.
  MatchRunner(PairFactory<G> factory, std::array<PlayerSettings, 2> players,
              const MatchSettings& settings, MatchResult& result)
      : factory_(std::move(factory)),
        players_(std::move(players)),
        settings_(settings),
        result_(result),
        start_(settings.start_fen.empty() ? Position::Start(settings.game)
                                          : Position::FromFen(settings.start_fen, settings.game)),
        // Few pairs are shared out evenly.
        most_games_(
            std::min<int64_t>(settings.concurrency,
                              int64_t{settings.games_of_pair} *
                                  ((settings.pairs + settings.threads - 1) / settings.threads))),
        openings_(settings.openings, settings.seed, start_) {
    for (const FinishedGame& finished : settings.played) {
      result_.Add(finished);
      played_.insert(NumberOf(finished.round));
    }
    stop_ = Decided();
  }

  void Run() {
    if (settings_.on_note && openings_.count() > 0 && openings_.count() < settings_.pairs) {
      settings_.on_note("Note: " + OpeningsText(settings_.openings) + " has " +
                        std::to_string(openings_.count()) + " openings for " +
                        std::to_string(settings_.pairs) + " pairs: they are played again");
    }
    std::vector<std::jthread> threads;
    for (int i = 1; i < settings_.threads; ++i) threads.emplace_back([this] { Work(); });
    Work();
    threads.clear();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct GameInPlay {
    Round round{};
    uint64_t seed = 0;
    Opening<G> opening;
    GameState<G> state;
    std::vector<Move> moves{};                         // those of the opening first
    std::vector<std::string> comments{};               // on `moves`
    std::array<std::optional<GameClock>, 2> clocks{};  // of A and of B
    ScoreAdjudicator adjudicator;
    GameEnding ending{};

    // 0 when A is to move, 1 when B is.
    size_t mover() const { return state.position().side_to_move() == round.side_of_a ? 0 : 1; }
  };
  using Games = std::deque<std::unique_ptr<GameInPlay>>;

  // Of a game in the match.
  static uint64_t NumberOf(const Round& round) {
    return 2 * static_cast<uint64_t>(round.pair) + (round.side_of_a == Color::kWhite ? 0 : 1);
  }

  void Work();
  void WorkOrThrow();
  // Fills `games` from `waiting`, and that by another pair when it is empty.
  void Refill(Games& games, Games& waiting);
  // The games of a pair that are not played yet.
  Games MakePair(int64_t number);
  // The turns of player `who`; of both for nothing.
  void PlayTurns(Player<G>& player, std::optional<size_t> who, const Games& games);
  Turn<G> TurnOf(const GameInPlay& game) const;
  void Take(GameInPlay& game, const Choice& choice) const;
  // Whether the answer came in time; takes its time off the clock.
  bool InTime(GameInPlay& game, const Choice& choice) const;
  void Judge(GameInPlay& game) const;
  void Report(const GameInPlay& game);
  std::string PgnOf(const GameInPlay& game) const;
  // Whether the test of two differences has come to its end.
  bool Decided() const {
    return settings_.sprt && result_.pair_count() > 0 &&
           StateOfSprt(*settings_.sprt, result_).verdict != SprtVerdict::kOpen;
  }
  bool stopped() const { return stop_ || settings_.stop.stop_requested(); }

  PairFactory<G> factory_;
  std::array<PlayerSettings, 2> players_;
  const MatchSettings& settings_;
  std::atomic<int64_t> next_pair_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  MatchResult& result_;       // guarded by mutex_
  std::exception_ptr error_;  // guarded by mutex_
  Position start_;
  int64_t most_games_;  // of one thread at once
  Openings<G> openings_;
  std::set<uint64_t> played_;  // numbers of the games that were played before
};

template <Game G>
void MatchRunner<G>::Work() {
  try {
    WorkOrThrow();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    stop_ = true;
  }
}

template <Game G>
void MatchRunner<G>::WorkOrThrow() {
  const PlayerPair<G> players = factory_();
  Games games;
  Games waiting;
  while (!stopped()) {
    Refill(games, waiting);
    if (games.empty()) return;
    if (players.second) {
      PlayTurns(*players.first, 0, games);
      PlayTurns(*players.second, 1, games);
    } else {
      PlayTurns(*players.first, std::nullopt, games);
    }
    std::erase_if(games, [](const auto& game) { return game->ending.over(); });
  }
}

template <Game G>
void MatchRunner<G>::Refill(Games& games, Games& waiting) {
  while (static_cast<int64_t>(games.size()) < most_games_) {
    while (waiting.empty()) {
      const int64_t number = next_pair_++;
      if (number >= settings_.pairs) return;
      waiting = MakePair(number);
    }
    games.push_back(std::move(waiting.front()));
    waiting.pop_front();
  }
}

template <Game G>
auto MatchRunner<G>::MakePair(int64_t number) -> Games {
  const auto is_played = [&](Color side) { return played_.contains(NumberOf({number, side})); };
  const bool all_played =
      is_played(Color::kWhite) && (settings_.games_of_pair == 1 || is_played(Color::kBlack));
  if (all_played && !settings_.on_opening) return {};
  const Opening<G> opening = openings_.Of(number);
  if (static_cast<int>(opening.moves.size()) >= settings_.max_plies) {
    throw InputError("match: the longest game must be longer than the opening, which has " +
                     std::to_string(opening.moves.size()) + " plies");
  }
  if (settings_.on_opening) {
    const std::lock_guard lock(mutex_);
    settings_.on_opening(number, OpeningText<G>(opening));
  }
  // Not the dice of the openings, so that a match is the same when its openings come from a file.
  Random random = Random::Stream(Mix64(settings_.seed), static_cast<uint64_t>(number));
  Games games;
  for (const Color side_of_a : {Color::kWhite, Color::kBlack}) {
    const uint64_t seed = random.Next();
    if (is_played(side_of_a)) continue;
    if (side_of_a == Color::kBlack && settings_.games_of_pair == 1) break;
    auto game = std::make_unique<GameInPlay>(
        GameInPlay{.round = {number, side_of_a},
                   .seed = seed,
                   .opening = opening,
                   .state = GameState<G>(opening.start),
                   .moves = opening.moves,
                   .comments = std::vector<std::string>(opening.moves.size()),
                   .adjudicator = ScoreAdjudicator(settings_.adjudication)});
    for (const Move& move : opening.moves) game->state.Play(move);
    for (size_t who = 0; who < 2; ++who) {
      const std::optional<TimeControl>& clock = players_[who].limits.clock;
      if (clock) game->clocks[who].emplace(*clock);
    }
    games.push_back(std::move(game));
  }
  return games;
}

template <Game G>
void MatchRunner<G>::PlayTurns(Player<G>& player, std::optional<size_t> who, const Games& games) {
  std::vector<Turn<G>> turns;
  std::vector<GameInPlay*> owners;
  for (const auto& game : games) {
    if (game->ending.over() || game->mover() != who.value_or(game->mover())) continue;
    turns.push_back(TurnOf(*game));
    owners.push_back(game.get());
  }
  if (turns.empty()) return;
  std::vector<Choice> choices(turns.size());
  player.Choose(turns, choices);
  for (size_t i = 0; i < choices.size(); ++i) {
    GameInPlay& game = *owners[i];
    // A search that was cut short by a stop is no move to count.
    if (choices[i].fault == Fault::kStopped || settings_.stop.stop_requested()) return;
    Take(game, choices[i]);
    if (game.ending.over()) Report(game);
  }
}

template <Game G>
Turn<G> MatchRunner<G>::TurnOf(const GameInPlay& game) const {
  const size_t who = game.mover();
  Turn<G> turn{.game = &game.state,
               .seed = Mix64(game.seed + game.moves.size()),
               .side = static_cast<int>(who),
               .game_number = NumberOf(game.round),
               .start = &game.opening.start,
               .moves = game.moves,
               .limits = UntimedLimits(players_[who])};
  if (!game.clocks[who]) return turn;  // another's clock is nothing to a player without one
  const bool white_moves = game.state.position().side_to_move() == Color::kWhite;
  for (size_t player = 0; player < 2; ++player) {
    const std::optional<GameClock>& clock = game.clocks[player];
    if (!clock) continue;
    const bool white = (player == who) == white_moves;
    (white ? turn.limits.white_time_ms : turn.limits.black_time_ms) =
        std::max<int64_t>(1, clock->left_ms());
    (white ? turn.limits.white_increment_ms : turn.limits.black_increment_ms) =
        clock->increment_ms();
    if (player == who) turn.limits.moves_to_go = clock->moves_to_go();
  }
  return turn;
}

template <Game G>
void MatchRunner<G>::Take(GameInPlay& game, const Choice& choice) const {
  const Color mover = game.state.position().side_to_move();
  const int number = static_cast<int>(game.state.position().fullmove_number());
  if (choice.fault != Fault::kNone) {
    game.ending = EndingByFault(choice.fault, mover, choice.fault_text);
    return;
  }
  if (!InTime(game, choice)) {
    game.ending = EndingByFault(Fault::kTime, mover,
                                "needed " + std::to_string(choice.elapsed.count() / 1000) + " ms");
    return;
  }
  typename G::Moves legal;
  game.state.position().LegalMoves(legal);
  Check(std::find(legal.begin(), legal.end(), choice.move) != legal.end(),
        "a player of this program played an illegal move");
  game.state.Play(choice.move);
  game.moves.push_back(choice.move);
  game.comments.push_back(
      choice.report.empty() ? "" : Text(choice.report, choice.elapsed.count() / 1000));
  Judge(game);
  if (game.ending.over()) return;
  if (const auto ending = game.adjudicator.Note(mover, choice.report.score(), number)) {
    game.ending = *ending;
  }
}

template <Game G>
bool MatchRunner<G>::InTime(GameInPlay& game, const Choice& choice) const {
  const MoveLimits& limits = players_[game.mover()].limits;
  if (limits.movetime_ms &&
      choice.elapsed > std::chrono::milliseconds(*limits.movetime_ms + limits.margin_ms)) {
    return false;
  }
  std::optional<GameClock>& clock = game.clocks[game.mover()];
  return !clock || clock->Spend(choice.elapsed, limits.margin_ms);
}

template <Game G>
void MatchRunner<G>::Judge(GameInPlay& game) const {
  Outcome outcome = game.state.position().ComputeOutcome();
  if (!outcome.over() && static_cast<int>(game.moves.size()) >= settings_.max_plies) {
    outcome = {Result::kDraw, EndReason::kPlyCap};
  }
  game.ending = EndingByRules(outcome);
}

template <Game G>
void MatchRunner<G>::Report(const GameInPlay& game) {
  const FinishedGame finished{.round = game.round,
                              .result = game.ending.result,
                              .reason = game.ending.reason,
                              .plies = static_cast<int>(game.moves.size()),
                              .moves_key = MovesKey(game.opening.start.key(), game.moves)};
  const std::lock_guard lock(mutex_);
  // Once the test is decided, games that were still being played do not count.
  if (stop_) return;
  result_.Add(finished);
  if (settings_.on_pgn) settings_.on_pgn(finished, PgnOf(game));
  if (settings_.on_game) settings_.on_game(result_);
  if (Decided()) stop_ = true;
}

template <Game G>
std::string MatchRunner<G>::PgnOf(const GameInPlay& game) const {
  const bool a_is_white = game.round.side_of_a == Color::kWhite;
  const Position& start = game.opening.start;
  const bool usual_start = start.Fen() == Position::Start(settings_.game).Fen();
  PgnGame pgn{.event = "khanzero match",
              .date = settings_.date,
              .round = Text(game.round),
              .white = a_is_white ? result_.name_a : result_.name_b,
              .black = a_is_white ? result_.name_b : result_.name_a,
              .variant = std::string(G::kName),
              .start_fen = usual_start ? "" : start.Fen(),
              .first_mover = start.side_to_move(),
              .first_move_number = static_cast<int>(start.fullmove_number()),
              .kings_landing = G::kHasSettings ? start.settings().kings_landing : 0,
              .opening_plies = static_cast<int>(game.opening.moves.size()),
              .comments = game.comments,
              .outcome = {game.ending.result, EndReason::kNone},
              .ending = game.ending.reason,
              .termination = game.ending.termination};
  for (const Move& move : game.moves) pgn.moves.push_back(G::MoveToText(move));
  const std::string control_a = TimeControlTag(players_[0].limits);
  const std::string control_b = TimeControlTag(players_[1].limits);
  if (control_a == control_b) {
    pgn.time_control = control_a;
  } else {
    pgn.more_tags.emplace_back("WhiteTimeControl", a_is_white ? control_a : control_b);
    pgn.more_tags.emplace_back("BlackTimeControl", a_is_white ? control_b : control_a);
  }
  if (!settings_.identity.empty()) pgn.more_tags.emplace_back("Match", settings_.identity);
  if (!game.ending.detail.empty()) pgn.more_tags.emplace_back("Fault", game.ending.detail);
  return ToPgn(pgn);
}

}  // namespace khanzero
