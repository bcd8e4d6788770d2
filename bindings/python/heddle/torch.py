# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: from_torch(), and the backend of torch.compile(module, backend="heddle"), which importing this registers.

Where the wheel is installed PyTorch finds the backend by itself. Needs torch and onnxscript.
"""
from torch._dynamo.backends import registry as _registry

from ._fallback import FallbackWarning, report
from ._torch.backend import backend
from ._torch.module import TorchModule, from_torch

if "heddle" not in _registry._COMPILER_FNS:
    _registry.register_backend(backend, name="heddle")

__all__ = ["FallbackWarning", "TorchModule", "backend", "from_torch", "report"]
