// SPDX-License-Identifier: GPL-3.0-or-later
//
// The other side of UCI: starts an engine, sets its options, and asks it for moves. It knows no
// rules; what the engine answers is only text until a referee has looked at it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "env/settings.h"
#include "play/engine_process.h"
#include "play/uci_game.h"

namespace khanzero {

// What a player says of its move, from its own point of view.
struct MoveReport {
  std::optional<int> centipawns{};
  std::optional<int> mate{};  // in so many moves; negative: it is mated
  int depth = 0;              // 0: not said
  int64_t nodes = 0;          // 0: not said

  bool empty() const { return !centipawns && !mate && depth == 0 && nodes == 0; }
  // One number for rules that look at scores: a mate counts as 30,000 less its moves.
  std::optional<int> score() const;
};

// "+0.36/24 1.2s, n=800", as comments in PGN say it; parts that were not said are left out.
std::string Text(const MoveReport& report, int64_t elapsed_ms);

enum class SearchMoves { kAuto, kOn, kOff };
inline constexpr ChoiceNames<3> kSearchMovesNames = {"auto", "on", "off"};

struct UciClientSettings {
  std::vector<std::pair<std::string, std::string>> options{};  // in this order
  // Whether `go` lists the legal moves, for an engine that only approximates the rules. Auto: where
  // the game has settings that the engine has no option for.
  SearchMoves search_moves = SearchMoves::kAuto;
  int64_t start_timeout_ms = 30'000;   // for uciok and readyok
  int64_t answer_timeout_ms = 60'000;  // for a move, where no time is given
  // Is given every line to ("> go nodes 1") and from ("< bestmove e2e4") the engine; may be called
  // by several threads at once.
  std::function<void(const std::string&)> log{};
};

// The arguments of `go`, without searchmoves.
std::string GoText(const UciLimits& limits);

class UciClient {
 public:
  using Clock = EngineProcess::Clock;

  // Starts the engine and waits until it is ready. Throws InputError when it cannot be run, does
  // not speak UCI, does not know the game, or has no option of a name in `settings`.
  // `kings_landing` is 0 for a game that has no such setting.
  UciClient(const std::string& command, const std::string& variant, int kings_landing,
            const UciClientSettings& settings, std::stop_token stop);
  // Asks the engine to quit, and ends it when it does not.
  ~UciClient();
  UciClient(const UciClient&) = delete;
  UciClient& operator=(const UciClient&) = delete;

  // As "id name" said.
  const std::string& engine_name() const { return engine_name_; }
  // Whether `go` shall list the legal moves.
  bool lists_moves() const { return lists_moves_; }

  struct Answer {
    EngineProcess::Read status = EngineProcess::Read::kLine;
    std::string move{};  // after "bestmove"; empty when there is none
    MoveReport report{};
    std::chrono::microseconds elapsed{0};
  };
  // Begins another game: ucinewgame, and waits until the engine is ready.
  EngineProcess::Read NewGame();
  // Sends both lines and waits for the bestmove, `timeout_ms` from when the second was sent. After
  // any other status than kLine the engine is of no more use.
  Answer Go(const std::string& position, const std::string& go, int64_t timeout_ms);

  // See EngineProcess.
  std::string DescribeEnd() { return process_.DescribeEnd(); }

 private:
  // Lines that are no UCI are passed over, as the protocol asks, but not for ever.
  static constexpr int kMostForeignLines = 1000;

  bool Send(const std::string& line);
  EngineProcess::Read Receive(std::string& line, Clock::time_point deadline);
  // Reads until a line begins with `word`. Others go to `other` with their first word.
  EngineProcess::Read WaitFor(
      const std::string& word, Clock::time_point deadline, std::string& line,
      const std::function<void(const std::string& first, const std::string& line)>& other);
  void Identify();
  void SetOptions(const std::string& variant, int kings_landing);
  void SetOption(const std::string& name, const std::string& value);
  // The engine's own spelling of an option's name; nothing when it has none such.
  std::optional<std::string> FindOption(const std::string& name) const;
  void CheckVariant(const std::string& variant);
  [[noreturn]] void FailToStart(const std::string& what);
  Clock::time_point StartDeadline() const;

  std::string command_;
  UciClientSettings settings_;
  std::stop_token stop_;
  EngineProcess process_;
  bool usable_ = false;
  std::string engine_name_;
  bool lists_moves_ = false;
  std::map<std::string, std::string> option_lines_;  // by name
};

}  // namespace khanzero
