// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/uci_game.h"

#include <algorithm>
#include <cmath>

#include "env/games.h"
#include "play/uci_search.h"

namespace khanzero {

namespace {

// Rows of the placement of a FEN, the last rank first, with a dot for each empty square.
std::string BoardText(const std::string& fen, int ranks) {
  std::string text;
  int rank = ranks;
  const auto begin_rank = [&] {
    const std::string number = std::to_string(rank);
    text += std::string(2 - std::min<size_t>(2, number.size()), ' ') + number + " ";
  };
  begin_rank();
  int empty = 0;
  const auto flush = [&] {
    for (; empty > 0; --empty) text += " .";
  };
  for (const char c : fen.substr(0, fen.find_first_of("[ "))) {
    if (c >= '0' && c <= '9') {
      empty = 10 * empty + (c - '0');
      continue;
    }
    flush();
    if (c == '/') {
      text += '\n';
      --rank;
      begin_rank();
    } else {
      text += {' ', c};
    }
  }
  flush();
  return text + '\n';
}

template <Game G>
class UciGameOf : public UciGame {
 public:
  GameInfo info() const override { return InfoOf<G>(); }

  std::string VariantLine() const override {
    const int pocket = G::Spec::kHasHands ? 16 : 0;
    return "variant " + std::string(G::kName) + " files " + std::to_string(G::kFiles) + " ranks " +
           std::to_string(G::kRanks) + " pocket " + std::to_string(pocket) +
           " template fairy startpos " + G::Position::Start().Fen();
  }

  void SetPosition(const std::string& fen, const std::vector<std::string>& moves,
                   const GameSettings& settings) override {
    PlayedGame<G> game(fen.empty() ? G::Position::Start(settings)
                                   : G::Position::FromFen(fen, settings));
    for (const std::string& move : moves) game.Play(G::TextToMove(game.position(), move));
    game_ = std::move(game);
  }

  std::string Board() const override {
    const typename G::Position& position = game_.position();
    const std::string fen = position.Fen();
    std::string text = BoardText(fen, G::kRanks) + "   ";
    for (int file = 0; file < G::kFiles; ++file) text += {' ', static_cast<char>('a' + file)};
    const Outcome outcome = position.ComputeOutcome();
    return text + "\n\nFen: " + fen +
           "\nSide to move: " + std::string(Name(position.side_to_move())) +
           (position.InCheck() ? ", in check" : "") +
           "\nLegal moves: " + std::to_string(position.CountLegalMoves()) +
           "\nResult: " + std::string(Text(outcome.result)) +
           (outcome.over() ? " (" + std::string(Text(outcome.reason)) + ")" : "");
  }

  bool has_legal_move() const override { return game_.position().CountLegalMoves() > 0; }

  std::function<void()> MakeSearch(const UciLimits& limits, const UciOptions& options,
                                   uint64_t seed, std::vector<Evaluator*> evaluators,
                                   UciOutput& out, SearchControl& control) override {
    const typename UciSearch<G>::Task task = {
        .game = game_, .limits = limits, .options = options, .seed = seed};
    return [search = std::make_shared<UciSearch<G>>(task, memory_, out, control),
            evaluators = std::move(evaluators)] { search->Run(evaluators); };
  }

  void Forget() override { memory_.Forget(); }

  std::function<void()> MakePerft(int depth, UciOutput& out,
                                  SearchControl& control) const override {
    return [position = game_.position(), depth, &out, &control] {
      typename G::Moves moves;
      position.LegalMoves(moves);
      uint64_t sum = 0;
      for (const Move& move : moves) {
        typename G::Position next = position;
        next.Play(move);
        const uint64_t count = Count(next, depth - 1, control);
        if (control.stopped()) return;
        sum += count;
        out.Line(G::MoveToText(move) + ": " + std::to_string(count));
      }
      out.Line("\nNodes searched: " + std::to_string(sum));
    };
  }

 private:
  // Perft that ends when it is stopped.
  static uint64_t Count(const typename G::Position& position, int depth,
                        const SearchControl& control) {
    if (depth <= 0) return 1;
    if (depth == 1) return static_cast<uint64_t>(position.CountLegalMoves());
    if (control.stopped()) return 0;
    typename G::Moves moves;
    position.LegalMoves(moves);
    uint64_t sum = 0;
    for (const Move& move : moves) {
      typename G::Position next = position;
      next.Play(move);
      sum += Count(next, depth - 1, control);
    }
    return sum;
  }

  PlayedGame<G> game_{G::Position::Start()};
  UciMemory<G> memory_;
};

}  // namespace

std::unique_ptr<UciGame> MakeUciGame(const std::string& name) {
  return WithGame(
      name, []<class G>() -> std::unique_ptr<UciGame> { return std::make_unique<UciGameOf<G>>(); });
}

std::optional<int64_t> ThinkTimeMs(const UciLimits& limits, int64_t overhead_ms, Color mover) {
  if (limits.movetime_ms) return std::max<int64_t>(1, *limits.movetime_ms - overhead_ms);
  const bool white = mover == Color::kWhite;
  const std::optional<int64_t>& clock = white ? limits.white_time_ms : limits.black_time_ms;
  if (!clock) return std::nullopt;
  constexpr int64_t kExpectedMoves = 30;
  const int64_t moves = limits.moves_to_go > 0
                            ? std::min<int64_t>(limits.moves_to_go, kExpectedMoves)
                            : kExpectedMoves;
  const int64_t increment = white ? limits.white_increment_ms : limits.black_increment_ms;
  const int64_t share = *clock / moves + increment * 3 / 4;
  // Never so much that the flag could fall.
  return std::max<int64_t>(1, std::min(share, *clock * 4 / 5) - overhead_ms);
}

int CentipawnsFromValue(double value) {
  constexpr double kMost = 1.0 - 1e-9;
  const double score = 0.5 * (1.0 + std::clamp(value, -kMost, kMost));
  return static_cast<int>(std::lround(200.0 * std::log10(score / (1.0 - score))));
}

}  // namespace khanzero
