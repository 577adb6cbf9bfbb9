// SPDX-License-Identifier: GPL-3.0-or-later
//
// The pieces, drawn for KhanZero. Each is a few shapes on a field of 48 x 48 in the colours of its
// side: the body is filled and outlined, `.d` are lines upon it, `.a` is filled with the accent.
// build.mjs makes them pictures in the style sheet.

const palettes = {
  white: {fill: '#fdf7e8', line: '#2b241d', detail: '#2b241d', accent: '#d8a13c'},
  black: {fill: '#3a3f49', line: '#0c0e12', detail: '#f3ead8', accent: '#c9533b'},
};

const foot = '<path d="M11 42.5v-2.2c0-2.3 1.6-3.8 3.8-3.8h18.4c2.2 0 3.8 1.5 3.8 3.8v2.2z"/>';
const smallFoot = '<path d="M14 42.5v-1.7c0-2.1 1.4-3.5 3.4-3.5h13.2c2 0 3.4 1.4 3.4 3.5v1.7z"/>';

// The Kingdom, and both sides of The Serbest.
const kingdom = {
  p: '<path d="M17 37.5c.3-5.2 4-7.6 4.8-14h4.4c.8 6.4 4.5 8.8 4.8 14z"/>' +
    '<circle cx="24" cy="16.5" r="6.2"/><path class="d" d="M19 24h10"/>' + smallFoot,
  n: '<path d="M15.5 37c-.5-8.5 8.2-10.6 7.8-17.4-2.2 2.4-4.6 4.1-8.2 5-2.3.6-4.6-.9-5-3.2 ' +
    '2.2-4.6 4.8-7.6 7-11l.2-5 4.6 3.6C31 9.4 37 17 35.6 37z"/>' +
    '<circle cx="20.4" cy="15.2" r="1.5" class="e"/><path class="d" d="M26.5 13.5c4 3.4 5.6 9 5.2 19M13 21.6l1.6-.6"/>' + foot,
  b: '<circle cx="24" cy="7.6" r="2.7"/>' +
    '<path d="M24 10.2c5.6 3.6 8.6 8 8.6 12.7 0 3.4-1.6 6.2-3.9 8.1h-9.4c-2.3-1.9-3.9-4.7-3.9-8.1 0-4.7 3-9.1 8.6-12.7z"/>' +
    '<path d="M17.2 31h13.6l1.6 6H15.6z"/><path class="d" d="M24 16v9M20 20.2h8"/>' + foot,
  r: '<path d="M12.5 8.5h5.6v4h3.2v-4h5.4v4h3.2v-4h5.6v9.2l-3.6 3.1V33l2.6 4h-21l2.6-4V20.8l-3.6-3.1z"/>' +
    '<path class="d" d="M16.5 20.8h15M16.5 32.5h15"/>' + foot,
  q: '<path d="M8.5 17.5 14 33.5v3.2h20v-3.2l5.5-16-7.3 7.6-.8-12.6-5 11.4L24 9.5l-2.4 14.4-5-11.4-.8 12.6z"/>' +
    '<circle cx="8.5" cy="15.5" r="2.5"/><circle cx="16.3" cy="10.5" r="2.5"/><circle cx="24" cy="7.8" r="2.7" class="a"/>' +
    '<circle cx="31.7" cy="10.5" r="2.5"/><circle cx="39.5" cy="15.5" r="2.5"/><path class="d" d="M15.5 32.6h17"/>' + foot,
  k: '<path class="s" d="M22.4 3.6h3.2v3.2h3.2V10h-3.2v5h-3.2v-5h-3.2V6.8h3.2z"/>' +
    '<path d="M15 37c-4.6-4.6-7.2-9-5.6-13.2 1.9-4.8 9.4-5.2 14.6 2.2 5.2-7.4 12.7-7 14.6-2.2C40.2 28 37.6 32.4 33 37z"/>' +
    '<path d="M24 13.5c2.8 2.2 3.9 4.4 3.9 6.6 0 2.3-1.6 4.3-3.9 6.4-2.3-2.1-3.9-4.1-3.9-6.4 0-2.2 1.1-4.4 3.9-6.6z" class="a"/>' +
    '<path class="d" d="M15 33.2c6-1.6 12-1.6 18 0"/>' + foot,
};

// Subedei's pawn, of The Serbest: a pawn under a pointed helmet, with the cross of its four captures.
const subedei =
  '<path d="M15.5 37.5c.4-4.8 4.6-7.4 5.4-13.5h6.2c.8 6.1 5 8.7 5.4 13.5z"/>' +
  '<path d="M24 5.5c1.2 4.6 7.6 6.6 7.8 14.5H16.2c.2-7.9 6.6-9.9 7.8-14.5z"/>' +
  '<rect x="13.8" y="18.6" width="20.4" height="5.4" rx="2.7" class="a"/>' +
  '<path class="d" d="m21.2 28.6 5.6 5.6M26.8 28.6l-5.6 5.6"/>' + smallFoot;

// The Horde.
const horde = {
  s: '<path d="M24 9.5c2.2 4.8 9.2 7.5 9.6 18H14.4c.4-10.5 7.4-13.2 9.6-18z"/>' +
    '<path d="M24 10.5c-.6-3.8 2.6-6.4 7-5.6-1 3-3.2 5-7 5.6z" class="a"/>' +
    '<rect x="11" y="26" width="26" height="7.6" rx="3.8"/>' +
    '<path class="d" d="M17 28v3.6M21.7 28v3.6M26.3 28v3.6M31 28v3.6"/>' +
    '<path d="M18.5 33.6h11c.5 3.5 1.9 6.3 4.5 8.9H14c2.6-2.6 4-5.4 4.5-8.9z"/>',
  t: '<path d="M10.5 42.5c.6-8.6 5.4-12.6 13.5-12.6s12.9 4 13.5 12.6z"/>' +
    '<path d="M18.6 20.5 16.2 5.5h15.6l-2.4 15z" class="a"/><path class="l" d="M16.9 10h14.2M17.7 15h12.6"/>' +
    '<circle cx="24" cy="24.5" r="6.7"/><path class="d" d="M21.7 24v.8M26.3 24v.8M22.2 27.6c1.2.8 2.4.8 3.6 0M24 33.5v6"/>' +
    '<path class="d" d="M15.8 36.5l-1.3 3M32.2 36.5l1.3 3"/>',
  a: '<path class="o" d="M9.5 19.5C11.5 12 18 7 27 9.5c2.6.7 4.6-.2 5.5-3M28.5 38.5C36 36.5 41 30 38.5 21c-.7-2.6.2-4.6 3-5.5"/>' +
    '<path class="w" d="M9.5 19.5C11.5 12 18 7 27 9.5c2.6.7 4.6-.2 5.5-3M28.5 38.5C36 36.5 41 30 38.5 21c-.7-2.6.2-4.6 3-5.5"/>' +
    '<path class="x" d="M9.5 19.5 17 31l11.5 7.5"/>' +
    '<path class="o" d="M8.5 39.5 33 15"/><path class="w" d="M8.5 39.5 33 15"/>' +
    '<path d="M39.5 8.5 36.3 20l-8.3-8.3z" class="a"/>' +
    '<path d="M4.5 38.5 10 33l1.8 3.2L15 38l-5.5 5.5-1.3-3.7z" class="a"/>',
  l: '<path class="o" d="M24 43.5V13"/><path class="w" d="M24 43.5V13"/>' +
    '<path d="M24 2.5 28.3 12 24 15.5 19.7 12z" class="a"/>' +
    '<path d="M25.5 15.5 39 17.5l-4.2 3.7 4.2 3.7-13.5 1.6z" class="a"/>' +
    '<path d="M24 20c4 2.2 8 3 11.5 2.8.6 9.7-3.3 16.4-11.5 19.7-8.2-3.3-12.1-10-11.5-19.7C16 23 20 22.2 24 20z"/>' +
    '<path class="d" d="M24 25v13M17.5 29.5h13"/>',
  h: '<path class="x" d="M24 12V6.5"/><path d="M24 3.5c4.5-.8 8.4 1 9.8 5.5-3.2 1.3-7 .3-9.8-2z" class="a"/>' +
    '<path d="M11 30c0-12 5-19.5 13-19.5S37 18 37 30v8.5l-6.5 4V30h-13v12.5l-6.5-4z"/>' +
    '<rect x="9.5" y="25.5" width="29" height="5.6" rx="2.8" class="a"/>' +
    '<path d="M21.8 25.5h4.4v12L24 40.5l-2.2-3z"/><path class="d" d="M24 14v8M17.2 18.5c-.8 1.5-1.3 3-1.5 4.7M30.8 18.5c.8 1.5 1.3 3 1.5 4.7"/>' +
    '<path class="x" d="M19.3 34.5h.4M28.3 34.5h.4"/>',
  k: '<path d="M13.5 27C6.5 25 2.5 16.5 7.5 7.5c.4 5.8 4 9 10 9.5z" class="a"/>' +
    '<path d="M34.5 27c7-2 11-10.5 6-19.5-.4 5.8-4 9-10 9.5z" class="a"/>' +
    '<path d="M12.5 31c0-10.5 4.6-16 11.5-16s11.5 5.5 11.5 16z"/>' +
    '<circle cx="24" cy="10.5" r="4.2" class="a"/>' +
    '<path class="d" d="M24 18v9M18.8 19.5c-1.2 2.2-1.7 4.7-1.8 7.5M29.2 19.5c1.2 2.2 1.7 4.7 1.8 7.5"/>' +
    '<rect x="8.5" y="28.5" width="31" height="7.6" rx="3.8"/>' +
    '<path class="d" d="M15 30.7v3.2M21 30.7v3.2M27 30.7v3.2M33 30.7v3.2"/>' +
    '<path d="M13.5 42.5c0-4 1.8-6.4 4.5-6.4h12c2.7 0 4.5 2.4 4.5 6.4z"/>',
};

// A piece that has no drawing (a game of one's own).
const unknown = '<circle cx="24" cy="24" r="15"/><circle cx="24" cy="24" r="8" class="a"/>';

function svg(shapes, color) {
  const {fill, line, detail, accent} = palettes[color];
  const classes = {
    d: `fill="none" stroke="${detail}" stroke-width="1.7"`,
    l: `fill="none" stroke="${line}" stroke-width="1.5"`,
    e: `fill="${detail}" stroke="none"`,
    a: `fill="${accent}"`,
    s: 'stroke-width="1.6"',
    x: `fill="none" stroke="${color === 'white' ? line : detail}" stroke-width="2.4"`,
    o: `fill="none" stroke="${line}" stroke-width="6"`,
    w: `fill="none" stroke="${fill}" stroke-width="2.8"`,
  };
  const drawn = shapes.replace(/class="(\w)"/g, (_, name) => classes[name]);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><g fill="${fill}" ` +
    `stroke="${line}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${drawn}</g></svg>`;
}

function rule(selector, text) {
  return `${selector}{background-image:url("data:image/svg+xml,${encodeURIComponent(text)}")}\n`;
}

// The style rules of all pieces. The pieces lie below an element with the class art-GAME.
export function pieceStyles() {
  let css = '';
  for (const color of ['white', 'black']) {
    css += rule(`piece.${color}`, svg(unknown, color));
    for (const [letter, shapes] of Object.entries(kingdom)) {
      css += rule(`piece.${letter}-piece.${color}`, svg(shapes, color));
    }
    css += rule(`.art-serbest piece.s-piece.${color}`, svg(subedei, color));
    for (const [letter, shapes] of Object.entries(horde)) {
      if (letter === 'k' && color === 'white') continue;  // the Kingdom has a king
      css += rule(`.art-khans piece.${letter}-piece.${color}`, svg(shapes, color));
    }
  }
  return css;
}

export function icon() {
  return svg(horde.k, 'black');
}
