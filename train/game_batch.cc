// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/game_batch.h"

#include <utility>

#include "env/error.h"

namespace khanzero {

std::string PrintableName(std::string_view name) {
  constexpr size_t kMostLength = 64;
  return Printable(name.substr(0, kMostLength));
}

int64_t GameBatch::record_bytes() const {
  int64_t bytes = 0;
  for (const std::string& record : records) bytes += static_cast<int64_t>(record.size());
  return bytes;
}

GameBatch ParseBatch(std::vector<std::string> fields) {
  GameBatch batch;
  const auto fault = [&](const std::string& what) {
    if (batch.fault.empty()) batch.fault = what;
  };
  if (fields.size() % 2 != 0) fault("a field without a value");
  for (size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string& name = fields[i];
    std::string& value = fields[i + 1];
    if (name == "record") {
      batch.records.push_back(std::move(value));
    } else if (name == "run") {
      batch.run = std::move(value);
    } else if (name == "actor") {
      batch.actor = std::move(value);
    } else if (name == "protocol") {
      batch.protocol = std::move(value);
    } else {
      fault("an unknown field '" + PrintableName(name) + "'");
    }
  }
  if (batch.records.empty()) fault("no record");
  if (batch.records.size() > kMostBatchRecords) {
    fault(std::to_string(batch.records.size()) + " records, " + std::to_string(kMostBatchRecords) +
          " are allowed");
  }
  return batch;
}

std::vector<std::string> FieldsOf(const GameBatch& batch) {
  std::vector<std::string> fields = {"run",       batch.run,  "actor",
                                     batch.actor, "protocol", batch.protocol};
  for (const std::string& record : batch.records) {
    fields.emplace_back("record");
    fields.push_back(record);
  }
  return fields;
}

}  // namespace khanzero
