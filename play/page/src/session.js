// SPDX-License-Identifier: GPL-3.0-or-later
//
// The game on the page: its state as the server has it, the ply that is looked at, who plays what,
// and what the opponent thinks. Whoever shows something of it listens for 'change'.
import * as api from './api.js';
import {colorToMove, opposite} from './games.js';

export class Session extends EventTarget {
  constructor(info) {
    super();
    this.info = info;
    this.state = null;      // of the server
    this.view = 0;          // the ply on the board
    this.side = 'white';    // the person's; 'both' when nobody answers
    this.level = 64;        // simulations of the opponent
    this.thinking = false;  // whether the opponent does
    this.analyses = new Map();  // by ply, of the moves as they are now
    this.source = null;     // the PGN game that was loaded
    this.error = '';
    this.asked = '';        // the last question of analyse()
    this.serial = 0;        // of what the person last did: answers to earlier requests are void
  }

  get gameInfo() {
    return this.info.games.find(game => game.name === this.state.game);
  }
  get opponent() {
    return this.info.opponents[this.state.game];
  }
  get last() {
    return this.state.ply;
  }
  get fen() {
    return this.state.fens[this.view];
  }
  get turn() {
    return colorToMove(this.fen);
  }
  get atEnd() {
    return this.view === this.last;
  }
  // Whether the person may move now.
  get personToMove() {
    return this.atEnd && !this.state.over && !this.thinking &&
      (this.side === 'both' || this.side === this.turn);
  }
  get opponentToMove() {
    return !this.state.over && this.side !== 'both' && this.side !== this.state.turn;
  }

  changed() {
    this.dispatchEvent(new Event('change'));
  }

  // Runs `work`, whose answer counts only when the person has done nothing else meanwhile.
  async attempt(work) {
    const serial = ++this.serial;
    this.error = '';
    try {
      const answer = await work();
      return serial === this.serial ? answer : null;
    } catch (error) {
      if (serial !== this.serial) return null;
      if (error.status === 404 && this.state) await this.revive();
      else this.error = error.message;
      this.changed();
      return null;
    } finally {
      if (serial === this.serial) this.thinking = false;
    }
  }

  // The server has forgotten the game (it was started again, say): it is told all of it.
  async revive() {
    const {game, fens, moves, kings_landing} = this.state;
    try {
      this.state = await api.newGame({game, fen: fens[0], moves, kings_landing});
      queueMicrotask(() => this.answer());
    } catch (error) {
      this.error = error.message;
    }
  }

  take(state) {
    const before = this.state?.moves ?? [];
    const same = this.state?.id === state.id;
    // What was thought of positions that are still there stays.
    for (const ply of [...this.analyses.keys()]) {
      const kept = same && ply <= state.ply &&
        before.slice(0, ply).every((move, i) => move === state.moves[i]);
      if (!kept) this.analyses.delete(ply);
    }
    this.state = state;
    this.view = state.ply;
    this.save();
    this.changed();
  }

  // Returns as soon as there is the game; throws what is wrong with the fields. `options`: side,
  // level, source, view.
  async begin(fields, options) {
    const state = await api.newGame(fields);
    ++this.serial;
    if (this.state) api.drop(this.state.id).catch(() => {});
    this.thinking = false;
    this.error = '';
    this.source = options.source ?? null;
    this.side = options.side;
    this.level = options.level ?? this.level;
    this.state = null;
    this.analyses.clear();
    this.take(state);
    if (options.view !== undefined) this.look(options.view);
    this.answer();
  }

  async play(move) {
    const {id, ply} = this.state;
    const state = await this.attempt(() => api.play(id, move, ply));
    if (!state) return this.changed();
    this.take(state);
    return this.answer();
  }

  // Lets the opponent move, when it is its turn.
  async answer() {
    if (!this.opponentToMove) return;
    this.thinking = true;
    this.changed();
    const ply = this.last;
    const answer = await this.attempt(() => api.think(
      this.state.id, {simulations: this.level, lines: 3, play: true}));
    if (!answer) return;
    this.thinking = false;
    this.analyses.set(ply, answer.analysis);
    this.take(answer.state);
  }

  // Has the position on the board looked at.
  async analyse(simulations) {
    const {id} = this.state;
    const ply = this.view;
    // The opponent's own search comes first: there is one at a time.
    if (this.thinking || this.opponentToMove || this.analyses.has(ply)) return;
    if (this.state.over && ply === this.last) return;
    const {serial} = this;
    const question = `${id}/${serial}/${ply}`;
    if (this.asked === question) return;
    this.asked = question;
    try {
      const {analysis} = await api.think(id, {simulations, lines: 3, ply});
      if (serial !== this.serial || this.state?.id !== id) return;
      // One that was cut short by a later question is no answer.
      if (this.asked !== question) return;
      this.analyses.set(ply, analysis);
      this.changed();
    } catch {
      // Nothing depends on it; a server that is gone is noticed with the next move. One that was too
      // busy is asked again with the next change.
      if (this.asked === question) this.asked = '';
    }
  }

  // The opponent answers with what it has found so far.
  moveNow() {
    if (this.thinking) api.stop(this.state.id).catch(() => {});
  }

  // The ply that undo goes back to; -1 when there is nothing to take back.
  get undoPly() {
    for (let ply = this.last - 1; ply >= 0; --ply) {
      if (this.side === 'both' || colorToMove(this.state.fens[ply]) === this.side) return ply;
    }
    return -1;
  }

  async cutTo(ply) {
    const {id} = this.state;
    const state = await this.attempt(() => api.undo(id, ply));
    if (state) this.take(state);
  }

  undo() {
    return this.undoPly >= 0 ? this.cutTo(this.undoPly) : Promise.resolve();
  }

  // Goes on from the position on the board, the person playing its side to move.
  async playFromHere() {
    const side = this.turn;
    if (!this.atEnd) await this.cutTo(this.view);
    if (this.error) return;
    this.source = null;
    this.side = side;
    this.save();
    this.changed();
  }

  // The opponent plays the side to move, and the person the other.
  async changeSides() {
    this.side = opposite(this.state.turn);
    this.view = this.last;
    this.save();
    await this.answer();
  }

  look(ply) {
    this.view = Math.max(0, Math.min(this.last, ply));
    this.changed();
  }

  // Who plays a colour, as PGN and the page name it.
  nameOf(color) {
    if (this.source) return this.source[color] || '?';
    if (this.side === 'both') return color === 'white' ? 'White' : 'Black';
    return color === this.side ? 'You' : `${this.opponent.name} (${this.levelName})`;
  }
  get levelName() {
    const level = this.info.levels.find(l => l.simulations === this.level);
    return level ? level.name : `${this.level} simulations`;
  }

  // So that the page can be loaded again without losing the game.
  save() {
    const {game, fens, moves, kings_landing} = this.state;
    sessionStorage.setItem('game', JSON.stringify({
      fields: {game, fen: fens[0], moves, kings_landing},
      options: {side: this.side, level: this.level, source: this.source},
    }));
  }
  static saved() {
    try {
      return JSON.parse(sessionStorage.getItem('game'));
    } catch {
      return null;
    }
  }
}
