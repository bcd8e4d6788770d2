#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random typed graphs through every way Heddle has to compute them, and through ONNX Runtime.

    differential.py --bin build/release/bin [--graphs 2000] [--seed 1] [--ways all] [--out DIR]

A graph is three to eight operators, each chosen for a cell (operator × type × rank × layout) that few graphs tried, with the
nodes that make its operands; half of the graphs have a dynamic dimension. Several graphs are compiled as one model; when that
fails or differs, each is compiled by itself, and one that still does is written to DIR as a model with its inputs; `heddle reduce`
makes the first few small, to DIR/seed_N/small.mlir. Equal seeds make equal graphs. Exit status 1: a difference or an error that no rule of rules.py explains.
"""
import argparse
import dataclasses
import os
import pathlib
import sys
import tempfile
import time

import ml_dtypes
import numpy
import onnx
import onnxruntime
from onnx import helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "onnx_ops"))

import operators  # noqa: E402
import operators_attention  # noqa: E402,F401
import operators_control  # noqa: E402,F401
import operators_images  # noqa: E402,F401
import operators_layers  # noqa: E402,F401
import operators_movement  # noqa: E402,F401
import operators_selection  # noqa: E402,F401
import operators_signal  # noqa: E402,F401
import operators_windows  # noqa: E402,F401
import reduction  # noqa: E402
import rules  # noqa: E402
from builder import MS, OPSET, Builder, proto_type  # noqa: E402
from coverage import Coverage  # noqa: E402

OLDER_OPSET, IR_VERSION, ORT_QUIET = 21, 11, 4
OPERATORS_OF_A_GRAPH = (3, 8)
TWO_DEVICES = ("--target-device=a=local[0]", "--target-device=b=local[1]")
# How to compile; `reference` and `two devices` are special.
WAYS = {
    "O2": (), "O0": ("-O0",), "O1": ("-O1",), "O3": ("-O3",), "rows": ("--data-tiling=off",),
    "early": ("--strategy=early-data-tiling",), "two devices": TWO_DEVICES, "reference": None,
}
# Units in the last place of the largest value in a result's history, for each rounding: sums of up to some hundred terms,
# polynomials of a few. The narrow types are computed in f32 and rounded once, or at each step.
ULPS = {"float64": 64, "float32": 64, "float16": 8, "bfloat16": 8}


@dataclasses.dataclass
class Failure:
    way: str
    text: str


@dataclasses.dataclass
class Graph:
    seed: int
    builder: Builder
    cells: list
    results: list
    want: dict = None      # by ONNX Runtime; None: it has no kernel for an operator
    failures: list = dataclasses.field(default_factory=list)

    def places(self):
        """A placement file, the same one each time."""
        random = numpy.random.default_rng(self.seed)
        return "".join(f"{node.name} = {'ab'[random.integers(2)]}\n" for node in self.builder.nodes)


def make_graph(seed, coverage, allowed=lambda cell: True):
    builder = Builder(seed, f"g{seed}_", dynamic=seed % 2 == 1)
    chosen = []
    for _ in range(builder.between(*OPERATORS_OF_A_GRAPH)):
        cell = coverage.pick(builder.random, allowed)
        operators.add(builder, cell)
        chosen.append(cell)
    results = [value for value in builder.results if value.name not in builder.used or builder.chance(4)]
    return Graph(seed, builder, chosen, results)


def model_of(graphs, name, opset=None):
    """One model of several graphs, which share nothing."""
    results = [helper.make_tensor_value_info(value.name, proto_type(value.dtype), [None] * value.rank)
               for graph in graphs for value in graph.results]
    joined = helper.make_graph(
        [node for graph in graphs for node in graph.builder.nodes], name,
        [argument for graph in graphs for argument in graph.builder.arguments], results,
        [constant for graph in graphs for constant in graph.builder.constants])
    sets = [helper.make_opsetid("", opset or max(graph.builder.opset for graph in graphs)), helper.make_opsetid(MS, 1)]
    return helper.make_model(joined, opset_imports=sets, ir_version=IR_VERSION)


def ort_session(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = ORT_QUIET
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run_ort(graph):
    """{result: array}, or the text of ONNX Runtime's refusal. It has no kernel for some of the newest versions of operators, though
    it has one for the version before, which differs in the types it takes."""
    refusal = run_ort_as(graph, graph.builder.opset)
    return refusal if isinstance(refusal, dict) or graph.builder.opset > OPSET else run_ort_as(graph, OLDER_OPSET)


def run_ort_as(graph, opset):
    try:
        session = ort_session(model_of([graph], "g", opset))
        feed = {name: onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(numpy.uint16), proto_type("bfloat16"))
                if array.dtype == ml_dtypes.bfloat16 else onnxruntime.OrtValue.ortvalue_from_numpy(array)
                for name, array in graph.builder.feed.items()}
        names = [result.name for result in session.get_outputs()]
        out = session.run_with_ort_values(names, feed)
        return {name: value.numpy() if value.element_type() != proto_type("bfloat16") else None for name, value in zip(names, out)}
    except Exception as error:  # of many kinds
        return str(error)


class Supported:
    """Whether ONNX Runtime has a kernel for an operator and a type: most graphs use those only, so that it can judge them."""

    def __init__(self):
        self.known = {}

    def __call__(self, cell):
        kind, dtype = cell[:2]
        if (kind, dtype) not in self.known:
            builder = Builder(1)
            operators.add(builder, cell)
            self.known[kind, dtype] = isinstance(run_ort(Graph(0, builder, [], builder.results)), dict)
        return self.known[kind, dtype]


def difference(value, got, want):
    """Words when a result is not as it should be."""
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    if value.dtype in ULPS and not value.exact:
        wide_got, wide_want = got.astype(numpy.float64), want.astype(numpy.float64)
        scale = max(value.scale, numpy.nanmax(numpy.abs(wide_want[numpy.isfinite(wide_want)]), initial=0))
        limit = ULPS[value.dtype] * float(ml_dtypes.finfo(value.dtype).eps) * scale * (1 + value.depth)
        with numpy.errstate(invalid="ignore"):
            close = (numpy.abs(wide_got - wide_want) <= limit) | (wide_got == wide_want) | (numpy.isnan(wide_got) & numpy.isnan(wide_want))
    else:
        close = (got == want) | ((got != got) & (want != want))
    if close.all():
        return ""
    at = tuple(int(i) for i in numpy.argwhere(~close)[0])
    return f"[{', '.join(map(str, at))}] is {got[at]}, expected {want[at]}; {int((~close).sum())} of {close.size} differ"


class Runner:
    """Compiles and runs models by the tools."""

    def __init__(self, folder, out, reductions=0):
        import tools  # needs HEDDLE_BIN
        self.tools, self.folder, self.out, self.reductions = tools, folder, out, reductions
        self.explained = {}

    def run(self, graphs, way):
        """{result: array}; raises ToolError."""
        model = self.folder / "m.onnx"
        onnx.save(model_of(graphs, "g"), model)
        arguments, outputs = [], []
        for graph in graphs:
            for name, array in graph.builder.feed.items():
                file = self.folder / f"{name}.npy"
                numpy.save(file, array.view(numpy.uint16) if array.dtype == ml_dtypes.bfloat16 else array)
                arguments.append(f"--input={name}=@{file}")
            outputs += [value for value in graph.results]
        arguments += [f"--output={value.name}=@{self.folder}/{value.name}.out.npy" for value in outputs]
        if way == "reference":
            self.tools.run(("heddle-reference", model, "--small", *arguments))
        else:
            devices = ["--device=local://0", "--device=local://1"][: 2 if way == "two devices" else 1]
            place = self.folder / "place.txt"
            place.write_text("".join(graph.places() for graph in graphs))
            artifact = self.folder / "m.heddle"
            self.tools.run(("heddle-compile", model, "-o", artifact, *self.flags(way, place)), ("heddle-run", artifact, "--seed=0", *devices, *arguments))
        out = {}
        for value in outputs:
            file = self.folder / f"{value.name}.out.npy"
            array = numpy.load(file)
            out[value.name] = array.view(ml_dtypes.bfloat16) if value.dtype == "bfloat16" else array
            file.unlink()
        return out

    def compare(self, graph, way, got, first):
        """What is wrong with a graph's results: against ONNX Runtime's, else (also where a rule says that those are wrong)
        against the first way's."""
        for value in graph.results:
            want = graph.want.get(value.name) if graph.want else None
            if want is not None:
                text = difference(value, got[value.name], want)
                rule = text and rules.explain_result(graph.builder, value.name)
                if rule:
                    self.explained[rule.name] = self.explained.get(rule.name, 0) + 1
                elif text:
                    return Failure(way, f"{value.name}: {text}")
                else:
                    continue
            want = first.get(value.name)
            if want is not None and (text := difference(value, got[value.name], want)):
                return Failure(way, f"{value.name}: {text} (as the first way has it)")
        return None

    def check(self, graphs, ways):
        """Runs a batch; failures stand in the graphs."""
        first = {}
        for way in ways:
            try:
                results = self.run(graphs, way)
            except self.tools.ToolError as error:
                if len(graphs) == 1:
                    graphs[0].failures.append(Failure(way, str(error)[-2000:]))
                    continue
                for graph in graphs:
                    self.single(graph, way, first)
                continue
            first = {**results, **first}
            for graph in graphs:
                failure = self.compare(graph, way, results, first)
                if failure:
                    graph.failures.append(failure)

    def single(self, graph, way, first):
        try:
            results = self.run([graph], way)
        except self.tools.ToolError as error:
            graph.failures.append(Failure(way, str(error)[-2000:]))
            return
        for name, array in results.items():
            first.setdefault(name, array)
        failure = self.compare(graph, way, results, first)
        if failure:
            graph.failures.append(failure)

    def flags(self, way, place):
        return [*WAYS[way], f"--place-file={place}"] if way == "two devices" else list(WAYS[way])

    def keep(self, graph, failure):
        """Writes a graph that failed, and makes the first few small."""
        folder = self.out / f"seed_{graph.seed}"
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(model_of([graph], "g"), folder / "model.onnx")
        (folder / "place.txt").write_text(graph.places())
        for name, array in graph.builder.feed.items():
            numpy.save(folder / f"{name}.npy", array.view(numpy.uint16) if array.dtype == ml_dtypes.bfloat16 else array)
        (folder / "why.txt").write_text("".join(f"{f.way}: {f.text}\n" for f in graph.failures) + f"{graph.cells}\n")
        if self.reductions and failure.way != "reference":
            self.reductions -= 1
            flags = self.flags(failure.way, folder / "place.txt")
            print(f"  {reduction.reduce(self.tools.BIN, folder, failure, flags)}: {folder}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--graphs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=8, help="graphs of one model")
    parser.add_argument("--ways", default="all", help="comma-separated: " + ", ".join(WAYS))
    parser.add_argument("--rotate", action="store_true", help="each batch by the first way and one of the others, in turn")
    parser.add_argument("--again", help="run only the graphs of these seeds, comma-separated, which the others, made but not run, let be the same")
    parser.add_argument("--only", help="operators, comma-separated")
    parser.add_argument("--reduce", type=int, default=5, help="how many failures are made small")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/differential"))
    options = parser.parse_args()
    os.environ["HEDDLE_BIN"] = options.bin
    ways = list(WAYS) if options.ways == "all" else options.ways.split(",")
    cells = [cell for cell in operators.cells() if not options.only or cell[0] in options.only.split(",")]
    return fuzz(cells, options.graphs, options.seed, options.batch, ways, options.out, options.rotate, options.reduce,
                {int(seed) for seed in options.again.split(",")} if options.again else None)


def fuzz(cells, count, seed, batch, ways, out, rotate=False, reductions=0, again=None):
    coverage, supported = Coverage(cells), Supported()
    defects, judged, start = [], 0, time.monotonic()
    print(f"seeds {seed} to {seed + count - 1}, {len(cells)} cells, ways: {', '.join(ways)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(pathlib.Path(folder), out, reductions)
        for first in range(seed, seed + count, batch):
            graphs = [make_graph(each, coverage, supported if each % 4 else lambda cell: True)
                      for each in range(first, min(first + batch, seed + count))]
            if again is not None:
                graphs = [graph for graph in graphs if graph.seed in again]
                if not graphs:
                    continue
            for graph in graphs:
                want = run_ort(graph)
                graph.want = want if isinstance(want, dict) else None
                judged += graph.want is not None
            turn = ways if not rotate else [*ways[:1], ways[1 + (first - seed) // batch % (len(ways) - 1)]]
            runner.check(graphs, turn)
            for graph in graphs:
                unexplained = []
                for failure in graph.failures:
                    rule = rules.explain_refusal(graph.builder, failure.text)
                    if rule:
                        runner.explained[rule.name] = runner.explained.get(rule.name, 0) + 1
                    else:
                        unexplained.append(failure)
                if unexplained:
                    defects.append(graph)
                    print(f"seed {graph.seed}: {unexplained[0].way}: {unexplained[0].text[-300:]}", flush=True)
                    runner.keep(graph, unexplained[0])
                if not graph.failures:
                    coverage.reach(graph.cells)
            if (first - seed) // batch % 16 == 15:
                done = first - seed + batch
                print(f"{done} graphs, {len(defects)} defects, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{count} graphs ({judged} judged by ONNX Runtime, the others by the first way), {2 if rotate else len(ways)} ways each, "
          f"{time.monotonic() - start:.0f} s")
    for name, (reached, every) in coverage.report().items():
        print(f"  {name}: {reached} of {every} ({100 * reached / max(1, every):.1f} %)")
    for name, times in sorted(runner.explained.items()):
        print(f"  explained by '{name}': {times}")
    print(f"{len(defects)} graphs differ or fail without a rule")
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
