# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A layer of LSTM whole."""
from __future__ import annotations

from typing import Any, Sequence

import torch

from .table import Context, translates
from .values import Unsupported, Value, shape_of

_LSTM = 2


def _gates(c: Context, weight: Value, hidden: int) -> Value:
    """From PyTorch's order (input, forget, cell, output) to ONNX's (input, output, forget, cell), as one direction."""
    parts = [c.b.slice(weight, 0, number * hidden, (number + 1) * hidden) for number in (0, 3, 1, 2)]
    return c.b.unsqueeze(c.b.concat(parts, 0), 0)


@translates("aten.mkldnn_rnn_layer.default")
def mkldnn_rnn_layer(c: Context, x: Value, weight: Value, recurrence: Value, bias: Value, second_bias: Value, hx: Value, cx: Value,
                     reverse: bool, batch_sizes: Sequence[int], mode: int, hidden_size: int, num_layers: int, has_biases: bool,
                     bidirectional: bool, batch_first: bool, train: bool) -> Any:
    b = c.b
    if mode != _LSTM or batch_sizes or num_layers != 1 or bidirectional or batch_first or train or x.dtype != torch.float32 or x.rank != 3:
        raise Unsupported("a recurrent layer of other than one LSTM of f32 for inference")
    length, batch, _ = x.shape
    biases = b.concat([_gates(c, part, hidden_size) for part in (bias, second_bias)], 1) if has_biases else None
    start = [b.reshape(state, (1, batch, hidden_size)) for state in (hx, cx)]
    shapes = [(x.dtype, (length, 1, batch, hidden_size)), (x.dtype, (1, batch, hidden_size)), (x.dtype, (1, batch, hidden_size))]
    output, last, cell = b.ops("LSTM", [x, _gates(c, weight, hidden_size), _gates(c, recurrence, hidden_size), biases, None, *start], shapes,
                               hidden_size=hidden_size, direction="reverse" if reverse else "forward")
    made = [b.reshape(value, shape_of(out.shape)) for value, out in zip((output, last, cell), c.out)]
    return [*made, b.tensor(torch.zeros(0, dtype=c.out[3].dtype))]


# Of from_torch (recurrent.py of the package above): operator, activation, gates in ONNX's order.
_KINDS: dict[str, tuple[str, dict[str, Any], Sequence[int]]] = {
    "LSTM": ("LSTM", {}, (0, 3, 1, 2)), "GRU": ("GRU", {"linear_before_reset": 1}, (1, 0, 2)), "tanh": ("RNN", {}, (0,)), "relu": ("RNN", {}, (0,))}


@translates("heddle.recurrent_layer.default")
def recurrent_layer(c: Context, x: Value, h: Value, cell: Value | None, weight: Value, recurrence: Value, bias: Value | None,
                    second_bias: Value | None, kind: str, reverse: bool) -> Any:
    b, (operator, attributes, order) = c.b, _KINDS[kind]
    if x.dtype != torch.float32 or x.rank != 3 or not isinstance(h.shape[-1], int):
        raise Unsupported("a recurrent layer of other than f32")
    length, batch, _ = x.shape
    hidden = h.shape[-1]

    def gates(value: Value) -> Value:
        parts = [b.slice(value, 0, number * hidden, (number + 1) * hidden) for number in order]
        return b.unsqueeze(b.concat(parts, 0), 0)
    biases = b.concat([gates(bias), gates(second_bias)], 1) if bias is not None and second_bias is not None else None
    states = [b.unsqueeze(state, 0) for state in (h, cell) if state is not None]
    shapes = [(x.dtype, (length, 1, batch, hidden))] + [(x.dtype, (1, batch, hidden)) for _ in states]
    activation: dict[str, Any] = {"activations": ["Relu"]} if kind == "relu" else {}
    made = b.ops(operator, [x, gates(weight), gates(recurrence), biases, None, *states], shapes, hidden_size=hidden,
                 direction="reverse" if reverse else "forward", **attributes, **activation)
    results = [b.squeeze(made[0], 1), *[b.squeeze(state, 0) for state in made[1:]]]
    return results if cell is not None else [*results, b.tensor(torch.zeros(0, dtype=x.dtype))]
