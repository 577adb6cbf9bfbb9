// SPDX-License-Identifier: GPL-3.0-or-later
//
// The run's name `latest` is written last: until then the folder counts as not begun, and is begun
// again.
#include "train/learner_begin.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "env/error.h"
#include "env/games.h"
#include "env/random.h"
#include "model/checkpoint.h"
#include "model/files.h"
#include "model/folded_network.h"
#include "model/grow.h"
#include "model/inference.h"
#include "model/load_network.h"
#include "model/network.h"
#include "model/unfold.h"
#include "play/default_weights.h"
#include "play/player_spec.h"
#include "train/learner_optimizer.h"
#include "train/loop_state.h"
#include "train/policy_games.h"
#include "train/replay_store.h"
#include "train/run_folder.h"
#include "train/training_files.h"

namespace khanzero {
namespace {

namespace fs = std::filesystem;

// On which the norms of an exported network find their means and variances again.
constexpr int kPositionsToUnfoldOn = 4096;

// What a run is begun from.
struct Source {
  Checkpoint checkpoint;
  fs::path path;                 // of the checkpoint, absolute
  std::optional<RunFolder> run;  // that it lies in

  std::string name() const {
    const std::string step = path.filename().string();
    return run ? run->path().filename().string() + "/" + step : step;
  }
};

Source ReadSource(const fs::path& path, const Config& config) {
  const GameInfo game = InfoOfGame(config.game);
  Source source{.checkpoint = LoadCheckpoint(path, &game), .path = fs::canonical(path), .run = {}};
  const RunFolder around(source.path.parent_path().parent_path());
  if (source.path.parent_path() == around.checkpoints() && fs::exists(around.store())) {
    source.run = around;
  }
  const std::string name = "checkpoint '" + path.string() + "'";
  for (const char* const file : {kOptimizerFile, kLearnerFile, kLoopFile}) {
    if (!source.checkpoint.extra.contains(file)) {
      throw InputError(name + " has no training state (" + file +
                       " is missing), so no run can go on from it");
    }
  }
  const int landing = ConfigOfCheckpoint(path, {}).kings_landing;
  if (landing != config.kings_landing) {
    throw InputError(name + " was trained with kings_landing = " + std::to_string(landing) +
                     ", the configuration has " + std::to_string(config.kings_landing));
  }
  CheckGrows(source.checkpoint.info.network, config.network, name);
  return source;
}

// The new run's first origin says what was there before, that of the source's own run included.
std::string OriginText(const std::string& name, const CheckpointInfo& info) {
  std::string text = fmt::format("{}, {}, {} games, {} positions", name, Text(info.network),
                                 info.games, info.positions);
  if (!info.origin.empty()) text += "; before: " + info.origin;
  return text;
}

// The state of the loop in the new run. Without the games no step of before counts towards what new
// positions are worth.
std::string LoopStateOf(const Source& source, const Config& config) {
  const auto damaged = [&](const std::string& why) {
    return InputError("checkpoint '" + source.path.string() + "': " + kLoopFile +
                      " is damaged: " + why);
  };
  try {
    auto state = nlohmann::json::parse(source.checkpoint.extra.at(kLoopFile));
    const int before = ConfigOfCheckpoint(source.path, {}).loop.games_per_cycle;
    if (!source.run) {
      state["cycle"] = 0;
      state["trained_samples"] = 0;
    } else if (before != config.loop.games_per_cycle) {
      state["cycle"] = source.checkpoint.info.games / config.loop.games_per_cycle;
    }
    return state.dump(2);
  } catch (const nlohmann::json::exception& e) {
    throw damaged(e.what());
  }
}

// The lines of cycles up to the checkpoint.
void CopyMetrics(const fs::path& from, int64_t step, const fs::path& to) {
  std::ifstream in(from);
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_object() && json.value("step", int64_t{-1}) <= step) kept += line + "\n";
  }
  WriteFileDurably(to, kept);
}

void CopyGames(const Source& source, const RunFolder& run, const std::string& game) {
  const fs::path aside = NameAside(run.store());
  ReplayStore(source.run->store(), game, ReplayStore::Access::kReadOnly).CopyTo(aside);
  PublishFile(aside, run.store());
}

// The networks of the checkpoint, grown, with what the optimiser knows of their old weights.
void SaveGrown(const Source& source, const RunFolder& run, const Config& config) {
  const Checkpoint& old = source.checkpoint;
  const NetworkSettings& settings = config.network;
  const Network shown = Grow(*old.network, settings, config.seed);
  ExtraFiles extra = {{kLearnerFile, old.extra.at(kLearnerFile)},
                      {kLoopFile, LoopStateOf(source, config)}};
  Network trained_before(old.network->shape(), old.info.network);
  const auto trained_file = old.extra.find(kTrainedFile);
  const bool has_average = trained_file != old.extra.end();
  RestoreWeights(*trained_before,
                 has_average ? trained_file->second : SerializeWeights(*old.network),
                 (source.path / kTrainedFile).string());
  Network trained = Grow(*trained_before, settings, config.seed);
  if (has_average) extra[kTrainedFile] = SerializeWeights(*trained);
  extra[kOptimizerFile] =
      GrownOptimizer(config.learner, *trained_before, old.extra.at(kOptimizerFile), *trained);
  CheckpointInfo info = old.info;
  info.network = settings;
  info.config_yaml = ToYaml(config);
  info.program_version.clear();
  info.date.clear();
  info.origin = OriginText(source.name(), source.checkpoint.info);
  if (!source.run) info.games = info.positions = 0;
  const std::string name = RunFolder::CheckpointName(info.step);
  SaveCheckpoint(run.checkpoints() / name, info, *shown, extra);
  run.SetLatest(name);
}

// Whether the folder was begun before, from what has that name.
bool IsBegun(const RunFolder& run, const std::string& name) {
  const std::optional<fs::path> latest = run.LatestCheckpoint();
  if (!latest) return false;
  const std::string origin = ReadCheckpointInfo(*latest).origin;
  const std::string from = fs::path(name).parent_path().string();
  if (!origin.starts_with(from.empty() ? name + "," : from + "/")) {
    throw InputError(
        "the run '" + run.path().string() + "' is there already and was begun from " +
        (origin.empty() ? "a fresh network" : origin) +
        "; take another --run for a new one, or leave --from out to go on with this one");
  }
  return true;
}

// An export has weights alone: the new run counts from nothing.
void BeginFromExport(const fs::path& file, const fs::path& path, const Config& config) {
  const GameInfo game = InfoOfGame(config.game);
  const auto folded = LoadFoldedNetwork(file.string(), &game);
  CheckGrows(folded->settings, config.network, "'" + file.string() + "'");
  const std::string name = file.filename().string();
  if (IsBegun(RunFolder(path), name)) return;
  const RunFolder run = OpenRunFolder(path, config);
  const RunLock lock(run);
  WriteFileDurably(run.config(), ToYaml(config));

  const auto evaluator = MakeEvaluator(folded, config.inference);
  const std::vector<float> planes = PolicyGamePositions(config, *evaluator, kPositionsToUnfoldOn);
  Network network = Grow(*Unfold(*folded, planes, config.seed), config.network, config.seed);
  ExtraFiles extra = {
      {kOptimizerFile, SerializeOptimizer(*MakeOptimizer(config.learner, *network))},
      {kLearnerFile, nlohmann::json{{"step", 0}, {"random", Random(config.seed).state()}}.dump(2)},
      {kLoopFile, ToText(LoopState{})}};
  if (config.learner.ema_decay > 0.0) extra[kTrainedFile] = SerializeWeights(*network);
  const CheckpointInfo info{.game = game,
                            .network = config.network,
                            .config_yaml = ToYaml(config),
                            .origin = OriginText(name, ReadNetworkInfo(file))};
  const std::string first = RunFolder::CheckpointName(0);
  SaveCheckpoint(run.checkpoints() / first, info, *network, extra);
  run.SetLatest(first);
}

}  // namespace

fs::path FindTrainedCheckpoint(const std::string& text) {
  const fs::path path = FindWeights(text);
  std::error_code error;
  return fs::exists(path / "latest", error) ? LatestCheckpoint(path) : path;
}

Config ConfigOfCheckpoint(const fs::path& checkpoint, const std::vector<std::string>& overrides) {
  return ParseConfig(ReadCheckpointInfo(checkpoint).config_yaml,
                     "the configuration of checkpoint '" + checkpoint.string() + "'", overrides);
}

bool IsExport(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

void BeginRunFrom(const fs::path& checkpoint, const fs::path& path, const Config& config) {
  if (IsExport(checkpoint)) return BeginFromExport(checkpoint, path, config);
  const Source source = ReadSource(checkpoint, config);
  std::error_code error;
  if (source.run && fs::equivalent(source.run->path(), path, error)) {
    throw InputError("--from names a checkpoint of the run '" + path.string() +
                     "' itself; take another --run for the new one");
  }
  if (IsBegun(RunFolder(path), source.name())) return;
  const RunFolder run = OpenRunFolder(path, config);
  const RunLock lock(run);
  if (source.run) {
    CopyGames(source, run, config.game);
    CopyMetrics(source.run->metrics(), source.checkpoint.info.step, run.metrics());
  }
  WriteFileDurably(run.config(), ToYaml(config));
  SaveGrown(source, run, config);
}

}  // namespace khanzero
