# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What JAX makes of a function, as text of StableHLO: objects of jax, and the portable bytes of jax.export.

Portable bytes are MLIR bytecode of the dialect VHLO, which only jaxlib reads here.
"""
from __future__ import annotations

from typing import Any

from ._errors import InvalidArgumentError

BYTECODE = b"ML\xefR"
PORTABLE = BYTECODE + b"\rStableHLO_v"  # what stands first in portable bytes, and somewhere in those of serialize()


def is_exported(model: Any) -> bool:
    """Whether it is a jax.export.Exported."""
    return hasattr(model, "mlir_module_serialized") and hasattr(model, "in_avals")


def is_portable(model: Any) -> bool:
    """Whether to_text() takes it."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        return PORTABLE in bytes(model)
    return is_exported(model) or (hasattr(model, "compiler_ir") and hasattr(model, "out_info"))


def _text_of_bytecode(data: bytes) -> str:
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import sdy, stablehlo
    with ir.Context() as context:
        sdy.register_dialect(context)  # what jax.shard_map is made of
        stablehlo.register_dialect(context)
        module = stablehlo.deserialize_portable_artifact(context, data)
        text: str = module.operation.get_asm(enable_debug_info=True)
        return text


def _needs_jax(error: ImportError) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"these are portable bytes of StableHLO (VHLO), which jaxlib reads; install jax and flatbuffers, or give the text "
        f"that jax.export.deserialize(bytes).mlir_module() gives ({error})")


def to_exported(data: bytes) -> Any:
    """The jax.export.Exported that serialize() wrote."""
    try:
        from jax import export
        return export.deserialize(bytearray(data))
    except ImportError as error:
        raise _needs_jax(error) from None


def to_text(model: Any) -> str:
    """The text of a jax.stages.Lowered, a jax.export.Exported, or portable bytes; with the names that JAX gave arguments."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
        if not data.startswith(BYTECODE):
            return to_text(to_exported(data))
        try:
            return _text_of_bytecode(data)
        except ImportError as error:
            raise _needs_jax(error) from None
    if is_exported(model):
        return str(model.mlir_module())
    return str(model.as_text(debug_info=True))
