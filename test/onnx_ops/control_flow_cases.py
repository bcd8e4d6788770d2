# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases (see cases.py) of control flow and recurrent networks."""
import numpy

from cases import NAMES, b, f, graph, i


def branches(condition, then, otherwise, results="y"):
    """An If; each branch is `outputs | nodes`, outputs with their types."""
    def branch(name, text):
        outputs, nodes = text.split("|")
        return f"{name} () => ({outputs}) {{ {nodes} }}"
    return f"{results} = If ({condition}) <then_branch = {branch('t', then)}, else_branch = {branch('e', otherwise)}>"


RELU, EXP = "float[k,l] u | u = Relu (a)", "float[k,l] v | n = Neg (a) v = Exp (n)"
ONE = "<int64 one = {1}, int64[1] axis = {1}, int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}, int64[1] all = {-1}>"
LAST_IS_ONE = "s = Shape (a) d = Gather (s, one) c = Equal (d, one) "
ROWS_GIVEN = "z = ReduceSum <keepdims = 0> (b) h = Greater (z, zero) c = Squeeze (h) "
NESTED = "float[k,l] u | s = ReduceMin <keepdims = 0> (a) k = Cast <to = 9> (s) p = Relu (a) " + branches(
    "k", "float[k,l] m | m = Add (p, a)", "float[k,l] q | q = Mul (p, p)", "u")

CASES = {
    "If_true": graph(branches("c", RELU, EXP), "float", [f(3, 5)], constants="<bool c = {1}>"),
    "If_false": graph(branches("c", RELU, EXP), "float", [f(3, 5)], constants="<bool c = {0}>"),
    "If_data": graph(ROWS_GIVEN + branches("c", RELU, EXP), "float", [f(3, 5), i(1, low=1)], constants=ONE),
    "If_data_else": graph(ROWS_GIVEN + branches("c", RELU, EXP), "float", [f(3, 5), i(1, high=1)], constants=ONE),
    "If_input": graph(branches("b", RELU, EXP), "float", [f(3, 5), b()], free=False),
    "If_of_a_part": graph("h = Slice (b, zero, axis) c = Greater (h, zero) " + branches("c", RELU, EXP), "float", [f(3, 5), i(4, low=1)], constants=ONE),
    "If_nested": graph(ROWS_GIVEN + branches("c", NESTED, EXP), "float", [f(3, 5), i(1, low=1)], constants=ONE),
    "If_passes_operands": graph("p = Exp (a) " + ROWS_GIVEN + branches("c", "float[k,l] u | u = Identity (a)", "float[k,l] v | v = Identity (p)"),
                                "float", [f(3, 5), i(1, low=1)], constants=ONE),
    "If_other_sizes": graph(ROWS_GIVEN + branches("c", "float[k,l] u | u = Slice (a, zero, two, zero)",
                                                  "float[k,l] v | v = Slice (a, zero, four, zero)", "t") + " y = Add (t, t)",
                            "float", [f(5, 3), i(1, low=1)], constants=ONE),
    "If_free_sizes": graph(ROWS_GIVEN + branches("c", "float[k,l] u | u = Concat <axis = 0> (a, a)", "float[k,l] v | v = Exp (a)", "t")
                           + " w = Transpose (a) y = MatMul (t, w)", "float", [f(5, 3), i(1, low=1)], constants=ONE),
    "If_gives_a_shape": graph(ROWS_GIVEN + branches("c", "int64[k] u | k = Shape (a) u = Concat <axis = 0> (k, axis)",
                                                    "int64[k] v | k = Shape (a) v = Concat <axis = 0> (axis, k)", "t")
                              + " y = Reshape (a, t)", "float", [f(5, 3), i(1, low=1)], constants=ONE),
    "If_two_results": graph(ROWS_GIVEN + branches("c", "float[k,l] u, float[k,l] v | u = Exp (a) v = Identity (a)",
                                                  "float[k,l] u, float[k,l] v | v = Exp (a) u = Neg (a)", "p, q") + " y = Sub (p, q)",
                            "float", [f(3, 5), i(1, low=1)], constants=ONE),
    "If_sizes_decide": graph(LAST_IS_ONE + branches("c", RELU, EXP), "float", [f(5, 3)], constants=ONE),
}
# One side has another rank: what follows is imported twice. Both dimensions are free.
for name, columns in {"true": 1, "false": 3}.items():
    text, inputs = graph(LAST_IS_ONE + branches("c", "float[k] u | u = Squeeze (a, axis)", EXP, "t")
                         + " r = Relu (t) y = Reshape (r, all)", "float", [f(5, columns)], constants=ONE)
    CASES[f"If_rank_{name}"] = (text.replace(f"a0,{columns}", "a0,a1"), inputs)


def recurrent(op, attributes="", steps=5, batch=3, free=False, **given):
    """A node with inputs of its optional operands by name: B, lens, h0, c0, P. All results, flattened, one after another."""
    gates, (size, hidden) = {"LSTM": 4, "GRU": 3, "RNN": 1}[op], (4, 6)
    ways = 2 if "bidirectional" in attributes else 1
    state = (batch, ways, hidden) if "layout = 1" in attributes else (ways, batch, hidden)
    shapes = [f(*(batch, steps, size) if "layout = 1" in attributes else (steps, batch, size), low=-1.0, high=1.0),
              f(ways, gates * hidden, size, low=-0.5, high=0.5), f(ways, gates * hidden, hidden, low=-0.5, high=0.5)]
    optional = {"B": f(ways, 2 * gates * hidden, low=-0.5, high=0.5), "lens": i(batch, low=1, high=steps + 1, kind=numpy.int32),
                "h0": f(*state, low=-1.0, high=1.0), "c0": f(*state, low=-1.0, high=1.0), "P": f(ways, 3 * hidden, low=-0.5, high=0.5)}
    operands = ["a", "b", "c"]
    for name in [name for name in optional if name != "c0" and name != "P" or op == "LSTM"]:
        if given.get(name):
            operands.append(NAMES[len(shapes)])
            shapes.append(optional[name])
        else:
            operands.append("")
    outputs = ["Y", "H", "C"][:3 if op == "LSTM" else 2]
    flat = " ".join(f"f{name} = Reshape ({name}, all)" for name in outputs)
    joined = ", ".join(f"f{name}" for name in outputs)
    comma = ", " if attributes else ""
    body = (f"{', '.join(outputs)} = {op} <hidden_size = {hidden}{comma}{attributes}> ({', '.join(operands).rstrip(', ')}) "
            f"{flat} y = Concat <axis = 0> ({joined})")
    text, inputs = graph(body, "float", shapes, free=False, constants="<int64[1] all = {-1}>")
    if free:
        steps_and_batch = f"{steps},{batch},{size}"
        text = text.replace(f"[{steps_and_batch}] a", f"[steps,batch,{size}] a").replace(f"[{ways},{batch},{hidden}]", f"[{ways},batch,{hidden}]")
        text = text.replace(f"int32[{batch}]", "int32[batch]")
    return text, inputs


ALL = {"B": True, "h0": True, "c0": True}
for op in ("LSTM", "GRU", "RNN"):
    CASES.update({
        f"{op}_defaults": recurrent(op),
        f"{op}_one_step": recurrent(op, steps=1, **ALL),
        f"{op}_one_batch": recurrent(op, batch=1, **ALL),
        f"{op}_one_of_each": recurrent(op, steps=1, batch=1, **ALL),
        f"{op}_free": recurrent(op, free=True, **ALL),
        f"{op}_free_both_ways": recurrent(op, "direction = \"bidirectional\"", free=True, lens=True, **ALL),
        f"{op}_reverse": recurrent(op, "direction = \"reverse\"", **ALL),
        f"{op}_both_ways": recurrent(op, "direction = \"bidirectional\"", **ALL),
        f"{op}_clip": recurrent(op, "clip = 0.3", **ALL),
        f"{op}_lengths": recurrent(op, lens=True, **ALL),
        f"{op}_lengths_reverse": recurrent(op, "direction = \"reverse\"", lens=True, **ALL),
        f"{op}_lengths_one_batch": recurrent(op, "direction = \"bidirectional\"", batch=1, lens=True),
    })
CASES.update({
    "LSTM_peepholes": recurrent("LSTM", P=True, **ALL),
    "LSTM_input_forget": recurrent("LSTM", "input_forget = 1", **ALL),
    "LSTM_activations": recurrent("LSTM", "activations = [\"HardSigmoid\", \"Softsign\", \"Elu\"], activation_alpha = [0.3, 0.7]", **ALL),
    "LSTM_activations_both_ways": recurrent("LSTM", "direction = \"bidirectional\", activations = [\"Sigmoid\", \"Tanh\", \"Relu\", "
                                            "\"HardSigmoid\", \"Affine\", \"Tanh\"], activation_alpha = [0.3, 0.7], activation_beta = [0.4, 0.1]", **ALL),
    "GRU_linear_before_reset": recurrent("GRU", "linear_before_reset = 1", **ALL),
    "GRU_linear_before_reset_plain": recurrent("GRU", "linear_before_reset = 1, direction = \"bidirectional\""),
    "RNN_activation": recurrent("RNN", "activations = [\"ScaledTanh\"], activation_alpha = [0.6], activation_beta = [1.2]", **ALL),
    "RNN_softplus": recurrent("RNN", "activations = [\"Softplus\"]", **ALL),
})


def quantized_lstm(attributes="", steps=5, batch=1, columns=False, kind=numpy.int8, **given):
    """com.microsoft.DynamicQuantizeLSTM: W and R in 8 bits and transposed, with scales and zero points."""
    text, shapes = recurrent("LSTM", attributes, steps, batch, **given)
    ways = shapes[1][1][0]
    for n, rows in ((1, shapes[1][1][2]), (2, shapes[2][1][2])):
        shapes[n] = i(ways, rows, shapes[n][1][1], low=-128 if kind is numpy.int8 else 0, high=128 if kind is numpy.int8 else 256, kind=kind)
    parameter = (ways, shapes[1][1][2]) if columns else (ways,)
    operands = list(NAMES[:len(shapes)])
    named = dict(zip(["a", "b", "c", *[name for name in ("B", "lens", "h0", "c0", "P") if given.get(name)]], operands))
    listed = ["a", "b", "c", *[named.get(name, "") for name in ("B", "lens", "h0", "c0", "P")]]
    for _ in range(2):
        listed += [NAMES[len(shapes)], NAMES[len(shapes) + 1]]
        shapes.append(f(*parameter, low=0.002, high=0.006))
        # ONNX Runtime wants zero points of columns to be 0.
        near = 0 if kind is numpy.int8 else 128
        shapes.append(i(*parameter, low=near - 3 * (not columns), high=near + 1 + 3 * (not columns), kind=kind))
    body = text[text.index("Y, H, C"):text.rindex("}")]
    body = body[:body.index("(a")] + f"({', '.join(listed).rstrip(', ')})" + body[body.index(")") + 1:]
    body = body.replace("LSTM <", "com.microsoft.DynamicQuantizeLSTM <")
    text, inputs = graph(body, "float", shapes, free=False, constants="<int64[1] all = {-1}>")
    return text.replace('["" : 17]', '["" : 17, "com.microsoft" : 1]'), inputs


CASES.update({
    "DynamicQuantizeLSTM": quantized_lstm(),
    "DynamicQuantizeLSTM_one_step": quantized_lstm(steps=1, **ALL),
    "DynamicQuantizeLSTM_unsigned": quantized_lstm(kind=numpy.uint8, **ALL),
    "DynamicQuantizeLSTM_columns": quantized_lstm(columns=True, **ALL),
    "DynamicQuantizeLSTM_both_ways": quantized_lstm("direction = \"bidirectional\"", **ALL),
    "DynamicQuantizeLSTM_peepholes": quantized_lstm(P=True, **ALL),
})
# A quantised tensor that both branches and what follows turn into floats, each for itself.
CASES["If_quantized"] = graph("p = DequantizeLinear (b, scale) z = ReduceSum <keepdims = 0> (a) h = Greater (z, null) c = Squeeze (h) "
                              + branches("c", "float[k,l] u | u = Relu (p)", "float[k,l] v | v = Neg (p)", "t") + " y = Add (t, p)", "float",
                              [f(3, low=0.1), i(4, 5, low=-128, high=128, kind=numpy.int8)], free=False,
                              constants="<float scale = {0.02}, float null = {0}>")

# Elements that are all one number once they are computed: no work is left in either branch.
CASES["If_of_computed_constants"] = graph(ROWS_GIVEN + branches("c", "float[k] u | u = Exp (same)", "float[k] v | v = Sqrt (same)"), "float",
                                          [f(3, 5), i(1, low=1)], free=False,
                                          constants="<int64 zero = {0}, float[4] same = {2, 2, 2, 2}>")
