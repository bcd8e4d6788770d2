# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Heddle: compile a tensor program once, run it on any mix of devices.

    import heddle, numpy
    module = heddle.load("model.onnx")
    y = module(numpy.ones((1, 3, 224, 224), numpy.float32))

docs/python.md explains the rest.
"""
from typing import TYPE_CHECKING, Any

from ._compile import Artifact, compile
from ._errors import (BusyError, CancelledError, CompileError, CompileWarning, DeadlineExceededError, DeviceLostError,
                      Error,
                      InternalError, InvalidArgumentError, IoError, KernelFailedError, MalformedError, NotFoundError,
                      OutOfMemoryError, RankFailedError, StateLostError, UnsupportedError)
from ._explain import Explanation
from ._mesh import Mesh
from ._module import Module, load
from ._profile import Profile
from ._ranks import PerRank, RankFunction, RankFuture, Ranks, RankState
from ._runtime import Device, Function, Future, ModuleDevice, State, Tensor, Value, __version__, devices
from ._session import Session
from ._shard import Sharding, shard

if TYPE_CHECKING:
    from ._torch.module import from_torch

__all__ = ["Artifact", "BusyError", "CancelledError", "CompileError", "CompileWarning", "DeadlineExceededError", "Device",
           "DeviceLostError", "Error", "Explanation", "Function", "Future", "InternalError", "InvalidArgumentError",
           "IoError", "KernelFailedError", "MalformedError", "Mesh", "Module", "ModuleDevice", "NotFoundError",
           "OutOfMemoryError", "PerRank", "Profile", "RankFailedError", "RankFunction", "RankFuture", "RankState", "Ranks",
           "Session", "Sharding", "State", "StateLostError", "Tensor", "UnsupportedError", "Value",
           "__version__", "compile", "devices", "from_torch", "load", "shard"]


def __getattr__(name: str) -> Any:
    """from_torch() brings PyTorch, so it is not looked up before it is wanted."""
    if name == "from_torch":
        try:
            from ._torch.module import from_torch
        except ModuleNotFoundError as error:
            if error.name != "heddle._torch":  # of the other wheel
                raise
            from ._tools import not_installed
            raise not_installed("heddle.from_torch") from None
        return from_torch
    raise AttributeError(f"module 'heddle' has no attribute '{name}'")
