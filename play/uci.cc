// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/uci.h"

#include <algorithm>
#include <charconv>
#include <istream>
#include <sstream>

#include "env/error.h"
#include "env/games.h"
#include "model/version.h"

namespace khanzero {

namespace {

constexpr int kMostPerftDepth = 20;
constexpr int kMostLines = 500;
constexpr std::string_view kNoMove = "bestmove (none)";

// What came in, fit to be sent back: one line, printable, not long.
std::string Quote(const std::string& text) {
  constexpr size_t kMost = 100;
  std::string quoted = "'";
  for (const char c : text.substr(0, kMost)) {
    quoted += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  }
  return quoted + (text.size() > kMost ? "...'" : "'");
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

int64_t ParseNumber(const std::string& text, const std::string& what) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) {
    throw InputError(what + " needs a number and has " + Quote(text));
  }
  return value;
}

int64_t ParseSpin(const std::string& name, const std::string& value, int64_t least, int64_t most) {
  const int64_t number = ParseNumber(value, "option " + name);
  if (number < least || number > most) {
    throw InputError("option " + name + " is " + value + "; it must be from " +
                     std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

bool ParseCheck(const std::string& name, const std::string& value) {
  if (value == "true") return true;
  if (value == "false") return false;
  throw InputError("option " + name + " must be true or false and is " + Quote(value));
}

bool IsGoKeyword(const std::string& word) {
  static constexpr std::array<std::string_view, 14> kWords = {
      "nodes",     "depth",    "movetime", "wtime",       "btime", "winc", "binc",
      "movestogo", "infinite", "ponder",   "searchmoves", "perft", "mate", "go"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

UciLimits ParseGo(const std::string& line, UciOutput& out) {
  std::istringstream words(line);
  std::string word;
  words >> word;  // go
  UciLimits limits;
  const auto number = [&](int64_t least, int64_t most) {
    std::string value;
    words >> value;
    return std::clamp(ParseNumber(value, "go " + word), least, most);
  };
  constexpr int64_t kLongest = int64_t{1} << 40;
  while (words >> word) {
    if (word == "nodes") {
      limits.nodes = number(1, kLongest);
    } else if (word == "depth") {
      limits.depth = static_cast<int>(number(1, 1000));
    } else if (word == "movetime") {
      limits.movetime_ms = number(0, kLongest);
    } else if (word == "wtime") {
      limits.white_time_ms = number(0, kLongest);
    } else if (word == "btime") {
      limits.black_time_ms = number(0, kLongest);
    } else if (word == "winc") {
      limits.white_increment_ms = number(0, kLongest);
    } else if (word == "binc") {
      limits.black_increment_ms = number(0, kLongest);
    } else if (word == "movestogo") {
      limits.moves_to_go = static_cast<int>(number(0, 10000));
    } else if (word == "mate") {
      number(0, 10000);  // every search looks for mates, and ends when it has proven one
    } else if (word == "infinite") {
      limits.infinite = true;
    } else if (word == "ponder") {
      limits.ponder = true;
    } else if (word == "perft") {
      limits.perft = static_cast<int>(number(0, kMostPerftDepth));
    } else if (word == "searchmoves") {
      for (std::streampos at = words.tellg(); words >> word; at = words.tellg()) {
        if (IsGoKeyword(word)) {
          words.seekg(at);
          break;
        }
        limits.search_moves.push_back(word);
      }
    } else {
      out.Error("go: " + Quote(word) + " is unknown and ignored");
    }
  }
  return limits;
}

}  // namespace

UciEngine::UciEngine(std::ostream& out, EvaluatorLoader loader)
    : out_(out), loader_(std::move(loader)), game_(MakeUciGame(GameNames().front())) {}

UciEngine::~UciEngine() { StopSearch(); }

void UciEngine::Run(std::istream& in) {
  std::string line;
  while (std::getline(in, line)) {
    if (!Execute(line)) break;
  }
  StopSearch();
}

bool UciEngine::Execute(const std::string& line) {
  std::string command;
  std::istringstream(line) >> command;
  try {
    if (command == "quit") {
      StopSearch();
      return false;
    }
    if (command == "uci") {
      Identify();
    } else if (command == "isready") {
      // The network is loaded here; a running search has it already.
      if (!searching() && !weights_file_.empty()) {
        try {
          EnsureNetwork();
        } catch (const std::exception& error) {
          out_.Error(error.what());
        }
      }
      out_.Line("readyok");
    } else if (command == "ucinewgame") {
      StopSearch();
      game_->Forget();
      ResetPosition();
      if (!weights_file_.empty()) EnsureNetwork();
    } else if (command == "setoption") {
      StopSearch();
      SetOption(line);
    } else if (command == "position") {
      SetPosition(line);
    } else if (command == "go") {
      Go(line);
    } else if (command == "stop") {
      StopSearch();
    } else if (command == "ponderhit") {
      if (searching()) control_->Release();
    } else if (command == "d") {
      out_.Line(game_->Board());
    } else if (!command.empty() && command != "debug" && command != "register") {
      out_.Error("unknown command " + Quote(line));
    }
  } catch (const std::exception& error) {
    out_.Error(error.what());
  }
  return true;
}

void UciEngine::Identify() {
  out_.Line("id name KhanZero " + std::string(ProgramVersion()));
  out_.Line("id author the KhanZero authors");
  std::string variants = "option name UCI_Variant type combo default " + game_->info().name;
  for (const std::string& name : GameNames()) variants += " var " + name;
  out_.Line(variants);
  out_.Line("option name WeightsFile type string default " +
            (weights_file_.empty() ? "<empty>" : weights_file_));
  out_.Line("option name Threads type spin default 1 min 1 max " + std::to_string(kMostThreads));
  out_.Line("option name Hash type spin default 512 min 1 max 65536");
  out_.Line("option name MultiPV type spin default 1 min 1 max " + std::to_string(kMostLines));
  out_.Line("option name Ponder type check default false");
  out_.Line("option name Move Overhead type spin default 50 min 0 max 10000");
  out_.Line("option name UCI_ShowWDL type check default false");
  out_.Line("option name UCI_AnalyseMode type check default false");
  out_.Line("option name KingsLanding type spin default 7 min 7 max 8");
  out_.Line("uciok");
}

void UciEngine::SetOption(const std::string& line) {
  // Names and values may hold spaces: "setoption name Move Overhead value 30".
  const size_t name_at = line.find(" name ");
  if (name_at == std::string::npos) {
    throw InputError("setoption needs 'name NAME value VALUE', not " + Quote(line));
  }
  const auto trim = [](std::string text) {
    const size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return std::string();
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
  };
  const std::string rest = line.substr(name_at + 6);
  const size_t value_at = rest.find(" value");
  ApplyOption(trim(rest.substr(0, value_at)),
              value_at == std::string::npos ? "" : trim(rest.substr(value_at + 6)));
}

void UciEngine::ApplyOption(const std::string& name, const std::string& value) {
  const std::string key = Lower(name);
  if (key == "uci_variant") {
    SetVariant(value);
    out_.Line("info string " + game_->VariantLine());
  } else if (key == "weightsfile") {
    weights_file_ = value == "<empty>" ? "" : value;
    DropNetwork();
  } else if (key == "threads") {
    threads_ = static_cast<int>(ParseSpin(name, value, 1, kMostThreads));
    DropNetwork();
  } else if (key == "hash") {
    options_.hash_mib = ParseSpin(name, value, 1, 65536);
    game_->Forget();
  } else if (key == "multipv") {
    options_.multi_pv = static_cast<int>(ParseSpin(name, value, 1, kMostLines));
  } else if (key == "move overhead") {
    options_.move_overhead_ms = ParseSpin(name, value, 0, 10000);
  } else if (key == "uci_showwdl") {
    options_.show_wdl = ParseCheck(name, value);
  } else if (key == "ponder" || key == "uci_analysemode") {
    ParseCheck(name, value);
  } else if (key == "kingslanding") {
    game_settings_.kings_landing = static_cast<int>(ParseSpin(name, value, 7, 8));
    ResetPosition();
  } else {
    throw InputError("unknown option " + Quote(name) + "; 'uci' lists them");
  }
}

void UciEngine::SetVariant(const std::string& name) {
  std::unique_ptr<UciGame> game = MakeUciGame(name);
  if (game->info() != game_->info()) DropNetwork();
  game_ = std::move(game);
  ResetPosition();
}

void UciEngine::LoadWeights(const std::string& path) {
  weights_file_ = path;
  DropNetwork();
  EnsureNetwork();
}

void UciEngine::DropNetwork() {
  evaluators_.clear();
  game_->Forget();
}

void UciEngine::EnsureNetwork() {
  if (!evaluators_.empty()) return;
  if (weights_file_.empty()) {
    throw InputError("no network: set the option WeightsFile to a checkpoint folder");
  }
  evaluators_ = loader_(weights_file_, game_->info(), threads_);
}

void UciEngine::ResetPosition() { game_->SetPosition("", {}, game_settings_); }

void UciEngine::SetPosition(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word >> word;  // position startpos|fen
  std::string fen;
  if (word == "fen") {
    while (words >> word && word != "moves") fen += (fen.empty() ? "" : " ") + word;
    if (fen.empty()) throw InputError("position fen: the FEN is missing");
  } else if (word == "startpos") {
    if (words >> word && word != "moves") {
      throw InputError("position: 'moves' is expected, not " + Quote(word));
    }
  } else {
    throw InputError("position needs 'startpos' or 'fen', not " + Quote(line));
  }
  std::vector<std::string> moves;
  while (words >> word) moves.push_back(word);
  game_->SetPosition(fen, moves, game_settings_);
}

bool UciEngine::searching() const { return control_ && !control_->finished(); }

// Every `go` but that of perft is answered by a bestmove, or a GUI would wait for ever.
void UciEngine::Go(const std::string& line) {
  if (searching()) {
    out_.Error("a search is running; send stop first");
    return;
  }
  WaitForSearch();
  std::function<void()> task;
  auto control = std::make_shared<SearchControl>();
  bool perft = false;
  try {
    const UciLimits limits = ParseGo(line, out_);
    perft = limits.perft.has_value();
    if (perft) {
      task = game_->MakePerft(*limits.perft, out_, *control);
    } else if (!game_->has_legal_move()) {
      out_.Line("info depth 0 score mate 0");
      out_.Line(std::string(kNoMove));
      return;
    } else {
      EnsureNetwork();
      std::vector<Evaluator*> evaluators;
      for (const std::unique_ptr<Evaluator>& e : evaluators_) evaluators.push_back(e.get());
      task = game_->MakeSearch(limits, options_, std::move(evaluators), out_, *control);
    }
  } catch (const std::exception& error) {
    out_.Error(error.what());
    out_.Line(std::string(kNoMove));
    return;
  }
  control_ = control;
  worker_ = std::jthread([this, task = std::move(task), control, perft] {
    try {
      task();
    } catch (const std::exception& error) {
      out_.Error(error.what());
      if (!perft) out_.Line(std::string(kNoMove));
    }
    control->Finish();
  });
}

void UciEngine::StopSearch() {
  if (control_) control_->Stop();
  WaitForSearch();
}

void UciEngine::WaitForSearch() {
  if (worker_.joinable()) worker_.join();
}

}  // namespace khanzero
