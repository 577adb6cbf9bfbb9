// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reference engine (Fairy-Stockfish from npm) as a UCI process on stdin and stdout that knows
// both games: `setoption name UCI_Variant value khans`, or serbest by its approximation. Started by
// scripts/reference-engine.sh.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { variantText } from './reference.mjs';

// With a fetch in reach the engine takes Node for a browser and asks for its own file as a URL.
delete globalThis.fetch;
const load = createRequire(import.meta.url)('fairy-stockfish-nnue.wasm/stockfish.js');
const engine = await load();
const definitions = '/variants.ini';
engine.FS.writeFile(definitions, variantText('khans') + '\n' + variantText('serbest'));
engine.postMessage(`setoption name VariantPath value ${definitions}`);

// The engine does not end by itself, nor at the end of its input.
const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
for await (const line of lines) {
  if (line.trim() === 'quit') break;
  engine.postMessage(line);
}
process.exit(0);
