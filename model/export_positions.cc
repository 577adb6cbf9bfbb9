// SPDX-License-Identifier: GPL-3.0-or-later
//
// The positions that exports are compared on.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "env/error.h"
#include "env/games.h"
#include "env/history.h"
#include "env/random.h"
#include "model/export_check.h"

namespace khanzero {
namespace {

struct SpecialPosition {
  std::string_view game;
  std::string_view fen;
  int kings_landing = 7;
};

// What random games seldom or never come to.
constexpr std::array kSpecialPositions = {
    // Promotions: straight, by capture to both sides, of each army; castling both ways; checks.
    SpecialPosition{"khans", "r3r2k/1P1P1P2/8/8/8/8/8/4K3 w - - 0 40"},
    SpecialPosition{"khans", "4k3/8/8/8/8/2s1s3/4s3/K7 b - - 3 60"},
    SpecialPosition{"khans", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 30"},
    SpecialPosition{"khans", "4k3/8/8/8/8/8/8/R3K2R w Q - 12 30"},
    SpecialPosition{"khans", "7k/8/8/8/3h4/8/4K3/8 w - - 0 50"},
    // The king can step onto its last rank; the counter is near its end.
    SpecialPosition{"khans", "8/4K3/8/8/8/8/7k/8 w - - 20 70"},
    SpecialPosition{"khans", "8/6k1/8/8/8/8/4K3/7R w - - 99 120"},
    SpecialPosition{"khans", "7k/8/8/3l4/8/8/4K3/8 b - - 98 110"},
    // Full hands, one empty hand, no hands, the king in hand alone, King's Landing 8.
    SpecialPosition{"serbest",
                    "10/10/10/10/10/10/10/10/10/10[KQRRBBNNPPPPPPSSkqrrbbnnppppppss] w - - 0 1", 8},
    SpecialPosition{"serbest", "10/4k5/10/10/10/10/10/10/4K5/10[QRRBBNNPPPPPPSS] b - - 0 9"},
    SpecialPosition{"serbest", "10/10/4k5/10/10/10/10/4K5/3R6/10[] w - - 40 80"},
    SpecialPosition{"serbest", "10/10/4q5/10/10/10/10/10/3R6/10[Kk] w - - 4 30"},
    // The king is about to become Khan, checks that must be answered, counters near their end.
    SpecialPosition{"serbest", "10/5K4/10/10/10/10/10/10/5k4/10[] w - - 10 90"},
    SpecialPosition{"serbest", "10/10/4k5/10/10/10/4q5/10/4K5/10[RP] w - - 0 60"},
    SpecialPosition{"serbest", "10/10/4k5/10/10/10/10/10/4K5/9R[] w - - 99 140", 8},
    SpecialPosition{"serbest", "10/10/4k5/10/10/10/10/10/4K5/9r[] b - - 98 140"}};

template <Game G>
class PositionCollector {
 public:
  explicit PositionCollector(ExportPositions& positions) : positions_(positions) {}

  void Add(const typename G::Position& position) {
    constexpr size_t kSize = size_t{G::kInputPlanes} * G::kSquares;
    positions_.planes.resize(positions_.planes.size() + kSize);
    G::Encode(position, std::span(positions_.planes).last(kSize));
    typename G::Moves moves;
    position.LegalMoves(moves);
    std::vector<uint16_t> legal;
    for (const Move& move : moves) legal.push_back(G::PolicyIndex(position, move));
    positions_.legal.push_back(std::move(legal));
  }

 private:
  ExportPositions& positions_;
};

// Any legal move, but often back where the piece that moved last came from, so that positions
// repeat.
template <Game G>
Move RandomMove(const typename G::Moves& moves, const std::vector<Move>& played, Random& random) {
  if (played.size() >= 2 && random.Below(3) == 0) {
    const Move& last = played[played.size() - 2];
    for (const Move& move : moves) {
      if (move.from == last.to && move.to == last.from && move.kind == MoveKind::kNormal) {
        return move;
      }
    }
  }
  return moves[static_cast<int>(random.Below(static_cast<uint64_t>(moves.size())))];
}

// The positions of one random game.
template <Game G>
void AddRandomGame(Random& random, PositionCollector<G>& collector, int most) {
  constexpr int kMostPlies = 60;
  GameState<G> state(G::Position::Start({.kings_landing = 7 + static_cast<int>(random.Below(2))}));
  typename G::Moves moves;
  std::vector<Move> played;
  for (int ply = 0; ply < std::min(most, kMostPlies); ++ply) {
    collector.Add(state.position());
    state.position().LegalMoves(moves);
    if (state.position().OutcomeGiven(!moves.empty()).over()) return;
    played.push_back(RandomMove<G>(moves, played, random));
    state.Play(played.back());
  }
}

}  // namespace

ExportPositions PositionsOf(const GameInfo& game, int count) {
  CheckSameGame(game, InfoOfGame(game.name), "the model");
  ExportPositions positions;
  WithGame(game.name, [&]<class G>() {
    PositionCollector<G> collector(positions);
    for (const SpecialPosition& special : kSpecialPositions) {
      if (special.game != game.name || positions.count() == count) continue;
      collector.Add(G::Position::FromFen(special.fen, {.kings_landing = special.kings_landing}));
    }
    Random random(1);
    while (positions.count() < count) {
      AddRandomGame<G>(random, collector, count - positions.count());
    }
  });
  return positions;
}

}  // namespace khanzero
