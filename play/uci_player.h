// SPDX-License-Identifier: GPL-3.0-or-later
//
// A player that is a UCI engine in a process of its own. Whatever the engine does wrong becomes a
// Fault of the game it is asked about; then it is started anew.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "env/error.h"
#include "play/player.h"
#include "play/uci_client.h"

namespace khanzero {

template <Game G>
class UciPlayer : public Player<G> {
 public:
  // Starts the engine. Throws InputError as UciClient does.
  UciPlayer(std::string name, std::string command, const GameSettings& game,
            const PlayerSettings& settings)
      : name_(std::move(name)), command_(std::move(command)), game_(game), settings_(settings) {
    client_ = Start();
  }

  const std::string& name() const override { return name_; }
  const std::string& engine_name() const { return client_->engine_name(); }

  // Throws RuntimeFailure for a fault: callers that can live with one call Choose.
  void ChooseMoves(std::span<const Turn<G>> turns, std::span<Move> moves) override {
    for (size_t i = 0; i < turns.size(); ++i) {
      const Choice choice = ChooseOne(turns[i]);
      if (choice.fault != Fault::kNone) throw RuntimeFailure(name_ + ": " + choice.fault_text);
      moves[i] = choice.move;
    }
  }

  // Throws RuntimeFailure when the engine cannot be started again after a fault.
  void Choose(std::span<const Turn<G>> turns, std::span<Choice> choices) override {
    for (size_t i = 0; i < turns.size(); ++i) choices[i] = ChooseOne(turns[i]);
  }

 private:
  using Read = EngineProcess::Read;

  std::unique_ptr<UciClient> Start() const {
    return std::make_unique<UciClient>(command_, std::string(G::kName),
                                       G::kHasSettings ? game_.kings_landing : 0, settings_.engine,
                                       settings_.stop);
  }
  void Restart() {
    try {
      client_ = Start();
    } catch (const InputError& error) {
      throw RuntimeFailure(std::string("after a fault: ") + error.what());
    }
    game_number_.reset();
  }

  Choice ChooseOne(const Turn<G>& turn) {
    if (!client_) Restart();
    if (game_number_ != turn.game_number) {
      const Read status = client_->NewGame();
      if (status != Read::kLine) return Fail(status, /*timed=*/false);
      game_number_ = turn.game_number;
    }
    UciLimits limits = turn.limits;
    if (!limits.nodes && !limits.movetime_ms && !limits.white_time_ms && !limits.black_time_ms) {
      limits = UntimedLimits(settings_);
    }
    const std::optional<int64_t> time = TimeGiven(limits, turn.game->position().side_to_move());
    const int64_t patience = settings_.engine.answer_timeout_ms;
    const UciClient::Answer answer =
        client_->Go(PositionText(turn), GoCommand(turn, limits),
                    time ? *time + settings_.limits.margin_ms : patience);
    if (answer.status != Read::kLine) return Fail(answer.status, time.has_value());
    Choice choice{.report = answer.report, .elapsed = answer.elapsed};
    if (const std::optional<Move> move = FindMove(turn, answer.move)) {
      choice.move = *move;
    } else {
      choice.fault = Fault::kIllegalMove;
      choice.fault_text =
          answer.move.empty() ? "gave no move" : "played " + Printable(answer.move.substr(0, 40));
    }
    return choice;
  }

  static std::optional<int64_t> TimeGiven(const UciLimits& limits, Color mover) {
    std::optional<int64_t> time =
        mover == Color::kWhite ? limits.white_time_ms : limits.black_time_ms;
    if (limits.movetime_ms)
      time = std::min(*limits.movetime_ms, time.value_or(*limits.movetime_ms));
    return time;
  }

  static std::string PositionText(const Turn<G>& turn) {
    if (turn.start == nullptr) return "position fen " + turn.game->position().Fen();
    std::string text = "position fen " + turn.start->Fen();
    if (!turn.moves.empty()) text += " moves";
    for (const Move& move : turn.moves) text += " " + G::MoveToText(move);
    return text;
  }

  // The legal moves come last: an engine takes every word after searchmoves for a move.
  std::string GoCommand(const Turn<G>& turn, const UciLimits& limits) const {
    std::string text = "go " + GoText(limits);
    if (!client_->lists_moves()) return text;
    text += " searchmoves";
    typename G::Moves legal;
    turn.game->position().LegalMoves(legal);
    for (const Move& move : legal) text += " " + G::MoveToText(move);
    return text;
  }

  static std::optional<Move> FindMove(const Turn<G>& turn, const std::string& text) {
    typename G::Moves legal;
    turn.game->position().LegalMoves(legal);
    for (const Move& move : legal) {
      if (G::MoveToText(move) == text) return move;
    }
    return std::nullopt;
  }

  // The engine is of no more use; the next turn starts it anew.
  Choice Fail(Read status, bool timed) {
    Choice choice;
    switch (status) {
      case Read::kTimeout:
        choice.fault = timed ? Fault::kTime : Fault::kHang;
        choice.fault_text = timed ? "gave no move in its time" : "did not answer";
        break;
      case Read::kGarbage:
        choice.fault = Fault::kGarbage;
        choice.fault_text = "printed garbage";
        break;
      case Read::kStopped:
        choice.fault = Fault::kStopped;
        break;
      case Read::kClosed:
      case Read::kLine:
        choice.fault = Fault::kCrash;
        choice.fault_text = client_->DescribeEnd();
        break;
    }
    client_.reset();
    return choice;
  }

  std::string name_;
  std::string command_;
  GameSettings game_;
  PlayerSettings settings_;
  std::unique_ptr<UciClient> client_;    // null after a fault
  std::optional<uint64_t> game_number_;  // that client_ plays
};

}  // namespace khanzero
