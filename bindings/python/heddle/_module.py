# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: artifacts on devices."""
from __future__ import annotations

import os
from typing import Iterable

from . import _runtime
from ._compile import Artifact, Path
from ._errors import InvalidArgumentError
from ._explain import Explanation


class Module(_runtime.Module):
    """An artifact on devices, shared by any number of threads.

    Called, it runs `main` or its only entry point; the others are attributes by name (or `entry_points[name]`).
    """

    artifact: Artifact

    def explain(self, why: str | None = None, why_not: str | None = None) -> Explanation:
        """As Artifact.explain()."""
        return self.artifact.explain(why, why_not)

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()

    def __repr__(self) -> str:
        lines = [f"<heddle.Module {self.artifact.path}"]
        lines += [f"  {repr(function)[len('<heddle.Function '):-1]}" for function in self.entry_points.values()]
        lines += [f"  {device.name} = {device.uri}" for device in self.devices]
        return "\n".join(lines) + ">"


def load(artifact: Artifact | Path, devices: str | Iterable[str] = (), *, verify: bool = False,
         on_device_lost: str = "fail", allow_native: bool = True, copy: bool = False, seed: int | None = None) -> Module:
    """Loads an artifact, or the file of one, on `devices` (URIs, in order; none: those of this machine).

    `verify`: read the whole file and compare its hashes. `on_device_lost`: 'fail', or 'fallback': a call that loses a
    device is repeated without it. `allow_native=False` refuses machine code, which runs unchecked in this process.
    `copy`: read the file into memory, so that it may be overwritten while the module lives (docs/deploying.md).
    `seed`: of the random numbers, where the program draws any: calls made one after the other give the same results each
    time. Without it each load draws others. `module.seed(n)` begins anew.
    """
    if on_device_lost not in ("fail", "fallback"):
        raise InvalidArgumentError(f"on_device_lost is 'fail' or 'fallback', got '{on_device_lost}'")
    if seed is not None and not (isinstance(seed, int) and 0 <= seed < 2**64):
        raise InvalidArgumentError(f"seed is an integer from 0 to 2**64 - 1, got {seed!r}")
    if not isinstance(artifact, (Artifact, str, os.PathLike)):
        raise InvalidArgumentError(f"an artifact is what compile() gave, or a path, got an object of type {type(artifact).__name__}")
    source = artifact if isinstance(artifact, Artifact) else Artifact(artifact)
    uris = [devices] if isinstance(devices, str) else list(devices)
    for uri in uris:
        if not isinstance(uri, str):
            raise InvalidArgumentError(f"devices are URIs like 'local://0', got an object of type {type(uri).__name__}")
    module = Module(os.fspath(source.path), uris, verify, on_device_lost == "fallback", allow_native, copy)
    module.artifact = source
    if seed is not None:
        module.seed(seed)
    return module
