# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the programs of several ranks in `RankInputs`: jax.shard_map lowered by JAX, with inputs and expected outputs.

Not part of the tests, which need no JAX: run it where `jax` is installed, after a change here.

    python test/stablehlo/make_rank_samples.py [NAME…]

NAME_N.mlir is the program on N ranks, in the short form (NAME_2 in the generic one); NAME_N.npz holds `in0…` and `out0…`
of whole arrays, in the order of the entry point's arguments and results. JAX runs them on N devices of the processor.
"""
import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
FOLDER = pathlib.Path(__file__).parent / "RankInputs"
SIZES = {2: (2, 1), 4: (2, 2), 8: (4, 2)}  # of the axes x and y
generator = numpy.random.default_rng(11)


def f(*shape, scale=1.0):
    return jnp.asarray(generator.normal(size=shape) * scale, jnp.float32)


def i(*shape, low=-9, high=9, kind=jnp.int32):
    return jnp.asarray(generator.integers(low, high, shape)).astype(kind)


def over(mesh, ins, outs, **options):
    options.setdefault("check_vma", False)
    return lambda function: jax.shard_map(function, mesh=mesh, in_specs=ins, out_specs=outs, **options)


XY = P("x", "y")


# Each sample gives (function of whole arrays, arguments…) for a mesh of axes x and y.


def sums(mesh):
    @over(mesh, (XY, XY, P("x"), XY), (P(None, "y"), P("x"), P(), P(None, "y"), P("x"), P(), P(), P("x", None), P(), P()))
    def body(a, n, u, p):
        half = a.astype(jnp.bfloat16)
        return (lax.psum(a, "x"), lax.pmean(a, "y"), lax.psum(a, ("x", "y")), lax.pmax(a, "x"), lax.pmin(n, "y"),
                lax.psum(n, ("y", "x")), lax.pmax(u, "x"), lax.psum(half, "y").astype(jnp.float32),
                lax.pmin(u, ("x", "y")), lax.psum(p.astype(jnp.int32), ("x", "y")) > 1)

    return body, f(8, 6), i(8, 6), i(8, low=0, high=250, kind=jnp.uint8), f(8, 6) > 0


def float8_sums(mesh):
    """Results by their bits."""
    kinds = (jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz)

    @over(mesh, (XY,), (P(None, "y"), P(), P("x"), P("x", "y")) * len(kinds))
    def body(a):
        results = []
        for kind in kinds:
            v = a.astype(kind)
            results += [lax.psum(v, "x"), lax.pmax(v, ("x", "y")), lax.pmin(v, "y"),
                        lax.psum_scatter(v, "x", scatter_dimension=1, tiled=True)]
        return tuple(lax.bitcast_convert_type(one, jnp.uint8) for one in results)

    return body, f(8, 16, scale=3.0)


def gathers(mesh):
    @over(mesh, (P("x", "y", None),), (P("x"), P(None, "y"), P("x"), P(), P("x"), P(), P(), P("x")))
    def body(a):
        gather = lax.all_gather
        return (gather(a, "y", axis=1, tiled=True), gather(a, "x", axis=0, tiled=True), gather(a, "y", axis=2, tiled=True),
                gather(a, ("x", "y"), axis=0, tiled=True), gather(a, "y", axis=1), gather(a, ("y", "x"), axis=3),
                gather(a[0, 0, 0], ("x", "y")), gather(a.astype(jnp.int8), "y", axis=0, tiled=True))

    return body, f(8, 4, 3, scale=5.0)


def permutes(mesh):
    @over(mesh, (XY,), (XY,) * 6)
    def body(a):
        n, m = (lax.axis_size(name) for name in ("x", "y"))
        ring = [(p, (p + 1) % n) for p in range(n)]
        back = [(p, (p - 1) % (n * m)) for p in range(n * m)]
        return (lax.ppermute(a, "x", ring), lax.ppermute(a, "x", [(0, n - 1)]), lax.ppermute(a, ("x", "y"), back),
                lax.ppermute(a, "y", [(p, m - 1 - p) for p in range(m)]), lax.pshuffle(a, "x", list(range(n))[::-1]),
                lax.ppermute(a, ("x", "y"), [(n * m - 1, 0), (0, 1)]))

    return body, f(8, 6)


def exchanges(mesh):
    @over(mesh, (P("x", "y", None),), (P("x", "y"), P("x", "y"), P(("x", "y")), P("x", "y"), P("x", "y"), P(("x", "y"))))
    def body(a):
        n = lax.axis_size("x")
        both = lax.all_to_all(a.reshape(-1), ("x", "y"), 0, 0, tiled=True)
        return (lax.all_to_all(a, "x", 2, 0, tiled=True), lax.all_to_all(a, "x", 2, 1, tiled=True), both,
                lax.all_to_all(a, "x", 2, 2, tiled=True), lax.all_to_all(a[:, :, :n], "x", 2, 0),
                lax.all_to_all(a.reshape(n, -1), "x", 0, 1))

    return body, f(8, 8, 8)


def scatters(mesh):
    @over(mesh, (P("x", "y"),), (P("x", "y"), P("x", "y"), P(("x", "y")), P(("y", "x")), P("x", "y"), P(("y", "x"))))
    def body(a):
        n = lax.axis_size("x")
        scatter = lax.psum_scatter
        return (scatter(a, "x", scatter_dimension=0, tiled=True), scatter(a, "x", scatter_dimension=1, tiled=True),
                scatter(a.reshape(-1), ("x", "y"), tiled=True), scatter(a.reshape(-1), ("y", "x"), tiled=True),
                scatter(a, "y", scatter_dimension=0, tiled=True), scatter(a[:n].astype(jnp.int32), "x"))

    return body, f(16, 8, scale=4.0)


def indices(mesh):
    @over(mesh, (P(), P("x", "y")), (P(("x", "y")), P(("x", "y")), P(("x", "y")), XY, P(("x", "y")), XY))
    def body(table, a):
        x, y = lax.axis_index("x"), lax.axis_index("y")
        both = lax.axis_index(("y", "x"))
        row = lax.dynamic_slice(table, (2 * x + y, 0), (1, 4))
        chosen = jnp.where(y == 0, a, a * (x + 1))
        return (jnp.stack([x, y]), both[None], row, chosen, table[both][None], lax.dynamic_update_slice(a, a[:1, :1], (0, y)))

    return body, f(11, 4), f(8, 6)


def groups(mesh):
    n = mesh.devices.size
    line = Mesh(mesh.devices.reshape(-1), ("i",))
    even, halves = [list(range(0, n, 2)), list(range(1, n, 2))], [list(range(n // 2)), list(range(n // 2, n))]
    mixed = [[0, n - 1], *([p, n - 1 - p] for p in range(1, n // 2))]

    @over(line, (P("i"),), (P("i"),) * 5)
    def body(a):
        return (lax.psum(a, "i", axis_index_groups=even), lax.all_gather(a, "i", axis_index_groups=halves, tiled=True),
                lax.psum(a, "i", axis_index_groups=mixed), lax.pmax(a, "i", axis_index_groups=halves),
                lax.all_to_all(a, "i", 1, 0, axis_index_groups=mixed, tiled=True))

    return body, f(8, 4)


def mlp(mesh):
    """A multi-layer perceptron whose hidden layer is cut: one sum over ranks."""

    @over(mesh, (P(None, None), P(None, ("x", "y")), P(("x", "y"), None), P(None)), P())
    def body(a, first, second, bias):
        return lax.psum(jax.nn.gelu(a @ first) @ second, ("x", "y")) + bias

    return body, f(5, 12), f(12, 32, scale=0.3), f(32, 7, scale=0.2), f(7)


def mlp_step(mesh):
    """Gradients through jax.shard_map; the update is made outside of it."""

    @over(mesh, (P("y", None), P(None, "x"), P("x", None)), P("y", None), check_vma=True)
    def network(a, first, second):
        return lax.psum(jnp.tanh(a @ first) @ second, "x")

    def step(params, a, target):
        loss, gradient = jax.value_and_grad(lambda p: jnp.mean((network(a, *p) - target) ** 2))(params)
        return loss, jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)

    return step, (f(12, 16, scale=0.3), f(16, 6, scale=0.3)), f(8, 12), f(8, 6)


def data_parallel(mesh):
    """Each rank has rows of the batch; gradients are averaged where they are made."""

    @over(mesh, ((P(), P()), P(("x", "y")), P(("x", "y"))), (P(), (P(), P())))
    def step(params, a, target):
        def loss(p):
            return jnp.mean((jnp.tanh(a @ p[0]) @ p[1] - target) ** 2)

        value, gradient = jax.value_and_grad(loss)(params)
        gradient = lax.pmean(gradient, ("x", "y"))
        return lax.pmean(value, ("x", "y")), jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)

    return step, (f(6, 10, scale=0.4), f(10, 3, scale=0.4)), f(16, 6), f(16, 3)


def loops(mesh):
    """A sum around a ring, sums in a scan, and a loop until all ranks together are small."""

    @over(mesh, (P("x", None), P()), (P("x"), P(), P("x", None), P()))
    def body(a, w):
        n = lax.axis_size("x")
        ring = [(p, (p + 1) % n) for p in range(n)]

        def around(_, state):
            total, moving = state
            moving = lax.ppermute(moving, "x", ring)
            return total + moving, moving

        total, _ = lax.fori_loop(0, n - 1, around, (a, a))
        state, sums = lax.scan(lambda s, row: (jnp.tanh(lax.psum(s * row, "x")), lax.pmax(row.sum(), "x")), w, a)
        small, count = lax.while_loop(lambda c: lax.psum(jnp.sum(c[0] ** 2), "x") > 1e-2, lambda c: (c[0] * 0.5, c[1] + 1),
                                      (a, jnp.int32(0)))
        return total, state, small, jnp.append(sums, count.astype(jnp.float32))

    return body, f(8, 6), f(6)


def branches(mesh):
    """Sums within branches that all ranks take alike."""

    @over(mesh, (XY, P()), (P("x"), P(), P(None, "y")))
    def body(a, n):
        total = lax.psum(a.sum(), ("x", "y"))
        return (lax.cond(total > 0, lambda v: lax.psum(v, "y"), lambda v: lax.pmax(v, "y") * 2, a),
                lax.switch(n, [lambda v: lax.psum(v, ("x", "y")), lambda v: lax.pmean(v, ("x", "y")), jnp.zeros_like], a),
                lax.cond(n > 5, lambda v: lax.psum(v, "x"), lambda v: -lax.psum(v, "x"), a))

    return body, f(8, 6), jnp.int32(1)


def halo(mesh):
    """A stencil whose parts exchange their borders, three steps of it."""

    @over(mesh, (P("x", None),), P("x", None))
    def body(a):
        n = lax.axis_size("x")

        def step(_, v):
            below = lax.ppermute(v[-1:], "x", [(p, p + 1) for p in range(n - 1)])
            above = lax.ppermute(v[:1], "x", [(p + 1, p) for p in range(n - 1)])
            wide = jnp.concatenate([below, v, above])
            return 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]

        return lax.fori_loop(0, 3, step, a)

    return body, f(16, 5)


def attention(mesh):
    """Attention whose keys and values go around a ring of ranks."""

    @over(mesh, (P("x", None),) * 3, P("x", None))
    def body(q, k, v):
        n = lax.axis_size("x")
        ring = [(p, (p + 1) % n) for p in range(n)]
        scores = lambda k: q @ k.T / jnp.sqrt(jnp.float32(q.shape[-1]))

        def step(_, state):
            k, v, most, total, out = state
            s = scores(k)
            new = jnp.maximum(most, s.max(-1, keepdims=True))
            p, old = jnp.exp(s - new), jnp.exp(most - new)
            return (lax.ppermute(k, "x", ring), lax.ppermute(v, "x", ring), new, total * old + p.sum(-1, keepdims=True),
                    out * old + p @ v)

        start = (k, v, jnp.full((q.shape[0], 1), -jnp.inf), jnp.zeros((q.shape[0], 1)), jnp.zeros_like(v))
        *_, total, out = lax.fori_loop(0, n, step, start)
        return out / total

    return body, f(16, 8), f(16, 8), f(16, 8)


def nested(mesh):
    """Manual axes one after the other: a computation over y in one over x, and one over y alone."""

    def inner(a):
        return lax.psum(a, "y")

    def outer(a):
        a = lax.psum(a, "x")
        return jax.shard_map(inner, in_specs=P(None, "y"), out_specs=P(), axis_names={"y"}, check_vma=False)(a)

    def both(a, b):
        one = jax.shard_map(outer, mesh=mesh, in_specs=P("x", None), out_specs=P(), axis_names={"x"}, check_vma=False)
        two = jax.shard_map(lambda v: lax.all_gather(v, "y", axis=1, tiled=True) * 2, mesh=mesh, in_specs=P(None, "y"),
                            out_specs=P(), axis_names={"y"}, check_vma=False)
        return jax.jit(one)(a), jax.jit(two)(b)

    return both, f(8, 6), f(4, 6)


def mixed(mesh):
    """Manual computations among others, one that reads what another gives, and constants."""
    weights = f(8, 6)
    rows = over(mesh, (P("x", None), P("x", None)), P("x", None))
    columns = over(mesh, (P("x", "y"),), P(None, "y"))

    def body(a):
        scaled = rows(lambda v, w: v * w + lax.psum(v, "x"))(a * 2, weights)
        summed = columns(lambda v: lax.psum(v, "x"))(scaled)
        same = rows(lambda v, w: v - w)(scaled, a)
        return summed.sum(1) + 1, same, scaled.T

    return body, f(8, 6)


def scanned(mesh):
    """A manual computation in a loop of a whole program."""
    layer = over(mesh, (P("x", None), P(None, "y")), P("x", "y"))(lambda v, w: jnp.tanh(v @ w))

    def body(a, weights):
        return lax.scan(lambda v, w: (layer(v, w), v.sum()), a, weights)

    return body, f(8, 6), f(3, 6, 6, scale=0.5)


def specs(mesh):
    """One array cut in every way."""
    def way(ins, outs):
        return over(mesh, (ins,), outs)(lambda v: v * 2 + 1)

    def body(a, b):
        return (way(P(("x", "y")), P(("x", "y")))(a), way(P(("y", "x")), P(("y", "x")))(a),
                way(P("y", "x"), P("y", "x"))(a), way(P(None, ("x", "y")), P(None, ("x", "y")))(b), way(P(), P())(b))

    return body, f(8, 8), f(3, 8)


def complex_sums(mesh):
    @over(mesh, (XY, P("x")), (P(None, "y"), P("x"), P("x", "y"), P()))
    def body(re, im):
        a = lax.complex(re, im[:, None] * jnp.ones_like(re))
        s = lax.psum(a, "x")
        g = lax.all_gather(a, "y", axis=1, tiled=True)
        p = lax.ppermute(a, "x", [(0, 1)])
        return (jnp.abs(s), g, jnp.imag(p), lax.psum(a, ("x", "y")))

    return body, f(8, 6), f(8)


def mapped(mesh):
    """jax.pmap, and arguments that are cut when the program is lowered."""
    devices = list(mesh.devices.flat)
    function = jax.pmap(lambda a: lax.psum(a, "i") + a * lax.axis_index("i"), axis_name="i", devices=devices)
    return function, f(len(devices), 5)


def placed(mesh):
    """Arguments that lie cut on devices already."""
    body = over(mesh, (XY, P()), P("x", None))(lambda a, b: lax.psum(a, "y") * b)
    return body, jax.device_put(f(8, 6), NamedSharding(mesh, XY)), jax.device_put(f(1, 1), NamedSharding(mesh, P()))


def products(mesh):
    """The two products of "a sum over ranks" and "rows gathered first"."""

    def body(a, b):
        summed = over(mesh, (P("x", "y"), P("y", None)), P("x", None))(lambda a, b: lax.psum(a @ b, "y"))
        joined = over(mesh, (P("y", None), P()), P())(lambda a, b: lax.all_gather(a, "y", tiled=True) @ b)
        return summed(a, b), joined(a, b)

    return body, f(8, 16), f(16, 32)


SAMPLES = [sums, gathers, permutes, exchanges, scatters, indices, groups, mlp, mlp_step, data_parallel, loops, branches, halo,
           attention, nested, mixed, scanned, specs, complex_sums, float8_sums, mapped, placed,
           products]


# Complex numbers stand with a last dimension of both parts, as the compiled program gives them.
def storable(value):
    value = numpy.asarray(value)
    return numpy.stack([value.real, value.imag], -1) if value.dtype.kind == "c" else value


def write(name, function, args, is_generic):
    jitted = function if hasattr(function, "lower") else jax.jit(function, keep_unused=True)
    lowered = jitted.lower(*args)
    text = lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=is_generic)
    (FOLDER / f"{name}.mlir").write_text(LICENCE + text)
    arrays = {f"in{n}": storable(value) for n, value in enumerate(jax.tree.leaves(args))}
    arrays |= {f"out{n}": storable(value) for n, value in enumerate(jax.tree.leaves(jitted(*args)))}
    numpy.savez_compressed(FOLDER / f"{name}.npz", **arrays)


def main():
    chosen = sys.argv[1:]
    for sample in SAMPLES:
        if chosen and sample.__name__ not in chosen:
            continue
        for ranks, sizes in SIZES.items():
            mesh = Mesh(numpy.array(jax.devices()[:ranks]).reshape(sizes), ("x", "y"))
            function, *args = sample(mesh)
            write(f"{sample.__name__}_{ranks}", function, args, ranks == 2)


if __name__ == "__main__":
    main()
