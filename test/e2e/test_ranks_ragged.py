# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives whose pieces are not of one size, against numpy: every kind along every dimension, granules, axes in axes, empty
pieces, in loops and branches; each by the reference as written, by the reference in leading form, and run on threads.
"""
import itertools
import os
import unittest

import numpy
from rank_programs import REDUCTIONS, Mesh, over, tensor, words
from test_ranks_mesh import SEED, Ranks

RANDOM_PROGRAMS = int(os.environ.get("HEDDLE_RANDOM_PROGRAMS", 6))
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


if __name__ == "__main__":
    unittest.main()
