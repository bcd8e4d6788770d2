# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives in loops over streams, from tensors to threads: each kind of collective, alone and beside products, on 1 to
3 streams and 1 to 3 ranks, against NumPy; nvFuser's cases of stream-parallel communication by behaviour."""
import json
import unittest

import numpy
import support

HEAD = """device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = SIZE]
"""
MAIN = """func.func @main(ARGUMENTS) -> (tensor<RESULTxf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = arith.constant TRIPS : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<RESULTxf32>
  %y = scf.for %i = %c0 to %trips step %c1 iter_args(%whole = %e) -> (tensor<RESULTxf32>) {
BODY    %next = tensor.insert_slice %part into %wholePLACE : tensor<PARTxf32> into tensor<RESULTxf32>
    scf.yield %next : tensor<RESULTxf32>
  } {heddle.streams = #flow.streams<STREAMS>}
  return %y : tensor<RESULTxf32>
}
"""


def tensor(shape):
    return f"tensor<{'x'.join(map(str, (*shape, 'f32')))}>"


def place(index, sizes):
    """A slice of one index of the first dimension."""
    zeros = ", ".join([index] + ["0"] * (len(sizes) - 1))
    return f"[{zeros}] [{', '.join(map(str, sizes))}] [{', '.join('1' for _ in sizes)}]"


def row(name, source, shape, index="%i"):
    part = (1, *shape[1:])
    return f"    %{name} = tensor.extract_slice %{source}{place(index, part)} : {tensor(shape)} to {tensor(part)}\n"


def collective(name, text, source, given):
    has_one = text.startswith(("all_reduce", "broadcast", "permute"))
    return f"    %{name} = flow.{text} over @m[\"x\"] : {tensor(source)}" + ("" if has_one else f" -> {tensor(given)}") + "\n"


def product(name, left, right, m, k, n):
    return (f"    %{name}_e = tensor.empty() : {tensor((m, n))}\n"
            f"    %{name}_f = linalg.fill ins(%zero : f32) outs(%{name}_e : {tensor((m, n))}) -> {tensor((m, n))}\n"
            f"    %{name} = linalg.matmul ins(%{left}, %{right} : {tensor((m, k))}, {tensor((k, n))}) "
            f"outs(%{name}_f : {tensor((m, n))}) -> {tensor((m, n))}\n")


def flat(name, source, shape, given):
    """Dimensions in front merged, as far as there are too many."""
    count = len(shape) - len(given) + 1
    groups = [list(range(count))] + [[count + i] for i in range(len(given) - 1)]
    return f"    %{name} = tensor.collapse_shape %{source} {groups} : {tensor(shape)} into {tensor(given)}\n"


def unflat(name, source, shape, given):
    count = len(given) - len(shape) + 1
    groups = [list(range(count))] + [[count + i] for i in range(len(shape) - 1)]
    return (f"    %{name} = tensor.expand_shape %{source} {groups} output_shape {list(given)} : "
            f"{tensor(shape)} into {tensor(given)}\n")


def program(arguments, result, part, body, trips, streams, at=None):
    text = MAIN.replace("ARGUMENTS", ", ".join(f'%{name}: {tensor(shape)} {{heddle.name = "{name}"}}' for name, shape in arguments.items()))
    text = text.replace("RESULTx", "".join(f"{d}x" for d in result)).replace("PARTx", "".join(f"{d}x" for d in part))
    return text.replace("TRIPS", str(trips)).replace("STREAMS", str(streams)).replace("BODY", body).replace("PLACE", at or place("%i", part))


# Of each case: the program for d ranks, what each rank is given, and what NumPy makes of all that is given.
def all_gather(d, streams):
    """Rows that are cut along columns: [4, d] from [4, 1] of each rank."""
    body = row("own", "x", (4, 1)) + collective("part", "all_gather %own dim 1", (1, 1), (1, d))
    return program({"x": (4, 1)}, (4, d), (1, d), body, 4, streams), {"x": (4, 1)}, lambda x: [numpy.concatenate(x, 1)] * d


def all_reduce(d, streams):
    body = row("own", "x", (4, 8)) + collective("part", "all_reduce %own sum", (1, 8), (1, 8))
    return program({"x": (4, 8)}, (4, 8), (1, 8), body, 4, streams), {"x": (4, 8)}, lambda x: [sum(x)] * d


def reduce_scatter(d, streams):
    body = row("own", "x", (4, d, 8)) + collective("part", "reduce_scatter %own sum dim 1", (1, d, 8), (1, 1, 8))
    return (program({"x": (4, d, 8)}, (4, 1, 8), (1, 1, 8), body, 4, streams), {"x": (4, d, 8)},
            lambda x: [sum(x)[:, r:r + 1] for r in range(d)])


def all_to_all(d, streams):
    body = row("own", "x", (4, d)) + collective("part", "all_to_all %own split 1 concat 1", (1, d), (1, d))
    return (program({"x": (4, d)}, (4, d), (1, d), body, 4, streams), {"x": (4, d)},
            lambda x: [numpy.stack([x[s][:, r] for s in range(d)], 1) for r in range(d)])


def broadcast(d, streams):
    body = row("own", "x", (5, 3)) + collective("part", f"broadcast %own root {d - 1}", (1, 3), (1, 3))
    return program({"x": (5, 3)}, (5, 3), (1, 3), body, 5, streams), {"x": (5, 3)}, lambda x: [x[-1]] * d


def permute(d, streams):
    body = row("own", "x", (5, 3)) + collective("part", "permute %own shift 1", (1, 3), (1, 3))
    return program({"x": (5, 3)}, (5, 3), (1, 3), body, 5, streams), {"x": (5, 3)}, lambda x: [x[r - 1] for r in range(d)]


def turned(d, streams):
    """Each rank begins with another row, and goes round."""
    body = ("    %r = flow.coordinate @m \"x\"\n    %n = arith.constant 4 : index\n    %sum = arith.addi %i, %r : index\n"
            "    %at = arith.remsi %sum, %n : index\n")
    body += row("own", "x", (4, 8), "%at") + collective("part", "all_reduce %own max", (1, 8), (1, 8))
    def value(x):
        results = []
        for r in range(d):
            y = numpy.empty_like(x[0])
            for i in range(4):
                y[(i + r) % 4] = numpy.max([x[s][(i + s) % 4] for s in range(d)], 0)
            results.append(y)
        return results
    return program({"x": (4, 8)}, (4, 8), (1, 8), body, 4, streams, place("%at", (1, 8))), {"x": (4, 8)}, value


def gather_product(d, streams):
    """[S, d, m, k] of which each rank has its place of d, times [k, n]."""
    s, m, k, n = 3, 2, 5, 4
    body = row("own", "x", (s, 1, m, k)) + collective("all", "all_gather %own dim 1", (1, 1, m, k), (1, d, m, k))
    body += flat("rows", "all", (1, d, m, k), (d * m, k)) + product("made", "rows", "w", d * m, k, n)
    body += unflat("part", "made", (d * m, n), (1, d, m, n))
    return (program({"x": (s, 1, m, k), "w": (k, n)}, (s, d, m, n), (1, d, m, n), body, s, streams), {"x": (s, 1, m, k), "w": (k, n)},
            lambda x, w: [numpy.concatenate(x, 1) @ w[r] for r in range(d)])


def product_reduce(d, streams):
    s, m, k, n = 3, 2, 5, 4
    body = row("own", "x", (s, m, k)) + flat("rows", "own", (1, m, k), (m, k)) + product("made", "rows", "w", m, k, n)
    body += collective("sum", "all_reduce %made sum", (m, n), (m, n)) + unflat("part", "sum", (m, n), (1, m, n))
    return (program({"x": (s, m, k), "w": (k, n)}, (s, m, n), (1, m, n), body, s, streams), {"x": (s, m, k), "w": (k, n)},
            lambda x, w: [sum(a @ b for a, b in zip(x, w))] * d)


def product_scatter(d, streams):
    s, m, k, n = 3, 2, 5, 4
    body = row("own", "x", (s, d * m, k)) + flat("rows", "own", (1, d * m, k), (d * m, k)) + product("made", "rows", "w", d * m, k, n)
    body += collective("sum", "reduce_scatter %made sum dim 0", (d * m, n), (m, n)) + unflat("part", "sum", (m, n), (1, m, n))
    return (program({"x": (s, d * m, k), "w": (k, n)}, (s, m, n), (1, m, n), body, s, streams), {"x": (s, d * m, k), "w": (k, n)},
            lambda x, w: [sum(a @ b for a, b in zip(x, w))[:, r * m:(r + 1) * m] for r in range(d)])


def products_around(d, streams):
    """Two products with a sum between them, and another one that needs no sum: all in one iteration."""
    s, m, k = 5, 2, 4
    body = row("own", "x", (s, m, k)) + flat("rows", "own", (1, m, k), (m, k)) + product("made", "rows", "w", m, k, k)
    body += collective("sum", "all_reduce %made sum", (m, k), (m, k))
    body += product("beside", "rows", "v", m, k, k) + product("last", "sum", "v", m, k, k)
    body += (f"    %more = linalg.add ins(%last, %beside : {tensor((m, k))}, {tensor((m, k))}) outs(%beside_e : {tensor((m, k))}) -> "
             f"{tensor((m, k))}\n") + unflat("part", "more", (m, k), (1, m, k))
    return (program({"x": (s, m, k), "w": (k, k), "v": (k, k)}, (s, m, k), (1, m, k), body, s, streams),
            {"x": (s, m, k), "w": (k, k), "v": (k, k)},
            lambda x, w, v: [sum(a @ b for a, b in zip(x, w)) @ v[r] + x[r] @ v[r] for r in range(d)])


CASES = (all_gather, all_reduce, reduce_scatter, all_to_all, broadcast, permute, turned, gather_product, product_reduce,
         product_scatter, products_around)


class RanksStreams(support.EndToEnd):
    def compile(self, text, size):
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        source.write_text(HEAD.replace("SIZE", str(size)) + text)
        result = support.heddle("compile", source, "-o", artifact)
        self.assertEqual(0, result.returncode, f"{source.read_text()}\n{result.stderr}")
        return artifact

    def run_ranks(self, artifact, given, *options):
        names = list(given)
        size = len(given[names[0]])
        for name, values in given.items():
            for rank, value in enumerate(values):
                numpy.save(self.folder / f"{name}{rank}.npy", value)
        result = support.heddle("run", artifact, *(f"--input=@{self.folder}/{name}{{rank}}.npy" for name in names),
                                f"--output=@{self.folder}/result{{rank}}.npy", *options)
        self.assertEqual(0, result.returncode, result.stderr)
        return [numpy.load(self.folder / f"result{rank}.npy") for rank in range(size)]

    def test_each_kind(self):
        random = numpy.random.default_rng(7)
        for case in CASES:
            for d in (1, 2, 3):
                for streams in (1, 2, 3):
                    with self.subTest(case=case.__name__, ranks=d, streams=streams):
                        text, shapes, value = case(d, streams)
                        given = {name: [random.standard_normal(shape, numpy.float32) for _ in range(d)] for name, shape in shapes.items()}
                        artifact = self.compile(text, d)
                        ops = [each["op"] for each in json.loads(support.heddle("inspect", artifact, "--json").stdout)["host"]]
                        self.assertTrue("stream_at" in ops or streams == 1, ops)
                        device = ["--device=local://0-1"] if streams == 2 else []
                        for got, want in zip(self.run_ranks(artifact, given, *device), value(*given.values())):
                            numpy.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
