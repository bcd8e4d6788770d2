"""Forty graphs of the differential fuzzer in each way, as `make fuzz-differential` runs thousands.

    HEDDLE_GRAPHS=300 HEDDLE_SEED=1000 test/run_unittests.py test/differential
"""
import contextlib
import io
import os
import pathlib
import sys
import tempfile
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

    def test_every_operator_has_an_entry_or_a_reason(self):
        table = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "operators.md"
        rows = [line.split("|") for line in table.read_text().splitlines() if line.startswith("| ") and "`" in line]
        names = {row[1].strip() for row in rows}
        unknown = set(operators.OPERATORS) - names
        self.assertEqual(unknown, set(), "entries for operators that Heddle does not have")
        missing = names - set(operators.OPERATORS) - set(operators.LEFT_OUT)
        self.assertEqual(missing, operators.WITHOUT_GENERATOR, "an operator needs a generator, or its name in WITHOUT_GENERATOR")


if __name__ == "__main__":
    unittest.main()
