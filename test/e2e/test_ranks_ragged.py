# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives whose pieces are not of one size, against numpy: every kind along every dimension, granules, axes in axes, empty
pieces, in loops and branches; each by the reference as written, by the reference in leading form, and run on threads.
"""
import itertools
import os
import subprocess
import unittest

import numpy
from rank_programs import REDUCTIONS, Mesh, over, tensor, words
from support import BIN, TIMEOUT_S, heddle
from test_ranks_mesh import Ranks
from test_ranks_tools import mpi_folders

KINDS = [(kind, {"dim": dim, **more}) for kind, more in (
    ("all_gather", {}), ("reduce_scatter", {"reduction": "sum"}), ("gather", {"root": 1}), ("scatter", {"root": 1})) for dim in range(3)]
KINDS += [("all_to_all", {"dim": split, "concat": concat}) for split, concat in itertools.permutations(range(3), 2)]


def begin(place, parts, size, granule):
    return place * (size // granule) // parts * granule


class Share:
    """How a dimension of a size is cut along `outer` and then `axes`, of which a collective joins the last ones."""

    def __init__(self, mesh, size, axes, outer=(), granule=1):
        self.mesh, self.size, self.axes, self.outer, self.granule = mesh, size, list(axes), list(outer), granule
        self.members = int(numpy.prod([mesh.sizes[axis] for axis in axes], dtype=int))
        self.parts = self.members * int(numpy.prod([mesh.sizes[axis] for axis in outer], dtype=int))

    def place(self, rank, axes):
        at, place = self.mesh.coordinates(rank), 0
        for axis in axes:
            place = place * self.mesh.sizes[axis] + int(at[axis])
        return place

    def own(self, rank):
        """The part of a rank, as a slice of the whole."""
        place = self.place(rank, self.outer + self.axes)
        return slice(begin(place, self.parts, self.size, self.granule), begin(place + 1, self.parts, self.size, self.granule))

    def group(self, rank):
        """What the rank's group has together."""
        first = self.place(rank, self.outer) * self.members
        return slice(*(begin(first + i, self.parts, self.size, self.granule) for i in (0, self.members)))


class Text:
    """Index arithmetic of a program."""

    def __init__(self, mesh):
        self.mesh, self.lines, self.count, self.made = mesh, [], 0, {}

    def add(self, line):
        if line not in self.made:
            self.count += 1
            self.lines.append(f"  %v{self.count} = {line}\n")
            self.made[line] = f"%v{self.count}"
        return self.made[line]

    def number(self, value):
        return self.add(f"arith.constant {value} : index")

    def do(self, name, left, right):
        return self.add(f"arith.{name} {left}, {right} : index")

    def place(self, axes):
        place = self.number(0)
        for axis in axes:
            size = self.add(f'flow.mesh_size @{self.mesh.name} "{axis}"')
            place = self.do("addi", self.do("muli", place, size), self.add(f'flow.coordinate @{self.mesh.name} "{axis}"'))
        return place

    def parts(self, axes):
        parts = self.number(1)
        for axis in axes:
            parts = self.do("muli", parts, self.add(f'flow.mesh_size @{self.mesh.name} "{axis}"'))
        return parts

    def begin(self, place, share):
        granules, parts = self.number(share.size // share.granule), self.parts(share.outer + share.axes)
        return self.do("muli", self.do("divsi", self.do("muli", place, granules), parts), self.number(share.granule))

    def range(self, share, ofGroup):
        """Begin and size of the rank's part, or of that of its group."""
        if ofGroup:
            first, count = self.do("muli", self.place(share.outer), self.parts(share.axes)), self.parts(share.axes)
        else:
            first, count = self.place(share.outer + share.axes), self.number(1)
        at = self.begin(first, share)
        return at, self.do("subi", self.begin(self.do("addi", first, count), share), at)

    def cut(self, share):
        return [self.number(share.size // share.granule), self.number(share.granule),
                self.do("muli", self.place(share.outer), self.parts(share.axes)), self.parts(share.outer + share.axes)]

    def slice(self, operand, shape, element, ranges):
        """`ranges` by dimension: begin and size."""
        # A number is no place in a dimension without elements.
        offsets = [str(ranges[dim][0]) if dim in ranges else "0" if size else self.number(0) for dim, size in enumerate(shape)]
        sizes = [str(ranges[dim][1]) if dim in ranges else str(size) for dim, size in enumerate(shape)]
        to = tensor(["?" if dim in ranges else size for dim, size in enumerate(shape)], element)
        ones = ", ".join(["1"] * len(shape))
        return self.add(f"tensor.extract_slice {operand}[{', '.join(offsets)}] [{', '.join(sizes)}] [{ones}] "
                        f": {tensor(shape, element)} to {to}"), to, [ranges[dim][1] for dim in sorted(ranges)]


def collective(text, kind, attributes, shares, shape, element, operand="%x"):
    """Cuts the operand, which each rank has whole, and writes the collective. Gives its result and its type."""
    sides = [(attributes["dim"], kind in ("reduce_scatter", "scatter", "all_to_all"))]
    if kind == "all_to_all":
        sides.append((attributes["concat"], False))
    groups = {dim: text.range(share, True) for (dim, _), share in zip(sides, shares)}
    owns = {dim: text.range(share, False) for (dim, _), share in zip(sides, shares)}
    has_all = {dim for dim, ofOperand in sides if ofOperand}
    value, source, sizes = text.slice(operand, shape, element, {dim: (groups if dim in has_all else owns)[dim] for dim, _ in sides})
    ends = [(owns if dim in has_all else groups)[dim][1] for dim in sorted(groups)]
    to = tensor(["?" if dim in groups else size for dim, size in enumerate(shape)], element)
    cut = ", ".join(value for share in shares for value in text.cut(share))
    line = (f"flow.{kind} {value} {words(kind, **attributes)} cut({cut}) {over(text.mesh, shares[0].axes)} "
            f": {source}{{{', '.join(sizes)}}} -> {to}{{{', '.join(ends)}}}")
    return line, to, ends


def expected(kind, attributes, shares, wholes):
    """What each rank gets; `wholes` by rank."""
    mesh, results = shares[0].mesh, {}

    def take(array, ranges):
        index = [slice(None)] * array.ndim
        for dim, part in ranges.items():
            index[dim] = part
        return array[tuple(index)]

    dim, share = attributes["dim"], shares[0]
    for group in mesh.groups(share.axes):
        for rank in group:
            if kind in ("all_gather", "gather"):
                value = numpy.concatenate([take(wholes[other], {dim: share.own(other)}) for other in group], dim)
                value = value if kind == "all_gather" or rank == group[attributes["root"]] else numpy.zeros_like(value)
            elif kind == "all_to_all":
                concat = attributes["concat"]
                value = numpy.concatenate([take(wholes[other], {dim: share.own(rank), concat: shares[1].own(other)}) for other in group],
                                          concat)
            else:
                total = wholes[group[attributes.get("root", 0)]]
                for other in group[1:] if kind == "reduce_scatter" else []:
                    total = REDUCTIONS[attributes["reduction"]](total, wholes[other])
                value = take(total, {dim: share.own(rank)})
            results[rank] = value
    return [results[rank] for rank in range(len(wholes))]


class Ragged(Ranks):
    def grid(self, mesh, axes, shape=(66, 7, 9), granules=(1, 1, 1), outer=(), element="f32", dtype=numpy.float32, kinds=KINDS):
        text, names, types, wanted = Text(mesh), [], [], []
        wholes = [self.values(shape, dtype) for _ in range(mesh.ranks)]
        for kind, attributes in kinds:
            dims = [attributes["dim"]] + ([attributes["concat"]] if kind == "all_to_all" else [])
            shares = [Share(mesh, shape[dim], axes, outer, granules[dim]) for dim in dims]
            line, to, _ = collective(text, kind, attributes, shares, shape, element)
            names.append(text.add(line))
            types.append(to)
            wanted.append(expected(kind, attributes, shares, wholes))
        program = (f"{mesh.text()}func.func @main(%x: {tensor(shape, element)}) -> ({', '.join(types)}) {{\n{''.join(text.lines)}"
                   f"  return {', '.join(names)} : {', '.join(types)}\n}}\n")
        self.check(program, [wholes], wanted, mesh)


class EveryKind(Ragged):
    def test_one_axis(self):
        self.grid(Mesh(x=2), ["x"])
        self.grid(Mesh(x=4), ["x"])

    def test_more_ranks_than_rows(self):
        self.grid(Mesh(x=8), ["x"], (7, 1, 5))
        self.grid(Mesh(x=4), ["x"], (1, 3, 4))

    def test_no_rows(self):
        self.grid(Mesh(x=4), ["x"], (0, 3, 5))

    def test_granules(self):
        self.grid(Mesh(x=3), ["x"], (8, 15, 14), (4, 3, 7))

    def test_axes_in_axes(self):
        mesh = Mesh(x=2, y=3)
        self.grid(mesh, ["x", "y"])
        self.grid(mesh, ["y", "x"], (11, 7, 4))
        self.grid(mesh, ["y"], (11, 7, 13), outer=["x"])
        self.grid(mesh, ["x"], (22, 7, 13), (2, 1, 1), outer=["y"])

    def test_one_member(self):
        kinds = [kind for kind in KINDS if "root" not in kind[1]]
        self.grid(Mesh(x=3, one=1), ["one"], (5, 4, 3), kinds=kinds)
        self.grid(Mesh(x=3, one=1), ["one"], (5, 4, 3), outer=["x"], kinds=kinds)

    def test_sizes_that_are_told_later(self):
        for size in (1, 2, 3):
            kinds = [kind for kind in KINDS if size > 1 or "root" not in kind[1]]
            self.grid(Mesh(x=size, free=("x",)), ["x"], (7, 4, 5), kinds=kinds)

    def test_types(self):
        kinds = [("all_gather", {"dim": 1}), ("reduce_scatter", {"reduction": "sum", "dim": 0}), ("all_to_all", {"dim": 1, "concat": 0})]
        for element, dtype in (("f16", numpy.float16), ("i8", numpy.int8), ("i64", numpy.int64), ("f64", numpy.float64)):
            self.grid(Mesh(x=3), ["x"], (7, 5, 4), element=element, dtype=dtype, kinds=kinds)
        self.grid(Mesh(x=3), ["x"], (7, 5, 4), element="i1", dtype=numpy.bool_, kinds=[
            ("all_gather", {"dim": 1}), ("reduce_scatter", {"reduction": "xor", "dim": 0})])

    def test_pieces_of_one_size_after_all(self):
        """By a cut that says so; what is compiled is as without."""
        self.grid(Mesh(x=2), ["x"], (6, 4, 8), (3, 1, 2))


class Programs(Ragged):
    def test_loops_and_branches(self):
        """A share that a loop carries is gathered, changed and scattered again; in a branch it goes another way."""
        mesh = Mesh(x=2, y=2)
        text = f"""{mesh.text()}
func.func @main(%x: tensor<7x3xi32>, %n: tensor<i64> {{heddle.sharding = #flow.sharding<@m, []>}}) -> (tensor<?x3xi32>, tensor<7x3xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %v = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %v : i64 to index
  %i = flow.coordinate @m "x"
  %j = flow.coordinate @m "y"
  %i2 = arith.muli %i, %c2 : index
  %s = arith.addi %i2, %j : index
  %s7 = arith.muli %s, %c7 : index
  %begin = arith.divsi %s7, %c4 : index
  %t = arith.addi %s, %c1 : index
  %t7 = arith.muli %t, %c7 : index
  %end = arith.divsi %t7, %c4 : index
  %rows = arith.subi %end, %begin : index
  %part = tensor.extract_slice %x[%begin, 0] [%rows, 3] [1, 1] : tensor<7x3xi32> to tensor<?x3xi32>
  %e = tensor.empty() : tensor<7x3xi32>
  %r:2 = scf.for %k = %c0 to %trips step %c1 iter_args(%acc = %part, %all = %x) -> (tensor<?x3xi32>, tensor<7x3xi32>) {{
    %whole = flow.all_gather %acc dim 0 cut(%c7, %c1, %c0, %c4) over @m["x", "y"] : tensor<?x3xi32>{{%rows}} -> tensor<7x3xi32>
    %sum = linalg.add ins(%whole, %all : tensor<7x3xi32>, tensor<7x3xi32>) outs(%e : tensor<7x3xi32>) -> tensor<7x3xi32>
    %half = arith.divsi %k, %c2 : index
    %even = arith.muli %half, %c2 : index
    %odd = arith.subi %k, %even : index
    %isOdd = arith.cmpi eq, %odd, %c1 : index
    %next = scf.if %isOdd -> tensor<?x3xi32> {{
      %0 = flow.reduce_scatter %sum max dim 0 cut(%c7, %c1, %c0, %c4) over @m["x", "y"] : tensor<7x3xi32> -> tensor<?x3xi32>{{%rows}}
      scf.yield %0 : tensor<?x3xi32>
    }} else {{
      %0 = flow.scatter %sum dim 0 root 2 cut(%c7, %c1, %c0, %c4) over @m["x", "y"] : tensor<7x3xi32> -> tensor<?x3xi32>{{%rows}}
      scf.yield %0 : tensor<?x3xi32>
    }}
    scf.yield %next, %sum : tensor<?x3xi32>, tensor<7x3xi32>
  }}
  return %r#0, %r#1 : tensor<?x3xi32>, tensor<7x3xi32>
}}
"""
        share = Share(mesh, 7, ["x", "y"])
        for trips in (0, 1, 3):
            x = [self.values((7, 3), numpy.int32) for _ in range(4)]
            parts, alls = [x[rank][share.own(rank)] for rank in range(4)], x
            for k in range(trips):
                whole = numpy.concatenate(parts)
                alls = [whole + value for value in alls]
                total = numpy.max(alls, axis=0) if k % 2 else alls[2]
                parts = [total[share.own(rank)] for rank in range(4)]
            with self.subTest(trips=trips):
                self.check(text, [x, [numpy.array(trips)] * 4], [parts, alls], mesh)

    def test_data_decides(self):
        """A loop whose end all ranks read from what they have alike, with pieces of several sizes inside."""
        mesh = Mesh(x=3)
        text = f"""{mesh.text()}
func.func @main(%x: tensor<7x3xi32>) -> tensor<7x3xi32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %limit = arith.constant 100 : i32
  %i = flow.coordinate @m "x"
  %i7 = arith.muli %i, %c7 : index
  %begin = arith.divsi %i7, %c3 : index
  %j = arith.addi %i, %c1 : index
  %j7 = arith.muli %j, %c7 : index
  %end = arith.divsi %j7, %c3 : index
  %rows = arith.subi %end, %begin : index
  %r = scf.while (%w = %x) : (tensor<7x3xi32>) -> tensor<7x3xi32> {{
    %all = flow.all_reduce %w max over @m["x"] : tensor<7x3xi32>
    %first = tensor.extract %all[%c0, %c0] : tensor<7x3xi32>
    %more = arith.cmpi slt, %first, %limit : i32
    scf.condition(%more) %w : tensor<7x3xi32>
  }} do {{
  ^bb0(%w: tensor<7x3xi32>):
    %part = tensor.extract_slice %w[%begin, 0] [%rows, 3] [1, 1] : tensor<7x3xi32> to tensor<?x3xi32>
    %e = tensor.empty(%rows) : tensor<?x3xi32>
    %twice = linalg.add ins(%part, %part : tensor<?x3xi32>, tensor<?x3xi32>) outs(%e : tensor<?x3xi32>) -> tensor<?x3xi32>
    %next = flow.all_gather %twice dim 0 cut(%c7, %c1, %c0, %c3) over @m["x"] : tensor<?x3xi32>{{%rows}} -> tensor<7x3xi32>
    scf.yield %next : tensor<7x3xi32>
  }}
  return %r : tensor<7x3xi32>
}}
"""
        share = Share(mesh, 7, ["x"])
        x = [abs(self.values((7, 3), numpy.int32)) + 1 for _ in range(3)]
        now = x
        while numpy.max(now, axis=0)[0, 0] < 100:
            now = [numpy.concatenate([2 * now[rank][share.own(rank)] for rank in range(3)])] * 3
        self.check(text, [x], [now], mesh)

    SHARED = """func.func @main(%x: tensor<?x5xf32> {{heddle.dims = ["rows", ""], heddle.sharding = #flow.sharding<@m, [["x"]{by} of {rows}, []]>}})
    -> (tensor<?x5xf32> {{heddle.sharding = #flow.sharding<@m, [["x"], []]>}}, tensor<{rows}x5xf32> {{heddle.sharding = #flow.sharding<@m, [[], []]>}},
        tensor<{rows}x?xf32> {{heddle.sharding = #flow.sharding<@m, [[], ["x"]]>}},
        tensor<5xf32> {{heddle.sharding = #flow.sharding<@m, [[]], partial sum ["x"]>}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %granule = arith.constant {granule} : index
  %granules = arith.constant {granules} : index
  %zero = arith.constant 0.0 : f32
  %n = flow.mesh_size @m "x"
  %i = flow.coordinate @m "x"
  %d = tensor.dim %x, %c0 : tensor<?x5xf32>
  %e = tensor.empty(%d) : tensor<?x5xf32>
  %y = linalg.exp ins(%x : tensor<?x5xf32>) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %all = flow.all_gather %y dim 0 cut(%granules, %granule, %c0, %n) over @m["x"] : tensor<?x5xf32>{{%d}} -> tensor<{rows}x5xf32>
  %at = arith.muli %i, %c5 : index
  %begin = arith.divsi %at, %n : index
  %j = arith.addi %i, %c1 : index
  %until = arith.muli %j, %c5 : index
  %end = arith.divsi %until, %n : index
  %w = arith.subi %end, %begin : index
  %turned = flow.all_to_all %x split 1 concat 0 cut(%c5, %c1, %c0, %n, %granules, %granule, %c0, %n) over @m["x"]
      : tensor<?x5xf32>{{%d}} -> tensor<{rows}x?xf32>{{%w}}
  %f = tensor.empty() : tensor<5xf32>
  %none = linalg.fill ins(%zero : f32) outs(%f : tensor<5xf32>) -> tensor<5xf32>
  %sum = linalg.reduce ins(%x : tensor<?x5xf32>) outs(%none : tensor<5xf32>) dimensions = [0]
    (%a: f32, %b: f32) {{ %s = arith.addf %a, %b : f32 linalg.yield %s : f32 }}
  return %y, %all, %turned, %sum : tensor<?x5xf32>, tensor<{rows}x5xf32>, tensor<{rows}x?xf32>, tensor<5xf32>
}}
"""

    def test_whole_arrays(self):
        for ranks, rows, granule, free in ((4, 66, 1, ()), (8, 7, 1, ()), (4, 1, 1, ()), (4, 0, 1, ()), (3, 66, 6, ("x",)), (2, 6, 1, ())):
            with self.subTest(ranks=ranks, rows=rows, granule=granule):
                mesh, x = Mesh(x=ranks, free=free), self.values((rows, 5))
                text = self.SHARED.format(rows=rows, granule=granule, granules=rows // granule, by=f" by {granule}" if granule > 1 else "")
                artifact = self.compare_close(mesh, text, x, numpy.exp(x))
                done = subprocess.run([BIN / "heddle", "run", artifact, f"--input={self.save('no', numpy.zeros((rows + 1, 5), numpy.float32))}"]
                                      + ([f"--mesh={mesh.flag()}"] if free else []), capture_output=True, text=True, timeout=TIMEOUT_S)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"dimension 0 of the whole tensor is {rows}, got {rows + 1}", done.stderr)

    def compare_close(self, mesh, text, x, y):
        path, leading, artifact = self.folder / "program.mlir", self.folder / "leading.mlir", self.folder / "program.heddle"
        path.write_text(mesh.text() + text)
        sizes = [f"--mesh={mesh.flag()}"] if mesh.flag() else []
        self.compile(path, "-o", artifact)
        self.compile(path, "--compile-to=partition", "-o", leading, *sizes)
        flags = [f"--input={self.save('x', x)}"] + [f"--output=@{self.file(f'out{i}')}" for i in range(4)]
        for command in ([BIN / "heddle-reference", path, "--small", *sizes], [BIN / "heddle-reference", leading, "--small"],
                        [BIN / "heddle", "run", artifact, *sizes]):
            with self.subTest(command=command):
                done = subprocess.run([*command, *flags], capture_output=True, text=True, timeout=TIMEOUT_S)
                self.assertEqual(0, done.returncode, done.stderr)
                for i, value in enumerate((y, y, x, x.sum(axis=0))):  # x has small whole numbers: sums are exact
                    numpy.testing.assert_allclose(numpy.load(self.file(f"out{i}")), value, rtol=2e-6)
        return artifact

    def test_processes(self):
        """The same by MPI, a rank each: whole arrays in, and out at rank 0."""
        mpis = mpi_folders()
        self.assertTrue(mpis, "no MPI: run scripts/setup.sh")
        x, text = self.values((66, 5)), self.SHARED.format(rows=66, granule=6, granules=11, by=" by 6")
        path, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        path.write_text(Mesh(x=3).text() + text)
        self.compile(path, "-o", artifact)
        for name, folder in mpis.items():
            with self.subTest(mpi=name):
                environment = dict(os.environ, HEDDLE_MPIEXEC=os.path.join(folder, "bin", "mpiexec"))
                flags = [f"--input={self.save('x', x)}"] + [f"--output=@{self.file(f'{name}{i}')}" for i in range(4)]
                done = heddle("launch", "-n", 3, "run", artifact, *flags, env=environment)
                self.assertEqual(0, done.returncode, done.stderr)
                for i, value in enumerate((numpy.exp(x), numpy.exp(x), x, x.sum(axis=0))):
                    numpy.testing.assert_allclose(numpy.load(self.file(f"{name}{i}")), value, rtol=2e-6)


if __name__ == "__main__":
    unittest.main()
