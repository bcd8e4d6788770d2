# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network of two layers, data parallel: each rank has all weights and its part of the batch."""
import heddle
from models import Example, Graph, main


def build(ranks=2, batch=8):
    g = Graph()
    hidden = g.node("Tanh", [g.node("MatMul", ["x", g.weight("first.weight", 16, 24)], "first")], "hidden")
    g.node("Softmax", [g.node("MatMul", [hidden, g.weight("second.weight", 24, 10)], "second")], "y", axis=-1)
    return Example(g.model({"x": [batch, 16]}, {"y": [batch, 10]}), {"x": g.array(batch, 16)}, heddle.Mesh(dp=ranks),
                   {"x": heddle.shard("dp", None), "y": heddle.shard("dp", None)})


if __name__ == "__main__":
    main(build())
