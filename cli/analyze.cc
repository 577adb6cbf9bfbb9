// SPDX-License-Identifier: GPL-3.0-or-later
//
// khanzero analyze: what a network thinks of positions, for scripts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/inference_options.h"
#include "cli/weights.h"
#include "env/games.h"
#include "model/inference.h"
#include "play/analysis.h"
#include "play/outcome_text.h"
#include "play/position_line.h"
#include "play/san.h"
#include "play/typed_move.h"
#include "play/uci.h"

namespace khanzero {

namespace {

constexpr int64_t kDefaultNodes = 800;
// The path of a network need not be UTF-8.
constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;

struct AnalyzeCommand {
  std::string weights;
  std::string game;
  std::string fen;                 // empty: the start; "-": from the standard input
  std::vector<std::string> moves;  // played from there
  GameSettings settings;
  std::optional<int64_t> nodes;
  std::optional<int64_t> movetime_ms;
  int multi_pv = 1;
  int threads = 1;
  bool json = false;
  InferenceSettings inference;
};

template <Game G>
class Analysis {
 public:
  Analysis(const AnalyzeCommand& command, const ChosenNetwork& network)
      : command_(command), network_(network.path.string()), analyst_(Evaluators(command, network)) {
    limits_.movetime_ms = command.movetime_ms;
    limits_.nodes = command.nodes;
    if (!limits_.nodes && !limits_.movetime_ms) limits_.nodes = kDefaultNodes;
  }

  // Analyses a position and prints the report. Throws InputError for a bad one.
  void Report(const std::string& fen, const std::vector<std::string>& moves) {
    GameState<G> game(fen.empty() ? G::Position::Start(command_.settings)
                                  : G::Position::FromFen(fen, command_.settings));
    for (const std::string& move : moves) {
      const Outcome outcome = game.position().ComputeOutcome();
      if (outcome.over()) {
        throw InputError("the move '" + Printable(move.substr(0, 60)) +
                         "' comes after the game's end (" + std::string(Text(outcome.reason)) +
                         ")");
      }
      game.Play(ReadTypedMove<G>(game.position(), move));
    }
    lines_.clear();
    nodes_ = 0;
    time_ms_ = 0;
    const Outcome outcome = game.position().ComputeOutcome();
    if (!outcome.over()) {
      const Search<G>& search = analyst_.Run(game, limits_);
      lines_ = BestLines(search, command_.multi_pv);
      nodes_ = static_cast<int64_t>(search.counters().simulations);
      time_ms_ = analyst_.elapsed_ms();
    }
    if (command_.json) {
      std::cout << Json(game.position(), outcome).dump(-1, ' ', false, kReplace) << std::endl;
    } else {
      PrintText(game.position(), outcome);
      std::fflush(stdout);
    }
  }

 private:
  static std::vector<std::unique_ptr<Evaluator>> Evaluators(const AnalyzeCommand& command,
                                                            const ChosenNetwork& network) {
    return NetworkLoader(command.inference)(network.path.string(), InfoOf<G>(), command.threads);
  }

  int64_t nodes_per_second() const { return nodes_ * 1000 / std::max<int64_t>(1, time_ms_); }

  static double Rounded(double value) { return std::round(1e4 * value) / 1e4; }

  nlohmann::ordered_json Json(const typename G::Position& position, const Outcome& outcome) const {
    nlohmann::ordered_json lines = nlohmann::ordered_json::array();
    for (const AnalysisLine& line : lines_) {
      std::vector<std::string> moves;
      for (const Move& move : line.moves) moves.push_back(G::MoveToText(move));
      const std::vector<std::string> san = SanLine<G>(position, line.moves);
      lines.push_back({{"move", moves[0]},
                       {"san", san[0]},
                       {"win", Rounded(static_cast<double>(line.wdl.win))},
                       {"draw", Rounded(static_cast<double>(line.wdl.draw))},
                       {"loss", Rounded(static_cast<double>(line.wdl.loss))},
                       {"cp", nullptr},
                       {"mate", nullptr},
                       {"visits", line.visits},
                       {"prior", Rounded(line.prior)},
                       {"pv", moves},
                       {"pv_san", san}});
      if (line.mate) {
        lines.back()["mate"] = *line.mate;
      } else {
        lines.back()["cp"] = line.centipawns();
      }
    }
    nlohmann::ordered_json json = {{"game", G::kName},
                                   {"fen", position.Fen()},
                                   {"side_to_move", Name(position.side_to_move())},
                                   {"result", Text(outcome.result)},
                                   {"reason", Text(outcome.reason)},
                                   {"network", network_},
                                   {"nodes", nodes_},
                                   {"time_ms", time_ms_},
                                   {"nps", nodes_per_second()},
                                   {"lines", lines}};
    if (G::kHasSettings) json["kings_landing"] = position.settings().kings_landing;
    return json;
  }

  void PrintText(const typename G::Position& position, const Outcome& outcome) const {
    fmt::print("{}\n", position.Fen());
    if (outcome.over()) {
      fmt::print("  {}\n", OutcomeText<G>(outcome));
      return;
    }
    fmt::print("  {} to move; {} nodes in {:.1f} s ({} nodes/s)\n",
               SideName(position.side_to_move()), nodes_, static_cast<double>(time_ms_) / 1000.0,
               nodes_per_second());
    int number = 0;
    for (const AnalysisLine& line : lines_) {
      const std::string score = line.mate ? fmt::format("mate {}", *line.mate)
                                          : fmt::format("{:+.2f}", line.centipawns() / 100.0);
      const std::array<int, 3> wdl = InThousand(line.wdl);
      fmt::print("  {}. {:<7} {:>8}  win {:.1f} %, draw {:.1f} %, loss {:.1f} %, {} visits\n",
                 ++number, SanText<G>(position, line.move), score, wdl[0] / 10.0, wdl[1] / 10.0,
                 wdl[2] / 10.0, line.visits);
      fmt::print("     {}\n", fmt::join(SanLine<G>(position, line.moves), " "));
      std::vector<std::string> moves;
      for (const Move& move : line.moves) moves.push_back(G::MoveToText(move));
      fmt::print("     {}\n", fmt::join(moves, " "));
    }
  }

  const AnalyzeCommand& command_;
  std::string network_;
  Analyst<G> analyst_;
  AnalysisLimits limits_;
  std::vector<AnalysisLine> lines_;  // of the last position
  int64_t nodes_ = 0;
  int64_t time_ms_ = 0;
};

std::vector<std::string> Words(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    std::istringstream stream(text);
    for (std::string word; stream >> word;) words.push_back(word);
  }
  return words;
}

// Positions from the standard input, one a line, each reported before the next is read.
template <Game G>
void AnalyzeLines(Analysis<G>& analysis) {
  constexpr size_t kLongestLine = size_t{1} << 20;
  std::string text;
  for (int number = 1;; ++number) {
    const std::string place = "standard input:" + std::to_string(number) + ": ";
    const InputLine read = ReadInputLine(std::cin, text, kLongestLine);
    if (read == InputLine::kEnd) return;
    if (read == InputLine::kTooLong) throw InputError(place + "the line is longer than 1 MiB");
    try {
      if (const auto line = ParsePositionLine(text)) analysis.Report(line->fen, line->moves);
    } catch (const InputError& error) {
      throw InputError(place + error.what());
    }
  }
}

void Run(const AnalyzeCommand& command) {
  const ChosenNetwork network = ChooseNetwork(command.weights, command.game);
  WithGame(network.game, [&]<class G>() {
    Analysis<G> analysis(command, network);
    const std::vector<std::string> moves = Words(command.moves);
    if (command.fen != "-") {
      analysis.Report(command.fen, moves);
      return;
    }
    if (!moves.empty()) {
      throw InputError("--moves does not go with --fen -: write 'moves ...' on the lines");
    }
    AnalyzeLines(analysis);
  });
}

}  // namespace

void AddAnalyze(CLI::App& app) {
  const auto command = std::make_shared<AnalyzeCommand>();
  CLI::App& sub = *app.add_subcommand("analyze", "What a network thinks of positions");
  sub.add_option("--weights", command->weights,
                 std::string(kWeightsHelp) + "; without it the agent that comes with the program")
      ->type_name("PATH");
  sub.add_option("--game", command->game, "The game; a network knows its own")
      ->check(CLI::IsMember(GameNames()));
  sub.add_option("--fen", command->fen,
                 "The position; without it the start. '-' reads positions from the standard input, "
                 "one a line: FEN or 'startpos', and perhaps 'moves ...'")
      ->type_name("FEN");
  sub.add_option("--moves", command->moves, "Moves from there, in UCI notation or SAN")
      ->type_name("MOVE...")
      ->expected(1, -1);
  sub.add_option(
         "--nodes", command->nodes,
         fmt::format("Simulations for each position ({} where no time is given)", kDefaultNodes))
      ->check(CLI::Range(int64_t{1}, int64_t{2'000'000'000}))
      ->type_name("N");
  sub.add_option("--movetime", command->movetime_ms, "Milliseconds for each position")
      ->check(CLI::Range(int64_t{1}, int64_t{100'000'000}))
      ->type_name("MS");
  sub.add_option("--multipv", command->multi_pv, "So many of the best moves")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("K");
  sub.add_option("--threads", command->threads, "Threads of the search")
      ->check(CLI::Range(1, 256))
      ->capture_default_str()
      ->type_name("N");
  sub.add_option("--kings-landing", command->settings.kings_landing,
                 "serbest: the king is placed on own ranks 1 to this")
      ->check(CLI::Range(7, 8))
      ->capture_default_str()
      ->type_name("N");
  AddInferenceOptions(sub, command->inference);
  sub.add_flag("--json", command->json, "Print one JSON object a position (docs/formats.md)");
  sub.footer(
      "Chances and scores are those of the side to move. With one thread and --nodes the\n"
      "answer is the same every time.");
  sub.callback([command] { Run(*command); });
}

}  // namespace khanzero
