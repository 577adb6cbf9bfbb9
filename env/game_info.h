// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the parts that know no rules (network, store, learner) need to know of a game: its name,
// versions and array shapes.
#pragma once

#include <string>

#include "env/game.h"

namespace khanzero {

// Sizes of one position's network input and of the policy.
struct EncodingShape {
  int files = 0;
  int ranks = 0;
  int input_planes = 0;
  int policy_planes = 0;

  int squares() const { return files * ranks; }
  int input_size() const { return input_planes * squares(); }
  int policy_size() const { return policy_planes * squares(); }
  friend bool operator==(const EncodingShape&, const EncodingShape&) = default;
};

struct GameInfo {
  std::string name;
  int rules_version = 0;
  int encoding_version = 0;
  EncodingShape shape;

  friend bool operator==(const GameInfo&, const GameInfo&) = default;
};

template <Game G>
GameInfo InfoOf() {
  return {.name = std::string(G::kName),
          .rules_version = G::kRulesVersion,
          .encoding_version = G::kEncodingVersion,
          .shape = {G::kFiles, G::kRanks, G::kInputPlanes, G::kPolicyPlanes}};
}

}  // namespace khanzero
