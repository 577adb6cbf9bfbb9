// SPDX-License-Identifier: GPL-3.0-or-later
//
// The given vectors (tests/data/vectors): perft counts, legal moves, whole games, and FENs good and
// bad. Every line is checked.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "env/games.h"
#include "env/perft.h"
#include "tests/env/position_text.h"
#include "tests/env/sha256.h"

namespace khanzero {
namespace {

using nlohmann::json;

// Calls check.operator()<Game>(line) for every line of a vector file; returns how many there were.
template <class Check>
int ForEachLine(const std::string& file, Check&& check) {
  const std::string path = std::string(KHANZERO_TEST_DATA) + "/vectors/" + file;
  std::ifstream in(path);
  EXPECT_TRUE(in) << "cannot open " << path;
  int lines = 0;
  for (std::string text; std::getline(in, text); ++lines) {
    const json line = json::parse(text);
    SCOPED_TRACE(file + " line " + std::to_string(lines + 1) + ": " + text.substr(0, 300));
    WithGame(line.at("variant").get<std::string>(),
             [&]<class G>() { check.template operator()<G>(line); });
  }
  return lines;
}

template <class G>
typename G::Position PositionOf(const json& line, const char* key) {
  return At<G>(line.at(key).get<std::string>(), line.value("kings_landing", 7));
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "\n") + word;
  return text;
}

TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(Sha256::Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256::Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256::Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Vectors, PerftCountsAreEqual) {
  const int lines = ForEachLine("perft.jsonl", []<class G>(const json& line) {
    const auto position = PositionOf<G>(line, "fen");
    EXPECT_EQ(Perft(position, line.at("depth").get<int>()), line.at("nodes").get<uint64_t>());
  });
  EXPECT_EQ(lines, 187);
}

TEST(Vectors, LegalMovesAreEqual) {
  const int lines = ForEachLine("legal.jsonl", []<class G>(const json& line) {
    const auto position = PositionOf<G>(line, "fen");
    const std::vector<std::string> moves = SortedMoves<G>(position);
    EXPECT_EQ(static_cast<int>(moves.size()), line.at("count").get<int>());
    EXPECT_EQ(position.CountLegalMoves(), line.at("count").get<int>());
    EXPECT_EQ(Sha256::Hex(Joined(moves)), line.at("sha256").get<std::string>());
    if (line.contains("moves")) {
      EXPECT_EQ(moves, line.at("moves").get<std::vector<std::string>>());
    }
  });
  EXPECT_EQ(lines, 600);
}

TEST(Vectors, EveryFenRoundTrips) {
  const auto round_trip = []<class G>(const json& line) {
    EXPECT_EQ((PositionOf<G>(line, "fen").Fen()), line.at("fen").get<std::string>());
  };
  ForEachLine("perft.jsonl", round_trip);
  ForEachLine("legal.jsonl", round_trip);
}

TEST(Vectors, GamesEndWhenAndAsGiven) {
  const int lines = ForEachLine("games.jsonl", []<class G>(const json& line) {
    GameState<G> game(PositionOf<G>(line, "start"));
    for (const json& move : line.at("moves")) {
      ASSERT_FALSE(game.position().ComputeOutcome().over()) << "over before " << move;
      game.Play(G::TextToMove(game.position(), move.get<std::string>()));
    }
    const Outcome outcome = game.position().ComputeOutcome();
    const json& reason = line.at("reason");
    EXPECT_EQ(Text(outcome.result), line.at("result").get<std::string>());
    EXPECT_EQ(Text(outcome.reason), reason.is_null() ? "" : reason.get<std::string>());
    EXPECT_EQ(game.position().Fen(), line.at("final_fen").get<std::string>());
  });
  EXPECT_EQ(lines, 80);
}

TEST(Vectors, BadFensAreRefusedAndGoodOnesAccepted) {
  const int lines = ForEachLine("badfen.jsonl", []<class G>(const json& line) {
    const bool good = line.at("why").is_null();
    try {
      PositionOf<G>(line, "fen");
      EXPECT_TRUE(good) << "accepted";
    } catch (const InputError& error) {
      EXPECT_FALSE(good) << error.what();
      EXPECT_NE(std::string(error.what()).find(G::kName), std::string::npos) << error.what();
    }
  });
  EXPECT_EQ(lines, 100);
}

}  // namespace
}  // namespace khanzero
