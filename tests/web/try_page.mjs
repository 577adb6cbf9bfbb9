// SPDX-License-Identifier: GPL-3.0-or-later
//
// try_page.mjs URL [FOLDER]: what play_game.mjs does not: bad FENs, moves by the keyboard and typed
// ones, dragging, games from PGN, taking over a game, promotion, King's Landing, the width of a phone,
// the dark theme. Exit code 1 with what went wrong. With FOLDER, pictures of the page are left there.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {fail, withPage} from './chromium.mjs';
import {Player} from './player.mjs';

const [url, folder] = process.argv.slice(2);
if (folder) mkdirSync(folder, {recursive: true});

const check = (holds, what) => {
  if (!holds) fail(what);
};
const picture = async (page, name) => {
  if (folder) await page.screenshot({path: join(folder, `${name}.png`)});
};
const statusOf = page => page.textContent('#status');

async function fens(page) {
  const player = new Player(page, 'khans');
  await player.ready();
  await page.click('#new-game');
  await page.fill('#new-fen', '8/8/8 w - - 0 1');
  page.expectsErrors = true;  // the browser logs the refusal
  await page.click('#new-form .main');
  await page.waitForFunction(() => document.getElementById('new-error').textContent !== '');
  const text = await page.textContent('#new-error');
  check(text.includes('bad khans FEN: there are only 3 ranks'), `a bad FEN is not explained: ${text}`);
  await picture(page, 'bad-fen');
  page.expectsErrors = false;
  await page.click('#new [data-close]');
  // A pawn becomes what is chosen, and then the king walks to its last rank.
  await player.newGame({side: 'both', level: 1, fen: '8/P3K3/8/8/8/k7/8/8 w - - 0 1'}, false);
  await player.click(0, 1);
  await player.click(0, 0);
  await page.waitForSelector('#promotion[open]');
  await picture(page, 'promotion');
  await page.click('#promotion button[value="a7a8n"]');
  await page.waitForFunction(() => document.querySelectorAll('#moves .move').length === 1);
  await page.fill('#typed', 'a3a2');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('#moves .move').length === 2);
  await page.fill('#typed', 'e7e9');
  await page.keyboard.press('Enter');
  check((await statusOf(page)).includes("'e7e9' is no legal move"), 'a bad typed move is not explained');
  await player.click(4, 1);
  await player.click(4, 0);
  await page.waitForFunction(() => document.getElementById('status').classList.contains('ended'));
  check((await statusOf(page)).startsWith('Campmate'), 'the end is not named');
  await picture(page, 'campmate');
}

async function keyboard(page) {
  const player = new Player(page, 'serbest');
  await player.newGame({side: 'both', level: 1}, false);
  await page.focus('#board');
  await page.keyboard.press('n');
  for (const key of ['ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
  await page.waitForFunction(() => document.querySelectorAll('#moves .move').length === 1);
  check((await player.moves())[0] === 'N@e3', `the keyboard placed ${await player.moves()}`);
  check((await page.textContent('#spoken')).startsWith('e3'), 'the square is not spoken');
  await picture(page, 'keyboard');
  await page.locator('#board').blur();
  await page.keyboard.press('u');
  await page.waitForFunction(() => document.querySelectorAll('#moves .move').length === 0);
}

async function dragging(page) {
  const player = new Player(page, 'serbest');
  await player.newGame({side: 'both', level: 1}, false);
  const box = await page.locator('.pocket piece.white[data-role="q-piece"]').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  const [x, y] = await player.middle(9, 0);
  await page.mouse.move(x - 30, y + 30, {steps: 5});
  await page.mouse.move(x, y, {steps: 5});
  await picture(page, 'drag');
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelectorAll('#moves .move').length === 1);
  check((await player.moves())[0] === 'Q@j10', `dragging placed ${await player.moves()}`);
}

async function landing(page) {
  await page.click('#new-game');
  await page.check('input[name="game"][value="serbest"]');
  await page.check('input[name="landing"][value="8"]');
  await page.check('input[name="side"][value="both"]');
  await page.click('#new-form .main');
  await page.waitForSelector('#new', {state: 'hidden'});
  await page.waitForFunction(() =>
    document.getElementById('landing').textContent === "King's Landing: own ranks 1 to 8");
  await page.fill('#typed', 'K@e8');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('#moves .move').length === 1);
}

async function library(page) {
  const pgn = '[White "A"]\n[Black "B"]\n[Round "7"]\n[Variant "khans"]\n[Result "1-0"]\n\n' +
    '1. e2e4 {+0.30/5} d7e5 2. g1f3 e5g4 {campmate} 1-0\n\n' +
    '[White "C"]\n[Black "D"]\n[Variant "serbest"]\n[Result "*"]\n\n1. N@e4 K@a10 *\n';
  await page.click('#load');
  await page.setInputFiles('#library-file',
                           {name: 'games.pgn', mimeType: 'text/plain', buffer: Buffer.from(pgn)});
  await page.waitForFunction(() => document.querySelectorAll('#library-list li').length === 2);
  await page.fill('#library-filter', '1-0 a khans');
  check((await page.locator('#library-list li').count()) === 1, 'the filter does not filter');
  await picture(page, 'library');
  await page.fill('#library-filter', '');
  await page.locator('#library-list button').first().click();
  await page.waitForSelector('#library', {state: 'hidden'});
  check((await page.textContent('#player-bottom')) === 'A', 'the players are not named');
  await page.click('#next');
  check((await page.textContent('#comment')) === '+0.30/5', 'the comment is not shown');
  await page.click('#next');
  await page.click('#from-here');
  const player = new Player(page, 'khans');
  player.side = 'white';
  await player.ready();
  check((await player.moves()).join() === 'e2e4,d7e5', 'the game does not go on from the position');
  await player.play();
  check((await player.moves()).length === 4, 'nobody answers after taking over a game');
}

// A slow server answers in an order of its own: first what it thinks of the old game, then with the
// new one. The dialog waits for that.
async function slowServer(page) {
  const hold = async pattern => {
    let open;
    const opened = new Promise(resolve => { open = resolve; });
    await page.route(pattern, async route => {
      await opened;
      await route.continue();
    });
    return open;
  };
  const letThink = await hold('**/think');
  await page.reload();
  await page.waitForFunction(() => document.querySelector('cg-board piece'));
  const letBegin = await hold('**/api/games');
  await page.click('#new-game');
  await page.click('#new-form .main');
  letThink();
  await page.waitForSelector('#bar:not(.empty)', {state: 'attached'});
  check((await page.locator('#new[open]').count()) === 1, 'the dialog closes before there is a game');
  letBegin();
  await page.waitForSelector('#new', {state: 'hidden'});
}

// Nothing is wider than the window, and the board and both hands are whole on the screen.
async function fits(page, name) {
  await new Player(page, 'serbest').newGame({side: 'white', level: 1});
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(wide <= 0, `${name}: the page is ${wide} pixels too wide`);
  const box = await page.locator('#table').boundingBox();
  const {width, height} = page.viewportSize();
  check(box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height,
        `${name}: the board is not whole on the screen`);
  await page.click('#hint');
  await page.waitForSelector('.cg-shapes circle', {state: 'attached'});
  await picture(page, name);
}

for (const work of [fens, keyboard, dragging, landing, library, slowServer]) await withPage(url, {}, work);
await withPage(url, {width: 390, height: 844, phone: true}, page => fits(page, 'phone'));
await withPage(url, {width: 390, height: 844, phone: true, dark: true}, page => fits(page, 'phone-dark'));
await withPage(url, {dark: true}, page => fits(page, 'dark'));
await withPage(url, {width: 1920, height: 1000}, page => fits(page, 'large'));
await withPage(url, {width: 1024, height: 700}, page => fits(page, 'small'));
