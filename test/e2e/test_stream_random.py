# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with random marks of loops over streams, against numpy and against themselves on one stream.

HEDDLE_STREAM_PROGRAMS=200 HEDDLE_STREAM_SEED=7 for more, and others.
"""
import os
import re
import unittest

import numpy
from stream_programs import Case, Function, tensor

PROGRAMS = int(os.environ.get("HEDDLE_STREAM_PROGRAMS", "12"))
SEED = int(os.environ.get("HEDDLE_STREAM_SEED", "1"))
UNARY = {"exp": lambda x: numpy.exp(numpy.minimum(x, 3)), "abs": numpy.abs, "floor": numpy.floor, "negf": numpy.negative}
ROWS, COLUMNS, DEPTH = 12, 8, 6


class Program:
    """Values are (name, shape, function of the arguments); shapes begin with the free dimension or with 12 rows."""

    def __init__(self, random):
        self.random = random
        self.rows = random.choice(["?", ROWS])
        self.function = Function("main", *([self.rows, COLUMNS] if self.rows != "?" else ["?", COLUMNS],) * 2, ["?"])
        self.values = [(value, shape, lambda arrays, i=i: arrays[i]) for i, (value, shape) in enumerate(self.function.values[:2])]

    def mark(self, rank, reduced=0):
        """A mark for one of the loops, or none."""
        if self.random.random() < 0.25:
            return None
        axis = f"reduced {self.random.integers(reduced)}" if reduced and self.random.random() < 0.4 else str(self.random.integers(rank))
        streams = self.random.choice(["1", "2", "3", "?"])
        parts = self.random.choice(["", "", "", ", parts = 3", ", parts = 4", ", granule = 4", ", granule = 2", ", parts = 5, ordered"])
        return f"{axis}, {streams}{parts}"

    def pick(self, rank=2):
        fitting = [value for value in self.values if len(value[1]) == rank]
        return fitting[self.random.integers(len(fitting))] if fitting else None

    def unary(self):
        value, shape, compute = self.pick(self.random.choice([2, 3])) or self.pick()
        name = self.random.choice(["abs", "floor", "negf"])
        made = self.function.op(name, [(value, shape)], shape, self.mark(len(shape)))
        return *made, lambda arrays: UNARY[name](compute(arrays))

    def binary(self):
        a = self.pick()
        others = [value for value in self.values if value[1] == a[1]]
        b = others[self.random.integers(len(others))]
        made = self.function.op("add", [a[:2], b[:2]], a[1], self.mark(len(a[1])))
        return *made, lambda arrays: a[2](arrays) + b[2](arrays)

    def copy(self):
        value, shape, compute = self.pick()
        made = self.function.op("copy", [(value, shape)], shape, self.mark(2))
        return *made, compute

    def reduce(self):
        """Sums of rows, added to each element again, so that the shape stays."""
        value, shape, compute = self.pick()
        total = self.function.reduce((value, shape), [1], self.mark(1, 1))
        out, into = self.function.fresh(), self.function.empty(shape)
        mark = self.mark(2)
        attributes = f" attrs = {{heddle.stream = #flow.stream_axis<{mark}>}}" if mark else ""
        self.function.lines.append(
            f"{out} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], "
            f'iterator_types = ["parallel", "parallel"]}} ins({value}, {total[0]} : {tensor(shape)}, {tensor(total[1])}) '
            f"outs({into} : {tensor(shape)}){attributes} {{\n  ^bb0(%p: f32, %q: f32, %o: f32):\n    %s = arith.addf %p, %q : f32\n"
            f"    linalg.yield %s : f32\n  }} -> {tensor(shape)}")
        return out, shape, lambda arrays: compute(arrays) + compute(arrays).sum(1, keepdims=True)

    def product(self):
        """With the transpose of itself's columns: [n, 8] . [8, 8]."""
        value, shape, compute = self.pick()
        weights = self.random.integers(-2, 3, (COLUMNS, COLUMNS)).astype(numpy.float32)
        name = self.function.fresh()
        rows = ", ".join("[" + ", ".join(f"{x:.1f}" for x in row) + "]" for row in weights)
        self.function.lines.append(f"{name} = arith.constant dense<[{rows}]> : {tensor(weights.shape)}")
        made = self.function.product("matmul", (value, shape), (name, list(weights.shape)), shape, self.mark(2, 1))
        return *made, lambda arrays: compute(arrays) @ weights

    def reshape(self):
        if self.rows == "?":
            return self.unary()
        found = self.pick(self.random.choice([2, 3])) or self.pick()
        value, shape, compute = found
        out, mark = self.function.fresh(), self.mark(1)
        attributes = f" {{heddle.stream = #flow.stream_axis<{mark}>}}" if mark and self.random.random() < 0.3 else ""
        if len(shape) == 2:
            to = [3, 4, COLUMNS]
            line = f"tensor.expand_shape {value} [[0, 1], [2]] output_shape [3, 4, {COLUMNS}]"
        else:
            to = [ROWS, COLUMNS]
            line = f"tensor.collapse_shape {value} [[0, 1], [2]]"
        self.function.lines.append(f"{out} = {line}{attributes} : {tensor(shape)} into {tensor(to)}")
        return out, to, lambda arrays: compute(arrays).reshape(to)

    def build(self):
        for _ in range(DEPTH):
            step = self.random.choice([self.unary, self.binary, self.copy, self.reduce, self.product, self.reshape])
            self.values.append(step())
        last = self.pick()
        self.function.result = last[:2]
        self.values.append(last)
        # All of the later values are needed: their sum is the result.
        for value in self.values[2:-1]:
            if value[1] == last[1] and value[0] != last[0]:
                made = self.function.op("add", [last[:2], value[:2]], last[1])
                last = *made, lambda arrays, a=last[2], b=value[2]: a(arrays) + b(arrays)
        self.function.result = last[:2]
        return self.function.text(), last[2]


class Random(Case):
    def test_random_programs(self):
        refused = 0
        for number in range(PROGRAMS):
            random = numpy.random.default_rng((SEED, number))
            program = Program(random)
            text, compute = program.build()
            with self.subTest(seed=SEED, number=number):
                compiled = self.program(text)
                alone = self.program(re.sub(r"(stream_axis<(?:reduced )?\d+), [\d?]+", r"\1, 1", text))
                for trips in (0, 1, 5, 12) if program.rows == "?" else (ROWS,):
                    x = [random.integers(-3, 4, (trips, COLUMNS)).astype(numpy.float32) for _ in range(2)]
                    arguments = [*x, numpy.zeros(trips, numpy.float32)]
                    got, = compiled("main", *arguments)
                    numpy.testing.assert_allclose(got, compute(x), rtol=1e-4, atol=1e-2)
                    self.assertEqual(got.tobytes(), alone("main", *arguments)[0].tobytes())


if __name__ == "__main__":
    unittest.main()
