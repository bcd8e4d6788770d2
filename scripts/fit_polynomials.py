#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits the polynomials of compiler/Codegen/Math/DoublePolynomials.h: minimax by Remez's exchange. Needs mpmath.

  fit_polynomials.py > compiler/Codegen/Math/DoublePolynomials.h

Each is the rest of a function after its first terms, on the interval that argument reduction leaves, of the least degree
that makes the relative error of the whole function less than 2^-57.
"""
import mpmath
from mpmath import mp, mpf

mp.dps = 50
GRID = 600
ROUNDS = 8
LIMIT = mpf(2) ** -57


def evaluate(coefficients, x):
    return mpmath.polyval(list(reversed(coefficients)), x)


def exchange(function, weight, low, high, degree):
    """Coefficients of the polynomial with the least greatest |weight * (function - polynomial)|, and that error."""
    count = degree + 2
    points = [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mp.pi * i / (count - 1)) for i in range(count)]
    grid = [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mp.pi * i / GRID) for i in range(GRID + 1)]
    values = [(x, function(x), weight(x)) for x in grid]
    for _ in range(ROUNDS):
        matrix, right = mpmath.matrix(count, count), mpmath.matrix(count, 1)
        for row, x in enumerate(points):
            for column in range(degree + 1):
                matrix[row, column] = x ** column
            matrix[row, degree + 1] = (-1) ** row / weight(x)
            right[row] = function(x)
        solution = mpmath.lu_solve(matrix, right)
        coefficients = [solution[i] for i in range(degree + 1)]
        errors = [(x, w * (f - evaluate(coefficients, x))) for x, f, w in values]
        extrema, sign = [], 0
        for x, error in errors:
            if mpmath.sign(error) == sign:
                if abs(error) > abs(extrema[-1][1]):
                    extrema[-1] = (x, error)
            elif error != 0:
                extrema.append((x, error))
                sign = mpmath.sign(error)
        worst = max(abs(error) for _, error in errors)
        if len(extrema) < count:
            break
        while len(extrema) > count:
            extrema.pop(0 if abs(extrema[0][1]) < abs(extrema[-1][1]) else -1)
        points = [x for x, _ in extrema]
    return coefficients, worst


def fit(name, comment, function, weight, low, high):
    """`weight` turns an error of the polynomial into a relative error of the whole."""
    degree = 3
    low, high = mpf(low), mpf(high)
    while True:
        coefficients, worst = exchange(function, weight, low, high, degree)
        if worst < LIMIT:
            break
        degree += 1
    print(f"// {comment}\n// Error 2^{float(mpmath.log(worst, 2)):.1f}.")
    print(f"inline constexpr double {name}[] = {{")
    print(",\n".join("    " + float(c).hex() for c in coefficients) + "};\n")


def safe(function, at_zero):
    return lambda x: at_zero if abs(x) < mpf(10) ** -15 else function(x)


def root(z):
    return mpmath.sqrt(z)


HALF_LN2 = mpmath.log(2) / 2 * mpf("1.0001")
HEAD = """// Polynomials of the functions on f64, lowest coefficient first. Made by scripts/fit_polynomials.py.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_DOUBLEPOLYNOMIALS_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_DOUBLEPOLYNOMIALS_H

namespace mlir::heddle::codegen {
"""
TAIL = """} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_DOUBLEPOLYNOMIALS_H"""


def main():
    print(HEAD)
    with mp.workdps(70):
        fit("kExpTail", "(e^r - 1 - r - r^2 / 2) / r^3 for |r| <= ln 2 / 2.",
            safe(lambda r: (mpmath.expm1(r) - r - r * r / 2) / r ** 3, mpf(1) / 6),
            lambda r: abs(r * r) + mpf(10) ** -9, -HALF_LN2, HALF_LN2)
        # log(1 + f) = 2 s + s z P(z), s = f / (2 + f), z = s^2.
        top = ((mpmath.sqrt(2) - 1) / (mpmath.sqrt(2) + 1)) ** 2
        fit("kLogTail", "(2 atanh(s) - 2 s) / s^3 as a function of z = s^2, s <= (sqrt 2 - 1) / (sqrt 2 + 1).",
            safe(lambda z: (2 * mpmath.atanh(root(z)) / root(z) - 2) / z, mpf(2) / 3), lambda z: z / 2 + mpf(10) ** -9, 0, top)
        fit("kLogFine", "(atanh(s) / s - 1 - z / 3) / z^2 as a function of z = s^2: for a logarithm of twice the digits.",
            safe(lambda z: (mpmath.atanh(root(z)) / root(z) - 1 - z / 3) / z ** 2, mpf(1) / 5),
            lambda z: z * z * 512 + mpf(10) ** -9, 0, top)
        quarter = (mp.pi / 4 * mpf("1.0001")) ** 2
        fit("kSinTail", "(sin(r) - r) / r^3 as a function of r^2, |r| <= pi / 4.",
            safe(lambda z: (mpmath.sin(root(z)) / root(z) - 1) / z, -mpf(1) / 6), lambda z: z + mpf(10) ** -9, 0, quarter)
        fit("kCosTail", "(cos(r) - 1 + r^2 / 2) / r^4 as a function of r^2, |r| <= pi / 4.",
            safe(lambda z: (mpmath.cos(root(z)) - 1 + z / 2) / z ** 2, mpf(1) / 24), lambda z: z * z * 2 + mpf(10) ** -9, 0, quarter)
        fit("kAtanTail", "(atan(x) / x - 1) / x^2 as a function of x^2, |x| <= tan(pi / 8).",
            safe(lambda z: (mpmath.atan(root(z)) / root(z) - 1) / z, -mpf(1) / 3), lambda z: z + mpf(10) ** -9, 0,
            mpf("0.1717"))
        fit("kAsinTail", "(asin(x) / x - 1) / x^2 as a function of x^2, |x| <= 1 / 2.",
            safe(lambda z: (mpmath.asin(root(z)) / root(z) - 1) / z, mpf(1) / 6), lambda z: z + mpf(10) ** -9, 0, mpf("0.2501"))
        fit("kErfNear", "erf(x) / x - 1 as a function of x^2, |x| <= 1.",
            safe(lambda z: mpmath.erf(root(z)) / root(z) - 1, 2 / mpmath.sqrt(mp.pi) - 1), lambda z: mpf(1), 0, mpf("1.001"))
        fit("kErfFar", "erfc(x) e^(x^2) as a function of t = 2 / (2 + x), 1 <= x <= 6.",
            lambda t: mpmath.erfc(2 / t - 2) * mpmath.exp((2 / t - 2) ** 2), lambda t: mpmath.exp(-((2 / t - 2) ** 2)) * 2,
            mpf(1) / 4, mpf(2) / 3 + mpf("0.0001"))
        middle = mpf(7) / 16
        scaled = lambda t: mpmath.erfc(2 / t - 2) * mpmath.exp((2 / t - 2) ** 2) / t
        fit("kErfcFar", "erfc(x) e^(x^2) / t as a function of t - 7/16, t = 2 / (2 + x), 1/2 <= x <= 28.",
            lambda s: scaled(s + middle), lambda s: 1 / scaled(s + middle), mpf(1) / 15 - middle, mpf("0.8001") - middle)
    print(TAIL)


if __name__ == "__main__":
    main()
