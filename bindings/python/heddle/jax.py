# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX functions through Heddle: from_jax(), from_exported(). Needs jax.

The function is lowered to StableHLO by jax.jit(f).lower(…) or was by jax.export; what Heddle takes of that is in
docs/design/stablehlo.md.
"""
from __future__ import annotations

import inspect
import os
import pathlib
from typing import Any, Callable, Iterable, Mapping, Sequence

import jax
import numpy

from . import _portable
from ._compile import Artifact, compile
from ._errors import InvalidArgumentError, did_you_mean
from ._module import Module, load


class JaxFunction:
    """What from_jax() gives: called like the function it was made of, with arrays of the same shapes and types.

    Arguments may be arrays of JAX, of NumPy, or anything with DLPack; results are NumPy arrays in the function's own
    structure. `artifact`, `module`: what it runs. Complex numbers are pairs of reals to the module, in a last dimension.
    """

    def __init__(self, module: Module, arguments: Any, results: Any, kept: Sequence[int] | None = None,
                 static: Mapping[int, Any] | None = None):
        self.module = module
        self.artifact: Artifact = module.artifact
        self._arguments = arguments
        leaves, self._results = jax.tree.flatten(results)
        self._complex = [numpy.dtype(leaf.dtype) if numpy.issubdtype(leaf.dtype, numpy.complexfloating) else None
                         for leaf in leaves]
        self._kept = kept  # the arguments that the program has, where it leaves out unused ones
        self._static = static or {}  # values by position that are part of the program

    def __call__(self, *args: Any) -> Any:
        leaves, structure = jax.tree.flatten(self._dynamic(args) if self._static else args)
        if structure != self._arguments:
            raise InvalidArgumentError(f"the function was lowered for arguments {self._arguments}, got {structure}")
        if self._kept is not None:
            leaves = [leaves[i] for i in self._kept]
        given = self.module(*[_given(leaf) for leaf in leaves])
        results = given if isinstance(given, tuple) else (given,)
        return jax.tree.unflatten(self._results, [value if kind is None else value.view(kind)[..., 0]
                                                  for value, kind in zip(results, self._complex)])

    def _dynamic(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """Those that the program takes. A static argument is what it was when the function was compiled."""
        for at, value in self._static.items():
            if at >= len(args):
                raise InvalidArgumentError(f"argument {at} is missing: it is static, and was compiled as {value!r}")
            if type(args[at]) is not type(value) or args[at] != value:
                raise InvalidArgumentError(f"argument {at} is static, and was compiled as {value!r}, got {args[at]!r}; make a function "
                                           "for it with from_jax()")
        return tuple(value for at, value in enumerate(args) if at not in self._static)

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


def _statics(function: Callable[..., Any], argnums: Any, argnames: Any, count: int) -> list[int]:
    """Positions of the static ones among `count` arguments, which are all given by position: as given, else as a function of
    jax.jit has them."""
    made = getattr(function, "_jit_info", None)
    if argnums is None and argnames is None and made is not None:
        argnums, argnames = getattr(made, "static_argnums", None), getattr(made, "static_argnames", None)
    found = {at + count if at < 0 else at for at in ((argnums,) if isinstance(argnums, int) else argnums or ())}
    parameters = list(inspect.signature(function).parameters) if argnames else []
    for name in (argnames,) if isinstance(argnames, str) else argnames or ():
        if name not in parameters:
            raise InvalidArgumentError(f"static_argnames: the function has no parameter '{name}'{did_you_mean(name, parameters)}")
        found.add(parameters.index(name))
    return sorted(at for at in found if 0 <= at < count)


def lower(function: Callable[..., Any], *args: Any, static_argnums: Any = None,
          static_argnames: Any = None) -> tuple[str, Any, Any, dict[int, Any]]:
    """The function as text of StableHLO, the structure of its arguments, its results' shapes and types, and what static
    arguments are, by position."""
    static = {at: args[at] for at in _statics(function, static_argnums, static_argnames, len(args))}
    lowered = jax.jit(function, keep_unused=True, static_argnums=tuple(static)).lower(*args)
    dynamic = tuple(value for at, value in enumerate(args) if at not in static)
    return _portable.to_text(lowered), jax.tree.structure(dynamic), lowered.out_info, static


def from_jax(function: Callable[..., Any], *args: Any, devices: str | Iterable[str] = (), static_argnums: int | Sequence[int] | None = None,
             static_argnames: str | Iterable[str] | None = None, **options: Any) -> JaxFunction:
    """Compiles a JAX function for arguments like `args`: arrays, jax.ShapeDtypeStruct, or trees of them.

    Arguments that are static (`static_argnums`, `static_argnames`, or those of a function that jax.jit made with them) are
    part of the program; calls pass the same again.

    `devices` is that of load(), `options` are the keywords of compile(). A function of jax.shard_map over several devices
    runs on as many ranks, which are threads of this process or what a launcher started; arguments and results are whole.

        step = heddle.jax.from_jax(jax.value_and_grad(loss), params, batch)
        value, gradient = step(params, batch)
    """
    text, arguments, results, static = lower(function, *args, static_argnums=static_argnums, static_argnames=static_argnames)
    return JaxFunction(load(compile(text, **options), devices), arguments, results, static=static)


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
