// SPDX-License-Identifier: GPL-3.0-or-later
//
// Limits of a player's thinking as users write them, and the clock of one player in one game.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace khanzero {

// A clock: base time, an increment after each move, and perhaps a number of moves after which the
// base time is added again.
struct TimeControl {
  int64_t base_ms = 0;
  int64_t increment_ms = 0;
  int moves = 0;  // 0: the base time is for the whole game

  friend bool operator==(const TimeControl&, const TimeControl&) = default;
};

// Reads "10+0.1", "300" or "40/60+0.5": moves, seconds, seconds. Throws InputError.
TimeControl ParseTimeControl(const std::string& text);
// As ParseTimeControl reads it.
std::string Text(const TimeControl& control);

// Each that is given holds.
struct MoveLimits {
  std::optional<int64_t> nodes{};  // simulations of a network
  std::optional<int64_t> movetime_ms{};
  std::optional<TimeControl> clock{};
  int64_t margin_ms = 100;  // so much later than its time an answer still counts

  // Whether time is limited.
  bool timed() const { return movetime_ms.has_value() || clock.has_value(); }
};

// The value of PGN's tag TimeControl: "10+0.1"; "1/0.5" for half a second a move; "-" for no time.
std::string TimeControlTag(const MoveLimits& limits);

// One player's clock in one game.
class GameClock {
 public:
  explicit GameClock(const TimeControl& control)
      : control_(control),
        left_(std::chrono::milliseconds(control.base_ms)),
        moves_to_go_(control.moves) {}

  int64_t left_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(left_).count();
  }
  int64_t increment_ms() const { return control_.increment_ms; }
  int moves_to_go() const { return moves_to_go_; }  // 0: all moves of the game

  // Takes the time of a move off the clock and adds what the move earns. False when the time was up
  // by more than `margin_ms`.
  bool Spend(std::chrono::microseconds elapsed, int64_t margin_ms);

 private:
  TimeControl control_;
  std::chrono::microseconds left_;
  int moves_to_go_;
};

}  // namespace khanzero
