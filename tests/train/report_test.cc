// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "env/error.h"
#include "tests/train/sample_games.h"
#include "train/metrics_file.h"
#include "train/replay_store.h"

namespace khanzero {
namespace {

using nlohmann::json;

class ReportedRun {
 public:
  explicit ReportedRun(const std::string& game) : game_(game) {
    std::ofstream(run().config()) << ToYaml(SmallConfig(game));
  }

  RunFolder run() const { return RunFolder(folder_.path()); }

  void WriteMetrics(const std::string& text) { std::ofstream(run().metrics()) << text; }

  std::vector<GameRecord> Play(int64_t count) {
    std::vector<GameRecord> games = PlayGames(SmallConfig(game_), count);
    ReplayStore(run().store(), game_, ReplayStore::Access::kReadWrite).Add(games);
    return games;
  }

  std::string Page() {
    summary_ = WriteReport(run(), run().report());
    std::ifstream file(run().report(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  // The figures in the page.
  json Data() {
    const std::string page = Page();
    const std::string open = "<script type=\"application/json\" id=\"data\">";
    const size_t begin = page.find(open) + open.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }

  const ReportSummary& summary() const { return summary_; }

 private:
  std::string game_;
  ScratchFolder folder_;
  ReportSummary summary_;
};

TEST(MetricsFile, NumbersHaveTagsThatSayWhereTheyStood) {
  const auto line = ParseMetricsLine(
      R"({"hours":0.5,"learner":{"policy_loss":2,"heads":{"reply":1}},"scores":{"random":1},)"
      R"("note":"x","none":null,"list":[1],"alarms":["a",7,"b"]})");
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->scalars, (std::map<std::string, double>{{"run/hours", 0.5},
                                                          {"learner/policy_loss", 2},
                                                          {"learner/heads/reply", 1},
                                                          {"scores/random", 1}}));
  EXPECT_EQ(line->alarms, (std::vector<std::string>{"a", "b"}));
}

TEST(MetricsFile, WhatIsNoObjectIsNoLine) {
  for (const char* const text :
       {"", "7", "[1]", "{\"a\":1", "{\"a\":1}x", "{\"a\":1e999}", "\xFF"}) {
    EXPECT_FALSE(ParseMetricsLine(text).has_value()) << text;
  }
  const std::string deep = R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_TRUE(ParseMetricsLine(deep).has_value());
  std::string nested = "1";
  for (int i = 0; i < 1000; ++i) nested = R"({"a":)" + nested + "}";
  EXPECT_TRUE(ParseMetricsLine(nested)->scalars.empty());
}

TEST(MetricsFile, ATornLineIsLeftOutAndReadLaterWhenItIsWhole) {
  ReportedRun reported("khans");
  reported.WriteMetrics("{\"cycle\":0}\nrubbish\n{\"cycle\":1}\n{\"cyc");
  const MetricsLines first = ReadMetrics(reported.run().metrics());
  EXPECT_EQ(first.lines.size(), 2U);
  EXPECT_EQ(first.notes, (std::vector<std::string>{
                             "metrics.jsonl: line 2 is damaged and is left out",
                             "metrics.jsonl: the last line is not complete and is left out"}));
  std::ofstream(reported.run().metrics(), std::ios::app) << "le\":2}\n";
  const MetricsLines second = ReadMetrics(reported.run().metrics(), first.end);
  ASSERT_EQ(second.lines.size(), 1U);
  EXPECT_EQ(second.lines[0].scalars.at("run/cycle"), 2.0);
}

TEST(ReplayStoreOrder, NewestLongestAndShortestAreFound) {
  ReportedRun reported("khans");
  const std::vector<GameRecord> games = reported.Play(20);
  const ReplayStore store(reported.run().store(), "khans", ReplayStore::Access::kReadOnly);
  using Order = ReplayStore::Order;
  const auto plies = [&](Order order, int64_t limit, int64_t among) {
    std::vector<size_t> lengths;
    for (const StoredGame& game : store.First(order, limit, among)) {
      lengths.push_back(ParseRecord(game.bytes).move_ranks.size());
    }
    return lengths;
  };
  const size_t n = games.size();
  EXPECT_EQ(plies(Order::kNewest, 2, 10),
            (std::vector<size_t>{games[n - 1].move_ranks.size(), games[n - 2].move_ranks.size()}));
  std::vector<size_t> newest;
  for (size_t i = n - 10; i < n; ++i) newest.push_back(games[i].move_ranks.size());
  std::sort(newest.begin(), newest.end());
  EXPECT_EQ(plies(Order::kShortest, 10, 10), newest);
  EXPECT_EQ(plies(Order::kLongest, 1, 10), (std::vector<size_t>{newest.back()}));
  EXPECT_TRUE(plies(Order::kLongest, 1, 0).empty());
}

class Report : public testing::TestWithParam<std::string> {};

TEST_P(Report, GamesAreReplayedPositionByPosition) {
  ReportedRun reported(GetParam());
  const std::vector<GameRecord> games = reported.Play(12);
  const json data = reported.Data();
  ASSERT_GE(data["games"].size(), 3U);
  EXPECT_EQ(reported.summary().games, data["games"].size());
  EXPECT_EQ(data["games"][0]["number"].get<uint64_t>(), games.back().number);
  EXPECT_EQ(data["games"][0]["why"], "newest");
  for (const json& game : data["games"]) {
    const size_t plies = game["plies"].get<size_t>();
    ASSERT_EQ(game["moves"].size(), plies);
    ASSERT_EQ(game["positions"].size(), plies + 1);
    EXPECT_EQ(game["values"].size(), plies);
    WithGame(GetParam(), [&]<class G>() {
      GameSettings settings = games.back().settings;
      auto position = G::Position::Start(settings);
      for (size_t ply = 0; ply <= plies; ++ply) {
        const std::string fen = position.Fen();
        const std::string shown = game["positions"][ply].get<std::string>();
        EXPECT_TRUE(fen.starts_with(shown + " ")) << fen << "\n" << shown;
        EXPECT_EQ(shown.back(), position.side_to_move() == Color::kWhite ? 'w' : 'b');
        if (ply < plies)
          position.Play(G::TextToMove(position, game["moves"][ply].get<std::string>()));
      }
      return 0;
    });
    for (const json& value : game["values"]) {
      if (value.is_null()) continue;
      EXPECT_LE(std::abs(value.get<int>()), 100);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Games, Report, testing::Values("khans", "serbest"),
                         [](const auto& tested) { return tested.param; });

// The search's values are for the mover; the report's are for White.
TEST(RunReport, ValuesAreThoseForWhite) {
  ReportedRun reported("khans");
  std::vector<GameRecord> games = PlayGames(SmallConfig("khans"), 1);
  games.resize(1);
  for (SampleRecord& sample : games[0].samples) {
    sample.root_win = 255;
    sample.root_loss = 0;
  }
  ReplayStore(reported.run().store(), "khans", ReplayStore::Access::kReadWrite).Add(games);
  const json values = reported.Data()["games"][0]["values"];
  ASSERT_GT(values.size(), 2U);
  for (size_t ply = 0; ply < values.size(); ++ply) {
    if (values[ply].is_null()) continue;
    EXPECT_EQ(values[ply].get<int>(), ply % 2 == 0 ? 100 : -100);
  }
}

TEST(RunReport, ARunThatHasJustBegunHasAReport) {
  ReportedRun reported("khans");
  const json data = reported.Data();
  EXPECT_EQ(reported.summary().cycles, 0U);
  EXPECT_EQ(data["notes"].size(), 2U);
  EXPECT_EQ(data["header"]["game"], "khans");
  EXPECT_TRUE(data["plots"]["columns"].empty());
}

TEST(RunReport, FiguresThatComeLaterHaveAGapBefore) {
  ReportedRun reported("khans");
  reported.WriteMetrics(
      R"({"cycle":0,"games":5,"self_play":{"games":5,"endings":{"cap":2}}})"
      "\n"
      R"({"cycle":1,"games":9,"self_play":{"games":4,"endings":{"checkmate":4}},"new":{"x":1}})"
      "\n");
  const json columns = reported.Data()["plots"]["columns"];
  EXPECT_EQ(columns["run/games"], json::parse("[5, 9]"));
  EXPECT_EQ(columns["new/x"], json::parse("[null, 1]"));
  // A reason that is not listed ended no game.
  EXPECT_EQ(columns["self_play/endings/cap"], json::parse("[2, 0]"));
  EXPECT_EQ(columns["self_play/endings/checkmate"], json::parse("[0, 4]"));
}

TEST(RunReport, LongRunsAreThinnedToMeans) {
  ReportedRun reported("khans");
  std::string lines;
  for (int i = 0; i < 2500; ++i) {
    lines += R"({"cycle":)" + std::to_string(i) + R"(,"games":)" + std::to_string(10 * (i + 1)) +
             R"(,"learner":{"policy_loss":)" + std::to_string(i % 3) + "}}\n";
  }
  reported.WriteMetrics(lines);
  const json plots = reported.Data()["plots"];
  EXPECT_EQ(reported.summary().cycles, 2500U);
  EXPECT_EQ(plots["cycles_per_point"], 3);
  const json& losses = plots["columns"]["learner/policy_loss"];
  ASSERT_EQ(losses.size(), 834U);
  EXPECT_EQ(losses[0], 1.0);
  EXPECT_EQ(plots["columns"]["run/games"][0], 30);
  EXPECT_EQ(plots["columns"]["run/games"].back(), 25000);
}

TEST(RunReport, AlarmsAreListedOnceWithTheirCycles) {
  ReportedRun reported("khans");
  reported.WriteMetrics(
      "{\"cycle\":0,\"alarms\":[\"old\"]}\n{\"cycle\":1,\"alarms\":[\"both\"]}\n"
      "{\"cycle\":2,\"alarms\":[\"both\"]}\n");
  const json alarms = reported.Data()["alarms"];
  ASSERT_EQ(alarms.size(), 2U);
  EXPECT_EQ(alarms[0],
            json::parse(R"({"text":"both","first_cycle":1,"last_cycle":2,"count":2,"now":true})"));
  EXPECT_FALSE(alarms[1]["now"].get<bool>());
}

TEST(RunReport, HostileTextCannotLeaveItsPlace) {
  ReportedRun reported("khans");
  const std::string hostile = "</script><script>alert(1)</script><!--{{script}}&\xE2\x80\xA8";
  reported.WriteMetrics(
      json{{"cycle", 0}, {"alarms", {hostile}}, {"scores", {{hostile, 0.5}}}}.dump() + "\n");
  const json data = reported.Data();
  EXPECT_EQ(data["alarms"][0]["text"], hostile);
  EXPECT_TRUE(data["plots"]["columns"].contains("scores/" + hostile));
  const std::string page = reported.Page();
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
}

TEST(RunReport, NothingIsLoadedFromElsewhere) {
  ReportedRun reported("khans");
  reported.Play(2);
  std::string page = reported.Page();
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  // The one address is the name of SVG's namespace.
  const std::string name = "http://www.w3.org/2000/svg";
  for (size_t at; (at = page.find(name)) != std::string::npos;) page.erase(at, name.size());
  for (const char* const part :
       {"http:", "https:", "//cdn", "@import", "src=", "innerHTML", "{{"}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
}

TEST(RunReport, DamagedPartsAreLeftOutWithANote) {
  ReportedRun reported("khans");
  std::ofstream(reported.run().store()) << std::string(8192, 'x');
  std::ofstream(reported.run().latest()) << "step-000000009\n";
  const json data = reported.Data();
  EXPECT_EQ(data["games"].size(), 0U);
  const std::string notes = data["notes"].dump();
  EXPECT_NE(notes.find("replay store"), std::string::npos) << notes;
  EXPECT_NE(notes.find("step-000000009"), std::string::npos) << notes;
}

TEST(RunReport, AFolderThatIsNoRunIsRefused) {
  const ScratchFolder folder;
  EXPECT_THROW(WriteReport(RunFolder(folder.path()), folder.path() / "report.html"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "report.html"));
}

}  // namespace
}  // namespace khanzero
