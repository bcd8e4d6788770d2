# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with collectives as text, and what numpy makes of them: for the tests of ranks."""
import itertools
import math

import numpy

REDUCTIONS = {"sum": numpy.add, "product": numpy.multiply, "min": numpy.minimum, "max": numpy.maximum, "umin": numpy.minimum,
              "umax": numpy.maximum, "and": numpy.bitwise_and, "or": numpy.bitwise_or, "xor": numpy.bitwise_xor}


class Mesh:
    """`sizes` by axis, in order; `free` axes are `?` in the text."""

    def __init__(self, name="m", at=0, free=(), **sizes):
        self.name, self.at, self.sizes, self.free = name, at, sizes, free

    @property
    def ranks(self):
        return math.prod(self.sizes.values())

    def text(self):
        axes = ", ".join(f"{axis} = {'?' if axis in self.free else size}" for axis, size in self.sizes.items())
        return f"device.mesh @{self.name} = [{axes}]{f' at {self.at}' if self.at else ''}\n"

    def flag(self):
        return ",".join(f"{axis}={size}" for axis, size in self.sizes.items() if axis in self.free)

    def coordinates(self, rank):
        return dict(zip(self.sizes, numpy.unravel_index(rank - self.at, tuple(self.sizes.values()))))

    def groups(self, axes):
        """The groups of world ranks that a collective over these axes joins, each in the order of the positions."""
        others = [axis for axis in self.sizes if axis not in axes]
        groups = []
        for fixed in itertools.product(*(range(self.sizes[axis]) for axis in others)):
            group = []
            for moving in itertools.product(*(range(self.sizes[axis]) for axis in axes)):
                place = dict(zip(others, fixed)) | dict(zip(axes, moving))
                group.append(self.at + int(numpy.ravel_multi_index([place[axis] for axis in self.sizes], tuple(self.sizes.values()))))
            groups.append(group)
        return groups


def compute(kind, operands, reduction=None, dim=0, concat=0, root=0, pairs=None, shift=None):
    """What each member of a group gets, by position."""
    n = len(operands)
    if kind == "all_gather":
        return [numpy.concatenate(operands, dim)] * n
    if kind == "gather":
        whole = numpy.concatenate(operands, dim)
        return [whole if position == root else numpy.zeros_like(whole) for position in range(n)]
    if kind in ("all_reduce", "reduce_scatter"):
        total = operands[0]
        for operand in operands[1:]:
            total = REDUCTIONS[reduction](total, operand)
        return [total] * n if kind == "all_reduce" else numpy.split(total, n, dim)
    if kind == "all_to_all":
        parts = [numpy.split(operand, n, dim) for operand in operands]
        return [numpy.concatenate([part[position] for part in parts], concat) for position in range(n)]
    if kind == "broadcast":
        return [operands[root]] * n
    if kind == "scatter":
        return numpy.split(operands[root], n, dim)
    assert kind == "permute", kind
    if shift is not None:
        return [operands[(position - shift) % n] for position in range(n)]
    results = [numpy.zeros_like(operand) for operand in operands]
    for source, target in pairs:
        results[target] = operands[source]
    return results


def result_shape(kind, shape, n, dim=0, concat=0):
    shape = list(shape)
    if kind in ("all_gather", "gather"):
        shape[dim] *= n
    elif kind in ("reduce_scatter", "scatter"):
        shape[dim] //= n
    elif kind == "all_to_all":
        shape[dim] //= n
        shape[concat] *= n
    return shape


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{element}>"


def words(kind, reduction=None, dim=0, concat=0, root=0, pairs=None, shift=None):
    """What stands between the operand and `over`."""
    return {"all_reduce": f"{reduction}", "all_gather": f"dim {dim}", "reduce_scatter": f"{reduction} dim {dim}",
            "all_to_all": f"split {dim} concat {concat}", "broadcast": f"root {root}", "gather": f"dim {dim} root {root}",
            "scatter": f"dim {dim} root {root}",
            "permute": f"shift {shift}" if shift is not None else f"pairs {[list(pair) for pair in pairs or []]}"}[kind]


def over(mesh, axes):
    if axes and isinstance(axes[0], (list, tuple)):
        return f"over @{mesh.name} groups {[list(group) for group in axes]}"
    return f"over @{mesh.name}[" + ", ".join(f'"{axis}"' for axis in axes) + "]"


def op(kind, mesh, axes, shape, element, operand="%x", **attributes):
    """The op without its result's name, and the result's shape. `axes`: names, or lists of ranks."""
    n = len(axes[0]) if isinstance(axes[0], (list, tuple)) else math.prod(mesh.sizes[axis] for axis in axes)
    keeps = kind in ("all_reduce", "broadcast", "permute")
    shape = list(shape)
    result = result_shape(kind, shape, n, attributes.get("dim", 0), attributes.get("concat", 0))
    types = tensor(shape, element) if keeps else f"{tensor(shape, element)} -> {tensor(result, element)}"
    return f"flow.{kind} {operand} {words(kind, **attributes)} {over(mesh, axes)} : {types}", result


def expected(kind, mesh, axes, operands, **attributes):
    """What each rank of the mesh gets of its operand; `operands` by world rank."""
    groups = [[mesh.at + rank for rank in group] for group in axes] if isinstance(axes[0], (list, tuple)) else mesh.groups(axes)
    results = {}
    for group in groups:
        for rank, value in zip(group, compute(kind, [operands[rank] for rank in group], **attributes)):
            results[rank] = value
    some = next(iter(results.values()))
    return [results.get(rank, numpy.zeros_like(some)) for rank in range(len(operands))]
