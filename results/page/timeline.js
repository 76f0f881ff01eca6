// The time line: lanes of blocks on a canvas that shows the part that is looked at.

const LABELS = 190, LANE = 18, RULER = 26;

class TimeLine {
  constructor(box) {
    this.box = box;
    this.canvas = box.querySelector('canvas');
    this.from = 0;
    this.to = DATA.ended_ns || 1;
    this.word = '';
    this.groups = groupColours();
    this.lanes = lanesOf();
    const tall = RULER + this.lanes.length * LANE + 6, shown = Math.min(480, tall);
    box.style.height = shown + 2 + 'px';
    document.getElementById('tall').style.height = tall - shown + 'px';
    if (shown < tall) document.getElementById('line-printed').textContent = `Of the ${this.lanes.length} lanes, printed are those that the page showed.`;
    this.listen();
    this.draw();
  }

  // ---- places ----

  x(t) { return LABELS + ((t - this.from) * (this.width - LABELS)) / (this.to - this.from); }
  timeAt(x) { return this.from + ((x - LABELS) * (this.to - this.from)) / (this.width - LABELS); }
  laneAt(y) { return y < RULER ? -1 : Math.floor((y - RULER + this.box.scrollTop) / LANE); }

  show(from, to) {
    const least = 100, whole = DATA.ended_ns || 1, length = Math.min(whole, Math.max(least, to - from));
    this.from = Math.max(0, Math.min(from, whole - length));
    this.to = this.from + length;
    this.draw();
  }
  zoom(factor, at = (this.from + this.to) / 2) { this.show(at - (at - this.from) * factor, at + (this.to - at) * factor); }
  move(share) { const by = (this.to - this.from) * share; this.show(this.from + by, this.to + by); }

  // ---- drawing ----

  draw() {
    const ratio = devicePixelRatio || 1;
    this.width = this.box.clientWidth;
    const height = Math.min(this.box.clientHeight, RULER + this.lanes.length * LANE + 6);
    this.canvas.width = this.width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.width = this.width + 'px';
    this.canvas.style.height = height + 'px';
    this.pen = this.canvas.getContext('2d');
    this.pen.scale(ratio, ratio);
    this.pen.font = '11px system-ui, sans-serif';
    this.pen.textBaseline = 'middle';
    this.pen.fillStyle = style('--paper');
    this.pen.fillRect(0, 0, this.width, height);
    const first = Math.floor(this.box.scrollTop / LANE), last = Math.min(this.lanes.length, first + Math.ceil(height / LANE) + 1);
    for (let i = first; i < last; ++i) this.drawLane(this.lanes[i], RULER + i * LANE - this.box.scrollTop, i);
    this.drawRuler(height);
  }

  drawLane(lane, top, number) {
    const pen = this.pen;
    if (number % 2) { pen.fillStyle = style('--band'); pen.fillRect(0, top, this.width, LANE); }
    for (const b of lane.blocks) {
      if (b.to < this.from || b.from > this.to) continue;
      const left = Math.max(LABELS, this.x(b.from)), right = Math.min(this.width, this.x(b.to));
      pen.globalAlpha = this.word && !this.fits(b) ? 0.15 : 1;
      pen.fillStyle = b.colour;
      const tall = (LANE - 3) / lane.rows;
      pen.fillRect(left, top + 1 + b.row * tall, Math.max(0.7, right - left), Math.max(1, tall - (lane.rows > 1 ? 0.5 : 0)));
      if (right - left > 46 && lane.rows === 1) this.label(b, left, right, top);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = number % 2 ? style('--band') : style('--paper');
    pen.fillRect(0, top, LABELS - 4, LANE);
    pen.fillStyle = style('--ink');
    pen.fillText(lane.label, 6, top + LANE / 2, LABELS - 14);
  }

  label(b, left, right, top) {
    const pen = this.pen;
    pen.save();
    pen.beginPath();
    pen.rect(left + 2, top, right - left - 4, LANE);
    pen.clip();
    pen.fillStyle = b.colour === COLOURS[6] || b.colour === COLOURS[8] || b.colour === COLOURS[4] || b.colour === COLOURS[1] ? '#111' : '#fff';
    pen.fillText(b.count > 1 ? `${b.count} of ${b.text}, ...` : b.text, left + 4, top + LANE / 2);
    pen.restore();
  }

  drawRuler(height) {
    const pen = this.pen, length = this.to - this.from;
    pen.fillStyle = style('--paper');
    pen.fillRect(0, 0, this.width, RULER);
    const power = 10 ** Math.floor(Math.log10(length / 6)), tick = [5, 2, 1].map((n) => n * power).find((t) => length / t >= 5) || power;
    const digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(tick))));
    for (let t = Math.ceil(this.from / tick) * tick; t <= this.to; t += tick) {
      pen.fillStyle = style('--soft');
      pen.fillText(seconds(t, digits), this.x(t) + 3, RULER / 2);
      pen.fillStyle = style('--line');
      pen.fillRect(this.x(t), RULER - 8, 1, height);
    }
    for (const m of DATA.marks) {
      if (m.ns < this.from || m.ns > this.to) continue;
      pen.fillStyle = style('--mark');
      pen.fillRect(this.x(m.ns), 0, m.kind === 'fault' ? 1.5 : 2.5, height);
    }
  }

  // ---- what is where ----

  fits(b) { return b.text.toLowerCase().includes(this.word) || b.group.toLowerCase().includes(this.word); }

  tipAt(e) {
    const box = this.canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    const near = DATA.marks.filter((m) => Math.abs(this.x(m.ns) - x) < 4).slice(0, 4).map((m) => `${seconds(m.ns)}: ${m.what}`);
    const lane = this.lanes[this.laneAt(y)], t = this.timeAt(x), slack = (3 * (this.to - this.from)) / this.width;
    if (!lane || x < LABELS) return near.join('\n');
    const here = lane.blocks.filter((b) => b.from - slack <= t && t <= b.to + slack).slice(0, 5);
    return [...near, ...(here.length ? [lane.label] : []), ...here.map((b) => said(lane, b))].join('\n');
  }

  find(word) {
    this.word = word.trim().toLowerCase();
    let n = 0;
    if (this.word) for (const lane of this.lanes) for (const b of lane.blocks) n += this.fits(b) ? b.count : 0;
    document.getElementById('found').textContent = this.word ? `${n} found` + (n ? '; Enter shows the next' : '') : '';
    this.draw();
  }
  // To the next one that begins after the middle of what is shown.
  next() {
    const after = (this.from + this.to) / 2 + 1, length = (this.to - this.from) / 2;
    const times = this.lanes.flatMap((lane) => lane.blocks.filter((b) => this.fits(b)).map((b) => b.from)).sort((a, b) => a - b);
    const at = times.find((t) => t > after) ?? times[0];
    if (at !== undefined) this.show(at - length, at + length);
  }

  // ---- mouse and keys ----

  listen() {
    const box = this.box;
    box.addEventListener('scroll', () => this.draw());
    addEventListener('resize', () => this.draw());
    box.addEventListener('mousemove', (e) => {
      if (this.drag !== undefined) this.move((this.drag - e.clientX) / (this.width - LABELS)), (this.drag = e.clientX), hideTip();
      else showTip(e, this.tipAt(e));
    });
    box.addEventListener('mouseleave', hideTip);
    box.addEventListener('mousedown', (e) => { this.drag = e.clientX; });
    addEventListener('mouseup', () => { this.drag = undefined; });
    box.addEventListener('wheel', (e) => {
      if (!e.ctrlKey && !e.shiftKey) return;
      e.preventDefault();
      this.zoom(e.deltaY + e.deltaX > 0 ? 1.25 : 0.8, this.timeAt(e.clientX - box.getBoundingClientRect().left));
    }, {passive: false});
    box.addEventListener('keydown', (e) => { if (this.key(e.key)) e.preventDefault(); });
  }
  key(key) {
    const does = {'+': () => this.zoom(0.6), '=': () => this.zoom(0.6), '-': () => this.zoom(1.67), '0': () => this.show(0, DATA.ended_ns),
      ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2), Home: () => this.show(0, this.to - this.from),
      End: () => this.show(DATA.ended_ns - (this.to - this.from), DATA.ended_ns)}[key];
    if (does) does();
    return Boolean(does);
  }
}

// What a tip says of a block.
function said(lane, b) {
  const many = b.count > 1 ? `${b.count}, the longest of them ` : '';
  const amount = lane.kind === 'messages' ? `, ${bytes(b.amount)}` : b.count > 1 ? `, ${time(b.amount)} in all` : '';
  return `${many}${b.text} (${b.group}): ${time(b.to - b.from)}${amount}, from ${seconds(b.from, 6)}`;
}

// The groups with most time have colours of their own.
function groupColours() {
  const sums = new Map();
  for (const lane of DATA.line.lanes)
    for (const [, length, name] of lane.blocks) {
      const key = lane.kind + ' ' + DATA.line.names[name][1];
      sums.set(key, (sums.get(key) || 0) + length);
    }
  const colours = new Map();
  for (const kind of ['steps', 'kernels', 'messages'])
    [...sums].filter(([key]) => key.startsWith(kind + ' ')).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .forEach(([key], i) => colours.set(key, COLOURS[Math.min(i, 7)]));
  const fixed = {'gradient accepted': COLOURS[0], done: COLOURS[0], 'gradient dropped': COLOURS[5], failed: COLOURS[3], 'its process ended': COLOURS[3], 'not over': COLOURS[7]};
  for (const [end, colour] of Object.entries(fixed)) if (colours.has('steps ' + end)) colours.set('steps ' + end, colour);
  return colours;
}

// Blocks that overlap are drawn in rows, at most four.
function inRows(blocks) {
  const ends = [];
  for (const b of blocks) {
    let row = ends.findIndex((end) => end <= b.from);
    if (row < 0) row = ends.length < 4 ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = Math.max(ends[row] || 0, b.to);
    b.row = row;
  }
  return Math.max(1, ends.length);
}

function lanesOf() {
  const colours = groupColours();
  const lanes = DATA.line.lanes.map((lane) => {
    let from = 0;
    const blocks = lane.blocks.map(([gap, length, name, count = 1, amount = length]) => {
      const [text, group] = DATA.line.names[name];
      from += gap;
      return {from, to: from + length, text, group, count, amount, colour: colours.get(lane.kind + ' ' + group)};
    });
    return {kind: lane.kind, label: lane.label, blocks, rows: inRows(blocks)};
  });
  if (DATA.path) lanes.unshift(pathLane(DATA.path));
  return lanes;
}

function pathLane(path) {
  const blocks = path.parts.map(([from, to, kind, whose]) =>
    ({from, to, text: path.names[whose] || path.kinds[kind].meaning, group: path.kinds[kind].name, count: 1, amount: to - from, colour: COLOURS[kind], row: 0}));
  return {kind: 'path', label: 'critical path', blocks, rows: 1};
}

function drawTimeLine() {
  if (!DATA.line.lanes.length) return leaveOut('line');
  const line = new TimeLine(document.getElementById('timeline'));
  const find = document.getElementById('find');
  find.addEventListener('input', () => line.find(find.value));
  find.addEventListener('keydown', (e) => { if (e.key === 'Enter') line.next(); });
  for (const b of document.querySelectorAll('.tools button')) b.addEventListener('click', () => line.key(b.dataset.key));
  const items = DATA.line.lanes.reduce((n, lane) => n + lane.items, 0);
  const blocks = DATA.line.lanes.reduce((n, lane) => n + lane.blocks.length, 0);
  document.getElementById('line-note').textContent = (DATA.line.resolution_ns
    ? `${items} steps, kernels and messages as ${blocks} blocks: those shorter than ${time(DATA.line.resolution_ns)} that begin close together are one block. `
    : `All ${items} steps, kernels and messages. `) + (DATA.path && DATA.path.shorter_joined_ns ? `Parts of the critical path that are shorter than ${time(DATA.path.shorter_joined_ns)} are joined with the one before. ` : '')
    + 'Messages within a host are left out. Drag to move; Ctrl and the wheel zoom.';
  document.getElementById('key').replaceWith(lineKey(line));
  return line;
}

function lineKey(line) {
  const ends = [...line.groups].filter(([key]) => key.startsWith('steps ')).map(([key, colour]) => [colour, 'step: ' + key.slice(6)]);
  const ops = [...line.groups].filter(([key]) => key.startsWith('kernels ')).slice(0, 7).map(([key, colour]) => [colour, key.slice(8)]);
  return legend([...ends, ...ops, [style('--mark'), 'fault, or a process ends or begins']]);
}
