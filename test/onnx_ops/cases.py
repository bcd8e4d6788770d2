# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small ONNX models, a few nodes each, and inputs for them. One line a case: name, text of the graph, shapes of the inputs.

The text is in the language of onnx.parser; `$` stands for `<ir_version: 8, opset_import: ["" : 17]>`. Inputs are random,
within a range that suits the op; sizes differ from case to case so that no two dimensions are mistaken for each other.
"""
import numpy

NAMES = "abcdefghijklmnop"  # of the inputs
RANGES = {numpy.float32: (-4.0, 4.0), numpy.int64: (-9, 9), numpy.int32: (-9, 9), numpy.bool_: (0, 2)}


def f(*shape, low=-4.0, high=4.0):
    return (numpy.float32, shape, low, high)


def i(*shape, low=-9, high=9, kind=numpy.int64):
    return (kind, shape, low, high)


# Integers that are an input and the same in every run: shapes, axes, paddings that only the call knows.
def given(*values):
    return (numpy.int64, (len(values),), values, None)


def b(*shape):
    return (numpy.bool_, shape, 0, 2)


def array(specification, generator):
    kind, shape, low, high = specification
    if high is None:
        return numpy.array(low, kind)
    if kind is numpy.float32:
        return generator.uniform(low, high, shape).astype(numpy.float32)
    return generator.integers(low, high, shape).astype(kind)


# Of queries, keys and values [batch, length, heads, depth] and a mask.
ATTENTION = """q = Transpose <perm = [0, 2, 1, 3]> (a) k = Transpose <perm = [0, 2, 3, 1]> (b) v = Transpose <perm = [0, 2, 1, 3]> (c)
    s = MatMul (q, k) m = Add (s, d) w = Softmax (m) p = MatMul (w, v) y = Transpose <perm = [0, 2, 1, 3]> (p)"""

UNARY = {
    "Abs": f(3, 5), "Neg": f(3, 5), "Sign": f(3, 5), "Relu": f(3, 5), "Reciprocal": f(3, 5, low=0.5), "Erf": f(3, 5),
    "Sqrt": f(3, 5, low=0.0), "Exp": f(3, 5), "Log": f(3, 5, low=0.1), "Tanh": f(3, 5), "Sin": f(3, 5), "Cos": f(3, 5),
    "Floor": f(3, 5), "Ceil": f(3, 5), "Round": f(3, 5), "Sigmoid": f(3, 5), "Softplus": f(3, 5), "Softsign": f(3, 5),
    "HardSwish": f(3, 5), "HardSigmoid": f(3, 5), "LeakyRelu": f(3, 5), "Elu": f(3, 5), "Selu": f(3, 5), "Celu": f(3, 5),
    "Softmax": f(3, 5), "LogSoftmax": f(3, 5), "Identity": f(3, 5), "Flatten": f(3, 5, 2), "GlobalAveragePool": f(2, 3, 4, 5),
    "GlobalMaxPool": f(2, 3, 4, 5), "ArgMax": i(5, 7), "ArgMin": f(5, 7), "ReduceSum": f(3, 4, 5), "ReduceMax": f(3, 4, 5),
    "ReduceMin": f(3, 4, 5), "ReduceMean": f(3, 4, 5), "ReduceProd": f(2, 3), "ReduceL1": f(3, 4), "ReduceL2": f(3, 4),
    "ReduceSumSquare": f(3, 4), "ReduceLogSumExp": f(3, 4), "ReduceLogSum": f(3, 4, low=0.1), "Trilu": f(4, 5),
}
BINARY = {"Add": f, "Sub": f, "Mul": f, "Div": f, "Max": f, "Min": f, "Equal": i, "Less": f, "Greater": f,
          "LessOrEqual": f, "GreaterOrEqual": f, "And": b, "Or": b, "Xor": b}
ELEMENT = {numpy.float32: "float", numpy.int64: "int64", numpy.int32: "int32", numpy.int8: "int8", numpy.uint8: "uint8", numpy.bool_: "bool"}


def signature(specifications, free):
    """`float[a0,5] a, …`: the first dimension is free where `free` says so."""
    parts = []
    for n, (kind, shape, *_) in enumerate(specifications):
        dims = [f"{NAMES[n]}0" if free and d == 0 else str(size) for d, size in enumerate(shape)]
        parts.append(f"{ELEMENT[kind]}{'[' + ','.join(dims) + ']' if dims else ''} {NAMES[n]}")
    return ", ".join(parts)


def graph(body, result, specifications, free=True, opset=17, constants=""):
    head = f'<ir_version: 8, opset_import: ["" : {opset}]> g ({signature(specifications, free)}) => ({result} y) {constants}'
    return f"{head} {{ {body} }}", specifications


# Two quantised operands x and w, made of the inputs.
SCALES = "<float s = {0.031}, uint8 z = {127}, float sw = {0.04}, int8 zw = {0}, float big = {0.3}, uint8 zero = {101}>"
QUANTIZED = ("q = QuantizeLinear (a, s, z) x = DequantizeLinear (q, s, z) qw = QuantizeLinear (b, sw, zw) "
             "w = DequantizeLinear (qw, sw, zw) ")



def quantized(body, specifications, result="uint8"):
    """ONNX Runtime rounds sums of scaled steps in another order: one step more or less is right."""
    return *graph(QUANTIZED + body, result, specifications, free=False, constants=SCALES), 1


HEADS_LAST = "s = MatMul (a, b) w = Softmax (s) o = MatMul (w, c) y = Transpose <perm = [0, 2, 1, 3]> (o)"


def literal(*shape):
    """Elements of a constant, in words of the ONNX text format."""
    values = numpy.random.default_rng(5).uniform(-1, 1, shape).astype(numpy.float32).ravel()
    return "{" + ", ".join(f"{value:.6f}" for value in values) + "}"


CASES = {}
for op, specification in UNARY.items():
    kind = "int64" if op.startswith("Arg") else "float"
    CASES[op] = graph(f"y = {op} (a)", kind, [specification])
for op, make in BINARY.items():
    kind = "bool" if op in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "And", "Or", "Xor") else "float"
    CASES[f"{op}_same"] = graph(f"y = {op} (a, b)", kind, [make(3, 5), make(3, 5)], free=False)
    CASES[f"{op}_broadcast"] = graph(f"y = {op} (a, b)", kind, [make(3, 5), make(5)], free=False)
CASES.update({
    "Add_free_or_one": graph("y = Add (a, b)", "float", [f(1, 5), f(4, 5)]),
    "Add_free_and_equal": graph("y = Add (a, b)", "float", [f(4, 5), f(4, 5)]),
    "Add_inner_one": graph("y = Add (a, b)", "float", [f(2, 3, 4), f(2, 1, 4)], free=False),
    "Div_integers": graph("y = Div (a, b)", "int64", [i(40), i(40, low=1)], free=False),
    "Mod_integers": graph("y = Mod (a, b)", "int64", [i(40), i(40, low=1)], free=False),
    "Mod_like_c": graph("y = Mod <fmod = 1> (a, b)", "int64", [i(40), i(40, low=1)], free=False),
    "Pow_scalar": graph("y = Pow (a, two)", "float", [f(3, 5)], constants="<float two = {2}>"),
    "Pow_odd": graph("y = Pow (a, three)", "float", [f(3, 5)], constants="<float three = {3}>"),
    "Pow": graph("y = Pow (a, b)", "float", [f(3, 5, low=0.1), f(3, 5)], free=False),
    "Where": graph("y = Where (a, b, c)", "float", [b(3, 5), f(3, 5), f(5)], free=False),
    "Not": graph("y = Not (a)", "bool", [b(3, 5)]),
    "Clip": graph("y = Clip (a, low, high)", "float", [f(3, 5)], constants="<float low = {-1}, float high = {2}>"),
    "Clip_low": graph("y = Clip (a, low)", "float", [f(3, 5)], constants="<float low = {-1}>"),
    "Cast_to_int": graph("y = Cast <to = 7> (a)", "int64", [f(3, 5)]),
    "Cast_to_bool": graph("y = Cast <to = 9> (a)", "bool", [i(3, 5, low=-1, high=2)]),
    "Cast_from_bool": graph("y = Cast <to = 1> (a)", "float", [b(3, 5)]),
    # Scores, mask, softmax and product in one dispatch: heads turned by transposes, a mask for each batch and column.
    "Attention": graph(ATTENTION, "float", [f(2, 9, 3, 8), f(2, 13, 3, 8), f(2, 13, 3, 8), f(2, 1, 1, 13)]),
    "Attention_long": graph(ATTENTION, "float", [f(1, 77, 2, 16), f(1, 300, 2, 16), f(1, 300, 2, 16), f(1, 1, 1, 300)]),
    "Attention_one_row": graph(ATTENTION, "float", [f(2, 1, 3, 8), f(2, 40, 3, 8), f(2, 40, 3, 8), f(2, 1, 1, 40)], free=False),
    # The least number in every column, as exporters mask: equal weights.
    "Attention_nothing_seen": graph(ATTENTION, "float", [f(2, 9, 3, 8), f(2, 13, 3, 8), f(2, 13, 3, 8),
                                                         f(2, 1, 1, 13, low=-3.4028235e38, high=-3.4028234e38)]),
    "Attention_causal": graph("s = MatMul (a, b) m = Where (d, s, least) w = Softmax (m) y = MatMul (w, c)", "float",
                              [f(3, 20, 8), f(3, 8, 20), f(3, 20, 8), b(20, 20)], free=False, constants="<float least = {-1e9}>"),
    # Weights are a result too: they need memory.
    "Attention_scores_shared": graph("s = MatMul (a, b) w = Softmax (s) p = MatMul (w, c) r = ReduceSum <keepdims = 0> (w) y = Add (p, r)",
                                     "float", [f(3, 20, 8), f(3, 8, 20), f(3, 20, 8)], free=False),
    # Keys of each head, values of all: the rows next to the columns are heads, which the scores' columns depend on.
    "Attention_values_shared": graph(HEADS_LAST, "float", [f(2, 6, 37, 16), f(2, 6, 16, 32), f(2, 1, 32, 48)], free=False),
    "Attention_values_shared_by_many": graph(HEADS_LAST, "float", [f(2, 40, 5, 16), f(2, 40, 16, 32), f(2, 1, 32, 48)], free=False),
    "MatMul_weights_of_heads": graph("y = MatMul (a, w)", "float", [f(2, 3, 8, 4)], constants=f"<float[3,4,5] w = {literal(3, 4, 5)}>"),
    "MatMul_weights_turned": graph("t = Transpose <perm = [1, 0, 2]> (a) y = MatMul (t, w)", "float", [f(8, 3, 4)], free=False,
                                   constants=f"<float[3,4,5] w = {literal(3, 4, 5)}>"),
    "MatMul_weights_of_two_batches": graph("y = MatMul (a, w)", "float", [f(2, 3, 8, 4)], free=False,
                                           constants=f"<float[2,3,4,17] w = {literal(2, 3, 4, 17)}>"),
    # The largest of a row divided by itself is one.
    "Div_is_one": graph("m = ReduceMax <axes = [1]> (a) q = Div (a, m) y = GreaterOrEqual (q, one)", "bool", [f(200, 40, low=1)],
                        free=False, constants="<float one = {1}>"),
    "Div_overflows": graph("y = Div (a, s)", "float", [f(3, 37, low=1e38, high=3e38)], free=False, constants="<float s = {0.1}>"),
    "QuantizeLinear_overflows": graph("y = QuantizeLinear (a, s, z)", "uint8", [f(3, 37, low=1e38, high=3e38)], free=False,
                                      constants="<float s = {0.1}, uint8 z = {128}>"),
    "MatMul": graph("y = MatMul (a, b)", "float", [f(6, 7), f(7, 5)], free=False),
    "MatMul_batch": graph("y = MatMul (a, b)", "float", [f(2, 3, 6, 7), f(2, 3, 7, 5)], free=False),
    # Rows of an operand that are one, and those that another operand keeps apart.
    **{f"Mul_rows_{n}": graph("m = Mul (a, b) y = Add (m, c)", "float", [f(*shape), f(*b), f(*c)], free=free)
       for n, (shape, b, c, free) in enumerate((
           ((2, 3, 5, 9), (3, 1, 1), (2, 1, 1, 1), True), ((2, 3, 5, 9), (3, 1, 1), (3, 5, 9), False), ((3, 5, 9), (3, 1, 1), (5, 1), False),
           ((2, 3, 5, 9), (5, 9), (2, 3, 1, 1), False), ((3, 5, 9), (3, 1, 9), (1, 1, 1), False), ((3, 5, 9), (3, 1, 1), (9,), False), ((2, 3, 130, 140), (3, 1, 1), (2, 1, 1, 1), False)))},
    "MatMul_batch_broadcast": graph("y = MatMul (a, b)", "float", [f(2, 1, 6, 7), f(3, 7, 5)], free=False),
    "MatMul_weights": graph("y = MatMul (a, b)", "float", [f(2, 3, 6, 7), f(7, 5)], free=False),
    "MatMul_vector": graph("y = MatMul (a, b)", "float", [f(6, 7), f(7)], free=False),
    "Gemm_rows_of_the_call": graph("y = Gemm (a, b, c)", "float", [f(6, 7), f(7, 5), f(6, 1)]),
    "Gemm_free_rows": (graph("y = Gemm (a, b, c)", "float", [f(6, 7), f(7, 5), f(1, 1)], free=False)[0].replace("float[1,1] c", "float[r,q] c"),
                       [f(6, 7), f(7, 5), f(1, 1)]),
    "Gemm": graph("y = Gemm <transA = 1, transB = 1, alpha = 0.5, beta = 2.0> (a, b, c)", "float", [f(7, 6), f(5, 7), f(5)], free=False),
    "Transpose": graph("y = Transpose <perm = [2, 0, 1]> (a)", "float", [f(2, 3, 4)]),
    "Reshape": graph("y = Reshape (a, s)", "float", [f(2, 3, 4)], constants="<int64[3] s = {0, -1, 2}>"),
    "Concat": graph("y = Concat <axis = 1> (a, b)", "float", [f(2, 3), f(2, 4)], free=False),
    "Split": graph("x, y = Split <axis = 1> (a, s)", "float", [f(2, 7)], constants="<int64[2] s = {3, 4}>"),
    "Slice": graph("y = Slice (a, s, e, x, t)", "float", [f(9, 7)],
                   constants="<int64[2] s = {1, -1}, int64[2] e = {-1, -100}, int64[2] x = {0, 1}, int64[2] t = {2, -2}>"),
    # Backwards from past the end, to before the start.
    "Slice_outside": graph("y = Slice (a, s, e, x, t)", "float", [f(9, 7)],
                           constants="<int64[2] s = {12, 7}, int64[2] e = {-20, 1}, int64[2] x = {0, 1}, int64[2] t = {-1, -2}>"),
    "Expand": graph("y = Expand (a, s)", "float", [f(3, 1)], constants="<int64[3] s = {2, 1, 4}>"),
    "Tile": graph("y = Tile (a, s)", "float", [f(3, 2)], constants="<int64[2] s = {2, 3}>"),
    "Pad": graph("y = Pad (a, s)", "float", [f(3, 4)], constants="<int64[4] s = {1, 0, 0, 2}>"),
    "Pad_of_a_product": graph("p = MatMul (a, b) y = Pad (p, s)", "float", [f(5, 8), f(8, 8)], constants="<int64[4] s = {1, 0, 2, 3}>"),
    "Pad_of_one_element": graph("y = Pad (a, s)", "float", [f(2)], constants="<int64[2] s = {-1, 2}>", free=False),
    **{f"Pad_{mode}_of_a_part": graph(f'y = Pad <mode = "{mode}"> (a, s)', "float", [f(5, 4)], opset=19, constants="<int64[4] s = {-2, 2, 2, -1}>", free=False)
       for mode in ("wrap", "reflect", "edge")},
    "Pad_wrap_of_a_part_at_call": graph('y = Pad <mode = "wrap"> (a, b)', "float", [f(5, 4), given(-2, 2, 4, -1)], opset=19, free=False),
    "Pad_reflect": graph("y = Pad <mode = \"reflect\"> (a, s)", "float", [f(3, 4)], constants="<int64[4] s = {0, 1, 0, 2}>"),
    **{f"Pad_{mode}_long": graph(f'y = Pad <mode = "{mode}"> (a, s)', "float", [f(3, 4)], opset=19, constants="<int64[4] s = {9, 5, 2, 11}>")
       for mode in ("edge", "wrap", "constant")},
    "Pad_constant_cut_away": graph("y = Pad (a, s)", "float", [f(3, 4)], constants="<int64[4] s = {0, -5, 0, 4}>"),
    "Pad_constant_cut_away_behind": graph("y = Pad (a, s)", "float", [f(3, 4)], constants="<int64[4] s = {4, 0, -5, 0}>"),
    "Pad_constant_cut_away_by_argument": graph("y = Pad (a, s, b)", "float", [f(3, 4), f()], constants="<int64[4] s = {0, -5, 0, 4}>", free=False),
    "Pad_constant_cut_away_at_call": graph("y = Pad (a, b)", "float", [f(3, 4), given(-7, 4, 6, -5)], free=False),
    "Pad_edge": graph("y = Pad <mode = \"edge\"> (a, s)", "float", [f(3, 4)], constants="<int64[4] s = {1, 1, 0, 2}>"),
    "Reshape_at_call": graph("y = Reshape (a, b)", "float", [f(2, 3, 4), given(0, -1, 2)], free=False),
    "Expand_at_call": graph("y = Expand (a, b)", "float", [f(3, 1), given(2, 1, 4)], free=False),
    "Tile_at_call": graph("y = Tile (a, b)", "float", [f(3, 2), given(2, 3)], free=False),
    "Squeeze_at_call": graph("y = Squeeze (a, b)", "float", [f(3, 1, 4, 1), given(-1, 1)], free=False),
    "Unsqueeze_at_call": graph("y = Unsqueeze (a, b)", "float", [f(3, 4), given(-1, 1)], free=False),
    "ReduceSum_at_call": graph("y = ReduceSum <keepdims = 0> (a, b)", "float", [f(2, 3, 4, 5), given(-1, 1)], free=False),
    "ReduceMax_at_call": graph("y = ReduceMax (a, b)", "float", [f(2, 3, 4), given(0)], free=False, opset=18),
    "ConstantOfShape_at_call": graph("y = ConstantOfShape (a)", "float", [given(3, 0, 2)], free=False),
    "Split_at_call": graph("x, y = Split <axis = 1> (a, b)", "float", [f(2, 7), given(3, 4)], free=False),
    "Slice_greatest_steps": graph("y = Slice (a, s, e, x, t)", "float", [f(9, 7)],
                                  constants=f"<int64[2] s = {{1, 5}}, int64[2] e = {{9, -100}}, int64[2] x = {{0, 1}}, int64[2] t = {{{2**63 - 1}, {-2**63 + 1}}}>"),
    "Slice_backwards_to_most": graph("y = Slice (a, s, e, x, t)", "float", [f(9, 7)], free=False,
                                     constants=f"<int64[2] s = {{8, 5}}, int64[2] e = {{{2**63 - 1}, {2**31 - 1}}}, int64[2] x = {{0, 1}}, int64[2] t = {{-1, -2}}>"),
    "Slice_backwards_to_most_at_call": graph("y = Slice (a, s, b, x, t)", "float", [f(9, 7), given(2**31 - 1, 2**63 - 1)], free=False,
                                             constants="<int64[2] s = {8, 5}, int64[2] x = {0, 1}, int64[2] t = {-1, -2}>"),
    "Slice_steps_to_most_at_call": graph("y = Slice (a, s, b, x, c)", "float", [f(9, 7), given(2**31 - 1, 2**63 - 1), given(-1, 2)], free=False,
                                         constants="<int64[2] s = {8, 1}, int64[2] x = {0, 1}>"),
    "Slice_at_call": graph("y = Slice (a, b, c)", "float", [f(9, 7), given(-8, 2), given(2**62, -1)], free=False),
    "Slice_steps_at_call": graph("y = Slice (a, s, e, b, c)", "float", [f(9, 7, 3), given(-2, 0), given(-3, 2)], free=False,
                                 constants="<int64[2] s = {-1, 1}, int64[2] e = {-100, -1}>"),
    "Pad_at_call": graph("y = Pad (a, b, c)", "float", [f(3, 4), given(1, -1, 0, 2), f(1)], free=False),
    "Pad_reflect_at_call": graph("y = Pad <mode = \"reflect\"> (a, b)", "float", [f(3, 4), given(0, 1, 2, 2)], free=False),
    "Pad_axes_at_call": graph("y = Pad <mode = \"edge\"> (a, b, , c)", "float", [f(3, 4), given(1, 3), given(-1)], free=False, opset=18),
    "Gather": graph("y = Gather (a, b)", "float", [f(7, 4), i(2, 3, low=-7, high=7)], free=False),
    "Gather_of_shape": graph("s = Shape (a) t = Gather (s, i) y = Reshape (a, t)", "float", [f(3, 5)], constants="<int64[2] i = {-1, -2}>"),
    "Gather_axis": graph("y = Gather <axis = 1> (a, b)", "float", [f(3, 7, 2), i(4, low=-7, high=7)], free=False),
    "GatherElements": graph("y = GatherElements <axis = 1> (a, b)", "float", [f(3, 7), i(3, 4, low=-7, high=7)], free=False),
    "GatherND": graph("y = GatherND (a, b)", "float", [f(3, 4, 5), i(6, 2, low=-3, high=3)], free=False),
    "OneHot": graph("y = OneHot (a, d, v)", "float", [i(5, low=-6, high=6)], constants="<int64 d = {6}, float[2] v = {0.5, 2}>"),
    "CumSum": graph("y = CumSum (a, x)", "float", [f(3, 6)], constants="<int64 x = {1}>"),
    "Range": graph("s = Shape (a) n = Gather (s, z) r = Range (z, n, o) y = Cast <to = 1> (r)", "float", [f(4, 3)],
                   constants="<int64 z = {0}, int64 o = {1}>"),
    "ReduceMean_axes": graph("y = ReduceMean <axes = [1, -1], keepdims = 0> (a)", "float", [f(2, 3, 4)]),
    "ReduceSum_axes": graph("y = ReduceSum <keepdims = 0> (a, x)", "float", [f(2, 3, 4)], constants="<int64[1] x = {1}>"),
    "Softmax_axis": graph("y = Softmax <axis = 1> (a)", "float", [f(2, 3, 4)]),
    "Softmax_11": graph("y = Softmax <axis = 1> (a)", "float", [f(2, 3, 4)], opset=11),
    "Softmax_large": graph("y = Softmax (a)", "float", [f(3, 5, low=-2000.0, high=2000.0)]),
    "LayerNormalization": graph("y = LayerNormalization <axis = -1> (a, b, c)", "float", [f(2, 3, 8), f(8), f(8)], free=False),
    **{f"{kind}_of_free_size": graph(f"t = Transpose (a) y = {kind} (t, s)", "float", [f(3, 4)], opset=23, constants="<float[3] s = {1, 2, 3}>")
       for kind in ("LayerNormalization", "RMSNormalization")},
    "LayerNormalization_before_its_operator_set": graph("y = LayerNormalization <axis = -1> (a, b, c)", "float", [f(2, 3, 8), f(8), f(8)], opset=13, free=False),
    "BatchNormalization": graph("y = BatchNormalization (a, s, t, m, v)", "float", [f(2, 3, 4)],
                                constants="<float[3] s = {1,2,3}, float[3] t = {0,1,2}, float[3] m = {0,1,-1}, float[3] v = {1,2,3}>"),
    "InstanceNormalization": graph("y = InstanceNormalization (a, b, c)", "float", [f(2, 3, 8), f(3), f(3)], free=False),
    "Conv_1d": graph("y = Conv (a, b, c)", "float", [f(2, 3, 9), f(4, 3, 3), f(4)], free=False),
    "Conv_2d": graph("y = Conv <strides = [2, 1], pads = [1, 0, 1, 2], dilations = [1, 2]> (a, b)", "float",
                     [f(2, 3, 9, 8), f(4, 3, 3, 3)], free=False),
    "Conv_same": graph("y = Conv <strides = [2, 2], auto_pad = \"SAME_UPPER\"> (a, b)", "float", [f(2, 3, 9, 8), f(4, 3, 3, 3)], free=False),
    "Conv_one_position": graph("y = Conv <strides = [2, 3], pads = [1, 1, 1, 0]> (a, b)", "float", [f(2, 3, 2, 4), f(4, 3, 3, 3)], free=False),
    "Conv_groups": graph("y = Conv <group = 2> (a, b)", "float", [f(2, 4, 7, 6), f(6, 2, 3, 2)], free=False),
    "Conv_depthwise": graph("y = Conv <group = 4, pads = [1, 1, 1, 1]> (a, b, c)", "float", [f(2, 4, 7, 6), f(4, 1, 3, 3), f(4)], free=False),
    "Conv_multiplied": graph("y = Conv <group = 2, strides = [2, 1]> (a, b)", "float", [f(2, 2, 7, 6), f(6, 1, 3, 2)], free=False),
    "Conv_3d": graph("y = Conv <group = 2, strides = [1, 2, 1]> (a, b)", "float", [f(1, 4, 4, 5, 6), f(6, 2, 2, 3, 2)], free=False),
    "Conv_pointwise_strided": graph("y = Conv <strides = [2, 2]> (a, b)", "float", [f(2, 4, 7, 6), f(5, 4, 1, 1)], free=False),
    "Conv_pointwise_positions": graph("u = Conv (a, w)  v = Relu (u)  y = Add (v, b)", "float", [f(2, 3, 12, 11), f(2, 5, 12, 11)], free=False,
                                      constants="<float[5, 3, 1, 1] w = {1,2,-3,4,-5,6,7,8,-9,-1,2,3,0.5,-0.25,1.5}>"),
    "Conv_pointwise": graph("y = Conv (a, b)", "float", [f(2, 4, 7, 6), f(5, 4, 1, 1)], free=False),
    "ConvTranspose_1d": graph("y = ConvTranspose (a, b, c)", "float", [f(2, 3, 5), f(3, 4, 3), f(4)], free=False),
    "ConvTranspose_kernel_is_stride": graph("y = ConvTranspose <strides = [2, 3]> (a, b, c)", "float",
                                            [f(2, 3, 4, 5), f(3, 4, 2, 3), f(4)], free=False),
    "ConvTranspose_even": graph("y = ConvTranspose <strides = [2, 2], pads = [1, 1, 1, 1]> (a, b)", "float",
                                [f(2, 3, 4, 5), f(3, 4, 4, 4)], free=False),
    "ConvTranspose_odd": graph("y = ConvTranspose <strides = [2, 2], pads = [1, 0, 1, 2], output_padding = [1, 0]> (a, b, c)", "float",
                               [f(2, 3, 4, 5), f(3, 4, 3, 3), f(4)], free=False),
    "ConvTranspose_no_stride": graph("y = ConvTranspose <pads = [1, 2, 0, 1]> (a, b)", "float", [f(2, 3, 5, 6), f(3, 4, 3, 3)], free=False),
    "ConvTranspose_holes": graph("y = ConvTranspose <strides = [3, 2]> (a, b, c)", "float", [f(1, 2, 3, 4), f(2, 3, 2, 1), f(3)], free=False),
    "ConvTranspose_dilated": graph("y = ConvTranspose <strides = [2, 3], dilations = [2, 2], pads = [1, 2, 3, 0]> (a, b)", "float",
                                   [f(2, 3, 4, 5), f(3, 4, 3, 4)], free=False),
    "ConvTranspose_dilated_more": graph("y = ConvTranspose <strides = [3], dilations = [4], pads = [5, 1]> (a, b)", "float",
                                        [f(2, 3, 7), f(3, 4, 5)], free=False),
    "ConvTranspose_groups": graph("y = ConvTranspose <group = 2, strides = [2, 1]> (a, b, c)", "float",
                                  [f(2, 4, 4, 5), f(4, 3, 2, 3), f(6)], free=False),
    "ConvTranspose_depthwise": graph("y = ConvTranspose <group = 3, strides = [2, 2], pads = [1, 1, 1, 1]> (a, b)", "float",
                                     [f(2, 3, 4, 5), f(3, 1, 4, 4)], free=False),
    "ConvTranspose_same_upper": graph("y = ConvTranspose <strides = [2, 2], auto_pad = \"SAME_UPPER\"> (a, b)", "float",
                                      [f(2, 3, 4, 5), f(3, 4, 3, 3)], free=False),
    "ConvTranspose_same_lower": graph("y = ConvTranspose <strides = [2, 2], auto_pad = \"SAME_LOWER\"> (a, b)", "float",
                                      [f(2, 3, 4, 5), f(3, 4, 3, 3)], free=False),
    "ConvTranspose_valid": graph("y = ConvTranspose <strides = [2, 2], auto_pad = \"VALID\"> (a, b)", "float",
                                 [f(2, 3, 4, 5), f(3, 4, 3, 3)], free=False),
    "ConvTranspose_output_shape": graph("y = ConvTranspose <strides = [3, 2], output_shape = [10, 8]> (a, b)", "float",
                                        [f(1, 2, 3, 3), f(2, 3, 3, 3)], free=False),
    "ConvTranspose_free_batch": graph("y = ConvTranspose <strides = [2, 2], pads = [1, 1, 0, 0]> (a, w)", "float", [f(2, 1, 4, 5)],
                                      constants="<float[1,2,2,3] w = {1,2,3,4,5,6,7,8,9,10,11,12}>"),
    "ConvTranspose_3d": graph("y = ConvTranspose <strides = [2, 1, 2]> (a, b)", "float", [f(1, 2, 3, 2, 3), f(2, 3, 3, 2, 2)], free=False),
    "MaxPool": graph("y = MaxPool <kernel_shape = [3, 2], strides = [2, 2], pads = [1, 0, 1, 0]> (a)", "float", [f(2, 3, 9, 8)]),
    "MaxPool_ceil": graph("y = MaxPool <kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1> (a)", "float", [f(2, 3, 8, 8)]),
    "MaxPool_ceil_beyond": graph("y = MaxPool <kernel_shape = [4, 3], strides = [2, 3], ceil_mode = 1> (a)", "float", [f(2, 3, 3, 2)]),
    "AveragePool_ceil_beyond": graph("y = AveragePool <kernel_shape = [4, 3], strides = [2, 3], ceil_mode = 1> (a)", "float", [f(2, 3, 3, 2)]),
    "AveragePool": graph("y = AveragePool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (a)", "float", [f(2, 3, 8, 8)]),
    "AveragePool_with_padding": graph("y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1> (a)",
                                      "float", [f(2, 3, 8, 8)]),
    "MaxPool_indices": graph("v, y = MaxPool <kernel_shape = [3, 2], strides = [2, 1], pads = [1, 0, 1, 1]> (a)", "int64", [f(2, 3, 7, 6)]),
    **{f"MaxPool_first_of_equals_{order}": graph(
        f"t = Transpose <perm = [2, 0, 3, 1]> (a) r = Round (t) v, y = MaxPool <kernel_shape = [2, 3], strides = [2, 1], storage_order = {order}> (r)",
        "int64", [f(3, 6, 2, 7)], free=False) for order in (0, 1)},
    "MaxPool_dilated_1d": graph("y = MaxPool <kernel_shape = [3], dilations = [2]> (a)", "float", [f(2, 3, 11)]),
    "AveragePool_ceil_with_padding": graph("y = AveragePool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], "
                                           "ceil_mode = 1, count_include_pad = 1> (a)", "float", [f(2, 3, 8, 6)], opset=19),
    "AveragePool_dilated": graph("y = AveragePool <kernel_shape = [2, 3], dilations = [2, 2], pads = [1, 1, 1, 1]> (a)", "float",
                                 [f(2, 3, 8, 9)], opset=19),
    "LpPool": graph("y = LpPool <kernel_shape = [3, 2], p = 3, pads = [1, 0, 1, 0]> (a)", "float", [f(2, 3, 8, 6)]),
    "GlobalLpPool": graph("y = GlobalLpPool (a)", "float", [f(2, 3, 8, 6)]),
    "LRN": graph("y = LRN <size = 5, alpha = 0.5, beta = 0.75, bias = 1.5> (a)", "float", [f(2, 7, 3, 4)]),
    "LRN_beta": graph("y = LRN <size = 3, alpha = 0.5, beta = 0.3> (a)", "float", [f(2, 5, 6, 3)], free=False),
    "Resize_twice": graph("y = Resize <mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"> (a, , s)",
                          "float", [f(1, 3, 5, 4)], constants="<float[4] s = {1, 1, 2, 3}>"),
    "Resize_nearest": graph("y = Resize <mode = \"nearest\"> (a, , s)", "float", [f(1, 2, 7, 5)], constants="<float[4] s = {1, 1, 0.6, 1.7}>"),
    "Resize_rounded": graph("y = Resize <mode = \"nearest\"> (a, , s)", "float", [f(1, 2, 5, 15)], constants="<float[4] s = {1, 1, 2.6, 0.2}>"),
    "Resize_linear": graph("y = Resize <mode = \"linear\"> (a, , s)", "float", [f(1, 3, 6, 5)], constants="<float[4] s = {1, 1, 2, 1.5}>"),
    "Resize_sizes": graph("y = Resize <mode = \"linear\", coordinate_transformation_mode = \"align_corners\"> (a, , , s)", "float",
                          [f(1, 3, 6, 5)], constants="<int64[4] s = {1, 3, 11, 4}>", free=False),
    "Resize_cubic": graph("y = Resize <mode = \"cubic\", coordinate_transformation_mode = \"pytorch_half_pixel\"> (a, , s)", "float",
                          [f(1, 2, 6, 7)], constants="<float[4] s = {1, 1, 2, 0.5}>"),
    "Resize_antialias": graph("y = Resize <mode = \"linear\", antialias = 1> (a, , s)", "float", [f(1, 2, 9, 8)], opset=18,
                              constants="<float[4] s = {1, 1, 0.4, 0.5}>"),
    "Resize_at_the_call": graph("y = Resize <mode = \"linear\"> (a, , , b)", "float", [f(1, 2, 6, 3), given(1, 2, 9, 3)], opset=18, free=False),
    "Upsample": graph("y = Upsample <mode = \"nearest\"> (a, s)", "float", [f(1, 2, 3, 4)], opset=9, constants="<float[4] s = {1, 1, 2, 2}>"),
    "ScatterND": graph("y = ScatterND (a, i, b)", "float", [f(5, 4, 3), f(3, 3)], free=False,
                       constants="<int64[3,2] i = {4, 1, 0, -1, 2, 2}>"),
    "ScatterND_free": graph("y = ScatterND (a, c, b)", "float", [f(7, 4), f(1, 4), i(1, 1, low=-7, high=7)]),
    "ScatterND_add": graph("y = ScatterND <reduction = \"add\"> (a, c, b)", "float", [f(4, 3), f(6, 3), i(6, 1, low=-4, high=4)], free=False),
    "ScatterElements": graph("y = ScatterElements <axis = 1> (a, i, b)", "float", [f(3, 5), f(2, 2)], free=False,
                             constants="<int64[2,2] i = {4, 1, 0, -2}>"),
    # Nothing is written: a mask that holds nowhere.
    "ScatterND_none": graph("y = ScatterND (a, c, b)", "float", [f(7, 4), f(0, 4), i(0, 1)]),
    "ScatterElements_none": graph("y = ScatterElements <axis = 1> (a, c, b)", "float", [f(3, 5), f(0, 2), i(0, 2)]),
    "ScatterElements_empty": graph("y = ScatterElements <axis = 1> (a, c, b)", "float", [f(0, 5), f(0, 2), i(0, 2)], free=False),
    "ScatterElements_mul": graph("y = ScatterElements <axis = 0, reduction = \"mul\"> (a, c, b)", "float",
                                 [f(3, 5), f(4, 5), i(4, 5, low=-3, high=3)], free=False, opset=18),
    "ScatterND_blocks": graph("y = ScatterND (a, c, b)", "float", [f(5000, 3), f(40, 3), i(40, 1, low=-5000, high=5000)], free=False),
    "ScatterND_wide": graph("y = ScatterND <reduction = \"max\"> (a, c, b)", "float", [f(9, 700), f(7, 700), i(7, 1, low=-9, high=9)], opset=18),
    "ScatterElements_blocks": graph("y = ScatterElements <axis = 0, reduction = \"add\"> (a, c, b)", "float",
                                    [f(9000, 2), f(60, 2), i(60, 2, low=-9000, high=9000)], free=False, opset=18),
    "ScatterElements_middle": graph("y = ScatterElements <axis = 1, reduction = \"add\"> (a, c, b)", "float",
                                    [f(3, 7, 300), f(2, 9, 280), i(2, 9, 280, low=-7, high=7)], free=False, opset=18),
    "ScatterElements_last": graph("y = ScatterElements <axis = -1> (a, i, b)", "float", [f(3, 8), f(3, 4)],
                                  constants="<int64[3,4] i = {4, 1, 0, -1, 7, 3, 3, 2, 0, -8, 5, 6}>"),
    "DepthToSpace": graph("y = DepthToSpace <blocksize = 2> (a)", "float", [f(2, 8, 3, 4)]),
    "SpaceToDepth": graph("y = SpaceToDepth <blocksize = 2> (a)", "float", [f(2, 2, 4, 6)]),
    "Squeeze": graph("y = Squeeze (a, x)", "float", [f(3, 1, 4)], constants="<int64[1] x = {1}>"),
    "Unsqueeze": graph("y = Unsqueeze (a, x)", "float", [f(3, 4)], constants="<int64[2] x = {0, -1}>"),
    "ConstantOfShape": graph("s = Shape (a) y = ConstantOfShape (s)", "float", [f(3, 4)]),
    "Quantized_MatMul": quantized("p = MatMul (x, w) y = QuantizeLinear (p, big, zero)", [f(7, 37), f(37, 19)]),
    "Quantized_Gemm": quantized("y = Gemm <transB = 1, alpha = 0.5> (x, w, c)", [f(7, 37), f(19, 37), f(19)], "float"),
    "Quantized_Conv": quantized(
        "p = Conv <pads = [1, 1, 1, 1], strides = [2, 1]> (x, w, c) r = Relu (p) y = QuantizeLinear (r, big, zero)",
        [f(2, 5, 9, 8), f(18, 5, 3, 3), f(18)]),
    "Quantized_MaxPool": quantized(
        "p = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x) t = Transpose <perm = [0, 2, 3, 1]> (p) "
        "y = QuantizeLinear (t, s, z)", [f(2, 5, 9, 8), f(1)]),
    "Quantized_Add": quantized("p = Add (x, w) y = QuantizeLinear (p, big, zero)", [f(7, 37), f(7, 37)]),
})
