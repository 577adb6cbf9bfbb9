// SPDX-License-Identifier: GPL-3.0-or-later
//
// The list of moves, and the buttons that step through it.
import {$, element} from './dom.js';
import {colorToMove} from './games.js';

function moveButton(session, ply) {
  const button = element('button', {
    type: 'button',
    className: 'move',
    textContent: session.state.moves[ply - 1],
    onclick: () => session.look(ply),
  });
  if (ply === session.view) button.setAttribute('aria-current', 'true');
  return button;
}

export function showMoves(session) {
  const list = $('moves');
  const {fens, moves} = session.state;
  const rows = [];
  for (let ply = 1; ply <= moves.length; ++ply) {
    const white = colorToMove(fens[ply - 1]) === 'white';
    if (white || rows.length === 0) {
      const number = fens[ply - 1].split(' ')[5];
      rows.push(element('li', {}, element('span', {className: 'number', textContent: `${number}.`})));
      if (!white) rows.at(-1).append(element('span', {className: 'gap', textContent: '…'}));
    }
    rows.at(-1).append(moveButton(session, ply));
  }
  list.replaceChildren(...rows);
  $('no-moves').hidden = moves.length > 0;
  // Not scrollIntoView: that would move the whole page on a phone.
  const current = list.querySelector('[aria-current]');
  const box = list.parentElement;
  if (!current) {
    box.scrollTop = 0;
  } else if (current.offsetTop < box.scrollTop ||
             current.offsetTop + current.offsetHeight > box.scrollTop + box.clientHeight) {
    box.scrollTop = current.offsetTop - box.clientHeight / 2;
  }
  $('first').disabled = $('back').disabled = session.view === 0;
  $('end').disabled = $('next').disabled = session.atEnd;
  const comment = session.view > 0 ? session.source?.comments[session.view - 1] : '';
  $('comment').textContent = comment ?? '';
  $('comment').hidden = !comment;
}

export function bindMoves(session) {
  $('first').onclick = () => session.look(0);
  $('back').onclick = () => session.look(session.view - 1);
  $('next').onclick = () => session.look(session.view + 1);
  $('end').onclick = () => session.look(session.last);
}
