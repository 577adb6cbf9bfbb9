// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/nearest_name.h"

#include <algorithm>

namespace khanzero {

int EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the table: two before, one before and the present one.
  std::vector<int> before_last(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& known) {
  std::optional<std::string> nearest;
  int least = static_cast<int>(std::max<size_t>(name.size(), 3)) / 3 + 1;
  for (const std::string& candidate : known) {
    const int distance = EditDistance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace khanzero
