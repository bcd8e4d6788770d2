# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mixture of experts, expert parallel: each rank has some of the experts, and what they give is summed over all.

Every expert sees every token, weighted by the gate; the weights of all experts are one array with a dimension for them.
"""
import heddle
from models import Example, Graph, main

EXPERTS, WIDTH, INNER = 4, 16, 32


def build(ranks=2):
    g = Graph()
    gate = g.node("Softmax", [g.node("MatMul", ["x", g.weight("gate.weight", WIDTH, EXPERTS)], "gate")], "chosen", axis=-1)
    up = g.node("MatMul", ["x", g.weight("experts.up", EXPERTS, WIDTH, INNER)], "up")  # [experts, tokens, inner]
    down = g.node("MatMul", [g.node("Relu", [up], "hidden"), g.weight("experts.down", EXPERTS, INNER, WIDTH)], "down")
    weights = g.node("Unsqueeze", [g.node("Transpose", [gate], "by_expert", perm=[1, 0]), g.constant("last", [2])], "weights")
    g.node("ReduceSum", [g.node("Mul", [down, weights], "weighted"), g.constant("first", [0])], "y", keepdims=0)
    return Example(g.model({"x": ["tokens", WIDTH]}, {"y": ["tokens", WIDTH]}), {"x": g.array(6, WIDTH)}, heddle.Mesh(ep=ranks),
                   {"experts.*": heddle.shard("ep", None, None)})


if __name__ == "__main__":
    main(build())
