# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the programs in `ShardingInputs`: jax.jit with NamedSharding lowered by JAX, with inputs and expected outputs.

Not part of the tests, which need no JAX: run it where `jax` is installed, after a change here.

    python test/stablehlo/make_sharding_samples.py [NAME…]

NAME_N.mlir is the program on N ranks and NAME_N.npz what goes in and what JAX gives on one device, as in make_rank_samples.py;
where JAX on N devices gives something else, its name is printed. Samples in GSPMD are lowered once more as JAX did before
Shardy, to NAMEgspmd_N.
"""
import pathlib
import sys

from make_rank_samples import LICENCE, Mesh, NamedSharding, P, f, i, jax, jnp, lax, numpy, storable

FOLDER = pathlib.Path(__file__).parent / "ShardingInputs"
SIZES = {2: (2, 1), 4: (2, 2), 8: (2, 4)}  # of the axes x and y


class Specs:
    """Shardings over one mesh: s("x", None), and s.keep(value, "x") for a constraint on a value."""

    def __init__(self, mesh):
        self.mesh = mesh

    def __call__(self, *axes):
        return NamedSharding(self.mesh, P(*axes))

    def keep(self, value, *axes):
        return lax.with_sharding_constraint(value, self(*axes))

    def jit(self, function, ins=None, outs=None):
        cut = lambda specs: jax.tree.map(lambda spec: None if spec is None else self(*spec), specs,
                                         is_leaf=lambda v: v is None or isinstance(v, P))
        return jax.jit(function, in_shardings=cut(ins), out_shardings=cut(outs), keep_unused=True)


# Each sample gives (jitted function, arguments…) for shardings over a mesh of axes x and y.


def mlp(s):
    """Tensor parallel: the hidden layer is cut, one sum over ranks; its bias is added once."""

    def body(a, first, middle, second, last):
        return jax.nn.gelu(a @ first + middle) @ second + last

    ins = (P("x", None), P(None, "y"), P("y"), P("y", None), P())
    return s.jit(body, ins, P("x", None)), f(8, 12), f(12, 16, scale=0.3), f(16), f(16, 6, scale=0.2), f(6)


def products(s):
    """Every way to cut a product."""

    def body(a, b):
        c = a @ b
        return c, s.keep(c, "x", "y"), s.keep(a, None, "y") @ s.keep(b, "y", None), s.keep(a, "x", "y") @ b, a.T @ a, (a * 2).T

    return s.jit(body, (P("x", None), P(None, "y"))), f(8, 16), f(16, 8)


def batches(s):
    """Data parallel: a step of training, gradients summed over ranks where weights are whole."""

    def step(params, a, target):
        def loss(p):
            return jnp.mean((jnp.tanh(a @ p[0] + p[1]) @ p[2] - target) ** 2)

        value, gradient = jax.value_and_grad(loss)(params)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)

    params = (f(6, 10, scale=0.4), f(10, scale=0.1), f(10, 3, scale=0.4))
    return s.jit(step, ((P(), P(), P()), P(("x", "y")), P(("x", "y"))), (P(), (P(), P(), P()))), params, f(16, 6), f(16, 3)


def sharded_step(s):
    """A step whose weights are cut, and stay so."""

    def step(params, a, target):
        def loss(p):
            hidden = s.keep(jax.nn.relu(a @ p[0]), "x", "y")
            return jnp.mean((hidden @ p[1] - target) ** 2)

        value, gradient = jax.value_and_grad(loss)(params)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)

    cut = (P(None, "y"), P("y", None))
    return s.jit(step, (cut, P("x"), P("x")), (P(), cut)), (f(6, 8, scale=0.4), f(8, 3, scale=0.4)), f(8, 6), f(8, 3)


def norm(s):
    """Sequence parallel: a layer norm on rows, then columns of a product."""

    def body(a, scale, shift, w):
        mean = a.mean(-1, keepdims=True)
        var = ((a - mean) ** 2).mean(-1, keepdims=True)
        normed = s.keep((a - mean) * lax.rsqrt(var + 1e-5) * scale + shift, "x", "y", None)
        return s.keep(normed, "x", None, None) @ w

    return s.jit(body, (P("x", "y", None), P(), P(), P(None, "y")), P("x", None, "y")), f(4, 8, 12), f(12), f(12), f(12, 8)


def attention(s):
    """Heads are cut; the product behind them is a sum over ranks."""

    def body(a, query, key, value, out):
        q, k, v = (jnp.einsum("bsd,dhk->bhsk", a, w) for w in (query, key, value))
        scores = jnp.einsum("bhsk,bhtk->bhst", q, k) / jnp.sqrt(jnp.float32(q.shape[-1]))
        mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
        return jnp.einsum("bhsk,hkd->bsd", jnp.einsum("bhst,bhtk->bhsk", weights, v), out)

    heads = P(None, "y", None)
    ins = (P("x", None, None), heads, heads, heads, P("y", None, None))
    w = lambda: f(8, 4, 4, scale=0.3)
    return s.jit(body, ins, P("x", None, None)), f(4, 6, 8), w(), w(), w(), f(4, 4, 8, scale=0.3)


def reshards(s):
    """One value after the other way to cut it, uneven ones too."""

    def body(a, b):
        ways = [("x", "y"), ("y", "x"), (("x", "y"), None), (None, ("y", "x")), (None, None), ("y", None), (None, "x")]
        given = []
        for way in ways:
            a = s.keep(a + 1, *way)
            given.append(a)
        return *given, s.keep(b * 2, ("x", "y")), s.keep(b[1:6] - 1, "y"), s.keep(b[:3], "x")

    return s.jit(body, (P("x", "y"), None)), f(8, 8), f(7)


def scans(s):
    """A scan whose carry is cut, weights by layer."""

    def body(a, weights):
        def layer(v, w):
            v = s.keep(jnp.tanh(v @ w), "x", "y")
            return v, v.sum(-1)

        return lax.scan(layer, a, weights)

    return s.jit(body, (P("x", "y"), P(None, None, "y")), (P("x", "y"), P())), f(4, 8), f(3, 8, 8, scale=0.4)


def loops(s):
    """A loop until a sum over all ranks is small, and one of a number of turns."""

    def body(a, n):
        small, count = lax.while_loop(lambda c: jnp.sum(c[0] ** 2) > 1e-2, lambda c: (s.keep(c[0] * 0.5, "x", "y"), c[1] + 1),
                                      (a, jnp.int32(0)))
        return small, count, lax.fori_loop(0, n, lambda k, v: s.keep(v + k, "y", None), a)

    return s.jit(body, (P("x", "y"), None)), f(8, 4), jnp.int32(3)


def branches(s):
    def body(a, n):
        total = a.sum()
        return (lax.cond(total > 0, lambda v: s.keep(v * 2, "x", None), lambda v: v - 1, a),
                lax.switch(n, [lambda v: v @ v.T, lambda v: s.keep(v.T @ v, "x", "y")[:4, :4], lambda v: jnp.zeros((4, 4))],
                           a[:4, :4]))

    return s.jit(body, (P("x", "y"), None)), f(8, 8), jnp.int32(1)


def reductions(s):
    def body(a, n):
        return (a.sum(), a.sum(0), a.max(1), n.min(), n.prod(0) % 7, a.mean((0, 1)), (a > 0).any(), (n > -20).all(1),
                jnp.argmax(a, 1), jnp.argmin(n, 0), jnp.cumsum(a, 1), jnp.linalg.norm(a), jax.nn.logsumexp(a, 0))

    return s.jit(body, (P("x", "y"), P("y", "x"))), f(8, 8), i(8, 8, low=-3, high=3)


def movement(s):
    """Reshapes, transposes, slices, pads, joins of what is cut."""

    def body(a):
        b = a.reshape(4, 2, 8)
        return (a.T, b, b.transpose(2, 0, 1), a[1:7, ::2], jnp.pad(a, ((1, 2), (0, 3))), jnp.concatenate([a, a * 2], 0),
                jnp.concatenate([a, a], 1), a[::-1], jnp.roll(a, 3, 0), jnp.repeat(a, 2, 1), jnp.tile(a, (2, 1)), a.reshape(-1),
                a.reshape(2, 32), jnp.flip(a, 1), jnp.stack([a, -a]), jnp.split(a, 4)[1], a[3], a[:, 5:])

    return s.jit(body, (P("x", "y"),)), f(8, 8)


def lookups(s):
    """Rows of a table that is cut, sums into rows, sorted rows."""

    def body(table, rows, updates):
        return (table[rows], jnp.take(table, rows, axis=1), table.at[rows].add(updates), jnp.sort(table, 1), jnp.sort(table, 0),
                lax.top_k(table, 3), jax.nn.one_hot(rows, 8) @ table, lax.dynamic_slice(table, (rows[0], 0), (3, 8)),
                lax.dynamic_update_slice(table, updates[:2], (rows[1], 0)))

    return s.jit(body, (P("x", "y"), P(), P("y", None))), f(8, 8), i(4, low=0, high=8), f(4, 8)


def convolution(s):
    """A batch of images that is cut, and one whose features are."""

    def body(image, kernel):
        dims = ("NHWC", "HWIO", "NHWC")
        conv = lambda a, k: lax.conv_general_dilated(a, k, (1, 1), "SAME", dimension_numbers=dims)
        out = conv(image, kernel)
        pooled = lax.reduce_window(out, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return s.keep(out, "x", None, None, "y"), pooled, conv(s.keep(image, None, "x", None, None), kernel)

    return s.jit(body, (P("x"), P(None, None, None, "y"))), f(4, 6, 6, 3), f(3, 3, 3, 8, scale=0.3)


def mixed(s):
    """Manual computations among automatic ones, and axes left open."""

    def body(a, w):
        b = s.keep(a @ w, "x", P.UNCONSTRAINED)
        c = jax.shard_map(lambda v: v + lax.psum(v.sum(), "x"), mesh=s.mesh, in_specs=P("x", None), out_specs=P("x", None))(b)
        d = jax.shard_map(lambda v: lax.psum(v, "x"), mesh=s.mesh, in_specs=P("x"), out_specs=P(), axis_names={"x"})(b * 2)
        return c @ w.T, d, jax.nn.softmax(c)

    return s.jit(body, (P("x", None), P(None, "y"))), f(8, 6), f(6, 8, scale=0.3)


def explicit(s):
    """Shardings as types of values: JAX says what each op gives."""
    mesh = jax.make_mesh(s.mesh.devices.shape, ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2,
                         devices=list(s.mesh.devices.flat))
    put = lambda value, *axes: jax.device_put(value, NamedSharding(mesh, P(*axes)))

    def body(a, w):
        b = jnp.tanh(a) + 1
        c = jnp.einsum("ij,jk->ik", b, w, out_sharding=NamedSharding(mesh, P("x", "y")))
        return jax.sharding.reshard(c, NamedSharding(mesh, P(None, "y"))), b.sum(0), b.T

    return jax.jit(body), put(f(8, 6), "x", None), put(f(6, 8), None, "y")


def complexes(s):
    def body(re, im):
        a = s.keep(lax.complex(re, im), "x", "y")
        return jnp.abs(a @ a), jnp.conj(a).sum(0), jnp.fft.fft(a, axis=1)

    return s.jit(body, (P("x", None), P(None, "y"))), f(8, 8), f(8, 8)


def line(s):
    """A mesh of one axis: rows of the batch, and weights that are cut until they are used."""
    s = Specs(Mesh(s.mesh.devices.reshape(-1), ("i",)))

    def body(a, w, b):
        hidden = jax.nn.relu(a @ w + b)
        return s.keep(hidden, "i", None), hidden.mean(0), hidden.T @ a, jnp.einsum("bi,bj->ij", hidden, s.keep(a, None, "i"))

    return s.jit(body, (P("i"), P("i", None), P("i"))), f(8, 16), f(16, 8), f(8)


def kinds(s):
    """Element types, and values of few elements."""

    def body(a, n, p):
        half = s.keep(a.astype(jnp.bfloat16), "x", "y")
        return ((half * 2).astype(jnp.float32), s.keep(n, "y", None).sum(0), s.keep(p, "x") & ~p, s.keep(n.astype(jnp.uint8), "x"),
                s.keep(a[0, 0]) + 1, s.keep(a[:1], "x"))

    return s.jit(body, (P(), P("x"), P())), f(8, 8), i(8, 4), f(8) > 0


SAMPLES = [mlp, products, batches, sharded_step, norm, attention, reshards, scans, loops, branches, reductions, movement,
           lookups, convolution, mixed, explicit, complexes, line, kinds]
GSPMD = {mlp, batches, norm, attention, reshards, scans, mixed}


def write(name, function, args, wanted):
    text = function.lower(*args).compiler_ir("stablehlo").operation.get_asm()
    (FOLDER / f"{name}.mlir").write_text(LICENCE + text)
    arrays = {f"in{n}": storable(value) for n, value in enumerate(jax.tree.leaves(args))}
    arrays |= {f"out{n}": storable(value) for n, value in enumerate(wanted)}
    numpy.savez_compressed(FOLDER / f"{name}.npz", **arrays)
    for n, (one, many) in enumerate(zip(wanted, jax.tree.leaves(function(*args)), strict=True)):
        if not numpy.allclose(one, many, rtol=1e-2, atol=1e-4):
            print(f"{name}: result {n} of JAX on many devices is not that on one")


def main():
    chosen = sys.argv[1:]
    for sample in SAMPLES:
        if chosen and sample.__name__ not in chosen:
            continue
        for ranks, sizes in SIZES.items():
            mesh = Mesh(numpy.array(jax.devices()[:ranks]).reshape(sizes), ("x", "y"))
            function, *args = sample(Specs(mesh))
            alone, *_ = sample(Specs(Mesh(numpy.array(jax.devices()[:1]).reshape(1, 1), ("x", "y"))))
            if sample is mixed:  # what a manual computation gives depends on the mesh
                alone = function
            wanted = jax.tree.leaves(alone(*(args if sample is mixed else jax.tree.map(numpy.asarray, args))))
            write(f"{sample.__name__}_{ranks}", function, args, wanted)
            if sample in GSPMD and ranks > 2:
                jax.config.update("jax_use_shardy_partitioner", False)
                write(f"{sample.__name__}gspmd_{ranks}", sample(Specs(mesh))[0], args, wanted)
                jax.config.update("jax_use_shardy_partitioner", True)


if __name__ == "__main__":
    main()
