# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs of shared elementwise values against ONNX Runtime, and unrolled recurrences.

    HEDDLE_GRAPHS=10000 HEDDLE_SEED=1000 test/run_unittests.py test/elementwise     10,000 graphs from seed 1000 (`make fuzz-elementwise`)

Several graphs, which share nothing, are one model; when that is wrong, each is compiled by itself, and the message names the seed.
Every other model is compiled with -O0: what is fused does not depend on the level, and most of the time is LLVM's.
"""
import os
import pathlib
import sys
import tempfile
import unittest

import numpy
import onnx
import onnxruntime
from onnx import helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "onnx_ops"))

import recurrences  # noqa: E402
import tools  # noqa: E402
from shared_graphs import PROTO, difference, shared_graph  # noqa: E402

FIRST = int(os.environ.get("HEDDLE_SEED", "0"))
COUNT = int(os.environ.get("HEDDLE_GRAPHS", "200"))
TOGETHER = 20
OPSET, IR_VERSION = 18, 9


def model_of(graphs):
    results = [helper.make_tensor_value_info(value.name, PROTO[value.dtype], value.shape) for g in graphs for value in g.chosen]
    graph = helper.make_graph([node for g in graphs for node in g.nodes], "shared", [each for g in graphs for each in g.arguments],
                              results, [each for g in graphs for each in g.constants])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)


def with_whole_comparisons(model):
    """Max and Min of int64 by comparisons: of equal upper halves ONNX Runtime 1.31 compares the lower ones as signed, so that
    max(0, 2^31) is 0."""
    typed = onnx.shape_inference.infer_shapes(model).graph
    wide = {value.name for values in (typed.value_info, typed.input, typed.output) for value in values
            if value.type.tensor_type.elem_type == onnx.TensorProto.INT64}
    nodes = []
    for node in model.graph.node:
        if node.op_type not in ("Max", "Min") or node.output[0] not in wide:
            nodes.append(node)
            continue
        best = node.input[0]
        for i, other in enumerate(node.input[1:], 1):
            result = node.output[0] if i + 1 == len(node.input) else f"{node.output[0]}_of_{i}"
            nodes.append(helper.make_node("Greater" if node.op_type == "Max" else "Less", [best, other], [f"{result}_first"]))
            nodes.append(helper.make_node("Where", [f"{result}_first", best, other], [result]))
            best = result
        if len(node.input) == 1:
            nodes.append(helper.make_node("Identity", node.input, node.output))
    exact = onnx.ModelProto()
    exact.CopyFrom(model)
    del exact.graph.node[:]
    exact.graph.node.extend(nodes)
    return exact


def by_onnxruntime(model, feed):
    model = with_whole_comparisons(model)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # some of its fusions are approximations
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip((result.name for result in session.get_outputs()), session.run(None, feed)))


def by_heddle(model, feed, names, level="-O2"):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        onnx.save(model, folder / "m.onnx")
        arguments = []
        for argument, array in feed.items():
            numpy.save(folder / f"{argument}.npy", array)
            arguments.append(f"--input={argument}=@{folder}/{argument}.npy")
        arguments += [f"--output={result}=@{folder}/{result}.npy" for result in names]
        tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", level), ("heddle-run", folder / "m.heddle", *arguments))
        return {result: numpy.load(folder / f"{result}.npy") for result in names}


def check(graphs, level):
    """What is wrong, a line for each result."""
    model, feed = model_of(graphs), {name: array for g in graphs for name, array in g.feed.items()}
    values = {value.name: value for g in graphs for value in g.chosen}
    want = by_onnxruntime(model, feed)
    try:
        got = by_heddle(model, feed, list(values), level)
    except tools.ToolError as error:
        return [str(error)]
    return [text for text in (difference(value, got[name], want[name]) for name, value in values.items()) if text]


class SharedGraphs(unittest.TestCase):
    def check(self, seeds):
        graphs = []
        for seed in seeds:
            graphs.append(shared_graph(seed, f"g{seed}_"))
            graphs[-1].chosen = graphs[-1].results()
        level = "-O0" if seeds[0] // TOGETHER % 2 else "-O2"
        if not check(graphs, level):
            return
        alone = {g.seed: check([g], level) for g in graphs}
        wrong = [f"seed {seed}: {text}" for seed, texts in alone.items() for text in texts[:3]]
        self.fail("\n".join(wrong or [f"seeds {seeds} together, none alone: {check(graphs, level)}"]))

    def test_a_wrong_element_is_seen(self):
        """A result off by a hundredth, in a graph without special values, is one."""
        seen = 0
        for seed in range(20):
            graph = shared_graph(seed)
            for value in graph.results():
                if value.dtype == "float32" and numpy.isfinite(value.exact).all() and value.error.max() < 1e-4:
                    exact = value.exact.astype(numpy.float32)
                    self.assertEqual(difference(value, exact, exact), "")
                    self.assertIn("expected", difference(value, exact + numpy.float32(0.01), exact))
                    seen += 1
        self.assertGreater(seen, 10)


class Recurrences(unittest.TestCase):
    """What training steps, integrators and sums of series unroll to: every value is read by several later ones."""

    def check(self, name):
        model, feed, rtol = recurrences.MODELS[name]()
        want = by_onnxruntime(model, feed)
        got = by_heddle(model, feed, list(want))
        for result in want:
            numpy.testing.assert_allclose(got[result], want[result], rtol=rtol, atol=rtol)


def add_tests():
    for first in range(FIRST, FIRST + COUNT, TOGETHER):
        seeds = range(first, min(first + TOGETHER, FIRST + COUNT))
        setattr(SharedGraphs, f"test_seeds_{seeds[0]}_to_{seeds[-1]}", lambda self, seeds=seeds: self.check(seeds))
    for name in recurrences.MODELS:
        setattr(Recurrences, f"test_{name}", lambda self, name=name: self.check(name))


add_tests()

if __name__ == "__main__":
    unittest.main()
