// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which players should meet next so that few games give precise ratings: the pairings that lower
// the sum of the variances of the wanted ratings most (A-optimal design), for what they cost.
// Sources: docs/methods.md, "Ratings".
#pragma once

#include <compare>
#include <vector>

#include "play/ratings.h"

namespace khanzero {

struct Pairing {
  int a = 0;
  int b = 0;

  friend auto operator<=>(const Pairing&, const Pairing&) = default;
};

struct PairingRequest {
  std::vector<bool> wanted;     // players whose ratings are to become more precise
  std::vector<bool> available;  // players who can play
  // Ratings are to be precise as differences to the mean of these players; empty: to the anchor.
  std::vector<int> centre{};
  bool level = false;           // the difference of that mean to the anchor is wanted, too
  std::vector<double> costs{};  // of each player's part in a game; empty: all games cost the same
  int pairings = 1;             // chosen one after another, each as if those before were played
  int pairs = 1;                // pairs of games, sides swapped, in each
};

// Only rated players are paired (those with a chain of games to the anchor); the same two may be
// chosen more than once. Empty when fewer than two can play. REQUIRES: the lists as long as
// fit.players, costs above 0.
std::vector<Pairing> ChoosePairings(const RatingFit& fit, const PairingRequest& request);

// By how much the sum of the wanted variances is expected to fall when the two play request.pairs
// pairs of games; natural units squared.
double ExpectedGain(const RatingFit& fit, const PairingRequest& request, Pairing pairing);

}  // namespace khanzero
