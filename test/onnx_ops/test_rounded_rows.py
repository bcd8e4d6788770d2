# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose rows are rounded to 8 bits by block: MatMulNBits with accuracy_level 4, and --round-activations.

The values against NumPy with rows rounded alike, in doubles, by the reference and compiled; against ONNX Runtime at the
same level; and, of both, against exact ones within the bound that rounding allows.
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

HELPER = onnx.helper


def generator():
    return numpy.random.default_rng(SEED)


def rounded(x, block):
    """Rows as their codes and scales say, in doubles; and half a step of each element."""
    rows, k = x.shape
    padded = numpy.pad(x, ((0, 0), (0, -k % block))).reshape(rows, -1, block)
    greatest = numpy.abs(padded).max(axis=-1, keepdims=True)
    with numpy.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inverse = numpy.where(greatest < 1e-35, 0, numpy.float32(127) / greatest).astype(numpy.float32)
    codes = numpy.rint(padded * inverse)
    scale = greatest / numpy.float32(127)
    steps = numpy.broadcast_to(scale / 2, padded.shape)
    return ((codes.astype(numpy.float64) * scale).reshape(rows, -1)[:, :k], steps.reshape(rows, -1)[:, :k].astype(numpy.float64))


class RoundedRowsTest(unittest.TestCase):
    def run_all(self, nodes, constants, x, real, block, flags=(), peer=True, exact=False, free=True, kind=onnx.TensorProto.FLOAT):
        """`real`: the weights [k, n] in doubles. `exact`: rows are not to be rounded. `free`: the number of rows is."""
        shape = [None if i == 0 and free else size for i, size in enumerate(x.shape)]
        graph = HELPER.make_graph(nodes, "g", [HELPER.make_tensor_value_info("x", kind, shape)], [HELPER.make_tensor_value_info("y", kind, None)],
                                  [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()])
        model = HELPER.make_model(graph, ir_version=10, opset_imports=[HELPER.make_opsetid("", 21), HELPER.make_opsetid("com.microsoft", 1)])
        flat = x.reshape(-1, x.shape[-1]).astype(numpy.float32)
        near, steps = rounded(flat, block)
        bias = constants["c"].astype(numpy.float64) if "c" in constants else 0
        ideal = flat.astype(numpy.float64) @ real + bias
        want = ideal if exact else near @ real + bias
        bound, scale = steps @ numpy.abs(real), numpy.abs(want).max()
        tolerance = 2e-3 if kind == onnx.TensorProto.FLOAT16 else 1e-5
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model, folder / "m.onnx")
            numpy.save(folder / "x.npy", x)
            given = (f"--input=@{folder}/x.npy",)
            beside = [] if flags else [("heddle-reference", "--small", folder / "m.onnx", *given, f"--output=@{folder}/reference.npy")]
            compiled = (("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", *flags),
                        ("heddle-run", folder / "m.heddle", *given, f"--output=@{folder}/compiled.npy"))
            tools.run_beside(*beside, *compiled) if beside else tools.run(*compiled)
            for way in ("compiled", "reference")[:1 + len(beside)]:
                got = numpy.load(folder / f"{way}.npy").reshape(want.shape).astype(numpy.float64)
                numpy.testing.assert_allclose(got, want, rtol=0, atol=tolerance * scale, err_msg=way)
                self.assertTrue((numpy.abs(got - ideal) <= bound + tolerance * scale).all(), way)
        if peer:
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            theirs = session.run(None, {"x": x})[0].reshape(want.shape)
            self.assertTrue((numpy.abs(theirs - ideal) <= bound + tolerance * scale).all(), "ONNX Runtime")
            self.assertTrue((numpy.abs(theirs - want) <= 2 * bound + tolerance * scale).all(), "beside ONNX Runtime")

    def nbits(self, bits, block, k, n, rows=(3,), zero=False, bias=False, x=None, level=4, half=False, **options):
        """`zero`: False, True for packed codes, or a type of zero points between codes."""
        blocks, kind = -(-k // block), numpy.float16 if half else numpy.float32
        b = generator().integers(0, 256, (n, blocks, block * bits // 8), numpy.uint8)
        codes = numpy.unpackbits(b, axis=-1, bitorder="little").reshape(n, blocks * block, bits) @ (1 << numpy.arange(bits))
        scale = generator().uniform(0.01, 0.1, (n, blocks)).astype(kind)
        constants, zeros = {"b": b, "s": scale.reshape(-1)}, numpy.full((n, blocks), 1 << (bits - 1))
        if zero and zero is not True:
            zeros = generator().uniform(0, 1 << bits, (n, blocks)).astype(zero)
            constants["z"], zeros = zeros.reshape(-1), zeros.astype(numpy.float64)
        elif zero:
            packed = generator().integers(0, 256, (n, -(-blocks * bits // 8)), numpy.uint8)
            zeros = (numpy.unpackbits(packed, axis=-1, bitorder="little").reshape(n, -1, bits) @ (1 << numpy.arange(bits)))[:, :blocks]
            constants["z"] = packed.reshape(-1)
        names = ["x", *constants] + ([] if zero else [""]) + ["", "c"] * bias
        if bias:
            constants["c"] = generator().normal(0, 1, n).astype(kind)
        real = ((codes.reshape(n, blocks, block) - zeros[..., None]) * scale[..., None].astype(numpy.float64)).reshape(n, -1)[:, :k].T
        x = generator().normal(0, 1, (*rows, k)).astype(kind) if x is None else x
        node = HELPER.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", K=k, N=n, bits=bits, block_size=block, accuracy_level=level)
        options.setdefault("peer", bits == 4 and zero in (False, True) and not half)
        self.run_all([node], constants, x, real, block, kind=onnx.TensorProto.FLOAT16 if half else onnx.TensorProto.FLOAT, **options)

    def linear(self, kind, k, n, rows=5, zero=True, per_column=True, block=0, exact=False):
        """DequantizeLinear and MatMul, with --round-activations."""
        limits = (-8, 7) if kind is ml_dtypes.int4 else (0, 15) if kind is ml_dtypes.uint4 else (-2, 1) if kind is ml_dtypes.int2 else \
            (numpy.iinfo(kind).min, numpy.iinfo(kind).max)
        count = (k // block, n) if block else (n,) if per_column else ()
        w = generator().integers(*limits, (k, n), endpoint=True).astype(kind)
        scale = generator().uniform(0.01, 0.1, count).astype(numpy.float32)
        zeros = generator().integers(*limits, count, endpoint=True) if zero else numpy.zeros(count)
        spread = (lambda a: numpy.repeat(a, block, axis=0)) if block else (lambda a: a)
        constants = {"w": w, "s": numpy.asarray(scale), **({"z": numpy.asarray(zeros).astype(kind)} if zero else {})}
        attributes = {"axis": 0, "block_size": block} if block else {"axis": 1} if per_column else {}
        nodes = [HELPER.make_node("DequantizeLinear", list(constants), ["f"], **attributes), HELPER.make_node("MatMul", ["x", "f"], ["y"])]
        x = generator().normal(0, 1, (rows, k)).astype(numpy.float32)
        real = (w.astype(numpy.float64) - spread(numpy.asarray(zeros).astype(numpy.float64))) * spread(scale.astype(numpy.float64))
        self.run_all(nodes, constants, x, real, block or 64, flags=("--round-activations",), peer=False, exact=exact)

    def test_rows(self):
        for rows in (0, 1, 2, 4, 5, 7, 16, 17, 130, 300):
            with self.subTest(rows=rows):
                if rows:
                    self.nbits(4, 32, 128, 96, rows=(rows,), zero=rows % 2 == 0)
                    self.nbits(8, 32, 128, 80, rows=(rows,), zero=rows % 2 == 1)
        for rows in (1, 3, 16, 128):
            with self.subTest(known=rows):
                self.nbits(4, 32, 128, 256, rows=(rows,), free=False)
        self.nbits(4, 32, 128, 96, rows=(2, 3), bias=True)

    def test_bits_blocks_and_zeros(self):
        for bits in (2, 4, 8):
            for block in (16, 32, 64, 128, 256):
                for zero in (False, True, numpy.float32):
                    with self.subTest(bits=bits, block=block, zero=zero):
                        self.nbits(bits, block, 512, 48, zero=zero)

    def test_ragged(self):
        """Columns and depths of no whole vector or block, and one block."""
        for k, n, block in ((40, 24, 16), (200, 7, 32), (100, 1, 64), (32, 130, 32), (1000, 33, 128), (16, 16, 16)):
            for rows in (1, 9):
                with self.subTest(k=k, n=n, block=block, rows=rows):
                    self.nbits(4, block, k, n, rows=(rows,), zero=True)
                    self.nbits(8, block, k, n, rows=(rows,), zero=True, peer=False)

    def test_half(self):
        self.nbits(4, 32, 128, 96, half=True)

    def test_values(self):
        """Blocks of zeros and of numbers far apart, and what is no number."""
        x = generator().normal(0, 1, (6, 128)).astype(numpy.float32)
        x[0, :32], x[1] = 0, 0
        x[2, :64] *= 1e-30
        x[3, 64:] *= 1e30
        x[4, 32:64] = 5e-40
        self.nbits(4, 32, 128, 48, x=x, zero=True)

    def test_levels(self):
        """Every level of processor has code, and all have nearly the same values."""
        for cpu in ("x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"):
            for bits in (4, 8):
                with self.subTest(cpu=cpu, bits=bits):
                    try:
                        self.nbits(bits, 32, 128, 96, rows=(7,), zero=True, peer=False, flags=(f"--target-cpu={cpu}",))
                    except tools.ToolError as error:
                        if not tools.is_other_processor(error):
                            raise

    def test_only_where_it_is_allowed(self):
        self.nbits(4, 32, 128, 96, level=0, exact=True)
        self.nbits(4, 32, 128, 96, level=4, exact=True, flags=("--strict-float",), peer=False)
        self.nbits(4, 32, 128, 96, level=1, flags=("--round-activations",), peer=False)

    def test_flag(self):
        for kind in (numpy.int8, numpy.uint8, ml_dtypes.int4, ml_dtypes.uint4):
            for zero in (False, True):
                with self.subTest(kind=numpy.dtype(kind).name, zero=zero):
                    self.linear(kind, 128, 80, zero=zero)
                    self.linear(kind, 100, 33, rows=1, zero=zero, per_column=False)
                    self.linear(kind, 96, 40, zero=zero, block=32)
        self.linear(numpy.int8, 96, 40, block=3, exact=True)  # no block that dot products have


if __name__ == "__main__":
    unittest.main()
