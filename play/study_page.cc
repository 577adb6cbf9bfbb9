// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page of a study and its pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "env/error.h"
#include "env/games.h"
#include "play/study.h"
#include "play/svg.h"

namespace khanzero {

namespace {

constexpr int kWhiteSeries = 0;
constexpr int kBlackSeries = 1;
constexpr int kDrawSeries = 2;
constexpr int kArrows = 3;

std::string Percent(const Estimate& e) {
  return fmt::format("{:.1f} % ({:.1f} to {:.1f})", 100.0 * e.value, 100.0 * e.low, 100.0 * e.high);
}

std::string Plain(const Estimate& e, int digits) {
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", e.value, digits, e.low, digits, e.high,
                     digits);
}

std::string NameOf(const PieceValue& value) {
  return value.piece + (value.in_hand ? " in hand" : "");
}

std::string Capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

class Page {
 public:
  explicit Page(const Study& study) : study_(study) {}

  std::map<std::string, std::string> Files() {
    Head();
    Games();
    Pieces();
    FirstMovesPart();
    files_["study.md"] = text_;
    files_["study.json"] = StudyJson(study_) + "\n";
    return std::move(files_);
  }

 private:
  template <class... A>
  void Add(fmt::format_string<A...> format, A&&... values) {
    text_ += fmt::format(format, std::forward<A>(values)...);
  }
  void Picture(const std::string& name, const std::string& alt, const std::string& svg) {
    files_[name] = svg;
    Add("![{}]({})\n\n", alt, name);
  }

  void Head() {
    Add("# What the network knows: {}\n\n", study_.game);
    Add("Network: {}. Games: {}. Seed {}.\n\n", Printable(study_.network),
        Printable(study_.games_from), study_.seed);
    Add("All of this is the opinion of one network of one training run, and of its games. "
        "Intervals "
        "are of 95 % and tell what chance\nalone would do if the same network played more games; "
        "another network, or a longer training, may disagree by more.\n\n");
  }

  void Games() {
    const MatchResult& games = study_.games;
    const Tally white = games.white();
    Add("## How games end\n\n");
    Add("White scores {:.1f} % +/- {:.1f} % in {} games: {} wins, {} draws, {} losses. {} of the "
        "games are unlike all others.\n\n",
        100.0 * white.score(), 100.0 * ScoreError(white), white.games(), white.wins, white.draws,
        white.losses, games.unique_games.size());
    Add("| ending | share of games | White wins | draws | Black wins |\n| --- | --- | ---: | ---: "
        "| "
        "---: |\n");
    SvgBarChart chart{
        .title = "How games end",
        .note = fmt::format("{} games; whiskers are 95 % intervals (Wilson)", white.games()),
        .series = {"White wins", "Black wins", "draw"}};
    for (const auto& [reason, count] : games.endings_by_side) {
      Add("| {} | {} | {} | {} | {} |\n", Printable(reason),
          Percent(WilsonShare(count.games(), white.games())), count.white_wins, count.draws,
          count.black_wins);
      for (const auto& [number, series] :
           {std::pair(count.white_wins, kWhiteSeries), std::pair(count.black_wins, kBlackSeries),
            std::pair(count.draws, kDrawSeries)}) {
        if (number == 0) continue;
        const Estimate share = WilsonShare(number, white.games());
        chart.bars.push_back({.label = reason,
                              .value = 100.0 * share.value,
                              .interval = SvgInterval{100.0 * share.low, 100.0 * share.high},
                              .text = fmt::format("{:.1f} %", 100.0 * share.value),
                              .series = series});
      }
    }
    Add("\n");
    Picture("endings.svg", "How games end", Draw(chart));
    Add("Games last {:.1f} plies on average, openings included; half of them at most {}, nine of "
        "ten "
        "at most {}, the longest {}.\n\n",
        games.average_plies(), games.LengthQuantile(0.5), games.LengthQuantile(0.9),
        games.LengthQuantile(1.0));
    Picture("lengths.svg", "Lengths of games", Draw(Lengths()));
  }

  // Games by ranges of equal width.
  SvgBarChart Lengths() const {
    const std::map<int, int64_t>& lengths = study_.games.lengths;
    const int longest = lengths.empty() ? 1 : lengths.rbegin()->first;
    constexpr std::array<int, 7> kWidths = {5, 10, 20, 25, 50, 100, 200};
    int width = kWidths.back();
    for (const int candidate : kWidths) {
      if (longest / candidate < 16) {
        width = candidate;
        break;
      }
    }
    std::map<int, int64_t> ranges;
    for (const auto& [plies, count] : lengths) ranges[(std::max(plies, 1) - 1) / width] += count;
    SvgBarChart chart{.title = "Lengths of games", .note = "plies, openings included"};
    if (ranges.empty()) return chart;
    for (int range = ranges.begin()->first; range <= ranges.rbegin()->first; ++range) {
      chart.bars.push_back({.label = fmt::format("{}-{}", range * width + 1, (range + 1) * width),
                            .value = static_cast<double>(ranges[range]),
                            .text = std::to_string(ranges[range])});
    }
    return chart;
  }

  void Pieces() {
    const PieceValues& pieces = study_.pieces;
    Add("## What each piece is worth\n\n");
    Add("From {} positions of {} games (up to {} a game, none in check, White's expected score "
        "between {:.0f} % and {:.0f} %) one piece of each kind is taken\noff, and the network "
        "rates "
        "the rest, without search. The change of ln(score / (1 - score)) is what adds up; ",
        pieces.positions, pieces.games, study_.piece_settings.positions_per_game,
        100.0 * study_.piece_settings.least_score,
        100.0 * (1.0 - study_.piece_settings.least_score));
    if (pieces.unit.empty()) {
      Add("no piece is\nclearly worth anything to this network that could be the unit.\n\n");
    } else {
      Add("here a {} of either side, on the board, counts 1.\n\n", pieces.unit);
    }
    Add("A kind's value is the mean over real positions: of what the piece does there, and of what "
        "it guards. A value below 0 means that the\nnetwork rates positions with it lower; mostly "
        "it says that the network has not learnt the piece. Intervals come from {} resamples of\n"
        "whole games; kinds seen in fewer than {} games are left out of the picture.\n\n",
        study_.piece_settings.resamples, kFewGames);
    Add("| side | piece | value | points a game | ln(odds) | positions | games |\n| --- | --- | "
        "--- "
        "| --- | --- | ---: | ---: |\n");
    SvgBarChart chart{
        .title = pieces.unit.empty() ? "What each piece is worth, ln(odds)"
                                     : fmt::format("What each piece is worth, {} = 1", pieces.unit),
        .note = "by taking it off in positions of real games; whiskers are 95 % intervals",
        .series = {"White", "Black"}};
    for (const PieceValue& value : pieces.values) {
      Add("| {} | {} | {} | {} | {} | {} | {} |\n", Name(value.side), NameOf(value),
          value.units ? Plain(*value.units, 2) : "-", Plain(value.score, 3), Plain(value.logit, 3),
          value.observations, value.games);
      if (value.games < kFewGames) continue;
      const Estimate& shown = value.units ? *value.units : value.logit;
      chart.bars.push_back({.label = NameOf(value),
                            .value = shown.value,
                            .interval = SvgInterval{shown.low, shown.high},
                            .text = Plain(shown, 1),
                            .series = value.side == Color::kWhite ? kWhiteSeries : kBlackSeries});
    }
    Add("\n");
    if (!chart.bars.empty()) Picture("pieces.svg", "What each piece is worth", Draw(chart));
  }

  void FirstMovesPart() {
    Add("## First moves\n\n");
    Add("What one search each finds, and what the policy alone would play. Scores are expected "
        "points of the side to move (the network alone | the\nsearch); a search gives no interval, "
        "and moves whose shares of visits are alike are alike to it.\n\n");
    const EncodingShape shape = InfoOfGame(study_.game).shape;
    for (size_t i = 0; i < study_.first.positions.size(); ++i) {
      const PositionOpinion& position = study_.first.positions[i];
      Add("### {}\n\n",
          position.after.empty() ? std::string("At the start") : "After " + position.after);
      Add("{} to move, {} legal moves, {} simulations; score {:.1f} % | {:.1f} %. `{}`\n\n",
          Capital(position.side), position.legal_moves, position.nodes,
          100.0 * position.network_score, 100.0 * position.score, position.fen);
      Add("| move | visits | score | policy | line |\n| --- | ---: | ---: | ---: | --- |\n");
      for (const MoveOpinion& move : position.searched) {
        const size_t shown = std::min<size_t>(move.line.size(), 8);
        Add("| {} | {:.1f} % | {} | {:.1f} % | {} |\n", move.san, 100.0 * move.visits,
            move.score ? fmt::format("{:.1f} %", 100.0 * *move.score) : "-", 100.0 * move.prior,
            fmt::join(move.line.begin(), move.line.begin() + static_cast<std::ptrdiff_t>(shown),
                      " "));
      }
      Add("\nPolicy alone:");
      for (size_t m = 0; m < position.policy.size(); ++m) {
        Add("{} {} {:.1f} %", m == 0 ? "" : ",", position.policy[m].san,
            100.0 * position.policy[m].prior);
      }
      Add(".\n\n");
      Picture(fmt::format("first-moves-{}.svg", i), "Best moves", Draw(BoardOf(position, shape)));
    }
    Placements(shape);
  }

  static SvgBoard BoardOf(const PositionOpinion& position, const EncodingShape& shape) {
    SvgBoard board{.title = position.after.empty() ? "At the start" : "After " + position.after,
                   .note = Capital(position.side) + "'s best moves, with their shares of visits",
                   .files = shape.files,
                   .ranks = shape.ranks,
                   .pieces = position.letters};
    for (const MoveOpinion& move : position.searched) {
      if (board.arrows.size() == kArrows) break;
      const std::string share = fmt::format("{:.0f} %", 100.0 * move.visits);
      board.arrows.push_back(
          {.from = move.from,
           .to = move.to,
           .weight = move.visits,
           .label = move.placement ? move.san.substr(0, 1) + " " + share : share});
    }
    // The best lies on top.
    std::reverse(board.arrows.begin(), board.arrows.end());
    return board;
  }

  void Placements(const EncodingShape& shape) {
    if (study_.first.placements.empty()) return;
    Add("### Where pieces are placed\n\n");
    Add("Numbers are hundredths of the placements of that piece, 2 and more; after its name, its "
        "share "
        "of all, and in games\nits number.\n\n");
    const auto draw = [&](const std::string& name, const std::string& title,
                          const std::string& note, const std::vector<PlacementMap>& maps) {
      SvgHeatMaps picture{.title = title, .note = note, .files = shape.files, .ranks = shape.ranks};
      for (const PlacementMap& map : maps) {
        picture.maps.push_back(
            {.title = fmt::format("{}, {:.1f} %{}", Capital(map.piece), 100.0 * map.share,
                                  map.count > 0 ? fmt::format(" ({})", map.count) : ""),
             .shares = map.squares});
      }
      if (!maps.empty()) Picture(name, title, Draw(picture));
    };
    draw("placements-policy.svg", "First placement: the policy at the start",
         "the network's own choice for White on the empty board, without search",
         study_.first.placements);
    const std::string note =
        fmt::format("where each piece was first placed in {} games, random openings left out; ",
                    study_.placed.games);
    draw("placements-white.svg", "Placements of White in games", note + "White's side is below",
         study_.placed.white);
    draw("placements-black.svg", "Placements of Black in games",
         note + "turned, so that Black's side is below", study_.placed.black);
  }

  const Study& study_;
  std::string text_;
  std::map<std::string, std::string> files_;
};

}  // namespace

std::map<std::string, std::string> StudyFiles(const Study& study) { return Page(study).Files(); }

}  // namespace khanzero
