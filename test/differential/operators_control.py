# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow with small bodies, and random numbers (see operators.py)."""
import numpy
from onnx import helper

from builder import Domain, numpy_type, proto_type
from operators import F3, OPERATORS, SOME, Operator, operator

CARRIED = ("float32", "float64", "float16", "int8", "uint8", "int32", "int64", "bool")
# What a body is made of: results of the operand's type and shape. Loops take none that grows from step to step.
BRANCH = "Abs Neg Relu Identity Add Sub Mul Max Min Where And Or Xor Not Softmax CumSum".split()
STEP = "Abs Neg Relu Identity Max Min Where And Or Xor Not".split()
MOST_STEPS = 4


def inside(b, kinds, x):
    """One or two operators on x, in the body that is being made."""
    for _ in range(b.between(1, 2)):
        fitting = [op for op in map(OPERATORS.get, kinds) if x.dtype in op.dtypes and x.rank in op.ranks]
        op: Operator = b.choose(fitting)
        x = op.make(b, op.kind, x)
    return x


def info(value):
    return helper.make_tensor_value_info(value.name, proto_type(value.dtype), [None] * value.rank)


def like(result, *values):
    """What is known of the values holds of the result."""
    result.exact = all(value.exact for value in values)
    result.scale, result.depth = max(value.scale for value in values), max(value.depth for value in values)
    return result


@operator("If", CARRIED, range(0, 5))
def branch(b, kind, x):
    condition = b.known(numpy.asarray(b.chance(2)), fixed=True)
    bodies, results = [], []
    for _ in range(2):
        with b.body() as nodes:
            results.append(inside(b, BRANCH, x))
            bodies.append(body_of(b, nodes, [], results[-1:]))
    return like(b.node(kind, [condition], x.shape, dtype=x.dtype, then_branch=bodies[0], else_branch=bodies[1]), *results)


def fresh(b, dtype, shape, of=None):
    """What a body is given."""
    value = b.node("Identity", [], shape, dtype=dtype)
    b.nodes.pop()
    return like(value, of) if of else value


def body_of(b, nodes, given, results):
    b.used |= {value.name for value in (*given, *results)}
    return helper.make_graph(nodes, f"{results[0].name}_body", [info(value) for value in given], [info(value) for value in results])


@operator("Loop", CARRIED, range(0, 4))
def loop(b, kind, x):
    """Ends after so many steps, or because its condition says so."""
    steps, limit = b.between(0, MOST_STEPS), b.choose([0, 1, MOST_STEPS])
    with b.body() as nodes:
        step, going, state = fresh(b, "int64", ()), fresh(b, "bool", ()), fresh(b, x.dtype, x.shape, x)
        changed, every = inside(b, STEP, state), inside(b, BRANCH, state)
        goes = b.node("Less", [step, b.integers(limit)], (), dtype="bool")
        body = body_of(b, nodes, [step, going, state], [goes, changed, every])
    begins = b.choose([None, b.known(numpy.asarray(True), fixed=True)])
    last, all_of = b.node(kind, [b.known(numpy.int64(steps), fixed=True), begins, x], x.shape, (min(steps, limit + 1), *x.shape),
                          dtype=x.dtype, body=body)
    like(all_of, x, every)
    return [like(last, x, changed), *([all_of] if steps else [])]  # the sizes of what no step gave are not said


@operator("Scan", CARRIED, range(1, 5))
def scan(b, kind, x):
    axis, axis_out = b.between(0, x.rank - 1), b.between(0, x.rank - 1)
    shape = (*x.shape[:axis], *x.shape[axis + 1:])
    begin = b.operand(x.dtype, len(shape), b.choose(["rows", "constant"]), shape=shape)
    with b.body() as nodes:
        state, part = fresh(b, x.dtype, shape, begin), fresh(b, x.dtype, shape, x)
        joined = b.node("Xor" if x.dtype == "bool" else "Max", [state, part], shape)
        changed, every = inside(b, STEP, joined), inside(b, BRANCH, joined)
        body = body_of(b, nodes, [state, part], [changed, every])
    last, all_of = b.node(kind, [begin, x], shape, (*shape[:axis_out], x.shape[axis], *shape[axis_out:]), body=body, num_scan_inputs=1,
                          scan_input_axes=[axis], scan_output_axes=[axis_out], scan_input_directions=[b.between(0, 1)],
                          scan_output_directions=[b.between(0, 1)])
    return [like(last, begin, changed), like(all_of, begin, every)]


# Random numbers: their shape, and that they are where they must be.

def seen(b, numbers, low, high):
    bounds = [b.constant(numpy.asarray(limit, numpy_type(numbers.dtype))) for limit in (low, high)]
    within = [b.node(kind, [numbers, bound], numbers.shape, dtype="bool", exact=True)
              for kind, bound in zip(("GreaterOrEqual", "LessOrEqual"), bounds)]
    return [b.node("And", within, numbers.shape), b.node("Shape", [numbers], (numbers.rank,), dtype="int64")]


def exactly(value):
    value.exact = True
    return value


DISTRIBUTIONS = {"Uniform": ({"low": 1.0, "high": 3.0}, 1, 3), "Normal": ({"mean": 2.0, "scale": 0.5}, -4, 8)}


@operator("RandomUniformLike RandomNormalLike", F3, SOME)
def random_like(b, kind, x):
    attributes, low, high = DISTRIBUTIONS[kind.removeprefix("Random").removesuffix("Like")]
    return seen(b, exactly(b.node(kind, [x], x.shape, **attributes)), low, high)


@operator("RandomUniform RandomNormal", F3, SOME, layouts=("constant",))
def random_numbers(b, kind, x):
    """Of the shape of x, which nothing reads."""
    attributes, low, high = DISTRIBUTIONS[kind.removeprefix("Random")]
    return seen(b, b.node(kind, [], x.shape, dtype=x.dtype, named={"dtype": proto_type(x.dtype)}, shape=x.shape, **attributes), low, high)


@operator("Bernoulli", ("float32", "float64"), SOME, domain=Domain(0, 1))
def bernoulli(b, kind, x):
    numbers = exactly(b.node(kind, [x], x.shape))
    certain = exactly(b.node(kind, [b.node("Floor", [x], x.shape, exact=True)], x.shape))  # no choice where it is 0 or 1
    return [*seen(b, numbers, 0, 1), certain]


@operator("Multinomial", ("float32",), [2])
def multinomial(b, kind, x):
    count, to = b.choose([1, 3, 8]), b.choose(["int32", "int64"])
    numbers = b.node(kind, [x], (x.shape[0], count), dtype=to, exact=True, sample_size=count, named={"dtype": proto_type(to)})
    return seen(b, exactly(numbers), 0, x.shape[1] - 1)
