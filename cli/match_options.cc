// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/match_options.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <system_error>
#include <thread>
#include <type_traits>

#include "cli/choices.h"
#include "cli/inference_options.h"
#include "env/error.h"
#include "env/games.h"
#include "play/player_spec.h"

namespace khanzero {

namespace {

inline constexpr ChoiceNames<2> kSprtModelNames = {"logistic", "normalized"};

template <class T>
CLI::Option* AddNumber(CLI::App& sub, const std::string& name, T& value, const std::string& meaning,
                       std::type_identity_t<T> least, std::type_identity_t<T> most) {
  return sub.add_option(name, value, meaning)
      ->capture_default_str()
      ->check(CLI::Range(least, most))
      ->type_name("N");
}

// All options that `add` adds are listed under this heading.
void InGroup(CLI::App& sub, const std::string& heading, const std::function<void()>& add) {
  CLI::OptionDefaults* const defaults = sub.option_defaults();
  const std::string before = defaults->get_group();
  defaults->group(heading);
  add();
  defaults->group(before);
}

// `suffix` is "", "-a" or "-b".
void AddPlayerOptions(CLI::App& sub, const std::string& suffix, PlayerOptions& options) {
  const std::string whose = suffix.empty() ? "" : suffix == "-a" ? "A: " : "B: ";
  const auto name = [&](const std::string& text) { return text + suffix; };
  sub.add_option(name("--nodes") + (suffix.empty() ? ",--simulations" : ""), options.nodes,
                 whose + "Simulations of a network, or nodes of an engine, for each move" +
                     (suffix.empty() ? " (100 where no time is given)" : ""))
      ->check(CLI::Range(int64_t{1}, int64_t{2'000'000'000}))
      ->type_name("N");
  sub.add_option(name("--movetime"), options.movetime_ms, whose + "Milliseconds for each move")
      ->check(CLI::Range(int64_t{1}, int64_t{100'000'000}))
      ->type_name("MS");
  sub.add_option(name("--tc"), options.time_control,
                 whose +
                     "A clock: seconds and increment, such as 10+0.1, or 40/60+0.5 for so many "
                     "moves")
      ->type_name("TIME");
  sub.add_option(name("--algorithm"), options.algorithm,
                 whose + "Search of a network" +
                     (suffix.empty() ? " (puct; by time it is always puct)" : ""))
      ->check(OneOf(kRootAlgorithmNames));
  sub.add_option(name("--precision"), options.precision,
                 whose + "Arithmetic of a network" +
                     (suffix.empty() ? " (auto: the fastest that this machine has)" : ""))
      ->check(OneOf(kPrecisionNames));
  sub.add_option(name("--option"), options.engine_options,
                 whose + "Sets an option of a UCI engine, such as Hash=64; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sub.add_option(name("--searchmoves"), options.search_moves,
                 whose +
                     "Give the engine the legal moves to choose from (auto: serbest, where the "
                     "engine has no option KingsLanding and so only approximates the rules)")
      ->check(OneOf(kSearchMovesNames));
}

void AddEngineOptions(CLI::App& sub, MatchCommand& command) {
  AddNumber(sub, "--overhead", command.overhead_ms,
            "Milliseconds that a network leaves of its time for everything else", 0, 100'000);
  AddNumber(sub, "--time-margin", command.time_margin_ms,
            "Milliseconds by which a move may be late before it loses on time", 0, 100'000);
  AddNumber(sub, "--start-timeout", command.start_timeout_s,
            "Seconds an engine has to start, and to be ready for a game", 0.001, 1e6);
  AddNumber(sub, "--answer-timeout", command.answer_timeout_s,
            "Seconds after which an engine that is given no time counts as hung", 0.001, 1e6);
  sub.add_option("--engine-log", command.engine_log,
                 "Write all that is said to engines and by them to this file")
      ->type_name("FILE");
}

void AddStartOptions(CLI::App& sub, MatchCommand& command) {
  MatchSettings& settings = command.settings;
  sub.add_option("--openings", command.openings,
                 "Where pairs of games start, both of a pair alike: random (legal moves), balanced "
                 "(those that a short search finds as good as the start for both sides), none, or "
                 "a file of FEN, EPD or move lists, one a line, or of PGN")
      ->capture_default_str()
      ->type_name("random|balanced|none|FILE");
  AddNumber(sub, "--opening-plies", settings.openings.plies,
            "Plies of random and balanced openings", 0, 1000);
  AddNumber(sub, "--opening-bound", settings.openings.balance_bound,
            "Hundredths of a pawn by which a balanced opening may be better for a side than the "
            "start",
            1, 100'000);
  sub.add_option("--opening-order", command.opening_order,
                 "Order of a file's openings; the seed shuffles them")
      ->capture_default_str()
      ->check(OneOf(kOpeningOrderNames));
  sub.add_option("--openings-out", command.openings_out,
                 "Write the openings to this file; --openings reads it to repeat the match")
      ->type_name("FILE");
  sub.add_option("--fen", settings.start_fen, "Start from this position instead of the game's own")
      ->type_name("FEN");
  AddNumber(sub, "--kings-landing", settings.game.kings_landing,
            "serbest: the king is placed on own ranks 1 to this", 7, 8);
  sub.add_option("--seed", settings.seed, "Seed of openings and of the players' dice")
      ->capture_default_str();
}

void AddEndOptions(CLI::App& sub, MatchCommand& command) {
  AddNumber(sub, "--max-plies", command.settings.max_plies,
            "A game of this length is a draw ('cap')", 1, 1'000'000);
  sub.add_option("--resign", command.resign,
                 "A player loses whose own score is at most -SCORE hundredths of a pawn in so many "
                 "moves in a row")
      ->expected(2)
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("SCORE MOVES");
  sub.add_flag("--resign-both", command.resign_both,
               "... only if the other player's score is at least SCORE in as many moves");
  sub.add_option("--draw", command.draw,
                 "Draw when both scores are at most SCORE from 0 in so many moves of each in a "
                 "row, not before move FROM")
      ->expected(3)
      ->check(CLI::Range(0, 1'000'000))
      ->type_name("SCORE MOVES FROM");
  sub.add_option("--sprt", command.sprt,
                 "End once it is decided between these two Elo differences (normalised ones, "
                 "unless --sprt-model says otherwise)")
      ->expected(2)
      ->type_name("ELO0 ELO1");
  sub.add_option("--sprt-model", command.sprt_model,
                 "What the differences of --sprt are measured in")
      ->capture_default_str()
      ->check(OneOf(kSprtModelNames));
  AddNumber(sub, "--sprt-alpha", command.sprt_alpha,
            "Chance that ELO1 is accepted where ELO0 holds", 0.0001, 0.4999);
  AddNumber(sub, "--sprt-beta", command.sprt_beta, "Chance that ELO0 is accepted where ELO1 holds",
            0.0001, 0.4999);
}

void AddMachineOptions(CLI::App& sub, MatchCommand& command) {
  MatchSettings& settings = command.settings;
  AddNumber(sub, "--concurrency", settings.concurrency,
            "Games at once in each thread; 0 takes " + std::to_string(kBatchedGames) +
                ", but one after the other where a player is a UCI engine or has its time limited",
            0, 65536);
  AddNumber(sub, "--threads", settings.threads, "Threads; 0 takes one for each core", 0, 1024);
  AddNumber(sub, "--leaves", command.leaves,
            "Leaves of one tree in a batch; more than 1 is faster for few games at once, but then "
            "the games depend on the concurrency",
            1, 1024);
  AddDeviceOptions(sub, command.inference);
}

void AddOutputOptions(CLI::App& sub, MatchCommand& command) {
  sub.add_option("--pgn", command.pgn, "Append each game to this file as it ends")
      ->type_name("FILE");
  sub.add_option("--resume", command.resume,
                 "Go on with the match that wrote this file with --pgn: its games count, the rest "
                 "is played and appended. The other options must be those of that match; --pairs "
                 "may be more")
      ->type_name("FILE");
  AddNumber(sub, "--interval", command.interval,
            "Print the statistics so far on stderr each so many pairs (0: now and then)", 0,
            10'000'000);
  sub.add_flag("--json", command.json, "Print one JSON object");
}

// The value for this player: its own, or that of both.
template <class T>
const T& ValueFor(const MatchCommand& command, size_t player, T PlayerOptions::*member) {
  const T& own = command.each[player].*member;
  return own == T{} ? command.both.*member : own;
}

MoveLimits LimitsOf(const MatchCommand& command, size_t player) {
  MoveLimits limits;
  limits.margin_ms = command.time_margin_ms;
  // A limit of its own kind replaces a limit of time that is for both.
  const PlayerOptions& own = command.each[player];
  const bool own_time = own.movetime_ms.has_value() || !own.time_control.empty();
  const bool no_time = own.nodes.has_value() && !own_time;
  limits.nodes = own_time ? own.nodes : ValueFor(command, player, &PlayerOptions::nodes);
  if (no_time) return limits;
  limits.movetime_ms = own_time ? own.movetime_ms : command.both.movetime_ms;
  const std::string& control = own_time ? own.time_control : command.both.time_control;
  if (!control.empty()) limits.clock = ParseTimeControl(control);
  return limits;
}

std::vector<std::pair<std::string, std::string>> EngineOptionsOf(const MatchCommand& command,
                                                                 size_t player) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const PlayerOptions* const part : {&command.both, &command.each[player]}) {
    for (const std::string& text : part->engine_options) {
      const size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw InputError("--option '" + Printable(text) + "' must be NAME=VALUE, such as Hash=64");
      }
      options.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return options;
}

std::string LimitsText(const PlayerSettings& settings) {
  const MoveLimits& limits = settings.limits;
  std::string text = limits.clock ? Text(*limits.clock) : "";
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " ") + part; };
  if (limits.movetime_ms) add(std::to_string(*limits.movetime_ms) + " ms");
  if (limits.nodes || !limits.timed()) {
    add(std::to_string(limits.nodes.value_or(settings.search.simulations)) + " nodes");
  }
  return text;
}

}  // namespace

void AddMatchOptions(CLI::App& sub, MatchCommand& command) {
  sub.add_option("--game", command.game, "The game: " + GameNamesText())->required();
  const std::string players = "One of: " + std::string(kPlayerForms);
  sub.add_option("--a", command.players[0], "Player A. " + players)->type_name("PLAYER");
  sub.add_option("--b", command.players[1], "Player B. " + players)->type_name("PLAYER");
  sub.add_option("--self", command.self,
                 "Instead of both: this player against itself, one game from each opening, for the "
                 "balance of the sides, endings and lengths")
      ->type_name("PLAYER");
  sub.add_option("--name-a", command.names[0], "What reports call A")->type_name("NAME");
  sub.add_option("--name-b", command.names[1], "What reports call B")->type_name("NAME");
  AddNumber(sub, "--pairs", command.settings.pairs, "Pairs of games, or games with --self", 1,
            10'000'000);
  InGroup(sub, "Players", [&] { AddPlayerOptions(sub, "", command.both); });
  InGroup(sub, "Player A, where it differs", [&] { AddPlayerOptions(sub, "-a", command.each[0]); });
  InGroup(sub, "Player B, where it differs", [&] { AddPlayerOptions(sub, "-b", command.each[1]); });
  InGroup(sub, "Time and engines", [&] { AddEngineOptions(sub, command); });
  InGroup(sub, "Start", [&] { AddStartOptions(sub, command); });
  InGroup(sub, "End", [&] { AddEndOptions(sub, command); });
  InGroup(sub, "Machine", [&] { AddMachineOptions(sub, command); });
  InGroup(sub, "Output", [&] { AddOutputOptions(sub, command); });
}

void CompleteSettings(MatchCommand& command) {
  MatchSettings& settings = command.settings;
  const OpeningSettings parsed = ParseOpenings(command.openings);
  settings.openings.source = parsed.source;
  settings.openings.file = parsed.file;
  settings.openings.order = ChoiceOf<OpeningOrder>(command.opening_order, kOpeningOrderNames);
  std::error_code error;
  if (std::filesystem::equivalent(command.openings, command.openings_out, error) && !error) {
    throw InputError("match: --openings-out would overwrite the file of --openings");
  }
  if (!command.resume.empty() && !command.pgn.empty() && command.pgn != command.resume) {
    throw InputError("match: --resume appends to its own file; leave --pgn out");
  }
  const auto& [a, b] = command.players;
  if (command.self.empty() ? a.empty() || b.empty() : !a.empty() || !b.empty()) {
    throw InputError("match: give both --a and --b, or --self alone");
  }
  if (!command.self.empty()) {
    if (!command.sprt.empty()) throw InputError("match: --sprt compares two players, not --self");
    command.players = {command.self, command.self};
    settings.games_of_pair = 1;
  }
  if (settings.threads == 0) {
    settings.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }
  if (!command.sprt.empty()) {
    settings.sprt = SprtSettings{.elo0 = command.sprt[0],
                                 .elo1 = command.sprt[1],
                                 .alpha = command.sprt_alpha,
                                 .beta = command.sprt_beta,
                                 .model = ChoiceOf<SprtModel>(command.sprt_model, kSprtModelNames)};
  }
  if (command.resign_both && command.resign.empty()) {
    throw InputError("match: --resign-both needs --resign");
  }
  if (!command.resign.empty()) {
    settings.adjudication.resign = ResignRule{
        .centipawns = command.resign[0], .moves = command.resign[1], .both = command.resign_both};
  }
  if (!command.draw.empty()) {
    settings.adjudication.draw = DrawRule{.centipawns = command.draw[0],
                                          .moves = std::max(1, command.draw[1]),
                                          .from_move = command.draw[2]};
  }
}

Contestant ContestantOf(const MatchCommand& command, size_t player) {
  Contestant contestant{.spec = command.players[player], .name = command.names[player]};
  PlayerSettings& settings = contestant.settings;
  settings.inference = command.inference;
  settings.limits = LimitsOf(command, player);
  settings.search.simulations =
      static_cast<int>(settings.limits.nodes.value_or(settings.search.simulations));
  const std::string& algorithm = ValueFor(command, player, &PlayerOptions::algorithm);
  if (!algorithm.empty()) {
    settings.search.algorithm = ChoiceOf<RootAlgorithm>(algorithm, kRootAlgorithmNames);
  }
  const std::string& precision = ValueFor(command, player, &PlayerOptions::precision);
  if (!precision.empty()) {
    settings.inference.precision = ChoiceOf<Precision>(precision, kPrecisionNames);
  }
  settings.leaves_per_search = command.leaves;
  settings.overhead_ms = command.overhead_ms;
  settings.engine.options = EngineOptionsOf(command, player);
  const std::string& search_moves = ValueFor(command, player, &PlayerOptions::search_moves);
  if (!search_moves.empty()) {
    settings.engine.search_moves = ChoiceOf<SearchMoves>(search_moves, kSearchMovesNames);
  }
  settings.engine.start_timeout_ms = std::llround(1000.0 * command.start_timeout_s);
  settings.engine.answer_timeout_ms = std::llround(1000.0 * command.answer_timeout_s);
  return contestant;
}

std::string ConditionsOf(const MatchCommand& command) {
  std::array<std::string, 2> limits;
  for (size_t player = 0; player < 2; ++player) {
    const PlayerKind kind = ParsePlayerSpec(command.players[player]).kind;
    if (kind == PlayerKind::kCheckpoint || kind == PlayerKind::kUci) {
      limits[player] = LimitsText(ContestantOf(command, player).settings);
    }
  }
  std::string text = limits[0];
  if (!limits[0].empty() && !limits[1].empty() && limits[0] != limits[1]) {
    text = "A " + limits[0] + ", B " + limits[1];
  } else if (text.empty()) {
    text = limits[1];
  }
  return text + (text.empty() ? "" : ", ") + OpeningsText(command.settings.openings);
}

}  // namespace khanzero
