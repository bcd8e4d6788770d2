# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops on special values, in tensors of several sizes.

A function's value depends on its operand alone: not on how many elements the tensor has, nor on whether one of them
falls into a vector or behind the last. So each size must give the same bits, and those must be near what is right.
"""
import os
import pathlib
import tempfile
import unittest

import ml_dtypes
import numpy
import onnx

import special_cases
import tools
from special_cases import LONG, OPS

SIZES = (1, 2, 3, 7, 17)
LEVELS = {"host": {}, "avx2": {"cpu": "x86-64-v3"}, "generic": {"cpu": "x86-64", "fma": False}}
ROUND_OFF = 0.01  # of the long double itself
HALF = numpy.float16


def model(kind, size):
    """All ops on x and y, of `size` elements: a number or a name."""
    onnx_kind = onnx.helper.np_dtype_to_tensor_dtype
    nodes, results = [], []
    for name, op in OPS.items():
        nodes.append(onnx.helper.make_node(op.name or name.partition("_")[0], ["x", "y"][:op.operands], [name], **op.attributes))
        result = kind if op.kind is numpy.float32 else op.kind
        results.append(onnx.helper.make_tensor_value_info(name, onnx_kind(numpy.dtype(result)), None))
    inputs = [onnx.helper.make_tensor_value_info(name, onnx_kind(numpy.dtype(kind)), [size]) for name in "xy"]
    graph = onnx.helper.make_graph(nodes, "g", inputs, results)
    return onnx.helper.make_model(graph, ir_version=10, opset_imports=[onnx.helper.make_opsetid("", 22)])


def wrong(name, op, operands, got, fma, kind):
    """What is wrong with the results, as text, or None."""
    with numpy.errstate(all="ignore"):
        wide = [operand.astype(LONG) for operand in operands[:op.operands]]
        want = op.compute(*wide)
        if got.dtype.kind in "biu":
            bad = got != want
            error = bad.astype(float)
        else:
            rounded = want.astype(got.dtype)
            units = op.units if fma or op.units_without_fma is None else op.units_without_fma
            units = units if kind is numpy.float32 or got.dtype != kind else (0.5 + units / 2 ** 13 if units else 0)
            magnitude = numpy.maximum(numpy.abs(rounded), op.scale(*wide).astype(got.dtype) if op.scale else 0)
            spacing = numpy.spacing(numpy.where(numpy.isfinite(magnitude), magnitude, numpy.finfo(got.dtype).max)).astype(LONG)
            error = numpy.abs(got.astype(LONG) - want) / (spacing + op.floor)
            zero = (rounded == 0) & op.zeros
            same = (numpy.isnan(rounded) & numpy.isnan(got)) | ((rounded == got) & (~zero | (numpy.signbit(rounded) == numpy.signbit(got))))
            finite = numpy.isfinite(rounded) & numpy.isfinite(got)
            edge = (numpy.isinf(rounded) != numpy.isinf(got)) & (numpy.abs(numpy.where(numpy.isinf(got), rounded, got)) >= numpy.finfo(got.dtype).max * (1 - 1e-6)) & (units > 0.5)
            bad = ~same & ~(finite & ~zero & (error <= units + ROUND_OFF)) & ~edge
    if not bad.any():
        return None
    at = numpy.flatnonzero(bad)
    some = "; ".join(f"{name}({', '.join(repr(float(o[i])) for o in operands[:op.operands])}) = {got[i]!r}, want {want[i]!r} ({float(error[i]):.3g} units)" for i in at[:4])
    return f"{some}; {len(at)} wrong"


class SpecialValuesTest(unittest.TestCase):
    def compile(self, folder, kind, size, cpu):
        path = folder / f"{size}.onnx"
        onnx.save(model(kind, size), path)
        target = folder / f"{size}.heddle"
        tools.run(("heddle-compile", path, "-o", target, *cpu))
        return target

    def call(self, folder, artifact, x, y, device):
        numpy.save(folder / "x.npy", x)
        numpy.save(folder / "y.npy", y)
        tools.run(("heddle-run", artifact, *device, f"--input=x=@{folder}/x.npy", f"--input=y=@{folder}/y.npy",
                   *(f"--output={name}=@{folder}/{name}.npy" for name in OPS)))
        return {name: numpy.load(folder / f"{name}.npy") for name in OPS}

    def check(self, kind, compile_flags, device=(), fma=True, sizes=SIZES):
        with numpy.errstate(over="ignore"):
            x = special_cases.table().astype(kind)
        y = numpy.roll(x, 41)
        failures = []
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            try:
                whole = self.call(folder, self.compile(folder, kind, "n", compile_flags), x, y, device)
            except tools.ToolError as error:
                if tools.is_other_processor(error):
                    self.skipTest(f"this processor is not {compile_flags}")
                raise
            for op_name, op in OPS.items():
                if text := wrong(op_name, op, (x, y), whole[op_name], fma, kind):
                    failures.append(text)
            for size in sizes:
                artifact = self.compile(folder, kind, size, compile_flags)
                for start in range(0, len(x), size):
                    at = slice(max(0, min(start, len(x) - size)), max(0, min(start, len(x) - size)) + size)
                    part = self.call(folder, artifact, x[at], y[at], device)
                    for op_name, want in whole.items():
                        same = numpy.array_equal(part[op_name].view(numpy.uint8), want[at].view(numpy.uint8))
                        if not same and not numpy.array_equal(numpy.isnan(part[op_name]) | (part[op_name] == want[at]), numpy.ones(size, bool)):
                            failures.append(f"{op_name} of {size}: {x[at]} gives {part[op_name]}, of {len(x)}: {want[at]}")
        if os.environ.get("HEDDLE_VERBOSE"):
            print("\n".join(failures))
        self.assertEqual(failures, [])


SIGNED = (numpy.int8, numpy.int16, numpy.int32, numpy.int64)


class ExactTest(unittest.TestCase):
    """What is exact, on each device: remainders of the ends of ranges, products of floats with zeros, conversions."""

    def run_nodes(self, nodes, feed, wanted, device):
        """The results named in `wanted` of the nodes, on inputs of free sizes."""
        onnx_kind = onnx.helper.np_dtype_to_tensor_dtype
        graph = onnx.helper.make_graph(
            nodes, "g", [onnx.helper.make_tensor_value_info(name, onnx_kind(value.dtype), ["n" + str(len(value))]) for name, value in feed.items()],
            [onnx.helper.make_tensor_value_info(name, onnx_kind(want.dtype), None) for name, want in wanted.items()])
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(onnx.helper.make_model(graph, ir_version=10, opset_imports=[onnx.helper.make_opsetid("", 22)]), folder / "m.onnx")
            for key, value in feed.items():
                numpy.save(folder / f"{key}.npy", value.view(numpy.uint16) if value.dtype == ml_dtypes.bfloat16 else value)
            tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--target-device={device}"),
                      ("heddle-run", folder / "m.heddle", f"--device={device}", *(f"--input={key}=@{folder}/{key}.npy" for key in feed),
                       *(f"--output={name}=@{folder}/{name}.npy" for name in wanted)))
            return {name: numpy.load(folder / f"{name}.npy") for name in wanted}

    def check_remainders(self, device):
        nodes, feed, wanted = [], {}, {}
        for kind in SIGNED:
            limits = numpy.iinfo(kind)
            values = numpy.array([limits.min, limits.min + 1, -7, -3, -1, 1, 2, 3, 10, limits.max - 1, limits.max], kind)
            x, y = (part.ravel() for part in numpy.meshgrid(values, values))
            label = numpy.dtype(kind).name
            feed |= {f"x_{label}": x, f"y_{label}": y}
            for fmod, compute in ((0, numpy.mod), (1, numpy.fmod)):
                nodes.append(onnx.helper.make_node("Mod", [f"x_{label}", f"y_{label}"], [f"r{fmod}_{label}"], fmod=fmod))
                wanted[nodes[-1].output[0]] = compute(x, y)
        for name, got in self.run_nodes(nodes, feed, wanted, device).items():
            numpy.testing.assert_array_equal(got, wanted[name], name)

    def check_zeros(self, device):
        x = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.0, -1.0], numpy.float32)
        make = onnx.helper.make_node
        zero = onnx.helper.make_tensor("zero", onnx.TensorProto.FLOAT, [], [0.0])
        nodes = [make("Constant", [], ["zero"], value=zero), make("Mul", ["x", "zero"], ["product"]), make("Mul", ["x", "zeros"], ["products"]),
                 make("Mul", ["x", "zeros"], ["p"]), make("Add", ["p", "x"], ["sum"]), make("Sub", ["x", "x"], ["difference"]), make("Div", ["x", "x"], ["quotient"]),
                 make("Add", ["x", "zero"], ["unmoved"]), make("Equal", ["x", "x"], ["same"])]
        with numpy.errstate(all="ignore"):
            results = {"product": x * 0, "products": x * 0, "sum": x * 0 + x, "difference": x - x, "quotient": x / x, "unmoved": x + 0, "same": x == x}
        got = self.run_nodes(nodes, {"x": x, "zeros": numpy.zeros_like(x)}, results, device)
        for name, want in results.items():
            numpy.testing.assert_array_equal(got[name], want, name)
            if name in ("product", "products"):
                numpy.testing.assert_array_equal(numpy.signbit(got[name][3:]), numpy.signbit(want[3:]), name)


    def check_casts(self, device):
        kinds = [*SIGNED, numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64, numpy.float16, ml_dtypes.bfloat16, numpy.float32, numpy.float64, numpy.bool_]
        onnx_kind = onnx.helper.np_dtype_to_tensor_dtype
        nodes, feed, wanted = [], {}, {}
        for source in map(numpy.dtype, kinds):
            exact = numpy.array([0, 1, 2, 100] if source.kind in "ub" else [-3, 0, 1, 2.5, 100]).astype(source)
            feed[f"from_{source.name}"] = exact
            for target in map(numpy.dtype, kinds):
                nodes.append(onnx.helper.make_node("Cast", [f"from_{source.name}"], [f"{source.name}_to_{target.name}"], to=onnx_kind(target)))
                value = numpy.maximum(exact, exact.dtype.type(0)) if target.kind == "u" else exact  # below the range: the nearest limit
                wraps = source.kind == "i" and target.kind == "u"
                wanted[nodes[-1].output[0]] = (exact if wraps else value).astype(target)
        for name, got in self.run_nodes(nodes, feed, wanted, device).items():
            want = wanted[name]
            got = got.view(want.dtype) if want.dtype == ml_dtypes.bfloat16 else got
            numpy.testing.assert_array_equal(got.astype(numpy.float64), want.astype(numpy.float64), name)


for device_ in ("local", "vulkan"):
    setattr(ExactTest, f"test_casts_{device_}", lambda self, device=device_: self.check_casts(device))
    setattr(ExactTest, f"test_remainders_{device_}", lambda self, device=device_: self.check_remainders(device))
    setattr(ExactTest, f"test_zeros_{device_}", lambda self, device=device_: self.check_zeros(device))


def add_test(name, *arguments, **options):
    setattr(SpecialValuesTest, f"test_{name}", lambda self: self.check(*arguments, **options))


for level, given in LEVELS.items():
    flags = (f"--target-cpu={given.get('cpu', 'host')}",)
    add_test(f"f32_{level}", numpy.float32, flags, fma=given.get("fma", True))
    add_test(f"f16_{level}", numpy.float16, flags, fma=given.get("fma", True), sizes=(1, 7))
add_test("f32_vulkan", numpy.float32, ("--target-device=vulkan",), ("--device=vulkan",), fma=False, sizes=(1,))

if __name__ == "__main__":
    unittest.main()
