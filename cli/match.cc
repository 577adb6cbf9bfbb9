// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero match: pairs of games between two players, and what they say.
#include "play/match.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cli/commands.h"
#include "cli/match_options.h"
#include "cli/signals.h"
#include "env/error.h"
#include "play/match_report.h"
#include "play/match_resume.h"
#include "play/pgn_file.h"

namespace khanzero {

namespace {

// The match so far on stderr: one line that is rewritten on a terminal, and the statistics each so
// many pairs, or every half a minute.
class Progress {
 public:
  Progress(const MatchCommand& command, std::string conditions)
      : command_(command), conditions_(std::move(conditions)) {}

  void Show(const MatchResult& result) {
    const auto now = Clock::now();
    const int64_t pairs = command_.self.empty() ? result.pair_count() : result.total.games();
    const bool due = command_.interval > 0
                         ? pairs >= reported_pairs_ + command_.interval
                         : pairs > reported_pairs_ && now - reported_ >= std::chrono::seconds(30);
    if (due) {
      Clear();
      std::fputs(Statistics(result).c_str(), stderr);
      reported_pairs_ = pairs;
      reported_ = now;
    }
    if (terminal_ && now - shown_ >= std::chrono::milliseconds(200)) {
      shown_ = now;
      std::fprintf(stderr, "\r\033[K%s", ProgressText(result, command_.settings).c_str());
    }
  }
  std::string Statistics(const MatchResult& result) const {
    return command_.self.empty() ? ResultText(result, command_.settings, conditions_)
                                 : SelfText(result, conditions_);
  }
  std::string Json(const MatchResult& result) const {
    return command_.self.empty() ? ResultJson(result, command_.settings, conditions_)
                                 : SelfJson(result, command_.settings, conditions_);
  }
  void Clear() const {
    if (terminal_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  using Clock = std::chrono::steady_clock;

  const MatchCommand& command_;
  std::string conditions_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point shown_ = Clock::now();
  Clock::time_point reported_ = Clock::now();
  int64_t reported_pairs_ = 0;
};

// A file that texts are appended to, each written before the next thing happens.
class TextFile {
 public:
  TextFile(const std::string& path, const std::string& what)
      : path_(path), file_(path, std::ios::app) {
    if (!file_) throw InputError("the " + what + " '" + path + "' cannot be opened for writing");
  }
  void Append(const std::string& text) {
    const std::lock_guard lock(mutex_);
    file_ << text << std::flush;
    if (!file_) throw RuntimeFailure("writing to '" + path_ + "' failed; is the disk full?");
  }

 private:
  std::string path_;
  std::mutex mutex_;
  std::ofstream file_;  // guarded by mutex_
};

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 16> text;
  std::strftime(text.data(), text.size(), "%Y.%m.%d", &utc);
  return text.data();
}

// The lines of an openings file, in the order of the pairs, whatever the order they come in.
class OpeningsFile {
 public:
  OpeningsFile(const std::string& path, const std::string& title) : path_(path), file_(path) {
    if (!file_) throw InputError("the file '" + path + "' cannot be opened for writing openings");
    Write("# " + title + "\n");
  }
  void Add(int64_t pair, const std::string& line) {
    waiting_[pair] = line;
    for (auto next = waiting_.find(written_); next != waiting_.end();
         next = waiting_.find(++written_)) {
      Write(next->second + "\n");
      waiting_.erase(next);
    }
  }

 private:
  void Write(const std::string& text) {
    file_ << text << std::flush;
    if (!file_) throw RuntimeFailure("writing openings to '" + path_ + "' failed");
  }

  std::string path_;
  std::ofstream file_;
  std::map<int64_t, std::string> waiting_;
  int64_t written_ = 0;
};

// Takes over what the file of a match that was stopped holds.
void TakePlayedGames(const MatchCommand& command, const std::array<std::string, 2>& names,
                     const MatchIdentity& identity, PgnFile& file, MatchSettings& settings) {
  PlayedMatch played = ReadPlayedMatch(file.Read(), command.resume, names, settings, identity);
  if (played.cut_line > 0) {
    std::fprintf(stderr, "%s:%d: the last game is cut off; it is taken out and played again\n",
                 command.resume.c_str(), played.cut_line);
    file.CutTo(played.kept_bytes);
  }
  std::fprintf(stderr, "%zu of %lld games are played already\n", played.games.size(),
               static_cast<long long>(settings.pairs) * settings.games_of_pair);
  settings.played = std::move(played.games);
}

// The file for the games, or null when none is asked for.
std::unique_ptr<PgnFile> OpenPgn(const MatchCommand& command,
                                 const std::array<Contestant, 2>& players,
                                 MatchSettings& settings) {
  if (command.resume.empty() && command.pgn.empty()) return nullptr;
  const MatchIdentity identity(command.game, players, settings);
  settings.identity = identity.Text();
  if (command.resume.empty()) {
    return std::make_unique<PgnFile>(command.pgn, PgnFile::Use::kAppend);
  }
  auto file = std::make_unique<PgnFile>(command.resume, PgnFile::Use::kResume);
  TakePlayedGames(command, {NameOf(players[0]), NameOf(players[1])}, identity, *file, settings);
  return file;
}

void Run(MatchCommand command) {
  CompleteSettings(command);
  MatchSettings& settings = command.settings;
  std::array<Contestant, 2> players = {ContestantOf(command, 0), ContestantOf(command, 1)};
  Progress progress(command, ConditionsOf(command));
  const StopOnSignals signals;
  settings.stop = signals.token();
  settings.date = Today();
  const std::unique_ptr<PgnFile> pgn = OpenPgn(command, players, settings);
  if (pgn) {
    settings.on_pgn = [&](const FinishedGame&, const std::string& game) { pgn->Append(game); };
  }
  settings.on_note = [](const std::string& note) { std::fprintf(stderr, "%s\n", note.c_str()); };
  std::unique_ptr<OpeningsFile> openings;
  if (!command.openings_out.empty()) {
    openings = std::make_unique<OpeningsFile>(
        command.openings_out, command.game + ", " + OpeningsText(settings.openings) + ", seed " +
                                  std::to_string(settings.seed));
    settings.on_opening = [&](int64_t pair, const std::string& line) { openings->Add(pair, line); };
  }
  std::unique_ptr<TextFile> log;
  if (!command.engine_log.empty()) {
    log = std::make_unique<TextFile>(command.engine_log, "engine log");
    for (size_t i = 0; i < 2; ++i) {
      const std::string whose = i == 0 ? "A " : "B ";
      players[i].settings.engine.log = [&file = *log, whose](const std::string& line) {
        file.Append(whose + line + "\n");
      };
    }
  }
  settings.on_game = [&](const MatchResult& result) { progress.Show(result); };
  const MatchResult result = PlayMatch(command.game, players[0], players[1], settings);
  if (pgn) pgn->Sync();
  progress.Clear();
  if (signals.token().stop_requested()) std::fprintf(stderr, "stopped early\n");
  std::cout << (command.json ? progress.Json(result) + "\n" : progress.Statistics(result));
}

}  // namespace

void AddMatch(CLI::App& app) {
  const auto command = std::make_shared<MatchCommand>();
  command->settings.threads = 0;
  CLI::App* const sub = app.add_subcommand("match", "Games between two players");
  AddMatchOptions(*sub, *command);
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
