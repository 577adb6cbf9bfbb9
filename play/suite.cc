// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/suite.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "env/games.h"
#include "play/make_player.h"

namespace khanzero {

namespace {

// The word for a side's result.
constexpr std::array<std::string_view, 3> kResultNames = {"win", "draw", "loss"};

bool Contains(const std::vector<Move>& moves, Move move) {
  return std::ranges::find(moves, move) != moves.end();
}

template <Game G>
class SuiteRun {
 public:
  using Position = typename G::Position;

  SuiteRun(const std::vector<SuitePosition>& positions, const SuiteSettings& settings)
      : settings_(settings), player_name_(ParsePlayerSpec(settings.player).name) {
    for (const SuitePosition& position : positions) {
      try {
        Add(position);
      } catch (const InputError& error) {
        throw InputError(settings_.source + ":" + std::to_string(position.line) + ": " +
                         error.what());
      }
    }
  }

  SuiteReport Run() {
    SuiteReport report{
        .game = std::string(G::kName), .player = player_name_, .source = settings_.source};
    for (const Entry& entry : entries_) {
      // An engine is told the settings of a game when it starts.
      std::unique_ptr<Player<G>>& player = players_[entry.start.settings().kings_landing];
      if (!player) {
        player = MakePlayer<G>(settings_.player, settings_.player_settings, entry.start.settings());
      }
    }
    const auto step = static_cast<size_t>(settings_.concurrency);
    for (size_t begin = 0; begin < entries_.size(); begin += step) {
      const size_t end = std::min(begin + step, entries_.size());
      std::vector<Entry*> entries;
      for (size_t i = begin; i < end; ++i) entries.push_back(&entries_[i]);
      Solve(entries);
      if (settings_.stop.stop_requested()) break;
      for (const Entry* const entry : entries) report.answers.push_back(entry->answer);
      if (settings_.progress) settings_.progress(end);
    }
    return report;
  }

 private:
  struct Entry {
    Position start;
    GameState<G> game;
    std::vector<Move> moves{};  // from `start`
    uint64_t number = 0;
    std::vector<Move> best{};
    std::vector<Move> avoid{};
    uint64_t seed = 0;
    int plies = 0;
    SuiteAnswer answer{};

    Color solver = Color::kWhite;
    Outcome outcome{};
    std::string fault{};
  };

  void Add(const SuitePosition& position) {
    const Position start = position.fen.empty()
                               ? Position::Start(position.settings)
                               : Position::FromFen(position.fen, position.settings);
    GameState<G> game(start);
    std::vector<Move> moves;
    for (const std::string& move : position.moves) {
      moves.push_back(G::TextToMove(game.position(), move));
      game.Play(moves.back());
    }
    if (game.position().ComputeOutcome().over()) {
      throw InputError("the game is over in this position");
    }
    Entry entry{.start = start,
                .game = game,
                .moves = std::move(moves),
                .number = entries_.size(),
                .seed = Mix64(settings_.seed) + entries_.size(),
                .answer = {.position = position},
                .solver = game.position().side_to_move()};
    for (const std::string& move : position.best) {
      entry.best.push_back(G::TextToMove(game.position(), move));
    }
    for (const std::string& move : position.avoid) {
      entry.avoid.push_back(G::TextToMove(game.position(), move));
    }
    entries_.push_back(std::move(entry));
  }

  // Plays one move in each, then those on whose result is asked for.
  void Solve(std::vector<Entry*> entries) {
    std::vector<Entry*> all = entries;
    while (!entries.empty() && !settings_.stop.stop_requested()) {
      PlayMoves(entries);
      std::erase_if(entries, [&](Entry* entry) {
        return !entry->answer.position.result || entry->outcome.over() ||
               entry->plies >= settings_.max_plies;
      });
    }
    for (Entry* const entry : all) Judge(*entry);
  }

  void PlayMoves(const std::vector<Entry*>& entries) {
    for (const auto& [landing, player] : players_) {
      std::vector<Entry*> own;
      std::ranges::copy_if(entries, std::back_inserter(own), [&](const Entry* entry) {
        return entry->start.settings().kings_landing == landing;
      });
      if (!own.empty()) PlayMoves(*player, own);
    }
  }

  void PlayMoves(Player<G>& player, const std::vector<Entry*>& entries) {
    std::vector<Turn<G>> turns;
    for (const Entry* const entry : entries) {
      turns.push_back({.game = &entry->game,
                       .seed = Mix64(entry->seed + static_cast<uint64_t>(entry->plies)),
                       .game_number = entry->number,
                       .start = &entry->start,
                       .moves = entry->moves,
                       .limits = UntimedLimits(settings_.player_settings)});
    }
    std::vector<Choice> choices(turns.size());
    player.Choose(turns, choices);
    for (size_t i = 0; i < choices.size(); ++i) Take(*entries[i], choices[i]);
  }

  static void Take(Entry& entry, const Choice& choice) {
    const bool first = entry.plies++ == 0;
    if (choice.fault != Fault::kNone) {
      // A player that fails has lost its game and solves nothing.
      entry.fault = choice.fault_text;
      if (first) entry.answer.move = "nothing (" + choice.fault_text + ")";
      entry.outcome = {WinFor(~entry.game.position().side_to_move()), EndReason::kNone};
      return;
    }
    if (first) {
      entry.answer.move = G::MoveToText(choice.move);
      entry.answer.solved = (entry.best.empty() || Contains(entry.best, choice.move)) &&
                            !Contains(entry.avoid, choice.move);
    }
    entry.game.Play(choice.move);
    entry.moves.push_back(choice.move);
    entry.outcome = entry.game.position().ComputeOutcome();
  }

  static void Judge(Entry& entry) {
    SuiteAnswer& answer = entry.answer;
    if (!answer.position.result) return;
    const Outcome outcome =
        entry.outcome.over() ? entry.outcome : Outcome{Result::kDraw, EndReason::kPlyCap};
    answer.ending = std::string(Text(outcome.result)) + " " +
                    (entry.fault.empty() ? std::string(Text(outcome.reason)) : entry.fault);
    const SuiteResult reached = outcome.result == Result::kDraw          ? SuiteResult::kDraw
                                : outcome.result == WinFor(entry.solver) ? SuiteResult::kWin
                                                                         : SuiteResult::kLoss;
    answer.solved = answer.solved && entry.fault.empty() && reached == *answer.position.result;
  }

  const SuiteSettings& settings_;
  std::string player_name_;
  std::map<int, std::unique_ptr<Player<G>>> players_;  // by King's Landing
  std::vector<Entry> entries_;
};

std::string ShareText(const SuiteReport::Share& share) {
  std::array<char, 100> text;
  std::snprintf(text.data(), text.size(), "%lld of %lld (%.1f %%)",
                static_cast<long long>(share.solved), static_cast<long long>(share.total),
                100.0 * share.value());
  return text.data();
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + word;
  return text;
}

std::string UnsolvedText(const SuiteAnswer& answer) {
  const SuitePosition& position = answer.position;
  std::string text = "line " + std::to_string(position.line);
  if (!position.id.empty()) text += " (" + Printable(position.id) + ")";
  text += ": " + (position.fen.empty() ? "startpos" : position.fen);
  if (!position.moves.empty()) text += " moves" + Joined(position.moves);
  text += ": played " + answer.move;
  if (!answer.ending.empty()) text += ", ended " + answer.ending;
  text += ";";
  if (!position.best.empty()) text += " best" + Joined(position.best);
  if (!position.avoid.empty()) text += " bad" + Joined(position.avoid);
  if (position.result) {
    text += " result " + std::string(kResultNames[static_cast<size_t>(*position.result)]);
  }
  return text;
}

}  // namespace

double SuiteReport::Share::value() const {
  return total == 0 ? 0.0 : static_cast<double>(solved) / static_cast<double>(total);
}

SuiteReport::Share SuiteReport::Total() const {
  return {.solved = std::ranges::count(answers, true, &SuiteAnswer::solved),
          .total = static_cast<int64_t>(answers.size())};
}

std::map<std::string, SuiteReport::Share> SuiteReport::Groups() const {
  std::map<std::string, Share> groups;
  for (const SuiteAnswer& answer : answers) {
    if (answer.position.group.empty()) continue;
    Share& share = groups[answer.position.group];
    ++share.total;
    share.solved += answer.solved ? 1 : 0;
  }
  return groups;
}

SuiteReport RunSuite(const std::vector<SuitePosition>& positions, const SuiteSettings& settings) {
  if (settings.concurrency < 1) throw InputError("suite: at least 1 position at once is needed");
  return WithGame(settings.game,
                  [&]<class G>() -> SuiteReport { return SuiteRun<G>(positions, settings).Run(); });
}

std::string ToText(const SuiteReport& report, SuiteDetail detail) {
  std::string text = report.player + " on " + report.source + " (" + report.game + "): solved " +
                     ShareText(report.Total()) + "\n";
  for (const auto& [name, share] : report.Groups()) {
    text += "  " + Printable(name) + ": " + ShareText(share) + "\n";
  }
  if (detail == SuiteDetail::kTotals) return text;
  for (const SuiteAnswer& answer : report.answers) {
    if (!answer.solved) text += UnsolvedText(answer) + "\n";
  }
  return text;
}

std::string ToJson(const SuiteReport& report) {
  const auto share_json = [](const SuiteReport::Share& share) {
    return nlohmann::ordered_json{
        {"solved", share.solved}, {"total", share.total}, {"share", share.value()}};
  };
  nlohmann::ordered_json json = {
      {"game", report.game}, {"player", report.player}, {"suite", report.source}};
  json.update(share_json(report.Total()));
  json["groups"] = nlohmann::ordered_json::object();
  for (const auto& [name, share] : report.Groups()) json["groups"][name] = share_json(share);
  json["unsolved"] = nlohmann::ordered_json::array();
  for (const SuiteAnswer& answer : report.answers) {
    if (answer.solved) continue;
    const SuitePosition& position = answer.position;
    nlohmann::ordered_json entry = {{"line", position.line},   {"id", position.id},
                                    {"group", position.group}, {"fen", position.fen},
                                    {"moves", position.moves}, {"played", answer.move},
                                    {"best", position.best},   {"avoid", position.avoid}};
    if (position.result) {
      entry["result"] = kResultNames[static_cast<size_t>(*position.result)];
      entry["ending"] = answer.ending;
    }
    json["unsolved"].push_back(std::move(entry));
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace khanzero
