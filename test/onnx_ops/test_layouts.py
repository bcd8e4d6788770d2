# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs of convolutions and of ops that move data, against ONNX Runtime: layouts change, values do not."""
import os
import pathlib
import tempfile
import unittest

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import tools

GRAPHS = int(os.environ.get("HEDDLE_LAYOUT_GRAPHS", "12"))
NODES = 12
# Values stay near 1: every node that could grow them is scaled, and a sum has at most 100 terms of size 1.
RTOL, ATOL = 1e-4, 1e-4


class Graph:
    """A random graph: values have a shape each; every op picks operands among them, mostly late ones."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.weights, self.values = [], [], []
        batch = int(self.random.integers(1, 3))
        shape = [batch, int(self.random.choice([2, 4, 6])), int(self.random.integers(5, 9)), int(self.random.integers(5, 9))]
        self.add_value("x", shape)
        self.input_shape = shape
        while len(self.nodes) < NODES:
            self.random.choice([self.conv, self.conv, self.conv, self.pool, self.unary, self.binary, self.concat, self.transpose,
                                self.slice, self.pad, self.reduce, self.shuffle, self.reshape, self.resize_like])()

    def add_value(self, name, shape):
        self.values.append((name, [int(size) for size in shape]))

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def pick(self, rank=None):
        late = [v for v in self.values[-4:] if rank is None or len(v[1]) == rank]
        return late[self.integer(0, len(late) - 1)] if late else None

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def emit(self, op, operands, shape, **attributes):
        if numpy.prod(shape) > 5000 or min(shape, default=1) < 1:
            return
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, operands, [name], **attributes))
        self.add_value(name, shape)

    def conv(self):
        if not (value := self.pick(4)):
            return
        name, (n, c, h, w) = value
        kernel = [self.integer(1, min(3, h)), self.integer(1, min(3, w))]
        strides, pads = [self.integer(1, 2), self.integer(1, 2)], [self.integer(0, 1) for _ in range(4)]
        groups = int(self.random.choice([g for g in (1, 1, 2, c) if c % g == 0]))
        filters = groups * self.integer(1, 3)
        weights = self.random.standard_normal([filters, c // groups, *kernel]).astype(numpy.float32)
        weights /= numpy.sqrt(weights[0].size)
        out = [(h + pads[0] + pads[2] - kernel[0]) // strides[0] + 1, (w + pads[1] + pads[3] - kernel[1]) // strides[1] + 1]
        operands = [name, self.constant(weights)]
        if self.integer(0, 1):
            operands.append(self.constant(self.random.standard_normal(filters).astype(numpy.float32)))
        self.emit("Conv", operands, [n, filters, *out], strides=strides, pads=pads, group=groups)

    def pool(self):
        if not (value := self.pick(4)) or min(value[1][2:]) < 2:
            return
        name, (n, c, h, w) = value
        kernel, stride = [2, self.integer(1, 2)], self.integer(1, 2)
        out = [(h - kernel[0]) // stride + 1, (w - kernel[1]) // stride + 1]
        op = ["MaxPool", "AveragePool"][self.integer(0, 1)]
        self.emit(op, [name], [n, c, *out], kernel_shape=kernel, strides=[stride, stride])

    def unary(self):
        name, shape = self.pick()
        self.emit(["Relu", "HardSigmoid", "Tanh", "Neg"][self.integer(0, 3)], [name], shape)

    def binary(self):
        name, shape = self.pick()
        same = [other for other, its in self.values if its == shape]
        if self.integer(0, 1):
            other = same[self.integer(0, len(same) - 1)]
        else:
            small = [size if self.integer(0, 1) else 1 for size in shape][self.integer(0, len(shape) - 1):]
            other = self.constant(self.random.standard_normal(small).astype(numpy.float32))
        self.emit(["Sub", "Max"][self.integer(0, 1)], [name, other], shape)

    def concat(self):
        name, shape = self.pick()
        axis = self.integer(0, len(shape) - 1)
        fits = [v for v in self.values if len(v[1]) == len(shape) and v[1][:axis] + v[1][axis + 1:] == shape[:axis] + shape[axis + 1:]]
        other, its = fits[self.integer(0, len(fits) - 1)]
        self.emit("Concat", [name, other], shape[:axis] + [shape[axis] + its[axis]] + shape[axis + 1:], axis=axis)

    def transpose(self):
        name, shape = self.pick()
        order = [int(i) for i in self.random.permutation(len(shape))]
        self.emit("Transpose", [name], [shape[i] for i in order], perm=order)

    def slice(self):
        name, shape = self.pick()
        axis = self.integer(0, len(shape) - 1)
        start, step = self.integer(0, shape[axis] - 1), self.integer(1, 2)
        operands = [name, *(self.constant(numpy.array([i])) for i in (start, shape[axis], axis, step))]
        self.emit("Slice", operands, shape[:axis] + [-(-(shape[axis] - start) // step)] + shape[axis + 1:])

    def pad(self):
        name, shape = self.pick()
        pads = [self.integer(0, 1) for _ in range(2 * len(shape))]
        self.emit("Pad", [name, self.constant(numpy.array(pads))],
                  [size + pads[i] + pads[i + len(shape)] for i, size in enumerate(shape)])

    def reduce(self):
        name, shape = self.pick()
        axes = [i for i in range(len(shape)) if self.integer(0, 2) == 0]
        if len(axes) in (0, len(shape)):
            return
        keep = self.integer(0, 1)
        kept = [1 if i in axes else size for i, size in enumerate(shape) if keep or i not in axes]
        self.emit(["ReduceMax", "ReduceMean"][self.integer(0, 1)], [name], kept, axes=axes, keepdims=keep)

    def shuffle(self):
        if not (value := self.pick(4)) or value[1][1] % 2:
            return
        name, (n, c, h, w) = value
        shape = [n, 2, c // 2, h, w]
        before = len(self.nodes)
        self.emit("Reshape", [name, self.constant(numpy.array(shape))], shape)
        if len(self.nodes) == before:
            return
        self.emit("Transpose", [self.values[-1][0]], [n, c // 2, 2, h, w], perm=[0, 2, 1, 3, 4])
        self.emit("Reshape", [self.values[-1][0], self.constant(numpy.array([n, c, h, w]))], [n, c, h, w])

    def reshape(self):
        name, shape = self.pick()
        if len(shape) < 2:
            return
        at = self.integer(0, len(shape) - 2)
        merged = shape[:at] + [shape[at] * shape[at + 1]] + shape[at + 2:]
        self.emit("Reshape", [name, self.constant(numpy.array(merged))], merged)

    def resize_like(self):
        name, shape = self.pick()
        axis = self.integer(0, len(shape) - 1)
        indices = self.random.integers(0, shape[axis], self.integer(1, 5))
        self.emit("Gather", [name, self.constant(indices)], shape[:axis] + [len(indices)] + shape[axis + 1:], axis=axis)

    def model(self):
        used = {name for node in self.nodes for name in node.input}
        outputs = [(name, shape) for name, shape in self.values if name not in used]
        info = helper.make_tensor_value_info
        graph = helper.make_graph(self.nodes, "g", [info("x", TensorProto.FLOAT, self.input_shape)],
                                  [info(name, TensorProto.FLOAT, shape) for name, shape in outputs], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class LayoutsTest(unittest.TestCase):
    def check(self, seed):
        graph = Graph(seed)
        model = graph.model()
        x = numpy.random.default_rng(seed).standard_normal(graph.input_shape).astype(numpy.float32)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        want = dict(zip([o.name for o in session.get_outputs()], session.run(None, {"x": x})))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model, folder / "m.onnx")
            numpy.save(folder / "x.npy", x)
            outputs = [f"--output={key}=@{folder}/{key}.npy" for key in want]
            tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle"),
                      ("heddle-run", folder / "m.heddle", f"--input=x=@{folder}/x.npy", *outputs))
            for key, value in want.items():
                got = numpy.load(folder / f"{key}.npy")
                self.assertEqual(value.shape, got.shape, f"seed {seed}, {key}")
                numpy.testing.assert_allclose(got, value, RTOL, ATOL, err_msg=f"seed {seed}, {key}")

    def test_random_graphs(self):
        for seed in range(GRAPHS):
            with self.subTest(seed=seed):
                self.check(seed)


if __name__ == "__main__":
    unittest.main()
