// SPDX-License-Identifier: GPL-3.0-or-later
//
// node san_vectors.mjs GAME SEED: moves of random games with the reference engine's own notation, a
// line each: "FEN;move;SAN". tests/data/san/GAME.txt came from here with seed 1. Moves with a sign
// (check, mate, capture, promotion, castling) or an origin are taken more often than others.
import { loadReference, ReferenceGame } from './reference.mjs';

const [game, seed] = process.argv.slice(2);
const games = 60;
const longestGame = 200;
const mostLines = 400;
const ffish = await loadReference(game);
const start = new ffish.Board(game).fen();

let state = BigInt(seed);
function below(bound) {
  state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
  return Number((state >> 33n) % BigInt(bound));
}

const lines = new Set();
for (let i = 0; i < games; ++i) {
  const judge = new ReferenceGame(ffish, game, start, 7);
  for (let ply = 0; ply < longestGame; ++ply) {
    const { fen, moves, result } = judge.look();
    if (result !== '*') break;
    for (const move of moves) {
      const san = judge.board.sanMove(move);
      const plain = /^[A-Z]?@?[a-j]\d+$/.test(san);
      const chance = /O/.test(san) ? 2 : /#/.test(san) ? 6 : plain ? 8000 : 250;
      if (below(chance) === 0) lines.add(`${fen};${move};${san}`);
    }
    judge.play(moves[below(moves.length)]);
  }
  judge.close();
}
console.log([...lines].slice(0, mostLines).join('\n'));
