# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An attention block, tensor parallel by heads: each rank has some of the heads, from their projections to the output's.

Projections give heads of SIZE columns side by side, so they are cut at multiples of SIZE: no head is cut in two, also
where the heads do not divide by the ranks.
"""
import heddle
from models import Example, Graph, main

WIDTH, HEADS, SIZE = 48, 6, 8


def build(ranks=2):
    g = Graph()
    shape = g.constant("shape", [0, 0, HEADS, SIZE])
    heads = {}
    for name in "qkv":
        product = g.node("MatMul", ["x", g.weight(f"{name}.weight", WIDTH, HEADS * SIZE)], name)
        split = g.node("Reshape", [product, shape], f"{name}.split")
        heads[name] = g.node("Transpose", [split], f"{name}.heads", perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3])
    scores = g.node("Mul", [g.node("MatMul", [heads["q"], heads["k"]], "dots"), g.constant("scale", g.array(1)[:1] * 0 + SIZE ** -0.5)], "scores")
    mixed = g.node("MatMul", [g.node("Softmax", [scores], "weights", axis=-1), heads["v"]], "mixed")
    joined = g.node("Reshape", [g.node("Transpose", [mixed], "mixed.split", perm=[0, 2, 1, 3]), g.constant("joined.shape", [0, 0, HEADS * SIZE])], "joined")
    out = g.node("MatMul", [joined, g.weight("out.weight", HEADS * SIZE, WIDTH)], "out")
    g.node("Add", [out, "x"], "y")
    cut = {f"{name}.weight": heddle.shard(None, ("tp", SIZE)) for name in "qkv"}
    return Example(g.model({"x": [2, "tokens", WIDTH]}, {"y": [2, "tokens", WIDTH]}), {"x": g.array(2, 7, WIDTH)}, heddle.Mesh(tp=ranks),
                   {**cut, "out.weight": heddle.shard(("tp", SIZE), None)})


if __name__ == "__main__":
    main(build())
