// SPDX-License-Identifier: GPL-3.0-or-later
//
// One game on the page of `khanzero serve`, behind a small interface chosen once by the game's
// name: what was played, what may be played, and a search of any of its positions.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "env/position.h"
#include "env/types.h"
#include "mcts/evaluation_cache.h"
#include "mcts/evaluator.h"

namespace khanzero {

// What searches: one search at a time.
struct WebBrain {
  explicit WebBrain(size_t cache_bytes) : cache(cache_bytes) {}

  std::unique_ptr<Evaluator> evaluator{};  // null: the alpha-beta baseline
  EvaluationCache cache;                   // of the evaluator
};

struct WebSearchLimits {
  int simulations = 1;
  int lines = 1;
  // Chooses between moves that are as good as the best, so that not every game is the same.
  std::optional<uint64_t> dice{};
};

// A line that begins with one of the best moves. Viewpoints are those of the side to move.
struct WebLine {
  std::vector<std::string> moves{};
  Wdl wdl{};
  std::optional<int> mate{};  // moves to the end: above 0 a win
  int64_t visits = 0;
};

struct WebAnalysis {
  std::vector<WebLine> lines{};  // best first
  std::string choice{};          // what to play
  Wdl wdl{};                     // of the position, for the side to move
  Color mover = Color::kWhite;
  int64_t simulations = 0;  // positions, of the baseline
};

// Ends when `stop` becomes true, always with an answer.
using WebSearchTask = std::function<WebAnalysis(WebBrain& brain, const std::atomic<bool>& stop)>;

// How a game is named when it is saved.
struct WebPgnNames {
  std::string white{};
  std::string black{};
  std::string date{};  // "2024.05.01"
};

class WebGame {
 public:
  virtual ~WebGame() = default;
  virtual int plies() const = 0;
  virtual bool over() const = 0;
  // The game as JSON: settings, moves, the position after each, legal moves, outcome.
  virtual nlohmann::ordered_json State() const = 0;
  // Throws InputError for a move that is not legal, and when the game is over.
  virtual void Play(const std::string& move) = 0;
  // Takes back all but the first `plies` moves. REQUIRES: 0 <= plies <= plies().
  virtual void CutTo(int plies) = 0;
  // A search of the position after `ply` moves, free of this object. Throws InputError when that
  // position ended the game. REQUIRES: 0 <= ply <= plies().
  virtual WebSearchTask MakeSearch(int ply, const WebSearchLimits& limits) const = 0;
  virtual std::string Pgn(const WebPgnNames& names) const = 0;
};

// A game from `fen` (empty: the game's own start), with `moves` played. Throws InputError for an
// unknown name, a bad FEN, and a move that is not legal.
std::unique_ptr<WebGame> MakeWebGame(const std::string& name, const std::string& fen,
                                     const GameSettings& settings,
                                     const std::vector<std::string>& moves);

// As the page reads it; the viewpoint is White's.
nlohmann::ordered_json ToJson(const WebAnalysis& analysis);

}  // namespace khanzero
