// SPDX-License-Identifier: GPL-3.0-or-later
//
// What `khanzero serve` does, without the sockets: requests in, answers out, all JSON. The page in
// play/page is its one client.
//
//   GET    /api/info               games, opponents, levels, limits
//   GET    /api/matches            the games that the server was given
//   POST   /api/pgn                {text}: the games of a PGN text
//   POST   /api/games              {game, fen?, kings_landing?, moves?}: a new game
//   GET    /api/games/ID           its state
//   DELETE /api/games/ID
//   POST   /api/games/ID/move      {move, ply}: plays it as ply `ply`
//   POST   /api/games/ID/undo      {ply}: takes back all but the first `ply` moves
//   POST   /api/games/ID/think     {simulations, lines?, ply?, play?}: searches, and plays
//   POST   /api/games/ID/stop      the running search, if any, answers now
//   POST   /api/games/ID/pgn       {white, black}: the game as PGN
//
// A fault is {"error": TEXT} with status 400 (bad request), 404 (unknown), 405 (method), 409 (the
// game went on meanwhile), 411 (a body without Content-Length), 413 (too long), 429 (too many games
// or searches), 500 or 503 (ending).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "play/web_game.h"
#include "play/web_pgn.h"

namespace khanzero {

class WebFields;

// Who plays a game.
struct WebOpponent {
  std::string game{};
  std::string name{};  // "khans-quick, step 2430"
  std::string note{};  // where it comes from, or what would make it stronger
  // Of the network, one for each search at once; empty: the alpha-beta baseline.
  std::function<std::unique_ptr<Evaluator>()> make_evaluator{};
};

struct WebLimits {
  size_t games = 64;
  size_t searches = 2;         // at once
  size_t waiting = 16;         // for one of these
  int simulations = 20'000;    // of a search
  int lines = 10;              // of a search
  int plies = 2'000;           // of a game
  size_t body = 128 << 10;     // bytes
  size_t pgn_body = 16 << 20;  // bytes, of a PGN text
  size_t pgn_games = 5'000;    // of a PGN text; the rest is left out
  size_t cache = 32 << 20;     // bytes, of each search at once in each game
  // A game that nobody asked for so long makes room for a new one.
  std::chrono::seconds forgotten{3600};
};

struct WebSettings {
  WebLimits limits{};
  std::string version{};       // of the program
  std::string matches{};       // what the page calls the games of /api/matches; empty: none
  std::vector<WebPgn> pgns{};  // these games
  int varied_plies = 12;       // of a game, in which the opponent chooses among equals by its dice
  uint64_t seed = 1;           // of the games' ids and of the dice
};

struct WebRequest {
  std::string method{};
  std::string path{};  // without the query
  std::string body{};
};

struct WebResponse {
  int status = 200;
  std::string body{};  // JSON
};

// {"error": what}
WebResponse WebError(int status, std::string_view what);

class WebService {
 public:
  // Throws InputError when one of settings.pgns is no PGN.
  WebService(const WebSettings& settings, std::vector<WebOpponent> opponents);
  ~WebService();

  // Thread-safe. A search keeps its caller until it is done.
  WebResponse Handle(const WebRequest& request);
  // Ends all searches, and refuses further ones.
  void Stop();

  const WebLimits& limits() const { return settings_.limits; }
  size_t games() const;

 private:
  struct Entry;
  using EntryPtr = std::shared_ptr<Entry>;
  using Json = nlohmann::ordered_json;
  // One search at once: a brain for each game, made when first needed.
  using Slot = std::map<std::string, std::unique_ptr<WebBrain>, std::less<>>;
  class SlotLease;

  WebResponse Route(const WebRequest& request);
  WebResponse RouteGame(const WebRequest& request, const EntryPtr& entry, std::string_view action);
  Json Info() const;
  WebResponse NewGame(WebFields& fields);
  WebResponse Think(const EntryPtr& entry, WebFields& fields);
  Json StateOf(const Entry& entry) const;
  EntryPtr FindGame(std::string_view id);
  void DropGame(const std::string& id);
  void MakeRoom();
  void StopSearch(Entry& entry);
  WebBrain& BrainOf(Slot& slot, const std::string& game) const;

  WebSettings settings_;
  std::vector<WebOpponent> opponents_;
  mutable std::mutex mutex_;
  std::condition_variable slots_changed_;
  std::map<std::string, EntryPtr, std::less<>> entries_;  // guarded by mutex_
  std::vector<std::unique_ptr<Slot>> free_slots_;         // guarded by mutex_
  size_t waiting_ = 0;                                    // guarded by mutex_
  uint64_t made_ = 0;                                     // guarded by mutex_
  bool stopping_ = false;                                 // guarded by mutex_
};

}  // namespace khanzero
