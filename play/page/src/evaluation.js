// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the search says of the position on the board: the bar of win, draw and loss, and the lines.
import {$, element} from './dom.js';

const percent = share => `${Math.round(100 * share)} %`;

function showBar(wdl) {
  for (const part of ['white', 'draw', 'black']) {
    const segment = $(`bar-${part}`);
    const share = wdl ? wdl[part] : part === 'draw' ? 1 : 0;
    // Large numbers: shares of a sum below 1, as on the way from one to another, would leave a gap.
    segment.style.flexGrow = 1000 * share;
    segment.textContent = wdl && share >= 0.14 ? percent(share) : '';
  }
  $('bar').classList.toggle('empty', !wdl);
  $('bar').setAttribute('aria-label', wdl
    ? `White wins ${percent(wdl.white)}, draw ${percent(wdl.draw)}, Black wins ${percent(wdl.black)}`
    : 'No evaluation');
}

function scoreText(line) {
  if (line.mate !== undefined) {
    return `${line.mate > 0 ? 'White' : 'Black'} wins in ${Math.max(1, Math.abs(line.mate))}`;
  }
  return `${Math.round(100 * (line.wdl.white + line.wdl.draw / 2))}`;
}

// The bar of a game that is over.
function barOf(result) {
  if (result === '1-0') return {white: 1, draw: 0, black: 0};
  if (result === '0-1') return {white: 0, draw: 0, black: 1};
  return {white: 0, draw: 1, black: 0};
}

export function showEvaluation(session, {bar, lines}, onLine) {
  $('evaluation').hidden = !bar;
  $('lines-box').hidden = !lines;
  const analysis = session.analyses.get(session.view);
  const ended = session.state.over && session.atEnd;
  showBar(ended ? barOf(session.state.result) : analysis?.wdl);
  $('lines').replaceChildren();
  if (ended || !analysis) {
    $('lines-note').textContent = ended ? 'The game is over.' : 'Looking …';
    return;
  }
  const looked = analysis.simulations.toLocaleString('en');
  $('lines-note').textContent =
    `White's expected score in %, after ${looked} ${session.opponent.network ? 'simulations' : 'positions'}`;
  for (const line of analysis.lines) {
    const button = element('button', {type: 'button', className: 'line', title: 'Play this move',
                                      onclick: () => onLine(line.moves[0])},
      element('b', {textContent: scoreText(line)}),
      element('span', {textContent: line.moves.slice(0, 8).join(' ')}));
    button.disabled = !session.personToMove;
    $('lines').append(element('li', {}, button));
  }
}

// The first moves of the lines, the best first.
export function bestMoves(session) {
  const analysis = session.analyses.get(session.view);
  return analysis && !(session.state.over && session.atEnd)
    ? analysis.lines.map(line => line.moves[0]) : [];
}
