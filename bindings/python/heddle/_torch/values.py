# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of PyTorch and arrays of Heddle."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy
import torch
from torch._C import _to_dlpack

from .._closeness import difference
from .._errors import Error, InvalidArgumentError
from .._module import Module
from .._runtime import Tensor

# Types that NumPy lacks cross as integers of their width.
_BITS = {"bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn, "f8E4M3FNUZ": torch.float8_e4m3fnuz,
         "f8E5M2": torch.float8_e5m2, "f8E5M2FNUZ": torch.float8_e5m2fnuz}
_TYPES = {torch.bool, torch.float16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64,
          torch.uint8, torch.uint16, torch.uint32, torch.uint64, *_BITS.values()}
_NARROW = frozenset(_BITS.values())
_UNSIGNED = {1: torch.uint8, 2: torch.uint16}
_from_numpy = torch.from_numpy
PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def why_no_value(tensor: torch.Tensor) -> str | None:
    """Why Heddle has no such value, as the end of a sentence; None where it has. `tensor` may be one of no data. A complex
    tensor becomes pairs of reals."""
    if tensor.layout != torch.strided or tensor.is_quantized:
        return f"is {'quantised' if tensor.is_quantized else 'sparse'}, not dense"
    if tensor.device.type != "cpu":
        return f"is on the device '{tensor.device}', not in memory of the CPU"
    if tensor.dtype not in _TYPES and tensor.dtype not in (torch.complex64, torch.complex128):
        return f"is of type {name_of(tensor.dtype)}, which Heddle has not"
    return None


def _to_tensor(array: Any, kind: str) -> torch.Tensor:
    """A tensor on the array's memory."""
    if isinstance(array, Tensor):
        return torch.from_dlpack(array)
    if kind in _BITS:
        return torch.from_numpy(array.view(f"u{array.itemsize}")).view(_BITS[kind])
    return torch.from_numpy(array)


def _writable(tensor: torch.Tensor) -> Any:
    """NumPy's array on a tensor's memory."""
    tensor = tensor.detach()
    return tensor.view(_UNSIGNED[tensor.itemsize]).numpy() if tensor.dtype in _NARROW else tensor.numpy()


def adaptation_of(operand: Any) -> Callable[[Any], Any] | None:
    """What has to be done to operands of this kind before Heddle takes them; None: nothing."""
    if not isinstance(operand, torch.Tensor):
        return None
    if operand.is_complex():
        return lambda tensor: torch.view_as_real(tensor.detach().resolve_conj().resolve_neg())
    return (lambda tensor: tensor.detach().resolve_neg()) if operand.is_neg() else None


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """As Heddle takes it."""
    if tensor.is_complex():
        return torch.view_as_real(tensor.detach().resolve_conj().resolve_neg())
    return tensor.detach().resolve_neg()


class Tensors:
    """A module of Heddle called with a list of tensors (and numbers, for sizes), giving a list of tensors. `dtypes`: of the
    results; a complex one comes from Heddle as pairs. `donated`: the places of arguments that calls overwrite."""

    def __init__(self, module: Module, dtypes: Sequence[torch.dtype] = (), donated: Sequence[int] = ()):
        self.module = module
        self._function = next(iter(module.entry_points.values()))
        self._kinds = [value.type for value in self._function.results]
        self._pairs = [place for place, dtype in enumerate(dtypes) if dtype.is_complex]
        self._donated = donated
        self._is_plain = not self._pairs and not any(kind in _BITS for kind in self._kinds)

    def __call__(self, tensors: Sequence[Any]) -> list[torch.Tensor]:
        """Of tensors in memory of the CPU."""
        given = [_to_dlpack(tensor) if isinstance(tensor, torch.Tensor) else tensor for tensor in tensors]
        for place in self._donated:
            given[place] = _writable(tensors[place])
        results = self._function(*given)
        if len(self._kinds) == 1:
            results = (results,)
        if self._is_plain:
            return [_from_numpy(array) for array in results]
        return self._made(results)

    def on_devices(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Of tensors wherever they are. What comes from a device goes back there: its DLPack tells the module which it is."""
        place = next((tensor.__dlpack_device__() for tensor in tensors if tensor.device.type == "cuda"), None)
        given = [_plain(tensor) for tensor in tensors]
        if place is None and isinstance(self.module, Module):
            return self(given)
        where = {} if place is None else {"on": self._index_of(place)}
        results = self._function(*given, **where)  # many ranks take arrays and tensors
        return self._made(results if len(self._kinds) != 1 else (results,))

    def _made(self, arrays: Sequence[Any]) -> list[torch.Tensor]:
        made = [_to_tensor(array, kind) for array, kind in zip(arrays, self._kinds)]
        for place in self._pairs:
            made[place] = torch.view_as_complex(made[place])
        return made

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
    tensor = torch.view_as_real(tensor.detach().resolve_conj()) if tensor.is_complex() else tensor.detach().resolve_neg()
    narrow = tensor.dtype in _BITS.values()
    return (tensor.to(torch.float32) if narrow else tensor).contiguous().numpy()


# Types by the words of --precision.
_PRECISIONS = {"bf16": "bfloat16", "f16": "float16"}


def compare(got: Sequence[torch.Tensor], want: Sequence[torch.Tensor], precision: str | None = None) -> str | None:
    """What differs, in words; None where the results agree. `precision`: of products of float32, as for compile()."""
    if len(got) != len(want):
        return f"it gives {len(got)} results, expected {len(want)}"
    for place, (mine, theirs) in enumerate(zip(got, want)):
        if mine.dtype != theirs.dtype:
            return f"result {place} is of type {name_of(mine.dtype)}, expected {name_of(theirs.dtype)}"
        with numpy.errstate(all="ignore"):
            kind = theirs.dtype.to_real() if theirs.dtype.is_complex else theirs.dtype
            name = name_of(kind)
            if name == "float32":
                name = _PRECISIONS.get(precision or "", name)
            text = difference(_to_array(mine), _to_array(theirs), name)
        if text is not None:
            return f"result {place}: {text}"
    return None
