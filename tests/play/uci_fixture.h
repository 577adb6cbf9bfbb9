// SPDX-License-Identifier: GPL-3.0-or-later
//
// The UCI engine with an evaluator that needs no file, driven line by line.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "env/error.h"
#include "env/games.h"
#include "play/uci.h"

namespace khanzero {

class UciTest : public testing::Test {
 protected:
  UciTest()
      : engine_(out_, [this](const std::string& path, const GameInfo& game, int threads) {
          ++loads_;
          if (path != "good") throw InputError("cannot read '" + path + "'");
          std::vector<std::unique_ptr<Evaluator>> evaluators;
          for (int i = 0; i < threads; ++i) {
            evaluators.push_back(std::make_unique<UniformEvaluator>(game.shape));
          }
          return evaluators;
        }) {}

  // Executes lines and returns what was said, once a search has ended.
  std::string Say(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) EXPECT_TRUE(engine_.Execute(line)) << line;
    engine_.WaitForSearch();
    return Take();
  }
  std::string Take() {
    std::string text = out_.str();
    out_.str("");
    return text;
  }
  void LoadGame(const std::string& variant) {
    Say({"setoption name UCI_Variant value " + variant, "setoption name WeightsFile value good"});
  }
  static std::string BestMove(const std::string& text) {
    std::smatch match;
    return std::regex_search(text, match, std::regex("(^|\n)bestmove ([^ \n]+)"))
               ? match[2].str()
               : "nothing: " + text;
  }
  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  std::ostringstream out_;
  int loads_ = 0;
  UciEngine engine_;
};

}  // namespace khanzero
