// A sweep: each measure by arm with its interval, and the paired differences from the first arm.

const MEASURES = DATA.measures, ARMS = DATA.arms;
const SAYS = {better: COLOURS[0], worse: COLOURS[5], '': COLOURS[7]};

function armName(arm) { return arm.values.join(', ') || 'the scenario'; }
function cut(text, most) { return text.length <= most ? text : text.slice(0, most - 1) + '…'; }
function withUnit(m) { return m.unit && m.unit !== m.name ? `${m.name} (${m.unit})` : m.name; }
function wish(m) { return {more: ', more is better', less: ', less is better', neither: ''}[m.better]; }

// Of several axes, arms with the same value of the first one have the same colour.
function colourOf(arm) {
  if (DATA.axes.length < 2) return COLOURS[0];
  const values = [...new Set(ARMS.map((a) => a.values[0]))];
  return COLOURS[values.indexOf(arm.values[0]) % COLOURS.length];
}

// Round numbers, about `wanted` of them.
function ticks(from, to, wanted) {
  const rough = (to - from || 1) / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= rough);
  const out = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i) out.push(Number((i * step).toPrecision(12)));
  return out;
}

function domainOf(rows, zero) {
  const all = rows.flatMap((r) => (r.mean === null ? [] : [r.mean - (r.half || 0), r.mean + (r.half || 0), ...(r.points || [])]));
  if (zero) all.push(0);
  const least = all.reduce((a, b) => Math.min(a, b), all[0]), most = all.reduce((a, b) => Math.max(a, b), all[0]);
  const room = (most - least || Math.abs(most) || 1) * 0.04;
  return [least - room, most + room];
}

// A row for each arm: a dot for each run, its mean and its interval, and what it is in words.
function intervals(rows, {zero = false, unit = String, name}) {
  const letters = Math.max(...rows.map((r) => Math.min(46, r.label.length)));
  const w = 1100, left = 16 + letters * 6.6, right = w - 170, row = 21, h = rows.length * row;
  const [from, to] = domainOf(rows, zero), x = (v) => left + ((right - left) * (v - from)) / (to - from);
  const svg = el('svg:svg', {viewBox: `0 0 ${w} ${h + 22}`, width: w, role: 'img', 'aria-label': name});
  for (const t of ticks(from, to, 6))
    svg.append(el('svg:line', {x1: x(t), x2: x(t), y1: 0, y2: h, stroke: style(zero && t === 0 ? '--soft' : '--line'), 'stroke-width': zero && t === 0 ? 1.5 : 1}),
      el('svg:text', {x: x(t), y: h + 15, 'text-anchor': 'middle'}, unit(t)));
  rows.forEach((r, i) => svg.append(intervalRow(r, i * row + row / 2, {x, right})));
  return svg;
}

function intervalRow(r, y, {x, right}) {
  const g = el('svg:g', {}, el('svg:text', {x: 0, y: y + 4, class: 'label'}, cut(r.label, 46)));
  if (r.mean === null) {
    if (r.text !== '-') g.append(el('svg:text', {x: right + 12, y: y + 4, class: 'label'}, r.text));
    return g;
  }
  for (const p of r.points || []) g.append(el('svg:circle', {cx: x(p).toFixed(1), cy: y, r: 2.5, fill: r.colour, opacity: 0.35}));
  if (r.half !== null)
    g.append(el('svg:line', {x1: x(r.mean - r.half).toFixed(1), x2: x(r.mean + r.half).toFixed(1), y1: y, y2: y, stroke: r.colour, 'stroke-width': 4, 'stroke-linecap': 'round'}));
  g.append(el('svg:circle', {cx: x(r.mean).toFixed(1), cy: y, r: 5, fill: r.colour, stroke: style('--paper'), 'stroke-width': 1.5}),
    el('svg:text', {x: right + 12, y: y + 4, class: 'label'}, r.text));
  g.addEventListener('mousemove', (e) => showTip(e, `${r.label}\n${r.text}`));
  g.addEventListener('mouseleave', hideTip);
  return g;
}

function short(n) { return Math.abs(n) >= 1e6 || (n !== 0 && Math.abs(n) < 1e-3) ? n.toExponential(1) : String(Number(n.toPrecision(6))); }

function drawMeans() {
  MEASURES.forEach((m, i) => {
    const rows = ARMS.map((a) => ({label: armName(a), colour: colourOf(a), ...a.measures[i].mean, points: a.measures[i].points, text: a.measures[i].mean_text}));
    if (rows.every((r) => r.mean === null)) return;
    place('means').append(el('h3', {}, withUnit(m) + wish(m)), el('p', {class: 'note'}, m.what), intervals(rows, {unit: short, name: m.name}));
  });
  if (DATA.axes.length < 2) return;
  const values = [...new Set(ARMS.map((a) => a.values[0]))];
  place('means').append(legend(values.map((v) => [colourOf({values: [v]}), `${DATA.axes[0]}: ${v}`])));
}

function drawChanges() {
  const others = ARMS.slice(1);
  if (!others.length) return ['changes', 'differences'].forEach(leaveOut);
  MEASURES.forEach((m, i) => {
    const share = others.some((a) => a.measures[i].change.mean !== null), figure = share ? 'change' : 'difference';
    const rows = others.map((a) => ({label: armName(a), colour: SAYS[a.measures[i].says] || SAYS[''], ...a.measures[i][figure], text: a.measures[i].change_text}));
    if (rows.every((r) => r.mean === null)) return;
    const head = (share ? m.name : withUnit(m)) + wish(m), unit = share ? (t) => short(100 * t) + ' %' : short;
    place('changes').append(el('h3', {}, head), intervals(rows, {zero: true, unit, name: `${m.name}, against the first arm`}));
  });
}

function drawKeys() {
  document.getElementById('means-note').textContent =
    `A point is a run, the large one the mean over the seeds, the bar its ${short(100 * DATA.confidence)} % interval (Student's t).` +
    (DATA.has_points ? '' : ' There are too many runs to show each.');
  const key = document.getElementById('changes-key');
  if (key) key.append(...legend([[SAYS.better, 'better than the first arm'], [SAYS.worse, 'worse'], [SAYS[''], 'no difference shown, or neither is better']]).childNodes);
}

function drawTables() {
  const head = [...DATA.axes, ...MEASURES.map((m) => withUnit(m) + ' '), 'verdicts'];
  place('table').append(table(head, ARMS.map((a) => [...a.values, ...a.measures.map((m) => m.mean_text), a.verdicts])));
  if (ARMS.length < 2) return;
  place('differences').append(table([...DATA.axes, ...MEASURES.map((m) => m.name + ' ')], ARMS.slice(1).map((a) => [...a.values, ...a.measures.map((m) => m.change_text)])));
}

function names(arms) {
  const shown = arms.slice(0, 4).map((a) => armName(ARMS[a])).join('; ');
  return arms.length > 4 ? `${shown} and ${arms.length - 4} more` : shown;
}

// Of each measure that has a better side: the arm that is shown to be better than every other, or those that may be.
function glanceAt(m, i) {
  if (!m.counts_alike) return [m.name, 'counts other things in different arms', '', ''];
  const [best, ...others] = m.best, measured = ARMS.filter((a) => a.measures[i].mean.mean !== null).length;
  if (others.length && m.best.length === measured) return [m.name, 'no difference is shown', '', ''];
  if (others.length) return [m.name, `cannot be told apart: ${names(m.best)}`, '', ''];
  return [m.name, armName(ARMS[best]) + (best ? '' : ' (the first arm)'), ARMS[best].measures[i].mean_text, best ? ARMS[best].measures[i].change_text : ''];
}

function drawGlance() {
  const rows = MEASURES.map((m, i) => [m, i]).filter(([m]) => m.best.length || !m.counts_alike).map(([m, i]) => glanceAt(m, i));
  if (ARMS.length < 2 || !rows.length) return leaveOut('glance');
  place('glance').append(table(['measure', 'best arm', 'mean ', 'against the first arm '], rows));
}

function drawPathChanges() {
  if (!DATA.path_changes.length) return leaveOut('path');
  place('path').append(table(['A ', 'B ', 'kind', 'who'], DATA.path_changes.map((c) => [seconds(c.a_ns, 6), seconds(c.b_ns, 6), c.kind, c.who])));
}

function drawPlots() {
  for (const id of ['means', 'changes']) if (document.getElementById(id)) place(id).replaceChildren();
  drawMeans();
  if (document.getElementById('changes')) drawChanges();
}

function startSweep() {
  startTheme();
  document.getElementById('title').textContent = document.title;
  document.getElementById('headline').textContent = `${ARMS.length} arms, ${DATA.runs} runs, by ${DATA.axes.join(', ')}`;
  document.getElementById('footer').textContent = `Made by: ${DATA.command} (${DATA.program}). The same command makes the same page.`;
  drawGlance();
  drawPlots();
  drawKeys();
  drawTables();
  drawPathChanges();
  nav();
  onTheme(drawPlots);
  drawn();
}

startSweep();
