// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero match: pairs of games between two players, and what they say.
#include "play/match.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/signals.h"
#include "env/error.h"
#include "env/games.h"
#include "play/player_spec.h"

namespace khanzero {

namespace {

struct MatchCommand {
  std::string game;
  std::string a;
  std::string b;
  int nodes = 100;
  std::string algorithm = "puct";
  std::string algorithm_b;  // empty: that of both
  int leaves = 1;
  std::string device = "auto";
  std::string precision = "auto";
  std::string pgn;
  bool json = false;
  std::vector<double> sprt;
  MatchSettings settings;
};

template <class Choice, size_t kCount>
Choice ChoiceOf(const std::string& name, const ChoiceNames<kCount>& names) {
  return static_cast<Choice>(std::ranges::find(names, name) - names.begin());
}

template <size_t kCount>
std::vector<std::string> Names(const ChoiceNames<kCount>& names) {
  return {names.begin(), names.end()};
}

PlayerSettings SettingsOf(const MatchCommand& command) {
  PlayerSettings settings;
  settings.search.algorithm = ChoiceOf<RootAlgorithm>(command.algorithm, kRootAlgorithmNames);
  settings.search.simulations = command.nodes;
  settings.inference.precision = ChoiceOf<Precision>(command.precision, kPrecisionNames);
  settings.inference.device = command.device;
  settings.leaves_per_search = command.leaves;
  return settings;
}

// The score so far on stderr: one line that is rewritten on a terminal, else a line now and then.
class Progress {
 public:
  explicit Progress(int pairs) : games_(2 * static_cast<long long>(pairs)) {}

  void Show(const MatchResult& result) {
    using Clock = std::chrono::steady_clock;
    const auto now = Clock::now();
    if (now - shown_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10))) {
      return;
    }
    shown_ = now;
    std::fprintf(stderr, "%s%lld of %lld games: +%lld =%lld -%lld, %.1f %%%s",
                 terminal_ ? "\r\033[K" : "", static_cast<long long>(result.total.games()), games_,
                 static_cast<long long>(result.total.wins),
                 static_cast<long long>(result.total.draws),
                 static_cast<long long>(result.total.losses), 100.0 * result.total.score(),
                 terminal_ ? "" : "\n");
  }
  void Clear() const {
    if (terminal_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  long long games_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

// Appends games to a file, each as it ends.
class PgnFile {
 public:
  explicit PgnFile(const std::string& path) : path_(path), file_(path, std::ios::app) {
    if (!file_) throw InputError("the PGN file '" + path + "' cannot be opened for writing");
  }
  void Append(const std::string& game) {
    file_ << game << std::flush;
    if (!file_) throw RuntimeFailure("writing to '" + path_ + "' failed; is the disk full?");
  }

 private:
  std::string path_;
  std::ofstream file_;
};

std::string ConditionsOf(const MatchCommand& command) {
  const auto searches = [](const std::string& spec) {
    return ParsePlayerSpec(spec).kind == PlayerKind::kCheckpoint;
  };
  std::string text;
  if (searches(command.a) || searches(command.b)) {
    text = std::to_string(command.nodes) + " nodes, ";
  }
  return text + std::to_string(command.settings.opening_plies) + " random plies";
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 16> text;
  std::strftime(text.data(), text.size(), "%Y.%m.%d", &utc);
  return text.data();
}

void Run(MatchCommand command) {
  MatchSettings& settings = command.settings;
  const std::string conditions = ConditionsOf(command);
  if (settings.threads == 0) {
    settings.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }
  if (!command.sprt.empty()) {
    settings.sprt = SprtSettings{.elo0 = command.sprt[0], .elo1 = command.sprt[1]};
  }
  const StopOnSignals signals;
  settings.stop = signals.token();
  settings.date = Today();
  std::unique_ptr<PgnFile> pgn;
  if (!command.pgn.empty()) {
    pgn = std::make_unique<PgnFile>(command.pgn);
    settings.on_pgn = [&](const std::string& game) { pgn->Append(game); };
  }
  Progress progress(settings.pairs);
  settings.on_game = [&](const MatchResult& result) { progress.Show(result); };
  const PlayerSettings player_a = SettingsOf(command);
  PlayerSettings player_b = player_a;
  if (!command.algorithm_b.empty()) {
    player_b.search.algorithm = ChoiceOf<RootAlgorithm>(command.algorithm_b, kRootAlgorithmNames);
  }
  const MatchResult result = PlayMatch(command.game, {.spec = command.a, .settings = player_a},
                                       {.spec = command.b, .settings = player_b}, settings);
  progress.Clear();
  if (signals.token().stop_requested()) std::fprintf(stderr, "stopped early\n");
  std::cout << (command.json ? ResultJson(result, settings, conditions) + "\n"
                             : ResultText(result, settings, conditions));
}

void AddMatchOptions(CLI::App& sub, MatchCommand& command) {
  MatchSettings& settings = command.settings;
  const auto number = [&](const char* name, auto& value, const char* meaning, auto least,
                          auto most) {
    sub.add_option(name, value, meaning)
        ->capture_default_str()
        ->check(CLI::Range(least, most))
        ->type_name("N");
  };
  number("--pairs", settings.pairs, "Pairs of games", 1, 10'000'000);
  number("--nodes,--simulations", command.nodes, "Simulations a network player has for each move",
         1, 10'000'000);
  number("--opening-plies", settings.opening_plies,
         "Random plies before each pair of games, the same for both", 0, 1000);
  number("--max-plies", settings.max_plies, "A game of this length is a draw ('cap')", 1,
         1'000'000);
  number("--concurrency", settings.concurrency, "Games at once in each thread", 1, 65536);
  number("--threads", settings.threads, "Threads; 0 takes one for each core", 0, 1024);
  number("--leaves", command.leaves,
         "Leaves of one tree in a batch; more than 1 is faster for few games at once, but then the "
         "games depend on the concurrency",
         1, 1024);
  number("--kings-landing", settings.game.kings_landing,
         "serbest: the king is placed on own ranks 1 to this", 7, 8);
  sub.add_option("--seed", settings.seed, "Seed of openings and of the players' dice")
      ->capture_default_str();
  sub.add_option("--fen", settings.start_fen, "Start from this position instead")->type_name("FEN");
  sub.add_option("--algorithm", command.algorithm, "Search of network players")
      ->capture_default_str()
      ->check(CLI::IsMember(Names(kRootAlgorithmNames)));
  sub.add_option("--algorithm-b", command.algorithm_b,
                 "Search of player b, where it is another; both may be one checkpoint")
      ->check(CLI::IsMember(Names(kRootAlgorithmNames)));
  sub.add_option("--device", command.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  sub.add_option("--precision", command.precision, "Arithmetic of the network")
      ->capture_default_str()
      ->check(CLI::IsMember(Names(kPrecisionNames)));
  sub.add_option("--sprt", command.sprt,
                 "End once it is decided between these two normalised Elo differences (errors 5 %)")
      ->expected(2)
      ->type_name("ELO0 ELO1");
  sub.add_option("--pgn", command.pgn, "Append each game to this file as it ends")
      ->type_name("FILE");
  sub.add_flag("--json", command.json, "Print one JSON object");
}

}  // namespace

void AddMatch(CLI::App& app) {
  const auto command = std::make_shared<MatchCommand>();
  command->settings.threads = 0;
  CLI::App* const sub = app.add_subcommand("match", "Games between two players");
  const std::string players = "One of: " + std::string(kPlayerForms);
  sub->add_option("--game", command->game, "The game: " + GameNamesText())->required();
  sub->add_option("--a", command->a, players)->required()->type_name("PLAYER");
  sub->add_option("--b", command->b, players)->required()->type_name("PLAYER");
  AddMatchOptions(*sub, *command);
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
