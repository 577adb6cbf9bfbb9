// SPDX-License-Identifier: GPL-3.0-or-later
//
// The configuration's file: what it accepts, and that every fault is named with its place. The
// round trip goes over the fields as Config::Fields lists them, so a new field is covered at once.
#include "train/config.h"

#include <gtest/gtest.h>

#include <concepts>
#include <filesystem>
#include <fstream>
#include <set>
#include <type_traits>

#include "env/error.h"
#include "train/config_visitors.h"

namespace khanzero {
namespace {

std::vector<FieldText> FieldsOf(Config config) {
  SettingsLister lister;
  Config::Fields(config, lister);
  return lister.fields();
}

// Gives every field another value than it has, within its limits.
class ChangeEverything {
 public:
  template <class T>
  void Number(std::string_view /*name*/, T& value, std::type_identity_t<T> least,
              std::type_identity_t<T> most, std::string_view /*meaning*/) {
    if constexpr (std::integral<T>) {
      value = value < most ? static_cast<T>(value + 1) : least;
    } else {
      // A value whose decimal digits do not end.
      value = least + (value - least) / 3.0 + (most - least) * 1e-3 / 7.0;
    }
  }
  void Flag(std::string_view /*name*/, bool& value, std::string_view /*meaning*/) {
    value = !value;
  }
  template <class E, size_t kCount>
  void Choice(std::string_view /*name*/, E& value, const ChoiceNames<kCount>& /*names*/,
              std::string_view /*meaning*/) {
    value = static_cast<E>((static_cast<size_t>(value) + 1) % kCount);
  }
  void Text(std::string_view name, std::string& value, std::string_view /*meaning*/) {
    value = name == "game" ? "serbest" : "cuda:3";
  }
  template <class S>
  void Section(std::string_view /*name*/, S& settings, std::string_view /*meaning*/) {
    S::Fields(settings, *this);
  }
};

// The message of the InputError that reading `text` gives; empty when it is accepted.
std::string ErrorOf(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    ParseConfig(text, "run.yaml", overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void ExpectSame(const Config& a, const Config& b) {
  const std::vector<FieldText> fields_a = FieldsOf(a);
  const std::vector<FieldText> fields_b = FieldsOf(b);
  ASSERT_EQ(fields_a.size(), fields_b.size());
  for (size_t i = 0; i < fields_a.size(); ++i) {
    EXPECT_EQ(fields_a[i].value, fields_b[i].value) << fields_a[i].path;
  }
}

TEST(Config, EmptyTextGivesTheDefaults) {
  for (const std::string text : {"", "\n", "# only a comment\n", "---\n", "search:\n", "{}"}) {
    SCOPED_TRACE(text);
    ExpectSame(ParseConfig(text, "run.yaml"), Config{});
  }
}

TEST(Config, DefaultsAreWithinTheirLimits) {
  ExpectSame(ParseConfig(ToYaml(Config{}), "run.yaml"), Config{});
}

TEST(Config, EveryFieldSurvivesWritingAndReading) {
  Config config;
  ChangeEverything change;
  Config::Fields(config, change);
  config.learner.final_learning_rate = config.learner.learning_rate / 3.0;
  const Config again = ParseConfig(ToYaml(config), "run.yaml");
  ExpectSame(again, config);
  EXPECT_EQ(again.learner.learning_rate, config.learner.learning_rate);
  EXPECT_EQ(again.search.cpuct_base, config.search.cpuct_base);

  // Every field was in fact changed, so that nothing passes by being the default.
  const std::vector<FieldText> changed = FieldsOf(again);
  const std::vector<FieldText> defaults = FieldsOf(Config{});
  for (size_t i = 0; i < changed.size(); ++i) {
    if (changed[i].is_section) continue;
    EXPECT_NE(changed[i].value, defaults[i].value) << changed[i].path;
  }
}

TEST(Config, EveryFieldCanBeOverridden) {
  Config config;
  ChangeEverything change;
  Config::Fields(config, change);
  config.learner.final_learning_rate = config.learner.learning_rate / 3.0;
  std::vector<std::string> overrides;
  for (const FieldText& field : FieldsOf(config)) {
    if (!field.is_section) overrides.push_back(field.path + "=" + field.value);
  }
  ExpectSame(ParseConfig("", "run.yaml", overrides), config);
}

TEST(Config, WritesEveryKeyWithMeaningLimitsAndDefault) {
  Config config;
  config.search.simulations = 48;
  const std::string yaml = ToYaml(config);
  EXPECT_NE(yaml.find("  # simulations for each move [1 to 10000000; default 32]\n"
                      "  simulations: 48\n"),
            std::string::npos)
      << yaml;
  EXPECT_NE(yaml.find("[gumbel, puct; default gumbel]\n  algorithm: gumbel\n"), std::string::npos);
  size_t from = 0;
  for (const FieldText& field : FieldsOf(config)) {
    const size_t at = yaml.find(
        "\n" + std::string(field.path == field.name ? "" : "  ") + field.name + ":", from);
    ASSERT_NE(at, std::string::npos) << field.path;
    from = at;
  }
}

TEST(Config, LargestSeedIsExact) {
  EXPECT_EQ(ParseConfig("seed: 18446744073709551615", "run.yaml").seed, ~uint64_t{0});
  EXPECT_EQ(ParseConfig("seed: 9007199254740993", "run.yaml").seed, 9007199254740993U);
}

TEST(Config, NumbersReadBackExactly) {
  for (const double value : {0.1, 1.0 / 3.0, 1e-8, 19652.0, 1e6, 123456789.125, 5e-324}) {
    EXPECT_EQ(ReadNumber<double>(NumberText(value), 0.0, 1e300), value) << NumberText(value);
  }
  EXPECT_EQ(NumberText(0.0001), "0.0001");
  EXPECT_EQ(NumberText(1000000.0), "1000000");
}

TEST(Config, MisspeltKeyNamesLineSectionAndNearest) {
  EXPECT_EQ(ErrorOf("game: khans\nsearch:\n  simulation: 16\n"),
            "run.yaml, line 3: unknown key 'simulation' in section 'search'; did you mean "
            "'simulations'?");
  EXPECT_EQ(ErrorOf("\nsearhc:\n  simulations: 16\n"),
            "run.yaml, line 2: unknown key 'searhc'; did you mean 'search'?");
}

TEST(Config, KeyInTheWrongSectionNamesTheRightOne) {
  EXPECT_EQ(ErrorOf("simulations: 16"),
            "run.yaml, line 1: unknown key 'simulations'; did you mean 'search.simulations' or "
            "'evaluation.simulations'?");
}

TEST(Config, UnknownKeyListsTheKnownOnes) {
  EXPECT_EQ(ErrorOf("network:\n  blocks: 2\n  wheels: 4\n"),
            "run.yaml, line 3: unknown key 'wheels' in section 'network'; known keys: blocks, "
            "channels, value_hidden, pooling_every, attack_planes");
}

TEST(Config, WrongTypeNamesLineKeyFoundAndExpected) {
  const std::string simulations =
      "run.yaml, line 2: search.simulations must be a whole number from 1 to 10000000, found ";
  EXPECT_EQ(ErrorOf("search:\n  simulations: many"), simulations + "'many'");
  EXPECT_EQ(ErrorOf("search:\n  simulations: 3.5"), simulations + "'3.5'");
  EXPECT_EQ(ErrorOf("search:\n  simulations: 16x"), simulations + "'16x'");
  EXPECT_EQ(ErrorOf("search:\n  simulations: \"16\""), simulations + "the text \"16\"");
  EXPECT_EQ(ErrorOf("search:\n  simulations: [16]"), simulations + "a list");
  EXPECT_EQ(ErrorOf("search:\n  simulations: {of: 16}"), simulations + "a section");
  EXPECT_EQ(ErrorOf("search:\n  simulations:\n    - 16"), simulations + "a list");
  EXPECT_EQ(ErrorOf("search:\n  simulations:"), simulations + "nothing");
  EXPECT_EQ(ErrorOf("learner:\n  mirror: yes"),
            "run.yaml, line 2: learner.mirror must be true or false, found 'yes'");
  EXPECT_EQ(ErrorOf("learner:\n  momentum: high"),
            "run.yaml, line 2: learner.momentum must be a number from 0 to 0.9999, found 'high'");
  EXPECT_EQ(ErrorOf("game: [khans]"), "run.yaml, line 1: game must be a text, found a list");
}

TEST(Config, OutOfRangeNamesTheLimits) {
  const std::string simulations =
      "run.yaml, line 1: search.simulations must be a whole number from 1 to 10000000, found ";
  for (const std::string value : {"0", "-1", "10000001", "99999999999999999999"}) {
    EXPECT_EQ(ErrorOf("search: {simulations: " + value + "}"), simulations + "'" + value + "'");
  }
  EXPECT_EQ(ErrorOf("seed: -1"),
            "run.yaml, line 1: seed must be a whole number from 0 to 18446744073709551615, found "
            "'-1'");
  EXPECT_EQ(ErrorOf("search: {fpu_reduction: 2.0001}"),
            "run.yaml, line 1: search.fpu_reduction must be a number from 0 to 2, found '2.0001'");
}

TEST(Config, LimitsThemselvesAreAccepted) {
  EXPECT_EQ(ErrorOf("search: {simulations: 1, fpu_reduction: 2, dirichlet_weight: 1.0}"), "");
  EXPECT_EQ(ErrorOf("kings_landing: 8"), "");
}

TEST(Config, NanAndInfinityAreRefused) {
  for (const std::string value :
       {".nan", "nan", "NaN", ".inf", "inf", "-inf", "infinity", "1e999"}) {
    EXPECT_NE(ErrorOf("learner: {gradient_clip: " + value + "}"), "") << value;
  }
}

TEST(Config, ChoiceOutsideItsNamesListsThem) {
  EXPECT_EQ(ErrorOf("search: {algorithm: minimax}"),
            "run.yaml, line 1: search.algorithm must be one of gumbel, puct, found 'minimax'");
  EXPECT_EQ(ErrorOf("search: {algorithm: 0}"),
            "run.yaml, line 1: search.algorithm must be one of gumbel, puct, found '0'");
}

TEST(Config, UnknownGameListsTheGames) {
  EXPECT_EQ(ErrorOf("\n\ngame: chess"),
            "run.yaml, line 3: game must be one of khans, serbest, found 'chess'");
}

TEST(Config, UnknownDeviceIsRefused) {
  for (const std::string device : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"}) {
    EXPECT_EQ(ErrorOf("inference: {device: '" + device + "'}"), "") << device;
  }
  for (const std::string device : {"", "gpu", "cuda:", "cuda:-1", "cuda:+1", "cuda:x", "cuda:1 "}) {
    EXPECT_EQ(ErrorOf("inference: {device: '" + device + "'}"),
              "run.yaml, line 1: inference.device must be auto, cpu, cuda or cuda:N, found '" +
                  device + "'");
  }
}

TEST(Config, DuplicateKeyNamesBothLines) {
  EXPECT_EQ(ErrorOf("seed: 1\ngame: khans\nseed: 2\n"),
            "run.yaml, line 3: key 'seed' is given twice (first on line 1)");
  EXPECT_EQ(ErrorOf("search:\n  simulations: 1\n  simulations: 2\n"),
            "run.yaml, line 3: key 'search.simulations' is given twice (first on line 2)");
  EXPECT_EQ(ErrorOf("search:\n  simulations: 1\nsearch:\n  cpuct_init: 2\n"),
            "run.yaml, line 3: key 'search' is given twice (first on line 1)");
}

TEST(Config, SectionGivenAsScalarOrListIsRefused) {
  EXPECT_EQ(ErrorOf("search: 16"),
            "run.yaml, line 1: search must be a section, with its keys indented below it, found "
            "'16'");
  EXPECT_EQ(ErrorOf("search:\n- simulations: 16"),
            "run.yaml, line 1: search must be a section, with its keys indented below it, found a "
            "list");
}

TEST(Config, WholeFileOfAnotherKindIsRefused) {
  EXPECT_NE(ErrorOf("just some words"), "");
  EXPECT_NE(ErrorOf("- game: khans"), "");
  EXPECT_NE(ErrorOf("[khans]: 1"), "");
  EXPECT_NE(ErrorOf("game: khans\n---\ngame: serbest\n").find("several YAML documents"),
            std::string::npos);
}

// Found by fuzzing: yaml-cpp makes documents of them without end.
TEST(Config, CommasOutsideOfBracketsAreRefused) {
  for (const char* const text : {",", "[a],", "---\n,", "game: khans\n---\n,\n"}) {
    EXPECT_NE(ErrorOf(text).find("outside of brackets"), std::string::npos) << text;
  }
}

TEST(Config, RefusalsQuoteNothingThatSteersATerminal) {
  const std::string error = ErrorOf("game: \"\\\n\\e[2J\"\n");
  EXPECT_EQ(error.find_first_of("\n\x1b"), std::string::npos) << error;
}

TEST(Config, MoreThanAMebibyteIsNoConfiguration) {
  EXPECT_NE(ErrorOf("# " + std::string(1 << 20, 'x')).find("no configuration"), std::string::npos);
}

TEST(Config, SyntaxErrorNamesTheLine) {
  const std::string open_bracket = ErrorOf("game: khans\nsearch: {simulations: 16\nseed: 1\n");
  EXPECT_TRUE(open_bracket.starts_with("run.yaml, line ")) << open_bracket;
  EXPECT_NE(open_bracket.find("not valid YAML"), std::string::npos);
  const std::string tab = ErrorOf("game: khans\nsearch:\n\tsimulations: 16\n");
  EXPECT_TRUE(tab.starts_with("run.yaml, line 3: not valid YAML")) << tab;
}

TEST(Config, OverridesWinAndTheLastOfThemWins) {
  const Config config =
      ParseConfig("seed: 1\nsearch: {simulations: 8, cpuct_init: 3}", "run.yaml",
                  {"search.simulations=16", "seed=3", "game = serbest", "seed=4"});
  EXPECT_EQ(config.search.simulations, 16);
  EXPECT_EQ(config.search.cpuct_init, 3.0);
  EXPECT_EQ(config.seed, 4U);
  EXPECT_EQ(config.game, "serbest");
}

TEST(Config, OverrideErrorsNameTheOverride) {
  EXPECT_EQ(ErrorOf("", {"search.simulation=16"}),
            "setting 'search.simulation=16': unknown key 'simulation' in section 'search'; did you "
            "mean 'simulations'?");
  EXPECT_EQ(ErrorOf("", {"search.simulations=0"}),
            "setting 'search.simulations=0': search.simulations must be a whole number from 1 to "
            "10000000, found '0'");
  EXPECT_EQ(ErrorOf("", {"game=chess"}),
            "setting 'game=chess': game must be one of khans, serbest, found 'chess'");
  EXPECT_EQ(ErrorOf("", {"search=16"}),
            "setting 'search=16': search must be a section, with its keys indented below it, found "
            "'16'");
  EXPECT_NE(ErrorOf("", {"seed="}), "");
  EXPECT_NE(ErrorOf("", {"search.simulations.more=1"}), "");
  for (const std::string malformed : {"seed", "=3", "search.=3", ".seed=3", ""}) {
    EXPECT_EQ(ErrorOf("", {malformed}),
              "setting '" + malformed +
                  "' must have the form key=value, for example search.simulations=16");
  }
}

TEST(Config, FinalLearningRateAboveTheHighestIsRefused) {
  EXPECT_EQ(ErrorOf("learner:\n  learning_rate: 0.1\n  final_learning_rate: 0.2\n"),
            "run.yaml, line 3: learner.final_learning_rate is out of order: "
            "learner.final_learning_rate (0.2) must not exceed learner.learning_rate (0.1)");
  // Only the other one is given: the error is at that line.
  EXPECT_TRUE(ErrorOf("learner:\n  learning_rate: 0.0001\n").starts_with("run.yaml, line 2: "));
  EXPECT_EQ(ErrorOf("learner: {learning_rate: 0.1, final_learning_rate: 0.1}"), "");
}

TEST(Config, LearningNothingIsRefused) {
  EXPECT_NE(ErrorOf("learner: {policy_weight: 0, value_weight: 0}"), "");
  EXPECT_EQ(ErrorOf("learner: {policy_weight: 0}"), "");
}

TEST(Config, UnreadableFileSaysWhich) {
  const std::string missing = testing::TempDir() + "khanzero_no_such_config.yaml";
  for (const std::string& path : {missing, testing::TempDir()}) {
    try {
      LoadConfig(path);
      ADD_FAILURE() << path << " was read";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
}

TEST(Config, FileErrorsNameTheFile) {
  const std::string path = testing::TempDir() + "khanzero_config_test.yaml";
  std::ofstream(path) << "seed: 5\nsead: 6\n";
  try {
    LoadConfig(path);
    ADD_FAILURE() << "the misspelt key was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path + ", line 2: unknown key 'sead'; did you mean 'seed'?");
  }
  std::filesystem::remove(path);
}

TEST(Config, EveryShippedFileLoads) {
  std::set<std::string> games;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KHANZERO_CONFIGS)) {
    SCOPED_TRACE(entry.path().string());
    if (entry.is_directory()) continue;  // variants of other programs
    ASSERT_EQ(entry.path().extension(), ".yaml");
    const Config config = LoadConfig(entry.path().string());
    games.insert(config.game);
    // A file is named after its game, so that runs are too.
    EXPECT_TRUE(entry.path().filename().string().starts_with(config.game));
    ++files;
  }
  EXPECT_GE(files, 4);
  EXPECT_EQ(games, (std::set<std::string>{"khans", "serbest"}));
}

}  // namespace
}  // namespace khanzero
