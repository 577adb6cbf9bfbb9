// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/openings.h"

#include <gtest/gtest.h>

#include <fstream>

#include "env/games.h"
#include "play/match.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

template <Game G>
std::vector<std::string> Texts(const Openings<G>& openings, int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(OpeningText<G>(openings.Of(i)));
  return texts;
}

template <Game G>
Openings<G> From(const OpeningSettings& settings, uint64_t seed = 1) {
  return Openings<G>(settings, seed, G::Position::Start());
}

class OpeningFile {
 public:
  explicit OpeningFile(const std::string& text, const std::string& name = "book.epd")
      : path_((folder_ / name).string()) {
    std::ofstream(path_) << text;
  }
  const std::string& path() const { return path_; }

  template <Game G>
  Openings<G> Read(OpeningOrder order = OpeningOrder::kSequential, uint64_t seed = 1) const {
    OpeningSettings settings = ParseOpenings(path_);
    settings.order = order;
    return From<G>(settings, seed);
  }

 private:
  TempFolder folder_;
  std::string path_;
};

template <class G>
class DrawnOpenings : public testing::Test {};
using BothGames = testing::Types<Khans, Serbest>;
TYPED_TEST_SUITE(DrawnOpenings, BothGames);

TYPED_TEST(DrawnOpenings, DependOnSeedAndPairAlone) {
  for (const OpeningSource source : {OpeningSource::kRandom, OpeningSource::kBalanced}) {
    const OpeningSettings settings{.source = source, .plies = 3};
    const auto openings = From<TypeParam>(settings, 7);
    const auto first = Texts(openings, 6);
    EXPECT_EQ(OpeningText<TypeParam>(openings.Of(4)), first[4]);
    EXPECT_EQ(Texts(From<TypeParam>(settings, 7), 6), first);
    EXPECT_NE(Texts(From<TypeParam>(settings, 8), 6), first);
    EXPECT_GT((std::set<std::string>(first.begin(), first.end()).size()), 3U);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(openings.Of(i).moves.size(), 3U);
    EXPECT_EQ(openings.count(), 0);
  }
}

// What the search of the test finds must not be far from what it finds in the start position, and
// random openings must be farther off.
TYPED_TEST(DrawnOpenings, BalancedOnesAreNearTheStart) {
  using G = TypeParam;
  const auto advantage = [](const Opening<G>& opening) {
    GameState<G> game(opening.start);
    for (const Move& move : opening.moves) game.Play(move);
    AlphaBeta<G> search(2);
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
      const auto answer = search.Choose(game, Random(1));
      sum += game.position().side_to_move() == Color::kWhite ? answer.score : -answer.score;
      game.Play(answer.move);
    }
    return sum / 2.0;
  };
  const double start = advantage({G::Position::Start()});
  double worst_random = 0.0;
  const auto balanced =
      From<G>({.source = OpeningSource::kBalanced, .plies = 6, .balance_bound = 40});
  const auto random = From<G>({.source = OpeningSource::kRandom, .plies = 6});
  for (int i = 0; i < 12; ++i) {
    // The search breaks ties by chance, so the other side may see a little more or less.
    EXPECT_NEAR(advantage(balanced.Of(i)), start, 90.0) << i;
    worst_random = std::max(worst_random, std::abs(advantage(random.Of(i)) - start));
  }
  EXPECT_GT(worst_random, 150.0);
}

TYPED_TEST(DrawnOpenings, NoneIsTheStart) {
  const auto openings = From<TypeParam>({.source = OpeningSource::kNone});
  EXPECT_EQ(Texts(openings, 2), (std::vector<std::string>{"startpos", "startpos"}));
}

TYPED_TEST(DrawnOpenings, AreReadBackFromAFile) {
  const auto drawn = Texts(From<TypeParam>({.plies = 5}), 8);
  std::string text = "# openings\n";
  for (const std::string& line : drawn) text += line + "\n";
  const OpeningFile file(text);
  const auto read = file.Read<TypeParam>();
  EXPECT_EQ(read.count(), 8);
  EXPECT_EQ(Texts(read, 8), drawn);
}

TEST(Openings, AStartWithoutAnOpeningIsRefused) {
  // The next ply ends the game by the 50-move rule.
  const auto start = Khans::Position::FromFen("7k/8/8/8/8/8/8/K5R1 w - - 99 1");
  OpeningSettings settings{.source = OpeningSource::kRandom, .plies = 1};
  EXPECT_THROWS_WITH(Openings<Khans>(settings, 1, start).Of(0), InputError,
                     "no opening of 1 random plies was found that leaves the game open, in 1000");
  settings = {.source = OpeningSource::kBalanced, .plies = 1, .balance_bound = 7};
  EXPECT_THROWS_WITH(Openings<Khans>(settings, 1, start).Of(0), InputError,
                     "open and balanced within 7 hundredths of a pawn, in 1000 tries");
  const auto over = Khans::Position::FromFen("3K4/8/8/8/8/7k/8/8 b - - 0 1");
  EXPECT_THROWS_WITH(Openings<Khans>({.source = OpeningSource::kNone}, 1, over), InputError,
                     "the game is over in the start position 3K4/8/8/8/8/7k/8/8 b - - 0 1");
}

TEST(Openings, TakeFenEpdAndMoveLists) {
  const OpeningFile file(
      "\xEF\xBB\xBF# a book\r\n\r\n"
      "startpos\r\n"
      "e2e4 c7d5   # a move list\n"
      "startpos moves e2e4\n"
      "8/8/8/3k4/8/8/7Q/K7 b - - 3 9\n"
      "8/8/8/3k4/8/8/7Q/K7 b - - id \"no. 5\"; hmvc 2;\n"
      "8/8/8/3k4/8/8/7Q/K7 b - -\n"
      "8/8/8/3k4/8/8/7Q/K7 b - - 0 1 moves d5c6 h2h3; c0 \"moves\";");
  const auto openings = file.Read<Khans>();
  EXPECT_EQ(
      Texts(openings, 8),
      (std::vector<std::string>{"startpos", "startpos moves e2e4 c7d5", "startpos moves e2e4",
                                "8/8/8/3k4/8/8/7Q/K7 b - - 3 9", "8/8/8/3k4/8/8/7Q/K7 b - - 2 1",
                                "8/8/8/3k4/8/8/7Q/K7 b - - 0 1",
                                "8/8/8/3k4/8/8/7Q/K7 b - - 0 1 moves d5c6 h2h3", "startpos"}));
}

TEST(Openings, ShuffledOnesAreAllThereInAnOrderOfTheSeed) {
  std::string text;
  for (const char* const move : {"a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3"}) {
    text += std::string(move) + "\n";
  }
  const OpeningFile file(text);
  const auto sequential = Texts(file.Read<Khans>(), 8);
  auto shuffled = Texts(file.Read<Khans>(OpeningOrder::kShuffled, 3), 8);
  EXPECT_NE(shuffled, sequential);
  EXPECT_EQ(shuffled, Texts(file.Read<Khans>(OpeningOrder::kShuffled, 3), 8));
  EXPECT_NE(shuffled, Texts(file.Read<Khans>(OpeningOrder::kShuffled, 4), 8));
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, sequential);
}

TEST(Openings, TakeTheOpeningsOfAMatchsPgn) {
  for (const char* const game : {"khans", "serbest"}) {
    std::string text;
    MatchSettings settings;
    settings.pairs = 5;
    settings.concurrency = 1;
    settings.on_pgn = [&](const FinishedGame&, const std::string& pgn) { text += pgn; };
    PlayMatch(game, {.spec = "greedy"}, {.spec = "greedy"}, settings);
    const OpeningFile file(text, "games.txt");
    WithGame(game, [&]<class G>() {
      EXPECT_EQ(Texts(file.Read<G>(), 5), Texts(From<G>({.plies = 4}), 5));
    });
  }
  const OpeningFile book("[Event \"a\"]\n\n1. e2e4 c7d5 *\n", "book.pgn");
  EXPECT_EQ(Texts(book.Read<Khans>(), 1), (std::vector<std::string>{"startpos moves e2e4 c7d5"}));
}

TEST(Openings, ABookThatIsTooSmallIsSaidToRepeat) {
  const OpeningFile book("e2e4\nd2d4\n", "two.txt");
  std::vector<std::string> notes;
  MatchSettings settings;
  settings.openings = ParseOpenings(book.path());
  settings.max_plies = 4;
  settings.on_note = [&](const std::string& note) { notes.push_back(note); };
  for (const int pairs : {2, 3}) {
    settings.pairs = pairs;
    PlayMatch("khans", {.spec = "random"}, {.spec = "random"}, settings);
  }
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("two.txt has 2 openings for 3 pairs"), std::string::npos) << notes[0];
}

TEST(Openings, FaultsAreNamedWithFileAndLine) {
  const auto fails = [](const std::string& text, const std::string& what,
                        const std::string& name = "book.epd") {
    SCOPED_TRACE(text);
    const OpeningFile file(text, name);
    EXPECT_THROWS_WITH(file.Read<Khans>(), InputError, file.path() + what);
  };
  fails("", " has no openings");
  fails("# nothing\n\n", " has no openings");
  fails("startpos\ne2e5\n", ":2: move 'e2e5' is not legal");
  fails("startpos\nstartpos e2e4\n8/8 w\n", ":3: a position has at least 4 fields");
  fails("8/8/8/8/8/8/8/8 w - - 0 1\n", ":1: bad khans FEN");
  fails("\n8/8/8/3k4/8/8/7Q/K7 w - - 0 1 moves h2h9\n", ":2: move 'h2h9' is malformed");
  fails("8/3K4/8/8/8/7k/8/8 w - - 0 1 moves d7d8\n", ":1: the game is over after this opening");
  fails("8/3K4/8/8/8/7k/8/8 w - - 0 1 moves d7d8 h3h4\n", ":1: the game is over before the move");
  fails("startpos id \"a\n", ":1: a text in quotes has no '\"'");
  fails("[Event \"a\"]\n\n1. e2e5 *\n", ":3: ply 1: move 'e2e5' is not legal", "a.pgn");
  fails("[Event \"a\"]\n[Variant \"serbest\"]\n*\n", ":1: its Variant is 'serbest', not 'khans'");
  fails("e2e4\n", ":1: the tags of a game are expected", "a.pgn");
  EXPECT_THROWS_WITH(ParseOpenings("no/such/book.epd"), InputError,
                     "are none of none, random and balanced, and there is no such file");
  const OpeningFile landing("[Event \"a\"]\n[KingsLanding \"8\"]\n*\n");
  EXPECT_THROWS_WITH(landing.Read<Serbest>(), InputError, "another King's Landing");
}

TEST(Openings, AreNamedForReports) {
  EXPECT_EQ(OpeningsText({.plies = 6}), "6 random plies");
  EXPECT_EQ(OpeningsText(ParseOpenings("balanced")), "4 balanced random plies");
  EXPECT_EQ(OpeningsText(ParseOpenings("none")), "no openings");
  EXPECT_EQ(OpeningsText({.source = OpeningSource::kFile, .file = "a/b.epd"}), "b.epd");
}

TEST(Openings, RefusesSettingsOutOfRange) {
  EXPECT_THROW(From<Khans>({.plies = -1}), InputError);
  EXPECT_THROW(From<Khans>({.balance_bound = 0}), InputError);
}

}  // namespace
}  // namespace khanzero
