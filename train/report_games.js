// SPDX-License-Identifier: GPL-3.0-or-later
//
// The board of report.html: games of the run to step through. It reads positions as FEN and knows
// no game's rules; a piece is its letter on a round token for White, on a square one for Black.
'use strict';

const square = 10;   // in units of the board's view box
const edge = 6;      // for coordinates
const handRow = 11;  // above and below the board

const reasons = {
  cap: 'cut off at the length cap', fifty: 'fifty moves', repetition: 'third repetition',
  khan: 'a king that became Khan',
};

function resultText({result, reason}) {
  const winner = {'1-0': 'White wins', '0-1': 'Black wins'}[result] ?? 'Drawn';
  return `${winner}: ${reasons[reason] ?? reason}`;
}

// {rows: ranks from the highest, each an array of letters or ''; hand: letters; white: to move}
function readFen(fen) {
  const [placement, side] = fen.split(' ');
  const [board, hand = ''] = placement.replace(']', '').split('[');
  const rows = board.split('/').map((rank) => (rank.match(/\d+|[a-z]/gi) ?? []).flatMap(
      (token) => /\d/.test(token) ? Array(Number(token)).fill('') : [token]));
  return {rows, hand, white: side === 'w'};
}

// The squares named in a move's text, as [file, rank] from 0.
function squaresOf(move) {
  return (move.match(/[a-z]\d+/g) ?? []).map((name) => [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1]);
}

function label(x, y, kind, content) {
  const text = svg('text', {x, y, class: kind});
  text.textContent = content;
  return text;
}

function token(letter, x, y) {
  const white = letter === letter.toUpperCase();
  const body = white ?
      svg('circle', {cx: x, cy: y, r: 4.1, class: 'piece-white'}) :
      svg('rect', {x: x - 3.8, y: y - 3.8, width: 7.6, height: 7.6, rx: 1.6, class: 'piece-black'});
  return [body, label(x, y + 0.2, `letter letter-${white ? 'white' : 'black'}`, letter.toUpperCase())];
}

// One side's pieces in hand, with their counts.
function handTokens(hand, white, y, width) {
  const letters = [...hand].filter((letter) => (letter === letter.toUpperCase()) === white);
  const kinds = [...new Set(letters)];
  const step = Math.min(14, (width - 2 * edge) / Math.max(1, kinds.length));
  const nodes = [];
  kinds.forEach((letter, i) => {
    const x = edge + square / 2 + i * step;
    const count = letters.filter((other) => other === letter).length;
    nodes.push(...token(letter, x, y));
    if (count > 1) nodes.push(label(x + 6, y + 2.2, 'hand-count', count));
  });
  return nodes;
}

function icon(outline) {
  return svg('svg', {class: 'icon', width: 14, height: 14, 'aria-hidden': 'true'}, svg('path', {d: outline}));
}

class Viewer {
  constructor(place, games) {
    this.games = games;
    this.turned = false;
    this.timer = null;
    this.buildChooser(place);
    this.buildBoard();
    this.buildControls();
    this.said = html('p', {id: 'said', 'aria-live': 'polite'});
    this.values = html('figure', {},
        html('figcaption', {}, 'Value for White', html('small', {}, ' (win less loss, as the search saw it)')),
        html('div', {class: 'canvas'}));
    this.list = html('ol', {id: 'moves', 'aria-label': 'Moves'});
    this.root = html('div', {id: 'viewer'},
        html('div', {}, this.board, this.range, this.controls,
             html('p', {class: 'hint'}, 'Keys, with the board in focus: ', html('kbd', {}, '\u2190'), ' ',
                  html('kbd', {}, '\u2192'), ' step, ', html('kbd', {}, 'Home'), ' ', html('kbd', {}, 'End'), ', ',
                  html('kbd', {}, 'Space'), ' plays, ', html('kbd', {}, 'F'), ' turns the board.')),
        html('div', {}, this.said, this.values, this.list));
    this.root.addEventListener('keydown', (event) => this.key(event));
    place.append(this.root);
    new ResizeObserver(() => this.drawValues()).observe(this.values);
    this.choose(0);
  }

  buildChooser(place) {
    this.buttons = this.games.map((game, i) => {
      const button = html('button', {type: 'button'}, `Game ${game.number}, ${game.why}`,
                          html('small', {}, `${game.plies} plies. ${resultText(game)}`));
      button.addEventListener('click', () => this.choose(i));
      return button;
    });
    place.append(html('div', {id: 'chooser', role: 'group', 'aria-label': 'Games'}, ...this.buttons));
  }

  buildBoard() {
    const {files, ranks} = report.header;
    this.hands = this.games.some((game) => game.positions[0].includes('['));
    this.top = this.hands ? handRow : 2;
    this.width = files * square + edge + 2;
    this.height = ranks * square + edge + 2 * this.top;
    this.board = svg('svg', {
      id: 'board', viewBox: `0 0 ${this.width} ${this.height}`, tabindex: 0, role: 'img',
    });
    this.board.addEventListener('click', () => this.board.focus());
  }

  buildControls() {
    const button = (content, name, act) => {
      const made = html('button', {type: 'button', 'aria-label': name, title: name}, content);
      made.addEventListener('click', act);
      return made;
    };
    this.playButton = button('Play', 'Play or pause', () => this.togglePlay());
    this.back = [button(icon('M2 1V13M13 1L4 7L13 13Z'), 'First position', () => this.go(0)),
                 button(icon('M11 1L3 7L11 13Z'), 'One move back', () => this.go(this.ply - 1))];
    this.forward = [button(icon('M3 1L11 7L3 13Z'), 'One move on', () => this.go(this.ply + 1)),
                    button(icon('M12 1V13M1 1L10 7L1 13Z'), 'Last position', () => this.go(Infinity))];
    this.controls = html('div', {id: 'controls'}, ...this.back, this.playButton, ...this.forward,
                         button('Turn', 'Turn the board', () => this.turn()));
    this.range = html('input', {id: 'place', type: 'range', min: 0, 'aria-label': 'Place in the game'});
    this.range.addEventListener('input', () => this.go(Number(this.range.value)));
  }

  choose(i) {
    this.stop();
    this.game = this.games[i];
    this.buttons.forEach((button, k) => button.setAttribute('aria-pressed', String(k === i)));
    this.range.max = this.game.moves.length;
    const whiteFirst = readFen(this.game.positions[0]).white;
    this.moveButtons = this.game.moves.map((move, ply) => {
      const button = html('button', {type: 'button'}, move);
      button.addEventListener('click', () => this.go(ply + 1));
      return button;
    });
    this.list.replaceChildren(...this.moveButtons.map((button, ply) => {
      const k = ply + (whiteFirst ? 0 : 1);
      return k % 2 === 0 ? html('li', {}, html('span', {}, `${k / 2 + 1}.`), button) : html('li', {}, button);
    }));
    this.go(0);
  }

  // Shows the position after `ply` moves.
  go(ply) {
    const last = this.game.moves.length;
    this.ply = Math.min(Math.max(ply, 0), last);
    this.range.value = this.ply;
    for (const button of this.back) button.disabled = this.ply === 0;
    for (const button of this.forward) button.disabled = this.ply === last;
    this.moveButtons.forEach((button, k) => {
      if (k === this.ply - 1) {
        button.setAttribute('aria-current', 'true');
        this.list.scrollTop = button.offsetTop - this.list.clientHeight / 2;
      } else {
        button.removeAttribute('aria-current');
      }
    });
    if (this.ply === 0) this.list.scrollTop = 0;
    if (this.ply === last) this.stop();
    this.drawBoard();
    this.drawValues();
    this.say();
  }

  say() {
    const {white} = readFen(this.game.positions[this.ply]);
    const last = this.game.moves.length;
    const value = this.game.values[this.ply] ?? null;
    const {moves, plies} = this.game;
    const parts = [this.ply === 0 ? 'Start' : `Move ${moves[this.ply - 1]}, ply ${this.ply} of ${plies}`];
    if (this.ply < last) {
      parts.push(`${white ? 'White' : 'Black'} to move`);
    } else {
      parts.push(last < plies ? `The ${plies - last} plies after it are not in this page` :
                                resultText(this.game));
    }
    if (value !== null) parts.push(`Value for White ${value > 0 ? '+' : ''}${(value / 100).toFixed(2)}`);
    this.said.textContent = `${parts.join('. ')}.`;
    this.board.setAttribute('aria-label', `Board. ${this.said.textContent}`);
  }

  // The middle of a square given by file and rank from 0.
  middle(file, rank) {
    const {files, ranks} = report.header;
    const column = this.turned ? files - 1 - file : file;
    const row = this.turned ? rank : ranks - 1 - rank;
    return [edge + (column + 0.5) * square, this.top + (row + 0.5) * square];
  }

  drawBoard() {
    const {files, ranks} = report.header;
    const {rows, hand} = readFen(this.game.positions[this.ply]);
    const marked = new Set(this.ply > 0 ? squaresOf(this.game.moves[this.ply - 1]).map(String) : []);
    const nodes = [];
    for (let rank = 0; rank < ranks; ++rank) {
      nodes.push(label(edge / 2, this.middle(0, rank)[1], 'coordinate', rank + 1));
      for (let file = 0; file < files; ++file) {
        const [x, y] = this.middle(file, rank);
        const box = {x: x - square / 2, y: y - square / 2, width: square, height: square};
        nodes.push(svg('rect', {...box, class: (file + rank) % 2 ? 'square-light' : 'square-dark'}));
        if (marked.has(String([file, rank]))) nodes.push(svg('rect', {...box, class: 'square-move'}));
        const letter = rows[ranks - 1 - rank]?.[file];
        if (letter) nodes.push(...token(letter, x, y));
      }
    }
    const below = this.top + ranks * square + edge / 2;
    for (let file = 0; file < files; ++file) {
      nodes.push(label(this.middle(file, 0)[0], below, 'coordinate', String.fromCharCode(97 + file)));
    }
    if (this.hands) {
      nodes.push(...handTokens(hand, this.turned, this.top / 2, this.width));
      nodes.push(...handTokens(hand, !this.turned, this.height - this.top / 2, this.width));
    }
    this.board.replaceChildren(...nodes);
  }

  // The search's value along the game; a click goes there.
  drawValues() {
    const canvas = this.values.querySelector('.canvas');
    this.values.hidden = this.game.values.every((value) => value === null);
    const [width, tall] = [canvas.clientWidth, 110];
    if (this.values.hidden || width === 0) return;
    const last = Math.max(1, this.game.moves.length);
    const x = (ply) => 34 + ply / last * (width - 44);
    const y = (value) => 10 + (100 - value) / 200 * (tall - 30);
    const points = this.game.values.map((value, ply) => [ply, value]).filter(([, value]) => value !== null);
    const root = svg('svg', {
      class: 'plot', width, height: tall, viewBox: `0 0 ${width} ${tall}`, 'aria-hidden': 'true',
    });
    for (const value of [-100, 0, 100]) {
      const text = label(30, y(value) + 4, '', value > 0 ? `+${value / 100}` : value / 100);
      text.setAttribute('text-anchor', 'end');
      root.append(svg('line', {class: 'grid', x1: 34, x2: width - 10, y1: y(value), y2: y(value)}), text);
    }
    for (const ply of ticks(0, last, Math.max(2, width / 90)).filter(Number.isInteger)) {
      const text = label(x(ply), tall - 4, '', ply === 0 ? 'ply 0' : ply);
      text.setAttribute('text-anchor', 'middle');
      root.append(text);
    }
    root.append(
        svg('path', {
          class: 'curve', stroke: colour(0),
          d: points.map(([ply, value], k) => `${k ? 'L' : 'M'}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join(''),
        }),
        svg('line', {class: 'cursor', x1: x(this.ply), x2: x(this.ply), y1: 10, y2: tall - 20}));
    root.addEventListener('click', (event) => {
      const along = (event.clientX - root.getBoundingClientRect().left - 34) / (width - 44);
      this.go(Math.round(along * last));
    });
    canvas.replaceChildren(root);
  }

  turn() {
    this.turned = !this.turned;
    this.drawBoard();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.playButton.textContent = 'Play';
  }

  togglePlay() {
    if (this.timer !== null) {
      this.stop();
      return;
    }
    if (this.ply === this.game.moves.length) this.go(0);
    this.playButton.textContent = 'Pause';
    this.timer = setInterval(() => this.go(this.ply + 1), 700);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === this.range) return;
    const onButton = event.target.tagName === 'BUTTON';
    const actions = {
      ArrowLeft: () => this.go(this.ply - 1),
      ArrowRight: () => this.go(this.ply + 1),
      Home: () => this.go(0),
      End: () => this.go(Infinity),
      f: () => this.turn(),
      ...(onButton ? {} : {' ': () => this.togglePlay()}),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }
}

if (report.games.length > 0) {
  new Viewer(byId('games'), report.games);
} else {
  byId('games').hidden = true;
}
