// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";
const data = JSON.parse(document.getElementById("data").textContent), $ = id => document.getElementById(id);
const view = { x: 0, y: 0, zoom: 1 }, state = { nodes: [], edges: [], bounds: [0, 0, 1, 1], picked: -1, device: -1, colors: {} };
const bytes = b => b < 1024 ? `${b} B` : b < 1048576 ? `${(b / 1024).toFixed(1)} KiB` : `${(b / 1048576).toFixed(1)} MiB`;
const time = ns => ns < 1000 ? `${ns} ns` : ns < 1e6 ? `${(ns / 1e3).toFixed(1)} µs` : `${(ns / 1e6).toFixed(2)} ms`;
const size = n => (n.t.some(t => t.includes("?")) ? "about " : "") + bytes(n.bytes);
const html = text => String(text).replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
const deviceName = d => data.devices[d] ? data.devices[d].name : `device ${d}`;
const hue = d => `--d${d % 8}`;
const chip = d => `<span class="chip" style="background:var(${hue(d)})"></span>`;
const kinds = { a: "argument", d: "dispatch", t: "transfer", e: "change of layout", c: "collective", r: "result" };
const short = name => name.split("/").filter(Boolean).slice(-2).join("/");
const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;

function colors() {
  const style = getComputedStyle(document.documentElement);
  for (const key of ["paper", "ink", "soft", "line", "edge", "move", "pick", "node", ...Array.from({ length: 8 }, (_, k) => `d${k}`)])
    state.colors[key] = style.getPropertyValue(`--${key}`).trim();
}

function load(index) {
  const nodes = data.functions[index].nodes;
  if (!nodes.ready) {
    nodes.forEach(n => { n.users = []; });
    nodes.forEach((n, k) => n.i.forEach(i => nodes[i].users.push(k)));
    Object.assign(nodes, { ready: true, drawn: layout(nodes) });
  }
  Object.assign(state, { nodes, edges: nodes.drawn.edges, bounds: nodes.drawn.bounds, picked: -1 });
  side(); pick(-1); begin();
}

// ---- Views

const canvas = $("graph"), map = $("map"), pen = canvas.getContext("2d"), mapPen = map.getContext("2d");
let waiting = false;
const redraw = () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } };

function resize() {
  const box = canvas.parentElement.getBoundingClientRect(), dpr = devicePixelRatio || 1;
  for (const [c, w] of [[canvas, box.width - 74], [map, 74]]) {
    c.style.width = `${w}px`; c.style.height = `${box.height}px`;
    c.width = w * dpr; c.height = box.height * dpr; c.cssWidth = w; c.cssHeight = box.height;
  }
  redraw();
}

function fit() {
  const [l, t, r, b] = state.bounds, w = canvas.cssWidth, h = canvas.cssHeight;
  view.zoom = Math.min(1.2, w / (r - l + 60), h / (b - t + 60));
  view.x = (l + r) / 2 - w / 2 / view.zoom; view.y = (t + b) / 2 - h / 2 / view.zoom;
  redraw();
}

// All of a small graph, the beginning of a large one at a size that can be read.
function begin() {
  fit();
  if (view.zoom >= .5) return;
  const first = state.nodes.find(n => n.k === "d") || state.nodes[0];
  view.zoom = .85;
  view.x = first.x - canvas.cssWidth / 2 / view.zoom; view.y = state.bounds[1] - 30;
  redraw();
}

function center(k) {
  const n = state.nodes[k];
  view.zoom = Math.max(view.zoom, .7);
  view.x = n.x - canvas.cssWidth / 2 / view.zoom; view.y = n.y - canvas.cssHeight / 2 / view.zoom;
  redraw();
}

// ---- Drawing

const colorOf = n => n.k === "t" || n.k === "c" ? state.colors.move : state.colors[`d${n.d % 8}`];
const dimmed = n => state.device >= 0 && n.d !== state.device && n.f !== state.device;

function path(points) {
  pen.beginPath(); pen.moveTo(...points[0]);
  for (let k = 1; k < points.length; ++k) {
    const [ax, ay] = points[k - 1], [bx, by] = points[k], m = (ay + by) / 2;
    pen.bezierCurveTo(ax, m, bx, m, bx, by);
  }
  pen.stroke();
}

function clip(text, width) {
  if (pen.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) { const m = (low + high + 1) >> 1; if (pen.measureText(text.slice(0, m) + "…").width <= width) low = m; else high = m - 1; }
  return text.slice(0, low) + "…";
}

function drawNode(n, k) {
  const { w, h } = NODE, x = n.x - w / 2, y = n.y - h / 2, c = state.colors, color = colorOf(n), picked = k === state.picked;
  pen.globalAlpha = dimmed(n) ? .18 : 1;
  pen.beginPath();
  pen.roundRect(x, y, w, h, n.k === "d" || n.k === "e" ? 8 : h / 2);
  if (view.zoom < .28) { pen.fillStyle = color; pen.fill(); }
  else {
    pen.fillStyle = c.node; pen.fill();
    pen.save(); pen.clip(); pen.globalAlpha *= n.k === "d" ? .13 : n.k === "t" ? .22 : .05; pen.fillStyle = color; pen.fillRect(x, y, w, h); pen.restore();
    pen.globalAlpha = dimmed(n) ? .18 : 1;
    pen.strokeStyle = picked ? c.pick : color; pen.lineWidth = picked ? 2.6 : 1.4;
    if (n.k === "e") pen.setLineDash([5, 4]);
    pen.stroke(); pen.setLineDash([]);
    pen.textAlign = "center"; pen.fillStyle = c.ink; pen.font = "600 13px system-ui, DejaVu Sans, sans-serif";
    const two = n.line && view.zoom > .4;
    pen.fillText(clip(n.k === "t" ? `${deviceName(n.f)} → ${deviceName(n.d)}` : n.n, w - 18), n.x, two ? n.y - 3 : n.y + 5);
    if (two) { pen.fillStyle = c.soft; pen.font = "11px system-ui, DejaVu Sans, sans-serif"; pen.fillText(clip(n.line, w - 18), n.x, n.y + 13); }
  }
  if (picked && view.zoom < .28) { pen.strokeStyle = c.pick; pen.lineWidth = 4 / view.zoom; pen.stroke(); }
  pen.globalAlpha = 1;
}

function draw() {
  const dpr = devicePixelRatio || 1, w = canvas.cssWidth / view.zoom, h = canvas.cssHeight / view.zoom, c = state.colors;
  pen.setTransform(1, 0, 0, 1, 0, 0); pen.fillStyle = c.paper; pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.setTransform(dpr * view.zoom, 0, 0, dpr * view.zoom, -view.x * view.zoom * dpr, -view.y * view.zoom * dpr);
  const near = e => e.from === state.picked || e.to === state.picked;
  const shown = ([l, t, r, b]) => r >= view.x && l <= view.x + w && b >= view.y && t <= view.y + h;
  for (const strong of [false, true])
    for (const e of state.edges) {
      if (near(e) !== strong || !shown(e.box)) continue;
      const moves = state.nodes[e.from].k === "t" || state.nodes[e.to].k === "t";
      pen.strokeStyle = strong ? c.pick : moves ? c.move : c.edge;
      pen.lineWidth = strong ? 2 : moves ? 1.8 : Math.max(1, .6 / view.zoom);
      pen.globalAlpha = dimmed(state.nodes[e.to]) && dimmed(state.nodes[e.from]) ? .15 : e.bends.length || e.points.length < 3 ? 1 : .5;
      path(e.points);
    }
  pen.globalAlpha = 1;
  state.nodes.forEach((n, k) => { if (shown([n.x - NODE.w / 2, n.y - NODE.h / 2, n.x + NODE.w / 2, n.y + NODE.h / 2])) drawNode(n, k); });
  drawMap();
}

// [scale x, scale y, left]: as large as fits, but no larger than a tenth; in the middle.
function mapScale() {
  const [l, t, r, b] = state.bounds, sx = Math.min(.1, (map.cssWidth - 10) / (r - l)), sy = Math.min(.1, (map.cssHeight - 10) / (b - t));
  return [sx, sy, (map.cssWidth - (r - l) * sx) / 2];
}
function drawMap() {
  const dpr = devicePixelRatio || 1, [sx, sy, left] = mapScale(), [l, t] = state.bounds;
  mapPen.setTransform(dpr, 0, 0, dpr, 0, 0); mapPen.fillStyle = state.colors.paper; mapPen.fillRect(0, 0, map.cssWidth, map.cssHeight);
  for (const n of state.nodes) {
    mapPen.fillStyle = colorOf(n); mapPen.globalAlpha = dimmed(n) ? .15 : .8;
    mapPen.fillRect(left + (n.x - NODE.w / 2 - l) * sx, 5 + (n.y - NODE.h / 2 - t) * sy, Math.max(NODE.w * sx, 2), Math.max(NODE.h * sy * .8, 1));
  }
  mapPen.globalAlpha = 1; mapPen.strokeStyle = state.colors.ink; mapPen.lineWidth = 1.2;
  const top = 5 + (view.y - t) * sy, tall = Math.max(canvas.cssHeight / view.zoom * sy, 4);
  mapPen.strokeRect(1, Math.max(1, top), map.cssWidth - 3, Math.min(tall, map.cssHeight - 2));
}

// ---- Panels

const link = k => { const n = state.nodes[k]; return `<a data-node="${k}">${chip(n.d)}${html(n.n)}</a>`; };
const list = (items, show = 12) => items.length ? items.slice(0, show).join("<br>") + (items.length > show ? `<br><span class="soft">… ${items.length - show} more</span>` : "") : "";

// Why a dispatch is where it is, without the line of the file that says so: those of one file are one row.
function rule(n) { return (n.w || "not said").replace(/:\d+$/, ""); }

function side() {
  const n = state.nodes, of = kind => n.map((x, k) => [x, k]).filter(([x]) => x.k === kind), moves = of("t"), work = of("d");
  const total = moves.reduce((sum, [m]) => sum + m.bytes, 0), cost = moves.reduce((sum, [m]) => sum + m.ns, 0);
  $("facts").textContent = `${plural(work.length, "dispatch")} · ${plural(moves.length, "transfer")}` + (moves.length ? `, ${bytes(total)}, about ${time(cost)}` : "");
  let out = "<h2>Devices</h2>";
  data.devices.forEach((d, k) => {
    out += `<div class="row" data-device="${k}"><span class="num">${work.filter(([x]) => x.d === k).length}</span>${chip(k)}<b>${html(d.name)}</b> ` +
      `<span class="soft">${k === data.default ? "default · " : ""}${html(d.targets.join(", "))}</span></div>`;
  });
  const why = new Map();
  work.forEach(([x]) => why.set(rule(x), (why.get(rule(x)) || 0) + 1));
  out += "<h2>Why dispatches are there</h2>" + [...why].sort((a, b) => b[1] - a[1]).map(([w, c]) => `<div class="row" data-why="${html(w)}"><span class="num">${c}</span>${html(w)}</div>`).join("");
  if (moves.length)
    out += "<h2>Transfers</h2>" + moves.sort((a, b) => b[0].bytes - a[0].bytes).slice(0, 200).map(([m, k]) =>
      `<div class="row" data-node="${k}"><span class="num">${size(m)}</span>${html(deviceName(m.f))} → ${html(deviceName(m.d))}<br><span class="soft">${html(m.i.map(i => n[i].n + (n[i].o.length && n[i].o[0] !== n[i].n ? ` (${n[i].o[0]})` : "")).join(", "))}${m.ns ? ` · about ${time(m.ns)}` : ""}</span></div>`).join("");
  if (data.links.length)
    out += "<h2>Topology</h2><table>" + data.links.map(l => `<tr><td>${html(deviceName(l.from))} → ${html(deviceName(l.to))}</td><td class="soft">${l.unified ? "one memory" : `${l.gbps} GB/s, ${l.us} µs${l.transparent ? ", readable in place" : ""}`}</td></tr>`).join("") + "</table>";
  if (data.refused.length)
    out += "<h2>Refused</h2>" + data.refused.map(r => `<div class="row" data-name="${html(r[1])}">${chip(r[0])}<b>${html(r[1])}</b> not on ${html(deviceName(r[0]))}<br><span class="soft">${html(r[2])}</span></div>`).join("");
  $("side").innerHTML = out;
}

function pick(k) {
  state.picked = k;
  const panel = $("details"), was = panel.classList.contains("open");
  panel.classList.toggle("open", k >= 0);
  if (was !== (k >= 0)) resize();
  redraw();
  if (k < 0) return;
  const n = state.nodes[k], refused = data.refused.filter(r => n.k === "d" && r[1] === n.n), row = (name, value) => value ? `<dt>${name}</dt><dd>${value}</dd>` : "";
  panel.innerHTML = `<button class="close" title="close (Esc)">×</button><h3>${html(n.n)}</h3><span class="soft">${kinds[n.k]}</span><dl>` +
    (n.k === "t" ? row("moves", `${chip(n.f)}${html(deviceName(n.f))} → ${chip(n.d)}${html(deviceName(n.d))}: ${size(n)}${n.ns ? `, about ${time(n.ns)}` : ""}`) : row("on", `${chip(n.d)}${html(deviceName(n.d))}`)) +
    row("because", html(n.because)) + row("nodes of the model", list(n.o.map(html), 40)) + row("computes", html(n.c)) + row("long reduction", html(n.s)) +
    row("gives", list(n.t.map(t => `<code>${html(t)}</code>`))) + row("reads", list(n.i.map(link), 30)) + row("reads parameters", list(n.p.map(html), 30)) +
    row("read by", list(n.users.map(link), 30)) + row("cannot run on", list(refused.map(r => `${chip(r[0])}${html(deviceName(r[0]))}: ${html(r[2])}`))) + "</dl>";
}

function go(k) { pick(k); center(k); }

function follow(event) {
  const at = event.target.closest("[data-node],[data-device],[data-why],[data-name],.close");
  if (!at) return;
  if (at.classList.contains("close")) pick(-1);
  else if (at.dataset.node) go(+at.dataset.node);
  else if (at.dataset.device) {
    state.device = state.device === +at.dataset.device ? -1 : +at.dataset.device;
    document.querySelectorAll("[data-device]").forEach(row => row.classList.toggle("on", +row.dataset.device === state.device));
    redraw();
  } else {
    const fits = n => at.dataset.why ? rule(n) === at.dataset.why && n.k === "d" : n.n === at.dataset.name;
    const next = state.nodes.findIndex((n, k) => k > state.picked && fits(n));
    go(next >= 0 ? next : state.nodes.findIndex(fits));
  }
}

// ---- Search

let hits = [], chosen = 0;
function search() {
  $("tables").style.display = "none";
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean), box = $("found");
  hits = !words.length ? [] : state.nodes.map((n, k) => [k, [n.n, ...n.o, ...n.p].find(name => words.every(w => name.toLowerCase().includes(w)))]).filter(([, name]) => name !== undefined);
  box.style.display = words.length ? "block" : "none";
  box.innerHTML = hits.slice(0, 60).map(([k, name], at) => `<div data-node="${k}" class="${at === chosen ? "on" : ""}">${chip(state.nodes[k].d)}${html(name)} <span class="soft">${name === state.nodes[k].n ? kinds[state.nodes[k].k] : html(state.nodes[k].n)}</span></div>`).join("") ||
    `<div class="soft">nothing has ${html(words.join(" and "))} in its name</div>`;
  if (hits.length > 60) box.innerHTML += `<div class="soft">… ${hits.length - 60} more</div>`;
}
function endSearch() { $("found").style.display = "none"; $("search").blur(); }

// ---- Input

canvas.addEventListener("wheel", event => {
  event.preventDefault();
  const factor = Math.exp(-event.deltaY * (event.ctrlKey ? .01 : .0015)), zoom = Math.min(3, Math.max(.01, view.zoom * factor));
  view.x += event.offsetX / view.zoom - event.offsetX / zoom; view.y += event.offsetY / view.zoom - event.offsetY / zoom;
  view.zoom = zoom; redraw();
}, { passive: false });
let drag = null;
canvas.addEventListener("pointerdown", event => { drag = { x: event.clientX, y: event.clientY, moved: 0 }; canvas.setPointerCapture(event.pointerId); canvas.classList.add("drag"); });
canvas.addEventListener("pointermove", event => {
  if (!drag) return;
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  view.x -= dx / view.zoom; view.y -= dy / view.zoom;
  drag = { x: event.clientX, y: event.clientY, moved: drag.moved + Math.abs(dx) + Math.abs(dy) };
  redraw();
});
canvas.addEventListener("pointerup", event => {
  canvas.classList.remove("drag");
  if (drag && drag.moved < 4) {
    const x = event.offsetX / view.zoom + view.x, y = event.offsetY / view.zoom + view.y;
    pick(state.nodes.findIndex(n => Math.abs(n.x - x) <= NODE.w / 2 && Math.abs(n.y - y) <= NODE.h / 2));
  }
  drag = null;
});
const jump = event => { if (event.buttons) { view.y = (event.offsetY - 5) / mapScale()[1] + state.bounds[1] - canvas.cssHeight / 2 / view.zoom; redraw(); } };
map.addEventListener("pointerdown", jump); map.addEventListener("pointermove", jump);
document.addEventListener("keydown", event => {
  if (event.target === $("search")) {
    if (event.key === "Escape") endSearch();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { chosen = Math.max(0, Math.min(hits.length - 1, chosen + (event.key === "ArrowDown" ? 1 : -1))); search(); event.preventDefault(); }
    if (event.key === "Enter" && hits.length) { go(hits[chosen][0]); endSearch(); }
    return;
  }
  const n = state.nodes[state.picked];
  if (event.key === "/") { $("search").focus(); $("search").select(); event.preventDefault(); }
  else if (event.key === "f") fit();
  else if (event.key === "c" && data.artifact) toggleTables();
  else if (event.key === "Escape") { $("tables").style.display = "none"; pick(-1); }
  else if (n && event.key === "ArrowDown" && n.users.length) { go(n.users[0]); event.preventDefault(); }
  else if (n && event.key === "ArrowUp" && n.i.length) { go(n.i[0]); event.preventDefault(); }
});
$("search").addEventListener("input", () => { chosen = 0; search(); });
document.addEventListener("click", event => { if (!event.target.closest(".find")) $("found").style.display = "none"; });
$("found").addEventListener("click", event => { follow(event); endSearch(); });
$("side").addEventListener("click", follow); $("details").addEventListener("click", follow);
$("fit").addEventListener("click", fit);
const toggleTables = () => { $("tables").style.display = $("tables").style.display === "block" ? "none" : "block"; };
$("contents").addEventListener("click", toggleTables);
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = name => { document.documentElement.dataset.theme = name; colors(); redraw(); };
$("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));
addEventListener("resize", resize);

// ---- Start

for (const f of data.functions)
  for (const n of f.nodes)
    n.line = n.k === "t" || n.k === "e" || n.k === "c" ? size(n) + (n.ns ? ` · ${time(n.ns)}` : "") : n.k === "d" ? (n.o.length ? short(n.o[0]) + (n.o.length > 1 ? ` +${n.o.length - 1}` : "") : n.t.join(", ")) : n.t.join(", ");
document.title = data.title; $("title").textContent = data.title;
$("function").innerHTML = data.functions.map((f, k) => `<option value="${k}">${html(f.name)}</option>`).join("");
$("function").style.display = data.functions.length > 1 ? "" : "none";
$("function").addEventListener("change", () => load(+$("function").value));
$("contents").style.display = data.artifact ? "" : "none";
if (data.artifact) $("tables").innerHTML = contents(data.artifact);
theme(dark.matches ? "dark" : "light");
resize();
if (!data.functions.length) toggleTables(); // no graph in the report
else load(Math.max(0, data.functions.findIndex(f => f.name === "main")));
if (location.hash === "#contents" && data.artifact) toggleTables();
else if (location.hash.length > 1) {
  const at = state.nodes.findIndex(n => n.n === decodeURIComponent(location.hash.slice(1)));
  if (at >= 0) go(at);
}
