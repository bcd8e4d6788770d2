# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: from_torch(), and the backend of torch.compile(module, backend="heddle"), which importing this registers.

Where the wheel is installed PyTorch finds the backend by itself. Needs torch and onnxscript.
"""
import importlib.util as _util

from ._tools import not_installed as _not_installed

if _util.find_spec("heddle._torch") is None:  # of the other wheel
    raise _not_installed("heddle.torch")

from torch._dynamo.backends import registry as _registry  # noqa: E402

from ._fallback import FallbackWarning, report  # noqa: E402
from ._torch.backend import backend  # noqa: E402
from ._torch.module import TorchModule, from_torch  # noqa: E402

if "heddle" not in _registry._COMPILER_FNS:
    _registry.register_backend(backend, name="heddle")

__all__ = ["FallbackWarning", "TorchModule", "backend", "from_torch", "report"]
