// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an artifact contains, beside its graph: tables over the drawing (heddle inspect --html).
"use strict";
function contents(artifact) {
  const most = 1000, type = v => `${v.shape.map(d => typeof d === "string" && d !== "?" ? `[${d}]` : d).concat(v.type).join("x")}`;
  const table = (title, heads, rows) => `<h2>${title}</h2><table><tr>${heads.map(h => `<th>${h}</th>`).join("")}</tr>` +
    rows.slice(0, most).map(row => `<tr>${row.map(cell => `<td>${html(cell)}</td>`).join("")}</tr>`).join("") + "</table>" +
    (rows.length > most ? `<p class="soft">… ${rows.length - most} more (heddle inspect --json)</p>` : "");
  const sum = list => list.reduce((a, b) => a + b, 0);
  const target = t => t.fallback ? `the same as ${t.fallback}` : `${t.driver}${t.ordinal === null ? "" : `[${t.ordinal}]`} ${t.formats.join(", ")}`;
  const code = e => sum(e.variants.map(v => v.bytes)), large = key => (a, b) => key(b) - key(a);
  return `<p class="soft">${bytes(artifact.file_bytes)}, format ${artifact.format.version}, instruction set ${artifact.format.instruction_set}, by ${html(artifact.producer)}</p>` +
    table("Entry points", ["name", "takes", "gives"], artifact.entry_points.map(e => [e.name, e.arguments.map(v => `${v.name}: ${type(v)}`).join(", "), e.results.map(v => `${v.name}: ${type(v)}`).join(", ")])) +
    table("Devices", ["name", "alternatives, in order"], artifact.devices.map(d => [d.name, d.alternatives.map(target).join(" · ")])) +
    table(`Executables: ${artifact.executables.length}, ${bytes(sum(artifact.executables.map(code)))}`, ["name", "code", "variants", "comes from"],
      [...artifact.executables].sort(large(code)).map(e => [e.name, bytes(code(e)), e.variants.map(v => v.target).join(", "), e.exports.map(x => x.source).join(", ")])) +
    table(`Parameters: ${artifact.parameters.length}, ${bytes(sum(artifact.parameters.map(p => p.bytes)))}`, ["key", "bytes", "type", "layout"],
      [...artifact.parameters].sort(large(p => p.bytes)).map(p => [p.key, bytes(p.bytes), type(p), p.layout]));
}
