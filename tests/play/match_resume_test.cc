// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matches that are stopped anywhere and go on: each game once, with the results of a match that
// never stopped. tests/cli/match_resume_test.cc kills the real program.
#include "play/match_resume.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "model/files.h"
#include "play/pgn.h"
#include "play/pgn_file.h"
#include "play/pgn_reader.h"
#include "tests/model/temp_folder.h"

namespace khanzero {
namespace {

constexpr std::array<const char*, 2> kNames = {"greedy", "random"};

struct Played {
  std::vector<std::string> games{};  // PGN, as they ended
  MatchResult result{};

  std::string text() const {
    std::string text;
    for (const std::string& game : games) text += game;
    return text;
  }
};

std::array<Contestant, 2> Players() {
  return {Contestant{.spec = kNames[0]}, Contestant{.spec = kNames[1]}};
}

MatchSettings Settings(int pairs = 6) {
  MatchSettings settings;
  settings.pairs = pairs;
  settings.seed = 9;
  settings.max_plies = 120;
  return settings;
}

MatchIdentity IdentityOf(const std::string& game, const MatchSettings& settings) {
  return MatchIdentity(game, Players(), settings);
}

Played Play(const std::string& game, MatchSettings settings) {
  Played played;
  settings.identity = IdentityOf(game, settings).Text();
  settings.on_pgn = [&](const FinishedGame&, const std::string& pgn) {
    played.games.push_back(pgn);
  };
  const auto [a, b] = Players();
  played.result = PlayMatch(game, a, b, settings);
  return played;
}

PlayedMatch Read(const std::string& text, const std::string& game, const MatchSettings& settings) {
  return ReadPlayedMatch(text, "m.pgn", {kNames[0], kNames[1]}, settings,
                         IdentityOf(game, settings));
}

void ExpectSame(const MatchResult& a, const MatchResult& b) {
  EXPECT_EQ(a.total, b.total);
  EXPECT_EQ(a.as_white, b.as_white);
  EXPECT_EQ(a.as_black, b.as_black);
  EXPECT_EQ(a.pairs, b.pairs);
  EXPECT_EQ(a.pairs_win_loss, b.pairs_win_loss);
  EXPECT_EQ(a.endings, b.endings);
  EXPECT_EQ(a.plies, b.plies);
  EXPECT_EQ(a.lengths, b.lengths);
  EXPECT_EQ(a.unique_games, b.unique_games);
}

class Resume : public testing::TestWithParam<std::string> {};

TEST_P(Resume, GoesOnAfterAnyNumberOfGames) {
  Played whole = Play(GetParam(), Settings());
  ASSERT_EQ(whole.games.size(), 12U);
  for (size_t count = 0; count <= whole.games.size(); ++count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += whole.games[i];
    MatchSettings settings = Settings();
    settings.concurrency = 3;
    const PlayedMatch read = Read(text, GetParam(), settings);
    EXPECT_EQ(read.games.size(), count);
    EXPECT_EQ(read.cut_line, 0);
    EXPECT_EQ(read.kept_bytes, text.size());
    settings.played = read.games;
    Played rest = Play(GetParam(), settings);
    EXPECT_EQ(rest.games.size(), 12 - count);
    ExpectSame(rest.result, whole.result);
    std::vector<std::string> all(whole.games.begin(), whole.games.begin() + count);
    all.insert(all.end(), rest.games.begin(), rest.games.end());
    std::vector<std::string> expected = whole.games;
    std::sort(all.begin(), all.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(all, expected);
  }
}

TEST_P(Resume, AGameThatIsCutOffIsLeftOut) {
  const Played whole = Play(GetParam(), Settings(1));
  const std::string text = whole.text();
  const size_t second = whole.games[0].size();
  const size_t end = text.size() - 2;  // behind the result
  for (size_t length = second + 1; length < end; ++length) {
    const PlayedMatch read = Read(text.substr(0, length), GetParam(), Settings(1));
    ASSERT_EQ(read.games.size(), 1U) << length;
    ASSERT_EQ(read.kept_bytes, second) << length;
    ASSERT_GT(read.cut_line, 10) << length;
  }
  EXPECT_EQ(Read(text.substr(0, end), GetParam(), Settings(1)).games.size(), 2U);
}

TEST_P(Resume, AMatchOfOneGameAPairGoesOn) {
  MatchSettings settings = Settings();
  settings.games_of_pair = 1;
  const Played whole = Play(GetParam(), settings);
  ASSERT_EQ(whole.games.size(), 6U);
  settings.played = Read(whole.games[0] + whole.games[4], GetParam(), settings).games;
  const Played rest = Play(GetParam(), settings);
  EXPECT_EQ(rest.games.size(), 4U);
  ExpectSame(rest.result, whole.result);
}

INSTANTIATE_TEST_SUITE_P(Games, Resume, testing::Values("khans", "serbest"),
                         [](const auto& parameter) { return parameter.param; });

TEST(MatchResume, MorePairsMayBePlayed) {
  const Played few = Play("khans", Settings(3));
  MatchSettings settings = Settings(6);
  settings.played = Read(few.text(), "khans", settings).games;
  const Played more = Play("khans", settings);
  EXPECT_EQ(more.games.size(), 6U);
  ExpectSame(more.result, Play("khans", Settings(6)).result);
}

TEST(MatchResume, ADecidedTestStaysDecided) {
  MatchSettings settings = Settings(200);
  settings.sprt = SprtSettings{.elo0 = 0.0, .elo1 = 100.0};
  const Played whole = Play("khans", settings);
  ASSERT_LT(whole.games.size(), 400U);
  settings.played = Read(whole.text(), "khans", settings).games;
  const Played rest = Play("khans", settings);
  EXPECT_TRUE(rest.games.empty());
  ExpectSame(rest.result, whole.result);
}

TEST(MatchResume, AnotherMatchIsRefusedWithWhatDiffers) {
  const std::string text = Play("khans", Settings(1)).text();
  const auto refuses = [&](auto change, const std::string& what) {
    MatchSettings settings = Settings(1);
    change(settings);
    EXPECT_THROWS_WITH(Read(text, "khans", settings), InputError, what);
  };
  refuses([](MatchSettings& s) { s.seed = 10; },
          "m.pgn:1: the game is of another match: seed is '9' there and '10' here; the match "
          "cannot be resumed from this file");
  refuses([](MatchSettings& s) { s.openings.plies = 5; },
          "openings is '4 random plies' there and '5 random plies' here");
  refuses([](MatchSettings& s) { s.openings.source = OpeningSource::kBalanced; },
          "'4 balanced random plies within 60' here");
  refuses([](MatchSettings& s) { s.max_plies = 100; }, "max plies is '120' there and '100' here");
  refuses(
      [](MatchSettings& s) {
        s.adjudication.resign = ResignRule{600, 3};
      },
      "adjudication is 'none' there and 'resign 600 3' here");
  refuses([](MatchSettings& s) { s.games_of_pair = 1; }, "games of a pair is '2' there");
  EXPECT_THROWS_WITH(Read(text, "serbest", Settings(1)), InputError,
                     "game is 'khans' there and 'serbest' here");
  auto players = Players();
  players[0].settings.search.simulations = 7;
  EXPECT_EQ(MatchIdentity("khans", players, Settings(1))
                .Difference(IdentityOf("khans", Settings(1)).Text()),
            "limits of a is '100 nodes' there and '7 nodes' here");
  EXPECT_EQ(IdentityOf("khans", Settings(1)).Difference("x=1"),
            "game is 'not said' there and 'khans' here");
}

TEST(MatchResume, WhatIsNoPartOfTheMatchIsRefused) {
  const Played match = Play("khans", Settings(2));
  const std::string text = match.text();
  const auto refuses = [&](const std::string& pgn, const std::string& what) {
    EXPECT_THROWS_WITH(Read(pgn, "khans", Settings(2)), InputError, what);
  };
  refuses(text + match.games[1], "is there twice");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string copy = match.games[0];
    return copy.replace(copy.find(from), from.size(), to);
  };
  refuses(changed("[Match ", "[Watch "), "the game has no tag Match");
  refuses(changed("[Round \"", "[Round \"x"), "which is none of this match of 2 pairs");
  refuses(changed("[Round \"", "[Round \"7"), "which is none of this match of 2 pairs");
  refuses(changed("[White \"", "[White \"x"), "White is 'x");
  refuses(changed("[PlyCount \"", "[PlyCount \"9"), "PlyCount is '9");
  refuses(changed("\n1. ", "\n1. a1a1 "), "ply 1: move 'a1a1' is not legal");
  refuses(match.games[0].substr(0, match.games[0].size() - 20) + "\n" + match.games[1],
          "a game is cut off before the end of the file");
  EXPECT_THROWS_WITH(Read(text, "khans", Settings(1)), InputError,
                     "which is none of this match of 1 pairs");
}

TEST(PgnFile, GrowsByWholeGames) {
  const TempFolder folder;
  const std::string path = (folder / "games.pgn").string();
  {
    PgnFile file(path, PgnFile::Use::kAppend);
    file.Append("a\n\n");
    file.Append("b\n\n");
    file.Sync();
    EXPECT_EQ(file.Read(), "a\n\nb\n\n");
  }
  {
    PgnFile file(path, PgnFile::Use::kResume);
    file.CutTo(4);
    file.Append("c\n\n");
    file.CutTo(8);
    file.Append("d\n\n");
  }
  EXPECT_EQ(ReadFile(path), "a\n\nb\n\nc\n\nd\n\n");
}

TEST(PgnFile, IsNotResumedTwiceNorBesideAMatchThatWrites) {
  const TempFolder folder;
  const std::string path = (folder / "games.pgn").string();
  {
    const PgnFile one(path, PgnFile::Use::kAppend);
    const PgnFile another(path, PgnFile::Use::kAppend);
    EXPECT_THROWS_WITH(PgnFile(path, PgnFile::Use::kResume), InputError,
                       "is in use by another match; wait");
  }
  const PgnFile resumed(path, PgnFile::Use::kResume);
  EXPECT_THROWS_WITH(PgnFile(path, PgnFile::Use::kAppend), InputError,
                     "is in use by another match that is resumed; wait");
  EXPECT_THROWS_WITH(PgnFile((folder / "none.pgn").string(), PgnFile::Use::kResume), InputError,
                     "cannot be opened for writing: No such file");
}

TEST(PgnFile, AFullDiskIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  PgnFile file("/dev/full", PgnFile::Use::kAppend);
  EXPECT_THROWS_WITH(file.Append("a\n\n"), RuntimeFailure, "No space left on device");
}

}  // namespace
}  // namespace khanzero
