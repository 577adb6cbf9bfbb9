// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ratings of many players at once: the maximum of the likelihood of all their games together, with
// draws and a term for White's advantage, and intervals from the curvature there. Formulas and
// sources: docs/methods.md, "Ratings".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace khanzero {

// Games of two players, by their numbers, with these sides.
struct SideResults {
  int white = 0;
  int black = 0;
  int64_t white_wins = 0;
  int64_t draws = 0;
  int64_t black_wins = 0;

  int64_t games() const { return white_wins + draws + black_wins; }
};

struct Rating {
  // Above the anchor. Nothing where no chain of games leads to the anchor: such a player cannot be
  // compared with it.
  std::optional<double> elo{};
  double error = 0.0;  // half-width of the 95 % interval, Elo; 0 for the anchor itself
  int64_t games = 0;
  double points = 0.0;
};

struct RatingFit {
  std::vector<Rating> players;
  double white_elo = 0.0;  // White's advantage, and its half-width
  double white_error = 0.0;
  double draw_share = 0.0;  // of games between equals, White's advantage aside

  // The fit itself, for choosing what to play next (pairing.h). Natural units; parameters are the
  // players' strengths, White's advantage and the tendency to draw, in this order.
  std::vector<double> parameters;
  std::vector<double> covariance;  // square, by rows; 0 for what is fixed or not rated
  double elo_per_unit = 0.0;

  // Half-width of the 95 % interval of a weighted sum of the players' ratings, Elo: {0, 1, -1} is
  // the difference of players 1 and 2. REQUIRES: a weight for each player.
  double ErrorOfSum(std::span<const double> weights) const;

  int parameter_count() const { return static_cast<int>(parameters.size()); }
};

// The ratings of players 0 to `players` - 1; that of `anchor` is 0. A weak prior keeps them finite
// where a player has won or lost every game; the interval then says how little is known. REQUIRES:
// numbers of players within range, no player against itself.
RatingFit FitRatings(int players, int anchor, std::span<const SideResults> results);

}  // namespace khanzero
