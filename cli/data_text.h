// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reports of `khanzero data` as JSON and as text for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "train/data_check.h"
#include "train/data_export.h"
#include "train/data_prune.h"
#include "train/data_stats.h"

namespace khanzero {

nlohmann::ordered_json ToJson(const DataCheckReport& report);
nlohmann::ordered_json ToJson(const DataStats& stats);
nlohmann::ordered_json ToJson(const DataExportReport& report);
nlohmann::ordered_json ToJson(const PrunePlan& plan);
nlohmann::ordered_json ToJson(const PruneReport& report);

std::string ToText(const DataCheckReport& report);
std::string ToText(const DataStats& stats);
std::string ToText(const DataExportReport& report);
// What pruning would do, and what it did.
std::string ToText(const PrunePlan& plan);
std::string ToText(const PruneReport& report);

}  // namespace khanzero
