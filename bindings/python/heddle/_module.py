# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: artifacts on devices."""
from __future__ import annotations

import os
from typing import Any, Iterable, overload

from . import _devices, _runtime
from ._compile import Artifact, Path
from ._errors import InvalidArgumentError
from ._explain import Explanation
from ._mesh import MeshLike, to_flag
from ._ranks import Ranks


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


@overload
def load(artifact: Artifact | Path, devices: str | Iterable[str] = (), *, verify: bool = False,
         on_device_lost: str = "fail", allow_native: bool = True, copy: bool = False, seed: int | None = None) -> Module: ...
@overload
def load(artifact: Artifact | Path, devices: str | Iterable[str] = (), *, ranks: int | None = None,
         mesh: MeshLike | None = None, timeout: float | None = None, verify: bool = False, on_device_lost: str = "fail",
         allow_native: bool = True, copy: bool = False, seed: int | None = None) -> Any: ...


def load(artifact: Artifact | Path, devices: str | Iterable[str] = (), *, ranks: int | None = None,
         mesh: MeshLike | None = None, timeout: float | None = None, verify: bool = False, on_device_lost: str = "fail",
         allow_native: bool = True, copy: bool = False, seed: int | None = None) -> Any:
    """Loads an artifact, or the file of one, on `devices` (URIs, in order; none: those of this machine).

    A program with a mesh of several ranks is a `heddle.Ranks`: its ranks are threads of this process, which share the
    devices, or under a launcher of MPI (mpirun, srun) each process is one. `mesh` (a Mesh, a dictionary or "x=2,y=2")
    gives sizes to axes that the program leaves free, `ranks` says how many there are to be; `timeout`: how many seconds a
    rank waits for the others before it gives up.

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
    if ranks is not None and not (isinstance(ranks, int) and 1 <= ranks <= 4096):
        raise InvalidArgumentError(f"ranks is an integer from 1 to 4096, got {ranks!r}")
    if timeout is not None and not 0 < timeout <= 1e6:
        raise InvalidArgumentError(f"timeout is a number of seconds above 0, at most 1000000, got {timeout!r}")
    if not isinstance(artifact, (Artifact, str, os.PathLike)):
        raise InvalidArgumentError(f"an artifact is what compile() gave, or a path, got an object of type {type(artifact).__name__}")
    source = artifact if isinstance(artifact, Artifact) else Artifact(artifact)
    uris = [devices] if isinstance(devices, str) else list(devices)
    for uri in uris:
        if not isinstance(uri, str):
            raise InvalidArgumentError(f"devices are URIs like 'local://0', got an object of type {type(uri).__name__}")
    path, sizes = os.fspath(source.path), to_flag(mesh)
    options = (verify, on_device_lost == "fallback", allow_native, copy)
    _, launched = _runtime.launched_rank()
    wanted = _runtime.artifact_ranks(path, sizes, ranks or (launched if launched > 1 else 0))
    if ranks is not None and wanted != ranks:
        raise InvalidArgumentError(f"the program runs on {wanted} rank{'s' if wanted != 1 else ''}, got ranks={ranks}")
    module: Any
    if wanted == 1:
        module = Module(path, uris, *options, mesh=sizes)
    else:
        if ranks is not None and 1 < launched != ranks:
            raise InvalidArgumentError(f"a launcher started {launched} ranks, got ranks={ranks}")

        def load_member(world: _runtime.World, member: int) -> _runtime.Module:
            return _runtime.Module(path, _devices.share(path, uris, member, world.members), *options, world=world, member=member, mesh=sizes)

        module = Ranks(path, wanted, load_member, "auto" if launched > 1 else "local", timeout)
    module.artifact = source
    if seed is not None:
        module.seed(seed)
    return module
