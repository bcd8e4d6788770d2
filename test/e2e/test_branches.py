# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Independent branches on queues of one device: exact times on `sim`, equal bits on cores, what `explain` says."""
import json
import pathlib
import re
import unittest

import numpy
import onnx
import support
from onnx import TensorProto, helper, numpy_helper
from support import heddle

WIDTH = 64
LAUNCH_US = 1
PRODUCT_US = (2 * WIDTH**3 + WIDTH**2) * 1e-3 + LAUNCH_US  # of square matrices, and the zeros it begins with, at 1 gflops
SIMULATED = "local{gflops=1,memory_gbps=1000,launch_us=1,queues=%d}"


class Graph:
    """Products of square matrices, each one dispatch; 'x' goes in, 'y' is the sum of the last values."""

    def __init__(self):
        self.nodes, self.weights, self.names = [], [], 0
        self.random = numpy.random.default_rng(7)

    def product(self, value):
        self.names += 1
        weight = (self.random.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5).astype(numpy.float32)
        self.weights.append(numpy_helper.from_array(weight, f"w{self.names}"))
        self.nodes.append(helper.make_node("MatMul", [value, f"w{self.names}"], [f"v{self.names}"], name=f"product_{self.names}"))
        return f"v{self.names}"

    def chain(self, value, length):
        for _ in range(length):
            value = self.product(value)
        return value

    def join(self, values, axis=0):
        self.nodes.append(helper.make_node("Concat", values, [f"c{len(self.nodes)}"], axis=axis, name=f"join_{len(self.nodes)}"))
        return self.nodes[-1].output[0]

    def save(self, path, *results):
        value = lambda name, rows: helper.make_tensor_value_info(name, TensorProto.FLOAT, [rows, WIDTH])
        nodes = self.nodes + [helper.make_node("Identity", [name], [f"y{i}"]) for i, name in enumerate(results)]
        graph = helper.make_graph(nodes, "branches", [value("x", WIDTH)],
                                  [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, None) for i in range(len(results))], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)


def fork(lengths):
    """A product, chains of so many behind it, and what joins them."""
    graph = Graph()
    first = graph.product("x")
    return graph, [graph.join([graph.chain(first, length) for length in lengths])]


def heads(lengths):
    graph = Graph()
    first = graph.product("x")
    return graph, [graph.chain(first, length) for length in lengths]


def two_blocks():
    graph = Graph()
    value = graph.product("x")
    for _ in range(2):
        joined = graph.join([graph.chain(value, 2), graph.chain(value, 2)])
        graph.nodes.append(helper.make_node("Slice", [joined, "from", "to"], [f"s{len(graph.nodes)}"]))
        value = graph.nodes[-1].output[0]
    graph.weights += [numpy_helper.from_array(numpy.array([0]), "from"), numpy_helper.from_array(numpy.array([WIDTH]), "to")]
    return graph, [value]


class BranchesTest(support.EndToEnd):
    def compile(self, graph, results, *flags, name="program"):
        model, artifact = self.folder / f"{name}.onnx", self.folder / f"{name}.heddle"
        graph.save(model, *results)
        result = heddle("compile", model, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def spans(self, artifact, device):
        """(lane, begin, end) in us of each dispatch, in virtual time."""
        path = self.folder / "trace.json"
        result = heddle("trace", artifact, f"--device={device}", f"--input={WIDTH}x{WIDTH}xf32=1", "-o", path)
        self.assertEqual(0, result.returncode, result.stderr)
        events = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("cat") == "dispatch"]
        return [(event["tid"], event["ts"], event["ts"] + event["dur"]) for event in events]

    def explain(self, artifact):
        result = heddle("explain", artifact)
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout

    def check_simulated(self, graph, results, queues, products):
        """The program takes as long as so many products one after the other, and what joins them, to the nanosecond."""
        artifact = self.compile(graph, results, f"--target-device=a={SIMULATED % queues}")
        spans = self.spans(artifact, f"sim://a?gflops=1&memory_gbps=1000&queues={queues}")
        joins = sum(end - begin for _, begin, end in spans if end - begin < PRODUCT_US / 2)
        makespan = max(end for _, _, end in spans) - min(begin for _, begin, _ in spans)
        self.assertAlmostEqual(products * PRODUCT_US + joins, makespan, delta=0.0015)
        return artifact, spans

    def test_makespans(self):
        for lengths, queues, products in (((1, 1), 2, 2), ((3, 3), 2, 4), ((1, 2, 3), 2, 4), ((2, 2, 2, 2), 4, 3), ((4, 1, 1, 1), 4, 5),
                                          ((1, 1, 1), 2, 3)):
            with self.subTest(lengths=lengths, queues=queues):
                self.check_simulated(*fork(lengths), queues, products)

    def test_heads_and_blocks(self):
        self.check_simulated(*heads((3, 2)), 2, 4)
        self.check_simulated(*two_blocks(), 2, 5)

    def test_concatenations_are_filled_side_by_side(self):
        for axis in (0, 1):
            with self.subTest(axis=axis):
                graph = Graph()
                first = graph.product("x")
                joined = graph.join([graph.chain(first, 2), graph.chain(first, 3)], axis)
                artifact, spans = self.check_simulated(graph, [joined], 2, 4)
                self.assertEqual(6, len(spans))  # the products
                self.assertNotIn("copy", heddle("inspect", artifact, "--bound").stdout)
                x = numpy.random.default_rng(axis).standard_normal((WIDTH, WIDTH)).astype(numpy.float32)
                numpy.save(self.folder / "x.npy", x)
                value = x @ numpy_helper.to_array(graph.weights[0])
                towers = [value @ numpy_helper.to_array(graph.weights[1]) @ numpy_helper.to_array(graph.weights[2]), value]
                for weight in graph.weights[3:]:
                    towers[1] = towers[1] @ numpy_helper.to_array(weight)
                for device in ("local://0-1", "local://0", "sim://a?queues=2"):
                    result = heddle("run", artifact, f"--device={device}", f"--input=@{self.folder}/x.npy", f"--output=@{self.folder}/y.npy")
                    self.assertEqual(0, result.returncode, result.stderr)
                    numpy.testing.assert_allclose(numpy.load(self.folder / "y.npy"), numpy.concatenate(towers, axis), atol=1e-4)

    def test_off(self):
        graph, results = fork((2, 2))
        artifact = self.compile(graph, results, f"--target-device=a={SIMULATED % 2}", "--strategy=streams:off")
        self.assertEqual(1, len({lane for lane, _, _ in self.spans(artifact, "sim://a?gflops=1&queues=2")}))
        self.assertNotIn("branches", self.explain(artifact))
        self.assert_fails(2, "--strategy: unknown value 'streams:on'", "compile", self.folder / "program.onnx", "-o",
                          self.folder / "none.heddle", "--strategy=streams:on")

    def test_explained(self):
        graph, results = fork((2, 2))
        artifact = self.compile(graph, results, f"--target-device=a={SIMULATED % 2}")
        text = self.explain(artifact)
        found = re.search(r"^  2 branches, at product_2, product_4: on 2 queues, ([\d.]+) us expected instead of ([\d.]+) us$", text, re.M)
        self.assertTrue(found, text)
        self.assertAlmostEqual(2 * PRODUCT_US, float(found[1]), delta=0.2)
        self.assertAlmostEqual(4 * PRODUCT_US, float(found[2]), delta=0.2)
        self.assertIn("queue 1", text)
        result = heddle("explain", artifact, "--json")
        self.assertEqual([found[0].strip()], json.loads(result.stdout)["branches"])
        # Work of a few microseconds is not handed to another core.
        graph, results = fork((1, 1))
        self.assertIn("2 branches, at product_2, product_3: one queue, as others gain too little: ",
                      self.explain(self.compile(graph, results, name="small")))

    def test_the_same_bits(self):
        x = numpy.random.default_rng(3).standard_normal((WIDTH, WIDTH)).astype(numpy.float32)
        for name, (graph, results) in {"fork": fork((1, 2, 3)), "heads": heads((3, 2)), "blocks": two_blocks()}.items():
            queued = self.compile(graph, results, f"--target-device=a={SIMULATED % 4}", name="queued")
            alone = self.compile(graph, results, f"--target-device=a={SIMULATED % 4}", "--strategy=streams:off", name="alone")
            self.assertIn("queue 1", self.explain(queued))
            for device in ("local://0", "local://0-1", "sim?queues=2"):
                with self.subTest(graph=name, device=device):
                    outs = [self.run_once(artifact, device, x, len(results)) for artifact in (queued, alone)]
                    for mine, other in zip(*outs):
                        numpy.testing.assert_array_equal(mine.view(numpy.uint32), other.view(numpy.uint32))

    def test_random_graphs(self):
        """Accepted by VerifyHost, never slower in virtual time, the same bits: with queues that take turns with memory, too."""
        x = numpy.random.default_rng(4).standard_normal((WIDTH, WIDTH)).astype(numpy.float32)
        for seed in range(6):
            random, graph = numpy.random.default_rng(seed), Graph()
            values = ["x"]
            for _ in range(14):
                near = values[-4:]
                if random.random() < 0.25 and len(near) > 1:
                    graph.nodes.append(helper.make_node("Add", list(random.choice(near, 2, replace=False)), [f"a{len(values)}"]))
                    values.append(f"a{len(values)}")
                else:
                    values.append(graph.product(str(random.choice(near))))
            read = {name for node in graph.nodes for name in node.input}
            results = [name for name in values[1:] if name not in read]
            with self.subTest(seed=seed):
                flags = [f"--target-device=a={SIMULATED % 3}"]
                queued, alone = (self.compile(graph, results, *flags, *more, name=name)
                                 for name, more in (("queued", []), ("alone", ["--strategy=streams:off"])))
                ends = [max(end for _, _, end in self.spans(artifact, "sim://a?gflops=1&memory_gbps=1000&queues=3")) for artifact in (queued, alone)]
                self.assertLessEqual(ends[0], ends[1] + 0.001)
                for device in ("local://0-1", "sim?queues=3"):
                    for mine, other in zip(self.run_once(queued, device, x, len(results)), self.run_once(alone, device, x, len(results))):
                        numpy.testing.assert_array_equal(mine.view(numpy.uint32), other.view(numpy.uint32))

    def run_once(self, artifact, device, x, count):
        outputs = [self.file(f"y{i}") for i in range(count)]
        result = heddle("run", artifact, f"--device={device}", f"--input={self.save('x', x)}", *[f"--output=@{path}" for path in outputs])
        self.assertEqual(0, result.returncode, result.stderr)
        return [numpy.load(path) for path in outputs]


if __name__ == "__main__":
    unittest.main()
