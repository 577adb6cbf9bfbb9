// SPDX-License-Identifier: GPL-3.0-or-later
//
// Progress of a run: on a terminal one block that is drawn anew in place, elsewhere a plain line
// now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace khanzero {

// What there is to show. Rates are of the present phase.
struct TrainingStatus {
  std::string run;
  std::string game;
  std::string phase;  // "self-play", "learning", "evaluating"
  int64_t cycle = 0;
  int64_t games = 0;
  int64_t games_wanted = 0;  // of this cycle
  int64_t games_played = 0;  // of this cycle
  int64_t positions = 0;
  double positions_per_second = 0.0;
  double evaluations_per_second = 0.0;
  int64_t step = 0;
  int64_t steps_wanted = 0;  // of this cycle
  int64_t steps_made = 0;    // of this cycle
  double samples_per_second = 0.0;
  std::optional<double> policy_loss;
  std::optional<double> value_loss;
  std::string last_match;  // "random 95.0 %, greedy 61.2 %"
  double hours = 0.0;
  std::optional<double> hours_left;
};

class StatusDisplay {
 public:
  // Draws on `out`. A block when it is a terminal, lines otherwise.
  explicit StatusDisplay(std::FILE* out);
  ~StatusDisplay();

  // Shows the status when enough time has passed since the last one.
  void Update(const TrainingStatus& status);
  // Shows it in any case: at the end of a phase.
  void Finish(const TrainingStatus& status);
  // Prints a line of text that stays, above the block.
  void Say(const std::string& text);

  // The lines of the block, and the same as one plain line.
  static std::string Block(const TrainingStatus& status);
  static std::string Line(const TrainingStatus& status);

 private:
  void Draw(const TrainingStatus& status);
  void EraseBlock();

  std::FILE* out_;
  bool terminal_;
  int block_lines_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

// "2 h 05 min", "3 min 20 s", "12 s"
std::string DurationText(double hours);

}  // namespace khanzero
