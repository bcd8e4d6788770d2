# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives in pieces beside the products that need them (docs/design/overlap.md): the values and bits of the whole, what
is written in place, and on `sim` how long a call takes, to the nanosecond."""
import itertools
import json
import math
import os
import re
import subprocess
import unittest

import numpy
import support

HEAD = """device.global @a = #device.target<"local", {MODEL}, [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = SIZE]
"""
# What is said of the device; link_us of each step, a byte a nanosecond.
MODEL = {"gflops": 1, "memory_gbps": 1000, "launch_us": 1, "link_gbps": 1, "link_us": 5}


def tensor(*shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def main(arguments, results, body, result):
    given = ", ".join(f'%{name}: {tensor(*shape)} {{heddle.name = "{name}"}}' for name, shape in arguments.items())
    return f'func.func @main({given}) -> ({tensor(*results)} {{heddle.name = "y"}}) {{\n  %zero = arith.constant 0.0 : f32\n{body}  return %{result} : {tensor(*results)}\n}}\n'


def product(name, left, right, m, k, n):
    return (f"  %{name}_e = tensor.empty() : {tensor(m, n)}\n"
            f"  %{name}_f = linalg.fill ins(%zero : f32) outs(%{name}_e : {tensor(m, n)}) -> {tensor(m, n)}\n"
            f"  %{name} = linalg.matmul ins(%{left}, %{right} : {tensor(m, k)}, {tensor(k, n)}) outs(%{name}_f : {tensor(m, n)}) -> {tensor(m, n)}\n")


def add(name, left, right, shape):
    t = tensor(*shape)
    return (f"  %{name}_e = tensor.empty() : {t}\n"
            f"  %{name} = linalg.add ins(%{left}, %{right} : {t}, {t}) outs(%{name}_e : {t}) -> {t}\n")


# Of each: the program, shapes of what each rank is given, and what NumPy makes of it; m rows a rank.
def gathered(d, m=16, k=24, n=8):
    body = f'  %g = flow.all_gather %x dim 0 over @m["x"] : {tensor(m, k)} -> {tensor(d * m, k)}\n'
    body += product("p", "g", "w", d * m, k, n) + add("y", "p", "b", (d * m, n))
    given = {"x": (m, k), "w": (k, n), "b": (d * m, n)}
    return main(given, (d * m, n), body, "y"), given, lambda x, w, b: [numpy.concatenate(x) @ w[r] + b[r] for r in range(d)]


def gathered_columns(d, m=16, k=24, n=8):
    body = f'  %g = flow.all_gather %x dim 1 over @m["x"] : {tensor(m, k)} -> {tensor(m, d * k)}\n'
    body += product("p", "g", "w", m, d * k, n)
    given = {"x": (m, k), "w": (d * k, n)}
    return main(given, (m, n), body, "p"), given, lambda x, w: [numpy.concatenate(x, 1) @ w[r] for r in range(d)]


def reduced(d, m=16, k=24, n=8):
    body = product("p", "x", "w", m, k, n) + f'  %y = flow.all_reduce %p sum over @m["x"] : {tensor(m, n)}\n'
    given = {"x": (m, k), "w": (k, n)}
    return main(given, (m, n), body, "y"), given, lambda x, w: [sum(a @ b for a, b in zip(x, w))] * d


def reduced_and_used(d, m=16, k=24, n=8):
    """With a sum before it and a product behind it."""
    body = product("p", "x", "w", m, k, n) + add("q", "p", "b", (m, n)) + f'  %s = flow.all_reduce %q sum over @m["x"] : {tensor(m, n)}\n'
    body += product("y", "s", "v", m, n, 4)
    given = {"x": (m, k), "w": (k, n), "b": (m, n), "v": (n, 4)}
    return main(given, (m, 4), body, "y"), given, lambda x, w, b, v: [sum(a @ c + e for a, c, e in zip(x, w, b)) @ v[r] for r in range(d)]


def scattered(d, m=16, k=24, n=8):
    body = product("p", "x", "w", d * m, k, n) + f'  %y = flow.reduce_scatter %p sum dim 0 over @m["x"] : {tensor(d * m, n)} -> {tensor(m, n)}\n'
    given = {"x": (d * m, k), "w": (k, n)}
    return main(given, (m, n), body, "y"), given, lambda x, w: [sum(a @ b for a, b in zip(x, w))[r * m:(r + 1) * m] for r in range(d)]


def scattered_columns(d, m=16, k=24, n=8):
    body = product("p", "x", "w", m, k, d * n) + f'  %y = flow.reduce_scatter %p sum dim 1 over @m["x"] : {tensor(m, d * n)} -> {tensor(m, n)}\n'
    given = {"x": (m, k), "w": (k, d * n)}
    return main(given, (m, n), body, "y"), given, lambda x, w: [sum(a @ b for a, b in zip(x, w))[:, r * n:(r + 1) * n] for r in range(d)]


def free(case, d, k=24, n=8):
    """Of these three, with rows that the call knows; and what each rank is given of a size of m rows of its own."""
    t, at = "tensor<?x{}xf32>", {gathered: d, reduced: 1, scattered: d}[case]
    m, dims = "%r", ("  %c0 = arith.constant 0 : index\n  %cd = arith.constant {} : index\n  %m = tensor.dim %x, %c0 : tensor<?x{}xf32>\n").format(d, k)
    if case is gathered:
        body = f'  %r = arith.muli %m, %cd : index\n  %g = flow.all_gather %x dim 0 over @m["x"] : {t.format(k)}{{%m}} -> {t.format(k)}{{%r}}\n'
    else:
        body, m = "", "%m"
    left = "g" if case is gathered else "x"
    body += (f"  %e = tensor.empty({m}) : {t.format(n)}\n  %f = linalg.fill ins(%zero : f32) outs(%e : {t.format(n)}) -> {t.format(n)}\n"
             f"  %p = linalg.matmul ins(%{left}, %w : {t.format(k)}, {tensor(k, n)}) outs(%f : {t.format(n)}) -> {t.format(n)}\n")
    if case is reduced:
        body += f'  %y = flow.all_reduce %p sum over @m["x"] : {t.format(n)}{{%m}}\n'
    elif case is scattered:
        body += f'  %r = arith.divsi %m, %cd : index\n  %y = flow.reduce_scatter %p sum dim 0 over @m["x"] : {t.format(n)}{{%m}} -> {t.format(n)}{{%r}}\n'
    result = "p" if case is gathered else "y"
    text = (f'func.func @main(%x: {t.format(k)} {{heddle.name = "x"}}, %w: {tensor(k, n)} {{heddle.name = "w"}}) -> ({t.format(n)} {{heddle.name = "y"}}) {{\n'
            f"  %zero = arith.constant 0.0 : f32\n{dims}{body}  return %{result} : {t.format(n)}\n}}\n")
    return text, lambda rows: {"x": (rows * (d if case is scattered else 1), k), "w": (k, n)}


CASES = (gathered, gathered_columns, reduced, reduced_and_used, scattered, scattered_columns)


class Overlap(support.EndToEnd):
    def compile(self, text, size, *flags, **model):
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        model = ", ".join(f"{key} = {float(value)}" for key, value in {**MODEL, **model}.items())
        source.write_text(HEAD.replace("SIZE", str(size)).replace("MODEL", model) + text)
        result = support.heddle("compile", source, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, f"{source.read_text()}\n{result.stderr}")
        return artifact

    def counts(self, artifact):
        ops = [each["op"] for each in json.loads(support.heddle("inspect", artifact, "--json").stdout)["host"]]
        return {op: ops.count(op) for op in set(ops)}

    def run_ranks(self, artifact, given):
        names = list(given)
        size = len(given[names[0]])
        for name, values in given.items():
            for rank, value in enumerate(values):
                numpy.save(self.folder / f"{name}{rank}.npy", value)
        result = support.heddle("run", artifact, *(f"--input=@{self.folder}/{name}{{rank}}.npy" for name in names),
                                f"--output=@{self.folder}/result{{rank}}.npy")
        self.assertEqual(0, result.returncode, result.stderr)
        return [numpy.load(self.folder / f"result{rank}.npy") for rank in range(size)]

    def test_values(self):
        random = numpy.random.default_rng(5)
        for case in CASES:
            for d in (2, 3):
                text, shapes, value = case(d)
                given = {name: [random.standard_normal(shape, numpy.float32) for _ in range(d)] for name, shape in shapes.items()}
                whole = self.run_ranks(self.compile(text, d, "--strategy=overlap:off"), given)
                for got, want in zip(whole, value(*given.values())):
                    numpy.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
                for pieces in (2, 3, 4, 16):
                    with self.subTest(case=case.__name__, ranks=d, pieces=pieces):
                        artifact = self.compile(text, d, f"--strategy=overlap:{pieces}")
                        self.assertEqual(pieces, self.counts(artifact)["collective"])
                        for got, want in zip(self.run_ranks(artifact, given), whole):
                            numpy.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)

    def test_around(self):
        """Rows from each rank as they are, the rank's own first: a permute from each other one, no copy."""
        random = numpy.random.default_rng(9)
        for case in CASES:
            for d in (2, 3, 5):
                with self.subTest(case=case.__name__, ranks=d):
                    text, shapes, _ = case(d)
                    given = {name: [random.standard_normal(shape, numpy.float32) for _ in range(d)] for name, shape in shapes.items()}
                    whole = self.run_ranks(self.compile(text, d, "--strategy=overlap:off"), given)
                    artifact = self.compile(text, d, "--strategy=overlap:around")
                    counts = self.counts(artifact)
                    self.assertEqual(d - 1 if case in (gathered, scattered) else 1, counts["collective"])
                    if case in (gathered, scattered):  # and the sum of what was sent
                        self.assertEqual((d + (case is scattered), 0), (counts["dispatch"], counts.get("copy", 0)))
                    for got, want in zip(self.run_ranks(artifact, given), whole):
                        numpy.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)

    def test_free_sizes(self):
        """Rows that only the call knows, few and many: the values of the whole, from one program."""
        random = numpy.random.default_rng(7)
        for case in (gathered, reduced, scattered):
            for d in (2, 3):
                text, shapes = free(case, d)
                whole, cut = (self.keep(self.compile(text, d, f"--strategy=overlap:{how}"), how) for how in ("off", 4))
                # Of all members' rows few are whole, as parts are copied.
                self.assertEqual((1, 4 + (case is not reduced)), tuple(self.counts(each)["collective"] for each in (whole, cut)))
                for rows in (0, 1, 3, 4, 7, 50):
                    with self.subTest(case=case.__name__, ranks=d, rows=rows):
                        given = {name: [random.standard_normal(shape, numpy.float32) for _ in range(d)] for name, shape in shapes(rows).items()}
                        for got, want in zip(self.run_ranks(cut, given), self.run_ranks(whole, given)):
                            numpy.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)

    def test_free_sizes_by_default(self):
        """In pieces from as many rows as the account says; where rows are few all are in the first piece. The values of the whole."""
        random = numpy.random.default_rng(8)
        for d in (2, 3):
            text, shapes = free(reduced, d)
            whole = self.keep(self.compile(text, d, "--strategy=overlap:off"), "off")
            cut = self.keep(self.compile(text, d, "--strategy=overlap:compile", link_gbps=0.01), "cut")
            counts = self.counts(cut)
            self.assertEqual((4, 4, 0), (counts["collective"], counts["dispatch"], counts.get("copy", 0)), "pieces are not written in place")
            least = int(re.search(r"one for each (\d+) positions", support.heddle("explain", cut).stdout)[1])
            for rows in (0, 1, least, 2 * least - 1, 2 * least, 3 * least + 1, 4 * least, 9 * least + 5):
                with self.subTest(ranks=d, rows=rows):
                    given = {name: [random.standard_normal(shape, numpy.float32) for _ in range(d)] for name, shape in shapes(rows).items()}
                    for got, want in zip(self.run_ranks(cut, given), self.run_ranks(whole, given)):
                        numpy.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)

    def test_free_rows_of_members(self):
        """What is cut along the collective's own dimension: whole where rows are few, in pieces from as many as the account says."""
        random = numpy.random.default_rng(13)
        for case in (gathered, scattered):
            for d in (2, 3):
                text, shapes = free(case, d)
                whole = self.keep(self.compile(text, d, "--strategy=overlap:off"), "off")
                cut = self.keep(self.compile(text, d, "--strategy=overlap:compile", link_gbps=0.001), "cut")
                self.assertEqual(5, self.counts(cut)["collective"])
                least = int(re.search(r"one for each (\d+) positions", support.heddle("explain", cut).stdout)[1])
                for rows in (0, 1, least, 2 * least - 1, 2 * least, 3 * least + 1, 4 * least, 9 * least + 5):
                    with self.subTest(case=case.__name__, ranks=d, rows=rows):
                        given = {name: [random.standard_normal(shape, numpy.float32) for _ in range(d)] for name, shape in shapes(rows).items()}
                        for got, want in zip(self.run_ranks(cut, given), self.run_ranks(whole, given)):
                            numpy.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)

    def keep(self, artifact, name):
        return artifact.rename(artifact.with_stem(str(name)))

    def test_in_place(self):
        """Pieces of sums are written where they belong: a dispatch for each piece of the product, no copy."""
        for case in (reduced, scattered, gathered_columns):
            counts = self.counts(self.compile(case(2)[0], 2, "--strategy=overlap:4"))
            most = {reduced: 4, scattered: 8, gathered_columns: 8}[case]  # with slices of all members' rows, or transposes
            self.assertEqual(most, counts["dispatch"], (case.__name__, counts))
            self.assertEqual(0, counts.get("copy", 0), (case.__name__, counts))

    def test_whole_program(self):
        """A perceptron whose weights are cut: what the partitioner brings is cut into pieces, too."""
        m, k, h, n = 32, 16, 24, 8
        body = (f'  %ws = flow.shard %w as <@m, [[], ["x"]]> : {tensor(k, h)}\n  %vs = flow.shard %v as <@m, [["x"], []]> : {tensor(h, n)}\n' +
                product("p", "x", "ws", m, k, h) + add("q", "p", "p", (m, h)) + product("y", "q", "vs", m, h, n))
        shapes = {"x": (m, k), "w": (k, h), "v": (h, n)}
        random = numpy.random.default_rng(6)
        x, w, v = (random.standard_normal(shape, numpy.float32) for shape in shapes.values())
        for name, value in zip(shapes, (x, w, v)):
            numpy.save(self.folder / f"{name}.npy", value)
        for d in (2, 3):
            for pieces in (1, 4, 7):
                with self.subTest(ranks=d, pieces=pieces):
                    artifact = self.compile(main(shapes, (m, n), body, "y"), d, f"--strategy=overlap:{pieces}")
                    self.assertEqual(pieces, self.counts(artifact)["collective"])
                    result = support.heddle("run", artifact, *(f"--input=@{self.folder}/{name}.npy" for name in shapes),
                                            f"--output=@{self.folder}/y.npy")
                    self.assertEqual(0, result.returncode, result.stderr)
                    numpy.testing.assert_allclose(numpy.load(self.folder / "y.npy"), (2 * x @ w) @ v, rtol=1e-4, atol=1e-4)


# ---- Time. Each case in pieces by a formula of its own, in nanoseconds.


def cut(extent, pieces):
    return [size for size in (extent * (i + 1) // pieces - extent * i // pieces for i in range(pieces)) if size]


IN_FLIGHT = 4  # collectives of a rank at once


class Link:
    """What collectives of pieces of so many bytes take: the link for a while, one after the other, and then a delay."""

    def __init__(self, kind, d, model):
        self.kind, self.d, self.us, self.gbps = kind, d, 1000 * model["link_us"], model["link_gbps"]
        self.free, self.ends = 0, []

    def times(self, size):
        d, depth = self.d, math.ceil(math.log2(self.d))
        if self.kind == "all_reduce":
            return min(((2 * (d - 1) / d * size / self.gbps, 2 * (d - 1) * self.us), (2 * depth * size / self.gbps, 2 * depth * self.us)), key=sum)
        steps = 1 if self.kind == "permute" else d - 1
        return steps * size / self.gbps, steps * self.us

    def move(self, ready, size):
        """When the next one ends that can begin at `ready`."""
        busy, lag = self.times(size)
        if len(self.ends) >= IN_FLIGHT:
            ready = max(ready, self.ends[-IN_FLIGHT])
        self.free = max(self.free, ready) + round(busy)
        self.ends.append(max(self.ends[-1:] + [self.free + round(busy + lag) - round(busy)]))
        return self.ends[-1]


def takes(flops, size, model):
    """A dispatch."""
    return round(1000 * model["launch_us"] + max(flops / model["gflops"], size / model["memory_gbps"]))


def makespan(case, d, pieces, model, m, k, n):
    sizes = cut(m, pieces)
    rows = [size * (1 if case is reduced else d) for size in sizes]
    product = [takes(2 * r * n * k + r * n * (2 if case is gathered else 1), 4 * (r * k + k * n + r * n * (2 if case is gathered else 1)), model)
               for r in rows]
    link = Link({gathered: "all_gather", reduced: "all_reduce", scattered: "reduce_scatter"}[case], d, model)
    if case is gathered:
        worked = sum(takes(0, 8 * r * n, model) for r in rows) if pieces > 1 else 0
        for size, work in zip(sizes, product):
            worked = max(worked, link.move(0, 4 * size * k)) + work
        return worked + (sum(takes(r * n, 8 * r * n, model) for r in rows) if pieces > 1 else 0)
    moved = worked = 0
    for size, r, work in zip(sizes, rows, product):
        if case is scattered and pieces > 1:
            worked += takes(0, 8 * r * k, model)
        worked += work
        moved = link.move(worked, 4 * size * n)
    return moved


def makespan_around(case, d, model, m, k, n):
    """Of gathered(), each member's rows as they are: this one's first, then in the order in which they come. Of scattered(), this one's
    are the last, behind all that comes, and a sum follows."""
    if case is scattered:
        work = takes(2 * m * n * k + m * n, 4 * (m * k + k * n + m * n), model)
        link, worked, moved = Link("permute", d, model), 0, 0
        for _ in range(d - 1):
            worked += work
            moved = link.move(worked, 4 * m * n)
        return max(worked, moved) + work + takes((d + 1) * m * n, 4 * (d + 1) * m * n, model)
    work = takes(2 * m * n * k + 2 * m * n, 4 * (m * k + k * n + 2 * m * n), model)
    link, worked = Link("permute", d, model), work
    for _ in range(d - 1):
        worked = max(worked, link.move(0, 4 * m * k)) + work
    return worked


class Time(Overlap):
    """On `sim`, where the account is what a call takes."""

    def measure(self, artifact, d, **model):
        model = {**MODEL, **model}
        uri = "sim://r{rank}?" + "&".join(f"{key}={value}" for key, value in model.items())
        done = subprocess.run([str(support.BIN / "sim_ranks"), str(artifact), str(d), uri], capture_output=True, text=True, timeout=support.TIMEOUT_S)
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout)

    test_values = test_around = test_free_sizes = test_free_sizes_by_default = test_free_rows_of_members = test_in_place = test_whole_program = None  # the other class's

    def test_makespans(self):
        for case in (reduced, scattered, gathered):
            for d, all_pieces in ((2, (1, 2, 3, 7, 16)), (5, (1, 4)), (16, (3, 16)), (64, (1, 16))):
                for pieces in all_pieces:
                    with self.subTest(case=case.__name__, ranks=d, pieces=pieces):
                        size = {"m": 32, "k": 32, "n": 24}  # with one row a piece some copies are none
                        got = self.measure(self.compile(case(d, **size)[0], d, f"--strategy=overlap:{pieces}"), d)
                        self.assertEqual(makespan(case, d, pieces, MODEL, **size), got["makespan"])

    def test_around_makespans(self):
        for case, d in itertools.product((gathered, scattered), (2, 3, 5, 16)):
            for model in ({}, {"link_us": 100}, {"link_gbps": 0.1}):
                with self.subTest(case=case.__name__, ranks=d, model=model):
                    size = {"m": 32, "k": 32, "n": 24}
                    artifact = self.compile(case(d, **size)[0], d, "--strategy=overlap:around", **model)
                    got = self.measure(artifact, d, **model)
                    self.assertEqual(makespan_around(case, d, {**MODEL, **model}, **size), got["makespan"])
                    self.assertIn(f": {got['makespan']} ns", support.heddle("explain", artifact).stdout)

    def test_around_by_default(self):
        """Where a link's delay is long beside its bytes, as the work with a rank's own rows waits for none."""
        size, model = {"m": 32, "k": 32, "n": 24}, {"link_us": 40}
        text, got = gathered(2, **size)[0], {}
        for how in ("default", "around", "off", *range(2, 17)):
            got[how] = self.measure(self.compile(text, 2, f"--strategy=overlap:{how}", **model), 2, **model)["makespan"]
        self.assertEqual(min(got.values()), got["around"])
        self.assertEqual(got["default"], got["around"], got)

    def test_choice(self):
        """What is chosen is within 3 % of the best of 1 to 16 pieces, and never slower than the whole."""
        size = {"m": 32, "k": 32, "n": 24}
        for case, d, model in ((reduced, 2, {}), (reduced, 4, {"link_gbps": 0.05}), (scattered, 4, {"link_gbps": 0.2}),
                               (gathered, 2, {"link_gbps": 0.1, "link_us": 1}), (reduced, 8, {"link_us": 100})):
            with self.subTest(case=case.__name__, ranks=d, model=model):
                text = case(d, **size)[0]
                got = {}
                for pieces in ("default", *range(1, 17)):
                    got[pieces] = self.measure(self.compile(text, d, f"--strategy=overlap:{pieces}", **model), d, **model)["makespan"]
                chosen = got.pop("default")
                self.assertLessEqual(chosen, 1.03 * min(got.values()), got)
                self.assertLessEqual(chosen, got[1])

    def test_grid(self):
        """Never slower than what the compiler chooses, nor that than the whole, whatever the sizes: rows by what a byte takes. HEDDLE_OVERLAP_GRID=10 for all of 10 x 10."""
        points = int(os.environ.get("HEDDLE_OVERLAP_GRID", "3"))
        for i in range(points):
            for j in range(points):
                m, gbps = 2 + 62 * i // max(points - 1, 1), 10 ** (1 - 3 * j / max(points - 1, 1))
                case = (reduced, scattered, gathered)[(i + j) % 3]
                with self.subTest(case=case.__name__, m=m, gbps=gbps):
                    model = {"link_gbps": gbps, "link_us": 1}
                    whole, compiled, chosen = (self.measure(self.compile(case(4, m, 32, 24)[0], 4, f"--strategy=overlap:{how}", **model), 4, **model)["makespan"]
                                               for how in ("off", "compile", "default"))
                    self.assertLessEqual(compiled, whole)
                    self.assertLessEqual(chosen, compiled)

    def test_hidden(self):
        """Nine tenths of the communication and more is beside work where work takes longer."""
        model = {"link_us": 0.01, "launch_us": 0.01, "link_gbps": 0.1}  # steps and launches are little beside a piece
        for case in (reduced, scattered):
            operations = self.measure(self.compile(case(2, 64, 64, 32)[0], 2, **model), 2, **model)["operations"]
            spans = {kind: [(begin, end) for what, _, begin, end in operations if what == kind] for kind in ("work", "collective")}
            total = sum(end - begin for begin, end in spans["collective"])
            hidden = sum(max(0, min(end, e) - max(begin, b)) for begin, end in spans["collective"] for b, e in spans["work"])
            self.assertGreaterEqual(hidden, 0.9 * total, case.__name__)

    def test_tools(self):
        """`heddle explain` says what the call takes, and `heddle trace` on `sim` what of the communication was hidden."""
        model = {"link_us": 0.01, "launch_us": 0.01, "link_gbps": 0.1}
        artifact = self.compile(reduced(2, 64, 64, 32)[0], 2, "--strategy=overlap:compile", **model)
        said = json.loads(support.heddle("explain", artifact, "--json").stdout)["overlaps"]
        self.assertEqual(1, len(said))
        ns = self.measure(artifact, 2, **model)["makespan"]
        self.assertIn(f"is moved in 16 pieces beside the product that makes it: {ns} ns, whole ", said[0])
        uri = "&".join(f"{key}={value}" for key, value in {**MODEL, **model}.items())
        result = support.heddle("trace", artifact, f"--device=sim://r0?{uri}", f"--device=sim://r1?{uri}", "--input=64x64xf32=1",
                                "--input=64x32xf32=1", "-o", self.folder / "trace.json")
        self.assertEqual(0, result.returncode, result.stderr)
        hidden = re.search(r"all_reduce +16 among 2 ranks.* ([0-9.]+) % behind compute", result.stdout)
        self.assertIsNotNone(hidden, result.stdout)
        self.assertGreaterEqual(float(hidden.group(1)), 90)
        slices = [each for each in json.loads((self.folder / "trace.json").read_text())["traceEvents"] if each.get("name") == "all_reduce"]
        self.assertEqual(32, len([each for each in slices if each["ph"] == "X"]), slices[:2])


if __name__ == "__main__":
    unittest.main()
