# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which arguments of a graph are overwritten where they lie.

A functional graph gives an argument its new value by a copy at its end. Where an island makes that value and reads the argument last,
the argument is donated to the island, which computes the value in the argument's memory: a cache of a language model is not copied for
each token, nor parameters for each step of an optimiser.
"""
from __future__ import annotations

from typing import NamedTuple

import torch
from torch.fx import Node

from .nodes import root_of
from .partition import Island, Partition


class Donations(NamedTuple):
    """`of_islands`: for each island the argument of the graph in whose memory a result of it is made, by that result. `settled`: the
    copies at the end that are none then."""

    of_islands: list[dict[Node, Node]]
    settled: set[Node]


def find_donations(parts: Partition) -> Donations:
    made_by = {result: place for place, step in enumerate(parts.steps) if isinstance(step, Island) for result in step.results}
    last_read = _last_reads(parts)
    by_step: dict[int, dict[Node, Node]] = {}
    settled: set[Node] = set()
    for node in parts.steps:
        if not isinstance(node, Node) or node.target is not torch.ops.aten.copy_.default:
            continue
        argument, value = node.args[:2]
        if not isinstance(argument, Node) or not isinstance(value, Node) or value not in made_by:
            continue
        place = made_by[value]
        taken = by_step.setdefault(place, {})
        if value not in taken and argument not in taken.values() and last_read.get(argument) == place and _fits(argument, value) \
                and _stays_inside(value, node, parts):
            taken[value] = argument
            settled.add(node)
    return Donations([by_step.get(place, {}) for place, step in enumerate(parts.steps) if isinstance(step, Island)], settled)


def _last_reads(parts: Partition) -> dict[Node, int]:
    """By argument the last step that reads its memory, the writes at the end left out."""
    last: dict[Node, int] = {}
    for place, step in enumerate(parts.steps):
        if isinstance(step, Node) and step.target is torch.ops.aten.copy_.default and step.args[0].op == "placeholder":
            read = [step.args[1]] if isinstance(step.args[1], Node) else []
        else:
            inside = set(step.nodes) if isinstance(step, Island) else set()
            read = [given for node in (step.nodes if isinstance(step, Island) else [step]) for given in node.all_input_nodes
                    if given not in inside]
        for given in read:
            last[root_of(given)] = place
    return last


def _fits(argument: Node, value: Node) -> bool:
    """Whether a value may lie in the argument's memory, by what is known of both."""
    theirs, mine = argument.meta["val"], value.meta["val"]
    return (argument.op == "placeholder" and isinstance(mine, torch.Tensor) and isinstance(theirs, torch.Tensor)
            and mine.dtype == theirs.dtype and not mine.is_complex() and mine.shape == theirs.shape and theirs.is_contiguous()
            and mine.is_contiguous())


def _stays_inside(value: Node, copy: Node, parts: Partition) -> bool:
    """Whether only islands and this copy see the value's memory."""
    inside = {node for step in parts.steps if isinstance(step, Island) for node in step.nodes}
    outside = {step for step in parts.steps if isinstance(step, Node)}
    return all(user is copy or user in inside and user not in outside for user in value.users)


def settle(argument: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Gives the argument its value, where it does not lie there already; PyTorch counts it as a write in both cases."""
    if value.data_ptr() == argument.data_ptr():
        torch.autograd.graph.increment_version(argument)
        return argument
    return argument.copy_(value)


def may_donate(operand: object) -> bool:
    """Whether the memory of an operand of a call may be overwritten by Heddle."""
    return (isinstance(operand, torch.Tensor) and operand.device.type == "cpu" and operand.layout == torch.strided and operand.is_contiguous()
            and not operand.is_neg() and operand.numel() > 0)
