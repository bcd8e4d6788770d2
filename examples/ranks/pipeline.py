# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two layers on two meshes: the first on ranks 0 and 1, the second on ranks 2 and 3, each tensor parallel.

What is between the layers moves from one mesh to the other. A call runs one batch through both; calls do not overlap.
"""
import heddle
from models import Example, Graph, main


def build():
    g = Graph()
    for i, (before, after) in enumerate([("x", "middle"), ("middle", "y")]):
        hidden = g.node("Relu", [g.node("MatMul", [before, g.weight(f"{i}.up", 16, 32)], f"{i}.product")], f"{i}.hidden")
        g.node("MatMul", [hidden, g.weight(f"{i}.down", 32, 16)], after)
    columns, rows, whole = heddle.shard(None, "tp"), heddle.shard("tp", None), heddle.shard(None, None)
    return Example(g.model({"x": [6, 16]}, {"y": [6, 16]}), {"x": g.array(6, 16)}, {"front": heddle.Mesh(tp=2), "back": heddle.Mesh(tp=2)},
                   {"0.up": columns.on("front"), "0.down": rows.on("front"), "middle": whole.on("back"),
                    "1.up": columns.on("back"), "1.down": rows.on("back")})


if __name__ == "__main__":
    main(build())
