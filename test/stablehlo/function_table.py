# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everyday functions of JAX, compiled and run, compared with JAX: the table of docs/design/jax-functions.md.

Needs `jax`; not in CI, where test_stablehlo.py runs committed programs.

    HEDDLE_BIN=build/release/bin python test/stablehlo/function_table.py [--write] [NAME…]

--write replaces the table of the page. Exit status 1 if a function that compiles gives other values than JAX.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import jax
import jax.nn as nn
import jax.numpy as jnp
import jax.scipy.linalg as sl
import jax.scipy.special as sp
import jax.scipy.stats as st
import numpy as np

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "design" / "jax-functions.md"
rng = np.random.default_rng(0)
A = np.abs(rng.standard_normal((8, 8)).astype(np.float32)) + 0.1
B = rng.standard_normal((8, 8)).astype(np.float32)
v = rng.standard_normal(64).astype(np.float32)
im = rng.standard_normal((1, 16, 16, 4)).astype(np.float32)
ii = rng.integers(0, 8, (16,)).astype(np.int32)


def rk4(x):
    f = lambda y: jnp.sin(y) - 0.1 * y
    for _ in range(20):
        k1 = f(x)
        k2 = f(x + 0.05 * k1)
        k3 = f(x + 0.05 * k2)
        k4 = f(x + 0.1 * k3)
        x = x + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x


def adam(x):
    m = jnp.zeros_like(x)
    s = jnp.zeros_like(x)
    for t in range(1, 11):
        g = jax.grad(lambda y: jnp.sum(jnp.cos(y) + 0.1 * y * y))(x)
        m = 0.9 * m + 0.1 * g
        s = 0.99 * s + 0.01 * g * g
        x = x - 0.1 * (m / (1 - 0.9**t)) / (jnp.sqrt(s / (1 - 0.99**t)) + 1e-08)
    return x


def verlet(x):
    vv = x * 0.1
    for _ in range(20):
        vv = vv - 0.05 * x
        x = x + 0.1 * vv
    return x


def scan_lin(x):
    return jax.lax.scan(lambda c, a: (0.9 * c + a, c), jnp.zeros(8), x)[1]


def cheb(x):
    t0, t1 = (jnp.ones_like(x), x)
    for _ in range(15):
        t0, t1 = (t1, 2 * x * t1 - t0)
    return t1


# Name: function and arguments.
FUNCTIONS = {
    "i0": (sp.i0, B),
    "i0e": (sp.i0e, B),
    "i1e": (sp.i1e, B),
    "i1": (sp.i1, B),
    "gammaln": (sp.gammaln, A),
    "digamma": (sp.digamma, A),
    "erf": (sp.erf, B),
    "erfinv": (sp.erfinv, np.tanh(B)),
    "betaln": (sp.betaln, A, A),
    "zeta": (sp.zeta, A + 2, A),
    "polygamma": (lambda x: sp.polygamma(1, x), A),
    "gammainc": (sp.gammainc, A, A),
    "betainc": (sp.betainc, A, A, np.clip(A / 4, 0, 1)),
    "expit": (sp.expit, B),
    "logsumexp": (sp.logsumexp, B),
    "ndtri": (sp.ndtri, np.clip(A / 4, 0.01, 0.99)),
    "log_ndtr": (sp.log_ndtr, B),
    "xlogy": (sp.xlogy, A, A),
    "entr": (sp.entr, A),
    "exp1": (sp.exp1, A),
    "sph": (sp.spence, A),
    "bernoulli": (lambda x: sp.bernoulli(4) + x[0, 0], A),
    "rk4": (rk4, B),
    "adam": (adam, B),
    "verlet": (verlet, B),
    "scan": (scan_lin, B),
    "cheb": (cheb, B),
    "cumsum": (jnp.cumsum, v),
    "cumprod": (lambda x: jnp.cumprod(x), v),
    "sort": (jnp.sort, v),
    "argsort": (jnp.argsort, v),
    "median": (jnp.median, v),
    "quantile": (lambda x: jnp.quantile(x, 0.3), v),
    "unique": (lambda x: jnp.unique(x, size=8), ii),
    "searchsorted": (lambda a, b: jnp.searchsorted(jnp.sort(a), b), v, v),
    "histogram": (lambda x: jnp.histogram(x, bins=10)[0], v),
    "interp": (lambda x: jnp.interp(x, jnp.arange(8.0), jnp.arange(8.0) ** 2), v),
    "einsum": (lambda a, b: jnp.einsum("ij,kj->ik", a, b), A, B),
    "kron": (jnp.kron, A[:2, :2], B),
    "outer": (jnp.outer, v, v),
    "tensordot": (lambda a, b: jnp.tensordot(a, b, 1), A, B),
    "roll": (lambda x: jnp.roll(x, 3), v),
    "convolve": (lambda a, b: jnp.convolve(a, b[:5]), v, v),
    "fft": (lambda x: jnp.abs(jnp.fft.rfft(x)), v),
    "norm": (jnp.linalg.norm, B),
    "det": (jnp.linalg.det, B),
    "inv": (jnp.linalg.inv, B),
    "solve": (jnp.linalg.solve, A + 8 * np.eye(8, dtype=np.float32), B),
    "chol": (jnp.linalg.cholesky, A @ A.T + 8 * np.eye(8, dtype=np.float32)),
    "qr": (lambda a: jnp.linalg.qr(a)[1], B),
    "svd": (lambda a: jnp.linalg.svd(a, compute_uv=False), B),
    "eigh": (lambda a: jnp.linalg.eigvalsh(a), A + A.T),
    "expm": (sl.expm, B / 8),
    "matrix_power": (lambda a: jnp.linalg.matrix_power(a, 5), B / 4),
    "trapz": (jnp.trapezoid, v),
    "polyval": (lambda x: jnp.polyval(jnp.arange(20.0), x), np.tanh(B)),
    "nanmean": (jnp.nanmean, v),
    "corrcoef": (jnp.corrcoef, B),
    "cov": (jnp.cov, B),
    "where": (lambda x: jnp.where(x > 0, x, -x), v),
    "take": (lambda x, i: jnp.take(x, i, axis=0), B, ii),
    "segment": (lambda x, i: jax.ops.segment_sum(x, i, 8), v[:16], ii),
    "onehot": (lambda i: nn.one_hot(i, 8), ii),
    "gelu": (nn.gelu, B),
    "swish": (nn.swish, B),
    "softmax": (nn.softmax, B),
    "logsm": (nn.log_softmax, B),
    "glu": (nn.glu, B),
    "celu": (nn.celu, B),
    "selu": (nn.selu, B),
    "mish": (nn.mish, B),
    "sqplus": (nn.squareplus, B),
    "hardtanh": (nn.hard_tanh, B),
    "attention": (lambda q: nn.dot_product_attention(q, q, q, is_causal=True), im[:, :, :, :].reshape(1, 64, 4, 4)),
    "avgpool": (lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"), im),
    "conv": (
        lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        im,
        rng.standard_normal((3, 3, 4, 8)).astype(np.float32),
    ),
    "resize": (lambda x: jax.image.resize(x, (1, 24, 20, 4), "bilinear"), im),
    "normpdf": (st.norm.logpdf, v),
    "tpdf": (lambda x: st.t.logpdf(x, 3.0), v),
    "gammapdf": (lambda x: st.gamma.logpdf(x, 2.0), A),
    "betapdf": (lambda x: st.beta.logpdf(x, 2.0, 3.0), np.clip(A / 4, 0.01, 0.99)),
    "vonmises": (lambda x: st.vonmises.logpdf(x, 2.0), v),
    "hess": (lambda x: jax.hessian(lambda y: jnp.sum(jnp.sin(y) * y[::-1]))(x), v[:8]),
    "jac": (lambda x: jax.jacfwd(lambda y: jnp.tanh(B @ y))(x), v[:8]),
    "vmapgrad": (lambda x: jax.vmap(jax.grad(lambda y: jnp.sum(jnp.exp(-y * y))))(x), B),
    "whilel": (lambda x: jax.lax.while_loop(lambda c: jnp.sum(c) < 100, lambda c: c * 1.5 + 1, x), A),
    "fori": (lambda x: jax.lax.fori_loop(0, 30, lambda i, c: c * 0.9 + i, x), A),
    "cond": (lambda x: jax.lax.cond(jnp.sum(x) > 0, jnp.sin, jnp.cos, x), B),
    "assoc": (lambda x: jax.lax.associative_scan(jnp.add, x), v),
    "topk": (lambda x: jax.lax.top_k(x, 5), v),
    "random": (lambda x: jax.random.normal(jax.random.key(0), (8, 8)) + x, B),
    "uniform": (lambda x: jax.random.uniform(jax.random.key(3), (8, 8)) + x, B),
    "perm": (lambda x: jax.random.permutation(jax.random.key(1), x), v),
    "gumbel": (lambda x: jax.random.gumbel(jax.random.key(2), (64,)) + x, v),
    "cat": (lambda x: jax.random.categorical(jax.random.key(2), x), B),
    "cplx": (lambda x: jnp.abs(x + 1j * x), v),
    "lu": (lambda a: sl.lu(a)[2], B),
    "tri": (lambda a, b: sl.solve_triangular(a, b, lower=True), np.tril(A) + 8 * np.eye(8, dtype=np.float32), B),
    "bf16": (lambda x: (x.astype(jnp.bfloat16) @ x.astype(jnp.bfloat16)).astype(jnp.float32), B),
    "i8": (lambda x: (x.astype(jnp.int8) * 3).sum(), ii),
    "bits": (lambda i: jax.lax.population_count(i) + jax.lax.clz(i), ii),
    "shifts": (lambda i: i << 3 >> 1, ii),
    "divmod": (lambda i: jnp.divmod(i - 4, 3), ii),
    "ldexp": (lambda x: jnp.ldexp(x, 3), v),
    "nextafter": (lambda x: jnp.nextafter(x, 0.0), v),
    "frexp": (lambda x: jnp.frexp(x), v),
    "sinc": (jnp.sinc, v),
    "unwrap": (jnp.unwrap, v),
    "f8": (lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.float32), v),
}


def run(program, *arguments):
    command = [pathlib.Path(os.environ["HEDDLE_BIN"]) / program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().split("\n")[0].split("error: ")[-1] or f"{program}: no word")


def compiled(function, args, count, folder):
    """The results of the compiled function."""
    lowered = jax.jit(function, keep_unused=True).lower(*args)
    (folder / "f.mlir").write_text(lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True))
    run("heddle-compile", folder / "f.mlir", "-o", folder / "f.heddle")
    for number, value in enumerate(args):
        np.save(folder / f"in{number}.npy", np.asarray(value))
    run(
        "heddle-run",
        folder / "f.heddle",
        *[f"--input=@{folder}/in{number}.npy" for number in range(len(args))],
        *[f"--output=@{folder}/out{number}.npy" for number in range(count)],
    )
    return [np.load(folder / f"out{number}.npy") for number in range(count)]


def difference(got, want):
    """The largest one, relative to the largest finite element if that is above 1; None: another thing altogether."""
    want = np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype:
        return None
    if want.dtype.kind in "iub":
        return 0.0 if np.array_equal(got, want) else None
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        return None
    scale = max(1.0, np.abs(want[finite], dtype=np.float64).max(initial=0))
    return float(np.abs(got[finite].astype(np.float64) - want[finite]).max(initial=0) / scale)


def judge(name, function, args):
    """What the table says, and whether it is right or refused."""
    wanted = jax.tree.leaves(jax.jit(function)(*args))
    with tempfile.TemporaryDirectory() as folder:
        try:
            got = compiled(function, args, len(wanted), pathlib.Path(folder))
        except RuntimeError as error:
            return f"refused: {error}", True
    differences = [difference(*pair) for pair in zip(got, wanted)]
    if None in differences or max(differences) > TOLERANCES.get(name, TOLERANCE):
        return "**differs**", False
    return f"{max(differences):.0e}" if max(differences) else "0", True


# Of f32; JAX's own special functions are off by up to 10^-4.
TOLERANCE = 2e-4
# A product rounded to bf16, where sums differ in their order.
TOLERANCES = {"bf16": 2**-7}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*")
    chosen = parser.parse_args()
    rows, right = [], True
    for name in chosen.names or FUNCTIONS:
        function, *args = FUNCTIONS[name]
        said, fits = judge(name, function, args)
        right = right and fits
        rows.append((name, said))
        print(f"{name:14} {said}", flush=True)
    if chosen.write:
        refused = sum(said.startswith("refused") for _, said in rows)
        lines = [
            f"{len(rows)} functions, {len(rows) - refused} equal to JAX {jax.__version__}, {refused} refused.",
            "",
            "| function | difference | function | difference | function | difference |",
            "|---|---|---|---|---|---|",
        ]
        cells = [f"{name} | {said}" for name, said in rows] + [" | "] * (-len(rows) % 3)
        lines += [f"| {' | '.join(cells[at:at + 3])} |" for at in range(0, len(cells), 3)]
        before = PAGE.read_text().split("<!-- table -->")[0]
        PAGE.write_text(before + "<!-- table -->\n" + "\n".join(lines) + "\n")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
