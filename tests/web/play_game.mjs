// SPDX-License-Identifier: GPL-3.0-or-later
//
// play_game.mjs URL GAME SIDE [FOLDER]: plays a whole game on the page of a running `khanzero serve`,
// by clicks in a real Chromium, to its end; on the way it undoes, flips, asks for hints, steps
// back and forth, loads the page again and saves the game. Exit code 1 with what went wrong. With
// FOLDER, pictures of the page are left there.
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Player} from './player.mjs';
import {fail, withPage} from './chromium.mjs';

const [url, game, side, folder] = process.argv.slice(2);
if (folder) mkdirSync(folder, {recursive: true});

const check = (holds, what) => {
  if (!holds) fail(`${game} as ${side}: ${what}`);
};

async function tryEverything(page, player) {
  await player.play();
  const before = await player.moves();
  await page.click('#undo');
  await page.waitForFunction(count => document.querySelectorAll('#moves .move').length < count,
                             before.length);
  check((await player.moves()).length <= before.length - 1, 'undo took nothing back');
  await player.play();

  await page.click('#hint');
  await page.waitForSelector('.cg-shapes line, .cg-shapes circle', {state: 'attached'});
  check((await page.locator('#lines .line').count()) > 0, 'a hint has no lines');

  const below = async () => page.locator('.cg-wrap').getAttribute('class');
  const first = await below();
  await page.click('#flip');
  check((await below()) !== first, 'flip did not turn the board');
  await player.play();
  await page.click('#flip');

  await page.click('#first');
  check((await page.textContent('#status')).startsWith('Looking at ply 0'), 'no step to the start');
  await page.keyboard.press('ArrowRight');
  check((await page.textContent('#status')).startsWith('Looking at ply 1'), 'no step by the keyboard');
  await page.click('#end');

  const moves = await player.moves();
  await page.reload();
  await player.ready();
  check((await player.moves()).join() === moves.join(), 'the game is lost when the page is loaded again');
}

async function savedGame(page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
  return readFileSync(await download.path(), 'utf8');
}

await withPage(url, {}, async page => {
  const player = new Player(page, game);
  await player.newGame({side, level: 1});
  await tryEverything(page, player);
  if (folder) await page.screenshot({path: join(folder, `${game}-play.png`)});
  const end = await player.playToEnd();
  if (folder) await page.screenshot({path: join(folder, `${game}-end.png`)});
  const pgn = await savedGame(page);
  check(pgn.includes(`[Variant "${game}"]`), 'the saved game has no variant');
  const moves = await player.moves();
  check(pgn.replace(/\s+/g, ' ').includes(moves.at(-1)), 'the saved game lacks its last move');
  check(/\[Result "(1-0|0-1|1\/2-1\/2)"\]/.test(pgn), 'the saved game has no result');
  console.log(`${game} as ${side}: ${moves.length} plies, ${end}`);
});
