# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: artifacts on devices."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, overload

from . import _devices, _runtime, _sources
from ._compile import Artifact
from ._errors import InvalidArgumentError, NotFoundError, did_you_mean
from ._explain import Explanation
from ._mesh import MeshLike, to_flag
from ._ranks import Ranks

if TYPE_CHECKING:
    from ._profile import Profile


class Module(_runtime.Module):
    """An artifact on devices, shared by any number of threads.

    Called, it runs `main` or its only entry point; the others are attributes by name (or `entry_points[name]`).
    """

    artifact: Artifact

    def explain(self, why: str | None = None, why_not: str | None = None) -> Explanation:
        """As Artifact.explain()."""
        return self.artifact.explain(why, why_not)

    def profile(self, *args: Any, function: str | None = None, calls: int = 5, warmup: int = 2, **named: Any) -> Profile:
        """Where the time of a call goes, by node of the model; arguments are those of the call.

        Prints as a table; `rows` has its lines as data. It makes `calls` calls (after `warmup` that are not counted) of
        `function` (the main one), and gives means.
        """
        from ._profile import profile
        return profile(self, self._find(function), args, named, calls, warmup)

    def _find(self, name: str | None) -> _runtime.Function:
        """An entry point; None: `main`, or the only one."""
        points = self.entry_points
        if name is None and len(points) > 1 and "main" not in points:
            raise InvalidArgumentError(f"the module has several entry points, name one: {', '.join(points)}")
        name = name or ("main" if "main" in points else next(iter(points)))
        if name not in points:
            raise NotFoundError(f"the module has no entry point '{name}'{did_you_mean(name, points)}")
        return points[name]

    def statistics(self) -> dict[str, Any]:
        """Figures of the load, and of the last call of each entry point: bytes, dispatches, allocations."""
        return {**self._load_statistics, "calls": {name: function.statistics for name, function in self.entry_points.items()}}

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()

    def __repr__(self) -> str:
        lines = [f"<heddle.Module {_sources.where(self.artifact)}"]
        lines += [f"  {repr(function)[len('<heddle.Function '):-1]}" for function in self.entry_points.values()]
        lines += [f"  {device.name} = {device.uri}" for device in self.devices]
        return "\n".join(lines) + ">"


# What load() takes beside artifacts, is typed as anything: objects of onnx, jax and their like.
@overload
def load(artifact: Any, devices: str | Iterable[str] = (), *, threads: int | None = None, verify: bool = False,
         on_device_lost: str = "fail", allow_native: bool = True, copy: bool = False, check: bool = False, seed: int | None = None) -> Module: ...


@overload
def load(artifact: Any, devices: str | Iterable[str] = (), *, threads: int | None = None, ranks: int | None = None,
         mesh: MeshLike | None = None, timeout: float | None = None, verify: bool = False, on_device_lost: str = "fail",
         allow_native: bool = True, copy: bool = False, check: bool = False, seed: int | None = None) -> Any: ...


def load(artifact: Any, devices: str | Iterable[str] = (), *, threads: int | None = None, ranks: int | None = None,
         mesh: MeshLike | None = None, timeout: float | None = None, verify: bool = False, on_device_lost: str = "fail",
         allow_native: bool = True, copy: bool = False, check: bool = False, seed: int | None = None) -> Any:
    """Loads an artifact on `devices`: names ('cpu', 'gpu') or URIs, in order. Without any it takes those of this machine.
    Where other devices are named too, a 'gpu' that is absent is passed over.

    `artifact`: the result of compile(), a path, bytes, or an open file. A model (a path that ends in .onnx, .mlir or
    .mlirbc, its bytes, and everything else that compile() takes) is compiled for the first of `devices` that is there.

    `threads`: how many threads work on a call, on any core that this process may use; default: one for each core.
    `verify`: read the whole file and compare its hashes. `on_device_lost`: 'fail', or 'fallback', which repeats a call
    that loses a device without it. `allow_native=False` refuses machine code, which runs unchecked in this process.
    `copy`: read the file into memory, so that it may be overwritten while the module lives (docs/deploying.md).
    `check`: check the host program as `heddle inspect --verify` does, with this load's sizes of axes, and refuse a wrong
    one. That is for artifacts that others may have changed; HEDDLE_CHECK_PROGRAMS=1 does it in every load.
    `seed`: seed the random numbers that the program draws, so that the same calls in the same order give the same
    results. Without it each load draws others. `module.seed(n)` begins anew.

    A program with a mesh of several ranks is a `heddle.Ranks`. Its ranks are threads of this process, which share the
    devices; under a launcher of MPI (mpirun, srun) each process is one rank. `mesh` (a Mesh, a dictionary or "x=2,y=2")
    gives sizes to axes that the program leaves free, and `ranks` is the number of ranks. `timeout`: how many seconds a
    rank waits for the others before it gives up.
    """
    _check(on_device_lost, seed, ranks, timeout, threads)
    uris = [devices] if isinstance(devices, str) else list(devices)
    for uri in uris:
        if not isinstance(uri, str):
            raise InvalidArgumentError(f"devices are names or URIs like 'cpu' and 'local://0', got an object of type {type(uri).__name__}")
    source = _sources.find(artifact, uris)
    uris = _sources.present(uris, ("gpu",))
    sizes = to_flag(mesh)
    options = (verify, on_device_lost == "fallback", allow_native, copy)
    with _sources.opened(source) as path:
        _, launched = _runtime.launched_rank()
        wanted = _runtime.artifact_ranks(path, sizes, ranks or (launched if launched > 1 else 0))
        if ranks is not None and wanted != ranks:
            raise InvalidArgumentError(f"the program runs on {wanted} rank{'s' if wanted != 1 else ''}, got ranks={ranks}")
        module: Any
        if wanted == 1:
            module = Module(path, uris, *options, mesh=sizes, threads=threads or 0, check=check)
        else:
            if ranks is not None and 1 < launched != ranks:
                raise InvalidArgumentError(f"a launcher started {launched} ranks, got ranks={ranks}")

            def load_member(world: _runtime.World, member: int) -> _runtime.Module:
                return _runtime.Module(path, _devices.share(path, uris, member, world.members), *options, world=world, member=member,
                                       mesh=sizes, threads=threads or 0, check=check)

            module = Ranks(path, wanted, load_member, "auto" if launched > 1 else "local", timeout)
    module.artifact = source
    if seed is not None:
        module.seed(seed)
    return module


def _check(on_device_lost: str, seed: int | None, ranks: int | None, timeout: float | None, threads: int | None) -> None:
    if on_device_lost not in ("fail", "fallback"):
        raise InvalidArgumentError(f"on_device_lost is 'fail' or 'fallback', got '{on_device_lost}'")
    if seed is not None and not (isinstance(seed, int) and 0 <= seed < 2**64):
        raise InvalidArgumentError(f"seed is an integer from 0 to 2**64 - 1, got {seed!r}")
    if ranks is not None and not (isinstance(ranks, int) and 1 <= ranks <= 4096):
        raise InvalidArgumentError(f"ranks is an integer from 1 to 4096, got {ranks!r}")
    if threads is not None and not (isinstance(threads, int) and not isinstance(threads, bool) and 1 <= threads <= 1024):
        raise InvalidArgumentError(f"threads is an integer from 1 to 1024, got {threads!r}")
    if timeout is not None and not 0 < timeout <= 1e6:
        raise InvalidArgumentError(f"timeout is a number of seconds above 0, at most 1000000, got {timeout!r}")
