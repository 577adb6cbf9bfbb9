// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/match_resume.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "env/games.h"
#include "model/files.h"
#include "play/pgn_check.h"
#include "play/pgn_replay.h"
#include "play/player_spec.h"

namespace khanzero {

namespace {

// ';' separates the values.
std::string WithoutSeparator(std::string text) {
  for (char& c : text) {
    if (c == ';' || c == '\n') c = ',';
  }
  return text;
}

std::string PlayerText(const Contestant& player) {
  if (player.evaluator != nullptr) return "network";
  const PlayerSpec spec = ParsePlayerSpec(player.spec);
  if (spec.kind != PlayerKind::kCheckpoint) return player.spec;
  // A checkpoint's list of files has a checksum of each; an export is one file.
  const bool is_file = std::filesystem::is_regular_file(spec.checkpoint);
  return spec.checkpoint.filename().string() + " " +
         ChecksumOf(ReadFile(is_file ? spec.checkpoint : spec.checkpoint / "checkpoint.json"));
}

std::string LimitsText(const PlayerSettings& settings) {
  const MoveLimits& limits = settings.limits;
  std::string text = limits.timed() ? TimeControlTag(limits) : "";
  if (limits.nodes || !limits.timed()) {
    text += (text.empty() ? "" : " ") +
            std::to_string(limits.nodes.value_or(settings.search.simulations)) + " nodes";
  }
  return text;
}

std::string SearchText(const PlayerSettings& settings) {
  std::string text(kRootAlgorithmNames[static_cast<size_t>(settings.search.algorithm)]);
  if (settings.leaves_per_search != 1) {
    text += " leaves " + std::to_string(settings.leaves_per_search);
  }
  for (const auto& [name, value] : settings.engine.options) text += " " + name + "=" + value;
  return text;
}

std::string OpeningsIdentity(const OpeningSettings& openings) {
  std::string text = OpeningsText(openings);
  if (openings.source == OpeningSource::kBalanced) {
    text += " within " + std::to_string(openings.balance_bound);
  }
  if (openings.source == OpeningSource::kFile) {
    text += " " + std::string(kOpeningOrderNames[static_cast<size_t>(openings.order)]) + " " +
            ChecksumOf(ReadOpeningsFile(openings.file));
  }
  return text;
}

std::string AdjudicationText(const AdjudicationSettings& settings) {
  std::string text;
  if (settings.resign) {
    text += "resign " + std::to_string(settings.resign->centipawns) + " " +
            std::to_string(settings.resign->moves) + (settings.resign->both ? " both" : "");
  }
  if (settings.draw) {
    text += (text.empty() ? "" : " ") + ("draw " + std::to_string(settings.draw->centipawns)) +
            " " + std::to_string(settings.draw->moves) + " " +
            std::to_string(settings.draw->from_move);
  }
  return text.empty() ? "none" : text;
}

class MatchReader {
 public:
  MatchReader(const std::string& source, const std::array<std::string, 2>& names,
              const MatchSettings& settings, const MatchIdentity& identity)
      : source_(source), names_(names), settings_(settings), identity_(identity) {}

  PlayedMatch Read(std::string_view pgn) {
    PlayedMatch played;
    PgnReader reader(pgn, source_);
    while (const auto game = reader.Next()) {
      if (played.cut_line > 0) {
        Refuse(played.cut_line, "a game is cut off before the end of the file");
      }
      if (game->cut_off()) {
        played.cut_line = game->line;
        played.kept_bytes = game->begin;
        continue;
      }
      played.games.push_back(Finished(*game));
    }
    if (played.cut_line == 0) played.kept_bytes = pgn.size();
    return played;
  }

 private:
  [[noreturn]] void Refuse(int line, const std::string& what) const {
    throw InputError(source_ + ":" + std::to_string(line) + ": " + what +
                     "; the match cannot be resumed from this file");
  }

  FinishedGame Finished(const PgnRecord& game) {
    const auto tag = game.Tag("Match");
    if (!tag) Refuse(game.line, "the game has no tag Match, which games of a match have");
    const std::string difference = identity_.Difference(*tag);
    if (!difference.empty()) Refuse(game.line, "the game is of another match: " + difference);
    const auto round = ParseRound(game.Tag("Round").value_or(""));
    const bool known = round && round->pair < settings_.pairs &&
                       (settings_.games_of_pair == 2 || round->side_of_a == Color::kWhite);
    if (!known) {
      Refuse(game.line, "its Round is '" + Printable(game.Tag("Round").value_or("")) +
                            "', which is none of this match of " + std::to_string(settings_.pairs) +
                            " pairs");
    }
    const bool a_is_white = round->side_of_a == Color::kWhite;
    CheckName(game, "White", names_[a_is_white ? 0 : 1]);
    CheckName(game, "Black", names_[a_is_white ? 1 : 0]);
    if (!seen_.insert({round->pair, a_is_white}).second) {
      Refuse(game.line, "the game of Round " + *game.Tag("Round") + " is there twice");
    }
    return Replayed(game, *round);
  }

  void CheckName(const PgnRecord& game, const char* side, const std::string& name) const {
    const std::string there = game.Tag(side).value_or("");
    if (there == name) return;
    Refuse(game.line, std::string(side) + " is '" + Printable(there) + "' there and '" +
                          Printable(name) + "' here");
  }

  FinishedGame Replayed(const PgnRecord& game, const Round& round) const {
    FinishedGame finished{.round = round,
                          .result = ParseResult(game.result).value_or(Result::kOngoing),
                          .reason = game.ending,
                          .plies = static_cast<int>(game.moves.size())};
    try {
      CheckPgnGame(game);
      WithGame(*game.Tag("Variant"), [&]<class G>() {
        const ReplayedPgn<G> replayed = ReplayPgn<G>(game);
        finished.moves_key = MovesKey(replayed.start.key(), replayed.moves);
      });
    } catch (const PgnFault& fault) {
      Refuse(fault.line(), fault.what());
    }
    if (finished.result == Result::kOngoing || finished.reason.empty()) {
      Refuse(game.line, "the game has no result, or does not say how it ended");
    }
    return finished;
  }

  const std::string& source_;
  const std::array<std::string, 2>& names_;
  const MatchSettings& settings_;
  const MatchIdentity& identity_;
  std::set<std::pair<int64_t, bool>> seen_;  // pair, A is White
};

}  // namespace

MatchIdentity::MatchIdentity(const std::string& game, const std::array<Contestant, 2>& players,
                             const MatchSettings& settings) {
  const auto add = [&](std::string name, std::string value) {
    values_.emplace_back(std::move(name), WithoutSeparator(std::move(value)));
  };
  const GameInfo info = InfoOfGame(game);
  add("game", game);
  add("rules", std::to_string(info.rules_version));
  for (size_t i = 0; i < 2; ++i) {
    const std::string letter = i == 0 ? "a" : "b";
    add(letter, PlayerText(players[i]));
    add("limits of " + letter, LimitsText(players[i].settings));
    add("search of " + letter, SearchText(players[i].settings));
  }
  add("seed", std::to_string(settings.seed));
  add("openings", OpeningsIdentity(settings.openings));
  add("start", settings.start_fen.empty() ? "usual" : settings.start_fen);
  add("kings landing", std::to_string(settings.game.kings_landing));
  add("max plies", std::to_string(settings.max_plies));
  add("adjudication", AdjudicationText(settings.adjudication));
  add("games of a pair", std::to_string(settings.games_of_pair));
}

std::string MatchIdentity::Text() const {
  std::string text;
  for (const auto& [name, value] : values_) {
    text += (text.empty() ? "" : "; ") + name + "=" + value;
  }
  return text;
}

std::string MatchIdentity::Difference(const std::string& tag) const {
  if (tag == Text()) return "";
  std::map<std::string, std::string> theirs;
  for (size_t start = 0; start < tag.size();) {
    const size_t end = std::min(tag.find("; ", start), tag.size());
    const std::string part = tag.substr(start, end - start);
    const size_t equals = std::min(part.find('='), part.size());
    theirs[part.substr(0, equals)] = part.substr(std::min(equals + 1, part.size()));
    start = end + 2;
  }
  for (const auto& [name, value] : values_) {
    const auto other = theirs.find(name);
    const std::string there = other == theirs.end() ? "not said" : Printable(other->second);
    if (there != Printable(value)) {
      return name + " is '" + there + "' there and '" + Printable(value) + "' here";
    }
  }
  return "its tag Match says more than this program knows";
}

PlayedMatch ReadPlayedMatch(std::string_view pgn, const std::string& source,
                            const std::array<std::string, 2>& names, const MatchSettings& settings,
                            const MatchIdentity& identity) {
  return MatchReader(source, names, settings, identity).Read(pgn);
}

}  // namespace khanzero
