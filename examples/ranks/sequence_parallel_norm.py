# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tensor-parallel perceptron between normalisations that are sequence parallel.

A normalisation needs whole rows and no weights to speak of, so ranks share the tokens there. On the way into the
perceptron the tokens are gathered, on the way out the sum of the parts is scattered: together what one all-reduce moves.
"""
import heddle
from models import Example, Graph, main

TOKENS, WIDTH, INNER = 8, 32, 64


def build(ranks=2):
    g = Graph()
    normal = g.node("RMSNormalization", ["x", g.constant("norm.weight", 1 + 0 * g.array(WIDTH))], "norm", axis=-1)
    hidden = g.node("Relu", [g.node("MatMul", [normal, g.weight("up.weight", WIDTH, INNER)], "up")], "hidden")
    down = g.node("MatMul", [hidden, g.weight("down.weight", INNER, WIDTH)], "down")
    residual = g.node("Add", [down, "x"], "residual")
    g.node("RMSNormalization", [residual, g.constant("out.weight", 1 + 0 * g.array(WIDTH))], "y", axis=-1)
    tokens = heddle.shard(None, "tp", None)
    return Example(g.model({"x": [1, TOKENS, WIDTH]}, {"y": [1, TOKENS, WIDTH]}), {"x": g.array(1, TOKENS, WIDTH)}, heddle.Mesh(tp=ranks),
                   {"x": tokens, "norm": tokens, "residual": tokens, "y": tokens,
                    "up.weight": heddle.shard(None, "tp"), "down.weight": heddle.shard("tp", None)})


if __name__ == "__main__":
    main(build())
