// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reference engine (Fairy-Stockfish, as ffish from npm) as a judge of one game: legal moves,
// check, FEN and outcome of the position it has reached. For serbest it plays by
// configs/variants/serbest.ini, and the moves that the two rules missing there forbid are taken
// out of its list here.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const definitions = { khans: 'khans.ini', serbest: 'serbest.ini' };

export function variantText(game) {
  return readFileSync(join(here, '../../configs/variants', definitions[game]), 'utf8');
}

// Loads ffish with the game's definition.
export async function loadReference(game) {
  // With a fetch in reach ffish takes Node for a browser and asks for its own file as a URL.
  delete globalThis.fetch;
  const ffish = createRequire(import.meta.url)('ffish');
  await new Promise((resolve) => (ffish.onRuntimeInitialized = resolve));
  ffish.loadVariantConfig(variantText(game));
  return ffish;
}

// { letter: square } of both kings on the board, squares as [file, rank] from 1.
function kingSquares(fen) {
  const ranks = fen.split(/[ []/)[0].split('/');
  const kings = {};
  ranks.forEach((rank, fromTop) => {
    let file = 0;
    for (const token of rank.match(/\d+|[A-Za-z]/g)) {
      file += Number(token) || 1;
      if (token === 'K' || token === 'k') kings[token] = [file, ranks.length - fromTop];
    }
  });
  return { kings, rankCount: ranks.length };
}

function squareOf(text) {
  return [text.charCodeAt(0) - 96, Number(text.slice(1))];
}

// The hand in our order, so that FENs can be compared as text.
function withOrderedHand(fen) {
  const order = 'KQRBNPSkqrbnps';
  const sorted = (hand) => [...hand].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join('');
  return fen.replace(/\[(.*)\]/, (_, hand) => `[${sorted(hand)}]`);
}

export class ReferenceGame {
  constructor(ffish, game, start, kingsLanding) {
    this.game = game;
    this.kingsLanding = kingsLanding;
    this.board = new ffish.Board(game, start, false);
  }
  close() {
    this.board.delete();
  }
  // Says whether the engine takes the move.
  play(move) {
    return this.board.push(move);
  }

  // { fen, moves, check, result, reason, removed }: `moves` sorted; `removed` is how many moves of
  // the engine's the missing rules forbid.
  look() {
    const fen = withOrderedHand(this.board.fen());
    const engineMoves = this.board.legalMoves().split(' ').filter(Boolean).sort();
    const moves =
      this.game === 'serbest' ? this.#withoutForbidden(engineMoves, fen) : engineMoves;
    const check = this.board.isCheck();
    const removed = engineMoves.length - moves.length;
    return { fen, moves, check, removed, ...this.#outcome(fen, moves, check, removed) };
  }

  #withoutForbidden(moves, fen) {
    const white = this.board.turn();
    const { kings, rankCount } = kingSquares(fen);
    const enemyKing = kings[white ? 'k' : 'K'];
    return moves.filter((move) => {
      if (move[1] !== '@') return true;
      const [file, rank] = squareOf(move.slice(2));
      if (move[0] === 'K') {
        return (white ? rank : rankCount + 1 - rank) <= this.kingsLanding;
      }
      const adjacent =
        enemyKing && Math.abs(file - enemyKing[0]) <= 1 && Math.abs(rank - enemyKing[1]) <= 1;
      if (!adjacent) return true;
      // A placement uncovers nothing, so a check after it is the placed piece's own.
      this.board.push(move);
      const checks = this.board.isCheck();
      this.board.pop();
      return !checks;
    });
  }

  // The result is the engine's word; its reason follows from how the position looks.
  #outcome(fen, moves, check, removed) {
    const white = this.board.turn();
    if (moves.length === 0 && removed > 0) {
      // The engine sees only moves that the missing rules forbid: this is an end it does not know.
      return { result: white ? '0-1' : '1-0', reason: check ? 'checkmate' : 'stalemate' };
    }
    const result = this.board.result(true);
    if (result === '*') return { result, reason: '' };
    if (result === '1/2-1/2') {
      return { result, reason: this.board.halfmoveClock() >= 100 ? 'fifty' : 'repetition' };
    }
    const { kings, rankCount } = kingSquares(fen);
    const king = kings[white ? 'k' : 'K'];
    if (king && king[1] === (white ? 1 : rankCount)) {
      return { result, reason: this.game === 'khans' ? 'campmate' : 'khan' };
    }
    return { result, reason: check ? 'checkmate' : 'stalemate' };
  }
}
