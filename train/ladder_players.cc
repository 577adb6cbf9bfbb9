// SPDX-License-Identifier: GPL-3.0-or-later
#include "train/ladder_players.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "env/error.h"
#include "model/checkpoint_files.h"
#include "model/files.h"
#include "play/player_spec.h"
#include "train/run_progress.h"

namespace khanzero {

namespace {

constexpr const char* kWeights = "weights.safetensors";

// With `nodes`, or without as the conditions say.
PlayerSettings SettingsOf(const LadderOptions& options, std::optional<int> nodes) {
  PlayerSettings settings;
  settings.search.algorithm = options.conditions.algorithm;
  settings.search.simulations = nodes.value_or(options.conditions.nodes);
  settings.inference = options.inference;
  if (!nodes && options.conditions.movetime_ms > 0) {
    constexpr int64_t kLateMs = 60'000;  // a machine that is busy shall not decide games
    settings.limits.movetime_ms = options.conditions.movetime_ms;
    settings.limits.margin_ms = kLateMs;
  }
  return settings;
}

// Of a network's moves, in its evaluations, roughly.
double NetworkCost(const LadderConditions& conditions) {
  constexpr double kPerMs = 10.0;
  return conditions.movetime_ms > 0 ? kPerMs * conditions.movetime_ms : conditions.nodes;
}

// Of a checkpoint's folder or of an export.
std::string WeightsChecksum(const std::filesystem::path& network) {
  const bool is_export = std::filesystem::is_regular_file(network);
  return ChecksumOf(ReadFile(is_export ? network : network / kWeights));
}

// A name that stands in a PGN tag as it is.
std::string TagName(std::string name) {
  std::replace(name.begin(), name.end(), '"', '\'');
  std::replace(name.begin(), name.end(), '\\', '/');
  return Printable(name);
}

// "SPEC@NODES": the nodes, when there are any, are taken off `text`.
std::optional<int> TakeNodes(std::string& text) {
  const size_t at = text.rfind('@');
  if (at == std::string::npos || at + 1 == text.size()) return std::nullopt;
  int nodes = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + at + 1, end, nodes);
  if (stop != end) return std::nullopt;  // an @ of the spec itself
  if (error != std::errc{} || nodes < 1) {
    throw InputError("anchor '" + text + "': NODES after '@' must be a number from 1 on");
  }
  text.resize(at);
  return nodes;
}

// Only the order of magnitude matters; what a game costs beside its moves is in it, too.
double CostOf(const PlayerSpec& spec, int nodes) {
  switch (spec.kind) {
    case PlayerKind::kRandom:
    case PlayerKind::kGreedy:
      return 1.0;
    case PlayerKind::kAlphaBeta:
      return std::pow(4.0, spec.depth - 1);
    case PlayerKind::kUci:  // its nodes cost little, its start much
      return 40.0 + nodes / 20.0;
    default:
      return std::max(1.0, static_cast<double>(nodes));
  }
}

LadderPlayer AnchorOf(const std::string& text, const LadderOptions& options) {
  std::string spec = text;
  const std::optional<int> given = TakeNodes(spec);
  const PlayerSpec parsed = ParsePlayerSpec(spec);
  const bool takes_nodes = parsed.kind != PlayerKind::kRandom &&
                           parsed.kind != PlayerKind::kGreedy &&
                           parsed.kind != PlayerKind::kAlphaBeta;
  if (given && !takes_nodes) {
    throw InputError("anchor '" + text + "': '" + spec + "' takes no nodes; leave '@" +
                     std::to_string(*given) + "' away");
  }
  const int nodes = given.value_or(options.conditions.nodes);
  LadderPlayer player;
  std::string who = spec;
  player.contestant.spec = spec;
  if (parsed.kind == PlayerKind::kCheckpoint) {
    // The network counts, wherever it lies; what latest:RUN means now must not change meanwhile.
    who = "checkpoint " + WeightsChecksum(parsed.checkpoint);
    player.contestant.spec = "checkpoint:" + parsed.checkpoint.string();
  }
  const bool by_time =
      !given && parsed.kind == PlayerKind::kCheckpoint && options.conditions.movetime_ms > 0;
  const std::string suffix = takes_nodes && !by_time ? "@" + std::to_string(nodes) : "";
  player.identity.key = "anchor " + who + suffix;
  player.identity.name = TagName(spec + suffix);
  player.present = true;
  player.contestant.name = player.identity.name;
  player.contestant.settings = SettingsOf(options, by_time ? std::nullopt : std::optional(nodes));
  player.cost = by_time ? NetworkCost(options.conditions) : CostOf(parsed, nodes);
  return player;
}

LadderPlayer CheckpointPlayer(const std::filesystem::path& folder, const LadderOptions& options) {
  const CheckpointInfo info = ReadCheckpointInfo(folder);
  const std::string name = folder.filename().string();
  LadderPlayer player;
  player.identity = {.key = "checkpoint " + WeightsChecksum(folder),
                     .name = name,
                     .step = info.step,
                     .games = info.games,
                     .hours = HoursOf(folder)};
  player.checkpoint = player.present = true;
  player.contestant = {.spec = "checkpoint:" + folder.string(),
                       .name = name,
                       .settings = SettingsOf(options, std::nullopt)};
  player.cost = NetworkCost(options.conditions);
  return player;
}

}  // namespace

bool LadderPlayer::CanPlay() const {
  if (!present) return false;
  return !checkpoint || std::filesystem::exists(ParsePlayerSpec(contestant.spec).checkpoint);
}

std::vector<LadderPlayer> AnchorsOf(const LadderOptions& options) {
  std::vector<std::string> texts = {"random"};
  if (options.baselines) {
    for (const char* const text : {"greedy", "alphabeta:1", "alphabeta:2", "alphabeta:3"}) {
      texts.emplace_back(text);
    }
  }
  std::vector<LadderPlayer> anchors;
  const auto add = [&](LadderPlayer anchor) {
    const bool known = std::ranges::any_of(anchors, [&](const LadderPlayer& other) {
      return other.identity.key == anchor.identity.key;
    });
    if (!known) anchors.push_back(std::move(anchor));
  };
  for (const std::string& text : texts) add(AnchorOf(text, options));
  for (const int nodes : {1, 10, 100, 1000, 10000}) {
    if (options.reference.empty()) break;
    const std::string suffix = "@" + std::to_string(nodes);
    LadderPlayer anchor = AnchorOf("uci:" + options.reference + suffix, options);
    // Wherever it lies.
    anchor.identity.key = "anchor reference" + suffix;
    anchor.identity.name = anchor.contestant.name = "reference" + suffix;
    add(std::move(anchor));
  }
  for (const std::string& text : options.anchors) add(AnchorOf(text, options));
  return anchors;
}

std::vector<LadderPlayer> EntrantsOf(const LadderOptions& options) {
  std::vector<LadderPlayer> players;
  for (const std::string& text : options.entrants) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const bool is_word = !name.empty() && name.find_first_of(" \t") == std::string::npos;
    if (equals == std::string::npos || !is_word) {
      throw InputError("entrant '" + Printable(text) +
                       "' must be NAME=PLAYER, NAME without blanks, such as wide=latest:runs/wide");
    }
    const PlayerSpec spec = ParsePlayerSpec(text.substr(equals + 1));
    if (spec.kind != PlayerKind::kCheckpoint || !std::filesystem::is_directory(spec.checkpoint)) {
      throw InputError("entrant '" + Printable(text) +
                       "': its player must be a checkpoint: checkpoint:PATH, latest:RUN or "
                       "best:RUN; other players are for --anchor");
    }
    LadderPlayer player = CheckpointPlayer(spec.checkpoint, options);
    player.entrant = player.wanted = true;
    // Two entrants with the same weights are two players.
    player.identity.key = "entrant " + name + " " + player.identity.key;
    player.identity.name = player.contestant.name = TagName(name);
    for (const LadderPlayer& other : players) {
      if (other.identity.name == player.identity.name) {
        throw InputError("two entrants are called '" + Printable(name) + "'");
      }
    }
    players.push_back(std::move(player));
  }
  return players;
}

std::vector<LadderPlayer> CheckpointsOf(const RunFolder& run, const LadderOptions& options) {
  std::vector<LadderPlayer> players;
  if (!options.entrants.empty() && !std::filesystem::exists(run.checkpoints())) return players;
  for (const std::filesystem::path& folder : run.Checkpoints()) {
    try {
      LadderPlayer player = CheckpointPlayer(folder, options);
      const bool known = std::ranges::any_of(players, [&](const LadderPlayer& other) {
        return other.identity.key == player.identity.key;
      });
      // Two steps with the same weights are one player.
      if (!known) players.push_back(std::move(player));
    } catch (const InputError& e) {
      if (options.on_note) options.on_note("A checkpoint is left out: " + std::string(e.what()));
    }
  }
  const auto count = static_cast<int>(players.size());
  for (int i = 0; i < count; ++i) {
    const int back = count - 1 - i;  // from the newest
    players[static_cast<size_t>(i)].wanted =
        back % options.every == 0 && (options.last == 0 || back < options.last);
  }
  return players;
}

}  // namespace khanzero
