// SPDX-License-Identifier: GPL-3.0-or-later
//
// How report.html draws a plot. Text from the run goes into the page as text nodes and attributes,
// never as markup.
'use strict';

const report = JSON.parse(document.getElementById('data').textContent);
const columns = report.plots.columns;

// --- elements ----------------------------------------------------------------------------------

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

// --- numbers -----------------------------------------------------------------------------------

const compact = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});
const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});

function plain(value) {
  const size = Math.abs(value);
  if (size >= 1e4) return compact.format(value);
  if (size !== 0 && size < 1e-3) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

// A figure that is told, where plain() names a mark of an axis.
function exact(value) {
  const size = Math.abs(value);
  if (size >= 1e4 || (size !== 0 && size < 1e-3)) return plain(value);
  return Number.isInteger(value) || size >= 1000 ? String(Math.round(value)) : value.toPrecision(3);
}

function percent(value) {
  return `${Number((100 * value).toFixed(1))} %`;
}

function duration(hours) {
  if (hours < 1 / 60) return `${Math.round(3600 * hours)} s`;
  if (hours < 1) return `${Math.round(60 * hours)} min`;
  if (hours < 100) return `${Number(hours.toFixed(1))} h`;
  return `${Number((hours / 24).toFixed(1))} days`;
}

// Round values that divide an axis into about `count` parts.
function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= 0.999 * rough);
  const marks = [];
  for (let i = Math.ceil(low / step - 1e-6); i * step <= high + 1e-6 * step; ++i) {
    marks.push(Number((i * step).toPrecision(10)));
  }
  return marks;
}

function lastOf(values) {
  return values.findLast((value) => value !== null);
}

// --- drawing -----------------------------------------------------------------------------------

const axes = {
  games: {label: 'games', values: columns['run/games'], format: plain},
  hours: {label: 'hours of work', values: columns['run/hours'], format: plain},
  step: {label: 'learner steps', values: columns['run/step'], format: plain},
};
const height = 220;
const margin = {left: 50, right: 14, top: 10, bottom: 38};
let chosenAxis = 'games';

function colour(i) {
  return `var(--c${i % 8})`;
}

function swatch(plot, i) {
  const mark = plot.stacked ?
      svg('rect', {width: 14, height: 10, rx: 2, fill: colour(i)}) :
      svg('path', {d: 'M0 5H18', stroke: colour(i), class: i % 2 ? 'curve dashed' : 'curve'});
  return svg('svg', {width: plot.stacked ? 14 : 18, height: 10, 'aria-hidden': 'true'}, mark);
}

// Where a plot that may have peaks is cut off so that they leave the rest readable; undefined when
// it need not be.
function cutAt(plot) {
  if (!plot.peaks) return undefined;
  const sorted = plot.series.flatMap((one) => one.values.filter((value) => value !== null)).sort((a, b) => a - b);
  const usual = sorted[Math.floor(sorted.length / 2)];
  return sorted.at(-1) > 5 * usual ? 2 * usual : undefined;
}

// Middle of the known lengths of error bars: how far the y axis reaches beyond the values. Longer
// bars are cut off, or a single one could flatten the curve.
function usualError(plot) {
  const known = plot.series.flatMap((one) => one.errors ?? []).filter((value) => value !== null);
  return known.sort((a, b) => a - b)[Math.floor(known.length / 2)] ?? 0;
}

// The lowest and highest value of the y axis, with some air around the curves.
function range(plot) {
  if (plot.stacked || plot.share) return [0, 1];
  const error = usualError(plot);
  const values = plot.series.flatMap((one) => one.values.filter((value) => value !== null))
      .flatMap((value) => [value - error, value + error]);
  // Down to the marked height below the curve, unless that would take half of the axis.
  const least = Math.min(...values);
  const below = Math.max(...(plot.levels ?? []).map((level) => level.value).filter((value) => value < least));
  if (least - below < Math.max(...values) - least) values.push(below);
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = cutAt(plot) ?? values.reduce((a, b) => Math.max(a, b), -Infinity);
  const air = high > low ? 0.08 * (high - low) : Math.abs(high) || 1;
  return [low >= 0 && low - air < 0.25 * high ? 0 : low - air, high + air];
}

function scales(plot, places, width) {
  const low = 0;
  const high = places.reduce((a, b) => Math.max(a, b ?? 0), 0) || 1;
  const [bottom, top] = range(plot);
  return {
    low, high, bottom, top,
    x: (value) => margin.left + (value - low) / (high - low) * (width - margin.left - margin.right),
    y: (value) => height - margin.bottom -
        (Math.min(Math.max(value, bottom), top) - bottom) / (top - bottom) * (height - margin.top - margin.bottom),
  };
}

function drawAxes(root, plot, axis, scale, width) {
  for (const mark of ticks(scale.bottom, scale.top, 4)) {
    const y = scale.y(mark);
    root.append(svg('line', {class: 'grid', x1: margin.left, x2: width - margin.right, y1: y, y2: y}));
    const text = svg('text', {x: margin.left - 6, y: y + 4, 'text-anchor': 'end'});
    text.textContent = plot.format(mark);
    root.append(text);
  }
  for (const mark of ticks(scale.low, scale.high, Math.max(2, width / 110))) {
    const x = scale.x(mark);
    root.append(svg('line', {
      class: 'grid', x1: x, x2: x, y1: height - margin.bottom, y2: height - margin.bottom + 4,
    }));
    const text = svg('text', {x, y: height - margin.bottom + 16, 'text-anchor': 'middle'});
    text.textContent = axis.format(mark);
    root.append(text);
  }
  const label = svg('text', {x: (width + margin.left) / 2, y: height - 6, 'text-anchor': 'middle'});
  label.textContent = axis.label;
  root.append(label);
}

// Marked heights: a thin line with its name, where the axis reaches it.
function drawLevels(root, plot, scale, width) {
  for (const {name, value} of plot.levels ?? []) {
    if (value < scale.bottom || value > scale.top) continue;
    const y = scale.y(value);
    root.append(svg('line', {class: 'level', x1: margin.left, x2: width - margin.right, y1: y, y2: y}));
    const text = svg('text', {x: width - margin.right, y: y - 3, 'text-anchor': 'end', class: 'level-name'});
    text.textContent = name;
    root.append(text);
  }
}

function drawErrors(root, one, i, places, scale) {
  let bars = '';
  one.values.forEach((value, k) => {
    const error = one.errors[k];
    if (value === null || error === null || places[k] === null) return;
    const x = scale.x(places[k]);
    const [low, high] = [scale.y(value - error).toFixed(1), scale.y(value + error).toFixed(1)];
    const cap = `${(x - 3).toFixed(1)}`;
    bars += `M${x.toFixed(1)} ${low}V${high}M${cap} ${low}h6M${cap} ${high}h6`;
  });
  root.append(svg('path', {class: 'error', stroke: colour(i), d: bars}));
}

function drawLines(root, plot, places, scale) {
  plot.series.forEach((one, i) => {
    const points = one.values.map((value, k) => [places[k], value])
        .filter(([x, y]) => x !== null && y !== null)
        .map(([x, y]) => [scale.x(x).toFixed(1), scale.y(y).toFixed(1)]);
    if (one.errors) drawErrors(root, one, i, places, scale);
    root.append(svg('path', {
      class: i % 2 ? 'curve dashed' : 'curve', stroke: colour(i),
      d: points.map(([x, y], k) => `${k ? 'L' : 'M'}${x} ${y}`).join(''),
    }));
    if (points.length > 40) return;
    for (const [x, y] of points) root.append(svg('circle', {cx: x, cy: y, r: 3, fill: colour(i)}));
  });
}

// Each cycle covers the stretch since the one before it: those are the games it tells of.
function drawBands(root, plot, places, scale) {
  const floor = places.map(() => 0);
  plot.series.forEach((one, i) => {
    let above = '';
    let below = '';
    let before = 0;
    places.forEach((place, k) => {
      if (place === null) return;
      const bottom = scale.y(floor[k]).toFixed(1);
      floor[k] += one.values[k] ?? 0;
      const [x0, x1] = [scale.x(before).toFixed(1), scale.x(place).toFixed(1)];
      above += `L${x0} ${scale.y(floor[k]).toFixed(1)}H${x1}`;
      below = `L${x1} ${bottom}H${x0}${below}`;
      before = place;
    });
    if (above) root.append(svg('path', {class: 'band', fill: colour(i), d: `M${above.slice(1)}${below}Z`}));
  });
}

// A value of a series in words, with its error.
function told(plot, one, k) {
  const error = one.errors?.[k] ?? null;
  return plot.tell(one.values[k]) + (error === null ? '' : ` \u00b1 ${plot.tell(error)}`);
}

function tipFor(plot, axis, k) {
  const rows = plot.series.map((one, i) => [one, i]).filter(([one]) => one.values[k] !== null);
  if (plot.stacked) rows.reverse();
  return html('div', {class: 'tip'},
      html('p', {class: 'place'}, `${exact(axis.values[k])} ${axis.label}`),
      ...rows.map(([one, i]) => html('p', {}, swatch(plot, i), html('span', {}, one.name),
                                     html('b', {}, told(plot, one, k)))));
}

// Pointer and arrow keys move a line over the plot; a tip tells the figures there.
function addCursor(figure, root, plot, axis, scale, width) {
  const known = axis.values.map((_, k) => k).filter(
      (k) => axis.values[k] !== null && plot.series.some((one) => one.values[k] !== null));
  const live = figure.querySelector('[aria-live]');
  const canvas = figure.querySelector('.canvas');
  let at = -1;
  let drawn = [];
  const hide = () => {
    for (const node of drawn) node.remove();
    drawn = [];
  };
  const show = (index, say) => {
    hide();
    at = Math.min(Math.max(index, 0), known.length - 1);
    const k = known[at];
    const x = scale.x(axis.values[k]);
    const tip = tipFor(plot, axis, k);
    drawn = [svg('line', {class: 'cursor', x1: x, x2: x, y1: margin.top, y2: height - margin.bottom}), tip];
    root.append(drawn[0]);
    figure.append(tip);
    const left = canvas.offsetLeft + x;
    tip.style.top = `${canvas.offsetTop + margin.top}px`;
    tip.style.left = `${x < width / 2 ? left + 12 : Math.max(4, left - 12 - tip.offsetWidth)}px`;
    if (say) live.textContent = [...tip.children].map((row) => [...row.childNodes].map((part) => part.textContent).join(' ')).join(', ');
  };
  root.addEventListener('pointermove', (event) => {
    const x = event.clientX - root.getBoundingClientRect().left;
    let best = 0;
    known.forEach((k, i) => {
      const distance = (j) => Math.abs(scale.x(axis.values[known[j]]) - x);
      if (distance(i) <= distance(best)) best = i;
    });
    show(best, false);
  });
  root.addEventListener('pointerleave', hide);
  root.addEventListener('blur', hide);
  root.addEventListener('keydown', (event) => {
    const moves = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: known.length - 1};
    if (event.key === 'Escape') hide();
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(moves[event.key], true);
  });
}

// What a plot is drawn over: the axis that it names or brings along, or the chosen one.
function axisOf(plot) {
  return plot.axis?.values ? plot.axis : axes[plot.axis ?? chosenAxis];
}

// A plot: {title, unit, series: [{name, values, errors}], stacked, share, peaks, axis, levels}. The
// y axis of shares is 0 to 100 %; `peaks` lets rare high values be cut off; `axis` fixes what it is
// drawn over, by name or as {label, format, values}; `errors` are half the lengths of error bars;
// `levels` are marked heights, each with its name; `tell` says a value in words.
function draw(figure, plot) {
  const axis = axisOf(plot);
  const width = Math.max(240, figure.querySelector('.canvas').clientWidth);
  const root = svg('svg', {
    class: 'plot', viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0, role: 'img',
    'aria-label': `${plot.title} (${plot.unit}) over ${axis.label}: ` +
        plot.series.map((one) => `${one.name} ${plot.tell(lastOf(one.values))} at last`).join(', ') +
        '. Arrow keys read the values.',
  });
  const scale = scales(plot, axis.values, width);
  drawAxes(root, plot, axis, scale, width);
  drawLevels(root, plot, scale, width);
  (plot.stacked ? drawBands : drawLines)(root, plot, axis.values, scale);
  addCursor(figure, root, plot, axis, scale, width);
  for (const tip of figure.querySelectorAll('.tip')) tip.remove();
  figure.querySelector('.canvas').replaceChildren(root);
}

const redraws = [];

function addPlot(parent, described) {
  const share = described.stacked || described.share;
  const plot = {...described, format: share ? percent : plain, tell: described.tell ?? (share ? percent : exact)};
  plot.series = plot.series.filter((one) => one.values?.some((value) => value !== null));
  if (plot.series.length === 0 || axisOf(plot).values === undefined) return;
  const cut = cutAt(plot);
  const unit = plot.unit + (cut ? `, cut off above ${plain(cut)}` : '');
  const legend = html('ul', {class: 'legend'}, ...plot.series.map((one, i) => html(
      'li', {}, swatch(plot, i), html('span', {}, one.name),
      html('b', {}, told(plot, one, one.values.findLastIndex((value) => value !== null))))));
  const figure = html('figure', {},
      html('figcaption', {}, plot.title, html('small', {}, unit ? ` (${unit})` : '')),
      legend, html('div', {class: 'canvas'}), html('div', {'aria-live': 'polite', class: 'unseen'}));
  parent.append(figure);
  let drawnAt = 0;
  new ResizeObserver(([{contentRect}]) => {
    if (contentRect.width === 0 || contentRect.width === drawnAt) return;
    drawnAt = contentRect.width;
    draw(figure, plot);
  }).observe(figure.querySelector('.canvas'));
  redraws.push(() => drawnAt > 0 && draw(figure, plot));
}
