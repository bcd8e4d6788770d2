# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unrolled recurrences of elementwise operators, as ONNX models.

    model, feed, rtol = MODELS["adam"]()
    python recurrences.py NAME OUT.onnx [STEPS]     writes one, to measure
"""
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE, OPSET, IR_VERSION = (8, 8), 17, 9


class Unrolled:
    """Nodes by calls: b.Add(x, y) gives the name of the result; numbers become constants."""

    def __init__(self):
        self.nodes, self.constants = [], {}

    def __getattr__(self, kind):
        def add(*operands):
            name = f"v{len(self.nodes)}"
            self.nodes.append(helper.make_node(kind, [self.name_of(operand) for operand in operands], [name]))
            return name
        return add

    def name_of(self, operand):
        if isinstance(operand, str):
            return operand
        return self.constants.setdefault(numpy.float32(operand).tobytes(), (f"c{len(self.constants)}", operand))[0]

    def model(self, arguments, results, rtol, scale=1.0):
        constants = [numpy_helper.from_array(numpy.float32(number), name) for name, number in self.constants.values()]

        def info(name):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE)

        graph = helper.make_graph(self.nodes, "unrolled", [info(name) for name in arguments], [info(name) for name in results], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        random = numpy.random.default_rng(0)
        return model, {name: numpy.float32(random.uniform(-scale, scale, SHAPE)) for name in arguments}, rtol


def fibonacci(steps=60):
    b = Unrolled()
    before, last = b.Tanh("x"), b.Sigmoid("x")
    for _ in range(steps):
        before, last = last, b.Add(last, before)
    return b.model(["x"], [last], 1e-5)


def momentum(steps=20):
    b = Unrolled()
    position, speed = "x", b.Neg("x")
    for _ in range(steps):
        speed = b.Add(b.Mul(speed, 0.5), b.Tanh(position))
        position = b.Sub(position, speed)
    return b.model(["x"], [position], 1e-4)


def adam(steps=15):
    """Of the loss 0.5 (tanh(p) - t)^2; p, m and v leave."""
    b = Unrolled()
    p, m, v = "p", b.Mul("p", 0.0), b.Mul("p", 0.0)
    for step in range(1, steps + 1):
        squashed = b.Tanh(p)
        gradient = b.Mul(b.Sub(squashed, "t"), b.Sub(1.0, b.Mul(squashed, squashed)))
        m = b.Add(b.Mul(m, 0.9), b.Mul(gradient, 0.1))
        v = b.Add(b.Mul(v, 0.999), b.Mul(b.Mul(gradient, gradient), 0.001))
        corrected = b.Div(m, 1 - 0.9 ** step)
        p = b.Sub(p, b.Div(b.Mul(corrected, 0.01), b.Add(b.Sqrt(b.Div(v, 1 - 0.999 ** step)), 1e-8)))
    return b.model(["p", "t"], [p, m, v], 1e-4)


def rk4(steps=20):
    """The pendulum with friction: angle and speed."""
    b = Unrolled()
    h = 0.05

    def slope(angle, speed):
        return speed, b.Neg(b.Add(b.Sin(angle), b.Mul(speed, 0.1)))

    def ahead(state, k, by):
        return [b.Add(value, b.Mul(d, by)) for value, d in zip(state, k)]

    state = ["x", "w"]
    for _ in range(steps):
        k1 = slope(*state)
        k2 = slope(*ahead(state, k1, h / 2))
        k3 = slope(*ahead(state, k2, h / 2))
        k4 = slope(*ahead(state, k3, h))
        sums = [b.Add(b.Add(a, b.Mul(p, 2.0)), b.Add(b.Mul(q, 2.0), d)) for a, p, q, d in zip(k1, k2, k3, k4)]
        state = ahead(state, sums, h / 6)
    return b.model(["x", "w"], state, 1e-5)


def clenshaw(steps=40):
    """A Chebyshev series, as jax.scipy.special.i0 has it."""
    b = Unrolled()
    twice = b.Mul("x", 2.0)
    one, two = b.Mul("x", 0.0), b.Mul("x", 0.0)
    for k in range(steps, 0, -1):
        one, two = b.Add(b.Sub(b.Mul(twice, one), two), 1.0 / k ** 2), one
    return b.model(["x"], [b.Sub(b.Mul("x", one), two)], 1e-4, scale=0.9)


def random_dag(ops=300, window=5, seed=0):
    b = Unrolled()
    random = numpy.random.default_rng(seed)
    values = ["x"]
    while len(b.nodes) < ops:
        x, y = random.choice(values[-window:], 2)
        kind = str(random.choice(["Add", "Sub", "Max", "Min", "Tanh", "Sigmoid", "Mul"]))
        value = getattr(b, kind)(x) if kind in ("Tanh", "Sigmoid") else getattr(b, kind)(x, y)
        values.append(b.Mul(value, 0.5) if kind in ("Add", "Sub") else value)
    return b.model(["x"], [values[-1]], 1e-4)


MODELS = {each.__name__: each for each in (fibonacci, momentum, adam, rk4, clenshaw, random_dag)}

if __name__ == "__main__":
    onnx.save(MODELS[sys.argv[1]](*map(int, sys.argv[3:]))[0], sys.argv[2])
