# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as ONNX, by torch.onnx.export(dynamo=True): from_torch()'s way for operators that the translation has not."""
from __future__ import annotations

import pathlib
import re
from typing import Any, NamedTuple

import torch
from torch.utils import _pytree as pytree

from .._errors import CompileError
from .._fallback import judge_operator
from .exported import drawn, placed, quiet, written
from .nodes import bound

OPSET = 20


class Exported(NamedTuple):
    """`results`: the structure of what the module returns. `effects`: what ONNX does not hold of it, in words."""

    results: pytree.TreeSpec | None
    effects: list[str]


def _causes(error: BaseException) -> list[BaseException]:
    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    return causes


def judge_node(node: torch.fx.Node) -> str | None:
    """Why ONNX does not hold what a node of an exported program does."""
    operator = node.target
    if not isinstance(operator, torch._ops.OpOverload):
        return None
    return judge_operator(str(operator._schema.name.split("::")[-1]),
                          {key: value.meta.get("val") if isinstance(value, torch.fx.Node) else value for key, value in bound(node).items()})


def _effects(program: Any) -> list[str]:
    """What a torch.export.ExportedProgram does besides computing its results, or does otherwise than ONNX."""
    effects = written(program) + drawn(program)
    for node in program.graph.nodes:
        reason = judge_node(node)
        if reason is not None:
            effects.append(placed(reason, node))
    values = {node.name: node.meta.get("val") for node in program.graph.nodes}
    for number, name in enumerate(program.graph_signature.user_outputs):
        value = values.get(name)
        if isinstance(value, torch.Tensor) and value.dtype.is_complex:
            effects.append(f"result {number} is complex")
    return effects


def _plain(text: str) -> str:
    """Without the colours that the exporter writes."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def short(error: BaseException) -> str:
    """What an exporter's exception says, in a line: the operator without a translation where it names one."""
    text = _plain(" ".join(str(cause) for cause in _causes(error)))
    operators = sorted(set(re.findall(r"No ONNX function found for <OpOverload\(op='(?:aten\.)?([\w.]+)'", text)))
    if operators:
        return f"torch.onnx.export has no translation of {', '.join(operators)}"
    lines = _plain(str(_causes(error)[-1])).strip().splitlines() or [type(error).__name__]
    return f"torch.onnx.export refuses it: {lines[0][:200]}"


def export(module: Any, example_inputs: tuple[Any, ...], path: pathlib.Path, dynamic_shapes: Any = None,
           keep_names: bool = False, named: dict[str, Any] | None = None) -> Exported:
    """Writes `module` (or an ExportedProgram) as ONNX, its weights beside it. `named`: examples of what it takes by name. `keep_names`:
    each weight is there as it is, under its own name; else the exporter may keep what it computes of one instead.

    Raises CompileError with what the exporter says, which names the operator that it cannot translate.
    """
    try:
        with quiet():
            program = torch.onnx.export(module, example_inputs, kwargs=named or None, dynamo=True, opset_version=OPSET, verbose=False,
                                        dynamic_shapes=dynamic_shapes, optimize=not keep_names)
    except Exception as error:
        raise CompileError(short(error), [_plain(str(cause)) for cause in _causes(error)[:-1]]) from error
    assert program is not None
    program.save(str(path), external_data=True)
    exported = program.exported_program
    return Exported(None, []) if exported is None else Exported(exported.call_spec.out_spec, _effects(exported))
