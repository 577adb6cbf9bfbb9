// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/fuzz_bodies.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/games.h"
#include "tests/env/position_text.h"
#include "tests/naive/naive_rules.h"

namespace khanzero {

void DemandThat(bool holds, const std::string& what) {
  if (!holds) throw Disagreement(what);
}

void DemandReadable(const std::string& refusal, const std::string& start) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  DemandThat(std::all_of(refusal.begin(), refusal.end(), printable) && refusal.starts_with(start),
             "the refusal is unclear: " + refusal);
}

namespace {

using naive::NaiveGame;

// Enough to come to every end and to a third repetition; more only takes time.
constexpr int kMostPlies = 48;
// A FEN's counts go up to here, and play can take them beyond.
constexpr uint32_t kLargestCount = 1'000'000'000;

void Demand(bool holds, const std::string& what, const std::string& where) {
  DemandThat(holds, what + ", in: " + where);
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

struct Choice {
  std::string game;
  int kings_landing = 7;
};

Choice ChoiceOf(uint8_t byte) {
  static const Choice kChoices[] = {{"khans", 7}, {"serbest", 7}, {"serbest", 8}};
  if (byte == 'k') return kChoices[0];
  if (byte == '7') return kChoices[1];
  if (byte == '8') return kChoices[2];
  return kChoices[byte % 3];
}

// Calls body.operator()<G>(text, kings_landing) with the text behind the first byte.
template <class Body>
InputWorth WithChosenGame(std::span<const uint8_t> input, Body&& body) {
  if (input.empty()) return InputWorth::kForget;
  const Choice choice = ChoiceOf(input[0]);
  const std::string text(input.begin() + 1, input.end());
  return WithGame(choice.game, [&]<class G>() {
    return body.template operator()<G>(text, choice.kings_landing);
  });
}

// A refusal says what and where.
void DemandReadable(const std::string& refusal, const std::string& start,
                    const std::string& place) {
  DemandReadable(refusal, start);
  Demand(refusal.find(place) != std::string::npos, "the refusal does not say where", refusal);
}

template <class G>
std::optional<typename G::Position> Read(const std::string& fen, int kings_landing) {
  try {
    return At<G>(fen, kings_landing);
  } catch (const InputError& error) {
    DemandReadable(error.what(), "bad " + std::string(G::kName) + " FEN: ", "; the FEN is '");
    return std::nullopt;
  }
}

template <class G>
std::optional<NaiveGame> ReadNaively(const std::string& fen, int kings_landing) {
  try {
    return NaiveGame::FromFen(std::string(G::kName), fen, kings_landing);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

// Everything that both engines say of a position; returns its legal moves, sorted.
template <class G>
std::vector<std::string> DemandSame(const typename G::Position& position, const NaiveGame& naive) {
  const std::string fen = naive.Fen();
  Demand(position.Fen() == fen, "the FENs differ: " + position.Fen(), fen);
  std::vector<std::string> moves = SortedMoves<G>(position);
  const std::vector<std::string> naive_moves = naive.LegalMoves();
  Demand(moves == naive_moves,
         "the legal moves are " + Joined(moves) + "and naively " + Joined(naive_moves), fen);
  Demand(position.CountLegalMoves() == static_cast<int>(moves.size()), "moves are miscounted", fen);
  Demand(position.InCheck() == naive.InCheck(), "check differs", fen);
  const Outcome outcome = position.ComputeOutcome();
  const naive::Ending ending = naive.CurrentEnding();
  const std::string text =
      std::string(Text(outcome.result)) + " " + std::string(Text(outcome.reason));
  Demand(text == ending.result + " " + ending.reason,
         "the outcome is " + text + ", naively " + ending.result + " " + ending.reason, fen);
  Demand(position.repetitions() == naive.Repetitions(), "the repetitions differ", fen);
  Demand(position.key() == position.ComputeKey(), "the key is not the computed one", fen);
  return moves;
}

template <class G>
void DemandFenRoundTrip(const typename G::Position& position) {
  if (std::max(position.halfmove_clock(), position.fullmove_number()) > kLargestCount) return;
  const std::string fen = position.Fen();
  auto again = At<G>(fen, position.settings().kings_landing);
  again.set_repetitions(position.repetitions());
  Demand(again == position, "it reads back as " + again.Fen(), fen);
  Demand(again.EvaluationKey() == position.EvaluationKey(), "its keys differ when read back", fen);
}

// What the network gets: planes within 0..1, an index of its own for each move.
template <class G>
void DemandEncoding(const typename G::Position& position) {
  const std::string fen = position.Fen();
  std::vector<float> planes(static_cast<size_t>(G::kInputPlanes * G::kSquares), -1.0F);
  G::Encode(position, planes);
  Demand(std::all_of(planes.begin(), planes.end(), [](float x) { return x >= 0.0F && x <= 1.0F; }),
         "a plane is out of range", fen);
  typename G::Moves moves;
  position.LegalMoves(moves);
  std::vector<bool> taken(static_cast<size_t>(G::kPolicySize), false);
  for (const Move& move : moves) {
    const uint16_t index = G::PolicyIndex(position, move);
    Demand(index < G::kPolicySize, "a policy index is out of range", fen);
    Demand(!taken[index], G::MoveToText(move) + " shares its policy index", fen);
    taken[index] = true;
    Demand(G::MirroredPolicyIndex(G::MirroredPolicyIndex(index)) == index,
           "the mirror's mirror of a policy index is another", fen);
  }
}

// Every move leaves a position that is right in itself.
template <class G>
void DemandMoves(const typename G::Position& position) {
  typename G::Moves moves;
  position.LegalMoves(moves);
  const Color us = position.side_to_move();
  const auto balance = [us](const auto& p) { return G::Material(p, us) - G::Material(p, ~us); };
  for (int i = 0; i < moves.size(); ++i) {
    auto next = position;
    next.Play(moves[i]);
    const std::string where = position.Fen() + " after " + G::MoveToText(moves[i]);
    Demand(next.key() == next.ComputeKey(), "the key is not the computed one", where);
    Demand(next.WonByGoal() == position.IsGoalMove(moves[i]), "a goal is missed", where);
    Demand(G::Gain(position, moves[i]) == balance(next) - balance(position), "the gain", where);
    // Reading a FEN is slow, so only some are read.
    if (i % (1 + moves.size() / 8) == 0) DemandFenRoundTrip<G>(next);
  }
}

template <class G>
bool Refuses(const typename G::Position& position, const std::string& move) {
  try {
    G::TextToMove(position, move);
    return false;
  } catch (const InputError& error) {
    DemandReadable(error.what(), "move '", "' is ");
    return true;
  }
}

bool RefusesNaively(NaiveGame naive, const std::string& move) {
  try {
    naive.Play(move);
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

// The same game in both engines.
template <class G>
class TwoGames {
 public:
  TwoGames(const typename G::Position& position, const NaiveGame& naive)
      : game_(position), naive_(naive), legal_(DemandSame<G>(position, naive)) {}

  // Plays `text`, or sees to it that both refuse it.
  void Try(const std::string& text) {
    if (std::binary_search(legal_.begin(), legal_.end(), text)) {
      game_.Play(G::TextToMove(game_.position(), text));
      naive_.Play(text);
      legal_ = DemandSame<G>(game_.position(), naive_);
      DemandFenRoundTrip<G>(game_.position());
      return;
    }
    const std::string where = naive_.Fen();
    Demand(Refuses<G>(game_.position(), text), "accepted: " + text, where);
    Demand(RefusesNaively(naive_, text), "accepted naively: " + text, where);
  }

  // Plays the legal move at the byte's share of the list, when there is one.
  void Pick(uint8_t byte) {
    if (!legal_.empty()) Try(std::string(legal_[byte * legal_.size() / 256]));
  }

 private:
  GameState<G> game_;
  NaiveGame naive_;
  std::vector<std::string> legal_;  // of the present position, sorted
};

}  // namespace

InputWorth FuzzFen(std::span<const uint8_t> input) {
  return WithChosenGame(input, []<class G>(const std::string& fen, int kings_landing) {
    const auto position = Read<G>(fen, kings_landing);
    const auto naive = ReadNaively<G>(fen, kings_landing);
    Demand(position.has_value() == naive.has_value(),
           position ? "refused by the naive engine alone" : "accepted by the naive engine alone",
           fen);
    if (!position) return InputWorth::kKeep;
    DemandSame<G>(*position, *naive);
    DemandFenRoundTrip<G>(*position);
    DemandEncoding<G>(*position);
    DemandMoves<G>(*position);
    return InputWorth::kKeep;
  });
}

InputWorth FuzzMoves(std::span<const uint8_t> input) {
  return WithChosenGame(input, []<class G>(const std::string& text, int kings_landing) {
    std::string_view rest = text;
    const auto take_line = [&rest] {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const std::string line(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      return line;
    };
    std::string fen = take_line();
    if (fen.empty()) fen = G::Spec::kStartFen;
    const auto position = Read<G>(fen, kings_landing);
    const auto naive = ReadNaively<G>(fen, kings_landing);
    Demand(position.has_value() == naive.has_value(), "accepted by one engine alone", fen);
    if (!position) return InputWorth::kForget;
    TwoGames<G> games(*position, *naive);
    int tries = 0;
    while (!rest.empty() && tries < kMostPlies) {
      const std::string line = take_line();
      if (!line.starts_with('#')) {
        games.Try(line);
        ++tries;
        continue;
      }
      for (size_t i = 1; i < line.size() && tries < kMostPlies; ++i, ++tries) {
        games.Pick(static_cast<uint8_t>(line[i]));
      }
    }
    return InputWorth::kKeep;
  });
}

}  // namespace khanzero
