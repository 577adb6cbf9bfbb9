// SPDX-License-Identifier: GPL-3.0-or-later
//
// The UCI engine. `uci` is answered at once; the network is loaded when it is first needed
// (isready, ucinewgame, go). Searches and perft run in a thread of their own, so that every command
// is answered at any time. Nothing that comes in can end the engine but `quit` and the end of the
// input: whatever is wrong is answered by "info string error: ...".
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "env/game_info.h"
#include "mcts/evaluator.h"
#include "model/settings.h"
#include "play/uci_game.h"

namespace khanzero {

// Loads a network for a game, as one evaluator for each of `threads`. Throws InputError that says
// what is wrong with the file.
using EvaluatorLoader = std::function<std::vector<std::unique_ptr<Evaluator>>(
    const std::string& path, const GameInfo& game, int threads)>;

// The loader of checkpoints and exports.
EvaluatorLoader CheckpointLoader(const InferenceSettings& settings);

class UciEngine {
 public:
  // Writes to `out`, which must outlive the engine and be used by nobody else meanwhile.
  UciEngine(std::ostream& out, EvaluatorLoader loader);
  // Ends a running search.
  ~UciEngine();

  // Carries out one line of input; false when it was `quit`.
  bool Execute(const std::string& line);
  // Executes lines until `quit` or the end of the input.
  void Run(std::istream& in);
  // Returns once the running search, if any, has given its bestmove.
  void WaitForSearch();

  // As the options of these names do. Throw InputError for an unknown variant and for a file that
  // is no network of the variant.
  void SetVariant(const std::string& name);
  void LoadWeights(const std::string& path);

 private:
  void Identify();
  void SetOption(const std::string& line);
  void ApplyOption(const std::string& name, const std::string& value);
  void SetPosition(const std::string& line);
  void ResetPosition();
  void Go(const std::string& line);
  void StopSearch();
  bool searching() const;
  // Loads what WeightsFile names unless it is loaded; throws InputError.
  void EnsureNetwork();
  void DropNetwork();

  static constexpr int kMostThreads = 256;

  UciOutput out_;
  EvaluatorLoader loader_;
  std::unique_ptr<UciGame> game_;
  UciSearchOptions options_;
  std::string weights_file_;
  int threads_ = 1;
  // Of weights_file_ and game_, threads_ of them; empty: not loaded.
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  GameSettings game_settings_;
  std::shared_ptr<SearchControl> control_;  // of the last search
  std::jthread worker_;                     // the last search
};

}  // namespace khanzero
