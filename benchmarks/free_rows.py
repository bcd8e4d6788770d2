# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and recurrences whose number of rows only the call knows: beside the same with the number known, and a peer.

    free_rows.lines(options)   # a table for benchmarks/run.py
"""
import dataclasses
import pathlib

import numpy
import onnx

from cases import Case, file_name, normal
from engines import PEER_ENGINES, WORK, Heddle, OnnxRuntime
from graph import FLOAT, Graph
from statistics_of_rounds import median_interval

ROWS = (1, 2, 3, 6, 17, 100)
T = onnx.TensorProto


@dataclasses.dataclass
class FreeCase(Case):
    """Its model as it is: the number of rows stays free."""

    def write(self, folder):
        path = pathlib.Path(folder) / f"{file_name(self.name)}_free.onnx"
        onnx.save(self.build(), path)
        return path


def node(kind, constants, shape, argument=FLOAT, result=FLOAT, **attributes):
    """A model of one node. `shape`: of its first operand, None where it is free."""
    def build():
        graph = Graph(kind.lower())
        names = [graph.input("x", argument, ["rows" if size is None else size for size in shape])]
        names += [graph.constant(f"constant_{i}", value) for i, value in enumerate(constants)]
        graph.output(graph.op(kind, *names, name="y", **attributes), result, [None] * len(shape))
        return graph.model()
    return build


def recurrence(kind, gates, hidden, steps=50):
    weights = [normal(i, *shape) * 0.1 for i, shape in
               enumerate([(1, gates * hidden, hidden), (1, gates * hidden, hidden), (1, 2 * gates * hidden)])]

    def build():
        graph = Graph(kind.lower())
        names = [graph.input("x", FLOAT, [steps, "rows", hidden])] + [graph.constant(f"w{i}", w) for i, w in enumerate(weights)]
        graph.output(graph.op(kind, *names, name="y", hidden_size=hidden), FLOAT, [None] * 4)
        return graph.model()
    return f"{kind} {hidden}, {steps} steps", build, lambda rows: normal(9, steps, rows, hidden)


def products():
    """(name, () -> model, rows -> operand)."""
    bytes_of = lambda kind, *shape: numpy.random.default_rng(5).integers(numpy.iinfo(kind).min, numpy.iinfo(kind).max, shape, kind, endpoint=True)
    cases = [(f"f32 {k}x{n}", node("MatMul", [normal(2, k, n)], (None, k)), lambda rows, k=k: normal(1, rows, k)) for k, n in ((512, 512), (768, 2304))]
    cases.append(("u8 x i8 1024x1536", node("MatMulInteger", [bytes_of(numpy.int8, 1024, 1536)], (None, 1024), T.UINT8, T.INT32),
                  lambda rows: bytes_of(numpy.uint8, rows, 1024)))
    return cases + [recurrence("LSTM", 4, 192), recurrence("GRU", 3, 192)]


def measure(options, name, build, feed):
    """{engine: [ratio of our time to its, a round each]} and our median time in us."""
    value = {"x": feed}
    free, known = FreeCase(name, build, value), Case(f"{name}_known", build, value)
    path = free.write(WORK)
    engines = {"free": Heddle(options.bin, free, path, 1), "known": Heddle(options.bin, known, known.write(WORK), 1)}
    if "ort" in options.peers:
        engines[OnnxRuntime.name] = PEER_ENGINES["ort"](free, path, 1)
    times = {key: [] for key in engines}
    order = list(engines)
    for i in range(options.rounds):
        for key in order[i % len(order):] + order[:i % len(order)]:
            times[key].append(engines[key].median_us(options.seconds))
    for engine in engines.values():
        engine.close()
    ratios = {key: median_interval([a / b for a, b in zip(times["free"], values)]) for key, values in times.items() if key != "free"}
    return median_interval(times["free"])[0], ratios


def lines(options):
    beside = ["known"] + ([OnnxRuntime.name] if "ort" in options.peers else [])
    titles = {"known": "÷ the number known"} | {OnnxRuntime.name: f"÷ {OnnxRuntime.name}"}
    table = ["| | rows | Heddle us | " + " | ".join(titles[key] for key in beside) + " |", "|---" * (3 + len(beside)) + "|"]
    for name, build, feed in products():
        for rows in ROWS:
            own, ratios = measure(options, f"{name} {rows}", build, feed(rows))
            cells = ["**{:.2f}** [{:.2f}, {:.2f}]".format(*ratios[key]) for key in beside]
            table.append(f"| {name} | {rows} | {own:.1f} | " + " | ".join(cells) + " |")
            print(table[-1], flush=True)
    return ["## Free rows, 1 thread", "",
            "The number of rows is free when compiling and told by the call; beside the same model with the number known when compiling.", "", *table, ""]
