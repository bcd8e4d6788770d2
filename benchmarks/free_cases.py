# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and recurrences whose number of rows the file leaves free, for benchmarks/free_sizes.py.

Each is a function of the number of rows that gives a Case; the weights do not depend on it.
"""
import numpy
import onnx

from cases import Case, normal

FLOAT, UINT8, INT8, INT32 = (getattr(onnx.TensorProto, kind) for kind in ("FLOAT", "UINT8", "INT8", "INT32"))
ROWS = (1, 2, 3, 6, 17, 100)
STEPS = 20  # of a recurrence


def model_of(node, feed, result, constants, domains=()):
    """A graph of one node: the arguments of `feed`, then the constants."""
    helper = onnx.helper
    inputs = [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for key, value in feed.items()]
    outputs = [helper.make_tensor_value_info("y", result, None)]
    graph = helper.make_graph([node], node.op_type, inputs, outputs, [onnx.numpy_helper.from_array(v, k) for k, v in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), *(helper.make_opsetid(d, 1) for d in domains)], ir_version=9)


def case(name, kind, feed, result, constants, names, domain="", **attributes):
    """`names`: the node's operands, "" for one that is left out."""
    node = onnx.helper.make_node(kind, names, ["y"], name=kind, domain=domain, **attributes)
    return Case(name, lambda: model_of(node, feed, result, constants, [domain] if domain else ()), feed)


def product(m, k, n):
    return case(f"f32 {k}x{n}, {m}", "MatMul", {"x": normal(1, m, k)}, FLOAT, {"w": normal(2, k, n)}, ["x", "w"])


def integer_product(m, k, n):
    random = numpy.random.default_rng(5)
    feed = {"x": random.integers(0, 256, (m, k), dtype=numpy.uint8)}
    return case(f"u8 x i8 {k}x{n}, {m}", "MatMulInteger", feed, INT32, {"w": random.integers(-128, 128, (k, n), dtype=numpy.int8)}, ["x", "w"])


def narrow_product(m, k, n, block=32):
    """MatMulNBits, 4 bits."""
    random = numpy.random.default_rng(6)
    constants = {"w": random.integers(0, 256, (n, k // block, block // 2), dtype=numpy.uint8),
                 "scales": (random.random(n * k // block) * 0.02 + 0.01).astype(numpy.float32)}
    return case(f"4 bits {k}x{n}, {m}", "MatMulNBits", {"x": normal(1, m, k)}, FLOAT, constants, ["x", "w", "scales"], "com.microsoft",
                K=k, N=n, bits=4, block_size=block)


def recurrence(kind, gates, m, width):
    constants = {"w": normal(2, 1, gates * width, width) * 0.1, "r": normal(3, 1, gates * width, width) * 0.1}
    return case(f"{kind} {width}, {m}", kind, {"x": normal(1, STEPS, m, width)}, FLOAT, constants, ["x", "w", "r"], hidden_size=width)


def quantised_recurrence(m, width):
    """DynamicQuantizeLSTM, weights of 8 bits."""
    random = numpy.random.default_rng(7)
    constants = {name: random.integers(-127, 128, (1, width, 4 * width), dtype=numpy.int8) for name in ("w", "r")}
    constants |= {"scale": numpy.full(1, 0.002, numpy.float32), "zero": numpy.zeros(1, numpy.int8)}
    names = ["x", "w", "r", "", "", "", "", "", "scale", "zero", "scale", "zero"]
    return case(f"DynamicQuantizeLSTM {width}, {m}", "DynamicQuantizeLSTM", {"x": normal(1, STEPS, m, width)}, FLOAT, constants, names,
                "com.microsoft", hidden_size=width)


# What has rows: name → a function of their number.
WITH_ROWS = {
    "f32 512x512": lambda m: product(m, 512, 512),
    "f32 768x2304": lambda m: product(m, 768, 2304),
    "u8 x i8 1024x1536": lambda m: integer_product(m, 1024, 1536),
    "4 bits 1024x3072": lambda m: narrow_product(m, 1024, 3072),
    "LSTM 192": lambda m: recurrence("LSTM", 4, m, 192),
    "GRU 192": lambda m: recurrence("GRU", 3, m, 192),
    "DynamicQuantizeLSTM 192": lambda m: quantised_recurrence(m, 192),
}
