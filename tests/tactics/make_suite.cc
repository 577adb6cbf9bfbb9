// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes the tactical suite of a game: positions with a forced win in exactly 1, 3 and 5 plies,
// found by exhaustive search among positions of random games, of games between greedy players, and
// scattered ones.
//
//   make_tactics GAME COUNT SEED > FILE
//
// No source, no side and no way to win (king to its last rank, a placement, a move on the board)
// gets more than its share of a number of plies, and a game gives at most one position of each.
#include <array>
#include <iostream>
#include <optional>
#include <unordered_set>

#include "env/games.h"
#include "tests/env/random_positions.h"
#include "tests/tactics/exhaustive.h"
#include "tests/tactics/suite.h"

namespace khanzero {
namespace {

enum class Source { kRandomGame, kGreedyGame, kScattered };
constexpr size_t kSources = 3;

// How a win ends: by what its last move is.
enum class Ending { kKingHome, kPlacement, kBoardMove };
constexpr size_t kEndings = 3;

constexpr uint64_t kMostNodes = 4'000'000;
constexpr int kMostGamePlies = 160;
// More moves than these are too slow to search five plies deep for every quiet move.
constexpr int kMostMovesForQuietWins = 24;

template <Game G>
class SuiteMaker {
 public:
  using Position = typename G::Position;
  using Moves = typename G::Moves;

  SuiteMaker(int count, uint64_t seed) : random_(seed) {
    // Five parts of wins in one ply, five in three, three in five; half of each for each side.
    wanted_ = {(count * 5 + 25) / 26, (count * 5 + 25) / 26, (count * 3 + 25) / 26};
  }

  void Run() {
    for (int round = 0; !complete(); ++round) {
      const GameSettings settings = SettingsOfGame(round);
      std::vector<Position> positions;
      RandomGame<G>(random_, settings, kMostGamePlies,
                    [&](const GameState<G>& game) { positions.push_back(game.position()); });
      ConsiderGame(positions, Source::kRandomGame);
      ConsiderGame(GreedyGame(settings), Source::kGreedyGame);
      for (int i = 0; i < 30; ++i) {
        if (const auto position = ScatteredPosition(settings)) {
          Consider(*position, Source::kScattered);
        }
        found_in_game_ = {};
      }
      if (round % 200 == 199) Report(round + 1);
    }
    Report(-1);
  }

  const std::vector<Tactic>& tactics() const { return tactics_; }

 private:
  struct Cell {
    int total = 0;
    std::array<int, kSources> by_source{};
    std::array<int, kEndings> by_ending{};
  };

  bool complete() const {
    for (size_t i = 0; i < 3; ++i) {
      for (const Cell& cell : cells_[i]) {
        if (cell.total < wanted_[i]) return false;
      }
    }
    return true;
  }
  bool wants(size_t kind, Color side) const {
    return cells_[kind][static_cast<size_t>(Index(side))].total < wanted_[kind];
  }

  void Report(int rounds) const {
    std::cerr << "rounds " << rounds << ":";
    for (const auto& sides : cells_) {
      for (const Cell& cell : sides) {
        std::cerr << "  " << cell.total << " (";
        for (const int n : cell.by_source) std::cerr << n << " ";
        std::cerr << "|";
        for (const int n : cell.by_ending) std::cerr << " " << n;
        std::cerr << ")";
      }
    }
    std::cerr << "\n";
  }

  std::optional<Position> ScatteredPosition(const GameSettings& settings) {
    try {
      return Position::FromFen(Scattered<G>(random_).Fen(), settings);
    } catch (const InputError&) {
      return std::nullopt;  // it breaks a rule of FEN
    }
  }

  // A game of two players that take what they can, and now and then move at random.
  std::vector<Position> GreedyGame(const GameSettings& settings) {
    std::vector<Position> positions;
    GameState<G> game(Position::Start(settings));
    std::vector<Move> played;
    Moves moves;
    for (int ply = 0; ply < kMostGamePlies; ++ply) {
      const Position& position = game.position();
      positions.push_back(position);
      position.LegalMoves(moves);
      if (position.OutcomeGiven(!moves.empty()).over()) break;
      Move chosen = RandomMove<G>(moves, played, random_);
      if (random_.Below(4) > 0) {
        int best = G::Gain(position, chosen);
        for (const Move& move : moves) {
          const int gain = position.IsGoalMove(move) ? 1 << 20 : G::Gain(position, move);
          if (gain > best) {
            best = gain;
            chosen = move;
          }
        }
      }
      played.push_back(chosen);
      game.Play(chosen);
    }
    return positions;
  }

  // From a random place of the game on, so that its end is not all that it gives.
  void ConsiderGame(const std::vector<Position>& positions, Source source) {
    found_in_game_ = {};
    const size_t start = random_.Below(positions.size());
    for (size_t i = 0; i < positions.size(); ++i) {
      Consider(positions[(start + i) % positions.size()], source);
    }
  }

  void Consider(const Position& position, Source source) {
    const Color us = position.side_to_move();
    if (position.ComputeOutcome().over()) return;
    const int plies = QuickPlies(position);
    if (plies == 0) return;
    const auto kind = static_cast<size_t>(plies / 2);
    if (found_in_game_[kind] || !wants(kind, us)) return;
    const ForcedWin win = search_.ShortestWin(position, plies);
    if (search_.gave_up() || win.plies != plies) return;
    const Ending ending = EndingOf(position, win);
    if (search_.gave_up()) return;
    Cell& cell = cells_[kind][static_cast<size_t>(Index(us))];
    int& of_source = cell.by_source[static_cast<size_t>(source)];
    int& of_ending = cell.by_ending[static_cast<size_t>(ending)];
    const int wanted = wanted_[kind];
    if (of_source * 100 >= wanted * 60) return;
    if (of_ending * 100 >= wanted * MostPercent(ending, plies)) return;
    if (!seen_.insert(KeyOf(position)).second) return;
    ++cell.total;
    ++of_source;
    ++of_ending;
    found_in_game_[kind] = true;
    Tactic tactic{.fen = position.Fen(), .plies = plies, .settings = position.settings()};
    for (const Move& move : win.moves) tactic.moves.push_back(G::MoveToText(move));
    tactics_.push_back(tactic);
  }

  // The plies of a forced win that is wanted, found with as little work as that takes; 0 when there
  // seems to be none. It may be too many, never too few.
  int QuickPlies(const Position& position) {
    const Color us = position.side_to_move();
    const ForcedWin at_once = search_.ShortestWin(position, 1);
    if (at_once.plies > 0) return 1;
    if (wants(1, us)) {
      const ForcedWin win = search_.ShortestWin(position, 3);
      if (search_.gave_up()) return 0;
      if (win.plies > 0) return 3;
    }
    if (!wants(2, us)) return 0;
    if (search_.HasForcingWin(position, 5)) return 5;
    if (position.CountLegalMoves() > kMostMovesForQuietWins) return 0;
    return search_.ShortestWin(position, 5).plies > 0 ? 5 : 0;
  }

  // Placements end few forced wins, so that where there are any the rest leaves them room.
  static int MostPercent(Ending ending, int plies) {
    if (ending == Ending::kKingHome) return 48;
    if (ending == Ending::kPlacement || !G::Spec::kHasHands) return 60;
    return plies == 1 ? 32 : plies == 3 ? 42 : 60;
  }

  // Follows the first winning move and the longest defence to the end.
  Ending EndingOf(Position position, ForcedWin win) {
    for (int plies = win.plies; plies > 1; plies -= 2) {
      position.Play(win.moves.front());
      Moves replies;
      position.LegalMoves(replies);
      for (const Move& reply : replies) {
        Position next = position;
        next.Play(reply);
        win = search_.ShortestWin(next, plies - 2);
        if (win.plies != plies - 2) continue;
        position = next;
        break;
      }
      if (win.plies != plies - 2) return Ending::kBoardMove;
    }
    if (position.IsGoalMove(win.moves.front())) return Ending::kKingHome;
    const bool placed = win.moves.front().kind == MoveKind::kPlacement;
    return placed ? Ending::kPlacement : Ending::kBoardMove;
  }

  // Equal for a position and its mirror image, whatever the counts say.
  static std::string KeyOf(const Position& position) {
    FenBoard board = FenBoard::Of(position);
    board.halfmove_count = 0;
    board.fullmove_number = 1;
    return std::min(board.Fen(), board.Mirrored().Fen());
  }

  Random random_;
  ExhaustiveSearch<G> search_{kMostNodes};
  std::array<int, 3> wanted_{};  // for each side
  std::array<std::array<Cell, 2>, 3> cells_{};
  std::array<bool, 3> found_in_game_{};
  std::unordered_set<std::string> seen_;
  std::vector<Tactic> tactics_;
};

template <Game G>
int Make(int count, uint64_t seed) {
  SuiteMaker<G> maker(count, seed);
  maker.Run();
  std::cout << "# Forced wins for the side to move: FEN;plies;winning first moves"
            << (G::kHasSettings ? ";King's Landing" : "") << "\n# make_tactics " << G::kName << " "
            << count << " " << seed << "\n";
  for (const int plies : {1, 3, 5}) {
    for (const Tactic& tactic : maker.tactics()) {
      if (tactic.plies == plies) std::cout << TacticText<G>(tactic) << "\n";
    }
  }
  return 0;
}

}  // namespace
}  // namespace khanzero

int main(int argc, char** argv) {
  using namespace khanzero;
  try {
    if (argc != 4) throw InputError("usage: make_tactics GAME COUNT SEED > FILE");
    const std::string game = argv[1];
    const int count = std::stoi(argv[2]);
    const uint64_t seed = std::stoull(argv[3]);
    if (game == Khans::kName) return Make<Khans>(count, seed);
    if (game == Serbest::kName) return Make<Serbest>(count, seed);
    throw InputError("no positions of " + game + " can be scattered");
  } catch (const std::exception& error) {
    std::cerr << "make_tactics: " << error.what() << "\n";
    return 2;
  }
}
