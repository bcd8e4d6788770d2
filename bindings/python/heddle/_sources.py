# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What load() takes: artifacts, their files and bytes, and models, which are compiled."""
from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import weakref
from typing import Any, Iterator, Sequence

from . import _portable, _runtime, _tools
from ._compile import Artifact, compile
from ._errors import Error, InvalidArgumentError, NotFoundError, UnsupportedError

MAGIC = b"HEDDLE\r\n"
_MODELS = (".onnx", ".mlir", ".mlirbc")


class MemoryArtifact(Artifact):
    """An artifact of bytes. `path` is a temporary file, made when it is first asked for."""

    def __init__(self, data: bytes):
        self._data = data
        self._file: pathlib.Path | None = None
        self.log = ""
        self.stats = {}

    @property
    def path(self) -> pathlib.Path:  # type: ignore[override]
        if self._file is None:
            folder = _tools.make_folder("heddle-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self._file = folder / "model.heddle"
            self._file.write_bytes(self._data)
        return self._file

    def save(self, path: str | os.PathLike[str]) -> None:
        pathlib.Path(path).write_bytes(self._data)

    def __repr__(self) -> str:
        return f"<heddle.Artifact of {len(self._data)} bytes>"


def where(artifact: Artifact) -> str:
    """As texts name it."""
    return f"{len(artifact._data)} bytes" if isinstance(artifact, MemoryArtifact) else artifact._model or str(artifact.path)


@contextlib.contextmanager
def opened(artifact: Artifact) -> Iterator[str]:
    """A path that the runtime may map; what it has mapped stays. Bytes are in memory that has a name meanwhile, so that no
    folder is needed."""
    if not isinstance(artifact, MemoryArtifact):
        yield os.fspath(artifact.path)
        return
    file = os.memfd_create("heddle-artifact", os.MFD_CLOEXEC)
    try:
        rest = memoryview(artifact._data)
        while rest:
            rest = rest[os.write(file, rest):]
        path = f"/proc/self/fd/{file}"
        try:
            yield path
        except Error as error:
            raise type(error)(error.message.replace(f"'{path}'", "the bytes"), error.notes) from None
    finally:
        os.close(file)


def _targets(devices: Sequence[str]) -> list[str] | None:
    """The flag --target-device for a model that is to run on the first of these that is there; None: its default."""
    kinds = dict.fromkeys(uri.split("?")[0].split(":")[0] for uri in devices)
    names = ["cpu" if kind == "local" else kind for kind in kinds if kind in ("cpu", "gpu", "local", "cuda", "vulkan")]
    names = list(dict.fromkeys(names))
    return [",".join(names)] if names and names != ["cpu"] else None


def _is_model_file(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).lower().endswith(_MODELS)


def find(source: Any, devices: Sequence[str], **flags: Any) -> Artifact:
    """The artifact that `source` is, or what it is compiled to for `devices`; `flags`: keywords of compile()."""
    if hasattr(source, "read") and not isinstance(source, (str, os.PathLike)):
        source = source.read()
        if not isinstance(source, bytes):
            raise InvalidArgumentError(f"a file-like object is opened for bytes, as open(path, 'rb') does it, got one that "
                                       f"reads {type(source).__name__}")
    if isinstance(source, Artifact):
        return source
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        if data.startswith(MAGIC):
            return MemoryArtifact(data)
        if not data:
            raise InvalidArgumentError("an artifact or a model is expected, got no bytes")
        source = data
    elif isinstance(source, str) and "\n" in source and "{" in source:  # text of MLIR
        pass
    elif isinstance(source, (str, os.PathLike)):
        if not _is_model_file(source):
            return Artifact(source)
    elif not (hasattr(source, "graph") and hasattr(source, "SerializeToString")) and not _portable.is_portable(source):
        raise InvalidArgumentError(f"an artifact is what compile() gave, its bytes, or a path, got an object of type {type(source).__name__}")
    named = {"target_device": _targets(devices), **flags}
    return compile(source, **named)


def why_absent(device: str) -> str:
    """Why a device is not here; "" for one that is. Errors of the name itself are raised."""
    try:
        infos = _runtime.devices(device)
    except (NotFoundError, UnsupportedError) as error:
        return "; ".join([error.message, *error.notes])
    return "" if any(info.available for info in infos) else "; ".join(info.reason for info in infos) or "there is no such device"


def present(uris: list[str], kinds: tuple[str, ...]) -> list[str]:
    """Without devices of these drivers that are not here, as long as others are left."""
    return [uri for uri in uris if uri.split("?")[0].split(":")[0] not in kinds or not why_absent(uri)] or uris
