// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace khanzero {

namespace {

// Colours that stay apart for readers who see few of them (after Okabe and Ito), with twins for
// dark pages.
constexpr std::string_view kStyle = R"(<style>
svg{--page:#ffffff;--ink:#1f2328;--soft:#59636e;--line:#d1d9e0;--light:#f3efe4;--dark:#d9cfb4;
--c0:#0969b4;--c1:#c4520a;--c2:#0b7d5b;--c3:#a0528a;background:var(--page)}
@media (prefers-color-scheme:dark){svg{--page:#0d1117;--ink:#e6edf3;--soft:#9198a1;--line:#30363d;
--light:#2a3038;--dark:#1c2129;--c0:#58a6ff;--c1:#f0883e;--c2:#3fb68b;--c3:#d18bc0}}
text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--ink)}
.title{font-size:16px;font-weight:600}.note,.tick{fill:var(--soft);font-size:12px}
.end{text-anchor:end}.middle{text-anchor:middle}.small{font-size:10px}
.line{stroke:var(--line);stroke-width:1}.axis{stroke:var(--soft);stroke-width:1}
.whisker{stroke:var(--ink);stroke-width:1.5}.curve{fill:none;stroke-width:2}
.f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}
.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}
.light{fill:var(--light)}.dark{fill:var(--dark)}.frame{fill:none;stroke:var(--soft)}
.white{fill:#ffffff;stroke:#1f2328;stroke-width:1.2}.black{fill:#1f2328;stroke:#8b949e;stroke-width:1.2}
text.on-white{fill:#1f2328}text.on-black,text.tag{fill:#ffffff}
@media (prefers-color-scheme:dark){text.tag{fill:#1f2328}}
</style>
)";

constexpr int kMargin = 16;
constexpr double kLetter = 7.6;  // width of a letter, about

// How wide a text is drawn, about.
int WidthOf(std::string_view text, double letter = kLetter) {
  return static_cast<int>(std::ceil(letter * static_cast<double>(text.size())));
}

// Collects the parts of a picture.
class Picture {
 public:
  // Title and note take the top; what follows begins at top().
  Picture(int width, const std::string& title, const std::string& note)
      : width_(std::max({width, WidthOf(title, 9.0) + 2 * kMargin, 320})), title_(title) {
    Text(kMargin, kMargin + 14, title, "title");
    top_ = kMargin + 28;
    for (const std::string& line : Wrapped(note)) {
      Text(kMargin, top_ + 6, line, "note");
      top_ += 17;
    }
    top_ += 8;
  }

  int top() const { return top_; }
  int width() const { return width_; }

  void Text(double x, double y, std::string_view text, std::string_view style) {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style,
                         XmlText(text));
  }
  void Line(double x1, double y1, double x2, double y2, std::string_view style) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1,
        x2, y2, style);
  }
  void Rect(double x, double y, double width, double height, std::string_view style,
            double opacity = 1.0) {
    body_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"{}/>\n", x,
        y, width, height, style,
        opacity < 1.0 ? fmt::format(" fill-opacity=\"{:.3f}\"", opacity) : "");
  }
  void Circle(double x, double y, double radius, std::string_view style,
              std::string_view more = "") {
    body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\"{}/>\n", x,
                         y, radius, style, more);
  }
  void Raw(const std::string& text) { body_ += text; }

  // Names beside squares of their colours, one line.
  void Legend(const std::vector<std::string>& names) {
    if (names.empty()) return;
    double x = kMargin;
    for (size_t i = 0; i < names.size(); ++i) {
      Rect(x, top_ - 2, 11, 11, fmt::format("f{}", i % kSvgColors));
      Text(x + 16, top_ + 8, names[i], "note");
      x += 32 + WidthOf(names[i], 6.5);
    }
    top_ += 24;
  }

  std::string Finish(int height) const {
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 "
               "0 {0} {1}\" role=\"img\">\n<title>{2}</title>\n",
               width_, height, XmlText(title_)) +
           std::string(kStyle) + "<rect width=\"100%\" height=\"100%\" fill=\"var(--page)\"/>\n" +
           body_ + "</svg>\n";
  }

 private:
  // A note's lines, no wider than the picture.
  std::vector<std::string> Wrapped(const std::string& note) const {
    const auto most = static_cast<size_t>((width_ - 2 * kMargin) / 6.2);
    std::vector<std::string> lines;
    std::string rest = note;
    while (!rest.empty()) {
      size_t cut = rest.size();
      if (rest.size() > most) {
        cut = rest.rfind(' ', most);
        if (cut == std::string::npos || cut == 0) cut = most;
      }
      lines.push_back(rest.substr(0, cut));
      rest = rest.substr(
          std::min(rest.size(), rest[std::min(cut, rest.size() - 1)] == ' ' ? cut + 1 : cut));
    }
    return lines;
  }

  int width_;
  int top_ = 0;
  std::string title_;
  std::string body_;
};

// 1, 2 or 5 times a power of ten: about `count` steps in `range`.
double NiceStep(double range, int count) {
  if (!(range > 0.0) || !std::isfinite(range)) return 1.0;
  const double raw = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10.0 * power;
}

struct Axis {
  double low = 0.0;
  double high = 1.0;
  double step = 0.2;

  double Share(double value) const { return (value - low) / (high - low); }
};

// From the multiple of a step below `low` to that above `high`.
Axis AxisOver(double low, double high, int steps) {
  if (!(high > low)) {
    high = low + 1.0;
  }
  const double step = NiceStep(high - low, steps);
  return {.low = step * std::floor(low / step + 1e-9),
          .high = step * std::ceil(high / step - 1e-9),
          .step = step};
}

std::string TickText(double value, double step) {
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
  const std::string text = fmt::format("{:.{}f}", value, digits);
  return text.find_first_of("123456789") == std::string::npos ? text.substr(text[0] == '-') : text;
}

// Calls `use` with each tick.
template <class Use>
void ForTicks(const Axis& axis, Use&& use) {
  const auto first = static_cast<int>(std::ceil(axis.low / axis.step - 1e-9));
  const auto last = static_cast<int>(std::floor(axis.high / axis.step + 1e-9));
  for (int i = first; i <= last; ++i) use(i * axis.step);
}

void DrawSquares(Picture& picture, double x, double y, int size, int files, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    for (int file = 0; file < files; ++file) {
      picture.Rect(x + file * size, y + (ranks - 1 - rank) * size, size, size,
                   (rank + file) % 2 == 0 ? "dark" : "light");
    }
  }
  picture.Rect(x, y, files * size, ranks * size, "frame");
  for (int file = 0; file < files; ++file) {
    picture.Text(x + (file + 0.5) * size, y + ranks * size + 13,
                 std::string(1, static_cast<char>('a' + file)), "tick middle");
  }
  for (int rank = 0; rank < ranks; ++rank) {
    picture.Text(x - 5, y + (ranks - 0.5 - rank) * size + 4, std::to_string(rank + 1), "tick end");
  }
}

}  // namespace

std::string XmlText(std::string_view text) {
  constexpr std::string_view kSpecial = "&<>\"";
  constexpr std::array<std::string_view, 4> kNames = {"&amp;", "&lt;", "&gt;", "&quot;"};
  std::string escaped;
  for (const char c : text) {
    const size_t special = kSpecial.find(c);
    if (special != std::string_view::npos) {
      escaped += kNames[special];
    } else {
      escaped += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  return escaped;
}

std::string Draw(const SvgBarChart& chart) {
  constexpr int kRow = 24;
  constexpr int kPlotWidth = 420;
  int label_width = 40;
  int text_width = 20;
  double low = 0.0;
  double high = 0.0;
  for (const SvgBar& bar : chart.bars) {
    label_width = std::max(label_width, WidthOf(bar.label));
    text_width = std::max(text_width, WidthOf(bar.text, 6.5));
    for (const double value : {bar.value, bar.interval ? bar.interval->low : bar.value,
                               bar.interval ? bar.interval->high : bar.value}) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  Axis axis = AxisOver(low, high, 6);
  axis.low = low;
  const double left = kMargin + label_width + 8;
  Picture picture(static_cast<int>(left) + kPlotWidth + text_width + 2 * kMargin, chart.title,
                  chart.note);
  picture.Legend(chart.series);
  const double top = picture.top();
  const double bottom = top + kRow * static_cast<double>(chart.bars.size());
  const auto x_of = [&](double value) { return left + kPlotWidth * axis.Share(value); };
  ForTicks(axis, [&](double tick) {
    picture.Line(x_of(tick), top, x_of(tick), bottom, "line");
    picture.Text(x_of(tick), bottom + 16, TickText(tick, axis.step), "tick middle");
  });
  double y = top;
  for (const SvgBar& bar : chart.bars) {
    const double begin = x_of(std::min(0.0, bar.value));
    picture.Rect(begin, y + 5, std::max(1.0, x_of(std::max(0.0, bar.value)) - begin), kRow - 10,
                 fmt::format("f{}", bar.series % kSvgColors));
    double end = std::max(x_of(0.0), x_of(bar.value));
    if (bar.interval) {
      const double middle = y + kRow / 2.0;
      picture.Line(x_of(bar.interval->low), middle, x_of(bar.interval->high), middle, "whisker");
      for (const double edge : {bar.interval->low, bar.interval->high}) {
        picture.Line(x_of(edge), middle - 4, x_of(edge), middle + 4, "whisker");
      }
      end = std::max(end, x_of(bar.interval->high));
    }
    picture.Text(left - 8, y + 16, bar.label, "end");
    picture.Text(end + 8, y + 16, bar.text, "note");
    y += kRow;
  }
  picture.Line(x_of(0.0), top, x_of(0.0), bottom, "axis");
  return picture.Finish(static_cast<int>(bottom) + 16 + kMargin);
}

std::string Draw(const SvgCurveChart& chart) {
  constexpr int kPlotWidth = 560;
  constexpr int kPlotHeight = 260;
  double x_low = std::numeric_limits<double>::infinity();
  double x_high = -x_low;
  double y_low = x_low;
  double y_high = x_high;
  for (const SvgCurve& curve : chart.curves) {
    for (const SvgPoint& point : curve.points) {
      x_low = std::min(x_low, point.x);
      x_high = std::max(x_high, point.x);
      y_low = std::min(y_low, point.y - point.error);
      y_high = std::max(y_high, point.y + point.error);
    }
  }
  if (!(x_high >= x_low)) x_low = x_high = y_low = y_high = 0.0;
  const Axis x_axis = AxisOver(std::min(0.0, x_low), x_high, 8);
  const Axis y_axis = AxisOver(y_low, y_high, 6);
  const double left = kMargin + 64;
  Picture picture(static_cast<int>(left) + kPlotWidth + 2 * kMargin, chart.title, chart.note);
  std::vector<std::string> names;
  for (const SvgCurve& curve : chart.curves) names.push_back(curve.name);
  picture.Legend(names.size() > 1 ? names : std::vector<std::string>{});
  picture.Text(kMargin, picture.top() + 8, chart.y_label, "note");
  const double top = picture.top() + 18;
  const auto x_of = [&](double x) { return left + kPlotWidth * x_axis.Share(x); };
  const auto y_of = [&](double y) { return top + kPlotHeight * (1.0 - y_axis.Share(y)); };
  ForTicks(y_axis, [&](double tick) {
    picture.Line(left, y_of(tick), left + kPlotWidth, y_of(tick), "line");
    picture.Text(left - 8, y_of(tick) + 4, TickText(tick, y_axis.step), "tick end");
  });
  ForTicks(x_axis, [&](double tick) {
    picture.Line(x_of(tick), top + kPlotHeight, x_of(tick), top + kPlotHeight + 5, "axis");
    picture.Text(x_of(tick), top + kPlotHeight + 18, TickText(tick, x_axis.step), "tick middle");
  });
  picture.Line(left, top + kPlotHeight, left + kPlotWidth, top + kPlotHeight, "axis");
  for (size_t i = 0; i < chart.curves.size(); ++i) {
    const size_t color = i % kSvgColors;
    std::string path;
    for (const SvgPoint& point : chart.curves[i].points) {
      path +=
          fmt::format("{}{:.1f},{:.1f} ", path.empty() ? "M" : "L", x_of(point.x), y_of(point.y));
      if (point.error > 0.0) {
        picture.Line(x_of(point.x), y_of(point.y - point.error), x_of(point.x),
                     y_of(point.y + point.error), fmt::format("s{}", color));
      }
      picture.Circle(x_of(point.x), y_of(point.y), 3.0, fmt::format("f{}", color));
    }
    if (!path.empty()) {
      picture.Raw(fmt::format("<path d=\"{}\" class=\"curve s{}\"/>\n", path, color));
    }
  }
  picture.Text(left + kPlotWidth / 2.0, top + kPlotHeight + 38, chart.x_label, "note middle");
  return picture.Finish(static_cast<int>(top) + kPlotHeight + 38 + kMargin);
}

std::string Draw(const SvgHeatMaps& maps) {
  constexpr int kSquare = 24;
  constexpr int kInRow = 4;
  constexpr double kPaleFactor = 6.0;
  constexpr int kLeastPercent = 2;
  const int board_width = maps.files * kSquare + 44;
  const int board_height = maps.ranks * kSquare + 62;
  const int in_row = std::clamp(static_cast<int>(maps.maps.size()), 1, kInRow);
  Picture picture(in_row * board_width + 2 * kMargin, maps.title, maps.note);
  int index = 0;
  for (const SvgHeatMap& map : maps.maps) {
    const double x = kMargin + 24 + (index % kInRow) * board_width;
    const double y = picture.top() + 22 + (index / kInRow) * board_height;
    picture.Text(x, y - 8, map.title, "");
    DrawSquares(picture, x, y, kSquare, maps.files, maps.ranks);
    // A map that is alike everywhere stays pale.
    double most = kPaleFactor / (maps.files * maps.ranks);
    for (const double share : map.shares) most = std::max(most, share);
    for (size_t square = 0; square < map.shares.size(); ++square) {
      const auto at = static_cast<int>(square);
      const double left = x + (at % maps.files) * kSquare;
      const double top = y + (maps.ranks - 1 - at / maps.files) * kSquare;
      const double depth = map.shares[square] / most;
      if (depth > 0.0) picture.Rect(left, top, kSquare, kSquare, "f1", 0.92 * std::sqrt(depth));
      const int percent = static_cast<int>(std::lround(100.0 * map.shares[square]));
      if (percent >= kLeastPercent) {
        picture.Text(left + kSquare / 2.0, top + kSquare / 2.0 + 4, std::to_string(percent),
                     "small middle");
      }
    }
    ++index;
  }
  const int rows = (std::max(index, 1) + kInRow - 1) / kInRow;
  return picture.Finish(picture.top() + rows * board_height + kMargin);
}

std::string Draw(const SvgBoard& board) {
  constexpr int kSquare = 44;
  Picture picture(board.files * kSquare + 24 + 2 * kMargin, board.title, board.note);
  const double x = kMargin + 24;
  const double y = picture.top();
  DrawSquares(picture, x, y, kSquare, board.files, board.ranks);
  const auto x_of = [&](int square) { return x + (square % board.files + 0.5) * kSquare; };
  const auto y_of = [&](int square) {
    return y + (board.ranks - 0.5 - square / board.files) * kSquare;
  };
  for (size_t square = 0; square < board.pieces.size(); ++square) {
    const char letter = board.pieces[square];
    if (letter == ' ') continue;
    const bool white = letter >= 'A' && letter <= 'Z';
    const double cx = x_of(static_cast<int>(square));
    const double cy = y_of(static_cast<int>(square));
    picture.Circle(cx, cy, kSquare * 0.36, white ? "white" : "black");
    picture.Text(cx, cy + 5, std::string(1, static_cast<char>(white ? letter : letter - 'a' + 'A')),
                 white ? "middle on-white" : "middle on-black");
  }
  for (const SvgArrow& arrow : board.arrows) {
    const double weight = std::clamp(arrow.weight, 0.0, 1.0);
    const std::string look = fmt::format(" style=\"fill:none;stroke-width:{:.1f};opacity:{:.2f}\"",
                                         2.0 + 4.0 * weight, 0.45 + 0.5 * weight);
    const double x1 = x_of(arrow.from);
    const double y1 = y_of(arrow.from);
    const double x2 = x_of(arrow.to);
    const double y2 = y_of(arrow.to);
    const double length = std::hypot(x2 - x1, y2 - y1);
    if (length < 1.0) {
      picture.Circle(x2, y2, kSquare * 0.42, "s1", look);
    } else {
      const double ux = (x2 - x1) / length;
      const double uy = (y2 - y1) / length;
      const double head = 9.0;
      picture.Raw(fmt::format(
          "<path d=\"M{:.1f},{:.1f} L{:.1f},{:.1f} M{:.1f},{:.1f} L{:.1f},{:.1f} L{:.1f},{:.1f}\" "
          "class=\"s1\"{}/>\n",
          x1, y1, x2, y2, x2 - head * (ux + 0.6 * uy), y2 - head * (uy - 0.6 * ux), x2, y2,
          x2 - head * (ux - 0.6 * uy), y2 - head * (uy + 0.6 * ux), look));
    }
    if (!arrow.label.empty()) {
      const int width = WidthOf(arrow.label, 6.0) + 6;
      const double left = std::min(x2 + 6, x + board.files * kSquare - width);
      picture.Rect(left, y2 - 20, width, 14, "f1");
      picture.Text(left + 3, y2 - 9, arrow.label, "small tag");
    }
  }
  return picture.Finish(static_cast<int>(y) + board.ranks * kSquare + 20 + kMargin);
}

}  // namespace khanzero
