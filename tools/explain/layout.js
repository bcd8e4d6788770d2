// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A layered drawing: layers by longest path, order in a layer by the means of neighbours, places by isotonic regression.
"use strict";
const NODE = { w: 196, h: 44, gapX: 26, gapY: 40, bend: 12, longest: 30 };

function layersOf(nodes) {
  nodes.forEach(n => { n.layer = n.i.length ? 1 + Math.max(...n.i.map(i => nodes[i].layer || 0)) : 0; });
  // What has no inputs stands right above its first user.
  nodes.forEach(n => { if (!n.i.length && n.users.length) n.layer = Math.max(0, Math.min(...n.users.map(u => nodes[u].layer)) - 1); });
}

// Items of the layers: nodes, and a bend for each layer that an edge passes. Edges between items of neighbouring layers.
function itemsOf(nodes) {
  const items = nodes.map((n, k) => ({ node: k, layer: n.layer, up: [], down: [], w: NODE.w }));
  const edges = [];
  nodes.forEach((n, to) => n.i.forEach(from => {
    const span = n.layer - nodes[from].layer, edge = { from, to, bends: [] };
    edges.push(edge);
    if (span > NODE.longest || span < 1) return;
    let last = items[from];
    for (let layer = last.layer + 1; layer < n.layer; ++layer) {
      const bend = { node: -1, layer, up: [last], down: [], w: NODE.bend };
      last.down.push(bend); items.push(bend); edge.bends.push(bend); last = bend;
    }
    last.down.push(items[to]); items[to].up.push(last);
  }));
  const layers = [];
  items.forEach(item => (layers[item.layer] ||= []).push(item));
  for (let k = 0; k < layers.length; ++k) layers[k] ||= [];
  return { items, edges, layers };
}

const mean = list => list.reduce((a, b) => a + b, 0) / list.length;

function orderLayers(layers) {
  const number = layer => layer.forEach((item, k) => { item.order = k; });
  layers.forEach(number);
  for (let sweep = 0; sweep < 10; ++sweep) {
    const down = sweep % 2 === 0, side = down ? "up" : "down";
    for (const layer of down ? layers : [...layers].reverse()) {
      layer.forEach(item => { item.key = item[side].length ? mean(item[side].map(o => o.order)) : item.order; });
      layer.sort((a, b) => a.key - b.key || a.order - b.order);
      number(layer);
    }
  }
}

// The places nearest to those wished for that keep order and distance: pool adjacent violators.
function settle(layer) {
  let offset = 0;
  const blocks = [];
  layer.forEach((item, k) => {
    if (k) offset += (layer[k - 1].w + item.w) / 2 + NODE.gapX * (item.node < 0 && layer[k - 1].node < 0 ? .4 : 1);
    item.offset = offset;
    let block = { sum: (item.wish - offset) * item.weight, weight: item.weight, count: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).weight > block.sum / block.weight) {
      const before = blocks.pop();
      block = { sum: block.sum + before.sum, weight: block.weight + before.weight, count: block.count + before.count };
    }
    blocks.push(block);
  });
  let k = 0;
  for (const block of blocks)
    for (let n = 0; n < block.count; ++n, ++k) layer[k].x = block.sum / block.weight + layer[k].offset;
}

function placeItems(layers) {
  layers.forEach(layer => {
    layer.forEach((item, k) => { item.wish = (k - (layer.length - 1) / 2) * (NODE.w + NODE.gapX); item.weight = 1; });
    settle(layer);
  });
  for (let sweep = 0; sweep < 16; ++sweep) {
    const down = sweep % 2 === 0, side = down ? "up" : "down";
    for (const layer of down ? layers : [...layers].reverse()) {
      layer.forEach(item => {
        const near = item[side];
        item.wish = near.length ? mean(near.map(o => o.x)) : item.x;
        // Long edges stay straight, but where they begin and end they give way as nodes do: else long graphs drift aside.
        item.weight = near.length ? (item.node < 0 && near[0].node < 0 ? 4 : 1) : .05;
      });
      settle(layer);
    }
  }
}

// Gives nodes x, y (centres) and returns the edges with their points and the bounds.
function layout(nodes) {
  layersOf(nodes);
  const { items, edges, layers } = itemsOf(nodes);
  orderLayers(layers);
  placeItems(layers);
  items.forEach(item => {
    item.y = item.layer * (NODE.h + NODE.gapY);
    if (item.node >= 0) { nodes[item.node].x = item.x; nodes[item.node].y = item.y; }
  });
  edges.forEach(edge => {
    const a = nodes[edge.from], b = nodes[edge.to];
    edge.points = [[a.x, a.y + NODE.h / 2], ...edge.bends.map(p => [p.x, p.y]), [b.x, b.y - NODE.h / 2]];
    const xs = edge.points.map(p => p[0]);
    edge.box = [Math.min(...xs) - 60, edge.points[0][1], Math.max(...xs) + 60, edge.points.at(-1)[1]];
  });
  const xs = nodes.map(n => n.x), ys = nodes.map(n => n.y), least = list => list.reduce((a, b) => Math.min(a, b), Infinity);
  const most = list => list.reduce((a, b) => Math.max(a, b), -Infinity);
  const bounds = nodes.length ? [least(xs) - NODE.w / 2, least(ys) - NODE.h / 2, most(xs) + NODE.w / 2, most(ys) + NODE.h / 2] : [0, 0, 1, 1];
  return { edges, bounds };
}
