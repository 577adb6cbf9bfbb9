// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the page says of the games; their rules are the server's.

const titles = {khans: "Khan's Chess", serbest: 'The Serbest'};

const about = {
  khans: 'The Kingdom (White) against the Horde (Black), on 8 × 8. A king on the far rank wins.',
  serbest: 'Place your pieces, one at a time, or move one, on 10 × 10. A king on the far rank is Khan.',
};

const kingdom = {p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king'};
const pieceNames = {
  khans: {...kingdom, s: 'scout', t: 'khatun', a: 'archer', l: 'lancer', h: 'kheshig'},
  serbest: {...kingdom, s: 'Subedei pawn'},
};

const reasons = {
  checkmate: 'Checkmate',
  stalemate: 'Stalemate: who cannot move loses',
  campmate: 'Campmate: the king has reached the far rank',
  khan: 'Khan: the king has reached the far rank',
  repetition: 'The same position for the third time',
  fifty: 'Fifty moves without progress',
  cap: 'The game was cut off',
};

export const titleOf = game => titles[game] ?? game;
export const aboutOf = game => about[game] ?? '';
export const reasonText = reason => reasons[reason] ?? reason;

export function pieceName(game, letter, color) {
  if (game === 'khans' && letter === 'k' && color === 'black') return 'khan';
  return pieceNames[game]?.[letter] ?? letter.toUpperCase();
}

// The kinds of piece that a hand can hold, in the order of the start position's hand; none in a
// game without hands.
export function handLetters(startFen) {
  const hand = /\[([^\]]*)\]/.exec(startFen);
  return hand ? [...new Set(hand[1].replace(/[^A-Z]/g, '').toLowerCase())] : [];
}

export const colorToMove = fen => (fen.split(' ')[1] === 'w' ? 'white' : 'black');
export const opposite = color => (color === 'white' ? 'black' : 'white');
export const capital = text => text[0].toUpperCase() + text.slice(1);

// {drop, to} or {from, to, promotion}; null for anything else.
export function parseMove(text) {
  const drop = /^([A-Z])@([a-z]\d{1,2})$/.exec(text);
  if (drop) return {drop: drop[1].toLowerCase(), to: drop[2]};
  const move = /^([a-z]\d{1,2})([a-z]\d{1,2})([a-z])?$/.exec(text);
  return move && {from: move[1], to: move[2], promotion: move[3]};
}
