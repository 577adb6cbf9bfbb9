// SPDX-License-Identifier: GPL-3.0-or-later
//
// A run's ratings for the report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/run_folder.h"

namespace khanzero {

// The rated checkpoints of ladder.json, by rising step, as columns `name`, `games`, `hours`, `elo`
// and `error`; those `anchors` that are known well enough as objects of `name` and `value`;
// `about`, under which conditions; and `best`. Null when there is no ladder; one that is damaged is
// told in `notes`.
nlohmann::ordered_json LadderForReport(const RunFolder& run, std::vector<std::string>& notes);

}  // namespace khanzero
