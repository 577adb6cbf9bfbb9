// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/skill.h"

namespace khanzero {

std::optional<Skill> SkillOfLevel(double level) {
  if (level >= kMostSkill) return std::nullopt;
  level = std::max(level, 0.0);
  const double weakness = 1.0 - level / kMostSkill;
  // From one simulation at level 0 to some 2,700 at level 19.
  constexpr double kDoublingsPerLevel = 0.6;
  constexpr double kSeesRepliesFrom = 6.0;
  return Skill{.simulations = std::lround(level + std::exp2(kDoublingsPerLevel * level)),
               .temperature = 1.2 * std::pow(weakness, 1.5),
               .sees_replies = level >= kSeesRepliesFrom};
}

double LevelOfElo(int elo) {
  return kMostSkill * static_cast<double>(std::clamp(elo, kLeastElo, kMostElo) - kLeastElo) /
         (kMostElo - kLeastElo);
}

int EloOfLevel(double level) {
  return kLeastElo + static_cast<int>(std::lround(std::clamp(level, 0.0, 1.0 * kMostSkill) *
                                                  (kMostElo - kLeastElo) / kMostSkill));
}

}  // namespace khanzero
