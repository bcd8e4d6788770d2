# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ONNX graphs of elementwise operators that share values, the same for the same seed.

    graph = shared_graph(seed, prefix="g7_")    nodes, arguments, feed, results with their shadows

10 to 300 operators on f32, f64, i32, i64 and bool, of shapes that broadcast to each other. Operands are values made late, in
half of the graphs the last four, so that each is read again and again and a compiler that computes a shared value for each
reader never ends.

A *shadow* is what a float value is in f64 and how far a result in its own type may be from that: after Higham, Accuracy and
Stability of Numerical Algorithms, 3.3 (running error analysis), each operator adds what rounding its own result costs to what
its operands' errors become. So long graphs and cancellation have the tolerance that they need, and others none to spare.
"""
import dataclasses

import numpy
from onnx import TensorProto, helper, numpy_helper

PROTO = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int32": TensorProto.INT32, "int64": TensorProto.INT64,
         "bool": TensorProto.BOOL}
FLOATS, INTEGERS = ("float32", "float64"), ("int32", "int64")
SHAPES = [(5, 7), (5, 7), (5, 7), (7,), (1, 7), (5, 1), ()]
OPERATORS, RESULTS = (10, 300), 4
LARGEST = 32.0  # of a float value before it is made smaller
TOO_FAR = 1e-3  # an error at which a value has lost what it was: nothing reads it
# Units of roundoff that one operator costs: 1 for what IEEE 754 rounds once (division and square root by an estimate and its
# refinement: 2), some for functions, whose polynomials both Heddle and ONNX Runtime state to a few units in the last place.
ROUNDINGS = {"Add": 1, "Sub": 1, "Mul": 1, "Div": 2, "Sqrt": 2}
FUNCTION_ROUNDINGS = 8
# Derivatives are at most one, or what a factor says.
FUNCTIONS = {
    "Tanh": (numpy.tanh, 1.0), "Sigmoid": (lambda x: 1 / (1 + numpy.exp(-x)), 0.25), "Sin": (numpy.sin, 1.0), "Cos": (numpy.cos, 1.0),
    "Softplus": (lambda x: numpy.logaddexp(0, x), 1.0), "Erf": (None, 2 / numpy.pi ** 0.5),
}


@dataclasses.dataclass
class Value:
    name: str
    dtype: str
    shape: tuple
    exact: numpy.ndarray   # in f64 for floats
    error: numpy.ndarray   # 0 for integers and booleans; infinite where a comparison was too close to call


class Graph:
    def __init__(self, seed, prefix):
        self.random = numpy.random.default_rng(seed)
        self.seed, self.prefix = seed, prefix
        self.nodes, self.constants, self.arguments, self.feed = [], [], [], {}
        self.values, self.read = [], set()
        self.window = 4 if self.random.integers(2) else 40
        self.special = self.random.integers(4) == 0  # arguments with infinities and NaN, operators that round once or not at all

    def results(self):
        """Some of what nothing reads, the last one always, and some of what something does."""
        made = [value for value in self.values if value.name not in self.feed]
        unread = [value for value in made if value.name not in self.read]
        chosen = unread[-1:] + [value for value in unread[:-1] if self.random.integers(len(unread)) < RESULTS]
        return chosen + [value for value in made if value.name in self.read and self.random.integers(len(made)) < RESULTS // 2]

    def argument(self, dtype):
        name = f"{self.prefix}x{len(self.arguments)}"
        shape = SHAPES[self.random.integers(len(SHAPES))]
        if dtype == "bool":
            array = self.random.integers(0, 2, shape).astype(bool)
        elif dtype in INTEGERS:
            array = self.random.integers(-100, 100, shape).astype(dtype)
        else:
            array = numpy.asarray(self.random.uniform(-2, 2, shape), dtype)
            if self.special:
                specials = numpy.asarray([numpy.inf, -numpy.inf, numpy.nan, 0.0, -0.0], dtype)
                array = numpy.where(self.random.random(shape) < 0.15, self.random.choice(specials, shape), array)
        self.feed[name] = array
        self.arguments.append(helper.make_tensor_value_info(name, PROTO[dtype], shape))
        exact = numpy.asarray(array, numpy.float64 if dtype in FLOATS else dtype)
        self.values.append(Value(name, dtype, shape, exact, numpy.zeros(shape)))

    def pick(self, dtypes):
        fitting = [value for value in self.values if value.dtype in dtypes and numpy.mean(value.error < TOO_FAR) > 0.5]
        if not fitting:
            return None
        value = fitting[-1 - self.random.integers(min(len(fitting), self.window))]
        self.read.add(value.name)
        return value

    def constant(self, dtype, number):
        name = f"{self.prefix}c{len(self.constants)}"
        array = numpy.asarray(number, dtype)
        self.constants.append(numpy_helper.from_array(array, name))
        exact = numpy.asarray(array, numpy.float64 if dtype in FLOATS else dtype)
        return Value(name, dtype, (), exact, numpy.zeros(()))

    def node(self, kind, operands, dtype, exact, error=None, **attributes):
        name = f"{self.prefix}v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [value.name for value in operands], [name], name, **attributes))
        exact = numpy.asarray(exact)
        error = numpy.zeros(exact.shape) if error is None else numpy.broadcast_to(error, exact.shape)
        error = numpy.where(numpy.isnan(error), numpy.inf, error)  # unknown, times nothing
        self.values.append(Value(name, dtype, exact.shape, exact, error))
        return self.values[-1]

    def float_node(self, kind, operands, exact, error, roundings):
        """Rounds once or more; a value that gets large or lost its accuracy is squashed, so that results say something."""
        dtype = operands[0].dtype
        unit = numpy.finfo(dtype).eps / 2
        tiny = float(numpy.finfo(dtype).tiny) * 4  # below it a unit in the last place is no part of the value
        error = error + roundings * unit * (numpy.abs(exact) + error + tiny)
        # Infinities and NaN are what they are, unless an operand's sign is unknown or the type overflows where f64 does not.
        error = numpy.where(numpy.isfinite(exact), error, sum(too_close(operand.exact, operand.error) for operand in operands))
        overflows = numpy.isfinite(exact) & (numpy.abs(exact) > float(numpy.finfo(dtype).max) / 4)
        value = self.node(kind, operands, dtype, exact, numpy.where(overflows, numpy.inf, error))
        if not self.special and numpy.max(numpy.abs(value.exact), initial=0) > LARGEST:
            self.read.add(value.name)
            self.function("Tanh", value)

    def function(self, kind, x):
        compute, slope = FUNCTIONS[kind]
        exact = numpy.vectorize(__import__("math").erf, otypes=[float])(x.exact) if compute is None else compute(x.exact)
        # ONNX Runtime's functions give 0 for results that are subnormal.
        least = float(numpy.finfo(x.dtype).tiny)
        flushed = numpy.where((exact != 0) & (numpy.abs(exact) < least), least, 0.0)
        self.float_node(kind, [x], exact, slope * x.error + flushed, FUNCTION_ROUNDINGS)


def too_close(distance, error):
    """Infinite where the sign of a distance with that error is unknown, else 0."""
    return numpy.where((error > 0) & ~(numpy.abs(distance) > error), numpy.inf, 0.0)


def arithmetic(g):
    x = g.pick(FLOATS)
    y = x and g.pick((x.dtype,))
    if not y:
        return
    kind = str(g.random.choice(["Add", "Sub", "Mul"]))
    operation = {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply}[kind]
    exact = operation(x.exact, y.exact)
    error = x.error + y.error
    if kind == "Mul":
        error = numpy.abs(x.exact) * y.error + numpy.abs(y.exact) * x.error + x.error * y.error
    g.float_node(kind, [x, y], exact, error, ROUNDINGS[kind])


def scale(g):
    x = g.pick(FLOATS)
    if x:
        c = g.constant(x.dtype, numpy.round(g.random.uniform(-1.5, 1.5), 2))
        g.float_node("Mul", [x, c], x.exact * c.exact, numpy.abs(c.exact) * x.error, 1)


def function(g):
    x = g.pick(FLOATS)
    if x and not g.special:
        kinds = ["Tanh", "Sigmoid"] if x.dtype == "float64" else sorted(FUNCTIONS)
        g.function(str(g.random.choice(kinds)), x)


def sign(g):
    x = g.pick(FLOATS + INTEGERS)
    if x:
        kind, operation = [("Neg", numpy.negative), ("Abs", numpy.abs)][g.random.integers(2)]
        g.node(kind, [x], x.dtype, operation(x.exact), x.error)


def extremum(g):
    x = g.pick(INTEGERS if g.special else FLOATS + INTEGERS)
    y = x and g.pick((x.dtype,))
    if y:
        kind, operation = [("Max", numpy.maximum), ("Min", numpy.minimum)][g.random.integers(2)]
        g.node(kind, [x, y], x.dtype, operation(x.exact, y.exact), numpy.maximum(x.error, y.error))


def integers(g):
    x = g.pick(INTEGERS)
    y = x and g.pick((x.dtype,))
    if y:
        kind = str(g.random.choice(["Add", "Sub", "Mul"]))
        operation = {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply}[kind]
        g.node(kind, [x, y], x.dtype, operation(x.exact, y.exact), x.error + y.error)


def logic(g):
    x = g.pick(("bool",))
    if x:
        y = g.pick(("bool",))
        kind = str(g.random.choice(["And", "Or", "Xor", "Not"]))
        # What is too close to call stays so.
        if kind == "Not":
            g.node(kind, [x], "bool", ~x.exact, x.error)
        else:
            operation = {"And": numpy.logical_and, "Or": numpy.logical_or, "Xor": numpy.logical_xor}[kind]
            g.node(kind, [x, y], "bool", operation(x.exact, y.exact), x.error + y.error)


def compare(g):
    x = g.pick(FLOATS + INTEGERS)
    y = x and g.pick((x.dtype,))
    if y:
        kind, operation = [("Less", numpy.less), ("Greater", numpy.greater), ("LessOrEqual", numpy.less_equal)][g.random.integers(3)]
        distance, error = numpy.abs(x.exact.astype(float) - y.exact.astype(float)), x.error + y.error
        g.node(kind, [x, y], "bool", operation(x.exact, y.exact), too_close(distance, error))


def where(g):
    condition = g.pick(("bool",))
    x = condition and g.pick(FLOATS + INTEGERS)
    y = x and g.pick((x.dtype,))
    if y:
        exact = numpy.where(condition.exact, x.exact, y.exact)
        error = numpy.where(condition.exact, x.error, y.error) + condition.error
        g.node("Where", [condition, x, y], x.dtype, exact, error)


def cast(g):
    x = g.pick(tuple(PROTO) if not g.special else INTEGERS + ("bool",))
    if not x:
        return
    dtype = str(g.random.choice([dtype for dtype in PROTO if dtype != x.dtype]))
    error = x.error
    if x.dtype in FLOATS and dtype in INTEGERS:
        if numpy.max(numpy.abs(x.exact), initial=0) > 1e6:
            return
        exact = numpy.trunc(x.exact).astype(dtype)
        error = numpy.where((error > 0) & (numpy.trunc(x.exact - error) != numpy.trunc(x.exact + error)), numpy.inf, 0.0)
    elif x.dtype in FLOATS and dtype == "bool":
        exact = x.exact != 0
        error = too_close(x.exact, error)
    elif dtype in FLOATS:
        exact = x.exact.astype(numpy.float64)
        error = error + numpy.finfo(dtype).eps / 2 * (numpy.abs(exact) + error)
        if x.dtype in INTEGERS and numpy.max(numpy.abs(exact), initial=0) > LARGEST:
            g.read.add(x.name)
            value = g.node("Cast", [x], dtype, exact, error, to=PROTO[dtype])
            g.read.add(value.name)
            return g.function("Tanh", value) if not g.special else None
    else:
        exact = x.exact.astype(dtype)
    g.node("Cast", [x], dtype, exact, error, to=PROTO[dtype])


KINDS = (arithmetic,) * 8 + (scale, function, function, sign, extremum, integers, integers, logic, compare, where, where, cast)


def shared_graph(seed, prefix=""):
    g = Graph(seed, prefix)
    for dtype in ("float32", *g.random.choice(sorted(PROTO), g.random.integers(1, 5))):
        g.argument(str(dtype))
    least, most = OPERATORS
    target = least + int((most - least) * g.random.random() ** 3)  # small ones more often: they take less time and say more
    with numpy.errstate(all="ignore"):
        while len(g.nodes) < target:
            KINDS[g.random.integers(len(KINDS))](g)
    return g


def difference(value, got, want):
    """"" where the result is right: as ONNX Runtime's, but for what rounding costs. Infinities and NaN are equal or wrong."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{value.name} is {got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
    same = numpy.asarray((got == want) | ((got != got) & (want != want)))
    if value.dtype in FLOATS:
        with numpy.errstate(invalid="ignore"):  # infinity minus infinity
            same |= numpy.abs(numpy.asarray(got, float) - numpy.asarray(want, float)) <= 2 * value.error  # either may be off
    wrong = ~same & numpy.isfinite(value.error)
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in numpy.argwhere(wrong)[0])
    return (f"{value.name}{list(at)} is {got[at]!r}, expected {want[at]!r} within {2 * value.error[at]:.3g}; "
            f"{int(wrong.sum())} of {wrong.size} elements differ")
