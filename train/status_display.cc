// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/status_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace khanzero {

namespace {

using std::chrono::steady_clock;

constexpr auto kRedrawEvery = std::chrono::milliseconds(400);
constexpr auto kLineEvery = std::chrono::seconds(15);

std::string Losses(const TrainingStatus& s) {
  if (!s.policy_loss) return "no loss yet";
  return fmt::format("policy loss {:.3f}, value loss {:.3f}", *s.policy_loss, *s.value_loss);
}

std::string TimeLeft(const TrainingStatus& s) {
  return s.hours_left ? DurationText(*s.hours_left) + " left" : "no end set";
}

}  // namespace

std::string DurationText(double hours) {
  const auto seconds = static_cast<int64_t>(std::llround(std::max(0.0, hours) * 3600.0));
  if (seconds >= 3600) return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
  if (seconds >= 60) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} s", seconds);
}

std::string StatusDisplay::Block(const TrainingStatus& s) {
  return fmt::format(
      "  {} - {} - cycle {}: {}\n"
      "  games      {:>9}   this cycle {}/{}\n"
      "  positions  {:>9}   {:.0f}/s, {:.0f} evaluations/s\n"
      "  step       {:>9}   this cycle {}/{}, {:.0f} samples/s, {}\n"
      "  score      {}\n"
      "  time       {}, {}\n",
      s.run, s.game, s.cycle, s.phase, s.games, s.games_played, s.games_wanted, s.positions,
      s.positions_per_second, s.evaluations_per_second, s.step, s.steps_made, s.steps_wanted,
      s.samples_per_second, Losses(s), s.last_match.empty() ? "not measured yet" : s.last_match,
      DurationText(s.hours), TimeLeft(s));
}

std::string StatusDisplay::Line(const TrainingStatus& s) {
  return fmt::format(
      "{} | cycle {} | {} | games {} ({}/{}) | positions {} ({:.0f}/s) | {:.0f} evaluations/s | "
      "step {} ({}/{}) | {} | {}",
      DurationText(s.hours), s.cycle, s.phase, s.games, s.games_played, s.games_wanted, s.positions,
      s.positions_per_second, s.evaluations_per_second, s.step, s.steps_made, s.steps_wanted,
      Losses(s), TimeLeft(s));
}

StatusDisplay::StatusDisplay(std::FILE* out) : out_(out), terminal_(isatty(fileno(out)) != 0) {}

StatusDisplay::~StatusDisplay() { std::fflush(out_); }

void StatusDisplay::EraseBlock() {
  // Up to the block's first line, then clear to the end of the screen.
  if (block_lines_ > 0) fmt::print(out_, "\x1b[{}A\x1b[J", block_lines_);
  block_lines_ = 0;
}

void StatusDisplay::Draw(const TrainingStatus& status) {
  last_ = steady_clock::now();
  if (terminal_) {
    EraseBlock();
    const std::string block = Block(status);
    block_lines_ = static_cast<int>(std::count(block.begin(), block.end(), '\n'));
    fmt::print(out_, "{}", block);
  } else {
    fmt::print(out_, "{}\n", Line(status));
  }
  std::fflush(out_);
}

void StatusDisplay::Update(const TrainingStatus& status) {
  const steady_clock::duration wait =
      terminal_ ? steady_clock::duration(kRedrawEvery) : steady_clock::duration(kLineEvery);
  if (last_ != steady_clock::time_point{} && steady_clock::now() - last_ < wait) return;
  Draw(status);
}

void StatusDisplay::Finish(const TrainingStatus& status) { Draw(status); }

void StatusDisplay::Say(const std::string& text) {
  EraseBlock();
  fmt::print(out_, "{}\n", text);
  std::fflush(out_);
}

}  // namespace khanzero
