// Verdicts, proofs and tables: the figures of `tarry run --json`.

const REPORT = DATA.report;

function drawHead() {
  document.getElementById('title').textContent = REPORT.title;
  document.title = REPORT.title;
  const steps = REPORT.workers.reduce((n, w) => n + w.steps, 0);
  const first = DATA.aggregates[0];
  const cells = first ? first.rows.reduce((n, r) => n + r.gradients.reduce((a, b) => a + b, 0), 0) : 0;
  document.getElementById('headline').textContent =
    `${seconds(DATA.ended_ns)} simulated, ${steps} training steps` + (first ? `, ${cells} gradients in aggregates` : '') + `, seed ${REPORT.seed}`;
  document.getElementById('footer').textContent =
    `Made by: ${DATA.command} (${DATA.program}). ${REPORT.events} events, hash ${REPORT.hash}.${REPORT.flow_engine ? ` Bandwidth was shared by ${REPORT.flow_engine}.` : ""} The same command makes the same page.`;
}

// Why it happened, what shows it, and what to do begin lines of their own.
function inLines(text) { return text.split(/\n|(?<= )(?=The cause: |Run again |To do: )/); }

function drawVerdicts() {
  const all = REPORT.verdicts.map((v) => [v.kind, v.text]).concat((REPORT.broken || []).map((b) => ['broken: ' + b.property, b.text]));
  const shown = all.map(([kind, text]) =>
    el('div', {class: 'verdict'}, el('b', {}, kind), ...inLines(text).map((line) => el('p', {}, line))));
  place('verdicts').append(...(shown.length ? shown : [el('p', {}, 'Nothing that is worth a verdict.')]));
  for (const n of REPORT.notes) place('verdicts').append(el('p', {class: 'note'}, 'Note: ' + n));
}

function drawProofs() {
  if (!REPORT.what_if.length) return leaveOut('proofs');
  const told = (p) => (p.goes_on ? 'then the job goes on' : bar(p.gain, percent(p.gain) + ' less time'));
  place('proofs').append(table(['what', 'instead', 'gain'], REPORT.what_if.map((p) => [p.cause, p.instead, told(p)])));
}

function drawWorkers() {
  if (!REPORT.workers.length) return leaveOut('workers');
  const ms = (w, key) => (w.step_times ? time(w.step_times[key] * 1e9) : '-');
  const row = (w) => [w.task, w.steps, w.accepted, w.dropped, ms(w, 'median_s'), ms(w, 'p95_s')].map(String);
  place('workers').append(table(['task', 'steps ', 'accepted ', 'dropped ', 'median step ', '95 % of steps within '], REPORT.workers.map(row)));
}

function drawDevices() {
  if (!REPORT.devices.length) return leaveOut('devices');
  const counts = REPORT.devices.some((d) => d.memory_bytes);
  const row = (d) => [d.device, String(d.kernels), seconds(d.busy_s * 1e9),
    bar(d.busy_s / (DATA.ended_ns / 1e9), percent(d.busy_s / (DATA.ended_ns / 1e9))),
    ...(counts ? [d.memory_bytes ? `${bytes(d.peak_bytes)} of ${bytes(d.memory_bytes)}` : '-'] : [])];
  const head = ['device', 'kernels ', 'busy ', 'of the run, all its lanes together', ...(counts ? ['peak of memory'] : [])];
  const busiest = [...REPORT.devices].sort((a, b) => b.busy_s - a.busy_s);
  place('devices').append(table(head, busiest.map(row)));
}

function drawWaits() {
  if (!DATA.waits.length) return leaveOut('waits');
  place('waits').append(el('pre', {}, DATA.waits.join('\n')));
}

function drawScenario() { place('scenario').append(el('pre', {}, DATA.scenario)); }
