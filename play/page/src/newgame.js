// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dialog for a new game.
import {$, element} from './dom.js';
import {aboutOf, titleOf} from './games.js';

const chosen = name => document.querySelector(`input[name="${name}"]:checked`).value;

function radio(name, value, checked, title, note) {
  return element('label', {className: 'choice'},
    element('input', {type: 'radio', name, value, checked}),
    element('span', {}, element('b', {textContent: title}),
      note ? element('small', {textContent: note}) : ''));
}

export class NewGame {
  constructor(session) {
    this.session = session;
    const {games, levels} = session.info;
    $('new-games').append(...games.map(({name}, i) =>
      radio('game', name, i === 0, titleOf(name), aboutOf(name))));
    $('new-levels').append(...levels.map(({name, simulations}) => element('option', {
      value: simulations,
      textContent: `${name}: ${simulations === 1 ? 'no search' : `${simulations} simulations`}`,
    })));
    $('new-levels').value = session.level;
    $('new-games').onchange = () => this.showGame();
    $('new-form').onsubmit = event => this.start(event);
    for (const button of document.querySelectorAll('[data-close]')) {
      button.onclick = () => button.closest('dialog').close();
    }
  }

  open() {
    const {session} = this;
    if (session.state) {
      document.querySelector(`input[name="game"][value="${session.state.game}"]`).checked = true;
    }
    $('new-levels').value = session.level;
    $('new-error').textContent = '';
    this.showGame();
    $('new').showModal();
  }

  showGame() {
    const {games, opponents} = this.session.info;
    const game = games.find(({name}) => name === chosen('game'));
    $('new-landing').hidden = !game.has_settings;
    $('new-fen').placeholder = game.start_fen;
    const opponent = opponents[game.name];
    $('new-opponent').textContent = `Opponent: ${opponent.name}. ${opponent.note}`;
  }

  async start(event) {
    event.preventDefault();
    const fields = {game: chosen('game'), fen: $('new-fen').value.trim()};
    if (!$('new-landing').hidden) fields.kings_landing = Number(chosen('landing'));
    let side = chosen('side');
    if (side === 'random') side = Math.random() < 0.5 ? 'white' : 'black';
    try {
      await this.session.begin(fields, {side, level: Number($('new-levels').value)});
      $('new').close();
    } catch (error) {
      $('new-error').textContent = error.message;
    }
  }
}
