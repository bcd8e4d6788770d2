# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the StableHLO samples in `Inputs`: programs lowered by JAX in generic form, with inputs and expected outputs.

Not part of the tests, which need no JAX: run it where `jax` is installed, after a change here.

    python test/stablehlo/make_samples.py [NAME…]

`numeric_samples.py` has those of special functions (needs `mpmath`), complex numbers and linear algebra.
NAME.mlir is what `jax.jit(f).lower(*args)` prints; NAME.npz holds `in0…` and `out0…` in the order of the entry point's
arguments and results. bfloat16 and float8 values stand as unsigned integers of the same width.
"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy

import numeric_samples

LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
FOLDER = pathlib.Path(__file__).parent / "Inputs"
generator = numpy.random.default_rng(7)


def f(*shape, kind=jnp.float32, scale=1.0):
    return jnp.asarray(generator.normal(size=shape) * scale).astype(kind)


def i(*shape, low=0, high=10, kind=jnp.int32):
    return jnp.asarray(generator.integers(low, high, shape)).astype(kind)


# --- Networks ---


def dense(params, x):
    weights, bias = params
    return x @ weights + bias


def mlp(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(dense(layer, x))
    return jax.nn.log_softmax(dense(params[-1], x))


def mlp_params(*widths):
    return [(f(m, n, scale=m**-0.5), f(n)) for m, n in zip(widths, widths[1:])]


def convolve(x, weights, stride=1, padding="SAME", **options):
    return jax.lax.conv_general_dilated(x, weights, (stride, stride), padding,
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)


def convolution_net(params, x):
    first, scale, shift, second, head = params
    x = convolve(x, first)
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    x = jax.nn.relu((x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + shift)
    x = convolve(x, second, stride=2)
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return dense(head, x.reshape(x.shape[0], -1))


def convolution_params():
    return (f(3, 3, 3, 8, scale=0.3), f(8), f(8), f(3, 3, 8, 12, scale=0.2), (f(3 * 3 * 12, 5, scale=0.1), f(5)))


def attention(params, x):
    heads = 4
    batch, length, width = x.shape
    split = lambda w: (x @ w).reshape(batch, length, heads, width // heads)
    q, k, v = (split(w) for w in params[:3])
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(width / heads)
    mask = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e30))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, length, width) @ params[3]


def attention_params():
    return tuple(f(32, 32, scale=0.2) for _ in range(4))


def recurrent(params, x):
    inputs, state = params

    def step(h, row):
        h = jnp.tanh(row @ inputs + h @ state)
        return h, h.sum()

    return jax.lax.scan(step, jnp.zeros((x.shape[1], state.shape[0])), x)


def step_of(network):
    """A step of gradient descent on the mean square of what the network gives."""

    def loss(params, *args):
        return jnp.mean(jax.tree.leaves(network(params, *args))[0] ** 2)

    def step(params, *args):
        value, gradient = jax.value_and_grad(loss)(params, *args)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)

    return step


def batch_norm_step(params, x):
    return step_of(convolution_net)(params, x)


def cache_step(cache, position, key, query):
    cache = jax.lax.dynamic_update_slice(cache, key[None], (position, 0))
    scores = jnp.where(jnp.arange(cache.shape[0]) <= position, cache @ query, -jnp.inf)
    return cache, jax.nn.softmax(scores) @ cache


# --- Control flow ---


def newton(x):
    def improve(state):
        guess, _, n = state
        better = 0.5 * (guess + x / guess)
        return better, jnp.abs(better - guess), n + 1

    return jax.lax.while_loop(lambda s: (s[1] > 1e-4) & (s[2] < 50), improve, (x, jnp.float32(1), 0))


def countdown(x):
    return jax.lax.fori_loop(0, 7, lambda i, y: y * 0.5 + i, x)


def branches(n, x):
    return (jax.lax.cond(n > 2, jnp.sin, jnp.cos, x),
            jax.lax.switch(n, [lambda y: y, lambda y: y * 2, lambda y: y.sum() + y], x))


def choices(ns, x):
    return [jax.lax.switch(n, [jnp.sin, jnp.cos, jnp.tanh, jnp.negative, jnp.square], x) for n in ns]


# --- Single ops and small groups ---


def unary(x):
    return [op(x) for op in (jnp.abs, jnp.negative, jnp.exp, jnp.expm1, jnp.log1p, jnp.sqrt, jax.lax.rsqrt, jnp.cbrt,
                             jnp.tanh, jax.nn.sigmoid, jnp.sin, jnp.cos, jnp.tan, jnp.floor, jnp.ceil, jnp.rint,
                             jax.lax.round, jnp.sign, jnp.isfinite, jax.lax.erf, jax.lax.erfc, jnp.log,
                             jax.nn.gelu, jax.nn.softplus, jnp.square, jnp.arctan, jnp.sinh, jnp.cosh)]


def unary_negative(x):
    return [op(x) for op in (jnp.abs, jnp.exp, jnp.tanh, jnp.floor, jnp.ceil, jnp.rint, jax.lax.round, jnp.sign,
                             jax.lax.erf, jax.lax.erfc, jnp.cbrt, jax.nn.gelu, jnp.expm1)]


def unary_unit(x):
    return [op(x) for op in (jnp.arcsin, jnp.arccos, jnp.arctanh, jax.lax.erf_inv, jnp.arcsinh)]


def binary(x, y):
    return [op(x, y) for op in (jnp.add, jnp.subtract, jnp.multiply, jnp.divide, jnp.maximum, jnp.minimum, jnp.arctan2,
                                jnp.fmod, jnp.remainder, jnp.equal, jnp.not_equal, jnp.less, jnp.greater_equal,
                                jnp.logaddexp)] + [jnp.power(jnp.abs(x), y), jnp.clip(x, -0.5, y), jnp.where(x > y, x, 2.0)]


def integers(x, y):
    return [op(x, y) for op in (jnp.add, jnp.subtract, jnp.multiply, jnp.bitwise_and, jnp.bitwise_or, jnp.bitwise_xor,
                                jax.lax.div, jax.lax.rem, jnp.maximum, jnp.minimum, jnp.less, jnp.equal)] + [
        ~x, -x, jnp.abs(x), jnp.sign(x), jax.lax.population_count(x), jax.lax.clz(x), x ** 3,
        jax.lax.shift_left(x, y & 7), jax.lax.shift_right_logical(x, y & 7), jax.lax.shift_right_arithmetic(x, y & 7)]


def conversions(x, n, p, u):
    return [x.astype(jnp.int32), x.astype(jnp.int8), x.astype(jnp.float16), x.astype(jnp.bfloat16).astype(jnp.float32),
            n.astype(jnp.float32), n.astype(jnp.uint8), p.astype(jnp.int32), u.astype(jnp.float32), x.astype(bool),
            jax.lax.bitcast_convert_type(x, jnp.int32), jax.lax.bitcast_convert_type(n, jnp.float32),
            jax.lax.bitcast_convert_type(x, jnp.uint8), jax.lax.bitcast_convert_type(x, jnp.uint16)]


def shapes(x, y):
    return [x.T, x.reshape(5, 6), x[::-1], x[1:4, ::2], jnp.concatenate([x, y], 1), jnp.pad(x, ((1, 2), (0, 3))),
            jax.lax.pad(x, 0.5, ((-1, 2, 1), (1, -2, 2))), jnp.tile(x, (2, 1)), jnp.stack([x, x * 2]),
            jnp.broadcast_to(x[:, None], (6, 3, 5)), jnp.roll(x, 2, 1), jnp.repeat(x, 2, axis=0), jnp.diag(x[:, 0]),
            jnp.arange(12).reshape(3, 4) + 1, jax.lax.dynamic_slice(x, (2, 1), (3, 3)), jnp.eye(4)[:, 1:],
            jax.lax.rev(x, (1,)), jnp.flip(jnp.transpose(x[None], (2, 0, 1)), 2)]


def dots(a, b, c, d):
    return [a @ b, jnp.einsum("ij,kj->ik", a, d), jnp.einsum("ij,ij->i", a, a), jnp.einsum("bij,bjk->bik", c, c),
            jnp.einsum("bij,kj->bik", c, c[0]), jnp.einsum("bij,bkj->kbi", c, c), jnp.outer(a[0], b[:, 0]),
            jnp.tensordot(c, c, ((0, 2), (0, 1))), a[0] @ b, a @ b[:, 0], a[0] @ a[1], jnp.einsum("ijk,jil->jkl", c, jnp.swapaxes(c, 0, 1))]


def reductions(x, n, p):
    return [x.sum(), x.sum(0), x.mean((1, 2)), x.max(2), x.min((0, 1)), x.prod(1), n.sum(1), n.max(), p.any(1), p.all(),
            x.argmax(1), x.argmin(0), n.argmax(1), jax.nn.logsumexp(x, 2), x.var(1), jnp.linalg.norm(x, axis=0), x.std(1)]


def rounding(x):
    return [jax.lax.reduce_precision(x, 8, 7), jnp.nextafter(x, 2.0), jnp.nextafter(x * 0, x), jax.lax.optimization_barrier(x)]


def precisions(x, h, b):
    widths = [(5, 10), (8, 23), (8, 0), (4, 3), (1, 2), (2, 30)]
    return [jax.lax.reduce_precision(value, *width) for value in (x, h, b) for width in widths]


def tails(x, u):
    return jax.lax.erfc(x), jax.lax.erf_inv(u), jax.nn.gelu(x, approximate=False)


def windows(x):
    lax = jax.lax
    return [lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
            lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            lax.reduce_window(x, 0.0, lax.add, (1, 1, 3, 3), (1, 1, 1, 2), "SAME", window_dilation=(1, 1, 2, 1)),
            lax.reduce_window(x, jnp.inf, lax.min, (1, 3, 2, 1), (1, 1, 1, 1), "VALID", base_dilation=(1, 2, 1, 1)),
            jnp.cumsum(x, 1), lax.cummax(x, 2, reverse=True), jnp.cumprod(x, 3)]


def pool_gradient(x):
    pool = lambda y: jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    mean = lambda y: jax.lax.reduce_window(y, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.grad(lambda y: (pool(y) ** 2).sum())(x), jax.grad(lambda y: (mean(y) ** 2).sum())(x)


def convolutions(x, w, g, t):
    lax = jax.lax
    return [convolve(x, w), convolve(x, w, 2, "VALID"), convolve(x, w, rhs_dilation=(2, 2)),
            convolve(x, g, feature_group_count=2), convolve(x, t, feature_group_count=4),
            lax.conv_transpose(x, w, (2, 2), "SAME"),
            convolve(x, w, padding=((2, -1), (0, 3))), convolve(x, w, padding=((1, 2), (1, 0)), lhs_dilation=(2, 3)),
            lax.conv(jnp.transpose(x, (0, 3, 1, 2)), jnp.transpose(w, (3, 2, 0, 1)), (1, 1), "SAME"),
            lax.conv_general_dilated(x[0], w[0], (1,), "SAME", dimension_numbers=("NHC", "HIO", "NHC")),
            convolve(x, w, batch_group_count=2)]


def convolution_gradients(x, w, g):
    total = lambda *a, **o: (convolve(*a, **o) ** 2).sum()
    return [jax.grad(total, (0, 1))(x, w), jax.grad(lambda a, b: total(a, b, stride=2), (0, 1))(x, w),
            jax.grad(lambda a, b: total(a, b, feature_group_count=2), (0, 1))(x, g)]


def sorting(x, n):
    return [jnp.sort(x, 1), jnp.argsort(x, 1), jnp.sort(n, 0), jnp.argsort(n, 0, descending=True),
            jax.lax.top_k(x, 3), jnp.median(x, 1), jax.lax.sort((n, x), num_keys=2), jnp.sort(x.ravel())[::-1]]


def gathers(table, ids, x, n):
    return [table[ids], jnp.take_along_axis(x, n[:, :3] % x.shape[1], 1), x[ids[0] % x.shape[0], 2], table[:, ids[0]%8],
            jnp.take(table, ids + 5, axis=0, mode="clip"), jnp.take(table, ids + 5, axis=0), x[n[0, 0] % 4],
            jax.vmap(lambda row, k: jax.lax.dynamic_slice(row, (k,), (2,)))(x, n[:, 0])]


def scatters(x, ids, rows, n):
    return [x.at[ids].set(rows), x.at[ids].add(rows), x.at[ids].max(rows), x.at[ids].min(rows), x.at[ids].mul(rows),
            x.at[ids, 2].set(7.0), x.at[:, ids].add(1.0), x.at[3].set(1.5), x.at[1:3, ::2].set(0.0),
            x.at[ids + 4].add(rows), jnp.zeros(6, jnp.int32).at[n].add(1), jnp.bincount(n, length=8),
            jax.ops.segment_sum(rows, ids, 4)]


def embedding_step(table, ids, target):
    loss = lambda t: ((t[ids].mean(1) - target) ** 2).mean()
    value, gradient = jax.value_and_grad(loss)(table)
    return value, table - 0.5 * gradient


def vmapped(a, x):
    return jax.vmap(lambda m, v: jnp.tanh(m @ v) + v.sum(), in_axes=(0, 1))(a, x)


def random_numbers(key):
    a, b, c, d = jax.random.split(key, 4)
    return (jax.random.normal(a, (4, 5)), jax.random.uniform(b, (7,)), jax.random.randint(c, (5,), 0, 10),
            jax.random.bernoulli(d, 0.3, (9,)), jax.random.bits(a, (3,)))


def half(x, w):
    return jax.nn.relu(x @ w) + x[:, :1], jax.nn.softmax(x), (x * 2).sum(1)


def eight_bits(x, w):
    sums = jax.lax.dot_general(x, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    return sums, (sums >> 4).astype(jnp.int8), x.max(1), x + x


def unsigned(x, y):
    return x // jnp.maximum(y, 1), x > y, x.sum(), x.max(), (x >> 1).astype(jnp.int32), x.astype(jnp.float32)


def linear_algebra(x):
    return jnp.triu(x), jnp.trace(x), jnp.cross(x[:, :3], x[:, 1:4]), jnp.kron(x[:2, :2], x[:2, :2]), jnp.cov(x)


def angles(y, x):
    return jax.lax.atan2(y, x), jax.lax.cbrt(x)


def unsigned_places(x, part, near, far):
    return (jax.lax.dynamic_slice(x, (near,), (3,)), jax.lax.dynamic_slice(x, (far,), (3,)),
            jax.lax.dynamic_update_slice(x, part, (far,)))


SPECIAL = jnp.asarray([0.0, -0.0, 1, -1, 0.5, -2.5, jnp.inf, -jnp.inf, jnp.nan, 300, -1000], jnp.float32)

SCATTERED = jnp.concatenate([SPECIAL, f(60) * 10.0 ** jnp.arange(-42, 18)]).astype(jnp.float32)


def samples():
    image = f(2, 12, 12, 3)
    x, w = f(2, 7, 9, 4), f(3, 3, 4, 6, scale=0.3)
    return {
        "mlp": (mlp, mlp_params(12, 32, 24, 7), f(5, 12)),
        "mlp_step": (step_of(mlp), mlp_params(12, 32, 24, 7), f(5, 12)),
        "convolution_net": (convolution_net, convolution_params(), image),
        "convolution_step": (step_of(convolution_net), convolution_params(), image),
        "attention": (attention, attention_params(), f(2, 10, 32)),
        "attention_step": (step_of(attention), attention_params(), f(2, 10, 32)),
        "recurrent": (recurrent, (f(6, 8, scale=0.4), f(8, 8, scale=0.4)), f(9, 3, 6)),
        "recurrent_step": (step_of(recurrent), (f(6, 8, scale=0.4), f(8, 8, scale=0.4)), f(9, 3, 6)),
        "cache_step": (cache_step, f(8, 4), jnp.int32(5), f(4), f(4)),
        "newton": (newton, jnp.float32(7)),
        "countdown": (countdown, f(4)),
        "branches": (branches, jnp.int32(1), f(5)),
        "choices": (choices, [jnp.int32(n) for n in (-3, 0, 1, 2, 3, 4, 9)], f(5)),
        "unary": (unary, jnp.abs(f(4, 5)) + 0.1),
        "unary_negative": (unary_negative, f(4, 5)),
        "unary_unit": (unary_unit, f(3, 5) * 0.2),
        "binary": (binary, f(4, 5), f(4, 5)),
        "integers": (integers, i(4, 5, low=-50, high=50), i(4, 5, low=1, high=20)),
        "conversions": (conversions, f(3, 4, scale=5.0), i(3, 4, low=-20, high=20), f(3, 4) > 0, i(5, high=200, kind=jnp.uint8)),
        "shapes": (shapes, f(6, 5), f(6, 2)),
        "dots": (dots, f(3, 5), f(5, 4), f(6, 6, 6), f(7, 5)),
        "reductions": (reductions, f(4, 5, 6), i(4, 9, low=-9, high=9), f(4, 5) > 0),
        "rounding": (rounding, f(3, 5)),
        "precisions": (precisions, SCATTERED, SCATTERED.astype(jnp.float16), SCATTERED.astype(jnp.bfloat16)),
        "tails": (tails, jnp.linspace(-6, 9, 60), 1 - jnp.logspace(-7, 0, 60)),
        "windows": (windows, x),
        "pool_gradient": (pool_gradient, x),
        "convolutions": (convolutions, x, w, f(3, 3, 2, 6), f(3, 3, 1, 4)),
        "convolution_gradients": (convolution_gradients, x, w, f(3, 3, 2, 6)),
        "sorting": (sorting, f(4, 9), i(4, 9)),
        "gathers": (gathers, f(10, 8), i(2, 6), f(4, 9), i(4, 9)),
        "scatters": (scatters, f(6, 5), jnp.array([2, 0, 2]), f(3, 5), i(11, high=6)),
        "embedding_step": (embedding_step, f(20, 6), i(3, 4, high=20), f(3, 6)),
        "embedding_many": (embedding_step, f(400, 16), i(10, 10, low=-3, high=410), f(10, 16)),
        "vmapped": (vmapped, f(4, 3, 5), f(5, 4)),
        "random_numbers": (random_numbers, jax.random.PRNGKey(42)),
        "half": (half, f(4, 6, kind=jnp.float16), f(6, 6, kind=jnp.float16)),
        "bfloat": (half, f(4, 6, kind=jnp.bfloat16), f(6, 6, kind=jnp.bfloat16)),
        "eight_bits": (eight_bits, i(4, 6, low=-128, high=128, kind=jnp.int8), i(6, 5, low=-128, high=128, kind=jnp.int8)),
        "unsigned": (unsigned, i(3, 4, high=250, kind=jnp.uint8), i(3, 4, high=250, kind=jnp.uint8)),
        "linear_algebra": (linear_algebra, f(4, 4)),
        "angles": (angles, jnp.repeat(SPECIAL, len(SPECIAL)), jnp.tile(SPECIAL, len(SPECIAL))),
        "unsigned_places": (unsigned_places, f(9), f(3), jnp.uint8(4), jnp.uint32(2**32 - 1)),
    }


# Complex numbers stand as what the compiled program takes and gives: with a last dimension of both parts.
def storable(value):
    value = numpy.asarray(value)
    if value.dtype.kind == "c":
        return numpy.stack([value.real, value.imag], -1)
    return value if value.dtype.isbuiltin == 1 else value.view(f"u{value.dtype.itemsize}")


def write(name, function, *args):
    lowered = jax.jit(function, keep_unused=True).lower(*args)
    text = lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True)
    (FOLDER / f"{name}.mlir").write_text(LICENCE + text)
    results = jax.tree.leaves(numeric_samples.EXPECTED.get(name, jax.jit(function))(*args))
    arrays = {f"in{n}": storable(value) for n, value in enumerate(jax.tree.leaves(args))}
    arrays |= {f"out{n}": storable(value) for n, value in enumerate(results)}
    numpy.savez_compressed(FOLDER / f"{name}.npz", **arrays)


def main():
    chosen = sys.argv[1:]
    for name, (function, *args) in (samples() | numeric_samples.samples()).items():
        if not chosen or name in chosen:
            with jax.enable_x64(name in numeric_samples.DOUBLE):
                write(name, function, *args)


if __name__ == "__main__":
    main()
