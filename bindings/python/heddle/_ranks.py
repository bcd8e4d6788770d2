# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of many ranks: whole arrays in, whole arrays out.

Started alone, all ranks are threads of this process. Under a launcher of MPI (mpirun python, srun) each process is one.
"""
from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

import numpy

from . import _runtime
from ._errors import Error, InvalidArgumentError, RankFailedError
from ._mesh import Mesh

if TYPE_CHECKING:
    from ._compile import Artifact
    from ._explain import Explanation


class PerRank(Sequence[Any]):
    """One value for each rank, in their order: an argument, or a result, of which each rank has its own."""

    def __init__(self, values: Sequence[Any]):
        self._values = tuple(values)

    def __getitem__(self, index: Any) -> Any:
        return self._values[index]

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"heddle.PerRank({list(self._values)!r})"


def _begin(place: int, parts: int, size: int, granule: int) -> int:
    """Where a part of a whole of that size begins (contract/Collectives.h, partBegin)."""
    return place * (size // granule) // parts * granule


def cut(whole: Any, value: Any, sharding: Any) -> Any:
    """A rank's part of a whole argument. An array, where it is none: what speaks DLPack is read as one."""
    axes, parts, places = sharding
    wholes, granules, partial = value.cuts
    array = whole if isinstance(whole, numpy.ndarray) else numpy.from_dlpack(whole) if hasattr(whole, "__dlpack__") else None
    if array is None:
        raise InvalidArgumentError(f"argument '{value.name}' is a whole array, got an object of type {type(whole).__name__}")
    if array.ndim != len(parts):
        raise InvalidArgumentError(f"argument '{value.name}': the whole tensor has {len(parts)} dimensions, got {array.ndim}")
    for index, (names, count, size, stated) in enumerate(zip(axes, parts, array.shape, wholes)):
        if stated is not None and size != stated:
            raise InvalidArgumentError(f"argument '{value.name}': dimension {index} of the whole tensor is {stated}, got {size}")
        if stated is None and size % count:
            raise InvalidArgumentError(f"argument '{value.name}': dimension {index} is dealt out along '{', '.join(names)}' in "
                                       f"{count} parts, which do not divide its size {size}; give a multiple of {count}")
    if partial is not None and partial[0] not in ("sum", "or", "xor"):
        raise InvalidArgumentError(f"argument '{value.name}': the whole is combined by '{partial[0]}' of what ranks have; give a "
                                   "heddle.PerRank")
    # A rank outside of the mesh has a part of its own, the first.
    own = tuple(slice(_begin(max(place, 0), count, size, granule), _begin(max(place, 0) + 1, count, size, granule))
                for place, count, size, granule in zip(places, parts, array.shape, granules))
    part = numpy.ascontiguousarray(array[own]) if array.ndim else array
    return part if partial is None or partial[3] <= 0 else numpy.zeros_like(part)


_COMBINE = {"sum": numpy.add, "product": numpy.multiply, "min": numpy.minimum, "max": numpy.maximum, "and": numpy.bitwise_and,
            "or": numpy.bitwise_or, "xor": numpy.bitwise_xor}


def _begins(name: str, dim: int, count: int, members: Sequence[tuple[int, Any, Any]]) -> list[int]:
    """Where the parts of a dimension begin, and behind them its size: they lie behind one another."""
    sizes = [0] * count
    first: dict[int, Any] = {}
    for rank, part, (_, _, places) in members:
        sizes[places[dim]] = part.shape[dim]
        if first.setdefault(places[dim], part).shape[dim] != part.shape[dim]:
            raise Error(f"result '{name}': rank {rank} has the shape {part.shape}, the ranks before it "
                        f"{first[places[dim]].shape}")
    return [sum(sizes[:place]) for place in range(count + 1)]


def join(name: str, parts: Sequence[tuple[Any, Any, Any]]) -> Any:
    """The whole result of (part, sharding, cuts) of each rank: parts behind one another, summands combined. Ranks that have
    the same part must agree, to the bit."""
    members = [(rank, part, sharding) for rank, (part, sharding, _) in enumerate(parts) if min(sharding[2], default=0) >= 0]
    _, counts, _ = members[0][2]
    begins = [_begins(name, dim, count, members) for dim, count in enumerate(counts)]
    whole = numpy.empty([places[-1] for places in begins], members[0][1].dtype)
    seen: dict[tuple[Any, int], tuple[int, Any]] = {}
    summands: dict[Any, list[Any]] = {}
    for rank, part, (_, _, numbers) in members:
        partial = parts[rank][2][2]
        key = (numbers, partial[3] if partial else 0)
        other, bits = seen.setdefault(key, (rank, part))
        if other == rank:
            summands.setdefault(numbers, []).append(part)
        elif bits.tobytes() != part.tobytes():
            raise Error(f"result '{name}': ranks {other} and {rank} have the same part of it by its sharding, and differ; the "
                        "program computes it from what is not equal on them")
    partial = parts[members[0][0]][2][2]
    for numbers, values in summands.items():
        place = tuple(slice(begin[number], begin[number + 1]) for begin, number in zip(begins, numbers))
        whole[place] = values[0] if partial is None else _combine(partial[0], values)
    return whole


def _combine(reduction: str, values: Sequence[Any]) -> Any:
    """Floats in f64, rounded once."""
    dtype = values[0].dtype
    is_float = dtype.kind not in "biu"
    total = values[0].astype(numpy.float64) if is_float else values[0]
    for value in values[1:]:
        total = _COMBINE[reduction](total, value.astype(numpy.float64) if is_float else value)
    return total.astype(dtype)


class RankFunction:
    """An entry point of a program of many ranks, called with whole arrays."""

    def __init__(self, ranks: Ranks, functions: Sequence[_runtime.Function]):
        self._ranks, self._functions = ranks, functions

    @property
    def name(self) -> str:
        return self._functions[0].name

    @property
    def arguments(self) -> list[_runtime.Value]:
        """Of the first rank of this process; shapes are those of a rank's part."""
        return self._functions[0].arguments

    @property
    def results(self) -> list[_runtime.Value]:
        return self._functions[0].results

    def _place(self, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """By name, as one rank's function takes them: what is not named fills the places left."""
        names = [value.name for value in self.arguments]
        for name in named:
            if name in ("out", "on", "state"):
                raise InvalidArgumentError(f"'{name}' is for programs of one rank")
            if name not in names and name != "timeout":
                raise InvalidArgumentError(f"'{self.name}' has no argument '{name}'")
        places = [name for name in names if name not in named]
        if len(given) > len(places):
            raise InvalidArgumentError(f"'{self.name}' takes {len(names)} arguments, got {len(given) + len(named)}")
        return {**dict(zip(places, given)), **named}

    def __call__(self, *given: Any, **named: Any) -> Any:
        values = self._place(given, named)
        calls = [self._of_member(member, values) for member in range(len(self._functions))]
        own = self._ranks._each(lambda member: self._functions[member](**calls[member]))
        rows = [result if isinstance(result, tuple) else (result,) for result in own]
        wholes = tuple(self._collect(index, [row[index] for row in rows]) for index in range(len(self.results)))
        return wholes[0] if len(wholes) == 1 else wholes

    def _of_member(self, member: int, values: dict[str, Any]) -> dict[str, Any]:
        shardings = {value.name: (value, value.sharding) for value in self._functions[member].arguments}
        out = {}
        for name, given in values.items():
            if isinstance(given, PerRank):
                if len(given) != self._ranks.size:
                    raise InvalidArgumentError(f"argument '{name}': there are {self._ranks.size} ranks, got {len(given)} values")
                out[name] = given[self._ranks.rank_of(member)]
            elif name in shardings and shardings[name][1] is not None:
                out[name] = cut(given, *shardings[name])
            else:
                out[name] = given
        return out

    def _collect(self, index: int, parts: list[Any]) -> Any:
        """A whole result; of which each rank has its own, PerRank, or this process's under a launcher."""
        value = self.results[index]
        if value.sharding is None:
            return parts[0] if len(parts) < self._ranks.size else PerRank(parts)
        own = [function.results[index] for function in self._functions]
        return join(value.name, self._ranks._gather([(part, told.sharding, told.cuts) for part, told in zip(parts, own)]))

    def __repr__(self) -> str:
        return f"<heddle.RankFunction {self.name} of {self._ranks.size} ranks>"


class Ranks:
    """A program on many ranks. Called, it runs `main` or its only entry point on all of them; the others are attributes by
    name (or `entry_points[name]`).

    Arguments and results are whole arrays where the program says how they are spread; of others each rank has its own: the
    same array for all, or a PerRank.
    """

    artifact: Artifact

    def __init__(self, path: str, ranks: int, load: Callable[[_runtime.World, int], _runtime.Module], transport: str,
                 timeout: float | None):
        self._world = _runtime.World(ranks, transport, int((timeout or 0) * 1e9))
        members = self._world.members  # each has a thread, so that its calls come in the order in which they were made
        self._threads = [ThreadPoolExecutor(1, f"heddle-rank-{member}") for member in range(members)] if members > 1 else []
        self._order = threading.Lock()  # held while a call is given to all members: they see calls in one order
        self._modules: list[_runtime.Module] = self._each(lambda member: load(self._world, member))
        self._functions = {name: RankFunction(self, [module.entry_points[name] for module in self._modules])
                           for name in self._modules[0].entry_points}

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self._world.size

    def rank_of(self, member: int = 0) -> int:
        """The rank of one of this process's members."""
        return self._world.rank(member)

    @property
    def is_leader(self) -> bool:
        """Whether rank 0 is in this process."""
        return self.rank_of() == 0

    @property
    def modules(self) -> list[_runtime.Module]:
        """Those of this process, in the order of their ranks."""
        return list(self._modules)

    @property
    def meshes(self) -> dict[str, Mesh]:
        return {name: Mesh(sizes) for name, sizes, _ in self._modules[0].meshes}

    @property
    def devices(self) -> list[list[_runtime.ModuleDevice]]:
        """By member of this process."""
        return [module.devices for module in self._modules]

    @property
    def entry_points(self) -> dict[str, RankFunction]:
        return dict(self._functions)

    def seed(self, seed: int) -> None:
        """Of the numbers that calls draw, on all ranks of this process, from the next call on."""
        for module in self._modules:
            module.seed(seed)

    def explain(self, why: str | None = None, why_not: str | None = None) -> Explanation:
        """As Artifact.explain()."""
        return self.artifact.explain(why, why_not)

    def __call__(self, *given: Any, **named: Any) -> Any:
        name = "main" if "main" in self._functions else next(iter(self._functions)) if len(self._functions) == 1 else None
        if name is None:
            raise InvalidArgumentError(f"the program has no 'main' among its entry points {sorted(self._functions)}; call one "
                                       "of them")
        return self._functions[name](*given, **named)

    def __getattr__(self, name: str) -> RankFunction:
        functions = self.__dict__.get("_functions", {})
        if name not in functions:
            raise AttributeError(f"the program has no entry point '{name}'")
        found: RankFunction = functions[name]
        return found

    def _each(self, work: Callable[[int], Any]) -> list[Any]:
        """What each member gives, on a thread for each. Raises the first cause: the failure that is no echo of another's."""
        if not self._threads:
            return [work(0)]

        def guarded(member: int) -> Any:
            try:
                return work(member)
            except BaseException as error:
                self._world.abort(member, str(error))  # of no effect where the world has a cause already
                raise

        with self._order:
            futures = [thread.submit(guarded, member) for member, thread in enumerate(self._threads)]
        try:
            failures = [error for error in (future.exception() for future in futures) if error is not None]
        except BaseException as cause:  # Ctrl-C: nobody waits for the members any more, so they end
            self._world.abort(0, f"the call was interrupted ({type(cause).__name__})")
            raise
        for error in failures:
            if not isinstance(error, RankFailedError):
                raise error
        if failures:
            raise failures[0]
        return [future.result() for future in futures]

    def _gather(self, mine: list[Any]) -> list[Any]:
        """The values of all ranks: of this process, or of all processes, by way of bytes."""
        if len(mine) == self.size:
            return mine

        def exchange(member: int) -> list[bytes]:
            data = pickle.dumps(mine[member], protocol=5)
            sizes = [int.from_bytes(size, "little") for size in
                     self._world.all_gather(member, len(data).to_bytes(8, "little"))]
            return [row[:size] for row, size in zip(self._world.all_gather(member, data.ljust(max(sizes), b"\0")), sizes)]

        return [pickle.loads(data) for data in self._each(exchange)[0]]

    def __iter__(self) -> Iterator[_runtime.Module]:
        return iter(self._modules)

    def __repr__(self) -> str:
        meshes = ", ".join(f"@{name}[{mesh}]" for name, mesh in self.meshes.items())
        return f"<heddle.Ranks {self.size} of {meshes} by {self._world.transport}>"
