# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases (see cases.py) of operator sets 1 to 8 in the forms that newer ones lack, and what each computes in NumPy: ONNX Runtime
begins with set 7, onnx's own evaluator with few of them."""
import numpy

from cases import f, graph, i


def old(opset, body, inputs, compute, result="float", **options):
    return graph(body, result, inputs, opset=opset, free=options.pop("free", False), **options), lambda _, feed: compute(*feed.values())


def elementwise(op, compute, opset=1, low=-4.0, attributes=""):
    return old(opset, f"y = {op} <consumed_inputs = [0]{attributes}> (a)", [f(3, 5, low=low)], lambda a: compute(a).astype(numpy.float32), free=True)


def per_channel(values):
    return values[:, None, None]


def pad(a, amounts, **options):
    return numpy.pad(a, amounts, **options)


def normalized(x, scale, bias, mean, variance, epsilon=1e-5):
    return (x - per_channel(mean)) / numpy.sqrt(per_channel(variance) + numpy.float32(epsilon)) * per_channel(scale) + per_channel(bias)


def instance(x, scale, bias):
    mean, variance = x.mean((2, 3), keepdims=True), x.var((2, 3), keepdims=True)
    return (x - mean) / numpy.sqrt(variance + numpy.float32(1e-5)) * per_channel(scale) + per_channel(bias)


def rnn(x, w, r):
    state, out = numpy.zeros((x.shape[1], r.shape[1]), numpy.float32), []
    for step in x:
        state = numpy.tanh(step @ w[0].T + state @ r[0].T)
        out.append(state[None])
    return numpy.stack(out)


def nearest(a, rows, columns):
    return a.repeat(rows, 2).repeat(columns, 3)


ELEMENTWISE = {
    "Abs": numpy.abs, "Ceil": numpy.ceil, "Exp": numpy.exp, "Floor": numpy.floor, "Neg": numpy.negative, "Relu": lambda a: numpy.maximum(a, 0),
    "Sigmoid": lambda a: 1 / (1 + numpy.exp(-a)), "Tanh": numpy.tanh, "HardSigmoid": lambda a: numpy.clip(0.2 * a + 0.5, 0, 1),
    "LeakyRelu": lambda a: numpy.where(a < 0, numpy.float32(0.01) * a, a), "Elu": lambda a: numpy.where(a < 0, numpy.exp(a) - 1, a),
    "Selu": lambda a: 1.0507 * numpy.where(a < 0, 1.6732 * (numpy.exp(a) - 1), a),
}
POSITIVE = {"Log": numpy.log, "Sqrt": numpy.sqrt, "Reciprocal": lambda a: 1 / a}

CASES = {f"{op}_1": elementwise(op, compute) for op, compute in ELEMENTWISE.items()}
CASES.update({f"{op}_1": elementwise(op, compute, low=0.5) for op, compute in POSITIVE.items()})
for name, opset in {"1": 1, "6": 6}.items():
    consumed = ", consumed_inputs = [0, 0]" if opset == 1 else ""
    for op, compute in {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Div": numpy.divide}.items():
        CASES[f"{op}_axis_{name}"] = old(opset, f"y = {op} <broadcast = 1, axis = 1{consumed}> (a, b)", [f(2, 3, 4), f(3, low=0.5)],
                                         lambda a, b, compute=compute: compute(a, b[:, None]))
        CASES[f"{op}_same_{name}"] = old(opset, f"y = {op} (a, b)", [f(2, 3), f(2, 3, low=0.5)], compute)
CASES.update({
    "Less_axis_1": old(1, "y = Less <broadcast = 1, axis = 0> (a, b)", [f(3, 4), f(3)], lambda a, b: a < b[:, None], "bool"),
    "Pow_1": old(1, "y = Pow <broadcast = 1> (a, b)", [f(3, 4, low=0.5), f(4, low=-1.0, high=2.0)], numpy.power),
    "Clip_1": elementwise("Clip", lambda a: numpy.clip(a, -1, 2), attributes=", min = -1.0, max = 2.0"),
    "Clip_1_above": elementwise("Clip", lambda a: numpy.minimum(a, 2), attributes=", max = 2.0"),
    "Max_1": old(1, "y = Max <consumed_inputs = [0, 0]> (a, b)", [f(3, 4), f(3, 4)], numpy.maximum),
    "Mean_1": old(1, "y = Mean (a, b)", [f(3, 4), f(3, 4)], lambda a, b: (a + b) / 2),
    "PRelu_1": old(1, "y = PRelu <consumed_inputs = [0, 0]> (a, b)", [f(2, 3, 4), f(3)], lambda a, b: numpy.where(a < 0, b[:, None] * a, a)),
    "Cast_1": old(1, 'y = Cast <to = "INT64"> (a)', [f(3, 4)], lambda a: a.astype(numpy.int64), "int64", free=True),
    "Cast_1_small": old(5, 'y = Cast <to = "float"> (a)', [i(3, 4)], lambda a: a.astype(numpy.float32)),
    "Concat_1": old(1, "y = Concat (a, b)", [f(2, 3), f(2, 4)], lambda a, b: numpy.concatenate([a, b], 1)),
    "Reshape_1": old(1, "y = Reshape <shape = [0, -1], consumed_inputs = [0]> (a)", [f(2, 3, 4)], lambda a: a.reshape(2, 12), free=True),
    "Reshape_4": old(4, "y = Reshape <shape = [4, 6]> (a)", [f(2, 3, 4)], lambda a: a.reshape(4, 6)),
    "Pad_1": old(1, 'y = Pad <mode = "constant", paddings = [0, 1, 2, 0], value = 1.5> (a)', [f(2, 3)],
                 lambda a: pad(a, ((0, 2), (1, 0)), constant_values=1.5)),
    "Pad_1_reflect": old(1, 'y = Pad <mode = "reflect", paddings = [0, 2, 0, 1]> (a)', [f(2, 3)], lambda a: pad(a, ((0, 0), (2, 1)), mode="reflect")),
    "Split_1": old(1, "x, z = Split <axis = 1> (a) y = Sub (x, z)", [f(3, 4)], lambda a: a[:, :2] - a[:, 2:]),
    "Split_1_sizes": old(1, "x, y = Split <axis = 1, split = [1, 3]> (a)", [f(3, 4)], lambda a: a[:, 1:]),
    "Split_1_input": old(1, "x, y = Split <axis = 1> (a, s)", [f(3, 4)], lambda a: a[:, 1:], constants="<float[2] s = {1, 3}>"),
    "Tile_1": old(1, "y = Tile (a, tiles, axis)", [f(2, 3)], lambda a: numpy.tile(a, (1, 3)), constants="<float tiles = {3}, float axis = {1}>", free=True),
    "GlobalLpPool_1": old(1, "y = GlobalLpPool <p = 3.0> (a)", [f(2, 3, 4, 5)], lambda a: (numpy.abs(a) ** 3).sum((2, 3), keepdims=True) ** (1 / 3)),
    "LpPool_1": old(1, "y = LpPool <kernel_shape = [2, 2], strides = [2, 2]> (a)", [f(2, 3, 4, 4)],
                    lambda a: numpy.sqrt((a ** 2).reshape(2, 3, 2, 2, 2, 2).sum((3, 5)))),
    "AveragePool_1": old(1, "y = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (a)", [f(2, 3, 4, 4)], lambda a: a.reshape(2, 3, 2, 2, 2, 2).mean((3, 5))),
    "BatchNormalization_1": old(1, "y = BatchNormalization <consumed_inputs = [0, 0, 0, 1, 1], is_test = 1> (a, b, c, d, e)",
                                [f(2, 3, 4, 5), f(3), f(3), f(3), f(3, low=0.5)], normalized),
    "BatchNormalization_6": old(6, "y = BatchNormalization <is_test = 1> (a, b, c, d, e)", [f(2, 3, 4, 5), f(3), f(3), f(3), f(3, low=0.5)], normalized),
    "InstanceNormalization_1": old(1, "y = InstanceNormalization <consumed_inputs = [0, 0, 0]> (a, b, c)", [f(2, 3, 4, 5), f(3), f(3)], instance),
    "Dropout_1": old(1, "x, m = Dropout <is_test = 1, consumed_inputs = [0], ratio = 0.3> (a) y = Neg (x)", [f(2, 3)], lambda a: -a),
    "Gemm_1": old(1, "y = Gemm <broadcast = 1, transB = 1, alpha = 0.5> (a, b, c)", [f(3, 4), f(5, 4), f(5)], lambda a, b, c: numpy.float32(0.5) * (a @ b.T) + c),
    "Gemm_6": old(6, "y = Gemm (a, b, c)", [f(3, 4), f(4, 5), f(3, 5)], lambda a, b, c: a @ b + c),
    "RNN_1": old(1, "y = RNN <hidden_size = 4, output_sequence = 1> (a, b, c)", [f(5, 2, 3), f(1, 4, 3, low=-0.5, high=0.5), f(1, 4, 4, low=-0.5, high=0.5)], rnn),
    "RNN_6": old(6, "y = RNN <hidden_size = 4, output_sequence = 1> (a, b, c)", [f(5, 2, 3), f(1, 4, 3, low=-0.5, high=0.5), f(1, 4, 4, low=-0.5, high=0.5)], rnn),
    "Upsample_1": old(1, 'y = Upsample <height_scale = 2.0, width_scale = 3.0, mode = "nearest"> (a)', [f(1, 2, 3, 4)], lambda a: nearest(a, 2, 3)),
    "Upsample_7": old(7, 'y = Upsample <scales = [1.0, 1.0, 2.0, 3.0], mode = "nearest"> (a)', [f(1, 2, 3, 4)], lambda a: nearest(a, 2, 3), free=True),
    "Upsample_8": old(8, "y = Upsample <scales = [1.0, 1.0, 2.0, 2.0]> (a)", [f(1, 2, 3, 4)], lambda a: nearest(a, 2, 2)),
    "Flatten_scalar_default": old(9, "r = ReduceSum <keepdims = 0> (a) y = Flatten (r)", [f(3, 4)], lambda a: a.sum().reshape(1, 1)),
})
