"""Cases (see cases.py) of attention and the ops around it."""
import numpy

from cases import NAMES, b, f, graph, i


def attention(attributes, *specifications, outputs="y", opset=24, **keywords):
    """Attention on the specifications in order; None: an operand left out."""
    given = [specification for specification in specifications if specification]
    names = iter(NAMES)
    operands = ", ".join(next(names) if specification else "" for specification in specifications)
    return graph(f"{outputs} = Attention <{attributes}> ({operands})".replace("<> ", ""), "float", given, opset=opset, **keywords)


def indices(*values, kind=numpy.int64):
    return (kind, (len(values),), values, None)


Q, K, V = f(2, 4, 7, 16), f(2, 4, 11, 16), f(2, 4, 11, 24)
FLAT = f(2, 7, 4 * 16), f(2, 11, 2 * 16), f(2, 11, 2 * 24)  # two heads of queries share one of keys
HEADS = "q_num_heads = 4, kv_num_heads = 2"
SHARED = f(2, 2, 11, 16), f(2, 2, 11, 24)
ONE = f(1, 6, 1, 16), f(1, 2, 40, 16), f(1, 2, 40, 16)  # a step of decoding
PAST = f(2, 2, 5, 16), f(2, 2, 5, 24)

CASES = {
    "AttentionOp": attention("", Q, K, V),
    "AttentionOp_23": attention("scale = 0.3, softcap = 3.0", Q, K, V, f(7, 11), opset=23),
    "AttentionOp_fixed": attention("is_causal = 1", Q, K, V, free=False),
    "AttentionOp_long": attention("is_causal = 1", f(1, 2, 300, 16), f(1, 2, 300, 16), f(1, 2, 300, 16), free=False),
    "AttentionOp_flat": attention(HEADS, *FLAT),
    "AttentionOp_flat_fixed": attention(HEADS, *FLAT, f(2, 1, 7, 11), free=False),
    "AttentionOp_shared": attention("", Q, *SHARED, b(2, 4, 7, 11)),
    "AttentionOp_mask_of_heads": attention("", Q, *SHARED, f(4, 7, 11), free=False),
    # The first query sees nothing: zeros.
    "AttentionOp_nothing_seen": attention("", f(1, 1, 2, 4), f(1, 1, 3, 4), f(1, 1, 3, 4),
                                          (numpy.bool_, (2, 3), ((False, False, False), (True, False, True)), None), free=False),
    "AttentionOp_past": attention("is_causal = 1", Q, *SHARED, None, *PAST, outputs="y, p, q", free=False),
    "AttentionOp_past_of_free_length": attention("is_causal = 1, " + HEADS, *FLAT, None, *PAST, outputs="y, p, q"),
    "AttentionOp_present": attention("is_causal = 1, " + HEADS, *FLAT, None, *PAST, outputs="p, y, q", free=False),
    **{f"AttentionOp_scores_{mode}": attention(f"qk_matmul_output_mode = {mode}, softcap = 2.0", Q, *SHARED, f(7, 11),
                                               outputs="o, p, q, y", free=False) for mode in (1, 2, 3)},
    "AttentionOp_scores_0": attention("", Q, *SHARED, f(7, 11), outputs="o, p, q, y", free=False),
    "AttentionOp_one_query": attention("", *ONE, free=False),
    "AttentionOp_one_query_flat": attention("q_num_heads = 6, kv_num_heads = 2", f(1, 1, 96), f(1, 40, 32), f(1, 40, 32), free=False),
    "AttentionOp_one_query_mask": attention("", *ONE, b(1, 40), free=False),
    "AttentionOp_one_query_causal": attention("is_causal = 1", f(1, 6, 1, 16), f(1, 2, 1, 16), f(1, 2, 1, 16), None,
                                              f(1, 2, 40, 16), f(1, 2, 40, 16), outputs="y, p, q", free=False),
    "AttentionOp_lengths": attention("", Q, *SHARED, None, None, None, indices(4, 11), free=False),
    "AttentionOp_lengths_causal": attention("is_causal = 1", Q, *SHARED, None, None, None, indices(4, 11), free=False),
    "AttentionOp_double_softmax": attention("softmax_precision = 11", Q, K, V, free=False),
    "RotaryEmbedding": graph("y = RotaryEmbedding (a, b, c, d)", "float", [f(2, 3, 5, 8), f(20, 4), f(20, 4), i(2, 5, low=0, high=20)],
                             opset=23),
    "RotaryEmbedding_flat": graph("y = RotaryEmbedding <num_heads = 3, interleaved = 1> (a, b, c)", "float",
                                  [f(2, 5, 24), f(2, 5, 4), f(2, 5, 4)], free=False, opset=23),
    "RotaryEmbedding_part": graph("y = RotaryEmbedding <num_heads = 3, rotary_embedding_dim = 4> (a, b, c)", "float",
                                  [f(2, 5, 24), f(2, 5, 2), f(2, 5, 2)], free=False, opset=23),
    "TensorScatter": graph("y = TensorScatter (a, b, c)", "float", [f(2, 3, 9, 4), f(2, 3, 2, 4), indices(7, 1)], free=False, opset=24),
    "TensorScatter_begin": graph("y = TensorScatter <axis = 1> (a, b)", "float", [f(2, 9, 4), f(2, 3, 4)], opset=24),
    "TensorScatter_circular": graph("y = TensorScatter <mode = \"circular\"> (a, b, c)", "float",
                                    [f(2, 3, 9, 4), f(2, 3, 4, 4), indices(7, 30)], free=False, opset=24),
    "TensorScatter_circular_row": graph("y = TensorScatter <mode = \"circular\"> (a, b, c)", "float",
                                        [f(2, 3, 9, 4), f(2, 3, 1, 4), indices(8, 30)], free=False, opset=24),
    "TensorScatter_free_batch": graph("y = TensorScatter (a, b, c)", "float", [f(3, 9, 4), f(3, 2, 4), indices(7, 0, 3)], opset=24),
    "Trilu_at_call": graph("y = Trilu (a, b)", "float", [f(2, 4, 5), (numpy.int64, (), -1, None)], free=False),
    "Trilu_below_at_call": graph("y = Trilu <upper = 0> (a, b)", "float", [f(2, 4, 5), (numpy.int64, (), 2, None)], free=False),
}
