# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the examples of this folder share: small ONNX models of random weights, and running one on ranks.

Each example has `build()`, which gives an Example: a model that says nothing of ranks, what to give it, and how ranks share its
values. `python NAME.py` compiles it for its ranks and for one device, and compares the two.
"""
import dataclasses

import heddle
import numpy
from onnx import TensorProto, helper, numpy_helper


@dataclasses.dataclass
class Example:
    model: object
    feed: dict  # arrays by the names of inputs
    mesh: heddle.Mesh
    shardings: dict


class Graph:
    """Nodes, named like what they give, and weights of random numbers."""

    def __init__(self, seed=1):
        self.nodes, self.weights, self.random = [], [], numpy.random.default_rng(seed)

    def array(self, *shape):
        return (self.random.standard_normal(shape) / numpy.sqrt(shape[0])).astype(numpy.float32)

    def weight(self, name, *shape):
        return self.constant(name, self.array(*shape))

    def constant(self, name, value):
        self.weights.append(numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def node(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def model(self, inputs, outputs, opset=23):
        """`inputs`, `outputs`: shapes by name; integers where the name ends in `ids`."""
        value = lambda name, shape: helper.make_tensor_value_info(
            name, TensorProto.INT64 if name.endswith("ids") else TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "example", [value(*one) for one in inputs.items()],
                                  [value(*one) for one in outputs.items()], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11)


def on_ranks(example):
    """The program on its ranks: whole arrays in, whole arrays out."""
    return heddle.load(heddle.compile(example.model, mesh=example.mesh, shardings=example.shardings))


def main(example):
    print("\n".join(f"{name} = {sharding}" for name, sharding in example.shardings.items()))
    program = on_ranks(example)
    alone = heddle.load(heddle.compile(example.model))
    got, want = program(**example.feed), alone(**example.feed)
    print(f"{program}: largest difference from one device {numpy.abs(got - want).max():.1e}, largest value {numpy.abs(want).max():.1f}")
