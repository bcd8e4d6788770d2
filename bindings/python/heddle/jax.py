# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX functions through Heddle: from_jax(), from_exported(). Needs jax.

The function is lowered to StableHLO by jax.jit(f).lower(…) or was by jax.export; what Heddle takes of that is in
docs/design/stablehlo.md.
"""
from __future__ import annotations

import os
import pathlib
from typing import Any, Callable, Iterable, Sequence

import jax
import numpy

from . import _portable
from ._compile import Artifact, compile
from ._errors import InvalidArgumentError
from ._module import Module, load


class JaxFunction:
    """What from_jax() gives: called like the function it was made of, with arrays of the same shapes and types.

    Arguments may be arrays of JAX, of NumPy, or anything with DLPack; results are NumPy arrays in the function's own
    structure. `artifact`, `module`: what it runs. Complex numbers are pairs of reals to the module, in a last dimension.
    """

    def __init__(self, module: Module, arguments: Any, results: Any, kept: Sequence[int] | None = None):
        self.module = module
        self.artifact: Artifact = module.artifact
        self._arguments = arguments
        leaves, self._results = jax.tree.flatten(results)
        self._complex = [numpy.dtype(leaf.dtype) if numpy.issubdtype(leaf.dtype, numpy.complexfloating) else None
                         for leaf in leaves]
        self._kept = kept  # the arguments that the program has, where it leaves out unused ones

    def __call__(self, *args: Any) -> Any:
        leaves, structure = jax.tree.flatten(args)
        if structure != self._arguments:
            raise InvalidArgumentError(f"the function was lowered for arguments {self._arguments}, got {structure}")
        if self._kept is not None:
            leaves = [leaves[i] for i in self._kept]
        given = self.module(*[_given(leaf) for leaf in leaves])
        results = given if isinstance(given, tuple) else (given,)
        return jax.tree.unflatten(self._results, [value if kind is None else value.view(kind)[..., 0]
                                                  for value, kind in zip(results, self._complex)])

    def __repr__(self) -> str:
        return f"<heddle.jax.JaxFunction of {self.module!r}>"


def _is_complex(leaf: Any) -> bool:
    kind = getattr(leaf, "dtype", None)
    return kind is not None and numpy.issubdtype(kind, numpy.complexfloating)


def _given(leaf: Any) -> Any:
    """What the module takes: complex numbers as pairs, and what lies on several devices, from which DLPack gives nothing, whole."""
    if _is_complex(leaf):
        array = numpy.asarray(leaf, order="C")
        return array.reshape(-1).view(array.real.dtype).reshape(*array.shape, 2)
    return numpy.asarray(leaf) if isinstance(leaf, jax.Array) and len(leaf.devices()) > 1 else leaf


def lower(function: Callable[..., Any], *args: Any) -> tuple[str, Any, Any]:
    """The function as text of StableHLO, the structure of its arguments, and its results' shapes and types."""
    lowered = jax.jit(function, keep_unused=True).lower(*args)
    return _portable.to_text(lowered), jax.tree.structure(args), lowered.out_info


def from_jax(function: Callable[..., Any], *args: Any, devices: str | Iterable[str] = (), **options: Any) -> JaxFunction:
    """Compiles a JAX function for arguments like `args`: arrays, jax.ShapeDtypeStruct, or trees of them.

    `devices` is that of load(), `options` are the keywords of compile(). A function of jax.shard_map over several devices
    runs on as many ranks, which are threads of this process or what a launcher started; arguments and results are whole.

        step = heddle.jax.from_jax(jax.value_and_grad(loss), params, batch)
        value, gradient = step(params, batch)
    """
    text, arguments, results = lower(function, *args)
    return JaxFunction(load(compile(text, **options), devices), arguments, results)


def from_exported(exported: Any, devices: str | Iterable[str] = (), **options: Any) -> JaxFunction:
    """Compiles what jax.export.export(jax.jit(f))(…) gave, or what serialize() wrote of it: bytes, or a file's path.

    `devices` is that of load(), `options` are the keywords of compile(). Arguments are those of the exported function,
    by position.

        answer = heddle.jax.from_exported("model.jax")
        logits = answer(params, tokens)
    """
    if isinstance(exported, (str, os.PathLike)):
        exported = pathlib.Path(exported).read_bytes()
    if isinstance(exported, (bytes, bytearray, memoryview)):
        data = bytes(exported)
        if data.startswith(_portable.BYTECODE) or _portable.PORTABLE not in data:
            raise InvalidArgumentError("these are not the bytes of jax.export.Exported.serialize(); the structure of "
                                       "arguments and results is not in them, compile() takes portable bytes alone")
        exported = _portable.to_exported(data)
    positional, keywords = jax.tree.unflatten(exported.in_tree, range(len(exported.in_avals)))
    if keywords:
        raise InvalidArgumentError(f"the exported function has keyword arguments: {', '.join(keywords)}; export one that "
                                   "takes them by position")
    module = load(compile(exported, **options), devices)
    results = jax.tree.unflatten(exported.out_tree, exported.out_avals)
    return JaxFunction(module, jax.tree.structure(positional), results, exported.module_kept_var_idx)
