# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases (see cases.py) of ops whose result shape data tell, and of those that sort."""
import numpy

from cases import f, given, graph, i

K = "<int64[1] k = {%d}>"
ZEROS = {"low": -1, "high": 2}


def top(k, attributes, *inputs, values=True, kind="float", **options):
    outputs = "y, n" if values else "n, y"
    return graph(f"{outputs} = TopK <{attributes}> (a, k)", kind if values else "int64", inputs, constants=K % k, **options)


def rising(*shape):
    """Few different values: most are equal to others."""
    return i(*shape, low=-3, high=3)


CASES = {
    "NonZero": graph("y = NonZero (a)", "int64", [i(5, 7, **ZEROS)]),
    "NonZero_float": graph("z = Round (a) y = NonZero (z)", "int64", [f(4, 3, 5, low=-1.0, high=1.0)]),
    "NonZero_vector": graph("y = NonZero (a)", "int64", [i(70, **ZEROS)]),
    "NonZero_static": graph("y = NonZero (a)", "int64", [i(2, 3, 4, 5, **ZEROS)], free=False),
    "NonZero_none": graph("y = NonZero (a)", "int64", [i(5, 7, low=0, high=1)]),
    "NonZero_all": graph("y = NonZero (a)", "int64", [i(5, 7, low=1, high=2)]),
    "NonZero_empty": graph("y = NonZero (a)", "int64", [i(0, 7)]),
    "NonZero_bool": graph("c = Greater (a, zero) y = NonZero (c)", "int64", [f(9, 11)], constants="<float zero = {0}>"),
    "NonZero_then": graph("n = NonZero (b) t = Transpose <perm = [1, 0]> (n) g = GatherND (a, t) e = Exp (g) y = Concat <axis = 0> (e, g)",
                          "float", [f(5, 7), i(5, 7, **ZEROS)], free=False),
    "Compress": graph("c = Cast <to = 9> (b) y = Compress <axis = 1> (a, c)", "float", [f(3, 5, 2), i(5, low=0, high=2)], free=False),
    "Compress_first": graph("c = Cast <to = 9> (b) y = Compress <axis = 0> (a, c)", "float", [f(7, 3), i(7, low=0, high=2)]),
    "Compress_last": graph("c = Cast <to = 9> (b) y = Compress <axis = -1> (a, c)", "float", [f(3, 9), i(9, low=0, high=2)]),
    "Compress_flat": graph("c = Cast <to = 9> (b) y = Compress (a, c)", "float", [f(3, 5), i(11, low=0, high=2)], free=False),
    "Compress_none": graph("c = Cast <to = 9> (b) y = Compress <axis = 0> (a, c)", "float", [f(7, 3), i(7, low=0, high=1)], free=False),
    "TopK": top(4, "axis = 1", f(3, 17)),
    "TopK_indices": top(4, "axis = -1", f(3, 17), values=False),
    "TopK_smallest": top(5, "largest = 0", f(2, 3, 19)),
    "TopK_smallest_indices": top(5, "largest = 0", rising(4, 19), values=False, kind="int64"),
    "TopK_middle": top(3, "axis = 1", f(2, 9, 4)),
    "TopK_middle_indices": top(3, "axis = 1", rising(2, 9, 4), values=False),
    "TopK_all": top(13, "axis = -1", f(3, 13)),
    "TopK_one": top(1, "axis = -1", f(3, 33)),
    "TopK_none": top(0, "axis = -1", f(3, 13)),
    "TopK_equal": top(30, "axis = -1", rising(2, 40), values=False),
    "TopK_ints": top(6, "axis = -1", i(3, 25, low=-1 << 62, high=1 << 62), kind="int64"),
    "TopK_long": top(100, "axis = -1", f(2, 3000)),
    "TopK_long_indices": top(100, "axis = -1", f(2, 3000), values=False),
    "TopK_blocks": top(20, "axis = -1", f(3, 1000), values=False, free=False),
    "TopK_blocks_smallest": top(70, "axis = -1, largest = 0", f(2, 4099), values=False),
    "TopK_blocks_equal": top(40, "axis = -1", rising(2, 1990), values=False),
    "TopK_blocks_ints": top(9, "axis = -1", i(2, 640, low=-1 << 62, high=1 << 62), values=False),
    "TopK_sort": top(1500, "axis = -1", f(1, 1500), values=False, free=False),
    "TopK_k_given": graph("y, n = TopK (a, b)", "float", [f(4, 21), given(5)], free=False),
    "TopK_k_given_none": graph("n, y = TopK (a, b)", "int64", [f(4, 21), given(0)], free=False),
    "TopK_k_of_shape": graph("s = Shape <start = 0, end = 1> (a) n, y = TopK (a, s)", "int64", [f(4, 21)]),
}
for kind, name in ((numpy.int32, "int32"), (numpy.int8, "int8"), (numpy.uint8, "uint8")):
    if name == "int32":
        CASES[f"TopK_{name}"] = graph("y, n = TopK (a, k)", name, [i(3, 40, low=-99, high=99, kind=kind)], constants=K % 7)

TEXT, INPUTS = graph("t = Transpose <perm = [1, 0]> (a) n, y = TopK (t, b)", "int64", [f(777, 3), given(90)])
CASES["TopK_blocks_free"] = TEXT.replace("int64[b0] b", "int64[1] b"), INPUTS


def boxes(number, count, classes=1, batch=1):
    """Corners in a small area, so that many overlap, and scores."""
    return [f(batch, count, 4, low=0.0, high=4.0), f(batch, classes, count, low=0.0, high=1.0)]


LIMITS = "<int64[1] m = {%d}, float[1] t = {%s}, float[1] s = {%s}>"


def suppress(operands, limits, inputs, attributes="", **options):
    return graph(f"y = NonMaxSuppression {attributes} ({operands})", "int64", inputs, constants=LIMITS % limits, **options)


CASES.update({
    "NonMaxSuppression": suppress("a, b, m, t, s", (10, "0.3", "0.4"), boxes(1, 60), free=False),
    "NonMaxSuppression_classes": suppress("a, b, m, t, s", (3, "0.2", "0.1"), boxes(1, 40, 3, 2), free=False),
    "NonMaxSuppression_no_limit": suppress("a, b, m, t", (1000, "0.5", "0"), boxes(1, 50, 2, 1), free=False),
    "NonMaxSuppression_no_overlap": suppress("a, b, m", (20, "0", "0"), boxes(1, 50), free=False),
    "NonMaxSuppression_none": suppress("a, b", (0, "0", "0"), boxes(1, 50), free=False),
    "NonMaxSuppression_all_low": suppress("a, b, m, t, s", (10, "0.3", "2"), boxes(1, 50), free=False),
    "NonMaxSuppression_center": suppress("a, b, m, t, s", (20, "0.3", "0.1"), boxes(1, 60), "<center_point_box = 1>", free=False),
    "NonMaxSuppression_given": graph("y = NonMaxSuppression (a, b, c, t)", "int64", [*boxes(1, 30), given(4)], free=False, constants=LIMITS % (0, "0.3", "0")),
    "NonMaxSuppression_then": graph("n = NonMaxSuppression (a, b, m, t, s) p = Gather <axis = 1> (n, two) q = Squeeze (a, zero) y = Gather <axis = 0> (q, p)", "float",
                                    boxes(1, 60), free=False, constants="<int64[1] m = {10}, float[1] t = {0.3}, float[1] s = {0.4}, int64 two = {2}, int64[1] zero = {0}>"),
})


def unique(outputs, inputs, attributes="", kind="int64", **options):
    return graph(f"{outputs} = Unique {attributes} (a)", kind, inputs, **options)


for name, outputs in {"values": "y", "firsts": "v, y", "inverse": "v, n, y", "counts": "v, n, j, y"}.items():
    CASES[f"Unique_{name}"] = unique(outputs, [rising(40)])
    CASES[f"Unique_unsorted_{name}"] = unique(outputs, [rising(5, 9)], "<sorted = 0>", free=False)
    CASES[f"Unique_axis_{name}"] = unique(outputs, [i(20, 2, low=0, high=3)], "<axis = 0>")
    CASES[f"Unique_axis_unsorted_{name}"] = unique(outputs, [i(2, 20, low=0, high=3)], "<axis = 1, sorted = 0>")
CASES.update({
    "Unique_float": graph("r = Round (a) y = Unique (r)", "float", [f(30)]),
    "Unique_one": unique("y", [rising(1)]),
    "Unique_all_equal": unique("v, n, j, y", [i(30, low=2, high=3)]),
    "Unique_empty": unique("y", [rising(0)]),
    "Unique_middle": unique("y", [i(2, 12, 2, low=0, high=2)], "<axis = 1>"),
    "OneHot_depth_given": graph("y = OneHot (a, b, v)", "float", [i(4, 3, low=-7, high=7), given(7)], free=False, constants="<float[2] v = {-1, 2}>"),
    "OneHot_values_given": graph("y = OneHot <axis = 0> (a, d, b)", "float", [i(4, 3, low=-7, high=7), f(2)], free=False, constants="<int64 d = {7}>"),
})
