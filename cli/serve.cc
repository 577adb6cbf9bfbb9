// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero serve: a page in the browser on which a person plays either game.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/inference_options.h"
#include "cli/signals.h"
#include "cli/weights.h"
#include "env/games.h"
#include "model/files.h"
#include "model/inference.h"
#include "model/load_network.h"
#include "model/version.h"
#include "play/default_weights.h"
#include "play/self_calibration.h"
#include "play/web_server.h"
#include "train/ladder_store.h"

namespace khanzero {

namespace {

constexpr int kDefaultPort = 8642;

struct ServeCommand {
  std::vector<std::string> weights;
  WebServerSettings server{.port = kDefaultPort};
  std::string games;
  std::string page;
  int searches = 0;  // 0: half of the cores
  InferenceSettings inference;
};

std::filesystem::path ProgramFolder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::current_path() : program.parent_path();
}

// A network of `game`. Throws InputError as LoadFoldedNetwork does.
WebOpponent NetworkOpponent(const std::string& game, const std::filesystem::path& path,
                            const std::string& note, const InferenceSettings& inference) {
  const GameInfo info = InfoOfGame(game);
  const auto network = LoadNetworkForPlay(path.string(), info, inference);
  // A checkpoint lies in its run's folder, below "checkpoints".
  const std::filesystem::path full = std::filesystem::absolute(path).lexically_normal();
  std::string name = full.stem().string();
  if (full.parent_path().filename() == "checkpoints") {
    name = full.parent_path().parent_path().filename().string() + ", " + name;
  }
  return {.game = game, .name = name, .note = note, .make_evaluator = [network, inference] {
            return MakeEvaluator(network, inference);
          }};
}

WebOpponent DefaultOpponent(const std::string& game, const InferenceSettings& inference) {
  if (const auto shipped = DefaultWeights(game)) {
    return NetworkOpponent(game, *shipped, "The network that comes with KhanZero", inference);
  }
  return {.game = game,
          .name = "alpha-beta baseline",
          .note =
              "No network was given: this is the built-in baseline, which looks a few moves "
              "ahead. 'khanzero serve --weights FILE' plays a trained network."};
}

bool PlaysIn(const std::vector<WebOpponent>& opponents, const std::string& game) {
  return std::ranges::any_of(opponents, [&](const WebOpponent& o) { return o.game == game; });
}

std::vector<WebOpponent> MakeOpponents(const ServeCommand& command) {
  std::vector<WebOpponent> opponents;
  for (const std::string& weights : command.weights) {
    const auto [path, game] = ChooseNetwork(weights, "");
    if (PlaysIn(opponents, game)) {
      throw InputError("--weights names two networks of " + game + "; give one for each game");
    }
    opponents.push_back(NetworkOpponent(game, path, "From " + path.string(), command.inference));
  }
  for (const std::string& game : GameNames()) {
    if (!PlaysIn(opponents, game)) {
      opponents.push_back(DefaultOpponent(game, command.inference));
    }
  }
  return opponents;
}

// The games of a PGN file, or those of a run: PGN files in its folder `matches`, and its ladder.
// Throws InputError when there are none.
std::vector<WebPgn> ReadMatches(const std::filesystem::path& path, size_t most) {
  if (!std::filesystem::is_directory(path)) {
    return {{.source = path.string(), .text = ReadFile(path)}};
  }
  std::vector<WebPgn> pgns;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path / "matches", error)) {
    if (entry.path().extension() != ".pgn") continue;
    pgns.push_back({.source = entry.path().string(), .text = ReadFile(entry.path())});
  }
  std::ranges::sort(pgns, {}, &WebPgn::source);
  const std::filesystem::path ladder = path / "ladder.db";
  if (std::filesystem::exists(ladder, error)) {
    const std::string game = ChooseNetwork("latest:" + path.string(), "").game;
    for (std::string& pgn : LadderStore(ladder, game).Pgns(static_cast<int64_t>(most))) {
      pgns.push_back({.source = ladder.string(), .text = std::move(pgn)});
    }
  }
  if (pgns.empty()) {
    throw InputError("the folder '" + path.string() +
                     "' is no run with games of matches: it has neither matches/*.pgn nor the "
                     "ladder.db that 'khanzero ladder' writes");
  }
  return pgns;
}

void Run(const ServeCommand& command) {
  WebSettings settings{.version = std::string(ProgramVersion()), .seed = std::random_device()()};
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  settings.limits.searches =
      static_cast<size_t>(command.searches > 0 ? command.searches : std::max(1, cores / 2));
  WebServerSettings server_settings = command.server;
  // Besides the searches and those that wait, which keep a connection each: what stops them.
  constexpr size_t kOtherConnections = 14;
  server_settings.threads = settings.limits.searches + settings.limits.waiting + kOtherConnections;
  if (!command.games.empty()) {
    settings.matches = WithoutSlash(command.games).filename().string();
    settings.pgns = ReadMatches(command.games, settings.limits.pgn_games);
  }
  const std::filesystem::path page =
      command.page.empty() ? ProgramFolder() / "page" : std::filesystem::path(command.page);
  const std::vector<WebOpponent> opponents = MakeOpponents(command);
  WebService service(settings, opponents);
  const StopOnSignals signals;
  WebServer server(service, LoadWebPage(page), server_settings);
  for (const WebOpponent& opponent : opponents) {
    fmt::print("{}: {}\n", opponent.game, opponent.name);
  }
  if (!HasWebPage(page)) {
    spdlog::warn(
        "the page is not in {}: it needs npm and scripts/build_page.sh; only the "
        "interface under /api/ is there",
        page.string());
  }
  fmt::print("KhanZero is on {} (Ctrl-C ends it)\n", server.url());
  std::fflush(stdout);
  server.Run(signals.token());
}

}  // namespace

void AddServe(CLI::App& app) {
  const auto command = std::make_shared<ServeCommand>();
  CLI::App* const sub = app.add_subcommand("serve", "Play in the browser against an agent");
  sub->add_option("--weights", command->weights,
                  std::string(kWeightsHelp) +
                      "; may be given once for each game. Without it: models/GAME.safetensors, or "
                      "the alpha-beta baseline")
      ->type_name("PATH");
  sub->add_option("--port", command->server.port, "The port to listen on; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  sub->add_option("--host", command->server.host,
                  "The address to listen on; 0.0.0.0 lets everybody in who reaches this machine")
      ->capture_default_str();
  sub->add_option("--games", command->games,
                  "Games to step through: a PGN file, or a run's folder, whose ladder's games and "
                  "matches/*.pgn are taken")
      ->check(CLI::ExistingPath)
      ->type_name("PATH");
  sub->add_option("--searches", command->searches,
                  "Searches at once; the others wait. 0: half of the cores")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  sub->add_option("--page", command->page,
                  "The folder of the built page; without it, 'page' beside the program")
      ->type_name("FOLDER");
  AddInferenceOptions(*sub, command->inference);
  sub->callback([command] { Run(*command); });
}

}  // namespace khanzero
