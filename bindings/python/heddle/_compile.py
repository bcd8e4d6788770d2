# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilation: `heddle compile` in a process of its own."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import warnings
import weakref
from typing import Any, Iterable, Mapping, Union

from . import _portable, _tools
from ._errors import CompileError, CompileWarning, Error, InvalidArgumentError, in_python_words
from ._explain import Explanation
from ._mesh import Mesh, MeshLike, to_flag
from ._shard import ShardingLike, to_file

Path = Union[str, "os.PathLike[str]"]
Strings = Union[str, Iterable[str]]


class Artifact:
    """A compiled program: a file, and what its compilation said.

    `path`: the file. One that compile() was given no `output` for is deleted with the last Artifact and Module of it.
    `log`: the compiler's remarks and warnings. `stats`: its figures (docs/cli.md, --stats); {} for one from a file.
    """

    _model = ""  # the file it was compiled from, where its own is a temporary one

    def __init__(self, path: Path, log: str = "", stats: Mapping[str, Any] | None = None):
        self.path = pathlib.Path(path)
        self.log = log
        self.stats = dict(stats or {})

    def save(self, path: Path) -> None:
        """Copies the file."""
        shutil.copyfile(self.path, path)

    def explain(self, why: str | None = None, why_not: str | None = None) -> Explanation:
        """Where each part of the program runs and why; `why`: a node of the model; `why_not`: a device."""
        return Explanation(self.path, why, why_not)

    @property
    def certificate(self) -> dict[str, Any] | None:
        """What was proved of the program, as `heddle inspect --json` has it: {"version", "hash", "programs": [{"name", "meshes",
        "proved", "assumed", "left", "dataflow"}]}. None: the artifact has none."""
        certificate: dict[str, Any] | None = self._inspect()["certificate"]
        return certificate

    def verify(self, dim: Mapping[str, int] | None = None, mesh: MeshLike | None = None) -> list[dict[str, Any]]:
        """Checks the file's hashes and proves the program again, as `heddle inspect --verify`, with these sizes or several of its
        own; an Error says what does not hold. Gives for each entry point {"name", "cases", "complete", "sizes", …}."""
        flags = [f"--dim={name}={size}" for name, size in (dim or {}).items()]
        flags += [f"--mesh={to_flag(mesh)}"] if mesh is not None else []
        programs: list[dict[str, Any]] = self._inspect("--verify", *flags)["verified_programs"]
        return programs

    def _inspect(self, *flags: str) -> dict[str, Any]:
        done = _tools.run("inspect", self.path, "--json", *flags)
        if done.returncode != 0:
            raise (InvalidArgumentError if done.returncode == 2 else Error)(*_tools.message_of("inspect", done.stderr))
        said: dict[str, Any] = json.loads(done.stdout)
        return said

    def __repr__(self) -> str:
        return f"<heddle.Artifact {self.path}>"


# Flags that take no value.
_SWITCHES = ("explain", "quiet", "reproducible", "strict_float", "timing", "tune", "verbose")
# Flags whose work no cache has.
_UNCACHED = ("compile_to", "dump_dir", "explain", "timing", "tune")
_NOT_CACHED = 3  # the exit status of --cache-only


def _is_text(model: str) -> bool:
    return "\n" in model or ("{" in model and not os.path.exists(model))


def _is_file(model: Any) -> bool:
    return isinstance(model, os.PathLike) or (isinstance(model, str) and not _is_text(model))


def _write_model(model: Any, folder: pathlib.Path) -> pathlib.Path:
    """The file of the model: its own, or one in `folder`."""
    if _is_file(model):
        return pathlib.Path(model)
    if _portable.is_portable(model):
        model = _portable.to_text(model)
    if isinstance(model, str):
        path = folder / "model.mlir"
        path.write_text(model, encoding="utf-8")
    elif isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
        path = folder / ("model.mlirbc" if data.startswith(b"ML\xefR") else "model.onnx")
        path.write_bytes(data)
    elif hasattr(model, "graph") and hasattr(model, "SerializeToString"):
        path = folder / "model.onnx"
        if model.ByteSize() < 1 << 30:
            path.write_bytes(model.SerializeToString())
        else:  # more than a file of protobuf holds
            import onnx
            copy = onnx.ModelProto()
            copy.CopyFrom(model)  # saving takes the weights out of what it saves
            onnx.save_model(copy, str(path), save_as_external_data=True, location="weights")
    else:
        raise InvalidArgumentError(
            f"a model is a path, bytes of ONNX, MLIR bytecode or jax.export, an onnx.ModelProto, what jax.jit(f).lower() or "
            f"jax.export.export() gives, or MLIR text; got an object of type {type(model).__name__}")
    return path


def _flags(values: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as flags: `data_tiling=False` is `--data-tiling=off`, a list repeats its flag, `with_` is `--with`."""
    flags = []
    for name, value in values.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None:
            continue
        if name == "optimization":
            flags.append(f"-O{value}")
        elif name == "data_tiling" and isinstance(value, bool):
            flags.append(f"{flag}={'on' if value else 'off'}")
        elif name == "mesh":
            flags.append(f"{flag}={to_flag(value)}")
        elif name == "dim" and isinstance(value, Mapping):
            flags += [f"{flag}={dimension}={size}" for dimension, size in value.items()]
        elif value is False and name not in _SWITCHES:
            raise InvalidArgumentError(f"{name} takes a value; leave it out, or give None, for the default, got False")
        elif isinstance(value, bool):
            flags += [flag] if value else []
        elif isinstance(value, (str, os.PathLike, int, float)):
            flags.append(f"{flag}={value}")
        else:
            flags += [f"{flag}={item}" for item in value]
    return flags


def _cache_flags(cache: bool | None, flags: Mapping[str, Any], share: bool, content: str) -> list[str]:
    """`share`: the file is this process's alone; `content`: stands for the model's."""
    is_on = cache if cache is not None else not any(flags.get(name) for name in _UNCACHED)
    if not is_on:
        return ["--cache=off"]
    return ["--cache=on"] + ["--cache-share"] * share + [f"--cache-content={content}"] * bool(content)


def _finish(done: subprocess.CompletedProcess[str], path: pathlib.Path, folder: pathlib.Path) -> Artifact:
    """What the compiler made and said, with its warnings for the caller of the caller; raises CompileError."""
    done.stderr = done.stderr.replace(f"{folder}{os.sep}", "")  # a model that has no file is "model.onnx" in messages
    if done.returncode < 0:
        raise CompileError(f"the compiler ended by signal {-done.returncode}, a bug of Heddle",
                           done.stderr.strip().splitlines(), done.returncode)
    if done.returncode != 0:
        raise CompileError(*in_python_words(_tools.message_of("compile", done.stderr), compile), exit_status=done.returncode)
    artifact = Artifact(path, done.stderr, json.loads((folder / "stats.json").read_text()))
    for line in done.stderr.splitlines():
        if line.startswith("warning: ") or ": warning: " in line:
            warnings.warn(line, CompileWarning, stacklevel=3)
    return artifact


def find_compiled(content: str, flags: Mapping[str, Any]) -> Artifact | None:
    """What compile() with this `_content` made before, of an ONNX model that need not be there; None where the cache has nothing."""
    folder = _tools.make_folder("heddle-")
    try:
        path = folder / "model.heddle"
        done = _tools.compile(folder / "model.onnx", "-o", path, f"--stats={folder / 'stats.json'}", *_flags(flags),
                              *_cache_flags(True, flags, True, content), "--cache-only")
        artifact = None if done.returncode == _NOT_CACHED else _finish(done, path, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if artifact is None:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        weakref.finalize(artifact, shutil.rmtree, folder, ignore_errors=True)
    return artifact


def may_cache(cache: bool | None, flags: Mapping[str, Any]) -> bool:
    """Whether compile() looks into the cache."""
    return _tools.has_cache() and cache is not False and not any(flags.get(name) for name in _UNCACHED)


def compile(model: Any, output: Path | None = None, *, target_device: Strings | None = None,
            default_device: str | int | None = None, target_cpu: Strings | None = None, place: str | None = None,
            place_file: Path | None = None, topology: Path | None = None, data_tiling: bool | None = None,
            strategy: str | None = None, optimization: int | None = None, tune: bool = False,
            max_transient: str | int | None = None, state: Strings | None = None, donate: Strings | None = None,
            dim: Strings | Mapping[str, int] | None = None, cache: bool | None = None,
            mesh: MeshLike | Mapping[str, Mesh] | None = None, shardings: Mapping[str, ShardingLike] | None = None,
            shard_file: Path | None = None, disable_pass: Strings | None = None, layout_resolver: str | None = None,
            dump_dir: Path | None = None, precision: str | None = None, **flags: Any) -> Artifact:
    """Compiles a model.

    `model`: a path (.onnx, .mlir, .mlirbc), bytes of an ONNX model or of MLIR bytecode, an onnx.ModelProto, or MLIR text
    (a str with a line break, or with a brace and no file of this name). It may also be the result of jax.jit(f).lower(…)
    or jax.export.export(…), or its portable bytes, which jaxlib reads.

    Keywords are the flags of `heddle compile` (docs/cli.md), also those that are not named here. `optimization` is -O0 to
    -O3, `precision` what products of f32 with weights are computed in ("bf16"), `mesh` may be a Mesh or a dictionary of
    sizes by axis, and `dim` a dictionary of sizes by name. A model that was compiled before comes from the cache
    (docs/cli.md), with the messages of that time; `cache=False` compiles in any case.
    `shardings` says by names or patterns how the ranks of `mesh` share inputs, parameters and values, a shard(…) for each.
    Several meshes are a dictionary of Meshes by name, the ranks of each behind those of the one before.

    Raises CompileError with the tool's message. Each of its warnings is a CompileWarning.
    """
    named = {key: value for key, value in locals().items() if key not in ("model", "output", "flags", "shardings", "cache")}
    if shardings is not None and shard_file is not None:
        raise InvalidArgumentError("shardings and shard_file say the same thing; give one of them")
    content = flags.pop("_content", "")  # of the caller's own: what says all that the model was made of
    folder = _tools.make_folder("heddle-")
    try:
        if shardings is not None:  # the mesh is declared there
            named["mesh"], named["shard_file"] = None, folder / "shardings"
            (folder / "shardings").write_text(to_file(shardings, mesh), encoding="utf-8")
        path = pathlib.Path(output) if output is not None else folder / "model.heddle"
        figures = folder / "stats.json"
        done = _tools.compile(_write_model(model, folder), "-o", path, f"--stats={figures}", *_flags({**named, **flags}),
                              *_cache_flags(cache, {**named, **flags}, output is None, content))
        artifact = _finish(done, path, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if output is None:
        weakref.finalize(artifact, shutil.rmtree, folder, ignore_errors=True)
        if _is_file(model):
            artifact._model = os.fspath(model)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return artifact
