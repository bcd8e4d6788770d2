# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ONNX graphs: small, valid, with well-conditioned values, the same for the same seed.

    model, feed = random_graph(seed)     onnx.ModelProto and {argument: array}; nodes are called n0, n1, …

Values stay of order one: sums are scaled by their length, products are of values that a squashing function went over.
In half of the graphs the first dimension of all arguments is dynamic ("n").
"""
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

NODES = (4, 18)  # at least, at most
LIMIT = 4096     # elements of a tensor


class GraphBuilder:
    """Adds one node after another; knows the shape of every value. `rows` is the size of the first dimension."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.rows = int(self.random.integers(1, 7))
        self.dynamic = bool(self.random.integers(2))
        self.nodes, self.constants, self.shapes, self.used = [], [], {}, set()
        self.feed = {}

    def pick(self, accept=lambda shape: True):
        """A value that fits, late ones more often; None when there is none."""
        names = [name for name, shape in self.shapes.items() if accept(shape)]
        if not names:
            return None
        place = int(len(names) * max(self.random.random(), self.random.random()))
        self.used.add(names[place])
        return names[place]

    def constant(self, shape, scale=1.0):
        name = f"c{len(self.constants)}"
        values = (scale * self.random.standard_normal(shape)).astype(numpy.float32)
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def integers(self, values):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(values, numpy.int64), name))
        return name

    def node(self, kind, inputs, *shapes, **attributes):
        number = len(self.nodes)
        outputs = [f"v{number}_{i}" for i in range(len(shapes))]
        self.nodes.append(helper.make_node(kind, inputs, outputs, f"n{number}", **attributes))
        self.shapes.update(zip(outputs, map(tuple, shapes)))
        return outputs[0]

    def argument(self):
        name = f"x{len(self.feed)}"
        shape = (self.rows, *(int(size) for size in self.random.choice([1, 3, 8, 16, 17], self.random.integers(1, 3))))
        self.feed[name] = self.random.standard_normal(shape).astype(numpy.float32)
        self.shapes[name] = shape


def unary(b):
    x = b.pick()
    b.node(str(b.random.choice(["Relu", "Sigmoid", "Tanh", "Neg", "Abs", "Erf", "Identity"])), [x], b.shapes[x])


def binary(b):
    x = b.pick()
    shape = b.shapes[x]
    y = b.pick(lambda other: other == shape)
    if b.random.integers(3) == 0:
        y = b.constant(shape[-1:])
    kind = str(b.random.choice(["Add", "Sub", "Max", "Min"]))
    b.node(kind, [x, y], shape)


def gate(b):
    x = b.pick()
    squashed = b.node("Tanh", [x], b.shapes[x])
    y = b.pick(lambda other: other == b.shapes[x])
    b.node("Mul", [squashed, y], b.shapes[x])


def matmul(b):
    x = b.pick(lambda shape: len(shape) >= 2)
    inner, outer = b.shapes[x][-1], int(b.random.choice([1, 5, 16, 33]))
    weights = b.constant((inner, outer), inner ** -0.5)
    y = b.node("MatMul", [x, weights], (*b.shapes[x][:-1], outer))
    if b.random.integers(2):
        b.node("Add", [y, b.constant((outer,))], b.shapes[y])


def scores(b):
    """Products of two computed values: x times the transpose of x, softmax, times x."""
    x = b.pick(lambda shape: len(shape) == 3)
    if not x:
        return
    n, rows, columns = b.shapes[x]
    narrow = b.node("Tanh", [x], b.shapes[x])
    turned = b.node("Transpose", [narrow], (n, columns, rows), perm=[0, 2, 1])
    product = b.node("MatMul", [narrow, turned], (n, rows, rows))
    weights = b.node("Softmax", [product], (n, rows, rows), axis=-1)
    b.node("MatMul", [weights, x], b.shapes[x])


def reduce(b):
    x = b.pick(lambda shape: len(shape) >= 2)
    axis = int(b.random.integers(1, len(b.shapes[x])))
    keep = int(b.random.integers(2))
    shape = list(b.shapes[x])
    shape[axis] = 1
    if not keep and len(shape) > 2:
        del shape[axis]
    else:
        keep = 1
    kind = str(b.random.choice(["ReduceMean", "ReduceMax"]))
    b.node(kind, [x, b.integers([axis])], shape, keepdims=keep)


def softmax(b):
    x = b.pick()
    b.node("Softmax", [x], b.shapes[x], axis=-1)


def normalise(b):
    x = b.pick(lambda shape: shape[-1] > 2)
    if not x:
        return
    size = b.shapes[x][-1]
    b.node("LayerNormalization", [x, b.constant((size,)), b.constant((size,))], b.shapes[x], axis=-1)


def transpose(b):
    x = b.pick(lambda shape: len(shape) == 3)
    if not x:
        return
    n, rows, columns = b.shapes[x]
    b.node("Transpose", [x], (n, columns, rows), perm=[0, 2, 1])


def concat(b):
    x = b.pick(lambda shape: len(shape) >= 2)
    shape = b.shapes[x]
    y = b.pick(lambda other: len(other) == len(shape) and other[:-1] == shape[:-1])
    b.node("Concat", [x, y], (*shape[:-1], shape[-1] + b.shapes[y][-1]), axis=-1)


def cut(b):
    x = b.pick(lambda shape: shape[-1] >= 2)
    if not x:
        return
    shape = b.shapes[x]
    at = int(b.random.integers(1, shape[-1]))
    sizes = b.integers([at, shape[-1] - at])
    b.node("Split", [x, sizes], (*shape[:-1], at), (*shape[:-1], shape[-1] - at), axis=-1)


def convolution(b):
    x = b.pick(lambda shape: len(shape) == 3 and shape[2] >= 3)
    if not x:
        return
    n, channels, width = b.shapes[x]
    filters = int(b.random.choice([1, 8, 16]))
    weights = b.constant((filters, channels, 3), (3 * channels) ** -0.5)
    b.node("Conv", [x, weights], (n, filters, width), pads=[1, 1], kernel_shape=[3])


def pool(b):
    x = b.pick(lambda shape: len(shape) == 3 and shape[2] >= 2)
    if not x:
        return
    n, channels, width = b.shapes[x]
    b.node("MaxPool", [x], (n, channels, width // 2), kernel_shape=[2], strides=[2])


def gather(b):
    x = b.pick(lambda shape: len(shape) >= 2)
    shape = b.shapes[x]
    count = int(b.random.integers(1, 6))
    positions = b.integers(b.random.integers(0, shape[-1], count))
    b.node("Gather", [x, positions], (*shape[:-1], count), axis=len(shape) - 1)


KINDS = (unary, unary, binary, binary, gate, matmul, matmul, scores, reduce, softmax, normalise, transpose, concat, cut,
         convolution, pool, gather)


def random_graph(seed):
    b = GraphBuilder(seed)
    for _ in range(b.random.integers(1, 4)):
        b.argument()
    target = int(b.random.integers(*NODES))
    while len(b.nodes) < target:
        b.random.choice(KINDS)(b)
        b.shapes = {name: shape for name, shape in b.shapes.items() if numpy.prod(shape) <= LIMIT}
    results = [name for node in b.nodes for name in node.output if name not in b.used and name in b.shapes]
    results = results[-3:] or [name for name in b.shapes if name not in b.feed][-1:]

    def value(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n" if b.dynamic else b.rows, *shape[1:]])

    arguments = [value(name, array.shape) for name, array in b.feed.items()]
    graph = helper.make_graph(b.nodes, f"random_{seed}", arguments,
                              [value(name, b.shapes[name]) for name in results], b.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    return model, b.feed
