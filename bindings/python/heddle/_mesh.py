# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Meshes: the ranks of a program as an array with named axes."""
from __future__ import annotations

import math
from typing import Mapping, Union

from ._errors import InvalidArgumentError


class Mesh:
    """Sizes of a mesh's axes: `Mesh(x=2, y=4)`, or Mesh({"x": 2, "y": 4}) for names that Python does not take."""

    def __init__(self, sizes: Mapping[str, int] | None = None, /, **named: int):
        self._sizes = {**(sizes or {}), **named}
        for axis, size in self._sizes.items():
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise InvalidArgumentError(f"the size of a mesh's axis is an integer from 1, got {axis}={size!r}")
            if not axis or any(letter in axis for letter in ",= "):
                raise InvalidArgumentError(f"the name of a mesh's axis has no comma, blank or equals sign, got {axis!r}")

    @property
    def sizes(self) -> dict[str, int]:
        return dict(self._sizes)

    @property
    def size(self) -> int:
        """The number of ranks."""
        return math.prod(self._sizes.values())

    def __str__(self) -> str:
        return ",".join(f"{axis}={size}" for axis, size in self._sizes.items())

    def __repr__(self) -> str:
        return f"heddle.Mesh({', '.join(f'{axis}={size}' for axis, size in self._sizes.items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and list(self._sizes.items()) == list(other._sizes.items())

    def __hash__(self) -> int:
        return hash(tuple(self._sizes.items()))


MeshLike = Union[Mesh, Mapping[str, int], str]


def to_flag(mesh: MeshLike | None) -> str:
    """As `--mesh` and the runtime take it: "x=2,y=4"; "" for None."""
    if mesh is None or isinstance(mesh, str):
        return mesh or ""
    return str(mesh if isinstance(mesh, Mesh) else Mesh(mesh))
