# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with constant weights that stay narrow: DequantizeLinear before MatMul and Gemm, MatMulNBits, Cast and Mul.

The values against NumPy in doubles (MatMulNBits against ONNX Runtime too), by the reference and compiled; and that the
artifact has the weights as narrow as the model.
"""
import pathlib
import tempfile
import unittest

import ml_dtypes
import numpy
import onnx
import onnxruntime

import tools
from small_cases import SEED, along, spread, wide

K, N = 96, 160
HELPER = onnx.helper
KINDS = (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2, numpy.int8, numpy.uint8, ml_dtypes.float8_e4m3fn,
         ml_dtypes.float8_e5m2, ml_dtypes.float4_e2m1fn)


def generator():
    return numpy.random.default_rng(SEED)


def weights(kind, *shape):
    if kind in (numpy.int8, numpy.uint8):
        limits = numpy.iinfo(kind)
        return generator().integers(limits.min, limits.max, shape, kind, endpoint=True)
    array = spread(kind, *shape)
    finite = numpy.isfinite(wide(array)) & (abs(wide(array)) < 500)
    return numpy.where(finite, array, numpy.array(1, kind))


def dequantized(w, scale, zero, axis, block):
    steps = wide(w).astype(numpy.float64)
    if zero is not None:
        steps = steps - along(wide(zero).astype(numpy.float64), axis, block, w.shape)
    return steps * along(scale.astype(numpy.float64), axis, block, w.shape)


class NarrowWeightsTest(unittest.TestCase):
    def check(self, nodes, constants, x, want, most=None, cpu="host", opset=25, peer=False, half=False, known=False):
        """`most`: bytes that the artifact's parameters may have. `half`: the result is f16. `known`: the number of rows."""
        result, tolerance = (onnx.TensorProto.FLOAT16, 2e-3) if half else (onnx.TensorProto.FLOAT, 1e-5)
        shape = [None if i == 0 and not known else size for i, size in enumerate(x.shape)]
        graph = HELPER.make_graph(nodes, "g", [HELPER.make_tensor_value_info("x", HELPER.np_dtype_to_tensor_dtype(x.dtype), shape)],
                                  [HELPER.make_tensor_value_info("y", result, None)],
                                  [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()])
        imports = [HELPER.make_opsetid("", opset), HELPER.make_opsetid("com.microsoft", 1)]
        model = HELPER.make_model(graph, ir_version=13 if opset > 23 else 10, opset_imports=imports)
        scale = numpy.abs(want).max()
        if peer:
            session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
            numpy.testing.assert_allclose(session.run(None, {"x": x})[0], want, rtol=0, atol=tolerance * scale)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model, folder / "m.onnx")
            numpy.save(folder / "x.npy", x)
            flags = (f"--input=@{folder}/x.npy",)
            tools.run_beside(("heddle-reference", "--small", folder / "m.onnx", *flags, f"--output=@{folder}/reference.npy"),
                             ("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--target-cpu={cpu}"),
                             ("heddle-run", folder / "m.heddle", *flags, f"--output=@{folder}/compiled.npy"))
            for way in ("reference", "compiled"):
                got = numpy.load(folder / f"{way}.npy")
                self.assertEqual(got.shape, want.shape)
                numpy.testing.assert_allclose(got, want, rtol=0, atol=tolerance * scale, err_msg=way)
            if most:
                plain = (folder / "m.heddle").stat().st_size
                self.assertLess(plain, most + 40_000)  # code and what lies around it

    def linear(self, kind, rows=5, block=0, zero=True, transposed=False, gemm=False, k=K, n=N, cpu="host", most=None, known=False):
        shape, axis = ((n, k), 0) if transposed else ((k, n), 1)
        w = weights(kind, *shape)
        if block:
            axis = 1 - axis
        parameters = [size for size in shape] if block else shape[axis]
        if block:
            parameters[axis] //= block
        scale = generator().uniform(0.01, 0.1, parameters).astype(numpy.float32)
        constants = {"w": w, "s": scale}
        zeros = weights(kind, *numpy.atleast_1d(parameters)) if zero else None
        if zero:
            constants["z"] = zeros
        attributes = {"axis": axis, **({"block_size": block} if block else {})}
        nodes = [HELPER.make_node("DequantizeLinear", list(constants), ["f"], **attributes)]
        if gemm:
            nodes.append(HELPER.make_node("Gemm", ["x", "f"], ["y"], transB=int(transposed)))
        else:
            if transposed:
                nodes.append(HELPER.make_node("Transpose", ["f"], ["t"], perm=[1, 0]))
            nodes.append(HELPER.make_node("MatMul", ["x", "t" if transposed else "f"], ["y"]))
        x = generator().normal(0, 1, (rows, k)).astype(numpy.float32)
        real = dequantized(w, scale, zeros, axis, block)
        self.check(nodes, constants, x, x.astype(numpy.float64) @ (real.T if transposed else real), most, cpu, known=known)

    def nbits(self, bits, block, k, n, zero, rows=(3,), bias=False, kind=numpy.float32, known=False):
        """`zero`: False, True for packed codes, or the type of zero points that lie between codes."""
        blocks = -(-k // block)
        b = generator().integers(0, 256, (n, blocks, block * bits // 8), numpy.uint8)
        codes = numpy.unpackbits(b, axis=-1, bitorder="little").reshape(n, blocks * block, bits) @ (1 << numpy.arange(bits))
        scale = generator().uniform(0.01, 0.1, (n, blocks)).astype(kind)
        inputs = {"b": b, "s": scale.reshape(-1)}
        zeros = numpy.full((n, blocks), 1 << (bits - 1))
        if zero and zero is not True:
            zeros = generator().uniform(0, 1 << bits, (n, blocks)).astype(zero)
            inputs["z"] = zeros.reshape(-1)
            zeros = zeros.astype(numpy.float64)
        elif zero:
            packed = generator().integers(0, 256, (n, -(-blocks * bits // 8)), numpy.uint8)
            zeros = (numpy.unpackbits(packed, axis=-1, bitorder="little").reshape(n, -1, bits) @ (1 << numpy.arange(bits)))[:, :blocks]
            inputs["z"] = packed.reshape(-1)
        names = ["x", *inputs] + ([] if zero else [""]) + ["", "c"] * bias
        if bias:
            inputs["c"] = generator().normal(0, 1, n).astype(numpy.float32)
        real = (codes.reshape(n, blocks, block) - zeros[..., None]) * scale[..., None].astype(numpy.float64)
        x = generator().normal(0, 1, (*rows, k)).astype(kind)
        want = x.astype(numpy.float64) @ real.reshape(n, -1)[:, :k].T + inputs.get("c", 0)
        node = HELPER.make_node("MatMulNBits", names, ["y"], domain="com.microsoft", K=k, N=n, bits=bits, block_size=block)
        self.check([node], inputs, x, want, opset=21, peer=bits == 4 or (bits == 8 and zero is True), half=kind is numpy.float16, known=known)

    def test_columns(self):
        for kind in KINDS:
            for zero in (False, True)[:2 if numpy.dtype(kind).kind in "iu" or "int" in numpy.dtype(kind).name else 1]:
                with self.subTest(kind=numpy.dtype(kind).name, zero=zero):
                    self.linear(kind, zero=zero)

    def test_blocks(self):
        for kind in KINDS:
            zero = "int" in numpy.dtype(kind).name
            with self.subTest(kind=numpy.dtype(kind).name):
                self.linear(kind, block=32, zero=zero)
                self.linear(kind, block=16, zero=zero, transposed=True, rows=1)

    def test_shapes(self):
        for k, n, block in ((32, 7, 16), (15, 48, 5), (15, 33, 0), (64, 96, 1), (64, 16, 0)):
            with self.subTest(k=k, n=n, block=block):
                self.linear(ml_dtypes.int4, k=k, n=n, block=block)
                self.linear(numpy.int8, k=k, n=n, block=block)

    def test_rows(self):
        """Few rows decode weights as they read them, more decode a tile of columns first; 300 are two blocks."""
        for rows in (1, 2, 4, 5, 6, 17, 300):
            with self.subTest(rows=rows):
                self.linear(ml_dtypes.int4, rows=rows, block=32, n=192)
                self.linear(numpy.uint8, rows=rows, n=200)
                self.nbits(4, 32, 128, 96, rows != 17, rows=(rows,))

    def test_long(self):
        """Columns are decoded a block of the reduction at a time, also where the last block is shorter."""
        for rows, known in ((33, True), (70, False), (300, True)):
            with self.subTest(rows=rows, known=known):
                self.nbits(4, 32, 2080, 200, rows != 33, rows=(rows,), known=known)
                self.nbits(4, 16, 1100, 33, False, rows=(2, rows // 2), kind=numpy.float16)
                self.linear(numpy.int8, rows=rows, k=1031, n=72, known=known)
                self.linear(ml_dtypes.uint2, rows=rows, block=32, k=1056, n=136, known=known)
                self.linear(ml_dtypes.uint4, rows=rows, k=1056, n=130, cpu="x86-64-v3", known=known)

    def test_gemm(self):
        self.linear(ml_dtypes.int4, gemm=True, transposed=True, block=32)
        self.linear(numpy.int8, gemm=True, transposed=True)

    def test_levels(self):
        for cpu in ("x86-64-v4", "x86-64-v3", "x86-64"):
            try:
                self.linear(ml_dtypes.int4, block=32, cpu=cpu)
                self.linear(ml_dtypes.float8_e4m3fn, zero=False, cpu=cpu)
            except tools.ToolError as error:
                if not tools.is_other_processor(error):
                    raise

    def test_artifacts_are_narrow(self):
        self.linear(ml_dtypes.int4, k=1024, n=1024, block=32, zero=False, most=1024 * 1024 // 2 + 4 * 1024 * 32)
        self.linear(numpy.int8, k=1024, n=1024, zero=False, most=1024 * 1024 + 4 * 1024)

    def test_loops(self):
        """Weights that a loop hands on unchanged, and those it reads from around, which are read after it too."""
        info, size = HELPER.make_tensor_value_info, 512
        real, body_of = onnx.TensorProto.FLOAT, [HELPER.make_node("Identity", ["go"], ["more"])]
        w, small = weights(numpy.int8, size, size), numpy.float32(0.0005)
        counter = [info("n", onnx.TensorProto.INT64, []), info("go", onnx.TensorProto.BOOL, []), info("h", real, [None, size])]
        results = [info("more", onnx.TensorProto.BOOL, []), info("k", real, [None, size])]
        product = [HELPER.make_node("Tanh", ["p"], ["k"])]
        handed = HELPER.make_graph([*body_of, HELPER.make_node("MatMul", ["h", "w1"], ["p"]), *product, HELPER.make_node("Identity", ["w1"], ["w2"])],
                                   "handed", [*counter, info("w1", real, [size, size])], [*results, info("w2", real, [size, size])])
        read = HELPER.make_graph([*body_of, HELPER.make_node("MatMul", ["h", "f"], ["p"]), *product], "read", counter, results)
        x = generator().normal(0, 1, (5, size)).astype(numpy.float32)
        want, f = x.astype(numpy.float64), w * float(small)
        for _ in range(3):
            want = numpy.tanh(want @ f)
        constants = {"w": w, "s": small, "trips": numpy.array(3, numpy.int64), "yes": numpy.array(True)}
        for loop, after in ((HELPER.make_node("Loop", ["trips", "yes", "x", "f"], ["a", "g"], body=handed), "g"),
                            (HELPER.make_node("Loop", ["trips", "yes", "x"], ["a"], body=read), "f")):
            nodes = [HELPER.make_node("DequantizeLinear", ["w", "s"], ["f"]), loop, HELPER.make_node("MatMul", ["a", after], ["y"])]
            with self.subTest(after=after):
                self.check(nodes, constants, x, want @ f, most=size * size + 20_000, opset=21, peer=True)  # code of two products

    def test_nbits(self):
        for bits, block, k, n, zero in ((4, 32, 128, 96, False), (4, 32, 128, 96, True), (4, 128, 256, 64, True),
                                        (4, 16, 40, 24, True), (8, 32, 64, 48, True), (2, 16, 64, 32, True)):
            with self.subTest(bits=bits, block=block, k=k, zero=zero):
                self.nbits(bits, block, k, n, zero)
        self.nbits(4, 32, 128, 96, True, rows=(1,), bias=True)
        self.nbits(4, 32, 128, 96, True, rows=(2, 3))

    def test_nbits_with_real_zero_points(self):
        """What HQQ and ONNX Runtime's builder write: zero points between codes, of the scales' type, not packed."""
        for bits in (2, 4, 8):
            for block, k, n in ((32, 128, 96), (16, 64, 40), (128, 200, 24)):
                with self.subTest(bits=bits, block=block, k=k, n=n):
                    self.nbits(bits, block, k, n, numpy.float32)
        self.nbits(4, 32, 128, 96, numpy.float32, rows=(2, 3), bias=True)
        self.nbits(4, 32, 128, 96, numpy.float32, rows=(40,))
        self.nbits(4, 32, 128, 96, numpy.float16, kind=numpy.float16)
        self.nbits(8, 128, 200, 24, numpy.float16, kind=numpy.float16)

    def test_cast_and_scale(self):
        """Weights behind Cast and Mul: read as bytes by a product of few rows and by Gather."""
        w = weights(numpy.int8, K, N)
        constants = {"w": w, "s": numpy.array(0.05, numpy.float32)}
        nodes = [HELPER.make_node("Cast", ["w"], ["c"], to=onnx.TensorProto.FLOAT), HELPER.make_node("Mul", ["c", "s"], ["f"])]
        x = generator().normal(0, 1, (5, K)).astype(numpy.float32)
        self.check([*nodes, HELPER.make_node("MatMul", ["x", "f"], ["y"])], constants, x, x @ (w * 0.05))
        rows = numpy.array([3, 0, K - 1, -2], numpy.int64)
        table = weights(numpy.int8, 4096, 64)
        constants["w"] = table
        self.check([*nodes, HELPER.make_node("Gather", ["f", "x"], ["y"])], constants, rows, table[rows] * 0.05, most=4096 * 64)


if __name__ == "__main__":
    unittest.main()
