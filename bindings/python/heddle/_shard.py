# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings of values by name: what compile(shardings=…) takes, as lines of the compiler's sharding file."""
from __future__ import annotations

from typing import Any, Mapping, Sequence, Union

from ._errors import InvalidArgumentError
from ._mesh import Mesh, MeshLike, to_flag


class Sharding:
    """How ranks share a value: what shard() gives. `str()` is its text in a sharding file (docs/distributed.md)."""

    def __init__(self, text: str):
        self._text = text

    def on(self, mesh: str) -> Sharding:
        """The same over the mesh of that name, where there are several."""
        return Sharding(f"@{mesh} {self._text}")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<heddle.Sharding {self._text}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sharding) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


# One for each dimension; or one for each axis, as PyTorch's placements; or the text itself.
ShardingLike = Union[Sharding, str, Sequence[Any]]


def _dimension(entry: Any) -> str:
    """`"tp"`, None, `...` (the compiler may choose), or a tuple of axes that ends in a granule or in `...`."""
    if entry is None:
        return "-"
    if entry is ...:
        return "?"
    parts = (entry,) if isinstance(entry, str) else entry
    if not isinstance(parts, tuple) or not parts:
        raise InvalidArgumentError(f"a dimension of shard() is the name of an axis, a tuple of names, None or ..., got {entry!r}")
    names, last = list(parts), ""
    if isinstance(names[-1], int) and not isinstance(names[-1], bool):
        last = f" by {names.pop()}"
    words = ["?" if name is ... else name for name in names]
    if not all(isinstance(word, str) and word for word in words):
        raise InvalidArgumentError(f"axes of shard() are names, and a granule of positions comes last, got {entry!r}")
    return (words[0] if len(words) == 1 and words[0] != "?" else f"({', '.join(words)})") + last


def _axis(name: str, place: Any) -> str:
    """A dimension's number, or a reduction's name for a partial value."""
    if isinstance(place, int) and not isinstance(place, bool):
        return f"{name}: {place}"
    if isinstance(place, str):
        return f"{name}: partial {place}"
    if place is None:
        return f"{name}: -"
    raise InvalidArgumentError(f"an axis of shard() has a dimension's number, or a reduction such as 'sum', got {name}={place!r}")


def shard(*dims: Any, **axes: Any) -> Sharding:
    """How ranks share a value, for compile(shardings=…).

    By dimension: `shard("tp", None)` cuts dimension 0 along the axis tp, `shard(("dp", "tp"), ...)` along two, the outermost
    first, and leaves dimension 1 to the compiler; `shard(("tp", 64), None)` cuts at multiples of 64. By axis, for values of
    any number of dimensions: `shard(tp=0)`, `shard(tp=-1, dp="sum")` (its parts are still to be summed along dp). `shard()`
    is whole on each rank.
    """
    if dims and axes:
        raise InvalidArgumentError("shard() takes what cuts each dimension, or what each axis cuts, got both")
    if dims:
        return Sharding(f"[{', '.join(_dimension(entry) for entry in dims)}]")
    return Sharding("{" + ", ".join(_axis(name, place) for name, place in axes.items()) + "}")


def _is_placement(entry: Any) -> bool:
    """PyTorch's Shard, Replicate and Partial (torch.distributed.tensor), without PyTorch."""
    return all(hasattr(entry, method) for method in ("is_shard", "is_replicate", "is_partial"))


def _of_placement(name: str, placement: Any) -> str:
    if type(placement).__name__ not in ("Shard", "Replicate", "Partial"):
        raise InvalidArgumentError(f"placements are Shard, Replicate and Partial, got {placement!r} along the axis '{name}'")
    if placement.is_shard():
        return _axis(name, placement.dim)
    if placement.is_replicate():
        return _axis(name, None)
    if placement.reduce_op not in ("sum", "product", "min", "max"):
        raise InvalidArgumentError(f"a Partial is of sum, product, min or max, got '{placement.reduce_op}'; divide after the sum")
    return _axis(name, placement.reduce_op)


def _axes_of(mesh: MeshLike | Mapping[str, Mesh] | None) -> list[str]:
    lines = _mesh_lines(mesh)
    flag = lines[0].removeprefix("mesh ") if len(lines) == 1 and ":" not in lines[0] else ""
    return [size.split("=")[0].strip() for size in flag.split(",")] if flag else []


def _text_of(pattern: str, sharding: Any, mesh: MeshLike | Mapping[str, Mesh] | None) -> str:
    if isinstance(sharding, (Sharding, str)):
        return str(sharding)
    if not isinstance(sharding, (tuple, list)):
        raise InvalidArgumentError(f"the sharding of '{pattern}' is what shard() gives, its text, a tuple with an entry for each dimension, or "
                                   f"PyTorch's placements, got {sharding!r}")
    if not sharding or not all(map(_is_placement, sharding)):
        return str(shard(*sharding))
    axes = _axes_of(mesh)
    if len(axes) != len(sharding):
        raise InvalidArgumentError(f"'{pattern}' has {len(sharding)} placements, one for each axis of the mesh, which has {len(axes)}; "
                                   "give mesh=heddle.Mesh(…)")
    return "{" + ", ".join(_of_placement(name, placement) for name, placement in zip(axes, sharding)) + "}"


def _mesh_lines(mesh: MeshLike | Mapping[str, Mesh] | None) -> list[str]:
    """One mesh, or several by name, each of the ranks behind those of the one before."""
    if not isinstance(mesh, Mapping) or not any(isinstance(one, Mesh) for one in mesh.values()):
        return [f"mesh {to_flag(mesh)}"] if mesh is not None else []  # type: ignore[arg-type]
    lines, first = [], 0
    for name, one in mesh.items():
        if not isinstance(one, Mesh):
            raise InvalidArgumentError(f"meshes by name are heddle.Mesh(…) each, got {name}={one!r}")
        lines.append(f"mesh {name}: {one} at {first}")
        first += one.size
    return lines


def to_file(shardings: Mapping[str, ShardingLike], mesh: MeshLike | Mapping[str, Mesh] | None) -> str:
    """The text of a sharding file. Patterns are tried in the order of the mapping; the first that fits a name decides."""
    lines = _mesh_lines(mesh)
    for pattern, sharding in shardings.items():
        if not isinstance(pattern, str) or not pattern.strip() or "\n" in pattern:
            raise InvalidArgumentError(f"shardings are by names or patterns of names, got {pattern!r}")
        if pattern.split()[0] == "mesh" or pattern.lstrip().startswith("#"):  # a mesh or a comment to the compiler
            raise InvalidArgumentError(f"no pattern begins with '#' or the word 'mesh', got {pattern!r}; begin it with '*'")
        text = _text_of(pattern, sharding, mesh)
        if "\n" in text:
            raise InvalidArgumentError(f"the sharding of '{pattern}' is one line, got {text!r}")
        lines.append(f"{pattern} = {text}")
    return "\n".join(lines) + "\n"


__all__ = ["Mesh", "Sharding", "ShardingLike", "shard", "to_file"]
