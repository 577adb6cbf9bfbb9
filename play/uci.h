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
#include "play/uci_options.h"

namespace khanzero {

// Loads a network for a game, as one evaluator for each of `threads`. Throws InputError that says
// what is wrong with the file.
using EvaluatorLoader = std::function<std::vector<std::unique_ptr<Evaluator>>(
    const std::string& path, const GameInfo& game, int threads)>;

// The loader of networks as people name them: see FindWeights(). Defined in uci_loader.cc: the rest
// of the engine knows networks only as evaluators.
EvaluatorLoader NetworkLoader(const InferenceSettings& settings);

// The network for a game where none was named, or nothing.
using DefaultFinder = std::function<std::optional<std::string>(const std::string& game)>;

// A line of input without its end.
enum class InputLine { kRead, kTooLong, kEnd };
// Reads the next line. Of one longer than `most` bytes nothing is kept. The last line counts as one
// without a line feed, too.
InputLine ReadInputLine(std::istream& in, std::string& line, size_t most);

class UciEngine {
 public:
  // Writes to `out`, which must outlive the engine and be used by nobody else meanwhile.
  // `seed` is for the dice of a weakened player.
  UciEngine(std::ostream& out, EvaluatorLoader loader, DefaultFinder find_default = {},
            uint64_t seed = 1);
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
  void ReadSetOption(const std::string& line);
  void ApplyOption(const std::string& name, const std::string& value);
  void SetPosition(const std::string& line);
  void ResetPosition();
  void Go(const std::string& line);
  void StopSearch();
  bool searching() const;
  // Loads what WeightsFile names, or else the network that comes with the program, unless one is
  // loaded. Throws InputError.
  void EnsureNetwork();
  void DropNetwork();

  static constexpr size_t kLongestLine = size_t{1} << 20;  // a game of 100,000 moves

  UciOutput out_;
  EvaluatorLoader loader_;
  DefaultFinder find_default_;
  uint64_t seed_;
  UciOptions options_;
  std::unique_ptr<UciGame> game_;  // options_.variant
  bool position_refused_ = false;  // the last `position` was none
  // Of options_.weights_file and game_, options_.threads of them; empty: not loaded.
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::shared_ptr<SearchControl> control_;  // of the last search
  std::jthread worker_;                     // the last search
};

}  // namespace khanzero
