# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and what goes with it (see operators.py). Queries and keys are small: what is left of large scores in f16 is little."""
import numpy

from builder import MS, Domain
from operators import operator

F2 = ("float32", "float16")
SMALL = Domain(-1, 1)


def near(b, dtype, shape):
    return b.operand(dtype, len(shape), b.choose(["rows", "constant", "transposed", "sliced"]), domain=SMALL, shape=shape)


def split(b, size):
    """How many heads a size is of."""
    return b.choose([heads for heads in (1, 2, 3, 4) if size % heads == 0])


def mask(b, dtype, shape):
    """Every query sees the first key."""
    if b.chance(2):
        return b.operand(dtype, len(shape), b.choose(["rows", "constant"]), domain=SMALL, shape=shape)
    seen = b.random.integers(0, 2, shape).astype(bool)
    seen[..., 0] = True
    return b.known(seen)


def heads_of_queries(b, rank):
    if rank == 4:
        return b.choose([1, 2]), b.choose([1, 2, 4]), b.choose([1, 3, 5, 16, b.rows]), b.choose([1, 4, 8])
    return b.choose([1, 2]), b.choose([1, 3, 5, 16, b.rows]), b.choose([2, 4, 8, 12])


@operator("Attention", F2, [3, 4], domain=SMALL, shape=heads_of_queries)
def attention(b, kind, x):
    flat = x.rank == 3
    heads = split(b, x.shape[2]) if flat else x.shape[1]
    batch, length = x.shape[0], x.shape[1 if flat else 2]
    depth, others = x.shape[-1] // (heads if flat else 1), b.choose([1, 3, 8, length])
    groups, wide = split(b, heads), b.choose([2, 4])
    shapes = [(batch, others, groups * size) if flat else (batch, groups, others, size) for size in (depth, wide)]
    past = b.chance(4) and b.between(1, 4)
    caches = [near(b, x.dtype, (batch, groups, past, size)) for size in (depth, wide)] if past else []
    total = others + past
    seen = mask(b, x.dtype, b.choose([(length, total), (1, 1, length, total), (batch, heads, length, total)])) if b.chance(2) else None
    attributes = {"q_num_heads": heads, "kv_num_heads": groups} if flat else {}
    if b.chance(2):
        attributes["is_causal"] = 1
    if b.chance(3):
        attributes.update(b.choose([{"softcap": 2.0}, {"scale": 0.5}]))
    inputs = [x, *(near(b, x.dtype, shape) for shape in shapes), seen, *caches]
    result = (batch, length, heads * wide) if flat else (batch, heads, length, wide)
    present = [(batch, groups, total, size) for size in (depth, wide)] if past else []
    return b.node(kind, inputs if seen or caches else inputs[:3], result, *present, rounds=4, **attributes)


@operator("MultiHeadAttention", ("float32",), [3], domain=SMALL, shape=heads_of_queries)
def multi_head(b, kind, x):
    batch, length, hidden = x.shape
    heads, causal = split(b, hidden), b.between(0, 1)
    others = length if causal else b.choose([1, 3, 8])
    inputs = [x, *(near(b, x.dtype, (batch, others, hidden)) for _ in range(2))]
    bias = b.random_constant(x.dtype, (3 * hidden,), SMALL) if b.chance(3) else None
    added = near(b, x.dtype, (1, 1, length, others)) if b.chance(3) else None
    return b.node(kind, [*inputs, bias, None, added], x.shape, rounds=5, domain=MS, num_heads=heads, unidirectional=causal)


def groups_of_queries(b, rank):
    return b.choose([1, 2]), b.choose([1, 3, 7]), 4 * b.choose([8, 16])


@operator("GroupQueryAttention", ("float32",), [3], domain=SMALL, shape=groups_of_queries)
def group_query(b, kind, x):
    batch, length, hidden = x.shape
    heads, groups = 4, b.choose([1, 2, 4])
    depth = hidden // heads
    keys = [near(b, x.dtype, (batch, length, groups * depth)) for _ in range(2)]
    past = b.between(1, 6) if length == 1 else 0
    caches = [near(b, x.dtype, (batch, groups, past, depth)) if past else None for _ in range(2)]
    totals = b.random.integers(1, past + 2, batch) if past else numpy.full(batch, length)
    totals[0] = past + length
    inputs = [x, *keys, *caches, b.integers(totals - 1, "int32"), b.integers(past + length, "int32")]
    rotary = depth == 16 and b.chance(2)
    tables = [b.random_constant(x.dtype, (16, depth // 2), SMALL) for _ in range(2)] if rotary else []
    present = (batch, groups, past + length, depth)
    return b.node(kind, [*inputs, *tables], x.shape, present, present, rounds=5, domain=MS, num_heads=heads, kv_num_heads=groups,
                  do_rotary=int(rotary))[0]


def turned(b, rank):
    if rank == 4:
        return b.choose([1, 2]), b.choose([1, 3]), b.choose([1, 4, 5]), b.choose([4, 8])
    return b.choose([1, 2]), b.choose([1, 4, 5]), b.choose([8, 16])


@operator("RotaryEmbedding", F2, [3, 4], shape=turned)
def rotary(b, kind, x):
    heads = x.shape[1] if x.rank == 4 else x.shape[2] // b.choose([4, 8])
    batch, length = x.shape[0], x.shape[2 if x.rank == 4 else 1]
    depth = x.shape[3] if x.rank == 4 else x.shape[2] // heads
    tables = [b.random_constant(x.dtype, (9, depth // 2), SMALL) for _ in range(2)]
    positions = b.known(b.random.integers(0, 9, (batch, length)))
    attributes = {"interleaved": b.between(0, 1)} | ({"num_heads": heads} if x.rank == 3 else {})
    if x.dtype == "float32" and b.chance(3):
        return b.node(kind, [x, positions, *tables], x.shape, rounds=2, scale=8, domain=MS, **attributes)
    return b.node(kind, [x, *tables, positions], x.shape, rounds=2, scale=8, **attributes)


RULES = {"linear": (False, False), "gated": (True, False), "delta": (False, True), "gated_delta": (True, True)}


@operator("LinearAttention", ("float32",), [3], domain=Domain(-0.5, 0.5), shape=lambda b, rank: (2, b.choose([1, 2, 5, b.rows]), 8))
def linear_attention(b, kind, x):
    batch, length, hidden = x.shape
    heads = b.choose([1, 2, 4])
    groups = split(b, heads)
    depth, wide, rule = hidden // heads, b.choose([2, 3]), b.choose(list(RULES))
    decays, corrects = RULES[rule]
    few = lambda size: b.operand(x.dtype, 3, b.choose(["rows", "constant"]), domain=Domain(-0.5, 0.5), shape=(batch, length, size))  # noqa: E731
    state = b.random_constant(x.dtype, (batch, groups, depth, wide)) if b.chance(2) else None
    decay = few(groups * b.choose([1, depth])) if decays else None
    beta = few(b.choose([1, groups])) if corrects else None
    return b.node(kind, [x, few(groups * depth), few(groups * wide), state, decay, beta], (batch, length, heads * wide),
                  (batch, groups, depth, wide), rounds=6, scale=32, opset=27, q_num_heads=heads, kv_num_heads=groups, update_rule=rule)


@operator("CausalConvWithState", F2, [3])
def causal_convolution(b, kind, x):
    batch, channels, _ = x.shape
    reach = b.between(2, 4)
    weights = b.random_constant(x.dtype, (channels, 1, reach), SMALL)
    bias = b.random_constant(x.dtype, (channels,)) if b.chance(2) else None
    past = near(b, x.dtype, (batch, channels, reach - 1)) if b.chance(2) else None
    return b.node(kind, [x, weights, bias, past], x.shape, (batch, channels, reach - 1), rounds=3, scale=4 * x.scale, opset=27,
                  activation=b.choose(["none", "silu"]))
