# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operators PyTorch takes apart before they are translated."""
from __future__ import annotations

import functools
from typing import Any, Callable

import torch

# More than the core's: their parts are translated, they are not, or only in some forms.
_MORE = ("_batch_norm_with_update.default", "_batch_norm_with_update_functional.default",
         "_native_batch_norm_legit.default", "_native_batch_norm_legit.no_stats", "_native_batch_norm_legit_functional.default",
         "dist.default", "ldexp.Tensor", "narrow_copy.default", "native_batch_norm.default", "native_group_norm.default", "permute_copy.default",
         "rrelu_with_noise_backward.default", "tril_indices.default", "triu_indices.default", "unbind_copy.int",
         "upsample_bicubic2d.default", "upsample_bilinear2d.default", "upsample_bilinear2d.vec", "upsample_nearest2d.vec",
         "upsample_trilinear3d.default", "view_copy.default", "native_dropout.default")
# Of the core's: translated whole.
_WHOLE = ("baddbmm.default", "clamp_max.default", "clamp_min.default", "gelu_backward.default", "hardsigmoid.default", "hardswish.default",
          "logsumexp.default", "mish.default", "rsub.Scalar", "rsub.Tensor", "silu.default", "softplus.default", "std.correction",
          "_scaled_dot_product_flash_attention_for_cpu.default", "logit.default", "norm.Scalar", "norm.ScalarOpt_dim", "select_scatter.default", "index_add.default",
          "index_copy.default", "std_mean.correction", "isneginf.default", "isposinf.default", "logical_not.default",
          "nan_to_num.default", "heaviside.default", "xlogy.Tensor", "floor_divide.default", "floor_divide.Scalar", "trunc.default",
          "deg2rad.default", "rad2deg.default", "lerp.Tensor", "lerp.Scalar", "addcmul.default", "addcdiv.default", "native_layer_norm.default",
          "hypot.default", "_log_softmax_backward_data.default", "_softmax_backward_data.default", "roll.default", "max_pool2d_with_indices.default")


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    found = getattr(torch.ops.aten, packet, None)
    return getattr(found, overload, None)


def _unless_whole(decomposition: Callable[..., Any]) -> Callable[..., Any]:
    """Nearest neighbours at whole factors stay: they are one operator of the model."""
    @functools.wraps(decomposition)
    def decompose(x: torch.Tensor, output_size: Any, *scales: Any) -> Any:
        sizes = x.shape[x.dim() - len(output_size):]
        is_whole = all(isinstance(number, int) for number in (*sizes, *output_size)) and \
            all(size and made % size == 0 for size, made in zip(sizes, output_size)) and \
            all(scale is None or scale * size == made for scale, size, made in zip(scales, sizes, output_size))
        return NotImplemented if is_whole else decomposition(x, output_size, *scales)
    return decompose


def _unless_fixed(decomposition: Callable[..., Any]) -> Callable[..., Any]:
    """A pool to a given size is translated whole where all sizes are numbers: its parts would lose the memory's order."""
    @functools.wraps(decomposition)
    def decompose(x: torch.Tensor, output_size: Any) -> Any:
        sizes = (*x.shape[x.dim() - len(output_size):], *output_size)
        is_whole = all(isinstance(size, int) for size in sizes) and 0 not in (*x.shape, *output_size)
        return NotImplemented if is_whole else decomposition(x, output_size)
    return decompose


def _roll(x: torch.Tensor, shifts: Any, dims: Any = ()) -> torch.Tensor:
    """Translated whole of what lies in order. PyTorch's own has no word of what other orders become."""
    if x.is_contiguous():
        return NotImplemented
    made = torch.roll(x.contiguous(), shifts, dims)
    return made.contiguous(memory_format=torch._prims_common.suggest_memory_format(x)) if dims else made


def _channel_shuffle(x: torch.Tensor, groups: int) -> torch.Tensor:
    """In the memory's order of its operand, as PyTorch has it."""
    shuffled = x.unflatten(1, (groups, x.shape[1] // groups)).transpose(1, 2).flatten(1, 2)
    return shuffled.contiguous(memory_format=torch._prims_common.suggest_memory_format(x))


def _weight_norm_backward(grad: torch.Tensor, v: torch.Tensor, g: torch.Tensor, norms: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    axes = [axis for axis in range(v.dim()) if axis != dim]
    product = (grad * v).to(norms.dtype)
    total = product.sum(axes, keepdim=True) if axes else product
    return (g / norms * (grad - v * (total / (norms * norms)))).to(v.dtype), (total / norms).to(g.dtype)


@functools.cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions of AOTAutograd for graphs that are translated: PyTorch's core ATen, but for what is translated whole."""
    from .table import TABLE
    table = dict(torch._decomp._core_aten_decompositions_post_autograd())  # composites the dispatcher takes apart by itself
    everything = torch._decomp.decomposition_table
    for name in _MORE:
        operator = _overload(name)
        if operator in everything:
            table[operator] = everything[operator]
    for name in _WHOLE:
        if f"aten.{name}" in TABLE:
            table.pop(_overload(name), None)
    for count in (1, 2, 3):
        operator = _overload(f"upsample_nearest{count}d.default")
        table[operator] = _unless_whole(everything[operator])
    table[torch.ops.aten._adaptive_avg_pool2d.default] = _unless_fixed(everything[torch.ops.aten._adaptive_avg_pool2d.default])
    table[torch.ops.aten.roll.default] = _roll
    table[_overload("_weight_norm_interface_backward.default")] = _weight_norm_backward
    for name in ("channel_shuffle", "native_channel_shuffle"):
        table[_overload(f"{name}.default")] = _channel_shuffle
    return table


_OF_PARTS = ("lstm", "gru", "rnn_", "scaled_dot_product")  # they draw by operators that they are made of


@functools.cache
def undrawn() -> dict[Any, Callable[..., Any]]:
    """Without those of operators that draw by themselves: theirs draw other numbers."""
    return {target: function for target, function in decompositions().items()
            if not (isinstance(target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in target.tags)
            or any(name in target._schema.name for name in _OF_PARTS)}
