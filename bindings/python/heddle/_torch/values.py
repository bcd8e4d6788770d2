# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of PyTorch and arrays of Heddle."""
from __future__ import annotations

from typing import Any, Sequence

import numpy
import torch

from .._closeness import difference
from .._errors import Error, InvalidArgumentError
from .._fallback import Found
from .._module import Module
from .._runtime import Tensor

# Types that NumPy lacks cross as integers of their width.
_BITS = {"bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn, "f8E4M3FNUZ": torch.float8_e4m3fnuz,
         "f8E5M2": torch.float8_e5m2, "f8E5M2FNUZ": torch.float8_e5m2fnuz}
_TYPES = {torch.bool, torch.float16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64,
          torch.uint8, torch.uint16, torch.uint32, torch.uint64, *_BITS.values()}
_PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def judge_tensor(tensor: torch.Tensor, what: str) -> None:
    """Raises Found where Heddle has no such value. `what`: 'argument 0', 'result 1'."""
    if type(tensor) not in _PLAIN:
        raise Found("tensor", f"{what} is of the class {type(tensor).__name__}, no plain tensor")
    if tensor.dtype.is_complex:
        raise Found("complex", f"{what} is complex")
    if tensor.layout != torch.strided or tensor.is_quantized:
        raise Found("tensor", f"{what} is {'quantised' if tensor.is_quantized else 'sparse'}, not dense")
    if tensor.device.type != "cpu":
        raise Found("tensor", f"{what} is on the device '{tensor.device}', not in memory of the CPU")
    if tensor.dtype not in _TYPES:
        raise Found("tensor", f"{what} is of type {name_of(tensor.dtype)}, which Heddle has not")
    if tensor.is_neg() or tensor.is_conj():
        raise Found("tensor", f"{what} is a negated view (resolve_neg() makes it dense)")


def _to_tensor(array: Any, kind: str) -> torch.Tensor:
    """A tensor on the array's memory."""
    if isinstance(array, Tensor):
        return torch.from_dlpack(array)
    if kind in _BITS:
        return torch.from_numpy(array.view(f"u{array.itemsize}")).view(_BITS[kind])
    return torch.from_dlpack(array)


class Tensors:
    """A module of Heddle called with a list of tensors, giving a list of tensors."""

    def __init__(self, module: Module):
        self.module = module
        self._function = next(iter(module.entry_points.values()))
        self._kinds = [value.type for value in self._function.results]

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        # What comes from a device goes back there: its DLPack tells the module which it is.
        place = next((tensor.__dlpack_device__() for tensor in tensors if tensor.device.type == "cuda"), None)
        where = {} if place is None else {"on": self._index_of(place)}
        results = self._function(*[tensor.detach() for tensor in tensors], **where)
        if len(self._kinds) == 1:
            results = (results,)
        return [_to_tensor(array, kind) for array, kind in zip(results, self._kinds)]


    def _index_of(self, place: tuple[Any, int]) -> int:
        """The device of the module whose memory DLPack calls this."""
        for index in range(len(self.module.devices)):
            try:
                if self.module.empty([1], "uint8", index).__dlpack_device__() == (int(place[0]), place[1]):
                    return index
            except Error:  # not used here, or DLPack has no words for it
                pass
        raise InvalidArgumentError(f"an argument is on 'cuda:{place[1]}', which the module does not use; give "
                                   f"devices='cuda://{place[1]}', or move the argument to the CPU")


def _to_array(tensor: torch.Tensor) -> Any:
    tensor = tensor.detach()
    narrow = tensor.dtype in _BITS.values()
    return (tensor.to(torch.float32) if narrow else tensor).contiguous().numpy()


def compare(got: Sequence[torch.Tensor], want: Sequence[torch.Tensor]) -> str | None:
    """What differs, in words; None where the results agree."""
    if len(got) != len(want):
        return f"it gives {len(got)} results, expected {len(want)}"
    for place, (mine, theirs) in enumerate(zip(got, want)):
        if mine.dtype != theirs.dtype:
            return f"result {place} is of type {name_of(mine.dtype)}, expected {name_of(theirs.dtype)}"
        with numpy.errstate(all="ignore"):
            text = difference(_to_array(mine), _to_array(theirs), name_of(theirs.dtype))
        if text is not None:
            return f"result {place}: {text}"
    return None
