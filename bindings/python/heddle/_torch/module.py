# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle.from_torch(): modules ahead of their calls, by torch.export and the translation; by torch.onnx.export where that has not all
of one. Inference only: parameters become constants of the artifact."""
from __future__ import annotations

import inspect
import os
import pathlib
import tempfile
import warnings
from typing import Any, Callable, Iterable, Mapping

import torch
from torch.utils import _pytree as pytree

from .._compile import Artifact, compile
from .._errors import CompileError, CompileWarning, InvalidArgumentError
from .._module import Module, load
from .._signature import Signature
from .export import export
from .exported import Call, Form, Leaf, Results, Untranslated, convert, places_of, trace
from .sizes import Sizes, named_sizes
from .values import PLAIN, Tensors, compare, why_no_value


def _refuse_gradients(tensors: Iterable[torch.Tensor]) -> None:
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        raise InvalidArgumentError("Heddle compiles for inference, got arguments that want gradients; "
                                   "call it under torch.no_grad() or torch.inference_mode()")


def _refuse_modes(module: torch.nn.Module) -> None:
    """Layers in training mode."""
    for name, layer in module.named_modules():
        if layer.training:
            what = f"'{name}', a {type(layer).__name__}," if name else "a module"
            raise InvalidArgumentError(f"Heddle compiles for inference, got {what} in training mode; call its eval() first")


class TorchModule:
    """What from_torch() gives: called like the module it was made of. `artifact`, `module`: what it runs."""

    def __init__(self, module: Module, signature: Signature, form: Form):
        self.module = module
        self.artifact: Artifact = module.artifact
        self._call = Tensors(module, form.results.dtypes)
        self._signature, self._form = signature, form

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        tensors = self._signature.tensors(arguments, named)
        _refuse_gradients(tensors)
        self._form.sizes.check(tensors)
        return self._form.results(self._call.on_devices([tensors[place] for place in self._form.order]))


def _refuse_distributed(module: torch.nn.Module) -> None:
    """Weights of which this process has a part only. By name: torch.distributed need not be there."""
    for name, weight in [*module.named_parameters(), *module.named_buffers()]:
        if any(kind.__name__ == "DTensor" for kind in type(weight).__mro__):
            raise InvalidArgumentError(f"'{name}' is a DTensor, and this process has a part of it; give the plain module, and how ranks share "
                                       f"it with mesh=… and shardings={{'{name}': its placements}}")


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor)


def _compare_with(compiled: TorchModule, module: Callable[..., Any], examples: Any, precision: str | None) -> None:
    """Raises CompileError where a call with the examples differs from PyTorch's."""
    mine, theirs = (pytree.tree_map_only(torch.Tensor, lambda t: t.detach().clone(), examples) for _ in range(2))
    got, want = ([leaf for leaf in pytree.tree_leaves(function(*arguments, **named)) if _is_tensor(leaf)]
                 for function, (arguments, named) in ((compiled, mine), (module, theirs)))
    text = compare(got, want, precision)
    if text is not None:
        raise CompileError(f"the compiled module differs from PyTorch on the example arguments: {text}; "
                           "trust=True leaves out this comparison")


def _judge(examples: Any) -> None:
    for place, leaf in enumerate(pytree.tree_leaves(examples)):
        if _is_tensor(leaf):
            text = f"is of the class {type(leaf).__name__}, no plain tensor" if type(leaf) not in PLAIN else \
                "is a negated view" if leaf.is_neg() else why_no_value(leaf)
            if text is not None:
                raise InvalidArgumentError(f"tensor {place} of the example arguments {text}; from_torch() takes dense tensors of the CPU")


def _distinct(examples: Any) -> Any:
    """Each tensor is another object, so that objects tell places."""
    seen: set[int] = set()

    def other(tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) in seen:
            return tensor.detach()
        seen.add(id(tensor))
        return tensor
    leaves = [leaf for leaf in pytree.tree_leaves(examples) if _is_tensor(leaf)]
    return examples if len({id(leaf) for leaf in leaves}) == len(leaves) else pytree.tree_map_only(torch.Tensor, other, examples)


def _by_onnx(module: Any, program: torch.export.ExportedProgram | None, call: Call, path: pathlib.Path, shapes: Any, by_name: bool) -> Form:
    exported = export(module if program is None else program, call.arguments, path, shapes, keep_names=by_name, named=call.named)
    if exported.effects:
        raise CompileError(f"ONNX does not hold all that the module does: {exported.effects[0]}; torch.compile(module, backend='heddle') "
                           "runs such modules, and what is written can go in and out as arguments and results", exported.effects[1:])
    spec = exported.results
    results = Results([Leaf("tensor")] * (spec.num_leaves if spec is not None else 0), spec)
    order = list(range(len(call.tensors))) if program is None else list(places_of(program, call).values())
    return Form(path, order, results, Sizes([], {}, []))


class _Compiler:
    """Of one module: by the translation, by ONNX where that has not all of it, or the compiler does not take what it made."""

    def __init__(self, module: Any, program: torch.export.ExportedProgram | None, call: Call, shapes: Any, folder: pathlib.Path,
                 flags: dict[str, Any]):
        self.module, self.given, self.call, self.shapes, self.folder, self.flags = module, program, call, shapes, folder, flags
        self.by_name = "shardings" in flags or "shard_file" in flags

    def run(self) -> tuple[Form, Artifact]:
        try:
            program = self.given
            if program is None:
                program = trace(self.module, self.call.arguments, self.call.named, self.shapes)
        except Exception as error:
            return self.other([f"torch.export.export() refuses it: {(str(error).strip().splitlines() or [type(error).__name__])[0][:200]}"], error)
        try:
            form = convert(program, self.folder, self.call, self.by_name)
        except Untranslated as error:
            return self.other(error.reasons, error)
        try:
            return form, compile(form.path, **self.flags)
        except CompileError as error:
            if error.exit_status == 2 or self.by_name or os.environ.get("HEDDLE_TORCH_STRICT"):  # names are those of this graph
                raise
            return self.other([f"heddle compile: {error.message}"], error)

    def other(self, reasons: list[str], error: Exception) -> tuple[Form, Artifact]:
        """By torch.onnx.export, with a warning."""
        try:
            form = _by_onnx(self.module, self.given, self.call, self.folder / "onnx.onnx", self.shapes, self.by_name)
            artifact = compile(form.path, **self.flags)
        except CompileError as failure:
            raise CompileError(f"{reasons[0]}; nor does it go by ONNX: {failure.message}", [*reasons[1:], *failure.notes]) from error
        warnings.warn(f"from_torch() goes by torch.onnx.export, as Heddle's own translation has not all of the module: {'; '.join(reasons)}",
                      CompileWarning, stacklevel=4)
        return form, artifact


def from_torch(module: Any, example_inputs: Any = None, dynamic_shapes: Any = None, *, kwargs: Mapping[str, Any] | None = None,
               devices: str | Iterable[str] = (), trust: bool = False, **flags: Any) -> TorchModule:
    """Compiles a module for inference.

    `module`: a torch.nn.Module, or what torch.export.export() gave, which has examples and dynamic shapes of its own.
    `example_inputs`: a tensor or a tuple of what forward() takes; `kwargs`: what it takes by name. `dynamic_shapes`: as for
    torch.export.export(), or names in place of Dims; without it sizes are those of the examples. `devices`: as for load();
    `flags`: as for compile(). Tensors go in without a copy where they are dense and on the CPU, and results are tensors on
    Heddle's memory.

    The module is a function of its arguments: one that writes to them or to its buffers, or draws random numbers, is a
    CompileError. So is one whose results for the examples differ from PyTorch's; `trust=True` leaves that comparison out.
    Operators that Heddle has no translation of go by torch.onnx.export, which a CompileWarning says.

    `mesh=` and `shardings=` (as for compile()) are by names of parameters ("layers.0.weight"), arguments of forward() and nodes
    of the exported program ("linear_1"); a DTensor's `placements` are one, too. Tensors stay whole in calls.
    """
    program = None
    if isinstance(module, torch.export.ExportedProgram):
        if example_inputs is not None or kwargs is not None or dynamic_shapes is not None:
            raise InvalidArgumentError("an ExportedProgram has example arguments and dynamic shapes of its own, got others")
        if module.example_inputs is None:
            raise InvalidArgumentError("the ExportedProgram has no example arguments; export the module again")
        program, (arguments, named) = module, module.example_inputs
        module = program.module()
    else:
        _refuse_modes(module)
        given = () if example_inputs is None else example_inputs
        arguments, named = given if isinstance(given, tuple) else (given,), dict(kwargs or {})
    _refuse_distributed(module)
    _judge((arguments, named))
    arguments, named = _distinct((arguments, named))
    signature = Signature(module.forward, arguments, pytree.tree_flatten, _is_tensor, named)
    by_parameter = inspect.signature(module.forward).bind(*arguments, **named).arguments
    call = Call(arguments, named, signature.examples, list(named_sizes(by_parameter, dynamic_shapes)))
    with tempfile.TemporaryDirectory(prefix="heddle-torch-") as folder, torch.no_grad():
        form, artifact = _Compiler(module, program, call, dynamic_shapes, pathlib.Path(folder), flags).run()
        compiled = TorchModule(load(artifact, devices), signature, form)
        if not trust:
            _compare_with(compiled, module, (arguments, named), flags.get("precision"))
        return compiled
