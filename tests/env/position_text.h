// SPDX-License-Identifier: GPL-3.0-or-later
//
// Positions and moves in the words that a rule is written in, so that a test of a rule reads like
// the rule: the squares a piece may go to, the squares a kind may be placed on, how a game stands.
#pragma once

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "env/game.h"

namespace khanzero {

using WordSet = std::set<std::string>;

// "a b c" as a set.
inline WordSet Words(const std::string& text) {
  std::istringstream stream(text);
  WordSet words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

template <class G>
typename G::Position At(std::string_view fen, int kings_landing = 7) {
  return G::Position::FromFen(fen, {.kings_landing = kings_landing});
}

// All legal moves as text, sorted bytewise.
template <class G>
std::vector<std::string> SortedMoves(const typename G::Position& position) {
  typename G::Moves moves;
  position.LegalMoves(moves);
  std::vector<std::string> texts;
  for (const Move& move : moves) texts.push_back(G::MoveToText(move));
  std::sort(texts.begin(), texts.end());
  return texts;
}

template <class G>
bool IsLegal(const typename G::Position& position, std::string_view text) {
  const auto moves = SortedMoves<G>(position);
  return std::find(moves.begin(), moves.end(), text) != moves.end();
}

// Where the piece on `square` may go: targets, with the promotion letter if there is one.
template <class G>
WordSet MovesFrom(const typename G::Position& position, const std::string& square) {
  using Geo = typename G::Position::Geo;
  typename G::Moves moves;
  position.LegalMoves(moves);
  WordSet targets;
  for (const Move& move : moves) {
    if (move.kind == MoveKind::kPlacement || SquareName<Geo>(move.from) != square) continue;
    targets.insert(G::MoveToText(move).substr(square.size()));
  }
  return targets;
}

// Where a piece of this kind (a capital letter) may be placed.
template <class G>
WordSet PlacementsOf(const typename G::Position& position, char kind) {
  WordSet targets;
  for (const std::string& text : SortedMoves<G>(position)) {
    if (text[0] == kind && text[1] == '@') targets.insert(text.substr(2));
  }
  return targets;
}

// "1-0 checkmate", "1/2-1/2 fifty", "*".
template <class Position>
std::string StateOf(const Position& position) {
  const Outcome outcome = position.ComputeOutcome();
  std::string text(Text(outcome.result));
  if (outcome.reason != EndReason::kNone) text += " " + std::string(Text(outcome.reason));
  return text;
}

// The position after some moves, "e2e4 b8c6", with its repetitions counted.
template <class G>
typename G::Position After(const typename G::Position& position, const std::string& moves) {
  GameState<G> game(position);
  std::istringstream stream(moves);
  for (std::string word; stream >> word;) game.Play(G::TextToMove(game.position(), word));
  return game.position();
}

template <class G>
typename G::Position After(std::string_view fen, const std::string& moves) {
  return After<G>(At<G>(fen), moves);
}

}  // namespace khanzero
