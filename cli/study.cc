// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero study: what a network knows, as a folder of pages.
#include "play/study.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/inference_options.h"
#include "cli/signals.h"
#include "cli/weights.h"
#include "env/error.h"
#include "env/games.h"
#include "model/files.h"
#include "model/inference.h"
#include "model/load_network.h"
#include "play/self_calibration.h"
#include "train/study_run_games.h"

namespace khanzero {

namespace {

struct StudyCommand {
  std::string weights;
  std::string game;
  std::string run;
  std::string out;
  bool json = false;
  StudyPlaySettings play;
  PieceValueSettings pieces;
  FirstMovesSettings first;
  InferenceSettings inference;
};

// What is done, on stderr: a line that is rewritten on a terminal, and elsewhere one now and then.
class StudyStatus {
 public:
  void operator()(const std::string& what, int64_t done, int64_t all) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point now = Clock::now();
    const auto wait = std::chrono::milliseconds(terminal_ ? 200 : 30'000);
    if (done < all && now - shown_ < wait) return;
    shown_ = now;
    std::fprintf(stderr, terminal_ ? "\r\033[K%s: %lld of %lld%s" : "%s: %lld of %lld%s",
                 what.c_str(), static_cast<long long>(done), static_cast<long long>(all),
                 terminal_ && done < all ? "" : "\n");
    std::fflush(stderr);
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

std::vector<StudyGame> GamesFor(StudyCommand& command, const ChosenNetwork& network, Study& study,
                                const StudyProgress& progress) {
  if (command.run.empty()) {
    const StopOnSignals signals;
    command.play.stop = signals.token();
    command.play.inference = command.inference;
    study.games_from = fmt::format(
        "{} of the network against itself, {} simulations for each move, after {} "
        "random plies",
        command.play.games, command.play.nodes, command.play.opening_plies);
    return PlayStudyGames(network.game, network.path.string(), command.play, progress);
  }
  const RunFolder run(command.run);
  StudyRunGames read =
      ReadStudyGames(run, ReadRunConfig(command.run, {}), command.play.games, progress);
  if (read.damaged > 0) {
    std::fprintf(stderr, "Note: %lld games of '%s' are damaged and left out\n",
                 static_cast<long long>(read.damaged), command.run.c_str());
  }
  if (read.games.empty()) throw InputError("the run '" + command.run + "' has no games yet");
  study.games_from = fmt::format("the newest {} of self-play of the run {}, with its exploration",
                                 read.games.size(), command.run);
  return std::move(read.games);
}

Study Examine(StudyCommand& command, const ChosenNetwork& network, const StudyProgress& progress) {
  const GameInfo info = InfoOfGame(network.game);
  // What cannot be loaded is refused before games are played.
  const std::shared_ptr<const FoldedNetwork> folded =
      LoadNetworkForPlay(network.path.string(), info, command.inference);
  const CheckpointInfo about = ReadNetworkInfo(network.path);
  Study study{
      .game = network.game,
      .network = fmt::format("{} (step {}, {} blocks of {} channels)",
                             command.weights.empty() ? network.path.string() : command.weights,
                             about.step, about.network.blocks, about.network.channels),
      .seed = command.play.seed,
      .piece_settings = command.pieces};
  const std::vector<StudyGame> games = GamesFor(command, network, study, progress);
  study.games = CountGames(network.game, games);
  const std::unique_ptr<Evaluator> evaluator = MakeEvaluator(folded, command.inference);
  study.pieces = MeasurePieceValues(network.game, *evaluator, games, command.pieces, progress);
  study.first = StudyFirstMoves(network.game, MakeEvaluator(folded, command.inference),
                                command.first, progress);
  study.placed = CountPlacements(network.game, games);
  return study;
}

void Write(const Study& study, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw RuntimeFailure("cannot make the folder '" + folder.string() + "': " + error.message());
  }
  for (const auto& [name, content] : StudyFiles(study)) WriteFileDurably(folder / name, content);
}

void Run(StudyCommand& command) {
  if (command.weights.empty() && !command.run.empty()) command.weights = "latest:" + command.run;
  if (!command.run.empty()) {
    const std::string game = ReadRunConfig(command.run, {}).game;
    if (!command.game.empty() && command.game != game) {
      throw InputError("--run is a run of " + game + ", not of " + command.game);
    }
    command.game = game;
  }
  if (command.play.threads == 0) {
    command.play.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }
  command.pieces.seed = command.play.seed;
  command.first.rules = command.play.rules;
  const ChosenNetwork network = ChooseNetwork(command.weights, command.game);
  StudyStatus status;
  const Study study = Examine(command, network, std::ref(status));
  Write(study, command.out);
  if (command.json) {
    std::cout << StudyJson(study) << "\n";
  } else {
    const Tally white = study.games.white();
    fmt::print("Wrote {}: {} games (White scores {:.1f} % +/- {:.1f} %), {} positions compared\n",
               (std::filesystem::path(command.out) / "study.md").string(), white.games(),
               100.0 * white.score(), 100.0 * ScoreError(white), study.pieces.positions);
  }
}

template <class T>
void AddNumber(CLI::App& sub, const std::string& name, T& value, T least, T most,
               const std::string& meaning) {
  sub.add_option(name, value, meaning)
      ->check(CLI::Range(least, most))
      ->capture_default_str()
      ->type_name("N");
}

void AddOptions(CLI::App& sub, StudyCommand& command) {
  sub.add_option("--weights", command.weights,
                 std::string(kWeightsHelp) +
                     "; without it the newest of --run, or the agent that comes with the program")
      ->type_name("PATH");
  sub.add_option("--game", command.game, "The game; a network and a run know their own")
      ->check(CLI::IsMember(GameNames()));
  sub.add_option("--run", command.run,
                 "Take the games of this run's self-play instead of playing some; it may be "
                 "training meanwhile")
      ->type_name("DIR");
  sub.add_option("--out", command.out,
                 "The folder to write; files of the same names in it are replaced")
      ->required()
      ->type_name("DIR");
  AddNumber(sub, "--games", command.play.games, 1, 1'000'000,
            "Games to play, or of the newest of --run to take");
  AddNumber(sub, "--game-nodes", command.play.nodes, 1, 1'000'000,
            "Simulations for each move of the games that are played");
  AddNumber(sub, "--opening-plies", command.play.opening_plies, 1, 100,
            "Random plies that each of them begins with");
  AddNumber(sub, "--max-plies", command.play.max_plies, 101, 100'000,
            "They are cut off, as draws, at this length");
  AddNumber(sub, "--threads", command.play.threads, 0, 256,
            "Threads that play them; 0 takes one for each core");
  AddNumber(sub, "--kings-landing", command.play.rules.kings_landing, 7, 8,
            "serbest: the king is placed on own ranks 1 to this, in the games that are played and "
            "at the start that is searched");
  AddNumber(sub, "--positions", command.pieces.positions_per_game, 1, 1000,
            "Positions of each game in which pieces are taken off");
  AddNumber(sub, "--least-score", command.pieces.least_score, 0.0, 0.49,
            "... where White's expected score is between this and 1 minus this");
  AddNumber(sub, "--resamples", command.pieces.resamples, 100, 100'000,
            "Resamples of the games, for intervals");
  AddNumber(sub, "--nodes", command.first.nodes, 1, 100'000'000,
            "Simulations for each position whose best moves are searched");
  AddNumber(sub, "--moves", command.first.moves, 1, 100, "So many of the best moves");
  AddNumber(sub, "--replies", command.first.replies, 0, 100,
            "Look for the best replies to so many of the best first moves");
  sub.add_option("--seed", command.play.seed, "Seed of openings, positions and resamples")
      ->capture_default_str();
  AddInferenceOptions(sub, command.inference);
  sub.add_flag("--json", command.json, "Print study.json on stdout");
}

}  // namespace

void AddStudy(CLI::App& app) {
  const auto command = std::make_shared<StudyCommand>();
  command->play.threads = 0;
  CLI::App& sub =
      *app.add_subcommand("study", "What a network knows: values, endings, first moves");
  AddOptions(sub, *command);
  sub.footer(
      "Writes study.md, study.json and pictures (SVG) that the page shows: how games end and whom\n"
      "they favour, what each piece is worth to the network, what it plays first, and in games\n"
      "with a hand where it places each piece; with 95 % intervals.\n"
      "Exit codes: 0 done, 1 failed or stopped, 2 bad usage or input.");
  sub.callback([command] { Run(*command); });
}

}  // namespace khanzero
