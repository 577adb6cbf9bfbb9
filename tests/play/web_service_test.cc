// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the page asks for, without a server: games, searches, limits and refusals.
#include "play/web_service.h"

#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <semaphore>
#include <string>
#include <vector>

#include "env/games.h"

namespace khanzero {
namespace {

using Json = nlohmann::json;

// The opponent of every test but those of searches: it evaluates nothing, in no time.
std::vector<WebOpponent> Uniform() {
  std::vector<WebOpponent> opponents;
  for (const std::string& game : GameNames()) {
    opponents.push_back({.game = game, .name = "uniform", .make_evaluator = [game] {
                           return std::make_unique<UniformEvaluator>(InfoOfGame(game).shape);
                         }});
  }
  return opponents;
}

class WebServiceTest : public testing::Test {
 protected:
  Json Ask(int status, const std::string& method, const std::string& path,
           const std::string& body = "") {
    const WebResponse response = service_->Handle({.method = method, .path = path, .body = body});
    EXPECT_EQ(response.status, status) << method << " " << path << ": " << response.body;
    Json json = Json::parse(response.body);
    EXPECT_EQ(status >= 400, json.contains("error"));
    return json;
  }
  Json Post(const std::string& path, const Json& fields, int status = 200) {
    return Ask(status, "POST", path, fields.dump());
  }
  // The path of a new game.
  std::string NewGame(const Json& fields) {
    return "/api/games/" + Post("/api/games", fields, 201)["id"].get<std::string>();
  }
  void Refused(int status, const std::string& path, const Json& fields, const std::string& what) {
    const Json answer = Post(path, fields, status);
    const std::string error = answer.value("error", "");
    EXPECT_NE(error.find(what), std::string::npos) << path << " " << fields << ": " << error;
  }
  void Restart(const WebSettings& settings, std::vector<WebOpponent> opponents = Uniform()) {
    service_ = std::make_unique<WebService>(settings, std::move(opponents));
  }

  std::unique_ptr<WebService> service_ =
      std::make_unique<WebService>(WebSettings{.varied_plies = 0}, Uniform());
};

TEST_F(WebServiceTest, SaysWhatItPlays) {
  Restart({.version = "1.2"}, {{.game = "khans", .name = "baseline", .note = "no network"}});
  const Json info = Ask(200, "GET", "/api/info");
  EXPECT_EQ(info["version"], "1.2");
  EXPECT_EQ(info["games"].size(), GameNames().size());
  EXPECT_EQ(info["games"][1]["files"], 10);
  EXPECT_TRUE(info["games"][1]["has_settings"]);
  EXPECT_EQ(info["opponents"]["khans"]["name"], "baseline");
  EXPECT_FALSE(info["opponents"]["khans"]["network"]);
  EXPECT_GE(info["levels"].size(), 5U);
}

TEST_F(WebServiceTest, PlaysAndTakesBack) {
  const std::string game = NewGame({{"game", "khans"}});
  Json state = Post(game + "/move", {{"move", "e2e4"}, {"ply", 0}});
  EXPECT_EQ(state["moves"], Json({"e2e4"}));
  EXPECT_EQ(state["turn"], "black");
  EXPECT_EQ(state["fens"].size(), 2U);
  EXPECT_FALSE(state["over"]);
  state = Post(game + "/undo", {{"ply", 0}});
  EXPECT_EQ(state["moves"], Json::array());
  EXPECT_EQ(state["turn"], "white");
  EXPECT_EQ(Ask(200, "GET", game), state);
}

TEST_F(WebServiceTest, RefusesMovesThatAreIllegalOrLate) {
  const std::string game = NewGame({{"game", "khans"}});
  Refused(400, game + "/move", {{"move", "e2e5"}, {"ply", 0}}, "'e2e5' is not legal");
  Refused(400, game + "/move", {{"move", "e9"}, {"ply", 0}}, "is malformed");
  Refused(409, game + "/move", {{"move", "e2e4"}, {"ply", 1}}, "the game is at ply 0, not at 1");
  Refused(400, game + "/undo", {{"ply", 1}}, "from 0 to 0");
  EXPECT_EQ(Ask(200, "GET", game)["ply"], 0);
}

TEST_F(WebServiceTest, EndsOfGamesAreNamed) {
  // White's king steps to its last rank.
  const Json campmate = {
      {"game", "khans"}, {"fen", "8/4K3/8/8/8/k7/8/8 w - - 0 1"}, {"moves", {"e7e8"}}};
  std::string game = NewGame(campmate);
  Json state = Ask(200, "GET", game);
  EXPECT_TRUE(state["over"]);
  EXPECT_EQ(state["result"], "1-0");
  EXPECT_EQ(state["reason"], "campmate");
  EXPECT_EQ(state["legal"], Json::array());
  Refused(400, game + "/move", {{"move", "a3a4"}, {"ply", 1}}, "the game is over (campmate)");
  Refused(400, game + "/think", {{"simulations", 1}}, "the game is over");
  // Of the position before, a search is still possible.
  const Json before = Post(game + "/think", {{"simulations", 4}, {"ply", 0}});
  EXPECT_EQ(before["analysis"]["lines"][0]["mate"], 1);

  Json moves;
  for (int i = 0; i < 2; ++i) {
    for (const char* const move : {"g1f3", "b8c6", "f3g1", "c6b8"}) moves.push_back(move);
  }
  state = Ask(200, "GET", NewGame({{"game", "khans"}, {"moves", moves}}));
  EXPECT_EQ(state["reason"], "repetition");
  EXPECT_EQ(state["result"], "1/2-1/2");
}

TEST_F(WebServiceTest, KingsLandingIsASettingOfTheGame) {
  const auto may_land = [&](int landing) {
    const Json state = Post("/api/games", {{"game", "serbest"}, {"kings_landing", landing}}, 201);
    EXPECT_EQ(state["kings_landing"], landing);
    const std::vector<std::string> legal = state["legal"];
    return std::ranges::find(legal, "K@e8") != legal.end();
  };
  EXPECT_FALSE(may_land(7));
  EXPECT_TRUE(may_land(8));
  Refused(400, "/api/games", {{"game", "serbest"}, {"kings_landing", 9}}, "from 7 to 8");
}

TEST_F(WebServiceTest, BadGamesAreRefusedPlainly) {
  Refused(400, "/api/games", {{"game", "chess"}}, "unknown game 'chess'; the games are khans");
  Refused(400, "/api/games", {{"game", "khans"}, {"fen", "8/8 w - - 0 1"}}, "bad khans FEN");
  Refused(400, "/api/games", {{"game", "khans"}, {"moves", {"e2e4", "e2e4"}}}, "ply 2: ");
  Refused(400, "/api/games", {{"game", "khans"}, {"fem", "x"}}, "unknown field 'fem'");
  Refused(400, "/api/games", {{"game", "khans"}, {"fen", std::string(500, '8')}}, "500 bytes long");
  Refused(400, "/api/games", Json::object(), "the field 'game' is missing");
  EXPECT_EQ(service_->games(), 0U);
}

TEST_F(WebServiceTest, SearchesAndPlays) {
  for (const std::string& name : GameNames()) {
    const std::string game = NewGame({{"game", name}});
    const Json answer = Post(game + "/think", {{"simulations", 50}, {"lines", 3}, {"play", true}});
    EXPECT_EQ(answer["state"]["ply"], 1);
    EXPECT_EQ(answer["state"]["moves"][0], answer["analysis"]["choice"]);
    EXPECT_EQ(answer["analysis"]["lines"].size(), 3U);
    EXPECT_EQ(answer["analysis"]["simulations"], 50);
    const Json& wdl = answer["analysis"]["wdl"];
    EXPECT_NEAR(wdl["white"].get<double>() + wdl["draw"].get<double>() + wdl["black"].get<double>(),
                1.0, 1e-5);
  }
}

TEST_F(WebServiceTest, TheViewpointIsWhites) {
  // Black, to move, reaches its last rank at once.
  const std::string game = NewGame({{"game", "khans"}, {"fen", "8/8/8/8/8/7K/k7/8 b - - 0 1"}});
  const Json analysis = Post(game + "/think", {{"simulations", 10}})["analysis"];
  EXPECT_EQ(analysis["wdl"]["black"], 1.0);
  EXPECT_EQ(analysis["lines"][0]["mate"], -1);
}

TEST_F(WebServiceTest, TheBaselinePlaysWithoutANetwork) {
  Restart({}, {});
  for (const std::string& name : GameNames()) {
    const std::string game = NewGame({{"game", name}});
    for (const int simulations : {1, 200}) {
      const Json answer = Post(game + "/think", {{"simulations", simulations}, {"play", true}});
      EXPECT_EQ(answer["analysis"]["lines"].size(), 1U);
    }
    EXPECT_EQ(Ask(200, "GET", game)["ply"], 2);
  }
  const std::string won = NewGame({{"game", "khans"}, {"fen", "8/4K3/8/8/8/k7/8/8 w - - 0 1"}});
  const Json line = Post(won + "/think", {{"simulations", 1}})["analysis"]["lines"][0];
  EXPECT_EQ(line["mate"], 1);
}

TEST_F(WebServiceTest, SearchesKeepToTheirLimits) {
  const std::string game = NewGame({{"game", "khans"}});
  const int most = service_->limits().simulations;
  Refused(400, game + "/think", {{"simulations", most + 1}}, "the field 'simulations' must be");
  Refused(400, game + "/think", {{"simulations", 0}}, "the field 'simulations' must be");
  Refused(400, game + "/think", {{"simulations", 1}, {"lines", 11}}, "from 1 to 10");
  Refused(400, game + "/think", {{"simulations", 1}, {"ply", 1}}, "from 0 to 0");
  Post(game + "/move", {{"move", "e2e4"}, {"ply", 0}});
  Refused(409, game + "/think", {{"simulations", 1}, {"ply", 0}, {"play", true}},
          "only the last position can be played on");
}

TEST_F(WebServiceTest, WhatIsUnknownIsNamed) {
  const std::string game = NewGame({{"game", "khans"}});
  Refused(404, "/api/games/0123456789abcdef/move", Json::object(), "there is no game '01234");
  Refused(404, game + "/dance", Json::object(), "a game has no 'dance'");
  Refused(404, game + "/move/x", Json::object(), "a game has no 'move/x'");
  Ask(404, "GET", "/api/../../etc/passwd");
  Ask(404, "GET", "/api/games/");
  Ask(404, "GET", "/api/games/../info");
  Ask(405, "GET", game + "/move");
  Ask(405, "POST", "/api/info");
  Ask(405, "PUT", game);
  Ask(200, "DELETE", game);
  Ask(404, "GET", game);
}

TEST_F(WebServiceTest, BodiesAreLimited) {
  WebSettings settings;
  settings.limits.body = 100;
  settings.limits.pgn_body = 200;
  Restart(settings);
  Refused(413, "/api/games", {{"game", std::string(100, 'x')}}, "at most 100 are allowed here");
  Refused(413, "/api/pgn", {{"text", std::string(200, 'x')}}, "at most 200 are allowed here");
}

TEST_F(WebServiceTest, TooManyGamesAreRefusedUntilOneIsClosed) {
  WebSettings settings;
  settings.limits.games = 2;
  Restart(settings);
  const std::string first = NewGame({{"game", "khans"}});
  NewGame({{"game", "serbest"}});
  Refused(429, "/api/games", {{"game", "khans"}}, "there are 2 games already");
  Ask(200, "DELETE", first);
  NewGame({{"game", "khans"}});
}

TEST_F(WebServiceTest, AForgottenGameMakesRoom) {
  WebSettings settings;
  settings.limits.games = 2;
  settings.limits.forgotten = std::chrono::seconds(0);
  Restart(settings);
  const std::string first = NewGame({{"game", "khans"}});
  const std::string second = NewGame({{"game", "khans"}});
  Ask(200, "GET", first);
  NewGame({{"game", "khans"}});
  EXPECT_EQ(service_->games(), 2U);
  Ask(200, "GET", first);
  Ask(404, "GET", second);
}

TEST_F(WebServiceTest, GamesDoNotMix) {
  const std::string a = NewGame({{"game", "khans"}});
  const std::string b = NewGame({{"game", "khans"}});
  EXPECT_NE(a, b);
  Post(a + "/move", {{"move", "e2e4"}, {"ply", 0}});
  EXPECT_EQ(Ask(200, "GET", b)["ply"], 0);
}

TEST_F(WebServiceTest, AGameIsPgnThatReadsBack) {
  const std::string game = NewGame(
      {{"game", "serbest"}, {"kings_landing", 8}, {"moves", {"N@e4", "N@e7", "e4d6", "P@j10"}}});
  const Json names = {{"white", "A \"b\""}, {"black", "C"}};
  const std::string text = Post(game + "/pgn", names)["pgn"];
  const Json read = Post("/api/pgn", {{"text", text}});
  ASSERT_EQ(read["games"].size(), 1U);
  const Json& record = read["games"][0];
  EXPECT_EQ(record["white"], "A \"b\"");
  EXPECT_EQ(record["variant"], "serbest");
  EXPECT_EQ(record["kings_landing"], "8");
  EXPECT_EQ(record["result"], "*");
  EXPECT_EQ(record["moves"], Json({"N@e4", "N@e7", "e4d6", "P@j10"}));
}

TEST_F(WebServiceTest, PgnIsListedOrRefusedWithItsLine) {
  const std::string one = "[Variant \"khans\"]\n[White \"A\"]\n\n1. e2e4 {first} b8c6 1-0\n\n";
  WebSettings settings{
      .matches = "a match",
      .pgns = {{.source = "1.pgn", .text = one}, {.source = "2.pgn", .text = one}}};
  settings.limits.pgn_games = 2;
  Restart(settings);
  const Json listed = Ask(200, "GET", "/api/matches");
  EXPECT_EQ(listed["games"].size(), 2U);
  EXPECT_EQ(listed["games"][0]["comments"][0], "first");
  EXPECT_EQ(Post("/api/pgn", {{"text", one + one + one}})["left_out"], 1);
  Refused(400, "/api/pgn", {{"text", "[White \"A\n"}}, "the PGN text:1");
  settings.pgns[1].text = "[White \"A\n";
  EXPECT_THROW(WebService(settings, {}), InputError);
}

// An evaluator that a test holds until it lets it go on.
class HeldEvaluator : public UniformEvaluator {
 public:
  HeldEvaluator(const EncodingShape& shape, std::counting_semaphore<>& begun,
                std::counting_semaphore<>& leave)
      : UniformEvaluator(shape), begun_(begun), leave_(leave) {}
  void Evaluate(EvaluationBatch& batch) override {
    begun_.release();
    leave_.acquire();
    UniformEvaluator::Evaluate(batch);
  }

 private:
  std::counting_semaphore<>& begun_;
  std::counting_semaphore<>& leave_;
};

class WebSearches : public WebServiceTest {
 protected:
  static constexpr int kMany = 1000;

  void Hold(size_t searches, size_t waiting) {
    WebSettings settings;
    settings.limits.searches = searches;
    settings.limits.waiting = waiting;
    Restart(settings, {{.game = "khans", .name = "held", .make_evaluator = [this] {
                          return std::make_unique<HeldEvaluator>(InfoOfGame("khans").shape, begun_,
                                                                 leave_);
                        }}});
  }
  std::future<WebResponse> Think(const std::string& game, const Json& fields) {
    return std::async(std::launch::async, [=, this] {
      return service_->Handle({.method = "POST", .path = game + "/think", .body = fields.dump()});
    });
  }

  std::counting_semaphore<> begun_{0};
  std::counting_semaphore<> leave_{0};
};

TEST_F(WebSearches, StopAnswersWithWhatIsKnown) {
  Hold(1, 1);
  const std::string game = NewGame({{"game", "khans"}});
  auto thought = Think(game, {{"simulations", 10'000}, {"play", true}});
  begun_.acquire();
  Post(game + "/stop", Json::object());
  leave_.release(kMany);
  const WebResponse answer = thought.get();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(Ask(200, "GET", game)["ply"], 1);
}

TEST_F(WebSearches, AMoveOfAGameThatWentOnIsNotPlayed) {
  Hold(1, 1);
  const std::string game = NewGame({{"game", "khans"}});
  Post(game + "/move", {{"move", "e2e4"}, {"ply", 0}});
  auto thought = Think(game, {{"simulations", 10'000}, {"play", true}});
  begun_.acquire();
  Post(game + "/undo", {{"ply", 0}});
  leave_.release(kMany);
  EXPECT_EQ(thought.get().status, 409);
  EXPECT_EQ(Ask(200, "GET", game)["ply"], 0);
}

TEST_F(WebSearches, TooManyAtOnceAreRefused) {
  Hold(1, 0);
  const std::string a = NewGame({{"game", "khans"}});
  const std::string b = NewGame({{"game", "khans"}});
  auto thought = Think(a, {{"simulations", 2}});
  begun_.acquire();
  Refused(429, b + "/think", {{"simulations", 2}}, "too many searches wait already");
  leave_.release(kMany);
  EXPECT_EQ(thought.get().status, 200);
  Post(b + "/think", {{"simulations", 2}});
}

TEST_F(WebSearches, TheEndOfTheServiceEndsThem) {
  Hold(1, 4);
  const std::string a = NewGame({{"game", "khans"}});
  const std::string b = NewGame({{"game", "khans"}});
  auto running = Think(a, {{"simulations", 10'000}});
  begun_.acquire();
  auto waiting = Think(b, {{"simulations", 10'000}});
  service_->Stop();
  leave_.release(kMany);
  EXPECT_EQ(running.get().status, 200);
  EXPECT_EQ(waiting.get().status, 503);
}

TEST_F(WebSearches, AFailingNetworkIsAnErrorAndNoEnd) {
  class Failing : public UniformEvaluator {
   public:
    using UniformEvaluator::UniformEvaluator;
    void Evaluate(EvaluationBatch&) override { throw RuntimeFailure("the device is gone"); }
  };
  Restart({}, {{.game = "khans", .name = "failing", .make_evaluator = [] {
                  return std::make_unique<Failing>(InfoOfGame("khans").shape);
                }}});
  const std::string game = NewGame({{"game", "khans"}});
  Refused(500, game + "/think", {{"simulations", 5}, {"play", true}}, "the device is gone");
  EXPECT_EQ(Ask(200, "GET", game)["ply"], 0);
}

}  // namespace
}  // namespace khanzero
