// Heat maps, curves, bars.

// A cell for each number of `rows`; null is empty. `said(row, column)` is what the tip says.
function heatMap(rows, most, colour, said) {
  const columns = Math.max(1, ...rows.map((r) => r.cells.length));
  const width = Math.max(2, Math.min(22, Math.floor(1000 / columns))), height = rows.length > 40 ? 9 : 16, left = 130, top = 3;
  const canvas = el('canvas', {class: 'map', width: left + columns * width, height: top + rows.length * height});
  const pen = canvas.getContext('2d');
  pen.font = `${Math.min(12, height + 1)}px system-ui, sans-serif`;
  pen.textBaseline = 'middle';
  rows.forEach((r, y) => {
    pen.fillStyle = style('--soft');
    if (height > 9 || y % 2 === 0) pen.fillText(r.label, 0, top + y * height + height / 2, left - 8);
    r.cells.forEach((n, x) => {
      if (n === null) return;
      pen.fillStyle = colour(n, most);
      pen.fillRect(left + x * width, top + y * height, width - (width > 4 ? 1 : 0), height - 1);
    });
  });
  canvas.addEventListener('mousemove', (e) => {
    const x = Math.floor((e.offsetX - left) / width), y = Math.floor((e.offsetY - top) / height);
    const is = rows[y] && x >= 0 && rows[y].cells[x] !== undefined && rows[y].cells[x] !== null;
    showTip(e, is ? said(y, x) : '');
  });
  canvas.addEventListener('mouseleave', hideTip);
  return el('div', {class: 'scroll'}, canvas);
}

function scaleKey(least, most) {
  const stops = [0, 0.25, 0.5, 0.75, 1].map((s) => [rgb(shade(s)), '']);
  const key = legend(stops);
  key.prepend(least + ' ');
  key.append(most);
  return key;
}

function steps(from, each) { return each === 1 ? `step ${from}` : `steps ${from} to ${from + each - 1} (mean)`; }

function drawStepTimes() {
  const chart = DATA.step_times, all = chart.rows.flatMap((r) => r.ns);
  if (!all.length) return leaveOut('step-times');
  const most = all.reduce((a, b) => Math.max(a, b), 0), least = all.reduce((a, b) => Math.min(a, b), most);
  const colour = (n) => rgb(shade(most === least ? 0 : (n - least) / (most - least)));
  const rows = chart.rows.map((r) => ({label: r.worker, cells: r.ns}));
  place('step-times').append(
    heatMap(rows, most, colour, (y, x) => `${rows[y].label}, ${steps(x * chart.each + 1, chart.each)}: ${time(rows[y].cells[x])}`),
    scaleKey(time(least), time(most)));
  if (chart.each > 1) place('step-times').append(el('p', {class: 'note'}, `Each cell is the mean of ${chart.each} steps.`));
}

function drawAggregates() {
  if (!DATA.aggregates.some((a) => a.at.length)) return leaveOut('aggregates');
  for (const a of DATA.aggregates) drawAggregatesOf(a);
}

function drawAggregatesOf(a) {
  const more = a.variables.length > 3 ? ` and ${a.variables.length - 3} more` : '';
  const rows = a.rows.map((r) => ({label: `${r.worker} (${r.dropped} dropped)`, cells: r.gradients}));
  const most = rows.reduce((m, r) => Math.max(m, ...r.cells), 1);
  const colours = [style('--band'), ...COLOURS];
  const colour = (n) => (a.each === 1 && n < 4 ? colours[n] : n === 0 ? colours[0] : rgb(shade(n / most)));
  const said = (y, x) => `aggregate ${x * a.each + 1}${a.each > 1 ? ' and the next ' + (a.each - 1) : ''} at ${seconds(a.at[x])}\n${a.rows[y].worker}: ${rows[y].cells[x]} gradients`;
  place('aggregates').append(el('h3', {}, `${a.variables.slice(0, 3).join(', ')}${more}: needs ${a.needs}`), heatMap(rows, most, colour, said));
  if (a.each > 1) place('aggregates').append(scaleKey('0', `${most} gradients; each cell is ${a.each} aggregates`));
  else place('aggregates').append(legend([[colours[0], 'no gradient'], [colours[1], '1'], [colours[2], '2'], [colours[3], '3'], ...(most > 3 ? [[rgb(shade(1)), `up to ${most}`]] : [])]));
}

// A staircase over the time of the run.
function drawCurve(curve, colour) {
  const w = 1100, h = 110, left = 50, whole = DATA.ended_ns || 1;
  const values = curve.points.map((p) => p[1]);
  const most = values.reduce((a, b) => Math.max(a, b), 1), least = values.reduce((a, b) => Math.min(a, b), 0);
  const x = (t) => left + ((w - left) * t) / whole, y = (v) => 8 + ((h - 26) * (most - v)) / (most - least || 1);
  let way = `M${left},${y(0)}`;
  for (const [t, v] of curve.points) way += `H${x(t).toFixed(1)}V${y(v).toFixed(1)}`;
  const svg = el('svg:svg', {viewBox: `0 0 ${w} ${h}`, width: w, role: 'img', 'aria-label': `${curve.name}: from ${least} to ${most}`},
    el('svg:path', {d: way + `H${w}`, fill: 'none', stroke: colour, 'stroke-width': 1.5}),
    el('svg:text', {x: 0, y: y(most) + 4}, String(most)), el('svg:text', {x: 0, y: y(least) + 4}, String(least)),
    el('svg:text', {x: left, y: h - 2}, '0 s'), el('svg:text', {x: w, y: h - 2, 'text-anchor': 'end'}, seconds(whole)));
  for (const m of DATA.marks) svg.append(el('svg:line', {x1: x(m.ns), x2: x(m.ns), y1: 4, y2: h - 16, stroke: style('--mark'), 'stroke-dasharray': '2 3'}));
  const note = curve.each ? ` Of every ${time(curve.each)} the least and the greatest value are drawn.` : '';
  place('curves').append(el('h3', {}, `${curve.name}: ${curve.meaning}.${note}`), svg);
}

function drawCurves() {
  if (!DATA.curves.length) return leaveOut('curves');
  DATA.curves.forEach((c, i) => drawCurve(c, COLOURS[i]));
}

function drawStaleness() {
  const rows = DATA.staleness.rows;
  if (!rows.length) return leaveOut('staleness');
  const most = Math.max(...rows.map((r) => r[1] + r[2]));
  const cells = rows.map(([s, taken, dropped]) => [String(s), String(taken), String(dropped),
    el('span', {}, el('span', {class: 'bar', style: `width:${(400 * taken) / most}px;background:${COLOURS[0]}`}),
      el('span', {class: 'bar', style: `width:${(400 * dropped) / most}px;background:${COLOURS[5]}`}))]);
  const unit = DATA.staleness.unit;
  place('staleness').append(el('p', {class: 'note'}, `Staleness: ${DATA.staleness.meaning}.`),
    table(['staleness ', `${unit} `, unit === 'gradients' ? 'dropped ' : ' ', ''], cells));
}

function drawTraffic() {
  const {tasks, rows} = DATA.traffic;
  if (!rows.length) return leaveOut('traffic');
  const used = tasks.map((_, t) => t).filter((t) => rows.some((r) => r[0] === t || r[1] === t));
  const at = new Map(rows.map((r) => [`${r[0]} ${r[1]}`, r]));
  const most = rows.reduce((m, r) => Math.max(m, r[3]), 1);
  const map = used.map((from) => ({label: tasks[from], cells: used.map((to) => (at.has(`${from} ${to}`) ? at.get(`${from} ${to}`)[3] : null))}));
  const said = (y, x) => `${tasks[used[y]]} to ${tasks[used[x]]}: ${bytes(map[y].cells[x])} in ${at.get(`${used[y]} ${used[x]}`)[2]} messages`;
  const end = (host, nic) => (nic === undefined ? host : `${host} card ${nic}`);
  place('traffic').append(el('p', {class: 'note'}, `From each task (row) to each task (column, in the same order), by bytes.`),
    heatMap(map, most, (n) => rgb(shade(n / most)), said), scaleKey('0', bytes(most)),
    table(['from host', 'to host', 'messages ', 'bytes '], [...REPORT.links].sort((a, b) => b.bytes - a.bytes).map((l) => [end(l.from, l.from_nic), end(l.to, l.to_nic), String(l.messages), String(l.bytes)])));
}

function drawPath() {
  const path = DATA.path;
  if (!path) return leaveOut('path');
  const whole = path.to_ns - path.from_ns || 1, meaning = new Map(path.kinds.map((k) => [k.name, k.meaning]));
  place('path').append(
    table(['time ', 'of all', 'kind', 'who'], path.sums.map((s) => [seconds(s.ns, 6), bar(s.ns / whole, percent(s.ns / whole)), s.kind, s.who || meaning.get(s.kind)])),
    el('h3', {}, `Cut at every ${path.each > 1 ? path.each + '. ' : ''}${path.cut_at}`), pathPieces(path),
    legend(path.kinds.map((k, i) => [COLOURS[i], k.name]).filter((_, i) => path.pieces.some((p) => p.ns[i]))));
}

// A stacked bar for each piece.
function pathPieces(path) {
  const w = 1100, h = 186, room = 16, n = path.pieces.length, width = Math.min(40, w / n);
  const sum = (p) => p.ns.reduce((a, b) => a + b, 0), most = path.pieces.reduce((m, p) => Math.max(m, sum(p)), 1);
  const svg = el('svg:svg', {viewBox: `0 0 ${w} ${h + 16}`, width: w, role: 'img', 'aria-label': 'The critical path, piece by piece'});
  path.pieces.forEach((p, i) => {
    let top = h;
    const g = el('svg:g', {});
    p.ns.forEach((ns, k) => {
      const tall = ((h - room) * ns) / most;
      top -= tall;
      if (ns) g.append(el('svg:rect', {x: (i * width).toFixed(2), y: top.toFixed(2), width: Math.max(0.6, width - (width > 3 ? 1 : 0)).toFixed(2), height: tall.toFixed(2), fill: COLOURS[k]}));
    });
    g.addEventListener('mousemove', (e) => showTip(e, `${path.cut_at} ${i * path.each + 1}: ${time(sum(p))}\nmost of it: ${p.most}`));
    g.addEventListener('mouseleave', hideTip);
    svg.append(g);
  });
  svg.append(el('svg:text', {x: 0, y: 11}, time(most)), el('svg:text', {x: 0, y: h + 13}, '1'),
    el('svg:text', {x: Math.max(30, n * width), y: h + 13, 'text-anchor': 'end'}, String((n - 1) * path.each + 1)));
  return svg;
}
