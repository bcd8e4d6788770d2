# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups of nodes with quantised operands for test_types.py: every combination of signs, random zero points, odd sizes."""
import itertools

import numpy

from typed_cases import Case, Group, values

BYTES = (numpy.uint8, numpy.int8)
# With VNNI, AVX-512 without, AVX2, SSE.
CPUS = {"host": "host", "avx512": "x86-64-v4", "avx2": "x86-64-v3", "sse": "x86-64"}


def scalar(kind, value):
    return numpy.array(value, kind)


def scales(*shape, seed=5):
    return numpy.random.default_rng(seed).uniform(0.01, 0.1, shape).astype(numpy.float32)


def matmul_integer():
    cases = []
    for a, b in itertools.product(BYTES, BYTES):
        for m, k, n in ((7, 37, 19), (33, 64, 32), (1, 9, 5)):
            for constants in ((), (1, 3)):
                cases.append(Case("MatMulInteger", [values(a, m, k), values(b, k, n, seed=2), values(a, seed=3, low=3),
                                                    values(b, n, seed=4)], constants=constants))
        cases.append(Case("MatMulInteger", [values(a, 2, 3, 5, 18), values(b, 3, 18, 21, seed=2)]))
        cases.append(Case("MatMulInteger", [values(a, 18), values(b, 18, 7, seed=2), scalar(a, 5)]))
    return cases


def conv_integer():
    attributes = {"pads": [1, 2, 0, 1], "strides": [2, 1], "dilations": [1, 2]}
    cases = []
    for weights in BYTES:
        x = values(numpy.uint8, 2, 5, 9, 11)
        for zero in (None, 3):
            inputs = [x, values(weights, 18, 5, 3, 2, seed=2), scalar(numpy.uint8, 77)]
            inputs += [] if zero is None else [scalar(weights, zero)]
            cases += [Case("ConvInteger", inputs, attributes, constants) for constants in ((), (1,), (1, 2))]
    cases.append(Case("ConvInteger", [values(numpy.uint8, 1, 8, 7, 6), values(numpy.uint8, 6, 4, 2, 2, seed=2)], {"group": 2}))
    cases.append(Case("ConvInteger", [values(numpy.uint8, 1, 6, 9), values(numpy.uint8, 6, 1, 3, seed=2)], {"group": 6}))
    return cases


def qlinear():
    cases = []
    for a, b in itertools.product(BYTES, BYTES):
        cases.append(Case("QLinearMatMul", [values(a, 7, 37), scalar(numpy.float32, 0.02), scalar(a, 9), values(b, 37, 19, seed=2),
                                            scalar(numpy.float32, 0.03), scalar(b, 4), scalar(numpy.float32, 0.6), scalar(a, 11)]))
    for weights in BYTES:
        cases.append(Case("QLinearConv", [values(numpy.uint8, 2, 5, 9, 11), scalar(numpy.float32, 0.02), scalar(numpy.uint8, 99),
                                          values(weights, 18, 5, 3, 3, seed=2), scales(18), numpy.zeros(18, weights),
                                          scalar(numpy.float32, 0.4), scalar(numpy.uint8, 120), values(numpy.int32, 18, low=-900, high=900)],
                          {"pads": [1, 1, 1, 1]}, (1, 2, 3, 4, 5, 6, 7, 8)))
    return cases


def linear():
    """The rounding of quotients: halves are among them."""
    halves = (numpy.arange(-600, 600, dtype=numpy.float32) / 2).reshape(3, 400)
    wide = values(numpy.float32, 4, 37, 3, low=-1e9, high=1e9)
    cases = []
    for kind in (numpy.uint8, numpy.int8, numpy.uint16, numpy.int16):
        cases.append(Case("QuantizeLinear", [halves, scalar(numpy.float32, 1), scalar(kind, 5)]))
        cases.append(Case("QuantizeLinear", [wide, scales(37) * 1e6, values(kind, 37, seed=2)], {"axis": 1}))
        cases.append(Case("QuantizeLinear", [wide.reshape(4, 3, 37, 1) / 1e6, scales(4), values(kind, 4, seed=3)], {"axis": 0}))
        cases.append(Case("DequantizeLinear", [values(kind, 4, 37, 3), scales(37), values(kind, 37, seed=2)], {"axis": 1}))
        cases.append(Case("DequantizeLinear", [values(kind, 4, 37), scalar(numpy.float32, 0.3), scalar(kind, 7)]))
    cases.append(Case("DequantizeLinear", [values(numpy.int32, 4, 37, low=-1000, high=1000), scales(4)], {"axis": 0}))
    cases.append(Case("DequantizeLinear", [values(numpy.int8, 4, 37), scales(4, 13)], {"axis": 1, "block_size": 3}))
    cases.append(Case("DequantizeLinear", [values(numpy.uint8, 11), scales(4), values(numpy.uint8, 4, seed=2)],
                      {"axis": 0, "block_size": 3}))
    for low, high in ((-3, 7), (1, 9), (-9, -1), (0, 0)):
        cases.append(Case("DynamicQuantizeLinear", [values(numpy.float32, 5, 37, low=low, high=high)]))
    return cases


def contrib():
    """ONNX Runtime's ops between dequantisation and quantisation."""
    cases = []

    def add(op, *inputs, constants=(), **attributes):
        cases.append(Case("com.microsoft." + op, list(inputs), attributes, constants))

    for kind in BYTES:
        a, b = values(kind, 3, 37, seed=2), values(kind, 37, seed=3)
        x, y, z = ((scalar(numpy.float32, scale), scalar(kind, zero)) for scale, zero in ((0.0217, 7), (0.0693, 90), (0.1011, 45)))
        unit = scalar(numpy.float32, 1 / 256), scalar(kind, numpy.iinfo(kind).min)
        image = values(kind, 2, 5, 9, 8, seed=4)
        product = [values(kind, 7, 37, seed=5), *x, values(kind, 19, 37, seed=6)]
        sums = values(numpy.int32, 19, low=-999, high=999)
        add("QLinearAdd", a, *x, b, *y, *z)
        add("QLinearMul", a, *x, b, *y, *z)
        add("QLinearSigmoid", a, *x, *unit)
        add("QLinearLeakyRelu", a, *x, *z, constants=(1, 2, 3, 4), alpha=0.1)
        add("QLinearSoftmax", a, *y, *unit, axis=1, opset=13)
        add("QLinearAveragePool", image, *x, *z, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])
        add("QLinearGlobalAveragePool", image, *x, *z)
        add("QLinearConcat", *z, a, *x, values(kind, 2, 37, seed=7), *y, axis=0)
        add("QLinearWhere", b > 20, a, *x, values(kind, 3, 37, seed=8), *y, *z)
        add("QGemm", *product, *y, sums, *z, transB=1)
        add("QGemm", *product, scales(19), numpy.zeros(19, kind), sums, constants=(3, 4, 5, 6), alpha=0.5, transB=1)
        weights = values(kind, 37, 19, seed=9)
        add("MatMulIntegerToFloat", a, weights, x[0], scales(19), x[1], values(kind, 19, seed=3, low=3), constants=(1, 3, 5))
        add("DynamicQuantizeMatMul", values(numpy.float32, 3, 37), weights, *y, values(numpy.float32, 19), constants=(1, 2, 3))
        add("DequantizeLinear", values(kind, 9, 4), scales(9), values(kind, 9, seed=2), axis=0)
        add("QuantizeLinear", values(numpy.float32, 9, 4), scales(4), values(kind, 4, seed=2), axis=1)
    return cases


GROUPS = {f"quantized_{name}_{level}": Group(make(), cpu=cpu)
          for name, make in (("matmul", matmul_integer), ("conv", conv_integer), ("qlinear", qlinear), ("linear", linear), ("contrib", contrib))
          for level, cpu in CPUS.items()}
