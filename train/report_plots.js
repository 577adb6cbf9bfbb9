// SPDX-License-Identifier: GPL-3.0-or-later
//
// What report.html tells of a run: its summary, alarms and notes, and which figures its plots show.
'use strict';

// --- what is plotted ---------------------------------------------------------------------------

const shown = new Set();  // tags that have a plot of their own

function column(tag) {
  shown.add(tag);
  return columns[tag];
}

function combine(f, ...parts) {
  if (parts.some((part) => part === undefined)) return undefined;
  return parts[0].map((_, i) => {
    const numbers = parts.map((part) => part[i]);
    if (numbers.includes(null)) return null;
    const value = f(...numbers);
    return Number.isFinite(value) ? value : null;
  });
}

function tagsUnder(prefix) {
  return Object.keys(columns).filter((tag) => tag.startsWith(prefix));
}

function words(name) {
  return name.replaceAll('_', ' ').replaceAll('/', ', ');
}

function strengthPlots() {
  const opponents = tagsUnder('scores/');
  const series = opponents.map((tag) => ({name: words(tag.slice(7)), values: column(tag)}));
  return ['games', 'hours'].map((axis) => ({
    title: `Score against baselines, over ${axis}`, unit: 'points a game', series, axis,
    share: true,
  }));
}

// Not over cycles, but over the checkpoints that the ladder has rated.
function ratingPlots() {
  const {ladder} = report;
  if (!ladder) return [];
  return ['games', 'hours'].map((axis) => ({
    title: `Rating over ${axis}`,
    unit: `Elo above random, ${ladder.about}; 95 % intervals` +
        (ladder.level_error ? `, of all together \u00b1 ${whole.format(ladder.level_error)}` : ''),
    axis: {label: axes[axis].label, format: axes[axis].format, values: ladder[axis]},
    series: [{name: 'checkpoints', values: ladder.elo, errors: ladder.error}],
    levels: ladder.anchors, tell: whole.format,
  }));
}

function lossPlots() {
  const heads = new Set();
  for (const tag of Object.keys(columns)) {
    const match = /^(?:learner|validation)\/(.+)_loss$/.exec(tag);
    if (match) heads.add(match[1]);
  }
  const order = ['policy', 'value'];
  const place = (head) => (order.indexOf(head) + order.length + 1) % (order.length + 1);
  return [...heads].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1)).map((head) => ({
    title: `Loss: ${words(head)}`, unit: 'nats',
    series: [
      {name: 'training', values: column(`learner/${head}_loss`)},
      {name: 'validation', values: column(`validation/${head}_loss`)},
    ],
  }));
}

function learningPlots() {
  return [
    {
      title: 'Policy entropy', unit: 'nats',
      series: [
        {name: 'training', values: column('learner/policy_entropy')},
        {name: 'validation', values: column('validation/policy_entropy')},
      ],
    },
    {
      title: 'Top-move agreement', unit: 'network and search prefer the same move',
      series: [{name: 'validation', values: column('validation/top_move_agreement')}],
      share: true,
    },
  ];
}

function selfPlayPlots() {
  const games = column('self_play/games');
  const share = (tag) => combine((count, all) => count / all, column(`self_play/${tag}`), games);
  const endings = tagsUnder('self_play/endings/').map((tag) => tag.slice(18));
  return [
    {
      title: 'Game length', unit: 'plies, mean',
      series: [{
        name: 'self-play', values: combine((plies, all) => plies / all, column('self_play/plies'), games),
      }],
    },
    {
      title: 'Endings by reason', unit: 'share of games', stacked: true,
      series: endings.map((name) => ({name: words(name), values: share(`endings/${name}`)})),
    },
    {
      title: 'Results by side', unit: 'share of games', stacked: true,
      series: [
        {name: 'White wins', values: share('white_wins')},
        {name: 'draw', values: share('draws')},
        {name: 'Black wins', values: share('black_wins')},
      ],
    },
    {
      title: "White's score", unit: 'points a game', share: true,
      series: [{
        name: 'White',
        values: combine((wins, draws, all) => (wins + draws / 2) / all, column('self_play/white_wins'),
                        column('self_play/draws'), games),
      }],
    },
    {
      title: 'Games cut off at the length cap', unit: 'share of games', share: true,
      series: [{
        name: 'cut off',
        values: share('endings/cap') ?? combine(() => 0, games),
      }],
    },
  ];
}

function speedPlots() {
  return [
    {
      title: 'Evaluations in self-play', unit: 'a second', peaks: true,
      series: [{name: 'self-play', values: column('self_play/evaluations_per_second')}],
    },
    {
      title: 'Samples in learning', unit: 'a second', peaks: true,
      series: [{name: 'learner', values: column('learner/samples_per_second')}],
    },
  ];
}

// Every other figure, by the part of the program that gave it.
function otherPlots() {
  const groups = new Map();
  for (const tag of Object.keys(columns)) {
    const [group, name] = tag.split(/\/(.*)/s);
    if (shown.has(tag) || (group === 'run' && /^(cycle|games|hours|step)$/.test(name))) continue;
    if (!groups.has(group)) groups.set(group, []);
    const series = [{name: words(group), values: columns[tag]}];
    groups.get(group).push({title: words(name), unit: '', series});
  }
  return groups;
}

// --- the page ----------------------------------------------------------------------------------

function describeRun() {
  const {run, game, files, ranks, simulations, written, program} = report.header;
  byId('run').textContent = run;
  byId('about').textContent =
      `KhanZero on ${game} (${files}x${ranks}), ${simulations} simulations a move in self-play`;
  byId('footer').textContent = `Written ${written} by KhanZero ${program}` +
      (report.plots.cycles_per_point > 1 ?
          `; each point is the mean of ${report.plots.cycles_per_point} cycles` : '');
}

function summarise() {
  const {games, positions, step, hours, blocks, channels, checkpoint} = report.header;
  const facts = [
    ['Games', games, whole.format], ['Positions', positions, whole.format],
    ['Learner steps', step, whole.format], ['Work', hours, duration],
    ...tagsUnder('scores/').map(
        (tag) => [`Score against ${words(tag.slice(7))}`, lastOf(columns[tag]), percent]),
    ['Best checkpoint', report.ladder?.best ?? undefined, String],
    ['Network', `${blocks} blocks x ${channels}`, String], ['Newest checkpoint', checkpoint, String],
  ];
  for (const [name, value, format] of facts) {
    if (value === undefined) continue;
    byId('summary').append(html('div', {}, html('dt', {}, name), html('dd', {}, format(value))));
  }
}

function alarmItem({text, first_cycle, last_cycle, count}) {
  const when = count === 1 ? `cycle ${last_cycle}` : `${count} times, cycles ${first_cycle} to ${last_cycle}`;
  return html('li', {}, `${text} (${when})`);
}

function notice(place, kind, title, ...children) {
  place.hidden = false;
  place.append(html('div', {class: `notice ${kind}`}, html('h2', {}, title), ...children));
}

function warn() {
  const now = report.alarms.filter((alarm) => alarm.now).map(alarmItem);
  const before = report.alarms.filter((alarm) => !alarm.now).map(alarmItem);
  const earlier = html('details', {}, html('summary', {}, `${before.length} earlier`),
                       html('ul', {}, ...before));
  if (now.length > 0) {
    notice(byId('alarms'), 'alarm', 'Alarms in the newest cycle', html('ul', {}, ...now),
           ...(before.length > 0 ? [earlier] : []));
  } else if (before.length > 0) {
    notice(byId('alarms'), '', 'No alarm in the newest cycle', earlier);
  }
  if (report.notes.length > 0) {
    notice(byId('notes'), '', 'Notes',
           html('ul', {}, ...report.notes.map((note) => html('li', {}, note))));
  }
}

function addSection(id, plots) {
  const section = byId(id);
  for (const plot of plots) addPlot(section.querySelector('.plots'), plot);
  section.hidden = section.querySelector('figure') === null;
}

function addOthers() {
  const place = byId('more').querySelector('.plots');
  for (const [group, plots] of otherPlots()) {
    place.append(html('h3', {}, words(group)));
    for (const plot of plots) addPlot(place, plot);
  }
  byId('more').hidden = place.querySelector('figure') === null;
}

function addAxisChoice() {
  for (const [name, {label, values}] of Object.entries(axes)) {
    if (values === undefined) continue;
    const choice = html('input', {type: 'radio', name: 'axis', value: name});
    choice.checked = name === chosenAxis;
    choice.addEventListener('change', () => {
      chosenAxis = name;
      for (const redraw of redraws) redraw();
    });
    byId('axis').append(html('label', {}, choice, label));
  }
}

describeRun();
warn();
summarise();
addAxisChoice();
addSection('strength', [...ratingPlots(), ...strengthPlots()]);
addSection('progress', [...lossPlots(), ...learningPlots(), ...selfPlayPlots(), ...speedPlots()]);
addOthers();
