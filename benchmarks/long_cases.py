# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose sums are long and results few, and attention of a step of decoding over a long cache."""
import numpy

from cases import FLOAT, Case, normal, one_op
from graph import Graph

# (M, K, N); the right side is another argument, or a constant.
COMPUTED = [(33, 903168, 33), (64, 1000000, 64), (123, 51234, 456), (128, 65536, 128), (16, 262144, 16), (8, 500000, 8)]
CONSTANT = [(33, 903168, 33), (64, 1000000, 64), (123, 51234, 456), (32, 65536, 128), (8, 500000, 8), (1, 16384, 64), (16, 16384, 16),
            (64, 8192, 64), (8, 16384, 64), (1, 4096, 1000), (49, 2048, 512)]
# (heads, positions, size of a head)
CACHES = [(1, 65536, 128), (2, 32768, 64), (8, 16384, 128)]


def long_product(m, k, n, constant):
    left, right = normal(1, m, k), normal(2, k, n) * k**-0.5
    feed = {"a": left} if constant else {"a": left, "b": right}
    build = one_op("MatMul", feed, [right] if constant else [])
    return Case(f"{m}x{k}x{n}{', constant' if constant else ''}", build, feed, (2 * m * k * n, "GFLOP/s"))


def cached_attention(heads, positions, size):
    """softmax(q kᵀ / sqrt(size)) v of one query row: keys and values lie as they were appended."""
    feed = {"q": normal(1, 1, heads, 1, size), "k": normal(2, 1, heads, positions, size), "v": normal(3, 1, heads, positions, size)}

    def build():
        graph = Graph("attention")
        q, k, v = (graph.input(key, FLOAT, value.shape) for key, value in feed.items())
        scores = graph.op("Mul", graph.op("MatMul", q, graph.op("Transpose", k, perm=[0, 1, 3, 2])), graph.constant("s", numpy.float32(size**-0.5)))
        graph.output(graph.op("MatMul", graph.op("Softmax", scores, axis=-1), v, name="y"), FLOAT, [None] * 4)
        return graph.model()

    return Case(f"attention over a cache, {heads}x{positions}x{size}", build, feed, (2 * 4 * heads * positions * size, "GB/s"))


def long_cases():
    return [*(long_product(*sizes, False) for sizes in COMPUTED), *(long_product(*sizes, True) for sizes in CONSTANT),
            *(cached_attention(*sizes) for sizes in CACHES)]
