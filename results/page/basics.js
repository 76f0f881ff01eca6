'use strict';
// What every drawing needs: elements, numbers in words, colours.

const DATA = JSON.parse(document.getElementById('data').textContent);
const SVG = 'http://www.w3.org/2000/svg';

// Okabe and Ito's colours, which people with any colour vision tell apart; then greys.
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442', '#8c8c8c', '#b9b9b9', '#5f5f5f', '#882255', '#44aa99'];
const SCALE = [[0, 32, 77], [65, 77, 107], [124, 123, 120], [188, 174, 108], [255, 234, 70]];  // dark to light, as cividis

function el(tag, attributes, ...children) {
  const e = tag.startsWith('svg:') ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

function seconds(ns, digits = 3) { return (ns / 1e9).toFixed(digits) + ' s'; }
function time(ns) {
  if (ns >= 1e9 || ns === 0) return seconds(ns);
  if (ns >= 1e6) return (ns / 1e6).toFixed(3) + ' ms';
  return (ns / 1e3).toFixed(3) + ' µs';
}
function bytes(n) {
  for (const unit of ['bytes', 'KiB', 'MiB', 'GiB']) {
    if (n < 1024 || unit === 'GiB') return (unit === 'bytes' ? n : n.toFixed(1)) + ' ' + unit;
    n /= 1024;
  }
}
function percent(share) { return (100 * share).toFixed(1) + ' %'; }
function style(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// 0 to 1.
function shade(share) {
  const at = Math.max(0, Math.min(1, share)) * (SCALE.length - 1);
  const i = Math.min(SCALE.length - 2, Math.floor(at));
  return SCALE[i].map((c, k) => Math.round(c + (SCALE[i + 1][k] - c) * (at - i)));
}
function rgb(colour) { return `rgb(${colour.join(',')})`; }

// The place of a section's content. A section that says nothing is not there.
function place(id) { return document.querySelector(`#${id} > div`); }
function leaveOut(id) { document.getElementById(id).remove(); }

// Columns whose head ends with a blank hold numbers.
function table(head, rows) {
  const kind = head.map((h) => (h.endsWith(' ') ? {class: 'n'} : {}));
  const line = (tag, cells) => el('tr', {}, ...cells.map((c, i) => el(tag, kind[i], c)));
  return el('div', {class: 'scroll'}, el('table', {}, el('thead', {}, line('th', head)), el('tbody', {}, ...rows.map((r) => line('td', r)))));
}
function bar(share, text) {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return el('span', {}, el('span', {class: 'bar', style: `width:${width}px`}), ' ' + text);
}

const TIP = document.getElementById('tip');
function showTip(event, text) {
  TIP.hidden = !text;
  if (!text) return;
  TIP.textContent = text;
  const left = Math.min(event.clientX + 14, innerWidth - TIP.offsetWidth - 8);
  const top = event.clientY + 18 + TIP.offsetHeight > innerHeight ? event.clientY - TIP.offsetHeight - 8 : event.clientY + 18;
  TIP.style.left = Math.max(4, left) + 'px';
  TIP.style.top = Math.max(4, top) + 'px';
}
function hideTip() { TIP.hidden = true; }

function legend(entries) {
  return el('p', {class: 'key'}, ...entries.map(([colour, text]) => el('span', {}, el('i', {style: `background:${colour}`}), text)));
}

// ---- the page ----

function nav() {
  const links = [...document.querySelectorAll('section')].map((s) => el('a', {href: '#' + s.id}, s.querySelector('h2').textContent));
  document.getElementById('nav').append(...links);
}

function setTheme(theme) { document.documentElement.dataset.theme = theme; }
function startTheme() { setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'); }

// `draw` draws again what has the colours of a theme. Printed pages are light.
function onTheme(draw) {
  const redraw = (theme) => { setTheme(theme); draw(); };
  const other = () => redraw(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  document.getElementById('theme').addEventListener('click', other);
  let before = '';
  addEventListener('beforeprint', () => { before = document.documentElement.dataset.theme; redraw('light'); });
  addEventListener('afterprint', () => redraw(before));
  addEventListener('keydown', (e) => { if (e.key === 't' && !isTyped(e)) other(); });
}
function isTyped(e) { return e.target.tagName === 'INPUT' || e.ctrlKey || e.metaKey || e.altKey; }

function drawn() { document.documentElement.dataset.drawn = performance.now().toFixed(0); }  // milliseconds
