// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/terminal_play.h"

#include <cstdio>
#include <istream>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include "env/error.h"
#include "env/games.h"
#include "model/inference.h"
#include "play/analysis.h"
#include "play/make_player.h"
#include "play/outcome_text.h"
#include "play/san.h"
#include "play/self_calibration.h"
#include "play/terminal_board.h"
#include "play/typed_move.h"

namespace khanzero {

namespace {

constexpr const char* kHelp =
    "  e2e4, e7e8q, N@e4  your move: from and to, a promotion, or a placement from the hand\n"
    "  Nf3, exd5, O-O     the same in algebraic notation\n"
    "  moves [TEXT]       legal moves: all, or those with TEXT in them (a square, or N@)\n"
    "  hint               what the opponent would play for you\n"
    "  eval               chances of both sides and the best lines\n"
    "  undo               take your last move back\n"
    "  resign             give the game up\n"
    "  fen                the position as FEN\n"
    "  flip               turn the board\n"
    "  new [FEN]          a new game, perhaps from a position\n"
    "  quit               leave\n";
constexpr int kEvalLines = 3;
constexpr size_t kShownPlies = 8;  // of a line

std::string Trim(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Chances by side: "White 55.1 %, draw 10.2 %, Black 34.7 %".
std::string ChancesText(const Wdl& wdl_to_move, Color to_move) {
  const Wdl white = to_move == Color::kWhite ? wdl_to_move : wdl_to_move.flipped();
  char text[80];
  std::snprintf(text, sizeof text, "White %.1f %%, draw %.1f %%, Black %.1f %%",
                100.0 * static_cast<double>(white.win), 100.0 * static_cast<double>(white.draw),
                100.0 * static_cast<double>(white.loss));
  return text;
}

template <Game G>
class TerminalGame {
 public:
  TerminalGame(const TerminalPlaySettings& settings, std::istream& in, std::ostream& out)
      : settings_(settings),
        in_(in),
        out_(out),
        start_(PositionOf(settings.start_fen)),
        viewer_(settings.side),
        random_(settings.seed) {
    if (settings.network.empty()) {
      player_ = MakePlayer<G>(settings.opponent, settings.player, settings.settings);
    } else {
      const GameInfo info = InfoOf<G>();
      std::vector<std::unique_ptr<Evaluator>> evaluators;
      evaluators.push_back(MakeEvaluator(
          LoadNetworkForPlay(settings.network.string(), info, settings.player.inference),
          settings.player.inference));
      analyst_ = std::make_unique<Analyst<G>>(std::move(evaluators));
    }
    name_ = !settings.name.empty() ? settings.name : player_ ? player_->name() : "the network";
  }

  void Run() {
    out_ << "You play " << Name(settings_.side) << " against " << name_
         << ". Type a move, or 'help'.\n";
    ShowBoard();
    for (;;) {
      const Outcome outcome = position().ComputeOutcome();
      const bool over = outcome.over() || resigned_;
      if (outcome.over()) {
        if (!announced_) Announce(OutcomeText<G>(outcome), outcome.result);
      } else if (!resigned_ && position().side_to_move() != settings_.side) {
        Reply();
        continue;
      }
      if (!ReadCommand(over)) return;
    }
  }

 private:
  using Position = typename G::Position;

  Position PositionOf(const std::string& fen) const {
    return fen.empty() ? Position::Start(settings_.settings)
                       : Position::FromFen(fen, settings_.settings);
  }
  const Position& position() const { return state_.position(); }

  void Play(Move move) {
    moves_.push_back(move);
    state_.Play(move);
    announced_ = false;
  }

  void Rebuild() {
    state_ = GameState<G>(start_);
    for (const Move& move : moves_) state_.Play(move);
    announced_ = false;
    resigned_ = false;
    ShowBoard();
  }

  // "Nf3 (g1f3)".
  std::string MoveText(Move move) const {
    const std::string san = SanText<G>(position(), move);
    const std::string plain = G::MoveToText(move);
    return san == plain ? san : san + " (" + plain + ")";
  }

  const Search<G>& Analyse(std::optional<int64_t> most = std::nullopt) {
    int64_t nodes = settings_.player.search.simulations;
    if (most) nodes = std::min(nodes, *most);
    return analyst_->Run(state_, {.nodes = nodes});
  }

  void Reply() {
    Move move;
    std::string thinks;
    if (analyst_) {
      const auto& skill = settings_.skill;
      const Search<G>& search = Analyse(skill ? std::optional(skill->simulations) : std::nullopt);
      const SearchResult result = search.Result();
      move = skill ? ChooseBySkill(search, *skill, random_)
                   : result.moves[static_cast<size_t>(result.best)].move;
      thinks = LineText(LineWith(search, result, move), move);
    } else {
      move = AskPlayer();
    }
    out_ << name_ << " plays " << MoveText(move) << "\n";
    if (settings_.show_eval && !thinks.empty()) out_ << "  " << thinks << "\n";
    Play(move);
    ShowBoard();
  }

  Move AskPlayer() {
    const Turn<G> turn{.game = &state_,
                       .seed = Mix64(settings_.seed + moves_.size()),
                       .game_number = games_,
                       .start = &start_,
                       .moves = moves_};
    Move move;
    player_->ChooseMoves({&turn, 1}, {&move, 1});
    return move;
  }

  // "White 55.1 %, ...; +0.35; Nf3 d5 ...", without `first` where that is the line's first move.
  std::string LineText(const AnalysisLine& line, std::optional<Move> first) const {
    const Color mover = position().side_to_move();
    std::string text = ChancesText(line.wdl, mover);
    if (line.mate) {
      text += "; " + SideName(*line.mate > 0 ? mover : ~mover) + " wins in " +
              std::to_string(std::abs(*line.mate));
    }
    const std::vector<std::string> san = SanLine<G>(position(), line.moves);
    const size_t skipped = first ? 1 : 0;
    if (san.size() > skipped) text += first ? "; it expects" : ":";
    for (size_t i = skipped; i < san.size() && i < kShownPlies + skipped; ++i) {
      text += " " + san[i];
    }
    return text;
  }

  void ShowBoard() {
    const auto last = moves_.empty() ? std::nullopt : std::optional(moves_.back());
    out_ << '\n'
         << BoardText<G>(position(), {.viewer = viewer_, .color = settings_.color, .last = last})
         << '\n';
  }

  void Announce(const std::string& why, Result result) {
    announced_ = true;
    out_ << "The game is over, " << Text(result) << ". " << why;
    if (result != Result::kDraw) {
      out_ << (result == WinFor(settings_.side) ? " Well played!" : "");
    }
    out_ << " 'new' for another game, 'undo' to try again, 'quit' to leave.\n";
  }

  // Reads and carries out one line; false to leave.
  bool ReadCommand(bool over) {
    out_ << (over ? "> " : std::string(Name(settings_.side)) + " to move> ") << std::flush;
    std::string line;
    if (!std::getline(in_, line)) {
      out_ << '\n';
      return false;
    }
    line = Trim(line);
    const size_t space = line.find_first_of(" \t");
    const std::string command = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : Trim(line.substr(space));
    if (command == "quit" || command == "exit") return false;
    try {
      Execute(command, rest, over);
    } catch (const InputError& error) {
      out_ << error.what() << ".\n";
    }
    return true;
  }

  void Execute(const std::string& command, const std::string& rest, bool over) {
    if (command.empty()) return;
    if (command == "help") {
      out_ << kHelp;
    } else if (command == "fen") {
      out_ << position().Fen() << '\n';
    } else if (command == "flip") {
      viewer_ = ~viewer_;
      ShowBoard();
    } else if (command == "new") {
      start_ = PositionOf(rest);
      moves_.clear();
      ++games_;
      Rebuild();
    } else if (command == "undo") {
      Undo();
    } else if (command == "moves") {
      ListMoves(rest);
    } else if (over) {
      out_ << "The game is over; 'new', 'undo' or 'quit'.\n";
    } else if (command == "hint") {
      Hint();
    } else if (command == "eval") {
      Evaluate();
    } else if (command == "resign") {
      resigned_ = true;
      Announce(SideName(settings_.side) + " resigns. " + SideName(~settings_.side) + " wins.",
               WinFor(~settings_.side));
    } else {
      const std::string text = rest.empty() ? command : command + " " + rest;
      Play(ReadTypedMove<G>(position(), text));
      ShowBoard();
    }
  }

  void Hint() {
    if (!analyst_) {
      out_ << "Perhaps " << MoveText(AskPlayer()) << ".\n";
      return;
    }
    const AnalysisLine line = BestLines(Analyse(), 1)[0];
    out_ << "Perhaps " << MoveText(line.move) << ". " << LineText(line, std::nullopt) << "\n";
  }

  void Evaluate() {
    if (!analyst_) throw InputError("only a network evaluates; this is " + name_);
    for (const AnalysisLine& line : BestLines(Analyse(), kEvalLines)) {
      out_ << "  " << LineText(line, std::nullopt) << "\n";
    }
  }

  // Takes a resignation back, or else goes back to where the person made the last move.
  void Undo() {
    if (resigned_) {
      Rebuild();
      return;
    }
    const Color first = start_.side_to_move();
    for (size_t size = moves_.size(); size-- > 0;) {
      if ((size % 2 == 0 ? first : ~first) != settings_.side) continue;
      moves_.resize(size);
      Rebuild();
      return;
    }
    out_ << "There is no move of yours to take back.\n";
  }

  // Without a text, placements are only counted where there are many.
  void ListMoves(const std::string& part) {
    constexpr int kMany = 100;
    typename G::Moves legal;
    position().LegalMoves(legal);
    std::map<std::string, int> placements;
    std::string text;
    int count = 0;
    for (const Move& move : legal) {
      const std::string name = G::MoveToText(move);
      if (name.find(part) == std::string::npos) continue;
      ++count;
      if (part.empty() && legal.size() > kMany && move.kind == MoveKind::kPlacement) {
        ++placements[name.substr(0, 2)];
      } else {
        text += name + " ";
      }
    }
    for (const auto& [piece, squares] : placements) {
      text += piece + "... on " + std::to_string(squares) + " squares; ";
    }
    out_ << (count == 0 ? "none " : text) << "(" << count << ")\n";
  }

  const TerminalPlaySettings& settings_;
  std::istream& in_;
  std::ostream& out_;
  std::unique_ptr<Player<G>> player_;    // null: a network plays
  std::unique_ptr<Analyst<G>> analyst_;  // null: another player does
  std::string name_;
  Position start_;
  GameState<G> state_{start_};
  std::vector<Move> moves_;
  uint64_t games_ = 1;
  Color viewer_;
  Random random_;
  bool announced_ = false;
  bool resigned_ = false;
};

}  // namespace

void PlayInTerminal(const TerminalPlaySettings& settings, std::istream& in, std::ostream& out) {
  WithGame(settings.game, [&]<class G>() { TerminalGame<G>(settings, in, out).Run(); });
}

}  // namespace khanzero
