// SPDX-License-Identifier: GPL-3.0-or-later
//
// Plays the pairs of a match. Each thread has players of its own and takes pairs from a common
// count; in a thread all games where A is to move go to A in one call, then all of B's.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "env/error.h"
#include "env/random.h"
#include "play/make_player.h"
#include "play/match.h"
#include "play/pgn.h"

namespace khanzero {

template <Game G>
class MatchRunner {
 public:
  using Position = typename G::Position;

  MatchRunner(PlayerFactory<G> a, PlayerFactory<G> b, const MatchSettings& settings,
              MatchResult& result)
      : factories_{std::move(a), std::move(b)},
        settings_(settings),
        result_(result),
        start_(settings.start_fen.empty() ? Position::Start(settings.game)
                                          : Position::FromFen(settings.start_fen, settings.game)),
        // Few pairs are shared out evenly.
        most_games_(std::min(settings.concurrency,
                             2 * ((settings.pairs + settings.threads - 1) / settings.threads))) {}

  void Run() {
    std::vector<std::jthread> threads;
    for (int i = 1; i < settings_.threads; ++i) threads.emplace_back([this] { Work(); });
    Work();
    threads.clear();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct GameInPlay {
    GameState<G> state;
    Color side_of_a = Color::kWhite;
    uint64_t seed = 0;
    std::vector<Move> moves{};
    Outcome outcome{};
  };
  struct Pair {
    int64_t number = 0;
    std::vector<GameInPlay> games;  // A is White in the first
  };
  using Pairs = std::vector<std::unique_ptr<Pair>>;

  void Work();
  void WorkOrThrow();
  std::unique_ptr<Pair> MakePair(int64_t number) const;
  std::vector<Move> DrawOpening(Random& random) const;
  void PlayTurns(Player<G>& player, int who, Pairs& pairs);
  void Judge(GameInPlay& game) const;
  void Report(const Pair& pair, const GameInPlay& game);
  void ReportPair(const Pair& pair);
  std::string PgnOf(const Pair& pair, const GameInPlay& game) const;
  bool stopped() const { return stop_ || settings_.stop.stop_requested(); }

  std::array<PlayerFactory<G>, 2> factories_;
  const MatchSettings& settings_;
  std::atomic<int64_t> next_pair_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  MatchResult& result_;       // guarded by mutex_
  std::exception_ptr error_;  // guarded by mutex_
  Position start_;
  int most_games_;  // of one thread at once
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
  const std::array<std::unique_ptr<Player<G>>, 2> players = {factories_[0](), factories_[1]()};
  Pairs pairs;
  while (!stopped()) {
    int open_games = 0;
    for (const auto& pair : pairs) {
      for (const GameInPlay& game : pair->games) open_games += game.outcome.over() ? 0 : 1;
    }
    while (open_games == 0 || open_games + 2 <= most_games_) {
      const int64_t number = next_pair_++;
      if (number >= settings_.pairs) break;
      pairs.push_back(MakePair(number));
      open_games += 2;
    }
    if (open_games == 0) return;
    for (int who = 0; who < 2; ++who) PlayTurns(*players[static_cast<size_t>(who)], who, pairs);
    std::erase_if(pairs, [&](const auto& pair) {
      const bool done = pair->games[0].outcome.over() && pair->games[1].outcome.over();
      if (done) ReportPair(*pair);
      return done;
    });
  }
}

// Random legal moves from the start. An opening after which the game is over is drawn again.
template <Game G>
std::vector<Move> MatchRunner<G>::DrawOpening(Random& random) const {
  constexpr int kTries = 1000;
  typename G::Moves legal;
  for (int tries = 0; tries < kTries; ++tries) {
    GameState<G> state(start_);
    std::vector<Move> opening;
    while (!state.position().ComputeOutcome().over()) {
      if (static_cast<int>(opening.size()) == settings_.opening_plies) return opening;
      state.position().LegalMoves(legal);
      opening.push_back(legal[static_cast<int>(random.Below(static_cast<uint64_t>(legal.size())))]);
      state.Play(opening.back());
    }
  }
  throw InputError("no opening of " + std::to_string(settings_.opening_plies) +
                   " random plies was found that leaves the game open, in " +
                   std::to_string(kTries) + " tries from " + start_.Fen() +
                   "; ask for fewer plies");
}

template <Game G>
auto MatchRunner<G>::MakePair(int64_t number) const -> std::unique_ptr<Pair> {
  Random random = Random::Stream(settings_.seed, static_cast<uint64_t>(number));
  const std::vector<Move> opening = DrawOpening(random);
  auto pair = std::make_unique<Pair>();
  pair->number = number;
  for (const Color side_of_a : {Color::kWhite, Color::kBlack}) {
    GameInPlay game{.state = GameState<G>(start_), .side_of_a = side_of_a, .seed = random.Next()};
    for (const Move& move : opening) game.state.Play(move);
    game.moves = opening;
    Judge(game);
    pair->games.push_back(std::move(game));
  }
  return pair;
}

template <Game G>
void MatchRunner<G>::PlayTurns(Player<G>& player, int who, Pairs& pairs) {
  std::vector<Turn<G>> turns;
  std::vector<std::pair<Pair*, GameInPlay*>> owners;
  for (const auto& pair : pairs) {
    for (GameInPlay& game : pair->games) {
      const Color mine = who == 0 ? game.side_of_a : ~game.side_of_a;
      if (game.outcome.over() || game.state.position().side_to_move() != mine) continue;
      turns.push_back({.game = &game.state, .seed = Mix64(game.seed + game.moves.size())});
      owners.emplace_back(pair.get(), &game);
    }
  }
  if (turns.empty()) return;
  std::vector<Move> moves(turns.size());
  player.ChooseMoves(turns, moves);
  typename G::Moves legal;
  for (size_t i = 0; i < moves.size(); ++i) {
    GameInPlay& game = *owners[i].second;
    game.state.position().LegalMoves(legal);
    Check(std::find(legal.begin(), legal.end(), moves[i]) != legal.end(),
          player.name() + " played an illegal move");
    game.state.Play(moves[i]);
    game.moves.push_back(moves[i]);
    Judge(game);
    if (game.outcome.over()) Report(*owners[i].first, game);
  }
}

template <Game G>
void MatchRunner<G>::Judge(GameInPlay& game) const {
  game.outcome = game.state.position().ComputeOutcome();
  if (!game.outcome.over() && static_cast<int>(game.moves.size()) >= settings_.max_plies) {
    game.outcome = {Result::kDraw, EndReason::kPlyCap};
  }
}

template <Game G>
void MatchRunner<G>::Report(const Pair& pair, const GameInPlay& game) {
  const std::lock_guard lock(mutex_);
  Tally& side = game.side_of_a == Color::kWhite ? result_.as_white : result_.as_black;
  for (Tally* const tally : {&result_.total, &side}) {
    if (game.outcome.result == Result::kDraw) {
      ++tally->draws;
    } else {
      ++(game.outcome.result == WinFor(game.side_of_a) ? tally->wins : tally->losses);
    }
  }
  ++result_.endings[std::string(Text(game.outcome.reason))];
  result_.plies += static_cast<int64_t>(game.moves.size());
  if (settings_.on_pgn) settings_.on_pgn(PgnOf(pair, game));
  if (settings_.on_game) settings_.on_game(result_);
}

template <Game G>
void MatchRunner<G>::ReportPair(const Pair& pair) {
  int half_points = 0;
  int draws = 0;
  for (const GameInPlay& game : pair.games) {
    const bool draw = game.outcome.result == Result::kDraw;
    draws += draw ? 1 : 0;
    half_points += draw ? 1 : game.outcome.result == WinFor(game.side_of_a) ? 2 : 0;
  }
  const std::lock_guard lock(mutex_);
  ++result_.pairs[static_cast<size_t>(half_points)];
  if (half_points == 2 && draws == 0) ++result_.pairs_win_loss;
  if (settings_.sprt) {
    const SprtSettings& sprt = *settings_.sprt;
    const double ratio = LogLikelihoodRatio(result_.pairs, sprt.elo0, sprt.elo1, sprt.model);
    const SprtBounds bounds = BoundsOfSprt(sprt.alpha, sprt.beta);
    if (ratio <= bounds.lower || ratio >= bounds.upper) stop_ = true;
  }
}

template <Game G>
std::string MatchRunner<G>::PgnOf(const Pair& pair, const GameInPlay& game) const {
  const bool a_is_white = game.side_of_a == Color::kWhite;
  PgnGame pgn{.event = "khanzero match",
              .date = settings_.date,
              .round = std::to_string(pair.number + 1) + (a_is_white ? ".1" : ".2"),
              .white = a_is_white ? result_.name_a : result_.name_b,
              .black = a_is_white ? result_.name_b : result_.name_a,
              .variant = std::string(G::kName),
              .start_fen = settings_.start_fen.empty() ? "" : start_.Fen(),
              .first_mover = start_.side_to_move(),
              .first_move_number = static_cast<int>(start_.fullmove_number()),
              .kings_landing = G::kHasSettings ? start_.settings().kings_landing : 0,
              .opening_plies = settings_.opening_plies,
              .outcome = game.outcome};
  for (const Move& move : game.moves) pgn.moves.push_back(G::MoveToText(move));
  return ToPgn(pgn);
}

}  // namespace khanzero
