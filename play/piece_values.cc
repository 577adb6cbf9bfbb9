// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/piece_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "env/error.h"
#include "env/games.h"
#include "env/random.h"
#include "play/piece_names.h"
#include "play/piece_removal.h"

namespace khanzero {

namespace {

// A network is never surer than this where its score becomes a logit.
constexpr double kSurest = 0.005;

double Logit(double score) {
  const double p = std::clamp(score, kSurest, 1.0 - kSurest);
  return std::log(p / (1.0 - p));
}

// Kinds of pieces: type, side, on the board or in the hand.
template <Game G>
struct Kinds {
  static constexpr size_t kTypes = G::Spec::kPieces.size();
  static constexpr size_t kCount = 4 * kTypes;

  static size_t Of(const PieceToRemove& piece) {
    const size_t side = piece.side == Color::kWhite ? 0 : 1;
    const size_t place = piece.square == kNoSquare ? 1 : 0;
    return (2 * place + side) * kTypes + piece.type;
  }
  static PieceType TypeOf(size_t kind) { return static_cast<PieceType>(kind % kTypes); }
  static Color SideOf(size_t kind) {
    return kind / kTypes % 2 == 0 ? Color::kWhite : Color::kBlack;
  }
  static bool InHand(size_t kind) { return kind / kTypes >= 2; }
};

// One piece of each kind that is there.
template <Game G>
std::vector<PieceToRemove> PiecesOf(const typename G::Position& position, Random& random) {
  std::vector<PieceToRemove> pieces;
  for (size_t t = 0; t < G::Spec::kPieces.size(); ++t) {
    const auto type = static_cast<PieceType>(t);
    for (const Color side : {Color::kWhite, Color::kBlack}) {
      auto squares = position.pieces(side, static_cast<int>(t));
      const int count = PopCount(squares);
      if (count > 0) {
        for (uint64_t skip = random.Below(static_cast<uint64_t>(count)); skip > 0; --skip) {
          PopLowest(squares);
        }
        pieces.push_back({side, type, PopLowest(squares)});
      }
      if (position.in_hand(side, static_cast<int>(t)) > 0) pieces.push_back({side, type});
    }
  }
  return pieces;
}

// `count` of the plies from `first` to below `end`, rising; all where there are no more.
std::vector<int> ChoosePlies(int first, int end, int count, Random& random) {
  std::vector<int> plies;
  for (int ply = first; ply < end; ++ply) {
    // Selection sampling (Knuth, TAOCP 2, 3.4.2 S).
    const auto left = static_cast<uint64_t>(end - ply);
    const auto wanted = static_cast<uint64_t>(count) - plies.size();
    if (random.Below(left) < wanted) plies.push_back(ply);
  }
  return plies;
}

// The positions of one game and what is compared with them.
template <Game G>
class GameComparison {
 public:
  explicit GameComparison(Evaluator& evaluator)
      : evaluator_(evaluator), batch_(evaluator.shape()) {}

  // Fills `sums` by kind; returns how many positions counted.
  int Compare(const StudyGame& game, const PieceValueSettings& settings, Random random,
              std::vector<GameSums>& sums) {
    batch_.Clear();
    comparisons_.clear();
    Collect(game, settings, random);
    if (batch_.size() == 0) return 0;
    evaluator_.Evaluate(batch_);
    int counted = 0;
    for (const Comparison& c : comparisons_) {
      const double white = WhiteScore(c.whole);
      if (white < settings.least_score || white > 1.0 - settings.least_score) continue;
      ++counted;
      for (const auto& [piece, without] : c.less) {
        const double sign = piece.side == Color::kWhite ? 1.0 : -1.0;
        const double white_without = WhiteScore(without);
        GameSums& sum = sums[Kinds<G>::Of(piece)];
        ++sum.count;
        sum.first += sign * (white - white_without);
        sum.second += sign * (Logit(white) - Logit(white_without));
      }
    }
    return counted;
  }

 private:
  struct Comparison {
    int whole = 0;  // places in the batch
    std::vector<std::pair<PieceToRemove, int>> less{};
  };

  void Collect(const StudyGame& game, const PieceValueSettings& settings, Random& random) {
    const auto start = game.start_fen.empty() ? G::Position::Start(game.settings)
                                              : G::Position::FromFen(game.start_fen, game.settings);
    const std::vector<int> plies =
        ChoosePlies(std::min(game.opening_plies, static_cast<int>(game.moves.size())),
                    static_cast<int>(game.moves.size()), settings.positions_per_game, random);
    GameState<G> state(start);
    size_t next = 0;
    for (int ply = 0; next < plies.size(); ++ply) {
      if (ply == plies[next]) {
        AddComparison(state.position(), random);
        ++next;
      }
      state.Play(game.moves[static_cast<size_t>(ply)]);
    }
  }

  void AddComparison(const typename G::Position& position, Random& random) {
    if (position.InCheck()) return;
    Comparison comparison;
    std::vector<std::pair<PieceToRemove, typename G::Position>> less;
    for (const PieceToRemove& piece : PiecesOf<G>(position, random)) {
      if (const auto without = Without<G>(position, piece)) less.emplace_back(piece, *without);
    }
    if (less.empty()) return;
    comparison.whole = Add(position);
    for (const auto& [piece, without] : less) comparison.less.emplace_back(piece, Add(without));
    comparisons_.push_back(std::move(comparison));
  }

  int Add(const typename G::Position& position) {
    typename G::Moves moves;
    position.LegalMoves(moves);
    const std::vector<uint16_t> indices = {G::PolicyIndex(position, moves[0])};
    G::Encode(position, batch_.Add(indices));
    white_to_move_.resize(static_cast<size_t>(batch_.size()));
    white_to_move_.back() = position.side_to_move() == Color::kWhite;
    return batch_.size() - 1;
  }

  double WhiteScore(int place) const {
    const Wdl& wdl = batch_.wdl(place);
    const double score = 0.5 + 0.5 * static_cast<double>(wdl.value());
    return white_to_move_[static_cast<size_t>(place)] ? score : 1.0 - score;
  }

  Evaluator& evaluator_;
  EvaluationBatch batch_;
  std::vector<bool> white_to_move_;  // by place in the batch
  std::vector<Comparison> comparisons_;
};

// The kinds on the board whose piece is the pawn; in a game without one the cheapest kind.
template <Game G>
std::vector<size_t> UnitKinds(const std::vector<std::vector<GameSums>>& sums) {
  using K = Kinds<G>;
  const auto on_board_of = [](PieceType type) {
    return std::vector<size_t>{K::Of({Color::kWhite, type, 0}), K::Of({Color::kBlack, type, 0})};
  };
  std::optional<std::pair<double, PieceType>> least;
  for (size_t t = 0; t < K::kTypes; ++t) {
    const auto type = static_cast<PieceType>(t);
    if (G::Spec::kPieces[t].letter == 'p') return on_board_of(type);
    const GroupedEstimates of_type = EstimateByGames(sums, on_board_of(type), 0, 0);
    if (of_type.unit.value > 0.0 && (!least || of_type.unit.value < least->first)) {
      least = {of_type.unit.value, type};
    }
  }
  return least ? on_board_of(least->second) : std::vector<size_t>{};
}

template <Game G>
PieceValues Measure(Evaluator& evaluator, const std::vector<StudyGame>& games,
                    const PieceValueSettings& settings, const StudyProgress& progress) {
  using K = Kinds<G>;
  PieceValues result;
  std::vector<std::vector<GameSums>> sums;
  GameComparison<G> comparison(evaluator);
  for (size_t g = 0; g < games.size(); ++g) {
    std::vector<GameSums> of_game(K::kCount);
    const int counted =
        comparison.Compare(games[g], settings, Random::Stream(settings.seed, g), of_game);
    result.positions += counted;
    if (counted > 0) sums.push_back(std::move(of_game));
    progress("games compared", static_cast<int64_t>(g + 1), static_cast<int64_t>(games.size()));
  }
  result.games = static_cast<int64_t>(sums.size());
  if (sums.empty()) return result;
  const std::vector<size_t> unit = UnitKinds<G>(sums);
  const GroupedEstimates estimates = EstimateByGames(sums, unit, settings.resamples, settings.seed);
  if (estimates.has_unit) result.unit = PieceName<G>(K::TypeOf(unit[0]));
  for (size_t k = 0; k < K::kCount; ++k) {
    const KindEstimate& kind = estimates.kinds[k];
    if (kind.observations == 0) continue;
    result.values.push_back({.piece = PieceName<G>(K::TypeOf(k)),
                             .letter = G::Spec::kPieces[K::TypeOf(k)].LetterFor(K::SideOf(k)),
                             .side = K::SideOf(k),
                             .in_hand = K::InHand(k),
                             .observations = kind.observations,
                             .games = kind.games,
                             .score = kind.first,
                             .logit = kind.second,
                             .units = kind.ratio});
  }
  std::stable_sort(result.values.begin(), result.values.end(),
                   [](const PieceValue& a, const PieceValue& b) {
                     if (a.side != b.side) return a.side == Color::kWhite;
                     return a.logit.value > b.logit.value;
                   });
  return result;
}

}  // namespace

PieceValues MeasurePieceValues(const std::string& game, Evaluator& evaluator,
                               const std::vector<StudyGame>& games,
                               const PieceValueSettings& settings, const StudyProgress& progress) {
  return WithGame(game,
                  [&]<class G>() { return Measure<G>(evaluator, games, settings, progress); });
}

}  // namespace khanzero
