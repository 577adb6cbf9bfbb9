// SPDX-License-Identifier: GPL-3.0-or-later
//
// The page without a pointer. On the board: arrows move a cursor, Enter takes up and puts down, the
// letter of a piece takes it from the hand, Escape lets go. Elsewhere: arrows step through the game.
// A field takes moves as text.
import {$} from './dom.js';
import {capital, pieceName} from './games.js';

const isField = target => target.closest('input, select, textarea, dialog') !== null;

export class Keyboard {
  constructor(session, board, actions) {
    this.session = session;
    this.board = board;
    this.actions = actions;
    this.file = 4;
    this.rank = 0;
    this.cursor = document.createElement('div');
    this.cursor.className = 'cursor';
    board.wrap.addEventListener('keydown', event => this.onBoard(event));
    board.wrap.addEventListener('focus', () => this.showCursor());
    board.wrap.addEventListener('blur', () => this.cursor.remove());
    for (const pocket of [board.top, board.bottom]) {
      pocket.addEventListener('keydown', event => this.onHand(event));
    }
    document.addEventListener('keydown', event => this.anywhere(event));
    $('typed-form').onsubmit = event => this.onTyped(event);
    $('typed').oninput = () => this.suggest();
  }

  get square() {
    return `${'abcdefghijklmnop'[this.file]}${this.rank + 1}`;
  }
  get white() {
    return this.board.ground.state.orientation === 'white';
  }

  // Puts the frame around the cursor's square, and says what is there.
  showCursor() {
    const {files, ranks} = this.board.game;
    this.file = Math.min(this.file, files - 1);
    this.rank = Math.min(this.rank, ranks - 1);
    const column = this.white ? this.file : files - 1 - this.file;
    const row = this.white ? ranks - 1 - this.rank : this.rank;
    this.cursor.style.left = `${100 * column / files}%`;
    this.cursor.style.top = `${100 * row / ranks}%`;
    this.board.wrap.querySelector('cg-container').append(this.cursor);
    const piece = this.board.pieceAt(this.square);
    const name = piece ? `${piece.color} ${pieceName(this.board.game.name, piece.role[0], piece.color)}`
      : 'empty';
    $('spoken').textContent = `${this.square}, ${name}`;
  }

  onBoard(event) {
    const {files, ranks} = this.board.game;
    const step = this.white ? 1 : -1;
    const ways = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step]};
    const way = ways[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (way) {
      this.file = Math.max(0, Math.min(files - 1, this.file + way[0]));
      this.rank = Math.max(0, Math.min(ranks - 1, this.rank + way[1]));
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.board.selectSquare(this.square);
    } else if (event.key === 'Escape') {
      this.board.unselect();
    } else if (this.board.letters.includes(event.key.toLowerCase()) && event.key.length === 1) {
      this.takeFromHand(event.key.toLowerCase());
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.showCursor();
  }

  takeFromHand(letter) {
    const {session, board} = this;
    const origin = `${letter.toUpperCase()}@`;
    if (!session.personToMove || !session.state.legal.some(move => move.startsWith(origin))) return;
    board.selectHand(letter, session.turn);
    const name = pieceName(board.game.name, letter, session.turn);
    $('spoken').textContent = `${capital(name)} taken from the hand`;
  }

  onHand(event) {
    const piece = event.target.querySelector?.('piece');
    if (!piece || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    this.takeFromHand(piece.dataset.role[0]);
    this.board.wrap.focus();
  }

  anywhere(event) {
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const {session, actions} = this;
    const keys = {
      ArrowLeft: () => session.look(session.view - 1),
      ArrowRight: () => session.look(session.view + 1),
      Home: () => session.look(0),
      End: () => session.look(session.last),
      f: actions.flip,
      h: actions.hint,
      u: actions.undo,
      n: actions.newGame,
      '?': actions.help,
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  suggest() {
    const start = $('typed').value.trim();
    const found = this.session.personToMove && start
      ? this.session.state.legal.filter(move => move.startsWith(start)).slice(0, 20) : [];
    $('typed-moves').replaceChildren(...found.map(move => new Option(move)));
  }

  onTyped(event) {
    event.preventDefault();
    const text = $('typed').value.trim();
    const {session} = this;
    if (!session.personToMove) {
      session.error = session.atEnd ? 'It is not your turn.' : 'Go to the last move first.';
    } else if (session.state.legal.includes(text)) {
      $('typed').value = '';
      session.play(text);
      return;
    } else {
      session.error = `'${text}' is no legal move here. Moves are written e2e4, e7e8q or N@e4.`;
    }
    session.changed();
  }
}
