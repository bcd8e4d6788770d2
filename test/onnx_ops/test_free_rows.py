# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and recurrences whose number of rows only the call knows: right at every number of rows, from none on.

Each model has a node for each number of rows, all over the same weights, so that one kernel computes them all in one
call. Compared with ONNX Runtime (NumPy where it has no such kernel), on one core and two, for each processor that this
machine is.
"""
import pathlib
import tempfile
import unittest

import ml_dtypes
import numpy
import onnx
import onnxruntime

import tools
from small_cases import SEED
from test_types import carried, uncarried

HELPER = onnx.helper
ROWS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 100, 263)
LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "znver4", "sapphirerapids")
FEW_LEVELS = ("x86-64-v3", "host")
TOLERANCE = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}


class Case:
    """`node(x, y, i)`: the nodes that compute `y`, of type `kind`, from `x`; `x(rows)`: its value."""

    def __init__(self, constants, node, x, kind=numpy.float32, want=None, rows=ROWS):
        self.constants, self.node, self.value, self.kind, self.want, self.rows = constants, node, x, kind, want, rows
        self.feed = {f"x{i}": x(count) for i, count in enumerate(rows)}

    def model(self):
        nodes, inputs, outputs = [], [], []
        for i, value in enumerate(self.feed.values()):
            nodes += self.node(f"x{i}", f"y{i}", i)
            free = self.value(3).shape.index(3)
            shape = [f"m{i}" if dim == free else size for dim, size in enumerate(value.shape)]
            inputs.append(HELPER.make_tensor_value_info(f"x{i}", HELPER.np_dtype_to_tensor_dtype(value.dtype), shape))
            outputs.append(HELPER.make_tensor_value_info(f"y{i}", HELPER.np_dtype_to_tensor_dtype(numpy.dtype(self.kind)), None))
        constants = [onnx.numpy_helper.from_array(value, name) for name, value in self.constants.items()]
        graph = HELPER.make_graph(nodes, "g", inputs, outputs, constants)
        imports = [HELPER.make_opsetid("", 21), HELPER.make_opsetid("com.microsoft", 1)]
        return HELPER.make_model(graph, ir_version=10, opset_imports=imports)

    def expected(self, model):
        if self.want:
            return [self.want(value) for value in self.feed.values()]
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return session.run(None, self.feed)


def generator():
    return numpy.random.default_rng(SEED)


def normal(*shape, kind=numpy.float32):
    return generator().standard_normal(shape).astype(kind)


def product(k, n, kind=numpy.float32, epilogue=()):
    """MatMul, then ops of one operand."""
    w = normal(k, n, kind=kind)

    def node(x, y, i):
        names = [x, *(f"t{i}_{j}" for j in range(len(epilogue))), y]
        nodes = [HELPER.make_node("MatMul", [x, "w"], [names[1]])]
        return nodes + [HELPER.make_node(op, [a], [b]) for op, a, b in zip(epilogue, names[1:], names[2:])]

    def want(x):
        wide = x.astype(numpy.float64) @ w.astype(numpy.float64)
        return wide.astype(kind)
    return Case({"w": w}, node, lambda m: normal(m, k, kind=kind), kind, want if kind == ml_dtypes.bfloat16 else None)


def layer(k, n, kind=numpy.float32, add=False):
    """MatMul, a bias, Relu and, told to, a sum with what has a row for each: an epilogue with operands of both kinds."""
    w, b, r = normal(k, n, kind=kind), normal(n, kind=kind), normal(k, n, kind=kind)

    def node(x, y, i):
        nodes = [HELPER.make_node("MatMul", [x, "w"], [f"p{i}"]), HELPER.make_node("Add", [f"p{i}", "b"], [f"q{i}"]),
                 HELPER.make_node("Relu", [f"q{i}"], [f"o{i}" if add else y])]
        if add:
            nodes += [HELPER.make_node("MatMul", [x, "r"], [f"s{i}"]), HELPER.make_node("Sub", [f"o{i}", f"s{i}"], [y])]
        return nodes
    return Case({"w": w, "b": b, **({"r": r} if add else {})}, node, lambda m: normal(m, k, kind=kind), kind)


def integers(k, n, left, right):
    draw = lambda kind, *shape: generator().integers(numpy.iinfo(kind).min, numpy.iinfo(kind).max, shape, kind, endpoint=True)
    w = draw(right, k, n)
    want = lambda x: x.astype(numpy.int32) @ w.astype(numpy.int32)
    return Case({"w": w}, lambda x, y, i: [HELPER.make_node("MatMulInteger", [x, "w"], [y])], lambda m: draw(left, m, k), numpy.int32, want)


def nbits(k, n, bits, block):
    constants = {"b": generator().integers(0, 256, (n, k // block, block * bits // 8), numpy.uint8),
                 "s": generator().uniform(0.01, 0.1, n * k // block).astype(numpy.float32)}
    node = lambda x, y, i: [HELPER.make_node("MatMulNBits", [x, "b", "s"], [y], domain="com.microsoft", K=k, N=n, bits=bits, block_size=block)]
    return Case(constants, node, lambda m: normal(m, k))


def recurrence(op, gates, hidden, size=24):
    constants = {"w": normal(1, gates * hidden, size) * 0.2, "r": normal(1, gates * hidden, hidden) * 0.2, "b": normal(1, 2 * gates * hidden) * 0.2}
    node = lambda x, y, i: [HELPER.make_node(op, [x, "w", "r", "b"], [y], hidden_size=hidden)]
    return Case(constants, node, lambda m: normal(4, m, size), rows=(1, 2, 3, 8, 17))


def convolution(channels, filters, size, kernel):
    constants = {"w": normal(filters, channels, kernel, kernel) * 0.1}
    node = lambda x, y, i: [HELPER.make_node("Conv", [x, "w"], [y], pads=[kernel // 2] * 4)]
    return Case(constants, node, lambda m: normal(1, channels, size, m), rows=ROWS[1:])


class FreeRowsTest(unittest.TestCase):
    def check(self, case, levels=FEW_LEVELS):
        model = case.model()
        want = case.expected(model)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model, folder / "m.onnx")
            flags = []
            for key, value in case.feed.items():
                numpy.save(folder / f"{key}.npy", carried(value))
                flags.append(f"--input={key}=@{folder}/{key}.npy")
            outputs = [f"--output=y{i}=@{folder}/y{i}.npy" for i in range(len(want))]
            for cpu in levels:
                with self.subTest(cpu=cpu):
                    tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--target-cpu={cpu}"))
                    for device in ("local://0", "local://0-1"):
                        try:
                            tools.run(("heddle-run", folder / "m.heddle", *flags, *outputs, f"--device={device}"))
                        except tools.ToolError as error:
                            if tools.is_other_processor(error):
                                break
                            raise
                        self.compare(folder, case, want, device)

    def compare(self, folder, case, want, device):
        for i, value in enumerate(want):
            got = uncarried(numpy.load(folder / f"y{i}.npy"), value.dtype)
            self.assertEqual(got.shape, value.shape)
            tolerance = TOLERANCE.get(value.dtype.name, 0)
            scale = max(1, numpy.abs(value.astype(numpy.float64)).max(initial=0))
            numpy.testing.assert_allclose(got.astype(numpy.float64), value.astype(numpy.float64), rtol=0, atol=tolerance * scale,
                                          err_msg=f"{case.rows[i]} rows, {device}, seed {SEED}")

    def test_floats(self):
        self.check(product(40, 100), LEVELS)
        for k, n in ((515, 52), (33, 16), (64, 7)):
            with self.subTest(k=k, n=n):
                self.check(product(k, n))

    def test_epilogues(self):
        self.check(product(40, 100, epilogue=("Relu",)))
        self.check(product(40, 100, epilogue=("Tanh", "Neg")))

    # Sums long enough for functions that kernels share (Codegen/Microkernels.h), which also compute these epilogues.
    def test_shared_functions(self):
        self.check(layer(80, 100), LEVELS)
        for k, n in ((64, 16), (65, 437), (300, 1), (70, 40)):
            with self.subTest(k=k, n=n):
                self.check(layer(k, n))
        self.check(layer(72, 50, add=True))
        self.check(layer(70, 20, numpy.float64))

    # Epilogues that read sums from memory.
    def test_shared_functions_of_sums(self):
        self.check(product(260, 100, epilogue=("Tanh", "Neg")), LEVELS)
        self.check(product(256, 20, numpy.float16))

    def test_shared_functions_ask_for_the_next_columns(self):
        self.check(layer(600, 1000))

    def test_narrow_floats(self):
        for kind in (numpy.float16, ml_dtypes.bfloat16):
            with self.subTest(kind=kind.__name__):
                self.check(product(40, 100, kind))

    def test_rows_a_page_apart(self):
        self.check(product(1024, 272))
        self.check(layer(1024, 272))

    def test_integers(self):
        for left, right in ((numpy.uint8, numpy.int8), (numpy.int8, numpy.int8), (numpy.uint8, numpy.uint8)):
            with self.subTest(left=left.__name__, right=right.__name__):
                self.check(integers(64, 100, left, right), LEVELS)
        self.check(integers(37, 48, numpy.uint8, numpy.int8))

    def test_weights_of_few_bits(self):
        self.check(nbits(64, 160, 4, 32))
        self.check(nbits(64, 96, 8, 16))

    def test_recurrences(self):
        for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
            with self.subTest(op=op):
                self.check(recurrence(op, gates, 20))

    def test_positions_of_a_convolution(self):
        self.check(convolution(5, 24, 3, 3))
        self.check(convolution(20, 40, 1, 1))


if __name__ == "__main__":
    unittest.main()
