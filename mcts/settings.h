// SPDX-License-Identifier: GPL-3.0-or-later
//
// Settings of one search. Formulas and papers: docs/methods.md.
#pragma once

#include "env/settings.h"

namespace khanzero {

enum class RootAlgorithm { kGumbel, kPuct };
inline constexpr ChoiceNames<2> kRootAlgorithmNames = {"gumbel", "puct"};

struct SearchSettings {
  RootAlgorithm algorithm = RootAlgorithm::kGumbel;
  int simulations = 32;

  int gumbel_considered = 16;
  double gumbel_c_visit = 50.0;
  double gumbel_c_scale = 1.0;

  double cpuct_init = 1.5;
  double cpuct_base = 19652.0;
  double fpu_reduction = 0.25;
  double dirichlet_alpha_total = 10.83;
  double dirichlet_weight = 0.25;
  double forced_playouts = 2.0;

  template <class V>
  static void Fields(SearchSettings& s, V& visit) {
    visit.Choice("algorithm", s.algorithm, kRootAlgorithmNames,
                 "root selection: gumbel (strong at few simulations) or puct");
    visit.Number("simulations", s.simulations, 1, 10'000'000, "simulations for each move");
    visit.Number("gumbel_considered", s.gumbel_considered, 1, 1000,
                 "gumbel: actions at the root that share the simulations");
    visit.Number("gumbel_c_visit", s.gumbel_c_visit, 0.0, 10000.0,
                 "gumbel: c_visit of the Q transformation");
    visit.Number("gumbel_c_scale", s.gumbel_c_scale, 0.0, 100.0,
                 "gumbel: c_scale of the Q transformation");
    visit.Number("cpuct_init", s.cpuct_init, 0.0, 100.0, "puct: exploration at few visits");
    visit.Number("cpuct_base", s.cpuct_base, 1.0, 1e9, "puct: visits over which exploration grows");
    visit.Number("fpu_reduction", s.fpu_reduction, 0.0, 2.0,
                 "puct: how far an unvisited move is valued below its parent");
    visit.Number("dirichlet_alpha_total", s.dirichlet_alpha_total, 0.0, 1000.0,
                 "puct self-play: noise alpha is this over the number of legal moves");
    visit.Number("dirichlet_weight", s.dirichlet_weight, 0.0, 1.0,
                 "puct self-play: share of noise in the root's priors");
    visit.Number("forced_playouts", s.forced_playouts, 0.0, 100.0,
                 "puct self-play: a tried root move gets sqrt(this x prior x visits) visits, which "
                 "its target leaves out; 0: off");
  }
};

}  // namespace khanzero
