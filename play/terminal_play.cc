// SPDX-License-Identifier: GPL-3.0-or-later
#include "play/terminal_play.h"

#include <istream>
#include <optional>
#include <ostream>
#include <vector>

#include "env/error.h"
#include "env/games.h"
#include "play/make_player.h"

namespace khanzero {

namespace {

constexpr const char* kHelp =
    "  e2e4, e7e8q, N@e4  your move: from and to, a promotion, or a placement from the hand\n"
    "  moves [SQUARE]     legal moves, all or those from or onto a square\n"
    "  hint               what the opponent would play for you\n"
    "  undo               take your last move back\n"
    "  fen                the position as FEN\n"
    "  flip               turn the board\n"
    "  new                a new game\n"
    "  quit               leave\n";

template <Game G>
std::string HandText(const typename G::Position& position, Color side) {
  std::string text;
  for (int t = 0; t < G::Position::kTypes; ++t) {
    const int held = position.in_hand(side, t);
    if (held == 0) continue;
    text += std::string(text.empty() ? "" : " ") +
            G::Spec::kPieces[static_cast<size_t>(t)].LetterFor(side);
    if (held > 1) text += "x" + std::to_string(held);
  }
  return text.empty() ? "empty" : text;
}

template <Game G>
std::string Draw(const typename G::Position& position, Color viewer) {
  const bool white_below = viewer == Color::kWhite;
  std::string text;
  std::string files = "    ";
  for (int i = 0; i < G::kFiles; ++i) {
    files += static_cast<char>('a' + (white_below ? i : G::kFiles - 1 - i));
    files += ' ';
  }
  for (int row = 0; row < G::kRanks; ++row) {
    const int rank = white_below ? G::kRanks - 1 - row : row;
    const std::string number = std::to_string(rank + 1);
    text += std::string(3 - number.size(), ' ') + number + " ";
    for (int i = 0; i < G::kFiles; ++i) {
      const int file = white_below ? i : G::kFiles - 1 - i;
      const auto square = static_cast<Square>(rank * G::kFiles + file);
      const PieceType type = position.type_on(square);
      text += type == kNoPiece ? '.' : G::Spec::kPieces[type].LetterFor(position.color_on(square));
      text += ' ';
    }
    text += '\n';
  }
  text += files + '\n';
  if constexpr (G::Spec::kHasHands) {
    for (const Color side : {Color::kWhite, Color::kBlack}) {
      text += "    " + std::string(Name(side)) + " in hand: " + HandText<G>(position, side) + '\n';
    }
  }
  return text;
}

template <Game G>
class TerminalGame {
 public:
  TerminalGame(const TerminalPlaySettings& settings, std::istream& in, std::ostream& out)
      : settings_(settings),
        in_(in),
        out_(out),
        player_(MakePlayer<G>(settings.opponent, settings.player, settings.settings)),
        start_(settings.start_fen.empty()
                   ? G::Position::Start(settings.settings)
                   : G::Position::FromFen(settings.start_fen, settings.settings)),
        name_(settings.name.empty() ? player_->name() : settings.name),
        viewer_(settings.side) {}

  void Run() {
    out_ << "You play " << Name(settings_.side) << " against " << name_
         << ". Type a move, or 'help'.\n";
    ShowBoard();
    for (;;) {
      const Outcome outcome = State().position().ComputeOutcome();
      if (outcome.over()) {
        if (!announced_) Announce(outcome);
      } else if (State().position().side_to_move() != settings_.side) {
        const Move move = Choose();
        out_ << name_ << " plays " << G::MoveToText(move) << "\n";
        Play(move);
        ShowBoard();
        continue;
      }
      if (!ReadCommand(outcome.over())) return;
    }
  }

 private:
  // The game so far, rebuilt after an undo.
  GameState<G>& State() { return state_; }

  void Play(Move move) {
    moves_.push_back(move);
    state_.Play(move);
    announced_ = false;
  }

  void Rebuild() {
    state_ = GameState<G>(start_);
    for (const Move& move : moves_) state_.Play(move);
    announced_ = false;
    ShowBoard();
  }

  Move Choose() {
    const Turn<G> turn{.game = &state_, .seed = Mix64(settings_.seed + moves_.size())};
    Move move;
    player_->ChooseMoves({&turn, 1}, {&move, 1});
    return move;
  }

  void ShowBoard() {
    out_ << '\n' << Draw<G>(state_.position(), viewer_);
    if (state_.position().InCheck()) {
      out_ << "    " << Name(state_.position().side_to_move()) << " is in check\n";
    }
    out_ << '\n';
  }

  void Announce(const Outcome& outcome) {
    announced_ = true;
    out_ << "The game is over: " << Text(outcome.result) << " by " << Text(outcome.reason) << ". "
         << (outcome.result == Result::kDraw            ? "A draw."
             : outcome.result == WinFor(settings_.side) ? "You win!"
                                                        : "You lose.")
         << " 'new' for another game, 'undo' to try again, 'quit' to leave.\n";
  }

  // Reads and carries out one line; false to leave.
  bool ReadCommand(bool over) {
    out_ << (over ? "> " : std::string(Name(settings_.side)) + " to move> ") << std::flush;
    std::string line;
    if (!std::getline(in_, line)) {
      out_ << '\n';
      return false;
    }
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) return true;
    line = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
    if (line == "quit" || line == "exit") return false;
    if (line == "help") {
      out_ << kHelp;
    } else if (line == "fen") {
      out_ << state_.position().Fen() << '\n';
    } else if (line == "flip") {
      viewer_ = ~viewer_;
      ShowBoard();
    } else if (line == "new") {
      moves_.clear();
      Rebuild();
    } else if (line == "undo") {
      Undo();
    } else if (line == "hint") {
      if (!over) out_ << "Perhaps " << G::MoveToText(Choose()) << ".\n";
    } else if (line == "moves" || line.starts_with("moves ")) {
      ListMoves(line.size() > 6 ? line.substr(6) : "");
    } else if (over) {
      out_ << "The game is over; 'new', 'undo' or 'quit'.\n";
    } else {
      PlayTyped(line);
    }
    return true;
  }

  void PlayTyped(const std::string& line) {
    try {
      Play(G::TextToMove(state_.position(), line));
      ShowBoard();
    } catch (const InputError& e) {
      out_ << e.what() << ". 'moves' lists the legal ones, 'help' what you can type.\n";
    }
  }

  // Back to the position in which the person made the last move.
  void Undo() {
    size_t size = moves_.size();
    const Color first = start_.side_to_move();
    while (size > 0) {
      --size;
      const Color mover = size % 2 == 0 ? first : ~first;
      if (mover == settings_.side) {
        moves_.resize(size);
        Rebuild();
        return;
      }
    }
    out_ << "There is no move of yours to take back.\n";
  }

  void ListMoves(const std::string& square) {
    typename G::Moves legal;
    state_.position().LegalMoves(legal);
    std::string text;
    int count = 0;
    for (const Move& move : legal) {
      const std::string name = G::MoveToText(move);
      if (name.find(square) == std::string::npos) continue;
      text += (count++ > 0 ? " " : "") + name;
    }
    out_ << (count == 0 ? "none" : text) << " (" << count << ")\n";
  }

  const TerminalPlaySettings& settings_;
  std::istream& in_;
  std::ostream& out_;
  std::unique_ptr<Player<G>> player_;
  const typename G::Position start_;
  GameState<G> state_{start_};
  std::vector<Move> moves_;
  const std::string name_;
  Color viewer_;
  bool announced_ = false;
};

}  // namespace

void PlayInTerminal(const TerminalPlaySettings& settings, std::istream& in, std::ostream& out) {
  WithGame(settings.game, [&]<class G>() { TerminalGame<G>(settings, in, out).Run(); });
}

}  // namespace khanzero
