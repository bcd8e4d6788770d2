# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that have no package: small ones, made for one measurement or one test each."""
import numpy

from graph import BOOL, FLOAT, INT64, Graph


def build_chain(length):
    """`length` dependent 4x4 matrix products: what is measured is the host's work for each dispatch, not the product.

    Each factor is a rotation, so that values neither grow nor vanish.
    """
    graph = Graph(f"chain_{length}")
    x = graph.input("x", FLOAT, [4, 4])
    generator = numpy.random.default_rng(7)
    for i in range(length):
        factor, _ = numpy.linalg.qr(generator.standard_normal((4, 4)))
        x = graph.op("MatMul", x, graph.constant(f"w{i}", factor.astype(numpy.float32)))
    graph.output(graph.op("Identity", x, name="y"), FLOAT, [4, 4])
    return graph.model()


def build_empty():
    """Gives its argument back: the cost of a call."""
    graph = Graph("empty")
    x = graph.input("x", FLOAT, [4])
    graph.output(graph.op("Identity", x, name="y"), FLOAT, [4])
    return graph.model()


def build_mlp():
    """matmul, bias, relu, matmul, bias on a free batch of rows of eight: small, and still every kind of dispatch."""
    graph = Graph("mlp")
    generator = numpy.random.default_rng(11)

    def layer(x, name, rows, columns):
        weight = generator.standard_normal((rows, columns)).astype(numpy.float32)
        bias = generator.standard_normal(columns).astype(numpy.float32)
        product = graph.op("MatMul", x, graph.constant(f"{name}_weight", weight))
        return graph.op("Add", product, graph.constant(f"{name}_bias", bias))

    x = graph.input("x", FLOAT, ["n", 8])
    y = layer(graph.op("Relu", layer(x, "first", 8, 16)), "second", 16, 4)
    graph.output(graph.op("Identity", y, name="y"), FLOAT, ["n", 4])
    return graph.model()


def build_two():
    """Two inputs of different type and two results, to tell positions and names apart: sum = a + float(b); less = a < b."""
    graph = Graph("two")
    a = graph.input("a", FLOAT, ["n"])
    b = graph.op("Cast", graph.input("b", INT64, ["n"]), to=FLOAT)
    graph.output(graph.op("Add", a, b, name="sum"), FLOAT, ["n"])
    graph.output(graph.op("Less", a, b, name="less"), BOOL, ["n"])
    return graph.model()
