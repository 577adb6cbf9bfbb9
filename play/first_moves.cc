// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/first_moves.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "env/games.h"
#include "play/analysis.h"
#include "play/piece_names.h"
#include "play/piece_removal.h"
#include "play/san.h"

namespace khanzero {

namespace {

double ScoreOf(const Wdl& wdl) { return 0.5 + 0.5 * static_cast<double>(wdl.value()); }

// Whether weights are numbers of placements.
enum class Counted { kNo, kYes };

template <Game G>
class FirstMovesStudy {
 public:
  FirstMovesStudy(std::unique_ptr<Evaluator> evaluator, const FirstMovesSettings& settings)
      : settings_(settings), alone_(evaluator->shape()), evaluator_(*evaluator) {
    std::vector<std::unique_ptr<Evaluator>> evaluators;
    evaluators.push_back(std::move(evaluator));
    analyst_.emplace(std::move(evaluators));
  }

  FirstMoves Run(const StudyProgress& progress) {
    FirstMoves result;
    const GameState<G> start(G::Position::Start(settings_.rules));
    const int64_t all = 1 + settings_.replies;
    int64_t done = 0;
    const auto told = [&] { progress("positions searched", ++done, all); };
    std::vector<Move> best;
    result.positions.push_back(Look(start, "", &best));
    result.placements = Placements(start.position());
    told();
    for (const Move& move : best) {
      if (static_cast<int>(result.positions.size()) > settings_.replies) break;
      const std::string after = "1. " + SanText<G>(start.position(), move);
      GameState<G> next = start;
      next.Play(move);
      if (next.position().ComputeOutcome().over()) continue;
      result.positions.push_back(Look(next, after, nullptr));
      told();
    }
    return result;
  }

 private:
  PositionOpinion Look(const GameState<G>& game, const std::string& after,
                       std::vector<Move>* best) {
    const typename G::Position& position = game.position();
    PositionOpinion opinion{.after = after,
                            .fen = position.Fen(),
                            .letters = BoardLetters<G>(position),
                            .side = std::string(Name(position.side_to_move())),
                            .legal_moves = position.CountLegalMoves(),
                            .network_score = AloneScore(position)};
    const Search<G>& search = analyst_->Run(game, {.nodes = settings_.nodes});
    const SearchResult result = search.Result();
    opinion.nodes = static_cast<int64_t>(search.counters().simulations);
    opinion.score = ScoreOf(result.root);
    double visits = 0.0;
    for (const RootMove& move : result.moves) visits += move.visits;
    for (const AnalysisLine& line : BestLines(search, settings_.moves)) {
      MoveOpinion told = Opinion(position, line.move, line.prior);
      told.visits = visits > 0.0 ? line.visits / visits : 0.0;
      told.score = ScoreOf(line.wdl);
      told.line = SanLine<G>(position, line.moves);
      opinion.searched.push_back(std::move(told));
      if (best != nullptr) best->push_back(line.move);
    }
    std::vector<RootMove> moves = result.moves;
    std::stable_sort(moves.begin(), moves.end(),
                     [](const RootMove& a, const RootMove& b) { return a.prior > b.prior; });
    moves.resize(std::min(moves.size(), static_cast<size_t>(settings_.moves)));
    for (const RootMove& move : moves) {
      opinion.policy.push_back(Opinion(position, move.move, move.prior));
      opinion.policy.back().visits = visits > 0.0 ? move.visits / visits : 0.0;
    }
    return opinion;
  }

  static MoveOpinion Opinion(const typename G::Position& position, Move move, double prior) {
    return {.move = G::MoveToText(move),
            .san = SanText<G>(position, move),
            .prior = prior,
            .from = move.from,
            .to = move.to,
            .placement = move.kind == MoveKind::kPlacement};
  }

  // Evaluates one position; the logits of its legal moves are in alone_ afterwards.
  double AloneScore(const typename G::Position& position) {
    typename G::Moves moves;
    position.LegalMoves(moves);
    std::vector<uint16_t> indices;
    for (const Move& move : moves) indices.push_back(G::PolicyIndex(position, move));
    alone_.Clear();
    G::Encode(position, alone_.Add(indices));
    evaluator_.Evaluate(alone_);
    return ScoreOf(alone_.wdl(0));
  }

  // Of the position that was evaluated last by itself or is now.
  std::vector<PlacementMap> Placements(const typename G::Position& position) {
    if constexpr (!G::Spec::kHasHands) {
      return {};
    } else {
      AloneScore(position);
      typename G::Moves moves;
      position.LegalMoves(moves);
      const std::span<const float> logits = std::as_const(alone_).logits(0);
      const float largest = *std::max_element(logits.begin(), logits.end());
      std::vector<std::vector<double>> weights(G::Spec::kPieces.size(),
                                               std::vector<double>(G::kSquares));
      for (int m = 0; m < moves.size(); ++m) {
        if (moves[m].kind != MoveKind::kPlacement) continue;
        weights[moves[m].piece][moves[m].to] +=
            std::exp(static_cast<double>(logits[static_cast<size_t>(m)] - largest));
      }
      return PlacementMaps(weights, Counted::kNo);
    }
  }

 public:
  // Weights by piece and square, as shares.
  static std::vector<PlacementMap> PlacementMaps(const std::vector<std::vector<double>>& weights,
                                                 Counted counted) {
    double all = 0.0;
    std::vector<double> sums;
    for (const std::vector<double>& of_piece : weights) {
      sums.push_back(0.0);
      for (const double weight : of_piece) sums.back() += weight;
      all += sums.back();
    }
    std::vector<PlacementMap> maps;
    for (size_t t = 0; t < weights.size(); ++t) {
      if (sums[t] <= 0.0) continue;
      PlacementMap map{.piece = PieceName<G>(static_cast<PieceType>(t)), .share = sums[t] / all};
      if (counted == Counted::kYes) map.count = std::llround(sums[t]);
      for (const double weight : weights[t]) map.squares.push_back(weight / sums[t]);
      maps.push_back(std::move(map));
    }
    return maps;
  }

 private:
  const FirstMovesSettings& settings_;
  EvaluationBatch alone_;
  Evaluator& evaluator_;  // the analyst's
  std::optional<Analyst<G>> analyst_;
};

template <Game G>
PlacedPieces Count(const std::vector<StudyGame>& games) {
  using Geo = typename G::Position::Geo;
  PlacedPieces placed;
  if constexpr (G::Spec::kHasHands) {
    std::array<std::vector<std::vector<double>>, 2> weights;
    weights.fill(std::vector<std::vector<double>>(G::Spec::kPieces.size(),
                                                  std::vector<double>(G::kSquares)));
    for (const StudyGame& game : games) {
      if (!game.start_fen.empty()) continue;  // it did not begin on an empty board
      ++placed.games;
      std::array<std::array<bool, G::Spec::kPieces.size()>, 2> seen{};
      for (size_t ply = 0; ply < game.moves.size(); ++ply) {
        const Move& move = game.moves[ply];
        if (move.kind != MoveKind::kPlacement) continue;
        const size_t side = ply % 2;
        // Random moves count as placed, but tell nothing.
        const bool first = !std::exchange(seen[side][move.piece], true);
        if (!first || static_cast<int>(ply) < game.opening_plies) continue;
        const Color color = side == 0 ? Color::kWhite : Color::kBlack;
        weights[side][move.piece][Geo::Relative(color, move.to)] += 1.0;
      }
    }
    placed.white = FirstMovesStudy<G>::PlacementMaps(weights[0], Counted::kYes);
    placed.black = FirstMovesStudy<G>::PlacementMaps(weights[1], Counted::kYes);
  }
  return placed;
}

}  // namespace

FirstMoves StudyFirstMoves(const std::string& game, std::unique_ptr<Evaluator> evaluator,
                           const FirstMovesSettings& settings, const StudyProgress& progress) {
  return WithGame(game, [&]<class G>() {
    return FirstMovesStudy<G>(std::move(evaluator), settings).Run(progress);
  });
}

PlacedPieces CountPlacements(const std::string& game, const std::vector<StudyGame>& games) {
  return WithGame(game, [&]<class G>() { return Count<G>(games); });
}

}  // namespace khanzero
