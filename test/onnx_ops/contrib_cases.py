# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases (see cases.py) of what ONNX Runtime's optimisers, quantisers and model builder write in its domain com.microsoft."""
import numpy

from attention_cases import GROUPS, contrib, words
from cases import f

PROJECTION = [f(2, 4, 13), f(13, 96, low=-0.3, high=0.3), f(96)]


def attention(mask, attributes="num_heads = 4", past=(), **keywords):
    """Attention of two sentences of 4 tokens with a mask; `past`: of 2 tokens."""
    return contrib(f"y, p = MS.Attention <{attributes}> (a, b, c, d{', e' * len(past)})", [*PROJECTION, mask, *past], free=False, **keywords)


def group_query(extra="", more=(), batch=2, new=1, past=5, total=6, lasts=(5, 5), names="f, g", outputs="y, p, q"):
    """GroupQueryAttention whose lengths are arguments; `more` are its last inputs, from the attention bias on."""
    operands = [f(batch, new, 64), f(batch, new, 32), f(batch, new, 32)]
    caches = [f(batch, 2, past, 16)] * 2 if past else []
    given = (numpy.int32, (batch,), lasts[:batch], None), (numpy.int32, (), total, None)
    letters = iter("abcdefghijklm")
    first = ", ".join(next(letters) for _ in operands)
    held = ", ".join(next(letters) for _ in caches) or ", "
    counts = ", ".join(next(letters) for _ in given)
    last = ", ".join(next(letters) if operand else "" for operand in more)
    tail = f", , , , {last}" if more else ""
    return contrib(f"{outputs} = MS.GroupQueryAttention <{GROUPS}{extra}> ({first}, {held}, {counts}{tail})",
                   [*operands, *caches, *given, *[operand for operand in more if operand]], free=False)


SINK = f(4, low=-2.0, high=2.0)
CASES = {
    "FusedMatMul_batch_of_a": contrib("y = MS.FusedMatMul <transBatchA = 1, transB = 1, alpha = 0.5> (a, b)", [f(4, 2, 3), f(2, 5, 3)], free=False),
    "FusedMatMul_batch_of_both": contrib("y = MS.FusedMatMul <transBatchA = 1, transBatchB = 1, transA = 1> (a, b)",
                                         [f(4, 2, 6, 3), f(4, 2, 6, 5)], free=False),
    "FusedMatMul_batch_free": contrib("y = MS.FusedMatMul <transBatchB = 1, transB = 1> (a, b)", [f(2, 6, 4), f(5, 2, 4)]),
    "Attention_contrib_begins": attention(words(3, 4, 1, 0)),
    "Attention_contrib_begins_past": attention(words(5, 6, 2, 0), past=[f(2, 2, 4, 2, 8)]),
    "Attention_contrib_begins_causal": attention(words(3, 4, 1, 0), "num_heads = 4, unidirectional = 1, mask_filter_value = -5.0"),
    "Attention_contrib_packed_offsets": attention(words(3, 4, 0, 4, 8, 0, 3, 7)),
    "Attention_contrib_negative_mask": attention((numpy.int32, (2, 4), ((1, -3, 0, 1), (1, 5, 2, 1)), None)),
    "MultiHeadAttention_packed_offsets": contrib("y = MS.MultiHeadAttention <num_heads = 4> (a, b, c, , d)",
                                                 [f(2, 7, 32), f(2, 9, 32), f(2, 9, 32), words(4, 9, 0, 7, 14, 0, 4, 13)], free=False),
    "GroupQueryAttention_bias": group_query(more=[f(1, 1, 1, 6)]),
    "GroupQueryAttention_bias_of_heads": group_query(more=[f(2, 4, 1, 6)], lasts=(5, 3)),
    "GroupQueryAttention_bias_long_cache": group_query(more=[f(2, 1, 1, 6)], past=9, lasts=(5, 3)),
    "GroupQueryAttention_bias_prompt": group_query(more=[f(1, 4, 6, 6)], new=6, past=0, extra=", softcap = 3.0, local_window_size = 3"),
    "GroupQueryAttention_bias_rows": group_query(more=[f(1, 1, 3, 8)], batch=1, new=3, total=8, lasts=(7,)),
    "GroupQueryAttention_sink": group_query(more=[None, SINK]),
    "GroupQueryAttention_sink_prompt": group_query(more=[None, SINK], new=6, past=0, extra=", local_window_size = 3"),
    "GroupQueryAttention_sink_bias": group_query(more=[f(1, 1, 3, 8), SINK], batch=1, new=3, total=8, lasts=(7,), extra=", softcap = 2.0"),
    "GroupQueryAttention_sink_long_prompt": group_query(more=[None, SINK], batch=1, new=300, total=300, past=0, lasts=(299,)),
    "GroupQueryAttention_sink_huge": group_query(more=[None, f(4, low=200.0, high=300.0)]),
    "GroupQueryAttention_sink_low": group_query(more=[None, f(4, low=-3e38, high=-1e38)]),
    "GroupQueryAttention_smooth": group_query(", smooth_softmax = 1"),
    "GroupQueryAttention_smooth_prompt": group_query(", smooth_softmax = 1", new=6, past=0),
    "GroupQueryAttention_both_ways": group_query(", causal = 0", new=6, past=0),
    "GroupQueryAttention_both_ways_ragged": group_query(", causal = 0", new=6, past=0, lasts=(3, 5)),
}
