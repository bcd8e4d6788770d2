# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on f16 and bf16 link on processors without instructions for them.

The node tests of the package onnx, a few of each op, with 16-bit floats in the place of theirs. Whether an op takes the
type is not asked here: a refusal is fine, an object that calls a library is not.
"""
import collections
import pathlib
import tempfile
import unittest

import onnx

import tools

FLOAT = onnx.TensorProto.FLOAT
KINDS = {"f16": onnx.TensorProto.FLOAT16, "bf16": onnx.TensorProto.BFLOAT16}
LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64:generic", "riscv64:generic")
OF_EACH, OF_LOOPS = 1, 3  # models of an op
FOLDER = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "node"
# Sorts of all, of free sizes and known ones.
SORTS = {
    "sort": "(float[n] x) => (float[n] y, int64[n] i) { k = Shape(x) y, i = TopK(x, k) }",
    "sort_known": "(float[4, 33] x) => (float[4, 33] y, int64[4, 33] i) { k = Constant<value = int64[1] {33}>() y, i = TopK<largest = 0>(x, k) }",
    "sort_columns": "(float[n, 3] x, int64[1] k) => (float[m, 3] y, int64[m, 3] i) { y, i = TopK<axis = 0>(x, k) }",
    "unique": "(float[n] x) => (float[m] y, int64[m] i, int64[n] j, int64[m] c) { y, i, j, c = Unique(x) }",
    "unique_known": "(float[40] x) => (float[m] y) { y = Unique(x) }",
    "unique_rows": "(float[n, 4] x) => (float[m, 4] y) { y = Unique<axis = 0>(x) }",
    "running": "(float[n] x) => (float[n] y) { a = Constant<value = int64 {0}>() y = CumSum(x, a) }",
    "greatest": "(float[n, k] x) => (int64[n] y) { y = ArgMax<axis = 1, keepdims = 0>(x) }",
}
# Loop code for which LLVM keeps values in registers from block to block.
LOOPS = ("TopK", "Unique", "NonZero", "ScatterND", "ScatterElements", "CumSum", "ArgMax", "MaxPool", "Compress", "NonMaxSuppression")


def retyped(model, kind, free=False):
    """The model with `kind` for f32; its sizes known at the call only, if they are `free`."""
    def change(graph):
        for info in (*graph.input, *graph.output, *graph.value_info):
            if info.type.tensor_type.elem_type == FLOAT:
                info.type.tensor_type.elem_type = kind
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.name in ("to", "dtype") and attribute.i == FLOAT:
                    attribute.i = kind
                if attribute.HasField("g"):
                    change(attribute.g)
                if attribute.t.data_type == FLOAT and attribute.HasField("t"):
                    values = onnx.numpy_helper.to_array(attribute.t)
                    attribute.t.CopyFrom(onnx.numpy_helper.from_array(values.astype(onnx.helper.tensor_dtype_to_np_dtype(kind))))
    change(model.graph)
    for info in (*model.graph.input, *model.graph.output) if free else ():
        for dim in info.type.tensor_type.shape.dim:
            dim.dim_param = f"of{dim.dim_value}"
    return model


def sorts():
    for name, text in SORTS.items():
        yield name, onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 22]> g ' + text), False


def node_tests():
    """(name, model, whether its sizes are free): of each op one, of ops that loop some."""
    seen = collections.Counter()
    for path in sorted(FOLDER.glob("test_*/model.onnx")):
        model = onnx.load(path)
        ops = tuple(sorted({node.op_type for node in model.graph.node}))
        floats = any(info.type.tensor_type.elem_type in (FLOAT, *KINDS.values()) for info in model.graph.input)
        seen[ops] += floats
        loops = any(op in LOOPS for op in ops)
        if floats and seen[ops] <= (OF_LOOPS if loops else OF_EACH):
            yield path.parent.name, model, False
            if loops:
                yield path.parent.name, model, True


class SixteenBitsTest(unittest.TestCase):
    def check(self, models, least, level, kind):
        calls, compiled = [], 0
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "m.onnx"
            for name, model, free in models():
                onnx.save(retyped(model, kind, free), target)
                try:
                    tools.run(("heddle-compile", target, "-o", f"{folder}/m.heddle", f"--target-cpu={level}"))
                    compiled += 1
                except tools.ToolError as error:
                    if "undefined symbol" in str(error) or "ended with -" in str(error):
                        calls.append(f"{name}: {str(error)[:300]}")
        self.assertEqual(calls, [])
        self.assertGreaterEqual(compiled, least)


def add_test(name, *arguments):
    setattr(SixteenBitsTest, f"test_{name}".replace("-", "_").replace(":", "_"), lambda self: self.check(*arguments))


for kind_name, kind_value in KINDS.items():
    add_test(f"node_tests_{kind_name}", node_tests, 100, "x86-64", kind_value)
    for level_ in LEVELS:
        add_test(f"sorts_{kind_name}_{level_}", sorts, len(SORTS), level_, kind_value)

if __name__ == "__main__":
    unittest.main()
