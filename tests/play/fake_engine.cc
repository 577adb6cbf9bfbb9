// SPDX-License-Identifier: GPL-3.0-or-later
//
// A UCI engine for tests of the referee: it plays the first of the moves that `go ... searchmoves`
// lists, and does one thing wrong.
//
//   fake_engine [MODE [N [FILE]]]
//
// MODE is what goes wrong, from the Nth `go` of this process on (1 when left out), or at the start.
// Modes: see kModes. FILE is made by the mode starts_once, to know a second start by.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

namespace {

constexpr std::array<std::string_view, 29> kModes = {
    "good",
    // At the start.
    "exits_at_once", "says_nothing", "no_readyok", "dies_on_uci", "other_variants", "complains",
    "starts_once",  // and crashes at its move
    // At a move.
    "illegal", "malformed", "null_move", "no_move", "none", "crash", "signal", "hang",
    "ignores_input", "garbage_line", "garbage_flood", "garbage_bytes", "endless_line",
    "closes_output", "info_flood",
    // At a new game.
    "dies_on_new_game", "silent_on_new_game",
    // Scores.
    "losing", "level", "odd_scores"};

void Say(const std::string& line) {
  const std::string text = line + "\n";
  // A pipe whose reader is gone ends this process by its signal, which is right.
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = write(STDOUT_FILENO, text.data() + sent, text.size() - sent);
    if (n <= 0) std::exit(0);
    sent += static_cast<size_t>(n);
  }
}

// Until the other side ends this process, or closes our input.
[[noreturn]] void WaitForTheEnd() {
  for (std::string line; std::getline(std::cin, line);) {
  }
  std::exit(0);
}

[[noreturn]] void WaitForEver() {
  for (;;) poll(nullptr, 0, -1);
}

class FakeEngine {
 public:
  FakeEngine(std::string mode, int from, std::string file)
      : mode_(std::move(mode)), from_(from), file_(std::move(file)) {}

  void Run() {
    if (mode_ == "exits_at_once") {
      std::fputs("no such luck\n", stderr);
      std::exit(3);
    }
    if (mode_ == "starts_once") {
      if (std::FILE* const before = std::fopen(file_.c_str(), "r")) {
        std::fclose(before);
        std::exit(6);
      }
      std::fclose(std::fopen(file_.c_str(), "w"));
    }
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream words(line);
      std::string command;
      words >> command;
      if (command == "quit") return;
      if (command == "uci") Identify();
      if (command == "isready") Ready();
      if (command == "ucinewgame") NewGame();
      if (command == "go") Go(words);
    }
  }

 private:
  void Identify() {
    if (mode_ == "says_nothing") WaitForTheEnd();
    if (mode_ == "dies_on_uci") std::abort();
    Say("id name Fake " + mode_);
    Say("option name Hash type spin default 16 min 1 max 1024");
    Say("option name Skill Level type spin default 20 min 0 max 20");
    Say(mode_ == "other_variants"
            ? "option name UCI_Variant type combo default chess var chess var shogi"
            : "option name UCI_Variant type combo default khans var khans var serbest");
    Say("uciok");
  }
  void Ready() {
    if (mode_ == "no_readyok") WaitForTheEnd();
    if (new_game_ && mode_ == "dies_on_new_game") std::exit(4);
    if (new_game_ && mode_ == "silent_on_new_game") WaitForTheEnd();
    if (mode_ == "complains") Say("info string error: no such file");
    Say("readyok");
  }
  void NewGame() { new_game_ = true; }

  void Go(std::istringstream& words) {
    std::string word;
    while (words >> word && word != "searchmoves") {
    }
    std::string move = "0000";
    words >> move;
    if (++moves_ < from_) {
      Say("info depth 3 score cp 36 nodes 800 pv " + move);
      Say("bestmove " + move);
    } else {
      GoWrong(move);
    }
  }

  void GoWrong(const std::string& move) {
    if (mode_ == "illegal") return Say("bestmove a1a1");
    if (mode_ == "malformed") return Say("bestmove e2-e4!\x7f");
    if (mode_ == "null_move") return Say("bestmove 0000");
    if (mode_ == "no_move") return Say("bestmove");
    if (mode_ == "none") return Say("bestmove (none)");
    if (mode_ == "crash" || mode_ == "starts_once") std::exit(5);
    if (mode_ == "signal") std::abort();
    if (mode_ == "hang") WaitForTheEnd();
    if (mode_ == "ignores_input") WaitForEver();
    if (mode_ == "closes_output") {
      close(STDOUT_FILENO);
      WaitForTheEnd();
    }
    if (mode_ == "garbage_flood") {
      for (;;) Say("What a lovely position, I could look at it all day.");
    }
    if (mode_ == "garbage_bytes") Say(std::string("bestmove \0\1\2\3", 13));
    if (mode_ == "endless_line") {
      for (const std::string part(4096, 'x');;) {
        if (write(STDOUT_FILENO, part.data(), part.size()) <= 0) std::exit(0);
      }
    }
    if (mode_ == "info_flood") {
      for (;;) Say("info depth 1 score cp 0 nodes 1");
    }
    if (mode_ == "garbage_line") Say("bestmov " + move + " and so on");
    if (mode_ == "losing") Say("info depth 9 score cp -900 nodes 5");
    if (mode_ == "odd_scores") {
      for (const char* const score :
           {"mate -2147483648", "cp -2147483648", "cp 99999999999999999999", "mate", "cp", "cp x",
            "wdl 1 2 3", "", "mate 2147483647"}) {
        Say(std::string("info depth -4 multipv 0 nodes -7 score ") + score);
        Say(std::string("info score ") + score + " depth 2147483648 nodes x");
      }
      Say("info");
      Say("info string pv score cp 900");
      Say("info score cp 12 lowerbound depth 7 multipv 1 nodes 40 pv score cp 900");
      Say("info multipv 2 score cp 800 depth 9");
    }
    if (mode_ == "level") Say("info depth 9 score cp 3 nodes 5");
    Say("bestmove " + move);
  }

  std::string mode_;
  int from_;
  std::string file_;
  int moves_ = 0;
  bool new_game_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "good";
  if (std::find(kModes.begin(), kModes.end(), mode) == kModes.end()) {
    std::fprintf(stderr, "fake_engine: unknown mode '%s'\n", mode.c_str());
    return 2;
  }
  FakeEngine(mode, argc > 2 ? std::atoi(argv[2]) : 1, argc > 3 ? argv[3] : "").Run();
  return 0;
}
