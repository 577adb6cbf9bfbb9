// SPDX-License-Identifier: GPL-3.0-or-later
//
// One game in the model of ratings (Davidson, 1970): with t White's advantage in strength and d the
// tendency to draw, a White win, a draw and a Black win are as likely as exp(t/2) : exp(d) :
// exp(-t/2). Strengths are in natural units, in which exp(t) is White's wins over its losses.
#pragma once

#include <algorithm>
#include <cmath>

namespace khanzero {

struct GameChances {
  double white = 0.0;
  double draw = 0.0;
  double black = 0.0;
};

inline GameChances ChancesOf(double advantage, double draw_tendency) {
  const double most = std::max(0.5 * std::abs(advantage), draw_tendency);
  const double white = std::exp(0.5 * advantage - most);
  const double draw = std::exp(draw_tendency - most);
  const double black = std::exp(-0.5 * advantage - most);
  const double sum = white + draw + black;
  return {.white = white / sum, .draw = draw / sum, .black = black / sum};
}

// What one game tells: the Fisher information of (advantage, draw tendency). In this model it does
// not depend on how the game ends, so it is known before the game is played.
struct GameInformation {
  double advantage = 0.0;
  double both = 0.0;
  double draw = 0.0;
};

inline GameInformation InformationOf(const GameChances& p) {
  const double lean = p.white - p.black;
  return {.advantage = 0.25 * (p.white + p.black - lean * lean),
          .both = -0.5 * lean * p.draw,
          .draw = p.draw * (1.0 - p.draw)};
}

}  // namespace khanzero
