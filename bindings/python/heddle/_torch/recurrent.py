# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers as operators: PyTorch takes them apart step by step, for the length of the examples."""
import contextlib
from typing import Any, Iterator, Optional

import torch
from torch import Tensor

_OPERATORS = {"LSTM": torch.ops.aten.lstm.input, "GRU": torch.ops.aten.gru.input, "tanh": torch.ops.aten.rnn_tanh.input,
              "relu": torch.ops.aten.rnn_relu.input}
_COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd


def _layer(x: Tensor, h: Tensor, c: Optional[Tensor], weight: Tensor, recurrence: Tensor, bias: Optional[Tensor],
           second_bias: Optional[Tensor], kind: str, reverse: bool) -> tuple[Tensor, Tensor, Tensor]:
    """One direction of a layer: [length, batch, …] to all of its outputs, its last one and its last cell state (of an LSTM)."""
    parameters = [weight, recurrence] + ([] if bias is None or second_bias is None else [bias, second_bias])
    state: Any = h[None] if c is None else (h[None], c[None])
    made = _OPERATORS[kind](x.flip(0) if reverse else x, state, parameters, bias is not None, 1, 0.0, False, False, False)
    out = made[0].flip(0) if reverse else made[0]
    return out.clone(), made[1][0].clone(), made[2][0].clone() if c is not None else x.new_empty(0)


def _known(x: Tensor, h: Tensor, c: Optional[Tensor], *_: Any) -> tuple[Tensor, Tensor, Tensor]:
    return x.new_empty((x.shape[0], *h.shape)), torch.empty_like(h), torch.empty_like(c) if c is not None else x.new_empty(0)


recurrent_layer = torch.library.custom_op("heddle::recurrent_layer", _layer, mutates_args=())
recurrent_layer.register_fake(_known)


def _layers(kind: str, x: Tensor, hx: Any, parameters: Any, has_biases: bool, layers: int, bidirectional: bool, batch_first: bool) -> Any:
    """All layers, of both directions."""
    hidden, cells = (hx, None) if isinstance(hx, Tensor) else hx
    count, ways = (4 if has_biases else 2), (2 if bidirectional else 1)
    x = x.transpose(0, 1) if batch_first else x
    last: list[Tensor] = []
    last_cells: list[Tensor] = []
    for layer in range(layers):
        outputs = []
        for way in range(ways):
            number = layer * ways + way
            weight, recurrence, *biases = parameters[number * count:(number + 1) * count]
            out, h, c = recurrent_layer(x, hidden[number], None if cells is None else cells[number], weight, recurrence, *(biases or (None, None)),
                                        kind, way == 1)
            outputs.append(out)
            last.append(h)
            last_cells.append(c)
        x = torch.cat(outputs, -1) if bidirectional else outputs[0]
    x = x.transpose(0, 1) if batch_first else x
    return (x, torch.stack(last)) if cells is None else (x, torch.stack(last), torch.stack(last_cells))


def _whole(kind: str, theirs: Any) -> Any:
    """In place of PyTorch's own way to take the layers of this kind apart."""
    def layers(x: Tensor, hx: Any, parameters: Any, has_biases: bool, count: int, dropout: float, train: bool, bidirectional: bool,
               batch_first: bool) -> Any:
        projects = kind == "LSTM" and hx[0].shape[2] != hx[1].shape[2]
        if train or projects or x.dtype != torch.float32:
            return theirs(x, hx, parameters, has_biases, count, dropout, train, bidirectional, batch_first)
        return _layers(kind, x, hx, parameters, has_biases, count, bidirectional, batch_first)
    return layers


def with_whole_layers(table: dict[Any, Any]) -> dict[Any, Any]:
    """Decompositions with those of recurrent layers replaced."""
    return {**table, **{operator: _whole(kind, table[operator]) for kind, operator in _OPERATORS.items() if operator in table}}


@contextlib.contextmanager
def whole_layers() -> Iterator[None]:
    """What is traced meanwhile has recurrent layers as operators of Heddle's, but for training and projections."""
    found = {operator: (kind, operator.py_kernels[_COMPOSITE]) for kind, operator in _OPERATORS.items() if _COMPOSITE in operator.py_kernels}
    try:
        for operator, (kind, theirs) in found.items():
            operator.py_kernels[_COMPOSITE] = _whole(kind, theirs)
            operator._dispatch_cache.clear()
        yield
    finally:
        for operator, (_, theirs) in found.items():
            operator.py_kernels[_COMPOSITE] = theirs
            operator._dispatch_cache.clear()
