// SPDX-License-Identifier: GPL-3.0-or-later
//
// The openings of a match. The opening of pair N depends on the settings, the seed and N alone, so
// it is the same whatever was played before and by however many threads.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "env/error.h"
#include "env/game.h"
#include "env/random.h"
#include "env/settings.h"
#include "play/alpha_beta.h"
#include "play/pgn_replay.h"
#include "play/position_line.h"

namespace khanzero {

enum class OpeningSource { kNone, kRandom, kBalanced, kFile };
enum class OpeningOrder { kSequential, kShuffled };
inline constexpr ChoiceNames<2> kOpeningOrderNames = {"sequential", "shuffled"};

struct OpeningSettings {
  OpeningSource source = OpeningSource::kRandom;
  int plies = 4;           // of random and balanced ones
  int balance_bound = 60;  // hundredths of a pawn that a balanced one may be off the start
  std::string file{};      // FEN, EPD or move lists, one a line, or PGN
  OpeningOrder order = OpeningOrder::kSequential;  // of a file's
};

// "none", "random", "balanced", or a file.
OpeningSettings ParseOpenings(const std::string& text);
// As reports name it: "4 random plies", "4 balanced plies", "book.epd".
std::string OpeningsText(const OpeningSettings& settings);
// Throws InputError for settings out of range.
void CheckOpenings(const OpeningSettings& settings);

template <Game G>
struct Opening {
  typename G::Position start;
  std::vector<Move> moves{};
};

// A line that Openings reads back: moves alone, or with the FEN where they start elsewhere.
template <Game G>
std::string OpeningText(const Opening<G>& opening) {
  const bool own_start = opening.start == G::Position::Start(opening.start.settings());
  std::string text = own_start ? "startpos" : opening.start.Fen();
  if (!opening.moves.empty()) text += " moves";
  for (const Move& move : opening.moves) text += " " + G::MoveToText(move);
  return text;
}

template <Game G>
class Openings {
 public:
  using Position = typename G::Position;

  // `start` is where none, random and balanced ones and move lists begin. Throws InputError for
  // settings out of range and for a file that cannot be read, with the line.
  Openings(const OpeningSettings& settings, uint64_t seed, const Position& start);

  // The same for the same pair, always. The game is not over after it. May be called by many
  // threads. Throws InputError when no opening is found.
  Opening<G> Of(int64_t pair) const;

  // How many there are before they repeat; 0: they do not come from a list.
  int64_t count() const { return static_cast<int64_t>(list_.size()); }

 private:
  static constexpr int kTries = 1000;
  static constexpr int kSearchDepth = 2;

  void ReadFile();
  void ReadLine(std::string_view text);
  void ReadPgn(std::string_view text);
  void Add(const Position& start, std::vector<Move> moves);
  void Shuffle();
  // Random legal moves; may end the game.
  std::vector<Move> Draw(Random& random) const;
  static GameState<G> After(const Position& start, const std::vector<Move>& moves);
  static int Balance(const GameState<G>& game);

  OpeningSettings settings_;
  uint64_t seed_;
  Position start_;
  int start_balance_ = 0;
  std::vector<Opening<G>> list_;
};

// The text of an openings' file. Throws InputError.
std::string ReadOpeningsFile(const std::string& path);

template <Game G>
Openings<G>::Openings(const OpeningSettings& settings, uint64_t seed, const Position& start)
    : settings_(settings), seed_(seed), start_(start) {
  CheckOpenings(settings_);
  if (start_.ComputeOutcome().over()) {
    throw InputError("the game is over in the start position " + start_.Fen());
  }
  if (settings_.source == OpeningSource::kBalanced) start_balance_ = Balance(GameState<G>(start_));
  if (settings_.source != OpeningSource::kFile) return;
  ReadFile();
  if (settings_.order == OpeningOrder::kShuffled) Shuffle();
}

template <Game G>
void Openings<G>::ReadFile() {
  const std::string text = ReadOpeningsFile(settings_.file);
  // No position begins with a bracket, as the tags of a game do.
  const size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (settings_.file.ends_with(".pgn") || (first != text.npos && text[first] == '[')) {
    ReadPgn(text);
  } else {
    ReadLines(text, settings_.file, [&](std::string_view line, int) { ReadLine(line); });
  }
  if (list_.empty()) throw InputError(settings_.file + " has no openings");
}

template <Game G>
void Openings<G>::ReadLine(std::string_view text) {
  const auto line = ParsePositionLine(text);
  if (!line) return;
  const Position start =
      line->fen.empty() ? start_ : Position::FromFen(line->fen, start_.settings());
  GameState<G> game(start);
  std::vector<Move> moves;
  for (const std::string& move : line->moves) {
    if (game.position().ComputeOutcome().over()) {
      throw InputError("the game is over before the move '" + Printable(move) + "'");
    }
    moves.push_back(G::TextToMove(game.position(), move));
    game.Play(moves.back());
  }
  Add(start, std::move(moves));
}

// A game's opening is what its tag OpeningPlies counts, or all of it. The same opening again, as
// in the two games of a pair, is left out.
template <Game G>
void Openings<G>::ReadPgn(std::string_view text) {
  PgnReader reader(text, settings_.file);
  std::set<std::string> known;
  while (const auto game = reader.Next()) {
    const auto fail = [&](int line, const std::string& what) {
      throw InputError(settings_.file + ":" + std::to_string(line) + ": " + what);
    };
    try {
      const auto variant = game->Tag("Variant");
      if (variant && variant != G::kName) {
        fail(game->line, "its Variant is '" + Printable(variant->substr(0, 60)) + "', not '" +
                             std::string(G::kName) + "'");
      }
      ReplayedPgn<G> replayed = ReplayPgn<G>(*game);
      if (replayed.start.settings() != start_.settings()) {
        fail(game->line, "it was played with another King's Landing than this match");
      }
      if (const auto plies = game->Tag("OpeningPlies")) {
        const size_t count = static_cast<size_t>(std::strtoul(plies->c_str(), nullptr, 10));
        replayed.moves.resize(std::min(replayed.moves.size(), count));
      }
      if (!known.insert(OpeningText<G>({replayed.start, replayed.moves})).second) continue;
      Add(replayed.start, std::move(replayed.moves));
    } catch (const PgnFault& fault) {
      fail(fault.line(), fault.what());
    }
  }
}

template <Game G>
void Openings<G>::Add(const Position& start, std::vector<Move> moves) {
  const Outcome outcome = After(start, moves).position().ComputeOutcome();
  if (outcome.over()) {
    throw InputError("the game is over after this opening (" + std::string(Text(outcome.reason)) +
                     ")");
  }
  list_.push_back({start, std::move(moves)});
}

template <Game G>
void Openings<G>::Shuffle() {
  Random random(seed_);
  for (size_t i = list_.size(); i > 1; --i) std::swap(list_[i - 1], list_[random.Below(i)]);
}

template <Game G>
Opening<G> Openings<G>::Of(int64_t pair) const {
  if (settings_.source == OpeningSource::kNone) return {start_};
  if (settings_.source == OpeningSource::kFile) {
    return list_[static_cast<size_t>(pair) % list_.size()];
  }
  const bool balanced = settings_.source == OpeningSource::kBalanced;
  Random random = Random::Stream(seed_, static_cast<uint64_t>(pair));
  for (int tries = 0; tries < kTries; ++tries) {
    std::vector<Move> moves = Draw(random);
    const GameState<G> game = After(start_, moves);
    if (static_cast<int>(moves.size()) < settings_.plies ||
        game.position().ComputeOutcome().over()) {
      continue;
    }
    if (balanced && std::abs(Balance(game) - start_balance_) > settings_.balance_bound) continue;
    return {start_, std::move(moves)};
  }
  throw InputError("no opening of " + OpeningsText(settings_) + " was found that leaves the game " +
                   (balanced
                        ? "open and balanced within " + std::to_string(settings_.balance_bound) +
                              " hundredths of a pawn, in "
                        : "open, in ") +
                   std::to_string(kTries) + " tries from " + start_.Fen() +
                   "; ask for fewer plies" + (balanced ? " or a wider bound" : ""));
}

template <Game G>
std::vector<Move> Openings<G>::Draw(Random& random) const {
  GameState<G> game(start_);
  std::vector<Move> moves;
  typename G::Moves legal;
  while (static_cast<int>(moves.size()) < settings_.plies &&
         !game.position().ComputeOutcome().over()) {
    game.position().LegalMoves(legal);
    moves.push_back(legal[static_cast<int>(random.Below(static_cast<uint64_t>(legal.size())))]);
    game.Play(moves.back());
  }
  return moves;
}

template <Game G>
GameState<G> Openings<G>::After(const Position& start, const std::vector<Move>& moves) {
  GameState<G> game(start);
  for (const Move& move : moves) game.Play(move);
  return game;
}

// White's advantage by a short search, in hundredths of a pawn: the mean of what the side to move
// sees, and of what the other sees after the best move, so that having the move counts for nobody.
template <Game G>
int Openings<G>::Balance(const GameState<G>& game) {
  AlphaBeta<G> search(kSearchDepth);
  const auto answer = search.Choose(game, Random(0));
  const int side = game.position().side_to_move() == Color::kWhite ? 1 : -1;
  GameState<G> next = game;
  next.Play(answer.move);
  if (next.position().ComputeOutcome().over()) return side * answer.score;
  return side * (answer.score - search.Choose(next, Random(0)).score) / 2;
}

}  // namespace khanzero
