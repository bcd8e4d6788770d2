# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX functions through Heddle: from_jax(). Needs jax.

The function is lowered to StableHLO by jax.jit(f).lower(…); what Heddle takes of that is in docs/design/stablehlo.md.
"""
from __future__ import annotations

from typing import Any, Callable, Iterable

import jax
import numpy

from ._compile import Artifact, compile
from ._errors import InvalidArgumentError
from ._module import Module, load


class JaxFunction:
    """What from_jax() gives: called like the function it was made of, with arrays of the same shapes and types.

    Arguments may be arrays of JAX, of NumPy, or anything with DLPack; results are NumPy arrays in the function's own
    structure. `artifact`, `module`: what it runs. Complex numbers are pairs of reals to the module, in a last dimension.
    """

    def __init__(self, module: Module, arguments: Any, results: Any):
        self.module = module
        self.artifact: Artifact = module.artifact
        self._arguments = arguments
        leaves, self._results = jax.tree.flatten(results)
        self._complex = [numpy.dtype(leaf.dtype) if numpy.issubdtype(leaf.dtype, numpy.complexfloating) else None
                         for leaf in leaves]

    def __call__(self, *args: Any) -> Any:
        leaves, structure = jax.tree.flatten(args)
        if structure != self._arguments:
            raise InvalidArgumentError(f"the function was lowered for arguments {self._arguments}, got {structure}")
        given = self.module(*[numpy.asarray(leaf) if _is_complex(leaf) else leaf for leaf in leaves])
        results = given if isinstance(given, tuple) else (given,)
        return jax.tree.unflatten(self._results, [value if kind is None else value.view(kind)[..., 0]
                                                  for value, kind in zip(results, self._complex)])

    def __repr__(self) -> str:
        return f"<heddle.jax.JaxFunction of {self.module!r}>"


def _is_complex(leaf: Any) -> bool:
    kind = getattr(leaf, "dtype", None)
    return kind is not None and numpy.issubdtype(kind, numpy.complexfloating)


def lower(function: Callable[..., Any], *args: Any) -> tuple[str, Any, Any]:
    """The function as StableHLO in generic form, the structure of its arguments, and its results' shapes and types."""
    lowered = jax.jit(function, keep_unused=True).lower(*args)
    text = lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True)
    return text, jax.tree.structure(args), lowered.out_info


def from_jax(function: Callable[..., Any], *args: Any, devices: str | Iterable[str] = (), **options: Any) -> JaxFunction:
    """Compiles a JAX function for arguments like `args`: arrays, jax.ShapeDtypeStruct, or trees of them.

    `devices` is that of load(), `options` are the keywords of compile().

        step = heddle.jax.from_jax(jax.value_and_grad(loss), params, batch)
        value, gradient = step(params, batch)
    """
    text, arguments, results = lower(function, *args)
    return JaxFunction(load(compile(text, **options), devices), arguments, results)
