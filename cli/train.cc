// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero train: the loop, from a fresh network or from where it stopped.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/config_options.h"
#include "cli/signals.h"
#include "env/games.h"
#include "model/files.h"
#include "train/learner_begin.h"
#include "train/learner_place.h"
#include "train/loop.h"
#include "train/run_folder.h"
#include "train/status_display.h"

namespace khanzero {

namespace {

struct TrainCommand {
  ConfigOptions config;
  std::string run;
  std::string from;
  ListenOptions listen;
  int64_t listen_mib = 256;
  int learners = 1;
  bool json = false;
};

std::filesystem::path RunOf(const TrainCommand& command) {
  return command.run.empty()
             ? std::filesystem::path("runs") / std::filesystem::path(command.config.path).stem()
             : std::filesystem::path(command.run);
}

// Those of a run that goes on from a checkpoint of another; its folder is made.
TrainOptions BeginFrom(const TrainCommand& command) {
  if (command.run.empty() && command.config.path.empty()) {
    throw InputError("train --from needs --run DIR for the new run");
  }
  const std::filesystem::path checkpoint = FindTrainedCheckpoint(command.from);
  if (command.config.path.empty() && IsExport(checkpoint)) {
    throw InputError(
        "train --from of an exported network, which has no configuration, needs --config FILE");
  }
  TrainOptions options;
  options.config = command.config.path.empty()
                       ? ConfigOfCheckpoint(checkpoint, command.config.settings)
                       : ReadConfig(command.config);
  // The network that is there knows more than none.
  options.config.loop.uniform_games = 0;
  options.run = RunOf(command);
  BeginRunFrom(checkpoint, options.run, options.config);
  return options;
}

// The configuration and the folder that the options mean together.
TrainOptions ReadOptions(const TrainCommand& command) {
  if (!command.from.empty()) return BeginFrom(command);
  TrainOptions options;
  const bool resumes = !command.run.empty() &&
                       std::filesystem::exists(std::filesystem::path(command.run) / "config.yaml");
  if (command.config.path.empty() && !resumes) {
    throw InputError(
        "train needs --config FILE, or --run DIR of a run to go on with; configs/ has "
        "configurations to begin with");
  }
  options.config = command.config.path.empty() ? ReadRunConfig(command.run, command.config.settings)
                                               : ReadConfig(command.config);
  options.run = RunOf(command);
  return options;
}

// Another game than the one just trained, for a newcomer to try.
std::string OtherGame(const std::string& game) {
  for (const std::string& other : GameNames()) {
    if (other != game) return other;
  }
  return game;
}

// A path as short as it can be typed from here.
std::string FromHere(const std::filesystem::path& path) {
  std::error_code error;
  const std::string near = std::filesystem::proximate(path, error).string();
  return error || near.size() > path.string().size() ? path.string() : near;
}

// How this program can be started again from here.
std::string ProgramFromHere() { return FromHere(PathBesideProgram("khanzero")); }

void PrintSummary(const TrainSummary& summary, const TrainOptions& options) {
  fmt::print(options.out, "\nDone: {} games, {} positions, {} steps, {} of work. The agent is {}\n",
             summary.games, summary.positions, summary.step, DurationText(summary.hours),
             FromHere(summary.checkpoint));
  if (summary.final_match) {
    const MatchResult& match = *summary.final_match;
    fmt::print(options.out,
               "Score against random: {:.1f} % in {} games ({} wins, {} draws, {} losses)\n",
               100.0 * match.total.score(), match.total.games(), match.total.wins,
               match.total.draws, match.total.losses);
  }
  const std::string program = ProgramFromHere();
  const std::string run = FromHere(options.run);
  fmt::print(options.out,
             "\nPlay against it:  {} play --weights latest:{}\n"
             "Train longer:     {} train --run {} --set loop.max_hours={:.2g}\n"
             "The other game:   scripts/train.sh configs/{}-quick.yaml\n",
             program, run, program, run, std::max(1.0, 4.0 * summary.hours),
             OtherGame(options.config.game));
}

void PrintJson(const TrainSummary& summary) {
  nlohmann::ordered_json json = {
      {"stopped", summary.stopped},     {"games", summary.games},
      {"positions", summary.positions}, {"step", summary.step},
      {"hours", summary.hours},         {"checkpoint", summary.checkpoint.string()}};
  if (summary.final_match) {
    const Tally& total = summary.final_match->total;
    json["random"] = {{"games", total.games()},
                      {"wins", total.wins},
                      {"draws", total.draws},
                      {"losses", total.losses},
                      {"score", total.score()}};
  }
  std::cout << json.dump() << "\n";
}

// Actors on other machines.
void AddListenOptions(CLI::App& sub, TrainCommand& command) {
  CLI::Option* const listen =
      sub.add_option(
             "--listen", command.listen.url,
             "Take the games of actors on other machines (selfplay --connect) through a "
             "Redis server: redis://[USER@]HOST[:PORT][/DATABASE] or "
             "unix:///PATH[?db=DATABASE]. The password is read from KHANZERO_REDIS_PASSWORD")
          ->type_name("URL");
  sub.add_option("--listen-limit", command.listen_mib,
                 "With --listen: so many MiB of games may wait in Redis; actors keep theirs then")
      ->type_name("MIB")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->capture_default_str()
      ->needs(listen);
  sub.add_flag("--own-games", command.listen.own_games,
               "With --listen: play here, too, instead of waiting for the actors' games")
      ->needs(listen);
  sub.add_flag("--replace-run", command.listen.replace_run,
               "With --listen: take a database that another run has, deleting what waits there, "
               "when that run's learner is gone")
      ->needs(listen);
}

// A learner that another one leads: it needs no folder, and its configuration comes from there.
void Follow(const TrainCommand& command, const LearnerPlace& place, std::stop_token stop) {
  std::FILE* const out = command.json ? stderr : stdout;
  const FollowSummary summary = FollowTraining({.place = place,
                                                .settings = command.config.settings,
                                                .stop = std::move(stop),
                                                .say = [out](const std::string& text) {
                                                  fmt::print(out, "{}\n", text);
                                                  std::fflush(out);
                                                }});
  if (command.json) {
    const nlohmann::ordered_json json = {{"rank", place.rank},
                                         {"learners", place.learners},
                                         {"stopped", summary.stopped},
                                         {"steps", summary.steps},
                                         {"weights", summary.weights}};
    std::cout << json.dump() << "\n";
  } else {
    fmt::print(out, "{}: {} steps made with the others\n", summary.stopped ? "Stopped" : "Done",
               summary.steps);
  }
}

}  // namespace

void AddTrain(CLI::App& app) {
  const auto command = std::make_shared<TrainCommand>();
  CLI::App* const sub = app.add_subcommand("train", "Train an agent by self-play");
  AddConfigOptions(*sub, command->config);
  sub->add_option("--run", command->run,
                  "The run's folder; made when it is not there, else the run goes on. Without it: "
                  "runs/NAME, NAME being the configuration's")
      ->type_name("DIR");
  sub->add_option(
         "--from", command->from,
         "Begin the run with the weights and games of another: latest:RUN, best:RUN, or a "
         "checkpoint's folder. Counts (games, hours, steps) go on from there. Or with the "
         "weights alone of an export (models/khans.safetensors), counting from nothing. The "
         "configuration is the other run's unless --config is given; --set "
         "network.blocks=N and the like grow the network without a change of what it says")
      ->type_name("PATH");
  AddListenOptions(*sub, *command);
  sub->add_option("--learners", command->learners,
                  "Learners that share each step, learner.batch_size samples each. Start this "
                  "command once for each of them, with RANK (0 has the run, the others follow), "
                  "WORLD_SIZE (as many as here), MASTER_ADDR (where RANK 0 runs) and MASTER_PORT "
                  "(29500) in its environment, as torchrun does; --set of a follower counts for it "
                  "alone")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  sub->add_flag("--json", command->json,
                "Print the result as one JSON object on stdout, progress on stderr");
  sub->footer(
      "Without --config the run goes on with its own configuration.\n"
      "Ctrl-C ends it with a checkpoint, a second Ctrl-C at once; the same command goes on.\n"
      "Exit codes: 0 done or stopped, 1 failed, 2 bad usage or input.");
  sub->callback([command] {
    std::optional<LearnerPlace> place;
    if (command->learners > 1) place = ReadLearnerPlace(command->learners);
    if (place && place->rank > 0) {
      const StopOnSignals signals;
      Follow(*command, *place, signals.token());
      return;
    }
    TrainOptions options = ReadOptions(*command);
    options.out = command->json ? stderr : stdout;
    options.listen = command->listen;
    options.listen.most_bytes = command->listen_mib << 20;
    options.learners = place;
    const StopOnSignals signals;
    options.stop = signals.source();
    const TrainSummary summary = RunTraining(options);
    if (command->json) {
      PrintJson(summary);
    } else if (!summary.stopped) {
      PrintSummary(summary, options);
    }
  });
}

}  // namespace khanzero
