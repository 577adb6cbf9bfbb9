// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pictures for pages that people read: bars, curves, boards as heat maps, boards with pieces. Each
// is one SVG that needs nothing else and follows the reader's choice of a light or a dark page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace khanzero {

// `text` as it may stand in XML, whatever it holds; bytes that are no printable ASCII become '?'.
std::string XmlText(std::string_view text);

struct SvgInterval {
  double low = 0.0;
  double high = 0.0;
};

struct SvgBar {
  std::string label{};
  double value = 0.0;
  std::optional<SvgInterval> interval{};  // drawn as a whisker
  std::string text{};                     // at the bar's end
  int series = 0;                         // its colour
};

// One bar below the other.
struct SvgBarChart {
  std::string title{};
  std::string note{};                 // under the title
  std::vector<std::string> series{};  // names for the legend; none: no legend
  std::vector<SvgBar> bars{};
};

struct SvgPoint {
  double x = 0.0;
  double y = 0.0;
  double error = 0.0;  // half of an interval; 0: none is drawn
};

struct SvgCurve {
  std::string name{};
  std::vector<SvgPoint> points{};
};

struct SvgCurveChart {
  std::string title{};
  std::string note{};
  std::string x_label{};
  std::string y_label{};
  std::vector<SvgCurve> curves{};  // at most kSvgColors are told apart
};

// A board: its squares are numbered from a1 along the ranks.
struct SvgHeatMap {
  std::string title{};
  std::vector<double> shares{};  // of each square, 0..1, shown in hundredths; they give the depth
};

// Boards beside each other.
struct SvgHeatMaps {
  std::string title{};
  std::string note{};
  int files = 8;
  int ranks = 8;
  std::vector<SvgHeatMap> maps{};
};

struct SvgArrow {
  int from = 0;
  int to = 0;           // the same as `from`: a ring
  double weight = 1.0;  // 0..1, how strong it is drawn
  std::string label{};
};

struct SvgBoard {
  std::string title{};
  std::string note{};
  int files = 8;
  int ranks = 8;
  std::string pieces{};  // a letter for each square, capital for White; ' ' for none
  std::vector<SvgArrow> arrows{};
};

inline constexpr int kSvgColors = 4;

std::string Draw(const SvgBarChart& chart);
std::string Draw(const SvgCurveChart& chart);
std::string Draw(const SvgHeatMaps& maps);
std::string Draw(const SvgBoard& board);

}  // namespace khanzero
