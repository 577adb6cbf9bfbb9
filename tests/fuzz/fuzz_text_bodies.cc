// SPDX-License-Identifier: GPL-3.0-or-later
//
// Configurations, suites and UCI.
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "env/error.h"
#include "mcts/evaluator.h"
#include "play/suite.h"
#include "play/uci.h"
#include "tests/fuzz/fuzz_bodies.h"
#include "train/config.h"

namespace khanzero {

InputWorth FuzzConfig(std::span<const uint8_t> input) {
  const std::string text(input.begin(), input.end());
  Config config;
  try {
    config = ParseConfig(text, "input");
  } catch (const InputError& error) {
    DemandThat(std::string(error.what()).find('\n') == std::string::npos,
               std::string("the refusal has several lines: ") + error.what());
    return InputWorth::kKeep;
  }
  const std::string yaml = ToYaml(config);
  DemandThat(ToYaml(ParseConfig(yaml, "again")) == yaml,
             "a configuration that was written and read is another");
  return InputWorth::kKeep;
}

InputWorth FuzzSuite(std::span<const uint8_t> input) {
  const std::string text(input.begin(), input.end());
  try {
    for (const SuitePosition& position : ReadSuite(text, "input", {})) {
      DemandThat(position.line > 0, "a position without a line");
      DemandThat(!position.best.empty() || !position.avoid.empty() || position.result.has_value(),
                 "a position that asks for nothing");
      DemandThat(position.settings.kings_landing == 7 || position.settings.kings_landing == 8,
                 "King's Landing is out of range");
    }
  } catch (const InputError& error) {
    DemandReadable(error.what(), "input");
  }
  return InputWorth::kKeep;
}

InputWorth FuzzUci(std::span<const uint8_t> input) {
  if (input.empty()) return InputWorth::kForget;
  constexpr int kMostLines = 24;
  std::ostringstream out;
  UciEngine engine(out, [](const std::string& /*path*/, const GameInfo& game, int /*threads*/) {
    std::vector<std::unique_ptr<Evaluator>> evaluators;
    evaluators.push_back(std::make_unique<UniformEvaluator>(game.shape));
    return evaluators;
  });
  engine.SetVariant(input[0] % 2 == 0 ? "khans" : "serbest");
  engine.LoadWeights("uniform");
  std::istringstream lines(std::string(input.begin() + 1, input.end()));
  std::string line;
  for (int i = 0; i < kMostLines && std::getline(lines, line); ++i) {
    if (line.size() > 400) line.resize(400);
    if (!engine.Execute(line)) break;
  }
  engine.Execute("stop");
  engine.WaitForSearch();
  engine.Execute("isready");
  const std::string text = out.str();
  DemandThat(text.ends_with("readyok\n"), "the engine does not answer isready: " + text);
  const auto plain = [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); };
  DemandThat(std::ranges::all_of(text, plain), "the engine's answer is not plain text: " + text);
  return InputWorth::kKeep;
}

}  // namespace khanzero
