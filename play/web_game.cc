// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/web_game.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "env/error.h"
#include "env/games.h"
#include "play/pgn.h"
#include "play/web_search.h"

namespace khanzero {

namespace {

using Json = nlohmann::ordered_json;

template <Game G>
class WebGameOf : public WebGame {
 public:
  using Position = typename G::Position;

  WebGameOf(const std::string& fen, const GameSettings& settings)
      : start_(fen.empty() ? Position::Start(settings) : Position::FromFen(fen, settings)) {
    Note();
  }

  int plies() const override { return static_cast<int>(moves_.size()); }
  bool over() const override { return outcome_.over(); }

  Json State() const override {
    Json moves = Json::array();
    for (const Move& move : moves_) moves.push_back(G::MoveToText(move));
    Json legal = Json::array();
    if (!outcome_.over()) {
      typename G::Moves list;
      state_.position().LegalMoves(list);
      for (const Move& move : list) legal.push_back(G::MoveToText(move));
    }
    Json state = {{"game", G::kName},
                  {"ply", plies()},
                  {"moves", std::move(moves)},
                  {"fens", fens_},
                  {"checks", checks_},
                  {"turn", Name(state_.position().side_to_move())},
                  {"legal", std::move(legal)},
                  {"over", outcome_.over()},
                  {"result", Text(outcome_.result)},
                  {"reason", Text(outcome_.reason)}};
    if (G::kHasSettings) state["kings_landing"] = start_.settings().kings_landing;
    return state;
  }

  void Play(const std::string& move) override {
    if (outcome_.over()) {
      throw InputError("the game is over (" + std::string(Text(outcome_.reason)) +
                       "): no move can be played");
    }
    moves_.push_back(G::TextToMove(state_.position(), move));
    state_.Play(moves_.back());
    Note();
  }

  void CutTo(int plies) override {
    Check(plies >= 0 && plies <= this->plies(), "more moves are kept than there are");
    moves_.resize(static_cast<size_t>(plies));
    fens_.resize(moves_.size() + 1);
    checks_.resize(moves_.size() + 1);
    state_ = StateAfter(plies);
    outcome_ = state_.position().ComputeOutcome();
  }

  WebSearchTask MakeSearch(int ply, const WebSearchLimits& limits) const override {
    const GameState<G> state = StateAfter(ply);
    if (state.position().ComputeOutcome().over()) {
      throw InputError("the game is over there: nothing can be searched");
    }
    return [state, limits](WebBrain& brain, const std::atomic<bool>& stop) {
      if (brain.evaluator == nullptr) return SearchWithoutNetwork<G>(state, limits, stop);
      return WebNetworkSearch<G>(state, limits).Run(brain, stop);
    };
  }

  std::string Pgn(const WebPgnNames& names) const override {
    PgnGame game{.event = "A game in the browser",
                 .date = names.date,
                 .white = names.white,
                 .black = names.black,
                 .variant = std::string(G::kName),
                 .first_mover = start_.side_to_move(),
                 .first_move_number = static_cast<int>(start_.fullmove_number()),
                 .kings_landing = G::kHasSettings ? start_.settings().kings_landing : 0,
                 .outcome = outcome_};
    if (start_ != Position::Start(start_.settings())) game.start_fen = fens_[0];
    for (const Move& move : moves_) game.moves.push_back(G::MoveToText(move));
    return ToPgn(game);
  }

 private:
  GameState<G> StateAfter(int plies) const {
    GameState<G> state(start_);
    for (int i = 0; i < plies; ++i) state.Play(moves_[static_cast<size_t>(i)]);
    return state;
  }

  // Writes down the position that is on the board now.
  void Note() {
    fens_.push_back(state_.position().Fen());
    checks_.push_back(state_.position().InCheck());
    outcome_ = state_.position().ComputeOutcome();
  }

  Position start_;
  GameState<G> state_{start_};
  std::vector<Move> moves_;
  std::vector<std::string> fens_;  // after each number of moves
  std::vector<bool> checks_;       // likewise
  Outcome outcome_;
};

Json WhiteView(const Wdl& wdl_to_move, Color mover) {
  const Wdl wdl = mover == Color::kWhite ? wdl_to_move : wdl_to_move.flipped();
  return {{"white", wdl.win}, {"draw", wdl.draw}, {"black", wdl.loss}};
}

}  // namespace

std::unique_ptr<WebGame> MakeWebGame(const std::string& name, const std::string& fen,
                                     const GameSettings& settings,
                                     const std::vector<std::string>& moves) {
  std::unique_ptr<WebGame> game = WithGame(name, [&]<class G>() -> std::unique_ptr<WebGame> {
    return std::make_unique<WebGameOf<G>>(fen, settings);
  });
  for (size_t i = 0; i < moves.size(); ++i) {
    try {
      game->Play(moves[i]);
    } catch (const InputError& error) {
      throw InputError("ply " + std::to_string(i + 1) + ": " + error.what());
    }
  }
  return game;
}

Json ToJson(const WebAnalysis& analysis) {
  Json lines = Json::array();
  for (const WebLine& line : analysis.lines) {
    Json entry = {{"moves", line.moves},
                  {"wdl", WhiteView(line.wdl, analysis.mover)},
                  {"visits", line.visits}};
    // Moves until the game ends: above 0 when White wins.
    if (line.mate) entry["mate"] = analysis.mover == Color::kWhite ? *line.mate : -*line.mate;
    lines.push_back(std::move(entry));
  }
  return {{"wdl", WhiteView(analysis.wdl, analysis.mover)},
          {"lines", std::move(lines)},
          {"choice", analysis.choice},
          {"simulations", analysis.simulations}};
}

}  // namespace khanzero
