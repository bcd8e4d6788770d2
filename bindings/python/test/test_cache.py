# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle.compile() and torch.compile take from the cache what was compiled before; what differs is compiled."""
import importlib.util
import os
import tempfile
import unittest
import unittest.mock
import warnings

import heddle
import numpy
from heddle import _tools
from support import onnx_model

GRAPH = "g (float[n,3] x) => (float[n,3] y) { y = Add(x, x) }"
OPTIONAL = "g (optional(float[n,3]) x) => (float[n,3] y) { y = Add(x, x) }"


class Cached(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        patch = unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_DIR=folder.name)
        patch.start()
        self.addCleanup(patch.stop)


def is_hit(artifact):
    return artifact.stats.get("cached", False)


class Compile(Cached):
    def test_second_time(self):
        first, second = (heddle.compile(onnx_model(GRAPH)) for _ in range(2))
        self.assertEqual((is_hit(first), is_hit(second)), (False, True))
        self.assertEqual(first.path.read_bytes(), second.path.read_bytes())
        self.assertEqual((first.log, first.stats["dispatches"]), (second.log, second.stats["dispatches"]))
        x = numpy.ones((2, 3), numpy.float32)
        self.assertTrue((heddle.load(second)(x) == 2).all())

    def test_what_differs(self):
        heddle.compile(onnx_model(GRAPH))
        for options in ({"optimization": 1}, {"dim": {"n": 4}}, {"cache": False}, {"state": None, "reproducible": True}):
            self.assertFalse(is_hit(heddle.compile(onnx_model(GRAPH), **options)), options)
        self.assertTrue(is_hit(heddle.compile(onnx_model(GRAPH), dim={"n": 4})))
        self.assertTrue(is_hit(heddle.compile(onnx_model(GRAPH), dim="n=4")))
        self.assertFalse(is_hit(heddle.compile(onnx_model(GRAPH.replace("Add", "Mul")))))

    def test_files_of_flags_count_by_content(self):
        """Also where each compilation has a file of its own."""
        def compiled(axis, **options):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return heddle.compile(onnx_model(GRAPH), mesh="tp=2", shardings={"x": heddle.shard(axis, None)}, **options)

        self.assertEqual([False, True, False, False], [is_hit(compiled(*one)) for one in (("tp",), ("tp",), (None,))] +
                         [is_hit(compiled("tp", optimization=1))])

    def test_warnings_come_again(self):
        for _ in range(2):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                artifact = heddle.compile(onnx_model(OPTIONAL))
            self.assertEqual([str(one.message) for one in caught if one.category is heddle.CompileWarning],
                             [artifact.log.splitlines()[0]])
            self.assertIn("model.onnx:0:0: warning: input 'x' is optional", artifact.log)
        self.assertTrue(is_hit(artifact))

    def test_outlives_the_cache(self):
        heddle.compile(onnx_model(GRAPH))
        artifact = heddle.compile(onnx_model(GRAPH))
        self.assertTrue(is_hit(artifact))
        self.assertEqual(_tools.run("cache", "clear").returncode, 0)
        self.assertIn("x", str(heddle.load(artifact)))
        self.assertTrue(artifact.explain())
        self.assertFalse(is_hit(heddle.compile(onnx_model(GRAPH))))

    def test_output_is_no_link(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in "ab":
                artifact = heddle.compile(onnx_model(GRAPH), os.path.join(folder, name))
            self.assertEqual((is_hit(artifact), artifact.path.stat().st_nlink), (True, 1))

    def test_off(self):
        with unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_DIR=""):
            self.assertEqual([is_hit(heddle.compile(onnx_model(GRAPH))) for _ in range(2)], [False, False])


@unittest.skipUnless(importlib.util.find_spec("torch") and importlib.util.find_spec("onnxscript"), "needs torch and onnxscript")
class Torch(Cached):
    def run_new(self, module, *arguments, dynamic=None, **options):
        """The results, as of a new process, and whether the exporter was needed."""
        import torch
        from heddle._torch import graph
        torch._dynamo.reset()
        with unittest.mock.patch.object(graph, "export", side_effect=graph.export) as export, torch.no_grad():
            compiled = torch.compile(module, backend=graph.backend, options=options, dynamic=dynamic)
            first, second = compiled(*arguments), compiled(*arguments)
        torch.testing.assert_close(first, second)
        return second, export.call_count

    def test_second_time(self):
        import torch
        module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).eval()
        x = torch.randn(3, 4)
        first, exports = self.run_new(module, x)
        self.assertEqual(exports, 1)
        second, exports = self.run_new(module, x)
        self.assertEqual(exports, 0)
        torch.testing.assert_close(first, second)
        for change in (lambda: module[0].weight.data[0, 0].add_(1), lambda: module.__setitem__(1, torch.nn.GELU()),
                       lambda: module.__setitem__(1, torch.nn.GELU("tanh"))):
            change()
            result, exports = self.run_new(module, x)
            self.assertEqual(exports, 1)
            torch.testing.assert_close(result, module(x), rtol=1e-4, atol=1e-5)
        self.assertEqual(self.run_new(module, x)[1], 0)
        self.assertEqual(self.run_new(module, torch.randn(5, 4))[1], 1)
        self.assertEqual(self.run_new(module, x, cache=False)[1], 1)
        self.assertEqual(self.run_new(module, x, optimization=1)[1], 1)

    def test_numbers_and_types(self):
        import torch
        programs = [lambda x: x * 2, lambda x: x * 3, lambda x: x.sum(0), lambda x: x.sum(1), lambda x: x.sum(1, keepdim=True),
                    lambda x: x.to(torch.float64), lambda x: x.to(torch.int32), lambda x: x[1:] * 1.5, lambda x: x[:1] * 1.5]
        x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        for expected in (1, 0):
            for program in programs:
                result, exports = self.run_new(program, x)
                torch.testing.assert_close(result, program(x))
                self.assertEqual(exports, expected)

    def test_no_key(self):
        import torch
        from heddle._torch.key import key_of
        graph = torch.fx.symbolic_trace(lambda x: x + 1)
        frozen = unittest.mock.Mock(places=[0], sizes={}, weight_places=[], count=1, graph_module=graph)
        example = torch.ones(2)
        self.assertEqual(len(key_of(frozen, [example], [{}])), 64)
        self.assertEqual(key_of(frozen, [example], [{}]), key_of(frozen, [torch.zeros(2)], [{}]))
        self.assertNotEqual(key_of(frozen, [example], [{}]), key_of(frozen, [torch.ones(3)], [{}]))
        for node in graph.graph.nodes:
            if node.op == "call_function":
                node.target = is_hit  # whose text says nothing of what it does
        self.assertEqual(key_of(frozen, [example], [{}]), "")


if __name__ == "__main__":
    unittest.main()
