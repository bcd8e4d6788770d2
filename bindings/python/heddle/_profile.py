# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""module.profile(): where the time of a call goes."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import _runtime
from ._errors import InvalidArgumentError

if TYPE_CHECKING:
    from ._module import Module

_WORK = ("dispatch", "copy", "fill", "collective")


@dataclass(frozen=True)
class Row:
    """Work of one kind for one node of the model. Times are means over the calls."""

    node: str      # of the model, "" where the work is no single node's
    kernel: str    # what ran
    device: str    # the device's URI
    kind: str      # 'dispatch', 'copy', 'fill' or 'collective'
    runs: float    # in a call
    ms: float      # in a call
    percent: float  # of all work
    bytes: int     # read and written, or moved, in a call


class Profile:
    """Prints as a table. `rows`: its lines, the longest first. `call_ms`: a call, with tracing. `work_ms`: the work in it, over
    all devices and streams. `results`: of the last call."""

    def __init__(self, rows: list[Row], call_ms: float, results: Any, calls: int):
        self.rows = rows
        self.call_ms = call_ms
        self.results = results
        self.calls = calls

    @property
    def work_ms(self) -> float:
        return sum(row.ms for row in self.rows)

    def __str__(self) -> str:
        lines = [f"{self.call_ms:.3f} ms a call ({self.calls} calls, traced), {self.work_ms:.3f} ms of it work",
                 f"{'%':>6}  {'ms':>9}  {'runs':>5}  {'device':<12}  kernel  node"]
        for row in self.rows:
            lines.append(f"{row.percent:6.1f}  {row.ms:9.4f}  {row.runs:5g}  {row.device:<12}  {row.kernel}  {row.node}".rstrip())
        return "\n".join(lines)

    __repr__ = __str__


def profile(module: Module, function: _runtime.Function, args: Sequence[Any], named: Mapping[str, Any], calls: int, warmup: int) -> Profile:
    for name, value, least in (("calls", calls, 1), ("warmup", warmup, 0)):
        if not isinstance(value, int) or value < least:
            raise InvalidArgumentError(f"{name} is an integer from {least}, got {value!r}")
    results, times, traces = function._trace(None, warmup, calls, *args, **named)
    devices = [device.uri for device in module.devices]
    sums: dict[tuple[str, str, str, str], list[int]] = {}
    for trace in traces:
        for kind, name, source, device, _, begin, end, size in trace:
            if kind not in _WORK:
                continue
            entry = sums.setdefault((source, name, devices[device] if 0 <= device < len(devices) else "host", kind), [0, 0, 0])
            entry[0] += 1
            entry[1] += end - begin
            entry[2] += size
    total = sum(entry[1] for entry in sums.values()) or 1
    rows = [Row(source, name, device, kind, runs / calls, ns / calls / 1e6, 100 * ns / total, size // calls)
            for (source, name, device, kind), (runs, ns, size) in sums.items()]
    rows.sort(key=lambda row: -row.ms)
    return Profile(rows, sum(times) / len(times) / 1e6, results, calls)
