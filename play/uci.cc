// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/uci.h"

#include <algorithm>
#include <array>
#include <istream>
#include <sstream>

#include "env/error.h"
#include "env/games.h"
#include "env/random.h"
#include "model/version.h"
#include "play/default_weights.h"

namespace khanzero {

namespace {

constexpr int kMostPerftDepth = 20;
constexpr std::string_view kNoMove = "bestmove (none)";

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
    return std::clamp(ParseUciNumber(value, "go " + word), least, most);
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
      number(0, 10000);  // in however many moves: the search ends when it has proven a win
      limits.mate = true;
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
      out.Error("go: " + QuoteInput(word) + " is unknown and ignored");
    }
  }
  return limits;
}

}  // namespace

InputLine ReadInputLine(std::istream& in, std::string& line, size_t most) {
  using Traits = std::istream::traits_type;
  line.clear();
  bool any = false;
  bool too_long = false;
  for (;;) {
    const Traits::int_type c = in.rdbuf()->sbumpc();
    if (Traits::eq_int_type(c, Traits::eof())) {
      if (!any) return InputLine::kEnd;
      break;
    }
    any = true;
    if (Traits::to_char_type(c) == '\n') break;
    if (line.size() == most) {
      too_long = true;
    } else {
      line += Traits::to_char_type(c);
    }
  }
  if (too_long) line.clear();
  return too_long ? InputLine::kTooLong : InputLine::kRead;
}

UciEngine::UciEngine(std::ostream& out, EvaluatorLoader loader, DefaultFinder find_default,
                     uint64_t seed)
    : out_(out),
      loader_(std::move(loader)),
      find_default_(std::move(find_default)),
      seed_(seed),
      game_(MakeUciGame(options_.variant)) {}

UciEngine::~UciEngine() { StopSearch(); }

void UciEngine::Run(std::istream& in) {
  std::string line;
  for (;;) {
    const InputLine read = ReadInputLine(in, line, kLongestLine);
    if (read == InputLine::kEnd) break;
    if (read == InputLine::kTooLong) {
      out_.Error("a line of more than " + std::to_string(kLongestLine) + " bytes is ignored");
    } else if (!Execute(line)) {
      break;
    }
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
      if (!searching()) {
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
      EnsureNetwork();
    } else if (command == "setoption") {
      StopSearch();
      ReadSetOption(line);
    } else if (command == "position") {
      // What cannot be set up must not be searched as if it were the position before it.
      position_refused_ = true;
      SetPosition(line);
      position_refused_ = false;
    } else if (command == "go") {
      Go(line);
    } else if (command == "stop") {
      StopSearch();
    } else if (command == "ponderhit") {
      if (searching()) control_->Release();
    } else if (command == "d") {
      out_.Line(game_->Board());
    } else if (!command.empty() && command != "debug" && command != "register") {
      out_.Error("unknown command " + QuoteInput(line));
    }
  } catch (const std::exception& error) {
    out_.Error(error.what());
  }
  return true;
}

void UciEngine::Identify() {
  out_.Line("id name KhanZero " + std::string(ProgramVersion()));
  out_.Line("id author the KhanZero authors");
  for (const std::string& line : OptionLines(options_)) out_.Line(line);
  out_.Line("uciok");
}

void UciEngine::ReadSetOption(const std::string& line) {
  // Names and values may hold spaces: "setoption name Move Overhead value 30".
  const size_t name_at = line.find(" name ");
  if (name_at == std::string::npos) {
    throw InputError("setoption needs 'name NAME value VALUE', not " + QuoteInput(line));
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
  switch (SetOption(options_, name, value)) {
    case UciChange::kVariant:
      SetVariant(options_.variant);
      out_.Line("info string " + game_->VariantLine());
      break;
    case UciChange::kNetwork:
      DropNetwork();
      break;
    case UciChange::kMemory:
      game_->Forget();
      break;
    case UciChange::kPosition:
      ResetPosition();
      break;
    case UciChange::kNothing:
      break;
  }
}

void UciEngine::SetVariant(const std::string& name) {
  std::unique_ptr<UciGame> game = MakeUciGame(name);
  if (game->info() != game_->info()) DropNetwork();
  game_ = std::move(game);
  options_.variant = name;
  ResetPosition();
}

void UciEngine::LoadWeights(const std::string& path) {
  options_.weights_file = path;
  DropNetwork();
  EnsureNetwork();
}

void UciEngine::DropNetwork() {
  evaluators_.clear();
  game_->Forget();
}

void UciEngine::EnsureNetwork() {
  if (!evaluators_.empty()) return;
  std::string file = options_.weights_file;
  if (file.empty()) {
    const std::optional<std::string> found =
        find_default_ ? find_default_(options_.variant) : std::nullopt;
    if (!found) {
      throw InputError(NoDefaultWeightsText(options_.variant) + " with the option WeightsFile");
    }
    file = *found;
    out_.Line("info string WeightsFile is empty; the network is " + Printable(file));
  }
  evaluators_ = loader_(file, game_->info(), options_.threads);
}

void UciEngine::ResetPosition() {
  position_refused_ = false;
  game_->SetPosition("", {}, {.kings_landing = options_.kings_landing});
}

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
      throw InputError("position: 'moves' is expected, not " + QuoteInput(word));
    }
  } else {
    throw InputError("position needs 'startpos' or 'fen', not " + QuoteInput(line));
  }
  std::vector<std::string> moves;
  while (words >> word) moves.push_back(word);
  game_->SetPosition(fen, moves, {.kings_landing = options_.kings_landing});
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
    } else if (position_refused_) {
      throw InputError("the last position was refused, so there is nothing to search");
    } else if (!game_->has_legal_move()) {
      out_.Line("info depth 0 score mate 0");
      out_.Line(std::string(kNoMove));
      return;
    } else {
      EnsureNetwork();
      std::vector<Evaluator*> evaluators;
      for (const std::unique_ptr<Evaluator>& e : evaluators_) evaluators.push_back(e.get());
      seed_ = Mix64(seed_);
      task = game_->MakeSearch(limits, options_, seed_, std::move(evaluators), out_, *control);
    }
  } catch (const std::exception& error) {
    out_.Error(error.what());
    out_.Line(std::string(kNoMove));
    return;
  }
  worker_ = std::jthread([this, task = std::move(task), control, perft] {
    try {
      task();
    } catch (const std::exception& error) {
      out_.Error(error.what());
      if (!perft) out_.Line(std::string(kNoMove));
    }
    control->Finish();
  });
  control_ = control;  // not before: where no thread can be made, nothing searches
}

void UciEngine::StopSearch() {
  if (control_) control_->Stop();
  WaitForSearch();
}

void UciEngine::WaitForSearch() {
  if (worker_.joinable()) worker_.join();
}

}  // namespace khanzero
