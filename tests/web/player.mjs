// SPDX-License-Identifier: GPL-3.0-or-later
//
// A person at the page: looks where a piece may go and clicks there. It knows no rules; what it may
// do it reads off the board, as a person does.
import {fail} from './chromium.mjs';

// A game has to end: among its choices it prefers what brings the end near.
const mostMoves = 400;

export class Player {
  constructor(page, game) {
    this.page = page;
    this.game = game;
    this.size = game === 'serbest' ? 10 : 8;
    this.random = 12345;  // the same game each time
  }

  below(bound) {
    this.random = (this.random * 1103515245 + 12345) % 2147483648;
    return Math.floor(this.random / 65536) % bound;
  }

  // Returns once the person is to move, or the game is over, and the board shows it.
  async ready() {
    await this.page.waitForFunction(() => {
      const text = document.getElementById('status').textContent;
      return /^(Your move|Checkmate|Stalemate|Campmate|Khan|The same position|Fifty moves)/.test(text);
    });
    await this.drawn();
  }

  // The board draws itself in the browser's next frame.
  drawn() {
    return this.page.evaluate(() => new Promise(done => requestAnimationFrame(() =>
      requestAnimationFrame(done))));
  }

  async over() {
    return this.page.evaluate(() => document.getElementById('status').classList.contains('ended'));
  }

  moves() {
    return this.page.locator('#moves .move').allTextContents();
  }

  // `ready`: whether the person is to move then.
  async newGame({side, level, fen = ''}, ready = true) {
    const {page} = this;
    this.side = side;
    await page.click('#new-game');
    await page.check(`input[name="game"][value="${this.game}"]`);
    await page.check(`input[name="side"][value="${side}"]`);
    await page.selectOption('#new-levels', String(level));
    await page.fill('#new-fen', fen);
    await page.click('#new-form .main');
    await page.waitForSelector('#new', {state: 'hidden'});
    if (ready) await this.ready();
  }

  async orientation() {
    const names = await this.page.locator('#board').getAttribute('class');
    return names.includes('orientation-black') ? 'black' : 'white';
  }

  // The middle of a square of the board, from the top left as it is seen.
  async middle(column, row) {
    const box = await this.page.locator('cg-board').boundingBox();
    return [box.x + (column + 0.5) * box.width / this.size,
            box.y + (row + 0.5) * box.height / this.size];
  }

  // What is on the board as it is seen: [{tag, classes, column, row}].
  onBoard(selector) {
    return this.page.evaluate(([what, size]) => {
      const board = document.querySelector('cg-board').getBoundingClientRect();
      return [...document.querySelectorAll(`cg-board ${what}`)].map(node => {
        const box = node.getBoundingClientRect();
        return {classes: node.className,
                column: Math.round((box.x - board.x) / (board.width / size)),
                row: Math.round((box.y - board.y) / (board.height / size))};
      });
    }, [selector, this.size]);
  }

  async click(column, row) {
    await this.page.mouse.click(...await this.middle(column, row));
  }

  // The squares that the page shows for what is taken up now.
  async targets() {
    await this.drawn();
    return this.onBoard('square.move-dest');
  }

  // What can be taken up: pieces on the board and in the hand, in a random order; pieces in hand
  // first, until there are a few on the board.
  async origins() {
    const pieces = (await this.onBoard(`piece.${this.side}`))
      .map(piece => ({...piece, hand: false}));
    const hand = await this.page.locator(`.pocket.usable piece.${this.side}:not([data-nb="0"])`)
      .evaluateAll(nodes => nodes.map(node => ({role: node.dataset.role, hand: true})));
    const shuffled = [...pieces, ...hand];
    for (let i = shuffled.length - 1; i > 0; --i) {
      const j = this.below(i + 1);
      [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
    }
    return pieces.length < 6 ? shuffled.sort((a, b) => b.hand - a.hand) : shuffled;
  }

  async take(origin) {
    if (!origin.hand) return this.click(origin.column, origin.row);
    const square = this.page.locator(`.pocket.usable piece.${this.side}[data-role="${origin.role}"]`);
    await square.click({force: true});
  }

  // Plays one move by clicks, and waits for the answer.
  async play() {
    await this.ready();
    const {page} = this;
    const before = (await this.moves()).length;
    for (const origin of await this.origins()) {
      await this.take(origin);
      const targets = await this.targets();
      if (targets.length === 0) continue;
      const target = targets[this.below(targets.length)];
      await this.click(target.column, target.row);
      const dialog = page.locator('#promotion[open] button').first();
      await page.waitForFunction(count =>
        document.querySelector('#promotion[open]') ||
        document.querySelectorAll('#moves .move').length > count, before);
      if (await dialog.count()) await dialog.click();
      await page.waitForFunction(count =>
        document.querySelectorAll('#moves .move').length > count, before);
      await this.ready();
      return;
    }
    fail(`no piece of ${this.side} can be moved, but the game is not over`);
  }

  // Returns how the game ended, in the words of the page.
  async playToEnd() {
    for (let i = 0; i < mostMoves; ++i) {
      if (await this.over()) return this.page.textContent('#status');
      await this.play();
    }
    fail(`the game did not end in ${mostMoves} moves`);
  }
}
