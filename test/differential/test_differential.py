# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forty graphs of the differential fuzzer in each way, as `make fuzz-differential` runs thousands.

    HEDDLE_GRAPHS=300 HEDDLE_SEED=1000 test/run_unittests.py test/differential
"""
import contextlib
import io
import os
import pathlib
import re
import shutil
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import numpy  # noqa: E402

import differential  # noqa: E402
import operators  # noqa: E402
from builder import Builder, Value  # noqa: E402
from coverage import Coverage  # noqa: E402

GRAPHS, SEED = int(os.environ.get("HEDDLE_GRAPHS", "40")), int(os.environ.get("HEDDLE_SEED", "1"))


class Differential(unittest.TestCase):
    def test_graphs(self):
        """In turn by one of the ways besides the default one."""
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(printed):
            status = differential.fuzz(operators.cells(), GRAPHS, SEED, 8, list(differential.WAYS), pathlib.Path(folder), rotate=True)
        print(printed.getvalue())
        self.assertEqual(status, 0, printed.getvalue())

    def test_a_wrong_element_is_seen(self):
        value = Value("y", "float32", (3,), exact=False, scale=4.0, depth=1)
        want = numpy.asarray([1, 2, 3], numpy.float32)
        self.assertEqual(differential.difference(value, want + numpy.float32(1e-5), want), "")
        self.assertIn("[2] is 3.5, expected 3.0", differential.difference(value, numpy.float32([1, 2, 3.5]), want))
        exact = Value("y", "float32", (3,))
        self.assertNotEqual(differential.difference(exact, numpy.nextafter(want, numpy.float32(9)), want), "")
        self.assertIn("shape", differential.difference(exact, want[:2], want))

    def test_equal_seeds_make_equal_graphs(self):
        models = [differential.model_of([differential.make_graph(7, Coverage(operators.cells()))], "g").SerializeToString()
                  for _ in range(2)]
        self.assertEqual(*models)

    def test_a_seeded_bug_is_made_small(self):
        """Of a graph of thirty operators, by what the fuzzer does with each failure. The bug: a compiler that refuses cosines."""
        with tempfile.TemporaryDirectory() as name:
            programs = pathlib.Path(name) / "bin"
            programs.mkdir()
            shutil.copy(pathlib.Path(os.environ["HEDDLE_BIN"]) / "heddle-reduce", programs)
            compiler = programs / "heddle-compile"
            compiler.write_text("#!/bin/sh\ngrep -q math.cos \"$1\" && echo 'error: op 7 of \"g\": cosines are broken' && exit 1\nexit 0\n")
            compiler.chmod(0o755)
            graph = differential.Graph(1, Builder(1, "g1_"), [], [])
            kinds = ["Cos", *("Sin Neg Add Mul MatMul Softmax ReduceMax Transpose Concat Erf".split() * 3)]
            for kind in kinds:
                operators.add(graph.builder, (kind, "float32", 2, graph.builder.choose(["rows", "transposed", "sliced", "reshaped"])))
            graph.results = [value for value in graph.builder.results if value.name not in graph.builder.used]
            runner = differential.Runner(pathlib.Path(name), pathlib.Path(name), reductions=1)
            runner.tools = types.SimpleNamespace(BIN=programs)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                runner.keep(graph, differential.Failure("O2", 'heddle-compile m.onnx ended with 1: error: op 31 of "g1": cosines are broken'))
            left = re.search(r"(\d+) ops became (\d+)", printed.getvalue())
            self.assertIsNotNone(left, printed.getvalue())
            self.assertGreater(int(left[1]), 30)
            self.assertLessEqual(int(left[2]), 3)
            self.assertIn("math.cos", (pathlib.Path(name) / "seed_1" / "small.mlir").read_text())

    def test_every_operator_has_an_entry_or_a_reason(self):
        table = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "operators.md"
        rows = [line.split("|") for line in table.read_text().splitlines() if line.startswith("| ") and "`" in line]
        names = {row[1].strip() for row in rows}
        unknown = set(operators.OPERATORS) - names
        self.assertEqual(unknown, set(), "entries for operators that Heddle does not have")
        missing = names - set(operators.OPERATORS) - set(operators.LEFT_OUT)
        self.assertEqual(missing, set(), "an operator needs a generator, or a reason in LEFT_OUT")


if __name__ == "__main__":
    unittest.main()
