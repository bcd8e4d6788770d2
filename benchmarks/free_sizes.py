#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a size costs that is known only at the call: the same model with free and with known sizes, one thread.

  free_sizes.py --bin build/release/bin [--table rows|networks|operators]… [--only PATTERN]…
  lines(options, "rows")      # for benchmarks/run.py

rows: products and recurrences with a free number of rows, at several numbers, also beside ONNX Runtime with the same
free file. networks: their batch is free. operators: every size of every argument is free, each with a name of its own,
as exporters write it. Rounds measure all engines for the same time, the first one changing from round to round; a
figure is the median over the rounds of the ratio of the best calls in one round, with its 95 % interval. Operators that
take more than 1.05 of the known size's time have a reason (free_reasons.py). Exit status 1 where something does not run
or an operator is slower without a reason.
"""
import argparse
import fnmatch
import pathlib
import sys

import onnx

from cases import file_name, networks
from engines import WORK, Heddle, OnnxRuntime, Unsupported, run_measured, save_feed
from free_cases import ROWS, WITH_ROWS
from free_reasons import ALLOWED, reason_of, unused, why
from operators import operators
from rarer_operators import rarer_operators
from statistics_of_rounds import median_interval


def free_dimensions(proto, feed, is_free, name):
    """Gives every argument the shape of its value, but for the dimensions that `is_free(array, axis)` names."""
    for value in proto.graph.input:
        if value.name not in feed:
            continue
        shape = value.type.tensor_type.shape
        shape.ClearField("dim")
        for axis, size in enumerate(feed[value.name].shape):
            dimension = shape.dim.add()
            if is_free(feed[value.name], axis):
                dimension.dim_param = name(value.name, axis)
            else:
                dimension.dim_value = size
        shape.SetInParent()
    for value in proto.graph.output:
        value.type.tensor_type.ClearField("shape")
    del proto.graph.value_info[:]
    return onnx.shape_inference.infer_shapes(proto)


def with_free_batch(case):
    """The first dimension of every argument of more than one, where all agree."""
    batch = next(iter(case.feed.values())).shape[0]
    return free_dimensions(case.build(), case.feed, lambda array, axis: axis == 0 and array.ndim > 1 and array.shape[0] == batch,
                           lambda _name, _axis: "batch")


def with_free_sizes(case):
    return free_dimensions(case.build(), case.feed, lambda _array, _axis: True, lambda name, axis: f"{name}_{axis}")


def with_free_rows(case):
    """The last dimension but one."""
    return free_dimensions(case.build(), case.feed, lambda array, axis: axis == array.ndim - 2, lambda _name, _axis: "rows")


class Compiled(Heddle):
    """A model file, compiled once and called with the feed of a case."""

    def __init__(self, bin_folder, name, path, case):
        self.name, self.facts, artifact = name, {}, path.with_suffix(".heddle")
        run_measured([bin_folder / "heddle-compile", path, "-o", artifact], 600)
        self.command = [str(bin_folder / "heddle"), "bench", str(artifact), "--device=local://0", "--json", "--warmup=1"]
        self.command += [f"--input={key}=@{value}" for key, value in save_feed(case)]

    def best_us(self, seconds):
        return self.measure(seconds)["latency_us"]["min"]


class Peer(OnnxRuntime):
    def best_us(self, seconds):
        return min(self.latencies(seconds))


def write(proto, name):
    path = WORK / f"{file_name(name)}.onnx"
    path.write_bytes(proto.SerializeToString(deterministic=True))
    return path


def measure(options, engines):
    """{name: [best call of a round, us]}."""
    times = {engine.name: [] for engine in engines}
    for i in range(options.rounds):
        turn = i % len(engines)
        for engine in engines[turn:] + engines[:turn]:
            times[engine.name].append(engine.best_us(options.seconds))
    for engine in engines:
        engine.close()
    return times


def interval(times, other):
    return median_interval([a / b for a, b in zip(times["free"], times[other])])


def ratio(times, other):
    middle, low, high = interval(times, other)
    return f"**{middle:.2f}** [{low:.2f}, {high:.2f}]"


NO_REASON = "no reason is known"


def explain(name, times):
    """Why the whole interval is above what needs no reason; empty where it is not."""
    if interval(times, "known")[1] <= ALLOWED:
        return ""
    return why(name, min(times["free"]), min(times["known"])) or NO_REASON


def row(options, case, free_path, key):
    """Cells after the name: us with free sizes, ÷ known, then ÷ ONNX Runtime of rows, of operators why it is slower."""
    peer = key == "rows"
    engines = [Compiled(options.bin, "free", free_path, case), Compiled(options.bin, "known", case.write(WORK), case)]
    if peer:
        engines.append(Peer(case, free_path, 1))
    times = measure(options, engines)
    last = ratio(times, Peer.name) if peer else explain(case.name, times) if key == "operators" else ""
    return [f"{min(times['free']):.1f}", ratio(times, "known"), last]


def rows_cases():
    return [(make(rows), with_free_rows) for make in WITH_ROWS.values() for rows in ROWS]


TABLES = {
    "rows": ("Free rows", rows_cases),
    "networks": ("Networks with a free batch", lambda: [(case, with_free_batch) for case in networks()]),
    "operators": ("Operators with every size free", lambda: [(case, with_free_sizes) for case in operators() + rarer_operators()]),
}


def table(options, key):
    """(lines, how many do not run or are slower without a reason)."""
    title, cases = TABLES[key]
    last = {"rows": "free ÷ ONNX Runtime", "networks": "", "operators": "why more than 1.05"}[key]
    lines, failed = [f"## {title}, 1 thread", "", f"| | free, us | free ÷ known | {last} |", "|---|---|---|---|"], 0
    for case, free in cases():
        if options.only and not any(fnmatch.fnmatch(case.name, pattern) for pattern in options.only):
            continue
        try:
            cells = row(options, case, write(free(case), f"{case.name} free"), key)
            failed += cells[-1] == NO_REASON
        except Unsupported as error:
            known = reason_of(case.name) if key == "operators" else None
            cells, failed = ["–", str(error).replace("|", "/"), known or ""], failed + (known is None)
        lines.append("| " + " | ".join([case.name, *cells, *[""] * (3 - len(cells))]) + " |")
        print(lines[-1], flush=True)
    return lines + [""], failed


def lines(options, key):
    return table(options, key)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--table", action="append", choices=list(TABLES), help="all of them by default")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN", help="only cases of this name")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.05, help="of one measurement")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    WORK.mkdir(parents=True, exist_ok=True)
    if stale := unused([case.name for case, _ in TABLES["operators"][1]()]):
        sys.exit(f"free_reasons.py: no operator is named {', '.join(stale)}")
    sys.exit(any([table(options, key)[1] for key in options.table or TABLES]))


if __name__ == "__main__":
    main()
