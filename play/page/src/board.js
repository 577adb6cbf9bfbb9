// SPDX-License-Identifier: GPL-3.0-or-later
//
// The board and the hands beside it: chessgroundx, spoken to in the server's notation.
import {Chessground} from 'chessgroundx';
import {handLetters, parseMove, pieceName} from './games.js';

// chessgroundx writes rank 10 as ':'.
export const toKey = square => square.replace('10', ':');
export const toSquare = key => key.replace(':', '10');
const roleOf = letter => `${letter}-piece`;

function destinations(legal) {
  const dests = new Map();
  for (const text of legal) {
    const move = parseMove(text);
    const origin = move.drop ? `${move.drop.toUpperCase()}@` : toKey(move.from);
    if (!dests.has(origin)) dests.set(origin, []);
    dests.get(origin).push(toKey(move.to));
  }
  return dests;
}

export class Board {
  // `onMove` is called with what a person has played: "e2e4", without a promotion, or "N@e4".
  constructor({wrap, top, bottom, onMove}) {
    this.wrap = wrap;
    this.top = top;
    this.bottom = bottom;
    this.onMove = onMove;
    this.ground = null;
    this.game = null;
  }

  // Makes a board for a game as /api/info describes it.
  setUp(game, orientation) {
    this.ground?.destroy();
    this.game = game;
    this.letters = handLetters(game.start_fen);
    for (const element of [this.top, this.bottom]) {
      element.replaceChildren();
      element.hidden = this.letters.length === 0;
    }
    this.wrap.style.setProperty('--files', game.files);
    this.wrap.style.setProperty('--ranks', game.ranks);
    const config = {
      fen: game.start_fen,
      orientation,
      dimensions: {width: game.files, height: game.ranks},
      coordinates: true,
      autoCastle: true,
      premovable: {enabled: false},
      animation: {enabled: !matchMedia('(prefers-reduced-motion: reduce)').matches, duration: 180},
      movable: {free: false, color: undefined, showDests: true, rookCastle: false, events: {
        after: (from, to) => this.onMove(toSquare(from) + toSquare(to)),
        afterNewPiece: (piece, to) =>
          this.onMove(`${piece.role[0].toUpperCase()}@${toSquare(to)}`),
      }},
      drawable: {enabled: true, eraseOnClick: false, brushes: {
        best: {key: 'best', color: '#1f8a5b', opacity: 0.85, lineWidth: 11},
        other: {key: 'other', color: '#2f6db3', opacity: 0.55, lineWidth: 8},
      }},
    };
    if (this.letters.length > 0) {
      const roles = this.letters.map(roleOf);
      config.pocketRoles = {white: roles, black: roles};
    }
    this.ground = Chessground(this.wrap, config, this.top, this.bottom);
    this.labelHands();
  }

  // Shows a position. `legal` are the moves that the person of colour `mover` may make now.
  show({fen, orientation, turn, mover, legal, lastMove, check}) {
    const last = lastMove && parseMove(lastMove);
    this.ground.set({
      fen,
      orientation,
      turnColor: turn,
      lastMove: last && (last.drop ? [`${last.drop.toUpperCase()}@`, toKey(last.to)]
        : [toKey(last.from), toKey(last.to)]),
      check,
      movable: {color: mover, dests: destinations(legal)},
    });
    this.labelHands();
  }

  // Arrows for moves, circles with the piece for placements; the first is the best.
  mark(moves, color) {
    const shapes = [];
    moves.forEach((text, i) => {
      const move = parseMove(text);
      const brush = i === 0 ? 'best' : 'other';
      if (!move.drop) {
        shapes.push({orig: toKey(move.from), dest: toKey(move.to), brush});
      } else {
        shapes.push({orig: toKey(move.to), brush});
        shapes.push({orig: toKey(move.to), piece: {role: roleOf(move.drop), color, scale: 0.8}});
      }
    });
    this.ground.setAutoShapes(shapes);
  }

  get selected() {
    return this.ground.state.selectable.selected;
  }

  pieceAt(square) {
    return this.ground.state.boardState.pieces.get(toKey(square));
  }

  selectSquare(square) {
    this.ground.selectSquare(toKey(square));
  }

  selectHand(letter, color) {
    this.ground.selectPocket({role: roleOf(letter), color});
    this.ground.state.dom.redraw();
  }

  unselect() {
    this.ground.unselect();
    this.ground.state.dom.redraw();
  }

  // Makes the hands buttons for the keyboard and for screen readers.
  labelHands() {
    for (const piece of document.querySelectorAll('.pocket piece')) {
      const letter = piece.dataset.role[0];
      const label = `${pieceName(this.game.name, letter, piece.dataset.color)} in hand`;
      const square = piece.parentElement;
      const count = this.ground.state.boardState.pockets?.[piece.dataset.color]
        .get(piece.dataset.role) ?? 0;
      square.setAttribute('role', 'button');
      square.setAttribute('aria-label', `${piece.dataset.color} ${label}: ${count}`);
      square.title = label;
      square.tabIndex = count > 0 && square.parentElement.classList.contains('usable') ? 0 : -1;
    }
  }
}
