// SPDX-License-Identifier: GPL-3.0-or-later
//
// The result of a match as people and programs read it.
#pragma once

#include <string>

#include "play/match.h"

namespace khanzero {

// Several lines; `conditions` is what stands in brackets ("800 nodes").
std::string ResultText(const MatchResult& result, const MatchSettings& settings,
                       const std::string& conditions);
// One JSON object.
std::string ResultJson(const MatchResult& result, const MatchSettings& settings,
                       const std::string& conditions);

// One line for a match that is still played: "120 of 400 games: +50 =30 -40, Elo 28.1 +/- 40.2".
std::string ProgressText(const MatchResult& result, const MatchSettings& settings);

// A player against itself: balance of the sides, endings, lengths and unique games.
std::string SelfText(const MatchResult& result, const std::string& conditions);
// One JSON object.
std::string SelfJson(const MatchResult& result, const MatchSettings& settings,
                     const std::string& conditions);

}  // namespace khanzero
