# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of many ranks: whole arrays in, whole arrays out.

Started alone, all ranks are threads of this process. Under a launcher of MPI (mpirun python, srun) each process is one.
"""
from __future__ import annotations

import concurrent.futures
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Sequence

import numpy

from . import _future, _runtime
from ._errors import DeadlineExceededError, Error, InvalidArgumentError, RankFailedError
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


class RankState:
    """What a program keeps between calls, on the ranks of this process: program(…, state=program.new_state())."""

    def __init__(self, ranks: Ranks, states: Sequence[_runtime.State]):
        self._ranks, self._states = ranks, list(states)

    def reset(self) -> None:
        self._ranks._each(lambda member: self._states[member].reset())


class RankFuture:
    """A call of many ranks that was started. When it is dropped, the call goes on."""

    def __init__(self, ranks: Ranks, calls: Sequence[concurrent.futures.Future[Any]], finish: Callable[[list[Any]], Any]):
        self._ranks, self._calls, self._finish = ranks, list(calls), finish
        self._lock = threading.Lock()
        self._results: list[Any] = []  # one, when somebody asked

    def done(self) -> bool:
        """Whether it has ended on all ranks of this process."""
        return all(call.done() for call in self._calls)

    def wait(self) -> None:
        """Blocks until it has ended, without its results."""
        concurrent.futures.wait(self._calls)

    def result(self, timeout: float | None = None) -> Any:
        """The call's results, or its failure. It runs on when `timeout`, in seconds, is over."""
        if concurrent.futures.wait(self._calls, timeout).not_done:
            raise DeadlineExceededError("the call still runs; wait longer, or cancel() it")
        with self._lock:
            if not self._results:
                self._results.append(self._finish(_harvest(self._calls)))
        return self._results[0]

    def cancel(self) -> bool:
        """Ends the call on all ranks, and with it the program. Returns whether it was still running."""
        if self.done():
            return False
        self._ranks._world.abort(0, "the call was cancelled")
        return True

    def __await__(self) -> Any:
        return _future.wait(self).__await__()


def _harvest(calls: Sequence[concurrent.futures.Future[Any]]) -> list[Any]:
    """What each has given. Raises the first cause: the failure that is no echo of another's."""
    failures = [error for error in (call.exception() for call in calls) if error is not None]
    for error in failures:
        if not isinstance(error, RankFailedError):
            raise error
    if failures:
        raise failures[0]
    return [call.result() for call in calls]


class _Options(NamedTuple):
    """Of a call, beside its arguments."""

    named: dict[str, Any]  # as each rank's function takes them
    out: tuple[Any, ...]   # by result: an array, a PerRank, or None
    state: RankState | None
    after: tuple[Any, ...]


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

    def _split(self, given: tuple[Any, ...], named: dict[str, Any], start: bool) -> tuple[dict[str, Any], _Options]:
        """Arguments by name, and options, by the rules of a function of one rank."""
        names = [value.name for value in self.arguments]
        options = {name: value for name, value in named.items() if self._functions[0].is_option(name, start)}
        by_name = {name: value for name, value in named.items() if name not in options}
        first = given[0] if len(given) == 1 else None
        if isinstance(first, dict):
            for name in by_name:
                raise InvalidArgumentError(f"with a dictionary of arguments only options may be given, got '{name}'; put it "
                                           "into the dictionary")
            given, by_name = (), dict(first)
        for name in by_name:
            if name not in names:
                raise InvalidArgumentError(f"'{self.name}' has no argument '{name}'")
        places = [name for name in names if name not in by_name]
        if len(given) > len(places):
            raise InvalidArgumentError(f"'{self.name}' takes {len(names)} arguments, got {len(given) + len(by_name)}")
        values = {**dict(zip(places, given)), **by_name}
        for name in options:
            if name in names and name not in values:
                raise InvalidArgumentError(f"'{name}' is an argument of '{self.name}' and an option of calls; give the arguments "
                                           f"in a dictionary, {{'{name}': …}}, and options as keywords")
        return values, self._options(options)

    def _options(self, given: dict[str, Any]) -> _Options:
        if given.get("on") is not None:
            raise InvalidArgumentError("'on' is for programs of one rank")
        state, after = given.get("state"), given.get("after")
        if state is not None and not (isinstance(state, RankState) and state._ranks is self._ranks):
            raise InvalidArgumentError("state takes what new_state() of the program gave, or None, got an object of type "
                                       f"{type(state).__name__}")
        futures = () if after is None else (after,) if isinstance(after, (RankFuture, _runtime.Future)) else tuple(after)
        for future in futures:
            if not isinstance(future, (RankFuture, _runtime.Future)):
                raise InvalidArgumentError(f"after takes futures of start(), got an object of type {type(future).__name__}")
        named = {"timeout": given["timeout"]} if "timeout" in given else {}
        return _Options(named, self._storages(given.get("out")), state, futures)

    def _storages(self, out: Any) -> tuple[Any, ...]:
        """What `out` gives for each result."""
        values = self.results
        if out is None:
            return (None,) * len(values)
        single = len(values) == 1 and not isinstance(out, (tuple, list))
        arrays = (out,) if single else tuple(out) if isinstance(out, (tuple, list)) else ()
        if len(arrays) != len(values):
            raise InvalidArgumentError(f"out takes an array or None for each of the {len(values)} results of '{self.name}', in a "
                                       "tuple or list")
        for value, array in zip(values, arrays):
            if array is not None:
                self._check_storage(value, array)
        return arrays

    def _check_storage(self, value: _runtime.Value, array: Any) -> None:
        name, is_alone = f"result '{value.name}'", len(self._functions) == self._ranks.size
        if value.sharding is None:
            if is_alone and not isinstance(array, PerRank):
                raise InvalidArgumentError(f"{name}: each rank has its own; give a heddle.PerRank of arrays")
            if isinstance(array, PerRank) and len(array) != self._ranks.size:
                raise InvalidArgumentError(f"{name}: there are {self._ranks.size} ranks, got {len(array)} arrays")
            return
        if not isinstance(array, numpy.ndarray) or array.dtype != value.dtype or not array.flags.writeable:
            raise InvalidArgumentError(f"{name}: its storage is a whole array of {value.dtype} that can be written, got " +
                                       (f"an array of {array.dtype}" if isinstance(array, numpy.ndarray) else
                                        f"an object of type {type(array).__name__}"))
        sizes = [size * count if isinstance(size, int) else None for size, count in zip(value.shape, value.sharding[1])]
        if array.ndim != len(sizes) or any(size not in (None, got) for size, got in zip(sizes, array.shape)):
            raise InvalidArgumentError(f"{name}: the whole has the shape {tuple('?' if s is None else s for s in sizes)}, its "
                                       f"storage {array.shape}")

    def __call__(self, *given: Any, **named: Any) -> Any:
        work, finish = self._prepare(given, named, start=False)
        return finish(self._ranks._each(work))

    def start(self, *given: Any, **named: Any) -> RankFuture:
        """Starts a call and returns at once. `after`: futures of other calls that it waits for."""
        work, finish = self._prepare(given, named, start=True)
        return RankFuture(self._ranks, self._ranks._submit(work), finish)

    def _prepare(self, given: tuple[Any, ...], named: dict[str, Any], start: bool) -> tuple[Callable[[int], Any],
                                                                                       Callable[[list[Any]], Any]]:
        """What each member does on its thread, and what makes of that the call's results."""
        is_alone = len(self._functions) == self._ranks.size
        try:
            values, options = self._split(given, named, start)
            calls = [self._of_member(member, values, options) for member in range(len(self._functions))]
        except Exception as error:
            if not is_alone:  # the other processes make the call
                why = str(error)
                refused = self._ranks._submit(lambda member: self._functions[member].refuse(why))
                if not start:
                    _harvest(refused)
            raise

        def finish(rows: list[Any]) -> Any:
            rows = [row if isinstance(row, tuple) else (row,) for row in rows]
            wholes = tuple(self._collect(index, [row[index] for row in rows], options.out[index])
                           for index in range(len(self.results)))
            return wholes[0] if len(wholes) == 1 else wholes

        def work(member: int) -> Any:
            for future in options.after:
                future.wait()
                try:
                    with self._ranks._harvesting:
                        future.result()
                except BaseException as error:
                    self._functions[member].refuse(f"a call before it failed: {error}")
                    raise
            arguments, keywords = calls[member]
            row = self._functions[member](arguments, **keywords)
            # Parts of other processes come in the order of calls, so on the member's thread.
            return row if is_alone else finish([row])

        return work, finish if is_alone else lambda wholes: wholes[0]

    def _of_member(self, member: int, values: dict[str, Any], options: _Options) -> tuple[dict[str, Any], dict[str, Any]]:
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
        keywords = dict(options.named)
        if options.state is not None:
            keywords["state"] = options.state._states[member]
        own = tuple(None if value.sharding is not None else
                    array[self._ranks.rank_of(member)] if isinstance(array, PerRank) else array
                    for value, array in zip(self.results, options.out))
        if any(array is not None for array in own):
            keywords["out"] = own
        return out, keywords

    def _collect(self, index: int, parts: list[Any], storage: Any) -> Any:
        """A whole result; of which each rank has its own, PerRank, or this process's under a launcher."""
        value = self.results[index]
        if value.sharding is None:
            return parts[0] if len(parts) < self._ranks.size else storage if storage is not None else PerRank(parts)
        own = [function.results[index] for function in self._functions]
        whole = join(value.name, self._ranks._gather([(part, told.sharding, told.cuts) for part, told in zip(parts, own)]))
        if storage is None:
            return whole
        if storage.shape != whole.shape:
            raise InvalidArgumentError(f"result '{value.name}' has the shape {whole.shape}, its storage {storage.shape}")
        storage[...] = whole
        return storage

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
        self._threads = [ThreadPoolExecutor(1, f"heddle-rank-{member}") for member in range(members)]
        self._order = threading.Lock()  # held while a call is given to all members: they see calls in one order
        self._harvesting = threading.Lock()  # results of one future are taken by one thread at a time
        self._last: Sequence[concurrent.futures.Future[Any]] = ()  # what was given last

        def load_or_abort(member: int) -> _runtime.Module:
            try:
                return load(self._world, member)
            except BaseException as error:
                self._world.abort(member, str(error))  # of no effect where the world has a cause already
                raise

        self._modules: list[_runtime.Module] = self._each(load_or_abort)
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
        """The modules of this process, in the order of their ranks."""
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
        """Seeds the random numbers of calls, on all ranks of this process, from the next call on."""
        for module in self._modules:
            module.seed(seed)

    def explain(self, why: str | None = None, why_not: str | None = None) -> Explanation:
        """As Artifact.explain()."""
        return self.artifact.explain(why, why_not)

    def new_state(self) -> RankState:
        """A new state with the initial values, for calls with state=."""
        return RankState(self, [module.new_state() for module in self._modules])

    def reset_state(self) -> None:
        """Sets what the program keeps between calls back to its initial values, after the calls made before."""
        self._each(lambda member: self._modules[member].reset_state())

    def start(self, *given: Any, **named: Any) -> RankFuture:
        """Starts what __call__ calls."""
        return self._main().start(*given, **named)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._main()(*given, **named)

    def _main(self) -> RankFunction:
        name = "main" if "main" in self._functions else next(iter(self._functions)) if len(self._functions) == 1 else None
        if name is None:
            raise InvalidArgumentError(f"the program has no 'main' among its entry points {sorted(self._functions)}; call one "
                                       "of them")
        return self._functions[name]

    def __getattr__(self, name: str) -> RankFunction:
        functions = self.__dict__.get("_functions", {})
        if name not in functions:
            raise AttributeError(f"the program has no entry point '{name}'")
        found: RankFunction = functions[name]
        return found

    def _submit(self, work: Callable[[int], Any]) -> Sequence[concurrent.futures.Future[Any]]:
        """Gives work to each member's thread."""
        with self._order:
            self._last = [thread.submit(work, member) for member, thread in enumerate(self._threads)]
            return self._last

    def _each(self, work: Callable[[int], Any]) -> list[Any]:
        """What each member gives, on its thread. Raises the first cause: the failure that is no echo of another's."""
        if len(self._threads) == 1 and all(call.done() for call in self._last):
            return [work(0)]
        calls = self._submit(work)
        try:
            concurrent.futures.wait(calls)
        except BaseException as cause:  # Ctrl-C: nobody waits for the members any more, so they end
            self._world.abort(0, f"the call was interrupted ({type(cause).__name__})")
            raise
        return _harvest(calls)

    def _gather(self, mine: list[Any]) -> list[Any]:
        """The values of all ranks: of this process, or of all processes, by way of bytes, on the member's thread."""
        if len(mine) == self.size:
            return mine

        try:
            data = pickle.dumps(mine[0], protocol=5)
            sizes = [int.from_bytes(size, "little") for size in self._world.all_gather(0, len(data).to_bytes(8, "little"))]
            rows = self._world.all_gather(0, data.ljust(max(sizes), b"\0"))
        except BaseException as error:
            self._world.abort(0, str(error))
            raise
        return [pickle.loads(row[:size]) for row, size in zip(rows, sizes)]

    def __iter__(self) -> Iterator[_runtime.Module]:
        return iter(self._modules)

    def __repr__(self) -> str:
        meshes = ", ".join(f"@{name}[{mesh}]" for name, mesh in self.meshes.items())
        return f"<heddle.Ranks {self.size} of {meshes} by {self._world.transport}>"
