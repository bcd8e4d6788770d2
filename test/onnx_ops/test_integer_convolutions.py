# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of bytes with any zero points: ConvInteger, QLinearConv, and Conv between quantisations.

Sums against NumPy's, bit for bit, in one to three dimensions, with groups and depthwise, by the reference and compiled;
what ONNX Runtime takes, against ONNX Runtime too. That the artifact has the weights in bytes.
"""
import itertools
import os
import pathlib
import tempfile
import unittest

import numpy
import onnx
import onnxruntime

import tools

HELPER = onnx.helper
SEED = int(os.environ.get("HEDDLE_SEED", 20261127))  # of all random values; failures print it
BYTES = (numpy.uint8, numpy.int8)
CASES_OF_A_MODEL = 16


def anything(generator, kind, *shape):
    limits = numpy.iinfo(kind)
    return generator.integers(limits.min, limits.max, shape, kind, endpoint=True)


def convolved(x, w, x_zero, w_zero, pads, strides, dilations, group):
    """Sums of (x - x_zero) * (w - w_zero), w_zero one or [f], in 64 bits; nothing lies around x - x_zero but zeros."""
    rank = x.ndim - 2
    x = x.astype(numpy.int64) - int(x_zero)
    w = w.astype(numpy.int64) - numpy.reshape(w_zero, (-1,) + (1,) * (rank + 1)).astype(numpy.int64)
    x = numpy.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:])])
    sizes = [(x.shape[2 + d] - dilations[d] * (w.shape[2 + d] - 1) - 1) // strides[d] + 1 for d in range(rank)]
    x = x.reshape(x.shape[0], group, -1, *x.shape[2:])
    grouped = w.reshape(group, -1, *w.shape[1:])
    result = numpy.zeros((x.shape[0], group, grouped.shape[1], *sizes), numpy.int64)
    for tap in itertools.product(*map(range, w.shape[2:])):
        part = x[(..., *(slice(t * dilation, t * dilation + (size - 1) * stride + 1, stride)
                         for t, dilation, size, stride in zip(tap, dilations, sizes, strides)))]
        result += numpy.einsum("ngc...,gfc->ngf...", part, grouped[(..., *tap)])
    return result.reshape(x.shape[0], w.shape[0], *sizes)


class Random:
    """A random convolution: operands, zero points, attributes."""

    def __init__(self, generator):
        self.rank = rank = int(generator.integers(1, 4))
        depthwise = generator.integers(0, 3) == 0
        self.group = group = int(generator.integers(1, 6)) if depthwise else int(generator.choice([1, 1, 2, 3]))
        channels = 1 if depthwise else int(generator.choice([1, 3, 4, 5, 8, 16]))
        filters = 1 if depthwise and generator.integers(0, 2) else int(generator.integers(1, 20))
        kernel, strides, dilations = ([int(v) for v in generator.integers(1, most + 1, rank)] for most in (3, 2, 2))
        pads = [int(v) for v in generator.integers(0, 3, 2 * rank)]
        spatial = [int(generator.integers(k * d, k * d + 7)) for k, d in zip(kernel, dilations)]
        x_kind, self.w_kind = generator.choice(BYTES, 2)
        self.x = anything(generator, x_kind, int(generator.integers(1, 3)), group * channels, *spatial)
        self.w = anything(generator, self.w_kind, group * filters, channels, *kernel)
        self.x_zero = anything(generator, x_kind)
        self.w_zero = self.zero(generator)
        self.attributes = {"pads": pads, "strides": strides, "dilations": dilations, "group": group}

    def zero(self, generator):
        """The weights': their middle, their ends, anything; one, or one for each filter (equal or not)."""
        limits = numpy.iinfo(self.w_kind)
        some = [0, limits.min, limits.max, limits.max // 2 + 1 if limits.min == 0 else 0, int(anything(generator, self.w_kind))]
        one = numpy.array(generator.choice(some), self.w_kind)
        how = generator.integers(0, 4)
        if how == 0 and self.w.shape[0] > 1:
            return anything(generator, self.w_kind, self.w.shape[0])
        if how == 1:
            self.w = numpy.clip(self.w, *(limits.max // 2 * f for f in (1, 2)) if limits.min == 0 else (0, 127)).astype(self.w_kind)
        return numpy.full(self.w.shape[0], one, self.w_kind) if how == 2 else one

    def want(self):
        return convolved(self.x, self.w, self.x_zero, self.w_zero, *(self.attributes[k] for k in ("pads", "strides", "dilations", "group")))

    def __str__(self):
        return (f"x {self.x.dtype}{list(self.x.shape)} zero {self.x_zero}, w {self.w.dtype}{list(self.w.shape)} zero "
                f"{self.w_zero}, {self.attributes}")


def value_info(name, value, shape=None):
    return HELPER.make_tensor_value_info(name, HELPER.np_dtype_to_tensor_dtype(value.dtype), value.shape if shape is None else shape)


def model_of(nodes, inputs, outputs, constants):
    graph = HELPER.make_graph(nodes, "g", inputs, outputs, [onnx.numpy_helper.from_array(v, k) for k, v in constants.items()])
    return HELPER.make_model(graph, ir_version=10, opset_imports=[HELPER.make_opsetid("", 21)])


class IntegerConvolutionTest(unittest.TestCase):
    def execute(self, model, feed, outputs, cpu="host", reference=True):
        """Results compiled, by the reference, and the artifact's size."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model, folder / "m.onnx")
            for key, value in feed.items():
                numpy.save(folder / f"{key}.npy", value)
            flags = [f"--input={key}=@{folder}/{key}.npy" for key in feed]
            run = lambda tool, *arguments: (tool, *arguments, *flags, *(f"--output={o}=@{folder}/{tool}-{o}.npy" for o in outputs))
            commands = [("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--target-cpu={cpu}"),
                        run("heddle-run", folder / "m.heddle")]
            if reference:
                tools.run_beside(run("heddle-reference", "--small", folder / "m.onnx"), *commands)
            else:
                tools.run(*commands)
            load = lambda tool: [numpy.load(folder / f"{tool}-{o}.npy") for o in outputs]
            return load("heddle-run"), load("heddle-reference") if reference else None, (folder / "m.heddle").stat().st_size

    def check_sums(self, cases, constant, cpu="host"):
        """ConvInteger of all cases in one model; `constant`: weights and their zero points are."""
        nodes, inputs, outputs, feed, constants = [], [], [], {}, {}
        for i, case in enumerate(cases):
            names = [f"{part}{i}" for part in ("x", "w", "xz", "wz")]
            nodes.append(HELPER.make_node("ConvInteger", names, [f"y{i}"], **case.attributes))
            given = dict(zip(names, (case.x, case.w, case.x_zero, case.w_zero)))
            fixed = names[1::2] if constant else []
            constants.update({k: v for k, v in given.items() if k in fixed})
            feed.update({k: v for k, v in given.items() if k not in fixed})
            outputs.append(HELPER.make_tensor_value_info(f"y{i}", onnx.TensorProto.INT32, None))
        inputs = [value_info(k, v) for k, v in feed.items()]
        names = [o.name for o in outputs]
        compiled, reference, _ = self.execute(model_of(nodes, inputs, outputs, constants), feed, names, cpu)
        for i, case in enumerate(cases):
            for way, results in (("compiled", compiled), ("reference", reference)):
                numpy.testing.assert_array_equal(results[i], case.want(), f"{way}, seed {SEED}, case {i} ({case})")

    def test_random(self):
        for constant in (True, False):
            generator = numpy.random.default_rng(SEED + constant)
            for _ in range(3):
                self.check_sums([Random(generator) for _ in range(CASES_OF_A_MODEL)], constant)

    def test_levels(self):
        for cpu in ("x86-64-v4", "x86-64-v3", "x86-64"):
            generator = numpy.random.default_rng(SEED + 2)
            try:
                self.check_sums([Random(generator) for _ in range(CASES_OF_A_MODEL)], True, cpu)
            except tools.ToolError as error:
                if not tools.is_other_processor(error):
                    raise

    def against_onnxruntime(self, nodes, x, constants, kind, tolerance):
        """A model of x [free, c, free, free]; all results differ by at most `tolerance`. Gives the artifact's size."""
        model = model_of(nodes, [value_info("x", x, [None, x.shape[1], None, None])],
                         [HELPER.make_tensor_value_info("y", kind, None)], constants)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        [want] = session.run(None, {"x": x})
        [got], _, size = self.execute(model, {"x": x}, ["y"], reference=False)
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
        numpy.testing.assert_allclose(got.astype(numpy.float64), want.astype(numpy.float64), rtol=0, atol=tolerance,
                                      err_msg=f"seed {SEED}")
        return size, len(model.SerializeToString())

    def cases(self, *shape):
        """Weights with zero points in every way that ONNX Runtime takes."""
        generator = numpy.random.default_rng(SEED + 3)
        for zero in (0, 1, 127, 128, 200, 255):
            yield numpy.array(zero, numpy.uint8), anything(generator, numpy.uint8, *shape), generator

    def test_onnxruntime(self):
        """ConvInteger, QLinearConv and QDQ beside ONNX Runtime; the last two round sums in another order: one step."""
        for zero, w, generator in self.cases(24, 16, 3, 3):
            filters = w.shape[0]
            x = anything(generator, numpy.uint8, 2, 16, 13, 11)
            common = {"w": w, "wz": zero, "xz": numpy.uint8(93)}
            conv = {"pads": [1, 1, 0, 2], "strides": [2, 1]}
            with self.subTest(op="ConvInteger", zero=int(zero)):
                self.against_onnxruntime([HELPER.make_node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], **conv)], x, common,
                                         onnx.TensorProto.INT32, 0)
            scales = {"xs": numpy.float32(0.02), "ys": numpy.float32(1.7), "yz": numpy.uint8(128)}
            scale = generator.uniform(0.01, 0.03, filters).astype(numpy.float32)
            bias = generator.integers(-9000, 9000, filters, numpy.int32)
            with self.subTest(op="QLinearConv", zero=int(zero)):
                self.against_onnxruntime([HELPER.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"], **conv)], x,
                                         {**common, **scales, "ws": scale, "wz": numpy.full(filters, zero), "b": bias}, onnx.TensorProto.UINT8, 1)
            nodes = [HELPER.make_node("DequantizeLinear", ["x", "xs", "xz"], ["xf"]),
                     HELPER.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wf"]),
                     HELPER.make_node("Conv", ["xf", "wf"], ["f"], **conv), HELPER.make_node("QuantizeLinear", ["f", "ys", "yz"], ["y"])]
            with self.subTest(op="QDQ", zero=int(zero)):
                self.against_onnxruntime(nodes, x, {**common, **scales, "ws": numpy.float32(0.02)}, onnx.TensorProto.UINT8, 1)

    def test_weights_stay_bytes(self):
        """The artifact is the model's size and what lies around weights (code, tables), also depthwise."""
        around = 80_000  # weights in 32 bits would be 885,000 more
        for zero, w, generator in self.cases(256, 128, 3, 3):
            x = anything(generator, numpy.uint8, 1, 128, 5, 5)
            constants = {"w": w, "wz": zero, "xz": numpy.uint8(93)}
            node = HELPER.make_node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], pads=[1, 1, 1, 1])
            with self.subTest(zero=int(zero)):
                size, model = self.against_onnxruntime([node], x, constants, onnx.TensorProto.INT32, 0)
                self.assertLess(size, model + around)
        w, zeros = anything(generator, numpy.uint8, 256, 128, 3, 3), anything(generator, numpy.uint8, 256)
        constants = {"w": w, "wz": zeros, "ws": numpy.full(256, 0.01, numpy.float32), "xs": numpy.float32(1), "xz": numpy.uint8(7)}
        nodes = [HELPER.make_node("DequantizeLinear", ["x", "xs", "xz"], ["xf"]),
                 HELPER.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wf"], axis=0), HELPER.make_node("Conv", ["xf", "wf"], ["y"])]
        size, model = self.against_onnxruntime(nodes, anything(generator, numpy.uint8, 1, 128, 5, 5), constants, onnx.TensorProto.FLOAT, 2)
        self.assertLess(size, model + around)
        wide = 1 << 16
        w = anything(generator, numpy.uint8, wide, 1, 3, 3)
        node = HELPER.make_node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], group=wide)
        x = anything(generator, numpy.uint8, 1, wide, 3, 3)
        size, model = self.against_onnxruntime([node], x, {"w": w, "wz": numpy.uint8(77), "xz": numpy.uint8(9)}, onnx.TensorProto.INT32, 0)
        self.assertLess(size, model + 4 * wide + around)  # the sums of each filter's weights are 32 bits


if __name__ == "__main__":
    unittest.main()
