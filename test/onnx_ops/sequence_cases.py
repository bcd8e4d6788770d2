# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases (see cases.py) of sequences, optional values, and of values that are not known to be lists of fixed length."""
from cases import f, given, graph
from loop_cases import GO, loop

C = ("<int64 nil = {0}, int64 one = {1}, int64 two = {2}, int64 three = {3}, int64 last = {-1}, int64 before = {-2}, int64[1] zero = {0}, int64[1] ones = {1}, "
     "int64[2] parts = {2, 4}, int64[3] uneven = {1, 4, 1}, int64 five = {5}, int64[1] all = {-1}, float limit = {100}>")


def one(body, inputs, result="float", **options):
    return graph(body, result, inputs, constants=C, **options)


def beside(case):
    """With a list `b` of known length beside an operand of free size."""
    text, inputs = case
    return text.replace("int64[b0] b", f"int64[{inputs[1][1][0]}] b"), inputs


MAKE = "s = SequenceConstruct (a, b, c) "
APPEND = "seq(float) q | seq(float) p | " + GO + " "
# Bags of rows as PyTorch's exporter writes them: of `a` from b[n] to b[n + 1].
BAG = ("m = Add (n, one) lo = Gather (b, n) hi = Gather (b, m) from = Unsqueeze (lo, zero) to = Unsqueeze (hi, zero) "
       "bag = Slice (a, from, to, zero) r = {} <keepdims = 1> (bag, zero) p = SequenceInsert (q, r)")
JOIN = " y = ConcatFromSequence <axis = 0> (s)"
EMPTY = "e = SequenceEmpty () "



def mapped(operands, body, results="o"):
    """`body`: inputs | outputs | nodes."""
    inputs, outputs, nodes = body.split("|")
    return f"{results} = SequenceMap ({operands}) <body = m ({inputs}) => ({outputs}) {{ {nodes} }}> "


CASES = {
    "SequenceAt_first": one(MAKE + "y = SequenceAt (s, nil)", [f(2, 3), f(4, 3), f(3)], free=False),
    "SequenceAt_last": one(MAKE + "y = SequenceAt (s, last)", [f(2, 3), f(4, 3), f(3)]),
    "SequenceAt_call": one(MAKE + "k = Squeeze (d) y = SequenceAt (s, k)", [f(2, 3), f(2, 3), f(2, 3), given(1)], free=False),
    "SequenceAt_call_from_end": one(MAKE + "k = Squeeze (d) y = SequenceAt (s, k)", [f(2, 3), f(2, 3), f(2, 3), given(-3)], free=False),
    "SequenceLength": one(MAKE + "y = SequenceLength (s)", [f(2, 3), f(4, 3), f(3)], "int64"),
    "SequenceLength_empty": one(EMPTY + "y = SequenceLength (e)", [f(2)], "int64"),
    "SequenceInsert_middle": one(MAKE + "t = SequenceInsert (s, d, one) y = ConcatFromSequence <axis = 0> (t)", [f(2, 3), f(4, 3), f(1, 3), f(5, 3)]),
    "SequenceInsert_from_end": one(MAKE + "t = SequenceInsert (s, d, last) y = ConcatFromSequence <axis = 0> (t)", [f(2, 3), f(4, 3), f(1, 3), f(5, 3)]),
    "SequenceInsert_end": one(MAKE + "t = SequenceInsert (s, d, three) y = ConcatFromSequence <axis = 0> (t)", [f(2, 3), f(4, 3), f(1, 3), f(5, 3)]),
    "SequenceErase_last": one(MAKE + "t = SequenceErase (s) y = ConcatFromSequence <axis = 0> (t)", [f(2, 3), f(4, 3), f(1, 3)]),
    "SequenceErase_middle": one(MAKE + "t = SequenceErase (s, before) y = ConcatFromSequence <axis = 0> (t)", [f(2, 3), f(4, 3), f(1, 3)]),
    "ConcatFromSequence_axis": one(MAKE + "y = ConcatFromSequence <axis = -1> (s)", [f(2, 3), f(2, 4), f(2, 1)], free=False),
    "ConcatFromSequence_new": one(MAKE + "y = ConcatFromSequence <axis = 1, new_axis = 1> (s)", [f(2, 3), f(2, 3), f(2, 3)], free=False),
    "ConcatFromSequence_new_last": one(MAKE + "y = ConcatFromSequence <axis = -1, new_axis = 1> (s)", [f(2, 3), f(2, 3), f(2, 3)], free=False),
    "ConcatFromSequence_shapes": one("k = Shape (a) l = Shape (b) s = SequenceConstruct (k, l) j = ConcatFromSequence <axis = 0> (s) e = Expand (c, j) y = Neg (e)",
                                     [f(2), f(3), f(1, 1)], free=False),
    "SplitToSequence_list": one("s = SplitToSequence <axis = 1> (a, parts) y = SequenceAt (s, one)", [f(3, 6)]),
    "SplitToSequence_list_given": beside(one("s = SplitToSequence <axis = 0> (a, b) y = SequenceAt (s, one)", [f(6, 3), given(1, 3, 2)])),
    "SplitToSequence_chunks": one("s = SplitToSequence <axis = 1> (a, two) y = SequenceAt (s, last)", [f(3, 5)]),
    "SplitToSequence_chunks_joined": one("s = SplitToSequence <axis = -1> (a, two) t = SequenceErase (s, nil) y = ConcatFromSequence <axis = 1> (t)", [f(3, 5)]),
    "SplitToSequence_ones": one("s = SplitToSequence <axis = 1> (a) y = ConcatFromSequence <axis = 0> (s)", [f(3, 5)]),
    "SplitToSequence_dropped": one("s = SplitToSequence <axis = 1, keepdims = 0> (a) y = SequenceAt (s, two)", [f(3, 5)]),
    "SplitToSequence_free": beside(one("s = SplitToSequence <axis = 0> (a) k = Squeeze (b) y = SequenceAt (s, k)", [f(7, 5), given(5)])),
    "SplitToSequence_free_dropped": one("s = SplitToSequence <keepdims = 0> (a) y = ConcatFromSequence <axis = 1, new_axis = 1> (s)", [f(7, 5)]),
    "SplitToSequence_free_by_one": one("s = SplitToSequence (a, one) y = ConcatFromSequence <axis = 1> (s)", [f(7, 5)]),
    "SplitToSequence_free_chunks": one("s = SplitToSequence (a, two) y = ConcatFromSequence <axis = 1> (s)", [f(6, 3)]),
    "SplitToSequence_free_chunks_new": one("s = SplitToSequence <axis = 0> (a, two) y = ConcatFromSequence <axis = 1, new_axis = 1> (s)", [f(8, 5)]),
    "SplitToSequence_free_chunks_call": beside(one("s = SplitToSequence <axis = 0> (a, two) k = Squeeze (b) y = SequenceAt (s, k)", [f(8, 5), given(3)])),
    "SplitToSequence_many_chunks": one("s = SplitToSequence <axis = 1> (a, two) y = SequenceAt (s, last)", [f(3, 400)], free=False),
    "SplitToSequence_many": one("s = SplitToSequence <keepdims = 0> (a) y = SequenceAt (s, last)", [f(200, 5)], free=False),
    "SplitToSequence_contents": one("h = Shape (a) s = SplitToSequence <keepdims = 0> (h) k = SequenceAt (s, one) l = Unsqueeze (k, zero) y = Expand (b, l)", [f(3, 5), f(1)], free=False),
    "Loop_appends": one(EMPTY + loop("five, , e", APPEND + "x = Cast <to = 1> (n) r = Mul (a, x) p = SequenceInsert (q, r)", "s") + JOIN, [f(3, 4)]),
    "Loop_appends_trips_given": one(EMPTY + "m = Squeeze (b) " + loop("m, , e", APPEND + "x = Cast <to = 1> (n) r = Mul (a, x) p = SequenceInsert (q, r)", "s")
                                    + " y = ConcatFromSequence <axis = 1, new_axis = 1> (s)", [f(3, 4), given(6)], free=False),
    "Loop_appends_axis": one(EMPTY + loop("five, , e", APPEND + "x = Cast <to = 1> (n) r = Mul (a, x) p = SequenceInsert (q, r)", "s") +
                             " y = ConcatFromSequence <axis = 1> (s)", [f(3, 4)]),
    "Loop_appends_twice": one(EMPTY + loop("five, , e", APPEND + "x = Cast <to = 1> (n) r = Mul (a, x) o = SequenceInsert (q, r) p = SequenceInsert (o, a)", "s") + JOIN, [f(3, 4)]),
    "Loop_appends_behind": one("e = SequenceConstruct (b) " + loop("five, , e", APPEND + "x = Cast <to = 1> (n) r = Mul (a, x) p = SequenceInsert (q, r)", "t") +
                               " s = SequenceInsert (t, b)" + JOIN, [f(3, 4), f(2, 4)]),
    "Loop_appends_at": one(EMPTY + loop("five, , e", APPEND + "x = Cast <to = 1> (n) r = Mul (a, x) p = SequenceInsert (q, r)", "s") + " y = SequenceAt (s, before)", [f(3, 4)]),
    "Loop_appends_until": one(EMPTY + loop(", , a, e", "float[k,l] s, seq(float) q | float[k,l] t, seq(float) p | t = Add (s, s) r = ReduceSum <keepdims = 0> (t) "
                                           "more = Less (r, limit) p = SequenceInsert (q, t)", "z, s") + JOIN, [f(3, 5, low=0.5)]),
    "Loop_appends_state_and_scan": one(EMPTY + loop("five, , a, e", "float[k,l] s, seq(float) q | float[k,l] t, seq(float) p, float[k,l] u | " + GO +
                                                    " t = Add (s, a) u = Neg (t) p = SequenceInsert (q, t)", "z, s, w") +
                                       " j = ConcatFromSequence <axis = 0, new_axis = 1> (s) v = Add (j, w) y = Add (v, z)", [f(3, 4)]),
    "Loop_appends_nested": one(EMPTY + loop("two, , e", APPEND + loop("three, , q", "seq(float) u | seq(float) v | " + GO + " r = Neg (a) v = SequenceInsert (u, r)", "p", name="inner")
                                 .replace("more", "most"), "s") + JOIN, [f(3, 4)]),
    "Loop_reads_a_sequence": one("s = SequenceConstruct (a, b, c) " + loop("three, , a", "float[k,l] t | float[k,l] u | " + GO + " x = SequenceAt (s, n) u = Add (t, x)"), [f(2, 3), f(2, 3), f(2, 3)], free=False),
    "Loop_carries_a_sequence": one("s = SequenceConstruct (a, b, c) " + loop("three, , a, s", "float[k,l] t, seq(float) q | float[k,l] u, seq(float) p | " + GO +
                                   " x = SequenceAt (q, n) u = Add (t, x) p = Identity (q)", "y, o"), [f(2, 3), f(2, 3), f(2, 3)], free=False),
    "Loop_over_rows": one("s = SplitToSequence <keepdims = 0> (a) m = SequenceLength (s) " + EMPTY +
                          loop("m, , e", APPEND + "x = SequenceAt (s, n) r = Neg (x) p = SequenceInsert (q, r)", "t") + " y = ConcatFromSequence <axis = 0, new_axis = 1> (t)", [f(6, 4)]),
    "EmbeddingBag": one(EMPTY + loop("three, , e", APPEND + BAG.format("ReduceSum"), "s") + JOIN, [f(7, 4), given(0, 3, 3, 7)]),
    "EmbeddingBag_mean": one(EMPTY + "h = Shape (b) l = Sub (h, ones) bags = Squeeze (l) " +
                             loop("bags, , e", APPEND + BAG.format("ReduceMean").replace("<keepdims = 1> (bag, zero)", "<axes = [0], keepdims = 1> (bag)"), "s") + JOIN, [f(9, 4), given(0, 3, 4, 9)]),
    "EmbeddingBag_mean_of_none": one(EMPTY + "h = Shape (b) l = Sub (h, ones) bags = Squeeze (l) " +
                             loop("bags, , e", APPEND + BAG.format("ReduceMean").replace("<keepdims = 1> (bag, zero)", "<axes = [0], keepdims = 1> (bag)"), "s") + JOIN, [f(9, 4), given(0, 3, 3, 9)]),
    "Slice_bounds_of_unknown_length": one("k = NonZero (b) h = Squeeze (k, zero) e = Add (h, ones) y = Slice (a, h, e, zero)", [f(6, 4), given(0, 0, 1, 0)], free=False),
    "Slice_axes_of_unknown_length": one("k = NonZero (b) h = Squeeze (k, zero) y = Slice (a, ones, all, h)", [f(3, 4, 5), given(0, 1, 0)], free=False),
    "Slice_list_by_data": one("k = Unsqueeze (b, zero) h = Squeeze (k, zero) e = Add (h, ones) y = Slice (a, h, e)", [f(6), given(3)], free=False),
    "Squeeze_beside_free": one("t = Unsqueeze (a, ones) y = Squeeze (t)", [f(3, 4)]),
    "Squeeze_beside_free_13": one("t = Unsqueeze <axes = [1, 3]> (a) y = Squeeze (t)", [f(3, 4)], opset=11),
    "Flatten_scalar": one("r = ReduceSum <keepdims = 0> (a) y = Flatten <axis = 0> (r)", [f(3, 4)]),
    "OptionalHasElement": one("y = OptionalHasElement (a)", [f(3, 4)], "bool", opset=18),
    "OptionalGetElement": one("o = Optional (a) x = OptionalGetElement (o) y = Neg (x)", [f(3, 4)], opset=18),
    "Optional_decides": one("o = Optional (a) h = OptionalHasElement (o) y = If (h) <then_branch = t () => (float[k,l] u) { x = OptionalGetElement (o) u = Neg (x) }, "
                            "else_branch = e () => (float[k,l] v) { v = Exp (a) }>", [f(3, 4)], opset=18),
    "SequenceMap": one(MAKE + mapped("s, s", "float[k,l] u, float[k,l] v | float[k,l] t | w = Relu (u) t = Add (w, v)") + JOIN.replace("(s)", "(o)"), [f(2, 3), f(4, 3), f(1, 3)], opset=18),
    "SequenceMap_with_a_tensor": one(MAKE + mapped("s, d", "float[k,l] u, float[l] v | float[k,l] t, float[k,l] x | t = Add (u, v) x = Neg (a)", "o, p") +
                                     " y = SequenceAt (o, two)", [f(2, 3), f(4, 3), f(1, 3), f(3)], opset=18, free=False),
    "SequenceMap_two_results": one(MAKE + mapped("s", "float[k,l] u | float[k,l] t, int64[r] h | t = Mul (u, u) h = Shape (u)", "o, p") +
                                   " h = SequenceAt (p, one) g = SequenceAt (o, one) w = Cast <to = 1> (h) m = ReduceSum (w) y = Mul (g, m)", [f(2, 3), f(4, 3), f(1, 3)], opset=18),
    "SequenceMap_rows": one("s = SplitToSequence <keepdims = 0> (a) " + mapped("s, b", "float[k] u, float[k] v | float[k] t | t = Sub (u, v)") +
                            " y = ConcatFromSequence <axis = 0, new_axis = 1> (o)", [f(7, 5), f(5)], opset=18),
    "SequenceMap_rows_of_two": one("s = SplitToSequence (a, one) r = SplitToSequence (b, one) " +
                                   mapped("s, r", "float[j,k] u, float[j,k] v | float[j,k] t | n = Exp (u) t = Sub (n, v)") + JOIN.replace("(s)", "(o)"), [f(7, 5), f(7, 5)], opset=18),
    "SequenceMap_with_If": one(MAKE + mapped("s", "float[k,l] u | float[k,l] t | r = ReduceSum <keepdims = 0> (u) g = Greater (r, limit) t = If (g) "
                                             "<then_branch = i () => (float[k,l] p) { p = Neg (u) }, else_branch = j () => (float[k,l] q) { q = Exp (u) }>") +
                               JOIN.replace("(s)", "(o)"), [f(2, 3), f(4, 3), f(1, 3)], opset=18),
    "Identity_of_a_sequence": one(MAKE + "t = Identity (s) y = SequenceAt (t, one)", [f(2, 3), f(4, 3), f(3)]),
}
