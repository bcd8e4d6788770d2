# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that only the call tells, in elementwise operators and transposes: no multiples of vectors, fewer than a vector.

Of elementwise operators' operands each size has a name of its own: it is 1 or the other's. One artifact for each type
and rank, called with every way to stretch its operands. Compared with NumPy, equal bit for bit, for each kind of
processor that this machine is.
"""
import itertools
import pathlib
import tempfile
import unittest

import numpy
import onnx

import tools
from small_cases import SEED

HELPER = onnx.helper
LEVELS = ("x86-64-v2", "x86-64-v3", "host")
KINDS = (numpy.float32, numpy.float16, numpy.float64, numpy.uint8, numpy.int64, numpy.bool_)
SIZES = {2: ((5, 83), (1, 200), (3, 1)), 3: ((2, 3, 37),)}


def draw(random, shape, kind):
    return random.integers(0, 2 if kind is numpy.bool_ else 100, shape).astype(kind)


def model(rank, kind):
    """y = a ∘ b, z = (a ∘ c) ∘ b, w = where(a ∘ a = a, b, c); ∘ is Add, of booleans Or."""
    element, op = HELPER.np_dtype_to_tensor_dtype(numpy.dtype(kind)), "Or" if kind is numpy.bool_ else "Add"
    inputs = [HELPER.make_tensor_value_info(name, element, [f"{name}{i}" for i in range(rank)]) for name in "abc"]
    nodes = [HELPER.make_node(op, ["a", "b"], ["y"]), HELPER.make_node(op, ["a", "c"], ["t"]), HELPER.make_node(op, ["t", "b"], ["z"]),
             HELPER.make_node(op, ["a", "a"], ["twice"]), HELPER.make_node("Equal", ["twice", "a"], ["same"]), HELPER.make_node("Where", ["same", "b", "c"], ["w"])]
    outputs = [HELPER.make_tensor_value_info(name, element, None) for name in "yzw"]
    return HELPER.make_model(HELPER.make_graph(nodes, "g", inputs, outputs), ir_version=10, opset_imports=[HELPER.make_opsetid("", 20)])


def expected(a, b, c):
    join = numpy.logical_or if a.dtype == numpy.bool_ else numpy.add
    return join(a, b), join(join(a, c), b), numpy.where(join(a, a) == a, b, c)


class FreeBroadcastsTest(unittest.TestCase):
    def call(self, folder, operands):
        flags = []
        for name, value in zip("abc", operands):
            numpy.save(folder / f"{name}.npy", value)
            flags.append(f"--input={name}=@{folder}/{name}.npy")
        outputs = [f"--output={name}=@{folder}/{name}.npy" for name in "yzw"]
        tools.run(("heddle-run", folder / "m.heddle", *flags, *outputs, "--device=local://0"))
        for name, want in zip("yzw", expected(*operands)):
            got = numpy.load(folder / f"{name}.npy")
            self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype))
            numpy.testing.assert_array_equal(got, want, err_msg=f"{name} of {[x.shape for x in operands]}, seed {SEED}")

    def check(self, rank, kind, levels):
        random = numpy.random.default_rng(SEED)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model(rank, kind), folder / "m.onnx")
            for cpu in levels:
                tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--target-cpu={cpu}"))
                for shape in SIZES[rank]:
                    ways = list(itertools.product((False, True), repeat=2 * rank))
                    for way in ways if rank == 2 else random.permutation(ways)[:16]:
                        ones = numpy.array(way).reshape(2, rank)
                        shapes = [shape, *(numpy.where(one, 1, shape) for one in ones)]
                        order = random.permutation(3)
                        with self.subTest(cpu=cpu, shapes=[tuple(map(int, shapes[i])) for i in order]):
                            self.call(folder, [draw(random, tuple(map(int, shapes[i])), kind) for i in order])

    def test_matrices(self):
        for kind in KINDS:
            with self.subTest(kind=kind.__name__):
                self.check(2, kind, LEVELS if kind is numpy.float32 else ("host",))

    def test_three_dimensions(self):
        self.check(3, numpy.float32, ("host",))

    def test_nothing(self):
        """Of no elements there is none to read, also where one operand has some."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model(2, numpy.float32), folder / "m.onnx")
            tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle"))
            zeros = lambda *shape: numpy.zeros(shape, numpy.float32)
            self.call(folder, [zeros(0, 5), zeros(1, 5), zeros(0, 1)])
            self.call(folder, [zeros(3, 1), zeros(3, 0), zeros(1, 1)])


class FreeTransposesTest(unittest.TestCase):
    def check(self, kind, order, levels=("host",)):
        element, rank = HELPER.np_dtype_to_tensor_dtype(numpy.dtype(kind)), len(order)
        x = HELPER.make_tensor_value_info("x", element, [f"n{i}" for i in range(rank)])
        y = HELPER.make_tensor_value_info("y", element, None)
        graph = HELPER.make_graph([HELPER.make_node("Transpose", ["x"], ["y"], perm=order)], "g", [x], [y])
        random = numpy.random.default_rng(SEED)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(HELPER.make_model(graph, ir_version=10, opset_imports=[HELPER.make_opsetid("", 20)]), folder / "m.onnx")
            for cpu in levels:
                tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--target-cpu={cpu}"))
                for sizes in itertools.product((1, 3, 4, 7, 8, 12, 16, 21, 67), repeat=2):
                    shape = (*(2,) * (rank - 2), *sizes)
                    value = draw(random, shape, kind)
                    numpy.save(folder / "x.npy", value)
                    tools.run(("heddle-run", folder / "m.heddle", f"--input=x=@{folder}/x.npy", f"--output=y=@{folder}/y.npy", "--device=local://0"))
                    numpy.testing.assert_array_equal(numpy.load(folder / "y.npy"), value.transpose(order), err_msg=f"{cpu} {shape} {order}, seed {SEED}")

    def test_matrices(self):
        self.check(numpy.float32, (1, 0), LEVELS)
        self.check(numpy.uint8, (1, 0))

    def test_inside(self):
        self.check(numpy.float32, (0, 2, 1))
        self.check(numpy.int64, (2, 0, 1))


if __name__ == "__main__":
    unittest.main()
