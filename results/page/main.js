// Draws the page, and again when its colours change.

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

function start() {
  startTheme();
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
  onTheme(() => { drawCharts(); if (line) line.draw(); });
  addEventListener('keydown', (e) => {
    if (e.key === '/' && line && !isTyped(e)) { e.preventDefault(); document.getElementById('find').focus(); }
  });
  drawn();
}

start();
