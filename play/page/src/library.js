// SPDX-License-Identifier: GPL-3.0-or-later
//
// Games from PGN: those of a file that is chosen in the browser, or of the file that the server was
// given. One of them is put on the board to step through.
import * as api from './api.js';
import {$, element} from './dom.js';
import {titleOf} from './games.js';

const mostShown = 300;

function titleText(game) {
  return `${game.white || '?'} – ${game.black || '?'}`;
}

function row(game, open) {
  const about = [titleOf(game.variant), game.result, game.ending, `${game.moves.length} plies`,
                 game.round && `round ${game.round}`];
  return element('li', {}, element('button', {type: 'button', onclick: () => open(game)},
    element('b', {textContent: titleText(game)}),
    element('span', {textContent: about.filter(Boolean).join(' · ')})));
}

export class Library {
  constructor(session) {
    this.session = session;
    this.games = [];
    $('library-file').onchange = () => this.readFile();
    $('library-match').onclick = () => this.load(api.matches());
    $('library-filter').oninput = () => this.list();
    const {matches} = session.info;
    $('library-match').hidden = !matches;
    $('library-match').textContent = `Games of ${matches}`;
  }

  open() {
    $('library').showModal();
    if (this.session.info.matches && this.games.length === 0) this.load(api.matches());
  }

  async readFile() {
    const [file] = $('library-file').files;
    if (!file) return;
    const most = this.session.info.most_pgn_bytes;
    if (file.size > most) {
      return this.say(`${file.name} has ${file.size} bytes; at most ${most} can be read here.`);
    }
    await this.load(api.readPgn(await file.text()));
  }

  say(text) {
    $('library-note').textContent = text;
  }

  async load(request) {
    this.say('Reading …');
    try {
      const {games, left_out} = await request;
      this.games = games;
      this.leftOut = left_out;
      this.list();
    } catch (error) {
      this.games = [];
      $('library-list').replaceChildren();
      this.say(error.message);
    }
  }

  list() {
    const words = $('library-filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.games.filter(game => {
      const text = `${titleText(game)} ${game.result} ${game.ending} ${game.variant} ${game.round}`
        .toLowerCase();
      return words.every(word => text.includes(word));
    });
    $('library-list').replaceChildren(
      ...found.slice(0, mostShown).map(game => row(game, chosen => this.show(chosen))));
    let note = `${found.length} of ${this.games.length} games`;
    if (found.length > mostShown) note += `, the first ${mostShown} are listed`;
    if (this.leftOut > 0) note += `; ${this.leftOut} more in the file are left out`;
    this.say(note);
  }

  async show(game) {
    const fields = {game: game.variant, fen: game.fen, moves: game.moves};
    if (game.kings_landing) fields.kings_landing = Number(game.kings_landing);
    try {
      await this.session.begin(fields, {side: 'both', source: game, view: 0});
      $('library').close();
    } catch (error) {
      this.say(`This game cannot be shown: ${error.message}`);
    }
  }
}
