// Draws the page, and again when its colours change.

function nav() {
  const links = [...document.querySelectorAll('section')].map((s) => el('a', {href: '#' + s.id}, s.querySelector('h2').textContent));
  document.getElementById('nav').append(...links);
}

function drawCharts() {
  for (const id of ['step-times', 'aggregates', 'curves', 'staleness', 'traffic', 'path']) {
    const at = document.getElementById(id) && place(id);
    if (at) at.replaceChildren();
  }
  if (document.getElementById('path')) drawPath();
  if (document.getElementById('step-times')) drawStepTimes();
  if (document.getElementById('aggregates')) drawAggregates();
  if (document.getElementById('curves')) drawCurves();
  if (document.getElementById('staleness')) drawStaleness();
  if (document.getElementById('traffic')) drawTraffic();
}

function setTheme(theme) { document.documentElement.dataset.theme = theme; }

function start() {
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  drawHead();
  drawVerdicts();
  drawProofs();
  drawWorkers();
  drawDevices();
  drawWaits();
  drawScenario();
  drawCharts();
  const line = drawTimeLine();
  nav();
  const redraw = (theme) => { setTheme(theme); drawCharts(); if (line) line.draw(); };
  const other = () => redraw(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  document.getElementById('theme').addEventListener('click', other);
  let before = '';
  addEventListener('beforeprint', () => { before = document.documentElement.dataset.theme; redraw('light'); });
  addEventListener('afterprint', () => redraw(before));
  addEventListener('keydown', (e) => {
    if (e.target.tagName === 'INPUT' || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 't') other();
    if (e.key === '/' && line) { e.preventDefault(); document.getElementById('find').focus(); }
  });
  document.documentElement.dataset.drawn = performance.now().toFixed(0);  // milliseconds
}

start();
