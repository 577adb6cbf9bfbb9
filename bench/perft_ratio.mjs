// SPDX-License-Identifier: GPL-3.0-or-later
//
// node perft_ratio.mjs KHANZERO DEPTH ROUNDS: perft rates on one thread, by turns in one run.
// khans: ours and the reference engine's WebAssembly build at the same positions and depth.
// serbest: ours, held against our own khans rate. Exit code 1 when a count differs or a ratio misses
// what is required of it.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { variantText } from '../tests/oracle/reference.mjs';

const requiredRatio = 60; // khans, ours : engine, at the start position
const requiredShare = 0.5; // serbest : khans, ours, per leaf

// Ours ends so much sooner that a round has time for several runs of it.
const ourRunsPerRound = 5;

const khansPositions = [
  ['start', 'lhatkahl/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1'],
  ['opening', 'h1atka1l/1sss1s1s/5hs1/1P6/1PP2s2/6P1/3PPP1P/1NBQKBNR w K - 0 7'],
];
const serbestPositions = [
  ['start', 3, '10/10/10/10/10/10/10/10/10/10[KQRRBBNNPPPPPPSSkqrrbbnnppppppss] w - - 0 1'],
  [
    'middle game',
    4,
    'P1sq5P/2bS1p2R1/p5B1S1/1r3p4/3N6/2R1P3P1/3pn3bB/2p1Ps4/8N1/QnrP5p[Kk] b - - 0 1',
  ],
];

class Engine {
  static async start() {
    // With a fetch in reach the engine takes Node for a browser and asks for its own file as a URL.
    delete globalThis.fetch;
    const require = createRequire(new URL('../tests/oracle/package.json', import.meta.url));
    const engine = new Engine();
    engine.stockfish = await require('fairy-stockfish-nnue.wasm/stockfish.js')();
    engine.stockfish.addMessageListener((line) => engine.#hear(line));
    engine.stockfish.FS.writeFile('/khans.ini', variantText('khans'));
    await engine.#ask('uciok', 'uci');
    await engine.#ask(
      'readyok',
      'setoption name VariantPath value /khans.ini',
      'setoption name UCI_Variant value khans',
      'isready',
    );
    return engine;
  }

  async perft(fen, depth) {
    await this.#ask('readyok', `position fen ${fen}`, 'isready');
    const start = performance.now();
    const line = await this.#ask('Nodes searched', `go perft ${depth}`);
    const seconds = (performance.now() - start) / 1000;
    const nodes = Number(line.split(':')[1]);
    return { nodes, rate: nodes / seconds };
  }

  // Sends commands and resolves with the first line that holds `text`.
  #ask(text, ...commands) {
    return new Promise((resolve) => {
      this.waiting = { text, resolve };
      for (const command of commands) this.stockfish.postMessage(command);
    });
  }

  #hear(line) {
    if (!this.waiting || !line.includes(this.waiting.text)) return;
    const { resolve } = this.waiting;
    this.waiting = null;
    resolve(line);
  }
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function ourPerft(khanzero, game, fen, depth) {
  const args = ['perft', game, '--fen', fen, '--depth', depth, '--threads', '1', '--json'];
  const runs = Array.from({ length: ourRunsPerRound }, () =>
    JSON.parse(execFileSync(khanzero, args, { encoding: 'utf8' })),
  );
  return { nodes: runs[0].nodes, rate: median(runs.map((run) => run.nodes_per_second)) };
}

const millions = (rate) => `${(rate / 1e6).toFixed(2)} M/s`;

async function main(khanzero, depth, rounds) {
  const engine = await Engine.start();
  const khans = khansPositions.map(([name, fen]) => {
    return { name, fen, engine: [], ours: [], ratios: [] };
  });
  const serbest = serbestPositions.map(([name, d, fen]) => ({ name, depth: d, fen, ours: [] }));
  let failed = false;
  for (let round = 0; round < rounds; ++round) {
    for (const row of khans) {
      const its = await engine.perft(row.fen, depth);
      const our = ourPerft(khanzero, 'khans', row.fen, depth);
      row.nodes = our.nodes;
      row.engine.push(its.rate);
      row.ours.push(our.rate);
      row.ratios.push(our.rate / its.rate);
      if (our.nodes !== its.nodes) {
        console.error(`khans, ${row.name}: ours counts ${our.nodes}, the engine ${its.nodes}`);
        failed = true;
      }
    }
    for (const row of serbest) {
      const our = ourPerft(khanzero, 'serbest', row.fen, row.depth);
      row.nodes = our.nodes;
      row.ours.push(our.rate);
    }
  }
  for (const row of khans) {
    console.log(
      `khans, ${row.name}, depth ${depth}, ${row.nodes} leaves: ` +
        `ours ${millions(median(row.ours))}, engine ${millions(median(row.engine))}, ` +
        `ratio ${median(row.ratios).toFixed(1)} ` +
        `(${row.ratios.map((ratio) => ratio.toFixed(1)).join(', ')})`,
    );
  }
  const khansRate = median(khans[0].ours);
  for (const row of serbest) {
    row.share = median(row.ours) / khansRate;
    console.log(
      `serbest, ${row.name}, depth ${row.depth}, ${row.nodes} leaves: ours ` +
        `${millions(median(row.ours))}, ${row.share.toFixed(2)} of our khans rate at the start`,
    );
  }
  const ratio = median(khans[0].ratios);
  const require = (holds, text) => {
    console.log(`${holds ? 'met' : 'MISSED'}: ${text}`);
    failed ||= !holds;
  };
  require(ratio >= requiredRatio, `khans at least ${requiredRatio} times the engine's rate`);
  require(
    serbest.every((row) => row.share >= requiredShare),
    `serbest at least ${requiredShare} of our khans rate per leaf`,
  );
  return failed ? 1 : 0;
}

const [khanzero, depth, rounds] = process.argv.slice(2);
// Leaves for good: the engine's threads would keep Node alive.
process.exit(await main(khanzero, Number(depth), Number(rounds)));
