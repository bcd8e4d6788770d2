# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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


def contrib(body, specifications, free=True, constants=""):
    """A graph of ops of ONNX Runtime's own."""
    text, feed = graph(body, "float", specifications, free=free, constants=constants)
    return text.replace('"" : 17', '"" : 17, "com.microsoft" : 1').replace("= MS.", "= com.microsoft."), feed


def words(*values):
    return (numpy.int32, (len(values),), values, None)


def lengths(*values):
    """seqlens_k and total_sequence_length of GroupQueryAttention: of the last row of each batch."""
    last = ", ".join(str(value - 1) for value in values)
    return f"<int32[{len(values)}] l = {{{last}}}, int32 t = {{{max(values)}}}>"


# The first key is seen: numbers near the filter value of -10,000 would have few digits left.
PADDING = numpy.int32, (2, 7), ((1, 0, 1, 1, 0, 0, 1), (1, 1, 0, 0, 1, 1, 0)), None
ROWS = numpy.int32, (2, 7, 7), numpy.arange(2 * 7 * 7).reshape(2, 7, 7) % 7 % 3 != 1, None
GROUPS = "num_heads = 4, kv_num_heads = 2"
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
    "AttentionOp_flat_causal_fixed": attention("is_causal = 1, q_num_heads = 6, kv_num_heads = 2", f(2, 70, 6 * 16), f(2, 70, 2 * 16),
                                              f(2, 70, 2 * 24), free=False),
    "AttentionOp_flat_causal_of_any_length": (graph(
        "y = Attention <is_causal = 1, q_num_heads = 6, kv_num_heads = 2> (a, b, c)", "float",
        [f(1, 70, 6 * 16), f(1, 70, 2 * 16), f(1, 70, 2 * 24)], free=False, opset=24)[0].replace("1,70", "1,n"),
        [f(1, 70, 6 * 16), f(1, 70, 2 * 16), f(1, 70, 2 * 24)]),
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
    "AttentionOp_one_query_odd": attention("", f(1, 6, 1, 20), f(1, 2, 37, 20), f(1, 2, 37, 20), free=False),
    "AttentionOp_one_query_one_head": attention("", f(2, 3, 1, 20), f(2, 3, 37, 20), f(2, 3, 37, 20), free=False),
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
    "FastGelu": contrib("y = MS.FastGelu (a, b)", [f(3, 5), f(5)]),
    "BiasGelu": contrib("y = MS.BiasGelu (a, b)", [f(3, 5), f(5)]),
    "QuickGelu": contrib("y = MS.QuickGelu <alpha = 1.5> (a)", [f(3, 5)]),
    "FusedMatMul": contrib("y = MS.FusedMatMul <transA = 1, transB = 1, alpha = 0.5> (a, b)", [f(2, 6, 5), f(2, 7, 6)]),
    "SimplifiedLayerNormalization": graph("y = SimplifiedLayerNormalization <axis = -1, epsilon = 0.001> (a, b)", "float", [f(3, 5, 8), f(8)], free=False),
    "SkipLayerNormalization": contrib("y = MS.SkipLayerNormalization <epsilon = 0.01> (a, b, c, d, e)",
                                      [f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)], free=False),
    "SkipLayerNormalization_sum": contrib("s, , , y = MS.SkipLayerNormalization (a, b, c)",
                                          [f(2, 3, 8), f(3, 8), f(8)], free=False),
    "SkipSimplifiedLayerNormalization": contrib("y = MS.SkipSimplifiedLayerNormalization (a, b, c)", [f(2, 3, 8), f(2, 3, 8), f(8)], free=False),
    "EmbedLayerNormalization": contrib("y, m = MS.EmbedLayerNormalization (a, b, c, d, e, f, g)",
                                       [i(2, 3, high=9, low=0, kind=numpy.int32), i(2, 3, high=2, low=0, kind=numpy.int32),
                                        f(9, 8), f(5, 8), f(2, 8), f(8), f(8)], free=False),
    "RotaryEmbedding_contrib": contrib("y = MS.RotaryEmbedding (a, b, c, d)",
                                       [f(2, 5, 24), i(2, 5, low=0, high=20), f(20, 4), f(20, 4)], free=False),
    "RotaryEmbedding_contrib_begin": contrib("y = MS.RotaryEmbedding <interleaved = 1> (a, b, c, d)",
                                             [f(2, 3, 5, 8), indices(4), f(20, 4), f(20, 4)], free=False),
    "FusedConv_contrib": contrib('y = MS.FusedConv <activation = "Relu", pads = [1, 1, 1, 1]> (a, b, c, d)', [f(1, 3, 8, 8), f(5, 3, 3, 3), f(5), f(1, 5, 8, 8)], free=False),
    "FusedConv_contrib_clip": contrib('y = MS.FusedConv <activation = "Clip", activation_params = [-1.0, 3.5]> (a, b)', [f(1, 3, 8, 8), f(5, 3, 1, 1)], free=False),
    "FusedConv_contrib_leaky": contrib('y = MS.FusedConv <activation = "LeakyRelu", activation_params = [0.2]> (a, b)', [f(1, 3, 8, 8), f(5, 3, 1, 1)], free=False),
    "FusedConv_contrib_hard": contrib('y = MS.FusedConv <activation = "HardSigmoid", activation_params = [0.2, 0.4]> (a, b)', [f(1, 3, 8, 8), f(5, 3, 1, 1)], free=False),
    "FusedGemm_contrib": contrib('y = MS.FusedGemm <activation = "LeakyRelu", activation_alpha = 0.3, transB = 1> (a, b, c)', [f(4, 7), f(5, 7), f(5)], free=False),
    "Gelu_contrib": contrib("y = MS.Gelu (a)", [f(3, 5)]),
    "Attention_contrib": contrib("y = MS.Attention <num_heads = 4, unidirectional = 1> (a, b, c, d, , e)",
                                 [f(2, 7, 13), f(13, 96, low=-0.3, high=0.3), f(96), PADDING, f(2, 4, 7, 7)], free=False),
    "Attention_contrib_lengths": contrib("y = MS.Attention <num_heads = 4, scale = 0.4> (a, b, c, d)",
                                         [f(2, 7, 13), f(13, 96, low=-0.3, high=0.3), f(96), words(3, 7)], free=False),
    "Attention_contrib_rows": contrib("y = MS.Attention <num_heads = 4, qkv_hidden_sizes = [32, 32, 16]> (a, b, c, d)",
                                      [f(2, 7, 13), f(13, 80, low=-0.3, high=0.3), f(80), ROWS], free=False),
    "Attention_contrib_past": contrib("y, p = MS.Attention <num_heads = 4> (a, b, c, , d)",
                                      [f(2, 3, 13), f(13, 96, low=-0.3, high=0.3), f(96), f(2, 2, 4, 5, 8)], free=False),
    "Attention_contrib_present": contrib("p, y = MS.Attention <num_heads = 4> (a, b, c, , d)",
                                         [f(2, 3, 13), f(13, 96, low=-0.3, high=0.3), f(96), f(2, 2, 4, 5, 8)], free=False),
    "MultiHeadAttention_lengths": contrib("y = MS.MultiHeadAttention <num_heads = 4> (a, b, c, , d)",
                                          [f(2, 7, 32), f(2, 9, 32), f(2, 9, 32), words(4, 9)], free=False),
    "MultiHeadAttention": contrib("y = MS.MultiHeadAttention <num_heads = 4> (a, b, c, d)",
                                  [f(2, 7, 32), f(2, 9, 32), f(2, 9, 32), f(96)], free=False),
    "MultiHeadAttention_padding": contrib("y = MS.MultiHeadAttention <num_heads = 4, unidirectional = 1> (a, b, c, , d, e)",
                                          [f(2, 7, 32), f(2, 7, 32), f(2, 7, 32), PADDING,
                                           f(2, 1, 7, 7)], free=False),
    "MultiHeadAttention_past": contrib("y, p, q = MS.MultiHeadAttention <num_heads = 4> (a, b, c, , , , d, e)",
                                       [f(2, 1, 32), f(2, 1, 32), f(2, 1, 32), f(2, 4, 6, 8), f(2, 4, 6, 8)], free=False),
    "GroupQueryAttention_prompt": contrib(f"y, p, q = MS.GroupQueryAttention <{GROUPS}, softcap = 5.0> (a, b, c, , , l, t)",
                                          [f(1, 7, 32), f(1, 7, 16), f(1, 7, 16)], free=False, constants=lengths(7)),
    "GroupQueryAttention_rotary": contrib(
        f"y, p, q = MS.GroupQueryAttention <{GROUPS}, do_rotary = 1> (a, b, c, , , l, t, d, e)",
        [f(2, 7, 64), f(2, 7, 32), f(2, 7, 32), f(20, 8), f(20, 8)], free=False, constants=lengths(7, 7)),
    "GroupQueryAttention_step": contrib(
        f"y, p, q = MS.GroupQueryAttention <{GROUPS}, do_rotary = 1> (a, b, c, d, e, l, t, f, g)",
        [f(2, 1, 64), f(2, 1, 32), f(2, 1, 32), f(2, 2, 9, 16), f(2, 2, 9, 16), f(20, 8), f(20, 8)], free=False, constants=lengths(10, 6)),
    "GroupQueryAttention_packed": contrib(
        f"y, p, q = MS.GroupQueryAttention <{GROUPS}, local_window_size = 4> (a, , , b, c, l, t)",
        [f(1, 1, 64), f(1, 2, 9, 8), f(1, 2, 9, 8)], free=False, constants=lengths(10)),
    "GroupQueryAttention_cache": contrib(
        f"o, y, q = MS.GroupQueryAttention <{GROUPS}> (a, b, c, d, e, l, t)",
        [f(1, 1, 32), f(1, 1, 16), f(1, 1, 16), f(1, 2, 9, 8), f(1, 2, 9, 8)], free=False, constants=lengths(10)),
}
