// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/web_service.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "env/error.h"
#include "env/games.h"
#include "env/random.h"
#include "play/web_fields.h"
#include "play/web_pgn.h"

namespace khanzero {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr size_t kLongestFen = 400;
constexpr size_t kLongestMove = 12;
constexpr size_t kLongestName = 1000;  // a player's can hold a path
constexpr int kDefaultLanding = 7;

// What a person may choose from; any other number of simulations will do as well.
struct Level {
  const char* name;
  int simulations;
};
constexpr std::array<Level, 6> kLevels = {{{"Instinct", 1},
                                           {"Glance", 16},
                                           {"Quick", 64},
                                           {"Steady", 200},
                                           {"Deep", 800},
                                           {"Deepest", 3200}}};

// A request that cannot be met, with its status.
class WebFault : public std::runtime_error {
 public:
  WebFault(int status, const std::string& what) : std::runtime_error(what), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

WebResponse Answer(const Json& json, int status = 200) {
  return {.status = status, .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

// Today, "2024.05.01".
std::string Today() {
  const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(now);
  const auto two = [](unsigned n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return std::to_string(static_cast<int>(date.year())) + "." +
         two(static_cast<unsigned>(date.month())) + "." + two(static_cast<unsigned>(date.day()));
}

}  // namespace

WebResponse WebError(int status, std::string_view what) {
  return Answer({{"error", what}}, status);
}

// A game on the server.
struct WebService::Entry {
  std::string id;
  std::string game;
  std::mutex mutex;
  std::unique_ptr<WebGame> played;          // guarded by mutex
  uint64_t changes = 0;                     // guarded by mutex; of `played`
  std::shared_ptr<std::atomic<bool>> stop;  // guarded by mutex; of the running search, or null
  Clock::time_point used = Clock::now();    // guarded by the service's mutex
};

// The right to search.
class WebService::SlotLease {
 public:
  // Waits for a free slot. Throws WebFault when too many wait, when the search is stopped before it
  // began, and when the service ends.
  SlotLease(WebService& service, const std::atomic<bool>& stop) : service_(service) {
    std::unique_lock lock(service.mutex_);
    if (service.free_slots_.empty() && service.waiting_ >= service.settings_.limits.waiting) {
      throw WebFault(429, "too many searches wait already; try again in a moment");
    }
    ++service.waiting_;
    service.slots_changed_.wait(
        lock, [&] { return !service.free_slots_.empty() || service.stopping_ || stop.load(); });
    --service.waiting_;
    if (service.stopping_) throw WebFault(503, "the server is ending");
    if (service.free_slots_.empty()) throw WebFault(409, "the search was stopped before it began");
    slot_ = std::move(service.free_slots_.back());
    service.free_slots_.pop_back();
  }
  ~SlotLease() {
    {
      const std::lock_guard lock(service_.mutex_);
      service_.free_slots_.push_back(std::move(slot_));
    }
    service_.slots_changed_.notify_all();
  }
  SlotLease(const SlotLease&) = delete;
  SlotLease& operator=(const SlotLease&) = delete;
  Slot& slot() { return *slot_; }

 private:
  WebService& service_;
  std::unique_ptr<Slot> slot_;
};

WebService::WebService(const WebSettings& settings, std::vector<WebOpponent> opponents)
    : settings_(settings), opponents_(std::move(opponents)) {
  for (size_t i = 0; i < std::max<size_t>(1, settings_.limits.searches); ++i) {
    free_slots_.push_back(std::make_unique<Slot>());
  }
  ListPgnGames(settings_.pgns, settings_.limits.pgn_games);
}

WebService::~WebService() { Stop(); }

size_t WebService::games() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void WebService::Stop() {
  std::vector<EntryPtr> entries;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& [id, entry] : entries_) entries.push_back(entry);
  }
  slots_changed_.notify_all();
  for (const EntryPtr& entry : entries) {
    const std::lock_guard lock(entry->mutex);
    StopSearch(*entry);
  }
}

WebResponse WebService::Handle(const WebRequest& request) {
  try {
    return Route(request);
  } catch (const WebFault& fault) {
    return WebError(fault.status(), fault.what());
  } catch (const InputError& error) {
    return WebError(400, error.what());
  } catch (const std::exception& error) {
    return WebError(500, error.what());
  }
}

WebResponse WebService::Route(const WebRequest& request) {
  constexpr std::string_view kGames = "/api/games";
  const std::string_view path = request.path;
  const bool get = request.method == "GET";
  const bool post = request.method == "POST";
  const bool is_pgn = path == "/api/pgn";
  const size_t most = is_pgn ? settings_.limits.pgn_body : settings_.limits.body;
  if (request.body.size() > most) {
    throw WebFault(413, "the body is " + std::to_string(request.body.size()) +
                            " bytes long; at most " + std::to_string(most) + " are allowed here");
  }
  const auto need = [&](bool allowed, const char* methods) {
    if (!allowed) {
      throw WebFault(405, Printable(path.substr(0, 80)) + " takes " + methods + " only");
    }
  };
  if (path == "/api/info") {
    need(get, "GET");
    return Answer(Info());
  }
  if (path == "/api/matches") {
    need(get, "GET");
    return Answer(ListPgnGames(settings_.pgns, settings_.limits.pgn_games));
  }
  if (is_pgn) {
    need(post, "POST");
    WebFields fields(request.body);
    const std::vector<WebPgn> pgns = {
        {.source = "the PGN text", .text = fields.Text("text", most)}};
    fields.RefuseOthers();
    return Answer(ListPgnGames(pgns, settings_.limits.pgn_games));
  }
  if (path == kGames) {
    need(post, "POST");
    WebFields fields(request.body);
    return NewGame(fields);
  }
  if (!path.starts_with(std::string(kGames) + "/")) {
    throw WebFault(404, "there is no " + Printable(path.substr(0, 80)));
  }
  const std::string_view rest = path.substr(kGames.size() + 1);
  const size_t slash = rest.find('/');
  const EntryPtr entry = FindGame(rest.substr(0, slash));
  if (slash == std::string_view::npos) {
    if (request.method == "DELETE") {
      DropGame(entry->id);
      return Answer(Json::object());
    }
    need(get, "GET and DELETE");
    const std::lock_guard lock(entry->mutex);
    return Answer(StateOf(*entry));
  }
  need(post, "POST");
  return RouteGame(request, entry, rest.substr(slash + 1));
}

WebResponse WebService::RouteGame(const WebRequest& request, const EntryPtr& entry,
                                  std::string_view action) {
  WebFields fields(request.body);
  if (action == "think") return Think(entry, fields);
  const std::lock_guard lock(entry->mutex);
  WebGame& game = *entry->played;
  if (action == "move") {
    const std::string move = fields.Text("move", kLongestMove);
    const int ply = fields.Number("ply", 0, settings_.limits.plies);
    fields.RefuseOthers();
    if (ply != game.plies()) {
      throw WebFault(409, "the game is at ply " + std::to_string(game.plies()) + ", not at " +
                              std::to_string(ply));
    }
    if (ply == settings_.limits.plies) {
      throw WebFault(400, "the game has " + std::to_string(ply) + " plies; it cannot go on here");
    }
    game.Play(move);
  } else if (action == "undo") {
    const int ply = fields.Number("ply", 0, game.plies());
    fields.RefuseOthers();
    game.CutTo(ply);
  } else if (action == "stop") {
    fields.RefuseOthers();
    StopSearch(*entry);
    return Answer(Json::object());
  } else if (action == "pgn") {
    WebPgnNames names{.white = fields.Text("white", kLongestName),
                      .black = fields.Text("black", kLongestName),
                      .date = Today()};
    fields.RefuseOthers();
    return Answer({{"pgn", game.Pgn(names)}});
  } else {
    throw WebFault(404, "a game has no '" + Printable(action.substr(0, 60)) +
                            "'; there are move, undo, think, stop and pgn");
  }
  ++entry->changes;
  StopSearch(*entry);
  return Answer(StateOf(*entry));
}

WebResponse WebService::NewGame(WebFields& fields) {
  const auto entry = std::make_shared<Entry>();
  entry->game = fields.Text("game", kLongestName);
  const std::vector<std::string> names = GameNames();
  if (std::ranges::find(names, entry->game) == names.end()) {
    throw InputError("unknown game '" + Printable(entry->game) + "'; the games are " +
                     GameNamesText());
  }
  const std::string fen = fields.Text("fen", kLongestFen, "");
  const GameSettings game_settings{.kings_landing =
                                       fields.Number("kings_landing", 7, 8, kDefaultLanding)};
  const std::vector<std::string> moves =
      fields.Texts("moves", static_cast<size_t>(settings_.limits.plies), kLongestMove);
  fields.RefuseOthers();
  entry->played = MakeWebGame(entry->game, fen, game_settings, moves);
  const std::lock_guard lock(mutex_);
  MakeRoom();
  constexpr int kDigits = 16;
  uint64_t number = Mix64(settings_.seed ^ Mix64(++made_));
  for (int i = 0; i < kDigits; ++i, number >>= 4) entry->id += "0123456789abcdef"[number & 15];
  entries_.emplace(entry->id, entry);
  return Answer(StateOf(*entry), 201);
}

// REQUIRES: mutex_ is held.
void WebService::MakeRoom() {
  if (entries_.size() < settings_.limits.games) return;
  const auto oldest = std::ranges::min_element(
      entries_, [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
  if (oldest == entries_.end() ||
      Clock::now() - oldest->second->used < settings_.limits.forgotten) {
    throw WebFault(429, "there are " + std::to_string(entries_.size()) +
                            " games already, the most at once; close another page first");
  }
  entries_.erase(oldest);
}

Json WebService::StateOf(const Entry& entry) const {
  Json state = entry.played->State();
  state["id"] = entry.id;
  return state;
}

WebService::EntryPtr WebService::FindGame(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) {
    throw WebFault(404, "there is no game '" + Printable(id.substr(0, 40)) + "'");
  }
  found->second->used = Clock::now();
  return found->second;
}

void WebService::DropGame(const std::string& id) {
  EntryPtr entry;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    entry = found->second;
    entries_.erase(found);
  }
  const std::lock_guard lock(entry->mutex);
  ++entry->changes;
  StopSearch(*entry);
}

// REQUIRES: entry.mutex is held.
void WebService::StopSearch(Entry& entry) {
  if (entry.stop == nullptr) return;
  {
    // Under the lock, or one that is about to wait for a slot would miss it.
    const std::lock_guard lock(mutex_);
    entry.stop->store(true);
  }
  slots_changed_.notify_all();
}

WebResponse WebService::Think(const EntryPtr& entry, WebFields& fields) {
  const WebLimits& limits = settings_.limits;
  WebSearchLimits search{.simulations = fields.Number("simulations", 1, limits.simulations),
                         .lines = fields.Number("lines", 1, limits.lines, 1)};
  const bool play = fields.Flag("play", false);
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  WebSearchTask task;
  uint64_t changes = 0;
  {
    const std::lock_guard lock(entry->mutex);
    const int last = entry->played->plies();
    const int ply = fields.Number("ply", 0, last, last);
    fields.RefuseOthers();
    if (play && ply != last) throw WebFault(409, "only the last position can be played on");
    if (play && ply == limits.plies) throw WebFault(400, "the game is too long to go on here");
    if (play && ply < settings_.varied_plies) {
      search.dice = Mix64(settings_.seed ^
                          Mix64(std::hash<std::string>{}(entry->id) + static_cast<uint64_t>(ply)));
    }
    task = entry->played->MakeSearch(ply, search);
    // One search a game: the page wants the answer to its newest question.
    StopSearch(*entry);
    entry->stop = stop;
    changes = entry->changes;
  }
  Json answer;
  WebAnalysis analysis;
  {
    SlotLease lease(*this, *stop);
    analysis = task(BrainOf(lease.slot(), entry->game), *stop);
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->stop == stop) entry->stop = nullptr;
  if (play) {
    if (entry->changes != changes) throw WebFault(409, "the game went on during the search");
    entry->played->Play(analysis.choice);
    ++entry->changes;
  }
  return Answer({{"analysis", ToJson(analysis)}, {"state", StateOf(*entry)}});
}

WebBrain& WebService::BrainOf(Slot& slot, const std::string& game) const {
  std::unique_ptr<WebBrain>& brain = slot[game];
  if (brain != nullptr) return *brain;
  auto made = std::make_unique<WebBrain>(settings_.limits.cache);
  for (const WebOpponent& opponent : opponents_) {
    if (opponent.game == game && opponent.make_evaluator) {
      made->evaluator = opponent.make_evaluator();
    }
  }
  brain = std::move(made);
  return *brain;
}

Json WebService::Info() const {
  Json games = Json::array();
  for (const std::string& name : GameNames()) {
    const GameInfo info = InfoOfGame(name);
    const Json start = MakeWebGame(name, "", {}, {})->State();
    games.push_back({{"name", name},
                     {"files", info.shape.files},
                     {"ranks", info.shape.ranks},
                     {"start_fen", start["fens"][0]},
                     {"has_settings", start.contains("kings_landing")}});
  }
  Json opponents = Json::object();
  for (const WebOpponent& opponent : opponents_) {
    opponents[opponent.game] = {{"name", opponent.name},
                                {"note", opponent.note},
                                {"network", static_cast<bool>(opponent.make_evaluator)}};
  }
  Json levels = Json::array();
  for (const Level& level : kLevels) {
    levels.push_back({{"name", level.name}, {"simulations", level.simulations}});
  }
  return {{"program", "KhanZero"},
          {"version", settings_.version},
          {"games", std::move(games)},
          {"opponents", std::move(opponents)},
          {"levels", std::move(levels)},
          {"most_simulations", settings_.limits.simulations},
          {"most_pgn_bytes", settings_.limits.pgn_body},
          {"matches", settings_.matches}};
}

}  // namespace khanzero
