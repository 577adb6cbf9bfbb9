// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/uci_client.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "env/error.h"

namespace khanzero {

namespace {

using Read = EngineProcess::Read;

constexpr int kMateScore = 30'000;
const std::string kComplaint = "info string error";

bool SameIgnoringCase(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

// Nothing for what is no number, or too large a one.
template <class T>
std::optional<T> NumberOf(const std::string& text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// Takes what an info line says into `report`; of several lines only the first. Anything odd in it
// is passed over.
void TakeInfo(const std::string& line, MoveReport& report) {
  std::istringstream words(line);
  std::string word;
  std::string value;
  MoveReport said;
  bool first_line = true;
  words >> word;  // info
  while (words >> word && word != "string" && word != "pv") {
    if (word == "multipv" && words >> value) {
      first_line = NumberOf<int>(value).value_or(1) == 1;
    } else if (word == "depth" && words >> value) {
      said.depth = std::max(0, NumberOf<int>(value).value_or(0));
    } else if (word == "nodes" && words >> value) {
      said.nodes = std::max<int64_t>(0, NumberOf<int64_t>(value).value_or(0));
    } else if (word == "score") {
      words >> word >> value;
      // Numbers beyond all reason are no scores.
      constexpr int kMost = 1'000'000;
      const auto number = NumberOf<int>(value);
      if (!number || std::max(*number, -(*number + 1)) > kMost) continue;
      if (word == "cp") said.centipawns = number;
      if (word == "mate") said.mate = number;
    }
  }
  if (said.nodes > 0) report.nodes = said.nodes;
  if (!first_line || (!said.centipawns && !said.mate)) return;
  report.centipawns = said.centipawns;
  report.mate = said.mate;
  if (said.depth > 0) report.depth = said.depth;
}

// "option name Skill Level type spin default 20": the name.
std::string OptionName(const std::string& line) {
  const size_t begin = line.find(" name ");
  if (begin == std::string::npos) return "";
  const size_t end = line.find(" type ", begin);
  return line.substr(begin + 6, end == std::string::npos ? end : end - begin - 6);
}

std::vector<std::string> VariantsOf(const std::string& option_line) {
  std::istringstream words(option_line);
  std::vector<std::string> variants;
  for (std::string word; words >> word;) {
    if (word == "var" && words >> word) variants.push_back(word);
  }
  return variants;
}

std::string Describe(Read status) {
  switch (status) {
    case Read::kTimeout:
      return "no answer in time";
    case Read::kGarbage:
      return "what it prints is no text";
    default:
      return "it ended";
  }
}

}  // namespace

std::optional<int> MoveReport::score() const {
  if (!mate) return centipawns;
  const int moves = std::min(std::abs(std::max(*mate, -kMateScore)), kMateScore / 2);
  return *mate > 0 ? kMateScore - moves : moves - kMateScore;
}

std::string Text(const MoveReport& report, int64_t elapsed_ms) {
  std::array<char, 64> number;
  std::string text;
  if (report.mate) {
    text = (*report.mate > 0 ? "+M" : "-M") + std::to_string(std::abs(*report.mate));
  } else if (report.centipawns) {
    std::snprintf(number.data(), number.size(), "%+.2f", *report.centipawns / 100.0);
    text = number.data();
  }
  if (!text.empty() && report.depth > 0) text += "/" + std::to_string(report.depth);
  std::snprintf(number.data(), number.size(), "%s%.*fs", text.empty() ? "" : " ",
                elapsed_ms < 1000 ? 3 : 1, static_cast<double>(elapsed_ms) / 1000.0);
  text += number.data();
  return report.nodes > 0 ? text + ", n=" + std::to_string(report.nodes) : text;
}

std::string GoText(const UciLimits& limits) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<int64_t>& value) {
    if (value) text += (text.empty() ? "" : " ") + (name + (" " + std::to_string(*value)));
  };
  add("nodes", limits.nodes);
  add("movetime", limits.movetime_ms);
  add("wtime", limits.white_time_ms);
  add("btime", limits.black_time_ms);
  if (limits.white_time_ms) add("winc", limits.white_increment_ms);
  if (limits.black_time_ms) add("binc", limits.black_increment_ms);
  if (limits.moves_to_go > 0) add("movestogo", limits.moves_to_go);
  return text;
}

UciClient::UciClient(const std::string& command, const std::string& variant, int kings_landing,
                     const UciClientSettings& settings, std::stop_token stop)
    : command_(command),
      settings_(settings),
      stop_(std::move(stop)),
      process_(SplitCommand(command)),
      engine_name_(command) {
  Identify();
  SetOptions(variant, kings_landing);
  // What an engine says of options it cannot use, such as a file that is not there.
  std::string complaint;
  std::string line;
  const Read status =
      !Send("isready")
          ? Read::kClosed
          : WaitFor("readyok", StartDeadline(), line,
                    [&](const std::string&, const std::string& text) {
                      if (SameIgnoringCase(text.substr(0, kComplaint.size()), kComplaint)) {
                        complaint = text.substr(kComplaint.size());
                      }
                    });
  if (status != Read::kLine) {
    FailToStart("did not answer isready with readyok: " + Describe(status));
  }
  if (!complaint.empty()) {
    throw InputError("the engine '" + Printable(command_) + "' says: error" +
                     Printable(complaint.substr(0, 300)));
  }
  usable_ = true;
}

UciClient::~UciClient() {
  if (!usable_ || !Send("quit")) return;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(1);
  for (std::string line; process_.ReadLine(line, deadline, {}) == Read::kLine;) {
  }
}

UciClient::Clock::time_point UciClient::StartDeadline() const {
  return Clock::now() + std::chrono::milliseconds(settings_.start_timeout_ms);
}

void UciClient::FailToStart(const std::string& what) {
  throw InputError("the engine '" + Printable(command_) + "' " + what + " (" +
                   process_.DescribeEnd() + ")");
}

bool UciClient::Send(const std::string& line) {
  if (settings_.log) settings_.log("> " + line);
  return process_.Send(line, Clock::now() + std::chrono::milliseconds(settings_.answer_timeout_ms));
}

Read UciClient::Receive(std::string& line, Clock::time_point deadline) {
  const Read status = process_.ReadLine(line, deadline, stop_);
  if (settings_.log) {
    settings_.log(status == Read::kLine ? "< " + Printable(line) : "(" + Describe(status) + ")");
  }
  return status;
}

Read UciClient::WaitFor(
    const std::string& word, Clock::time_point deadline, std::string& line,
    const std::function<void(const std::string& first, const std::string& line)>& other) {
  int foreign_lines = 0;
  for (;;) {
    const Read status = Receive(line, deadline);
    if (status != Read::kLine) return status;
    std::string first;
    std::istringstream(line) >> first;
    if (first == word) return status;
    const bool known = first.empty() || first == "info" || first == "id" || first == "option" ||
                       first == "uciok" || first == "readyok" || first == "bestmove" ||
                       first == "copyprotection" || first == "registration";
    if (!known && ++foreign_lines > kMostForeignLines) return Read::kGarbage;
    if (other) other(first, line);
  }
}

void UciClient::Identify() {
  option_lines_.clear();
  std::string line;
  const Read status = !Send("uci")
                          ? Read::kClosed
                          : WaitFor("uciok", StartDeadline(), line,
                                    [&](const std::string& first, const std::string& text) {
                                      if (text.starts_with("id name "))
                                        engine_name_ = text.substr(8);
                                      if (first == "option") option_lines_[OptionName(text)] = text;
                                    });
  if (status != Read::kLine) FailToStart("did not answer uci with uciok: " + Describe(status));
}

std::optional<std::string> UciClient::FindOption(const std::string& name) const {
  for (const auto& [known, line] : option_lines_) {
    if (SameIgnoringCase(known, name)) return known;
  }
  return std::nullopt;
}

void UciClient::SetOption(const std::string& name, const std::string& value) {
  if (!Send("setoption name " + name + " value " + value))
    FailToStart("takes no options: it ended");
}

// The definitions of variants first, then the variant, then the rest, which may depend on it.
void UciClient::SetOptions(const std::string& variant, int kings_landing) {
  const auto is_definitions = [](const auto& option) {
    return SameIgnoringCase(option.first, "VariantPath");
  };
  const auto set = [&](const auto& option) {
    const auto known = FindOption(option.first);
    if (!known) {
      std::string names;
      for (const auto& [name, line] : option_lines_) names += (names.empty() ? "" : ", ") + name;
      throw InputError("the engine '" + Printable(command_) + "' has no option '" +
                       Printable(option.first) + "'; it has: " + Printable(names));
    }
    SetOption(*known, option.second);
  };
  for (const auto& option : settings_.options) {
    if (!is_definitions(option)) continue;
    set(option);
    Identify();  // it knows more variants now
  }
  CheckVariant(variant);
  if (const auto option = FindOption("UCI_Variant")) SetOption(*option, variant);
  const auto landing = FindOption("KingsLanding");
  if (landing && kings_landing > 0) SetOption(*landing, std::to_string(kings_landing));
  for (const auto& option : settings_.options) {
    if (!is_definitions(option)) set(option);
  }
  lists_moves_ = settings_.search_moves == SearchMoves::kOn ||
                 (settings_.search_moves == SearchMoves::kAuto && kings_landing > 0 && !landing);
}

// An engine without the option UCI_Variant plays one game, which the referee will see.
void UciClient::CheckVariant(const std::string& variant) {
  const auto option = FindOption("UCI_Variant");
  if (!option) return;
  const std::vector<std::string> variants = VariantsOf(option_lines_[*option]);
  if (variants.empty() || std::find(variants.begin(), variants.end(), variant) != variants.end()) {
    return;
  }
  constexpr size_t kMostNamed = 8;
  std::string names;
  for (size_t i = 0; i < std::min(kMostNamed, variants.size()); ++i) names += variants[i] + ", ";
  throw InputError("the engine '" + Printable(command_) + "' does not know the variant '" +
                   variant + "' (it knows " + Printable(names) + "...); Fairy-Stockfish learns it" +
                   " by the option VariantPath=FILE, see configs/variants/khans.ini");
}

Read UciClient::NewGame() {
  usable_ = false;
  if (!Send("ucinewgame") || !Send("isready")) return Read::kClosed;
  std::string line;
  const Read status = WaitFor("readyok", StartDeadline(), line, {});
  usable_ = status == Read::kLine;
  return status;
}

UciClient::Answer UciClient::Go(const std::string& position, const std::string& go,
                                int64_t timeout_ms) {
  usable_ = false;
  Answer answer;
  const Clock::time_point begin = Clock::now();
  if (!Send(position) || !Send(go)) {
    answer.status = Read::kClosed;
    return answer;
  }
  std::string line;
  answer.status = WaitFor("bestmove", begin + std::chrono::milliseconds(timeout_ms), line,
                          [&](const std::string& first, const std::string& text) {
                            if (first == "info") TakeInfo(text, answer.report);
                          });
  answer.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  if (answer.status != Read::kLine) return answer;
  usable_ = true;
  std::istringstream words(line);
  words >> answer.move;
  answer.move.clear();
  words >> answer.move;
  return answer;
}

}  // namespace khanzero
