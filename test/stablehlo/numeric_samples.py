# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples for make_samples.py: special functions, complex numbers, Fourier transforms, linear algebra, floats of 8 bits.

Values in EXPECTED are from mpmath with 40 digits, since JAX's own are less precise.
"""
import jax
import jax.numpy as jnp
import jax.scipy.linalg
import mpmath
import numpy

# --- Special functions ---

# Values of special functions: lgamma and digamma far from their zeros between the poles, Hurwitz' zeta also left of 0.
POSITIVE = numpy.concatenate([numpy.linspace(0.01, 9, 40), [1 + 1e-3, 2 - 1e-3, 1e-8, 30.5, 1e4, 1e7]])
NEGATIVE = -numpy.concatenate([numpy.arange(9) + 0.2, [1e-6, 0.25, 31.2]])
ORDERS = numpy.array([2, 3, 5, 1.25, 7.5, 30, 2, 4, 3])
SHIFTS = numpy.array([0.1, 1, 2.5, 12, 100, 3, -0.5, -20.25, -5.75])
DERIVATIVES = numpy.array([0, 1, 1, 2, 3, 6, 20])
POINTS = numpy.array([2.5, 0.3, 50, -1.5, 4, 1.5, 3])
BESSEL = numpy.array([0, 0.5, -1, 3, 7.9, -8.1, 20, 1e5, 1e-9])


def special(*args):
    lax, (x, y, s, q, n, p, b) = jax.lax, args
    return (lax.lgamma(x), lax.lgamma(y), lax.digamma(x), lax.digamma(y), lax.zeta(s, q), lax.polygamma(n, p),
            lax.bessel_i1e(b))


def special_values(x, y, s, q, n, p, b):
    def values(function, *args):
        kind = numpy.asarray(args[0]).dtype
        return numpy.array([float(function(*[mpmath.mpf(float(a)) for a in each])) for each in zip(*args)], kind)

    log_gamma = lambda v: mpmath.loggamma(v) if v > 0 else mpmath.log(abs(mpmath.gamma(v)))
    with mpmath.workdps(40):
        return (values(log_gamma, x), values(log_gamma, y), values(mpmath.digamma, x), values(mpmath.digamma, y),
                values(mpmath.zeta, s, q), values(lambda k, v: mpmath.psi(int(k), v), n, p),
                values(lambda v: mpmath.exp(-abs(v)) * mpmath.besseli(1, v), b))


def special_arguments(kind):
    return [numpy.asarray(a, kind) for a in (POSITIVE, NEGATIVE, ORDERS, SHIFTS, DERIVATIVES, POINTS, BESSEL)]


# Where the values are not numbers, or infinite.
def special_limits(x, s, q, n, p):
    lax = jax.lax
    return lax.lgamma(x), lax.digamma(x), lax.zeta(s, q), lax.polygamma(n, p), lax.bessel_i1e(x)


LIMITS = [numpy.asarray(values, numpy.float32) for values in (
    [0.0, -0.0, -1, -7, numpy.inf, -numpy.inf, numpy.nan, -1e30, 1e30],
    [1, 0.5, 2, 2, 2.5, numpy.nan, 2, -1, 0], [2, 2, 0, -1, -0.5, 1, numpy.nan, 2, 1],
    [-1, 1.5, 1, 1, numpy.inf, numpy.nan, 0, 0, 1], [1, 1, 0, -1, 2, 2, 0, -3, numpy.nan])]


# --- Complex numbers ---

generator = numpy.random.default_rng(11)


def f(*shape, kind=numpy.float32):
    return generator.normal(size=shape).astype(kind)


def c(*shape, kind=numpy.complex64):
    return (generator.normal(size=shape) + 1j * generator.normal(size=shape)).astype(kind)


def complex_functions(x, y):
    return [x + y, x - y, x * y, x / y, -x, jnp.conj(x), jnp.abs(x), jnp.angle(x), jnp.exp(x), jnp.expm1(x), jnp.log(x),
            jnp.log1p(x), jnp.sqrt(x), jax.lax.rsqrt(x), x**y, x**3, jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.sinh(x),
            jnp.cosh(x), jnp.tanh(x), jnp.arcsin(x), jnp.arccos(x), jnp.arctan(x), jnp.arcsinh(x), jnp.arccosh(x),
            jnp.arctanh(x), jnp.sign(x), jax.nn.sigmoid(x), x == y, x != x, jnp.isfinite(x), jnp.square(x)]


def complex_movement(x, y, k):
    two = jnp.arange(2)
    return [x.reshape(2, 12), x.T, x[1:3, ::2], x[::-1], jnp.concatenate([x, y]), jnp.pad(x, 1), x[jnp.array([2, 0])],
            jax.lax.dynamic_slice(x, (k, 1), (2, 3)), jax.lax.dynamic_update_slice(x, y[:2, :2], (k, 2)),
            jnp.where(x.real > 0, x, y), jnp.broadcast_to(x[:, None], (4, 2, 6)), x.at[two].add(1j), x.at[two].set(y[two]),
            x.real, x.imag, x.real.astype(x.dtype), x * numpy.array([1, 2j, 3, 4, 5, 6j]), jnp.sort(x, 1), jnp.vander(x[0], 3)]


def complex_sums(x, y):
    return [x.sum(), x.sum(0), x.mean(1), jnp.prod(x, 1), jnp.cumsum(x, 1), x @ y.T, jnp.einsum("ij,ij->i", x, y.conj()),
            jnp.outer(x[0], y[0]), jnp.convolve(x[0], y[1]), jnp.linalg.norm(x), jnp.var(x), x.dot(y[0])]


@jax.jit
def _turn(x, by):
    return x * by, by * 1j


def complex_control(x, k):
    scanned, rows = jax.lax.scan(lambda state, row: (state * row, state + row), x[0], x)
    grown = jax.lax.while_loop(lambda z: jnp.abs(z).sum() < 1000, lambda z: z * (1 + 1j), x)
    counted = jax.lax.fori_loop(0, 5, lambda i, z: z * 0.5j + i, x)
    chosen = jax.lax.cond(k > 0, jnp.conj, jnp.negative, x)
    return scanned, rows, grown, counted, chosen, _turn(x, x[0])


def transforms(x, z):
    fft = jnp.fft
    return [fft.fft(x), fft.fft(z), fft.ifft(z), fft.rfft(x), fft.irfft(z), fft.irfft(z, 9), fft.fft2(z), fft.ifft2(z),
            fft.rfft2(x), fft.irfft2(z), fft.fftn(z), fft.rfftn(x), fft.irfftn(z), fft.fft(x, axis=0), fft.rfft(x, 10),
            fft.hfft(z), jax.grad(lambda v: jnp.abs(fft.rfft(v)).sum())(x), jax.scipy.signal.fftconvolve(x[0], x[1])]


# --- Linear algebra ---


def direct(a, s, tall, wide):
    linalg, lu = jnp.linalg, jax.lax.linalg.lu
    return [linalg.cholesky(s), linalg.cholesky(s, upper=True), linalg.cholesky(-s), lu(a), lu(tall), lu(wide), lu(a * 0),
            linalg.qr(a), linalg.qr(tall), linalg.qr(wide), linalg.qr(tall, mode="complete")]


def systems(a, s, b):
    linalg = jnp.linalg
    return [linalg.det(a), linalg.inv(a), linalg.solve(a, b), jax.scipy.linalg.expm(a / 4),
            jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(s), b),
            jax.grad(lambda v: linalg.cholesky(v).sum())(s)]


def triangular(a, b, c):
    solve = jax.lax.linalg.triangular_solve
    return [solve(a, side, left_side=left, lower=lower, transpose_a=transposed, unit_diagonal=unit)
            for left, side in ((True, b), (False, c)) for lower in (False, True) for transposed in (False, True)
            for unit in (False, True)]


# Vectors are determined but for their signs: what is compared are products in which signs cancel.
def spectra(a, s, tall, wide, poor, flat):
    turned = lambda v: jnp.swapaxes(v, -1, -2)
    results = [jnp.linalg.matrix_rank(poor), jnp.linalg.pinv(poor), jnp.linalg.cond(a), jnp.linalg.eigvalsh(a + turned(a)),
               jnp.linalg.eigvalsh(s * jnp.nan), jnp.linalg.svd(a * jnp.nan, compute_uv=False),
               jax.grad(lambda v: jnp.linalg.svd(v, compute_uv=False).sum())(a)]
    for matrix in (s, flat):
        values, vectors = jnp.linalg.eigh(matrix)
        results += [values, (vectors * values[..., None, :]) @ turned(vectors), turned(vectors) @ vectors]
    for matrix in (a, tall, wide, poor, poor * 0):
        u, values, v = jnp.linalg.svd(matrix, full_matrices=False)
        results += [values, (u * values[..., None, :]) @ v, turned(u) @ u, v @ turned(v)]
    for matrix in (tall, wide):
        u, values, v = jnp.linalg.svd(matrix)
        results += [turned(u) @ u, v @ turned(v), jnp.abs(turned(u) @ matrix @ turned(v))]
    return results


def matrices(kind):
    a = f(8, 8, kind=kind) / 2 + 3 * numpy.roll(numpy.eye(8, dtype=kind), 3, 0)  # rows must change places
    return {"a": a, "s": a @ a.T + 4 * numpy.eye(8, dtype=kind), "b": f(8, 70, kind=kind), "tall": f(2, 7, 4, kind=kind),
            "wide": f(2, 4, 7, kind=kind), "poor": f(6, 2, kind=kind) @ f(2, 5, kind=kind),
            "flat": numpy.full((40, 40), 1 / 40, kind)}


def pick(given, *names):
    return [given[name] for name in names]


# --- Floats of 8 bits ---


def float8(x, e, g):
    low, high = jnp.float8_e4m3fn, jnp.float8_e5m2
    return [x.astype(low), x.astype(high), x.astype(jnp.float8_e4m3fnuz), x.astype(jnp.float8_e5m2fnuz), e.astype(jnp.float32),
            g.astype(jnp.bfloat16), e.astype(high), e + e, e * e, -g, jnp.abs(e), e < 1, jnp.where(e > 0, e, e * 0),
            jnp.concatenate([e[::2], e[:3]]), jnp.pad(g, 2), e.at[3].set(2), jnp.arange(5).astype(low),
            e * jnp.asarray([0.5, 2] * 16, low), e.astype(jnp.int32), jnp.isfinite(g), jax.lax.bitcast_convert_type(e, jnp.uint8),
            jax.lax.dot_general(e.reshape(4, 8), e.reshape(4, 8), (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)]


def samples():
    single, double = matrices(numpy.float32), matrices(numpy.float64)
    near = f(2, 6, 6) * 0.3 + 2 * numpy.eye(6, dtype=numpy.float32)
    return {
        "special": (special, *special_arguments(numpy.float32)),
        "special_double": (special, *special_arguments(numpy.float64)),
        "special_limits": (special_limits, *LIMITS),
        "complex_functions": (complex_functions, c(5, 7), c(5, 7)),
        "complex_double": (complex_functions, c(4, kind=numpy.complex128), c(4, kind=numpy.complex128)),
        "complex_movement": (complex_movement, c(4, 6), c(4, 6), numpy.int32(1)),
        "complex_sums": (complex_sums, c(4, 6), c(4, 6)),
        "complex_control": (complex_control, c(4, 6), numpy.int32(1)),
        "direct": (direct, *pick(single, "a", "s", "tall", "wide")),
        "direct_double": (direct, *pick(double, "a", "s", "tall", "wide")),
        "systems": (systems, *pick(single, "a", "s", "b")),
        "triangular": (triangular, near, f(2, 6, 3), f(2, 3, 6)),
        "spectra": (spectra, *pick(single, "a", "s", "tall", "wide", "poor", "flat")),
        "spectra_double": (spectra, *pick(double, "a", "s", "tall", "wide", "poor", "flat")),
        "float8": (float8, f(32) * 40, jnp.asarray(f(32) * 4, jnp.float8_e4m3fn), jnp.asarray(f(16) * 4, jnp.float8_e5m2)),
        "transforms": (transforms, f(3, 4, 6), c(3, 4, 6)),
    }


EXPECTED = {"special": special_values, "special_double": special_values}
# Lowered with 64 bits.
DOUBLE = {"special_double", "complex_double", "direct_double", "spectra_double"}
