// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/time_control.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "env/error.h"

namespace khanzero {

namespace {

[[noreturn]] void Refuse(const std::string& text, const std::string& why) {
  throw InputError("time control '" + Printable(text) + "': " + why +
                   "; it is SECONDS, SECONDS+INCREMENT or MOVES/SECONDS+INCREMENT, such as "
                   "10+0.1");
}

int64_t ParseSeconds(const std::string& text, std::string_view part) {
  constexpr double kMost = 1e7;
  double seconds = 0.0;
  const char* const end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data(), end, seconds, std::chars_format::fixed);
  if (error != std::errc{} || stop != end) {
    Refuse(text, "'" + Printable(part) + "' is no number of seconds");
  }
  if (!(seconds >= 0.0 && seconds <= kMost)) {
    Refuse(text, "seconds must be from 0 to 10,000,000");
  }
  return std::llround(seconds * 1000.0);
}

// Seconds without needless zeros: "10", "0.1".
std::string Seconds(int64_t milliseconds) {
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%.3f", static_cast<double>(milliseconds) / 1000.0);
  std::string seconds = text.data();
  seconds.erase(seconds.find_last_not_of('0') + 1);
  if (seconds.back() == '.') seconds.pop_back();
  return seconds;
}

}  // namespace

TimeControl ParseTimeControl(const std::string& text) {
  TimeControl control;
  std::string_view rest = text;
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view moves = rest.substr(0, slash);
    const char* const end = moves.data() + moves.size();
    const auto [stop, error] = std::from_chars(moves.data(), end, control.moves);
    if (error != std::errc{} || stop != end || control.moves < 1 || control.moves > 100'000) {
      Refuse(text, "'" + Printable(moves) + "' is no number of moves");
    }
    rest.remove_prefix(slash + 1);
  }
  const size_t plus = rest.find('+');
  control.base_ms = ParseSeconds(text, rest.substr(0, plus));
  if (plus != std::string_view::npos) {
    control.increment_ms = ParseSeconds(text, rest.substr(plus + 1));
  }
  if (control.base_ms < 1) Refuse(text, "the clock must start with some time");
  return control;
}

std::string Text(const TimeControl& control) {
  std::string text = control.moves > 0 ? std::to_string(control.moves) + "/" : "";
  text += Seconds(control.base_ms);
  return control.increment_ms > 0 ? text + "+" + Seconds(control.increment_ms) : text;
}

std::string TimeControlTag(const MoveLimits& limits) {
  if (limits.clock) return Text(*limits.clock);
  return limits.movetime_ms ? "1/" + Seconds(*limits.movetime_ms) : "-";
}

bool GameClock::Spend(std::chrono::microseconds elapsed, int64_t margin_ms) {
  left_ -= elapsed;
  if (left_ < -std::chrono::milliseconds(margin_ms)) return false;
  left_ = std::max(left_, std::chrono::microseconds(0));
  left_ += std::chrono::milliseconds(control_.increment_ms);
  if (control_.moves > 0 && --moves_to_go_ == 0) {
    moves_to_go_ = control_.moves;
    left_ += std::chrono::milliseconds(control_.base_ms);
  }
  return true;
}

}  // namespace khanzero
