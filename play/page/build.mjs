// SPDX-License-Identifier: GPL-3.0-or-later
//
// build.mjs FOLDER: bundles the page into FOLDER as index.html, page.js, page.css and icon.svg.
// scripts/build_page.sh runs it.
import {build} from 'esbuild';
import {copyFile, mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {icon, pieceStyles} from './pieces.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (!folder) {
  console.error('build.mjs: usage: build.mjs FOLDER');
  process.exit(2);
}

const common = {
  bundle: true,
  minify: true,
  target: ['es2021', 'chrome100', 'firefox100', 'safari15'],
  legalComments: 'eof',
  logLevel: 'warning',
};
await mkdir(folder, {recursive: true});
await build({
  ...common,
  entryPoints: [join(here, 'src/main.js')],
  format: 'esm',
  outfile: join(folder, 'page.js'),
});
await build({
  ...common,
  entryPoints: [join(here, 'src/page.css')],
  outfile: join(folder, 'page.css'),
});
const css = await readFile(join(folder, 'page.css'), 'utf8');
await writeFile(join(folder, 'page.css'), css + pieceStyles());
await writeFile(join(folder, 'icon.svg'), icon());
// Last: a folder without it is no page.
await copyFile(join(here, 'src/index.html'), join(folder, 'index.html'));
