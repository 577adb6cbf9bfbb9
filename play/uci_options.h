// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options of the UCI engine. They are listed once, in UciOptions::Fields; what `uci` prints and
// what `setoption` takes both go through that list.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/games.h"
#include "mcts/settings.h"
#include "play/skill.h"

namespace khanzero {

// What a change of an option touches.
enum class UciChange {
  kNothing,
  kVariant,   // another game
  kNetwork,   // the network, or how often it is loaded
  kMemory,    // what earlier searches know is of no more use
  kPosition,  // the rules of the position
};

struct UciOptions {
  std::string variant = GameNames().front();
  std::string weights_file{};  // empty: the one that comes with the program
  int threads = 1;
  int64_t hash_mib = 512;  // tree and cache together; a search ends when its tree is full
  int multi_pv = 1;
  bool ponder = false;
  int64_t move_overhead_ms = 50;
  bool show_wdl = false;
  bool analyse_mode = false;  // searches that show the truth are never weakened
  int skill = kMostSkill;
  bool limit_strength = false;
  int elo = kMostElo;
  int kings_landing = 7;
  SearchSettings search = {.algorithm = RootAlgorithm::kPuct, .simulations = 1};

  template <class V>
  static void Fields(UciOptions& o, V& visit) {
    constexpr int kMostThreads = 256;
    constexpr int kMostLines = 500;
    visit.Combo("UCI_Variant", o.variant, GameNames(), UciChange::kVariant);
    visit.Text("WeightsFile", o.weights_file, UciChange::kNetwork);
    visit.Spin("Threads", o.threads, 1, kMostThreads, UciChange::kNetwork);
    visit.Spin("Hash", o.hash_mib, 1, 65536, UciChange::kMemory);
    visit.Spin("MultiPV", o.multi_pv, 1, kMostLines, UciChange::kNothing);
    visit.Check("Ponder", o.ponder);
    visit.Spin("Move Overhead", o.move_overhead_ms, 0, 10000, UciChange::kNothing);
    visit.Check("UCI_ShowWDL", o.show_wdl);
    visit.Check("UCI_AnalyseMode", o.analyse_mode);
    visit.Spin("Skill", o.skill, 0, kMostSkill, UciChange::kNothing);
    visit.Check("UCI_LimitStrength", o.limit_strength);
    visit.Spin("UCI_Elo", o.elo, kLeastElo, kMostElo, UciChange::kNothing);
    visit.Spin("KingsLanding", o.kings_landing, 7, 8, UciChange::kPosition);
    // The protocol has no fractions but in texts.
    visit.Number("CPuct", o.search.cpuct_init, 0.0, 100.0, UciChange::kMemory);
    visit.Number("CPuctBase", o.search.cpuct_base, 1.0, 1e9, UciChange::kMemory);
    visit.Number("FpuReduction", o.search.fpu_reduction, 0.0, 2.0, UciChange::kMemory);
  }

  // How strong moves shall be; nothing for full strength. UCI_Elo goes before Skill.
  std::optional<Skill> PlayingSkill() const;
};

// "option name ..." for each option, with the value it has now as its default.
std::vector<std::string> OptionLines(const UciOptions& options);

// Sets an option by its name, in which the case of letters does not count. Throws InputError for an
// unknown name and for a value that is not allowed; nothing is changed then.
UciChange SetOption(UciOptions& options, const std::string& name, const std::string& value);

// The number that `text` is. Throws InputError that names `what`.
int64_t ParseUciNumber(const std::string& text, const std::string& what);
// What came in, fit to be sent back: one printable line, not long, in quotes.
std::string QuoteInput(std::string_view text);

}  // namespace khanzero
