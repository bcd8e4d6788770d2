# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A perceptron, tensor parallel: each rank has some columns of the first layer and the same rows of the second.

What lies between follows from the weights: the activation is cut as the columns are, and the second product is a sum of
the ranks' parts, which one all-reduce makes. Its bias is added once.
"""
import heddle
from models import Example, Graph, main


def build(ranks=2):
    g = Graph()
    up = g.node("MatMul", ["x", g.weight("up.weight", 32, 64)], "up")
    hidden = g.node("Relu", [g.node("Add", [up, g.weight("up.bias", 64)], "up.sum")], "hidden")
    down = g.node("MatMul", [hidden, g.weight("down.weight", 64, 32)], "down")
    g.node("Add", [down, g.weight("down.bias", 32)], "y")
    return Example(g.model({"x": ["batch", 32]}, {"y": ["batch", 32]}), {"x": g.array(5, 32)}, heddle.Mesh(tp=ranks),
                   {"up.weight": heddle.shard(None, "tp"), "up.bias": heddle.shard("tp"), "down.weight": heddle.shard("tp", None)})


if __name__ == "__main__":
    main(build())
