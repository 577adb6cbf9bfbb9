// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "env/games.h"
#include "play/web_service.h"
#include "tests/fuzz/fuzz_bodies.h"

namespace khanzero {

namespace {

using Json = nlohmann::json;

constexpr size_t kMostGames = 3;

WebSettings SmallSettings() {
  WebSettings settings;
  settings.limits.games = kMostGames;
  settings.limits.searches = 1;
  settings.limits.simulations = 4;
  settings.limits.lines = 3;
  settings.limits.plies = 40;
  settings.limits.body = 2'000;
  settings.limits.pgn_body = 1'000;
  settings.limits.pgn_games = 3;
  settings.limits.cache = 0;
  return settings;
}

// Khan's Chess is searched with a network that knows nothing, The Serbest by the baseline.
std::vector<WebOpponent> Opponents() {
  return {{.game = "khans", .name = "uniform", .make_evaluator = [] {
             return std::make_unique<UniformEvaluator>(InfoOfGame("khans").shape);
           }}};
}

void Demand(bool holds, const std::string& what, const WebResponse& response) {
  if (!holds) {
    throw Disagreement(what + ": " + std::to_string(response.status) + " " + response.body);
  }
}

// What a game says of itself holds together.
void DemandWhole(const Json& state, const WebResponse& response) {
  const size_t plies = state.at("moves").size();
  Demand(state.at("ply") == plies && state.at("fens").size() == plies + 1 &&
             state.at("checks").size() == plies + 1,
         "a game has lost a position", response);
  Demand(state.at("over") == state.at("legal").empty(), "a game is over or can go on", response);
}

Json Answer(WebService& service, const WebRequest& request) {
  const WebResponse response = service.Handle(request);
  const Json json = Json::parse(response.body, nullptr, false);
  Demand(json.is_object(), "the answer is no JSON object", response);
  constexpr int kKnown[] = {200, 201, 400, 404, 405, 409, 413, 429};
  Demand(std::ranges::find(kKnown, response.status) != std::end(kKnown), "a strange status",
         response);
  Demand(json.contains("error") == (response.status >= 400), "a fault without its text", response);
  if (response.status >= 400) {
    const std::string text = json["error"];
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    Demand(!text.empty() && std::ranges::all_of(text, printable), "an unreadable fault", response);
  }
  if (json.contains("fens")) DemandWhole(json, response);
  if (json.contains("state")) DemandWhole(json["state"], response);
  Demand(service.games() <= kMostGames, "too many games", response);
  return json;
}

void Replace(std::string& text, const std::string& mark, const std::string& by) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
    text.replace(at, mark.size(), by);
  }
}

}  // namespace

InputWorth FuzzHttp(std::span<const uint8_t> input) {
  constexpr std::string_view kBetween = "\n--\n";
  std::string_view rest(reinterpret_cast<const char*>(input.data()), input.size());
  WebService service(SmallSettings(), Opponents());
  const auto make = [&](const std::string& body) {
    return Answer(service, {.method = "POST", .path = "/api/games", .body = body})
        .at("id")
        .get<std::string>();
  };
  const std::string khans = make(R"({"game":"khans"})");
  const std::string serbest = make(R"({"game":"serbest"})");
  bool asked = false;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(kBetween), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + kBetween.size()));
    const size_t line = std::min(one.find('\n'), one.size());
    const size_t space = one.find(' ');
    if (space == std::string_view::npos || space > line) continue;
    std::string path(one.substr(space + 1, line - space - 1));
    Replace(path, "$k", khans);
    Replace(path, "$s", serbest);
    Answer(service, {.method = std::string(one.substr(0, space)),
                     .path = path,
                     .body = std::string(one.substr(std::min(one.size(), line + 1)))});
    asked = true;
  }
  for (const std::string& id : {khans, serbest}) {
    Answer(service, {.method = "GET", .path = "/api/games/" + id});
  }
  return asked ? InputWorth::kKeep : InputWorth::kForget;
}

}  // namespace khanzero
