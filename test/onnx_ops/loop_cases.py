# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases (see cases.py) of Loop and Scan."""
from cases import f, given, graph, i


def loop(operands, body, results="y", name="body"):
    """`body`: inputs | outputs | nodes, after the iteration `n` and the condition `go`."""
    inputs, outputs, nodes = body.split("|")
    inputs = ", ".join(text for text in ("int64 n, bool go", inputs.strip()) if text)
    return f"{results} = Loop ({operands}) <body = {name} ({inputs}) => (bool more, {outputs}) {{ {nodes} }}>"


GO = "more = Identity (go)"
NUMBERS = ("<int64 five = {5}, int64 zero = {0}, int64 one = {1}, bool yes = {1}, bool no = {0}, float limit = {100}, float half = {0.5}, int64[1] first = {0}, "
           "int64[1] ones = {1}, float small = {0.01}, int32 big = {1073741824}, int32 two = {2}, int32 nil = {0}, int32 prime = {1103515245}, "
           "int64 hundred = {100}, int64 most = {9223372036854775807}, int64 almost = {9223372036854775806}, int64 least = {-9223372036854775808}>")
SUM = "float[k,l] s | float[k,l] t | " + GO + " t = Add (s, a)"
# Doubles until the sum passes a limit that data decide.
UNTIL = ("float[k,l] s | float[k,l] t | t = Add (s, s) q = ReduceSum <keepdims = 0> (t) m = Abs (q) more = Less (m, limit)")
GROWS = "float[k,l] s | float[k,l] t | " + GO + " t = Concat <axis = 0> (s, a)"
COUNTS = "int64 s | int64 t | " + GO + " t = Add (s, n)"


def one(body, inputs, result="float", **options):
    return graph(body, result, inputs, constants=NUMBERS, **options)


CASES = {
    "Loop": one(loop("five, , a", SUM), [f(3, 5)]),
    "Loop_condition_true": one(loop("five, yes, a", SUM), [f(3, 5)]),
    "Loop_condition_false": one(loop("five, no, a", SUM), [f(3, 5)]),
    "Loop_zero_trips": one(loop("zero, , a", SUM), [f(3, 5)]),
    "Loop_trips_given": one("m = Squeeze (b) " + loop("m, , a", SUM), [f(3, 5), given(4)], free=False),
    "Loop_trips_given_zero": one("m = Squeeze (b) " + loop("m, , a", SUM), [f(3, 5), given(0)], free=False),
    "Loop_trips_given_negative": one("m = Squeeze (b) " + loop("m, , a", SUM), [f(3, 5), given(-2)], free=False),
    "Loop_trips_of_shape": one("h = Shape <end = 1> (a) m = Squeeze (h) " + loop("m, , a", SUM), [f(3, 5)]),
    "Loop_until": one(loop(", , a", UNTIL), [f(3, 5, low=0.5)]),
    "Loop_until_bounded": one(loop("five, , a", UNTIL), [f(3, 5, low=0.001, high=0.002)]),
    # As exported whiles are; these two numbers are keys that a hash table keeps for itself.
    "Loop_until_most": one(loop("most, , a", UNTIL), [f(3, 5, low=0.5)]),
    "Loop_until_almost": one(loop("almost, , zero", "int64 c | int64 d, int64 u | d = Add (c, one) more = Less (d, five) u = Sub (most, d)", "e, y"), [f(3, 5)], "int64"),
    "Loop_below_least": one(loop("five, , zero", "int64 c | int64 d | d = Add (c, one) more = Less (d, least)"), [f(3, 5)], "int64"),
    "Loop_scan_empty_rows": one(loop("five, , a", "float[k,l] s | float[k,l] t, float[0,8] u | " + GO + " t = Add (s, a) r = Concat <axis = 0> (ones, ones) w = ConstantOfShape (r) "
                                     "h = Concat <axis = 1> (w, w, w, w, w, w, w, w) u = Slice (h, first, first)", "e, y"), [f(3, 5)], free=False),
    "Loop_while_never": one("r = ReduceMax <keepdims = 0> (a) c = Greater (r, limit) " + loop(", c, a", UNTIL), [f(3, 5)]),
    "Loop_grows": one(loop("five, , a", GROWS), [f(3, 5)]),
    "Loop_grows_static": one(loop("five, , a", GROWS), [f(3, 5)], free=False),
    "Loop_grows_then": one(loop("five, , a", GROWS, "g") + " y = Exp (g)", [f(3, 5)]),
    "Loop_grows_until": one(loop(", , a", "float[k,l] s | float[k,l] t | t = Concat <axis = 0> (s, s) z = Size (t) zf = Cast <to = 1> (z) "
                                 "more = Less (zf, limit)"), [f(3, 5)]),
    "Loop_grows_until_data": one(loop(", , a", "float[k,l] s | float[k,l] t | t = Concat <axis = 0> (s, s) q = ReduceSum <keepdims = 0> (t) "
                                      "more = Less (q, limit)"), [f(3, 5, low=0.5)]),
    "Loop_counts": one(loop("five, , zero", COUNTS), [f(3, 5)], "int64"),
    "Loop_counter_picks": one(loop("five, , a, zero", "float[k,l] s, int64 c | float[k,l] t, int64 d | " + GO +
                                   " g = Gather (b, c) t = Add (s, g) d = Add (c, one)", "y, e"), [f(3, 5), f(7, 5)]),
    "Loop_shrinks": one(loop("one, , a", "float[k,l] s | float[k,l] t | " + GO + " h = Shape <end = 1> (s) e = Sub (h, ones) "
                             "t = Slice (s, first, e, first)"), [f(6, 5)]),
    # What no iteration changes, between what does: v as it is, w by way of two nodes.
    "Loop_unchanged": one(loop("five, , a, b, b", "float[k,l] w, float[k,l] s, float[k,l] v | float[k,l] x, float[k,l] t, float[k,l] v | " + GO +
                               " i = Identity (w) x = Identity (i) h = Add (s, w) t = Mul (h, v)", "d, e, g") + " h = Add (d, e) y = Add (g, h)", [f(3, 5), f(3, 5)]),
    "Loop_unchanged_all": one(loop("five, , a", "float[k,l] w | float[k,l] w, float[k,l] u | " + GO + " u = Exp (w)", "d, e") +
                              " g = ReduceSum <keepdims = 0> (e, first) y = Add (d, g)", [f(3, 5)]),
    "Loop_unchanged_zero_trips": one(loop("zero, , a, b", "float[k,l] w, float[k,l] s | float[k,l] w, float[k,l] t | " + GO + " t = Add (s, w)", "d, e") +
                                     " y = Mul (d, e)", [f(3, 5), f(3, 5)]),
    "Loop_unchanged_until": one(loop(", , small, a", "float w, float[k,l] s | float w, float[k,l] t | d = Add (s, s) t = Add (d, w) q = ReduceSum <keepdims = 0> (t) "
                                     "m = Abs (q) more = Less (m, limit)", "d, e") + " y = Add (d, e)", [f(3, 5, low=0.5)]),
    "Loop_unchanged_inside": one(loop("five, , a, b", "float[k,l] w, float[k,l] s | float[k,l] x, float[k,l] t | " + GO + " " +
                                      loop("n, , s, w", "float[k,l] p, float[k,l] v | float[k,l] q, float[k,l] v | " + GO + " q = Add (p, v)", "t, x", "inner")
                                      .replace("int64 n, bool go", "int64 j, bool going").replace("bool more,", "bool further,")
                                      .replace("more = Identity (go) q", "further = Identity (going) q"),
                                      "d, e") + " y = Mul (d, e)", [f(3, 5), f(3, 5)]),
    # Not the same: what comes back has changed places, or is another's.
    "Loop_swaps": one(loop("five, , a, b", "float[k,l] v, float[k,l] w | float[k,l] w, float[k,l] v | " + GO + " i = Identity (v)", "d, e") + " y = Sub (d, e)",
                      [f(3, 5), f(3, 5)]),
    "Loop_scan": one(loop("five, , a", "float[k,l] s | float[k,l] t, float[k,l] u | " + GO + " t = Add (s, a) u = Mul (t, half)",
                          "e, y"), [f(3, 5)]),
    "Loop_scan_zero": one(loop("zero, , a", "float[k,l] s | float[k,l] t, float[3,5] u | " + GO + " t = Add (s, a) u = Neg (t)", "e, y"), [f(3, 5)], free=False),
    "Loop_scan_only": one(loop("five, yes", "| float u | " + GO + " u = Cast <to = 1> (n)"), [f(3, 5)]),
    "Loop_scan_given": one("m = Squeeze (b) " + loop("m, , a", "float[k,l] s | float[k,l] t, float[l] u | " + GO +
                                                     " t = Add (s, a) u = ReduceSum <keepdims = 0> (t, first)", "e, y"), [f(3, 5), given(6)], free=False),
    "Loop_scan_until": one(loop(", , a", "float[k,l] s | float[k,l] t, float[k,l] u | t = Add (s, s) q = ReduceSum <keepdims = 0> (t) "
                                "more = Less (q, limit) u = Neg (t)", "e, y"), [f(3, 5, low=0.01, high=0.02)]),
    "Loop_scan_until_many": one(loop(", , a", "float[k,l] s | float[k,l] t, float[k,l] u, float w | t = Add (s, small) q = ReduceMax <keepdims = 0> (t) "
                                     "more = Less (q, half) u = Neg (t) w = Identity (q)", "e, y, g"), [f(3, 5, low=0.0, high=0.1)]),
    "Loop_scan_until_bounded": one(loop("hundred, , a", "float[k,l] s | float[k,l] t, float[k,l] u | t = Add (s, small) q = ReduceMax <keepdims = 0> (t) "
                                        "more = Less (q, limit) u = Neg (t)", "e, y"), [f(3, 5)]),
    "Loop_scan_until_never": one("r = ReduceMax <keepdims = 0> (a) c = Greater (r, limit) " +
                                 loop(", c, a", "float[k,l] s | float[k,l] t, float[3,5] u | t = Add (s, s) q = ReduceSum <keepdims = 0> (t) "
                                      "more = Less (q, limit) u = Neg (t)", "e, y"), [f(3, 5)], free=False),
    "Loop_captures_weight": one(loop("five, , a", "float[k,l] s | float[k,l] t | " + GO + " p = MatMul (s, b) t = Tanh (p)"), [f(3, 5), f(5, 5)], free=False),
    "Loop_swaps": one(loop("five, , a, b", "float[k,l] s, float[k,l] r | float[k,l] t, float[k,l] u | " + GO + " t = Identity (r) u = Identity (s)",
                           "e, y"), [f(3, 5), f(3, 5)], free=False),
    "Loop_int32_wraps": one(loop("one, , big", "int32 s | int32 t | " + GO + " d = Add (s, s) t = Div (d, two)"), [f(3, 5)], "int32"),
    "Loop_int32_wraps_negative": one(loop("five, , big", "int32 s | int32 t, bool u | " + GO + " t = Add (s, two) d = Mul (t, two) u = Less (d, nil)", "e, y"),
                                     [f(3, 5)], "bool"),
    "Loop_int32_hash": one(loop("five, , nil", "int32 s | int32 t, int32 u | " + GO + " c = Cast <to = 6> (n) h = Mul (c, prime) d = Add (s, h) "
                                "m = Neg (d) t = Max (d, m) u = Sub (t, big)", "e, y"), [f(3, 5)], "int32"),
    "Loop_int64_fibonacci": one(loop("hundred, , zero, one", "int64 s, int64 r | int64 t, int64 u, bool v | " + GO +
                                     " t = Identity (r) u = Add (s, r) v = Less (u, zero)", "e, g, y"), [f(3, 5)], "bool"),
    "Loop_int64_cast_wraps": one(loop("hundred, , one", "int64 s | int64 t, int32 u | " + GO + " t = Add (s, s) u = Cast <to = 6> (t)", "e, y"),
                                 [f(3, 5)], "int32"),
    "Loop_nested": one(loop("five, , a", "float[k,l] s | float[k,l] t | " + GO + " " +
                            loop("n, , s", "float[k,l] p | float[k,l] q | " + GO + " w = Mul (p, half) q = Add (w, a)", "t", "inner")
                            .replace("int64 n, bool go", "int64 j, bool going").replace("bool more,", "bool further,")
                            .replace("more = Identity (go) w", "further = Identity (going) w")), [f(3, 5)]),
    "Loop_if": one(loop("five, , a", "float[k,l] s | float[k,l] t | " + GO + " q = ReduceSum <keepdims = 0> (s) c = Less (q, limit) "
                        "t = If (c) <then_branch = t0 () => (float[k,l] u) { u = Add (s, a) }, else_branch = e0 () => (float[k,l] v) { v = Mul (s, half) }>"),
                   [f(3, 5)]),
    "Loop_if_of_iteration": one(loop("five, , a", "float[k,l] s | float[k,l] t | " + GO + " c = Equal (n, one) "
                                     "t = If (c) <then_branch = t0 () => (float[k,l] u) { u = Add (s, a) }, "
                                     "else_branch = e0 () => (float[k,l] v) { v = Mul (s, half) }>"), [f(3, 5)]),
}


def scan(operands, attributes, inputs, outputs, nodes, results="y", opset=17):
    return f"{results} = Scan <{attributes}, body = body ({inputs}) => ({outputs}) {{ {nodes} }}> ({operands})"


STEP = ("float[l] s, float[l] x", "float[l] t, float[l] u", "t = Add (s, x) u = Mul (t, t)")
CASES.update({
    "Scan": one(scan("a, b", "num_scan_inputs = 1", *STEP, "e, y"), [f(5), f(7, 5)], free=False),
    "Scan_unchanged": one(scan("a, a, b", "num_scan_inputs = 1", "float[l] w, float[l] s, float[l] x", "float[l] v, float[l] t, float[l] u",
                               "v = Identity (w) t = Add (s, x) u = Mul (t, v)", "d, e, h") + " g = Add (d, e) y = Add (g, h)", [f(5), f(7, 5)], free=False),
    "Scan_state": one(scan("a, b", "num_scan_inputs = 1", *STEP, "y, e"), [f(5), f(7, 5)], free=False),
    "Scan_free": one(scan("a, b", "num_scan_inputs = 1", *STEP, "e, y"), [f(5), f(7, 5)]),
    "Scan_backward": one(scan("a, b", "num_scan_inputs = 1, scan_input_directions = [1]", *STEP, "e, y"), [f(5), f(7, 5)], free=False),
    "Scan_output_backward": one(scan("a, b", "num_scan_inputs = 1, scan_output_directions = [1]", *STEP, "e, y"), [f(5), f(7, 5)], free=False),
    "Scan_axes": one(scan("a, b", "num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [1]", *STEP, "e, y"), [f(5), f(5, 7)], free=False),
    "Scan_two": one(scan("a, b, c", "num_scan_inputs = 2", "float[l] s, float[l] x, float z", "float[l] t, float[l] u",
                         "m = Mul (x, z) t = Add (s, m) u = Neg (t)", "e, y"), [f(5), f(7, 5), f(7)], free=False),
    "Scan_only": one(scan("a", "num_scan_inputs = 1", "float[l] x", "float[l] u", "u = Exp (x)"), [f(7, 5)]),
})
