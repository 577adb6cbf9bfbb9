// SPDX-License-Identifier: GPL-3.0-or-later
//
// node compare.mjs GAME SEED < games: holds random games (random_games prints them) against the
// reference engine, position by position: FEN, legal moves, check, result and its reason. Prints
// what was compared and the first differences; exit code 1 when there is one.
import { createInterface } from 'node:readline';
import { loadReference, ReferenceGame } from './reference.mjs';

const shownDifferences = 5;

const endText = ({ result, reason }) => `${result} ${reason}`.trim();

// What both say of a position, by name, as text; only names whose texts differ.
function differences(ours, reference) {
  const found = [];
  const add = (what, our, its) => {
    if (our !== its) found.push(`${what}: ours ${our || 'none'}, reference ${its || 'none'}`);
  };
  add('FEN', ours.fen, reference.fen);
  add('check', String(ours.check), String(reference.check));
  add('end', endText(ours), endText(reference));
  if (ours.legal !== reference.moves.join(' ')) {
    const our = new Set(ours.legal.split(' ').filter(Boolean));
    const its = new Set(reference.moves);
    add(
      'moves of one side only',
      [...our].filter((move) => !its.has(move)).join(' '),
      [...its].filter((move) => !our.has(move)).join(' '),
    );
  }
  return found;
}

// A stalemate on the hundredth ply is a loss by our rules, and there alone the reference says draw.
function isKnownException(ours, reference) {
  return ours.reason === 'stalemate' && reference.reason === 'fifty';
}

class Tally {
  games = 0;
  positions = 0;
  moves = 0;
  checks = 0;
  removed = 0;
  knownExceptions = 0;
  differences = 0;
  ends = new Map();

  add(ours, reference) {
    ++this.positions;
    this.moves += reference.moves.length;
    this.checks += reference.check ? 1 : 0;
    this.removed += reference.removed;
  }
  addEnd(reason) {
    const name = reason || 'not ended';
    this.ends.set(name, (this.ends.get(name) ?? 0) + 1);
  }
}

function report(game, seed, number, start, played, found) {
  console.log(`DIFFERENCE in game ${number} after ${played.length} plies`);
  console.log(`  start ${start}`);
  console.log(`  moves ${played.join(' ') || 'none'}`);
  for (const line of found) console.log(`  ${line}`);
  console.log(
    `  again: scripts/oracle.sh --game ${game} --seed ${seed} --first ${number} --games 1`,
  );
}

// Compares one game up to its first difference.
function compareGame(ffish, game, seed, record, tally) {
  const judge = new ReferenceGame(ffish, game, record.start, record.kings_landing);
  const played = [];
  const differ = (found) => {
    if (++tally.differences <= shownDifferences) {
      report(game, seed, record.number, record.start, played, found);
    }
  };
  for (const ours of record.positions) {
    const reference = judge.look();
    tally.add(ours, reference);
    if (isKnownException(ours, reference)) {
      ++tally.knownExceptions;
      reference.result = ours.result;
      reference.reason = ours.reason;
    }
    const found = differences(ours, reference);
    if (found.length > 0) {
      differ(found);
      break;
    }
    if (!ours.move) {
      tally.addEnd(ours.reason);
      break;
    }
    if (!judge.play(ours.move)) {
      differ([`the reference refuses ${ours.move}`]);
      break;
    }
    played.push(ours.move);
  }
  judge.close();
  ++tally.games;
}

function summarise(game, tally) {
  const number = (n) => n.toLocaleString('en-US');
  console.log(
    `${game}: ${number(tally.games)} games, ${number(tally.positions)} positions ` +
      `(${number(tally.checks)} in check), ${number(tally.moves)} legal moves compared`,
  );
  const ends = [...tally.ends].sort((a, b) => b[1] - a[1]);
  console.log(`  ends: ${ends.map(([name, count]) => `${name} ${number(count)}`).join(', ')}`);
  if (tally.removed > 0) {
    console.log(`  taken out of the reference's moves: ${number(tally.removed)}`);
  }
  if (tally.knownExceptions > 0) {
    console.log(`  stalemates on the hundredth ply, draws there: ${tally.knownExceptions}`);
  }
  console.log(`  differences: ${tally.differences === 0 ? 'none' : number(tally.differences)}`);
}

const [game, seed] = process.argv.slice(2);
const ffish = await loadReference(game);
const tally = new Tally();
for await (const line of createInterface({ input: process.stdin })) {
  compareGame(ffish, game, seed, JSON.parse(line), tally);
}
summarise(game, tally);
if (tally.games === 0) console.error('compare.mjs: no games to compare');
process.exitCode = tally.differences > 0 || tally.games === 0 ? 1 : 0;
