// SPDX-License-Identifier: GPL-3.0-or-later
//
// Puts the page together: the session's state on the board and in the panel, and what the buttons do.
import * as api from './api.js';
import {Board} from './board.js';
import {$, ask, element} from './dom.js';
import {bestMoves, showEvaluation} from './evaluation.js';
import {capital, opposite, pieceName, reasonText, titleOf} from './games.js';
import {Keyboard} from './keyboard.js';
import {Library} from './library.js';
import {bindMoves, showMoves} from './moves.js';
import {NewGame} from './newgame.js';
import {Session} from './session.js';

// Simulations for the evaluation and for hints: as many as the opponent's, within these bounds.
const leastSimulations = 200;
const mostSimulations = 800;

const options = {flipped: false, bar: true, lines: false, hintAt: null};
let session;
let board;

function orientation() {
  const below = session.side === 'black' ? 'black' : 'white';
  return options.flipped ? opposite(below) : below;
}

function resultText() {
  const {state, side} = session;
  const winner = {'1-0': 'white', '0-1': 'black'}[state.result];
  const outcome = !winner ? 'A draw.' : side === 'both' ? `${capital(winner)} wins.`
    : winner === side ? 'You win!' : 'You lose.';
  return `${reasonText(state.reason)}. ${outcome}`;
}

function statusText() {
  if (session.error) return session.error;
  if (!session.atEnd) return `Looking at ply ${session.view} of ${session.last}.`;
  if (session.state.over) return resultText();
  const check = session.state.checks[session.view] ? ' Check!' : '';
  if (session.thinking) return `${session.opponent.name} is thinking …`;
  if (session.source) return `The end of the game: ${session.source.ending || session.source.result}.`;
  if (session.side === 'both') return `${capital(session.turn)} to move.${check}`;
  if (session.opponentToMove) return `${session.opponent.name} is to move.`;
  return `Your move (${session.turn}).${check}`;
}

function showPlayers() {
  const above = opposite(orientation());
  for (const [id, color] of [['player-top', above], ['player-bottom', orientation()]]) {
    const label = $(id);
    label.classList.toggle('to-move', session.turn === color && !session.state.over);
    label.replaceChildren(element('i', {className: `dot ${color}`}),
                          element('span', {textContent: session.nameOf(color)}));
  }
  const opponent = session.opponent;
  $('opponent').textContent = session.source ? session.source.event || 'A game from PGN'
    : session.side === 'both' ? 'You move for both sides.' : `Against ${opponent.name}, ${session.levelName}`;
  $('opponent-note').textContent = session.source ? '' : opponent.note;
  $('title').textContent = titleOf(session.state.game);
  const landing = session.state.kings_landing;
  $('landing').textContent = landing ? `King's Landing: own ranks 1 to ${landing}` : '';
}

function showButtons() {
  const {state} = session;
  $('undo').disabled = session.undoPly < 0 || session.source !== null;
  $('hint').disabled = state.over && session.atEnd;
  // Not thinking though it is its turn: its answer was an error.
  $('move-now').hidden = !session.thinking && !(session.atEnd && session.opponentToMove);
  $('move-now').textContent = session.thinking ? 'Move now' : 'Let it move';
  $('change-sides').hidden = session.side === 'both' || session.thinking || state.over;
  $('from-here').hidden = !(session.source || session.side === 'both' || !session.atEnd) ||
    (session.atEnd && state.over);
  $('typed').disabled = state.over;
}

function wantsLines() {
  return options.lines || options.hintAt === hintPlace();
}
const hintPlace = () => `${session.state.id}/${session.view}/${session.state.moves.join(' ')}`;

function show() {
  const {state, view} = session;
  if (!state) return;
  const {gameInfo} = session;
  if (board.game?.name !== gameInfo.name) {
    board.setUp(gameInfo, orientation());
    $('table').className = `table art-${gameInfo.name}${board.letters.length > 0 ? ' with-hands' : ''}`;
  }
  const movable = session.personToMove;
  board.show({
    fen: session.fen,
    orientation: orientation(),
    turn: session.turn,
    mover: movable ? session.turn : undefined,
    legal: movable ? state.legal : [],
    lastMove: state.moves[view - 1],
    check: state.checks[view],
  });
  const lines = wantsLines();
  board.mark(lines ? bestMoves(session) : [], session.turn);
  $('status').textContent = statusText();
  $('status').classList.toggle('bad', session.error !== '');
  $('status').classList.toggle('ended', state.over && session.atEnd);
  showPlayers();
  showMoves(session);
  showEvaluation(session, {bar: options.bar, lines}, move => session.play(move));
  showButtons();
  if (options.bar || lines) {
    session.analyse(Math.min(mostSimulations, Math.max(leastSimulations, session.level)));
  }
}

// Asks what a pawn becomes when there is a choice; null when it was left open.
async function promotion(candidates) {
  if (candidates.length === 1) return candidates[0];
  const {turn, state} = session;
  $('promotion-pieces').className = `art-${state.game}`;
  $('promotion-pieces').replaceChildren(...candidates.map(move => {
    const letter = move.at(-1);
    const button = element('button', {value: move, title: pieceName(state.game, letter, turn)});
    const piece = element('piece', {className: `${letter}-piece ${turn}`});
    button.append(piece, element('span', {textContent: pieceName(state.game, letter, turn)}));
    return button;
  }));
  return (await ask($('promotion'))) || null;
}

async function onMove(text) {
  const candidates = session.state.legal.filter(move => move === text ||
    (move.startsWith(text) && move.length === text.length + 1 && /[a-z]$/.test(move)));
  const move = candidates.length > 0 ? await promotion(candidates) : null;
  if (move) await session.play(move);
  else show();
}

async function download() {
  const {pgn} = await api.pgn(session.state.id,
                              {white: session.nameOf('white'), black: session.nameOf('black')});
  const link = element('a', {
    href: URL.createObjectURL(new Blob([pgn], {type: 'application/x-chess-pgn'})),
    download: `${session.state.game}.pgn`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  localStorage.setItem('theme', theme);
}

function bindTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const kept = localStorage.getItem('theme');
  if (kept) setTheme(kept);
  $('theme').onclick = () => {
    const now = document.documentElement.dataset.theme || (dark.matches ? 'dark' : 'light');
    setTheme(now === 'dark' ? 'light' : 'dark');
  };
}

function bindButtons(newGame, library) {
  const actions = {
    flip: () => { options.flipped = !options.flipped; show(); },
    hint: () => { options.hintAt = hintPlace(); show(); },
    undo: () => session.undo(),
    newGame: () => newGame.open(),
    help: () => $('help-box').showModal(),
  };
  $('flip').onclick = actions.flip;
  $('hint').onclick = actions.hint;
  $('undo').onclick = actions.undo;
  $('new-game').onclick = actions.newGame;
  $('help').onclick = actions.help;
  $('load').onclick = () => library.open();
  $('move-now').onclick = () => (session.thinking ? session.moveNow() : session.answer());
  $('change-sides').onclick = () => session.changeSides();
  $('from-here').onclick = () => session.playFromHere();
  $('download').onclick = () => download().catch(error => {
    session.error = error.message;
    show();
  });
  $('copy-fen').onclick = () => navigator.clipboard?.writeText(session.fen);
  for (const name of ['bar', 'lines']) {
    $(`show-${name}`).checked = options[name];
    $(`show-${name}`).onchange = event => {
      options[name] = event.target.checked;
      options.hintAt = null;
      show();
    };
  }
  return actions;
}

async function start() {
  bindTheme();
  session = new Session(await api.info());
  $('version').textContent = `${session.info.program} ${session.info.version}`;
  board = new Board({wrap: $('board'), top: $('pocket-top'), bottom: $('pocket-bottom'), onMove});
  const newGame = new NewGame(session);
  const library = new Library(session);
  new Keyboard(session, board, bindButtons(newGame, library));
  bindMoves(session);
  session.addEventListener('change', show);
  addEventListener('pagehide', () => session.state && api.drop(session.state.id).catch(() => {}));
  const saved = Session.saved();
  const first = {fields: {game: session.info.games[0].name}, options: {side: 'white'}};
  try {
    const {fields, options: kept} = saved ?? first;
    await session.begin(fields, kept);
  } catch {
    await session.begin(first.fields, first.options);
  }
}

start().catch(error => {
  $('status').textContent = error.message;
  $('status').classList.add('bad');
});
