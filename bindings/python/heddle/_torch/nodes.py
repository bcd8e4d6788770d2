# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the nodes of AOTAutograd's graphs are: views, numbers, draws, writes; where they come from in the user's code."""
from __future__ import annotations

import operator
import os
import re
from typing import Any

import torch
from torch.fx import Node
from torch.utils import _pytree as pytree

from .._fallback import Reason, is_random
from .translate import why_not
from .values import why_no_value

_PYTORCH = os.path.dirname(torch.__file__) + os.sep
_BY_STRIDES = ("aten::as_strided", "aten::as_strided_copy", "aten::as_strided_scatter")
_CALLERS = tuple(getattr(torch.ops.higher_order, name) for name in ("cond", "while_loop", "scan", "map_impl", "invoke_subgraph"))
_NUMBERS = (int, float, bool, torch.SymInt, torch.SymFloat, torch.SymBool)


def place_of(node: Node | None) -> str:
    """FILE:LINE of the user's code that a node comes from, or ''."""
    trace = (node.meta.get("stack_trace") if node is not None else None) or ""
    lines = re.findall(r'File "([^"]+)", line (\d+)', trace)
    mine = [line for line in lines if not line[0].startswith(_PYTORCH)] or lines
    return ":".join(mine[-1]) if mine else ""


def tensors_of(node: Node) -> list[torch.Tensor]:
    """What is known of the tensors that a node gives."""
    return [leaf for leaf in pytree.tree_leaves(node.meta.get("val")) if isinstance(leaf, torch.Tensor)]


def is_number(node: Node) -> bool:
    """It gives a number of Python: a size, or arithmetic on sizes."""
    return isinstance(node.meta.get("val"), _NUMBERS)


def is_part(node: Node) -> bool:
    """It takes one result out of several."""
    return node.op == "call_function" and node.target is operator.getitem


def _schema(node: Node) -> torch.FunctionSchema | None:
    return node.target._schema if isinstance(node.target, torch._ops.OpOverload) else None


def is_view(node: Node) -> bool:
    """Its result shares memory with its operand."""
    if is_part(node):
        return isinstance(node.args[0], Node) and is_view(node.args[0])
    schema = _schema(node)
    return schema is not None and not schema.is_mutable and any(result.alias_info is not None for result in schema.returns)


def root_of(node: Node) -> Node:
    """Whose memory it is."""
    while is_view(node):
        node = node.all_input_nodes[0]
    return node


def bound(node: Node) -> dict[str, Any]:
    """The operands of a node that calls an operator, by the names of its schema, defaults among them."""
    schema = node.target._schema
    named = {argument.name: argument.default_value for argument in schema.arguments if argument.has_default_value()}
    named.update((argument.name, value) for argument, value in zip(schema.arguments, node.args))
    named.update(node.kwargs)
    return named


def written_by(node: Node) -> list[Node]:
    """The operands that a node writes to."""
    schema = _schema(node)
    if schema is None or not schema.is_mutable:
        return []
    operands = bound(node)
    written = [operands.get(argument.name) for argument in schema.arguments if argument.alias_info is not None and argument.alias_info.is_write]
    return [leaf for leaf in pytree.tree_leaves(written) if isinstance(leaf, Node)]


def draws(node: Node) -> bool:
    """It draws random numbers: dropout does in training only."""
    if not isinstance(node.target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in node.target.tags:
        return False
    return is_random(bound(node))


def is_ordered(node: Node) -> bool:
    """It must stay behind those of its kind that it stands behind: it draws, writes, checks, or calls what is not known."""
    return draws(node) or not isinstance(node.target, torch._ops.OpOverload) and not is_part(node) and not is_number(node) \
        or node.is_impure()


def calls_graphs(node: Node) -> bool:
    """It calls graphs of its own, as often as data tell; those are programs by themselves."""
    return node.op == "call_function" and node.target in _CALLERS


def is_idle(node: Node) -> bool:
    """It checks what held when the graph was traced, and holds since by Dynamo's guards."""
    return node.target is torch.ops.aten._assert_tensor_metadata.default


def checks(node: Node) -> bool:
    """It gives nothing: it raises where a value is not as it should be."""
    is_wrapped = node.target is torch.ops.higher_order.with_effects
    operator = node.args[1] if is_wrapped else node.target
    return isinstance(operator, torch._ops.OpOverload) and not operator._schema.returns and not operator._schema.is_mutable


def reads_nothing(node: Node) -> bool:
    """It computes with sizes only, which Python has."""
    if is_number(node):
        return node.target is not torch.ops.aten._local_scalar_dense.default
    return not tensors_of(node) and not any(tensors_of(given) for given in node.all_input_nodes) and not draws(node) \
        and (isinstance(node.target, torch._ops.OpOverload) or not isinstance(node.target, torch._ops.OperatorBase))


def name_of(node: Node) -> str:
    return str(node.target)


def _reads_beyond(node: Node) -> bool:
    """It reads its operand's memory by strides, where that is not the dense memory which Heddle has for it."""
    if not isinstance(node.target, torch._ops.OpOverload) or node.target._schema.name not in _BY_STRIDES:
        return False
    value = node.all_input_nodes[0].meta["val"]
    return not value.is_contiguous() or value.storage_offset() != 0 \
        or value.untyped_storage().nbytes() != value.numel() * value.element_size()


def reason_of(node: Node) -> Reason | None:
    """Why a node runs in PyTorch; None where Heddle may have it."""
    if draws(node):
        return Reason("random", f"{name_of(node)} draws random numbers", place_of(node))
    if written_by(node):
        return Reason("write", f"{name_of(node)} writes in place", place_of(node))
    if not isinstance(node.target, torch._ops.OpOverload):
        return Reason("control", f"{name_of(node)} is no operator of ATen", place_of(node))
    if not tensors_of(node):
        return Reason("number", f"{name_of(node)} gives a number of Python that data tell", place_of(node))
    for tensor in [*tensors_of(node), *(tensor for given in node.all_input_nodes for tensor in tensors_of(given))]:
        text = why_no_value(tensor)
        if text is not None:
            return Reason("tensor", f"{name_of(node)} has a tensor that {text}", place_of(node))
    text = "it reads memory by strides, which are others in Heddle" if _reads_beyond(node) else why_not(node)
    return None if text is None else Reason("translation", f"{name_of(node)}: {text}", place_of(node))
