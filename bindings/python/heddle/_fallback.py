# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a graph of torch.compile runs in PyTorch. Knows nothing of PyTorch itself, so that it is tested without it.

What torch.onnx.export cannot say to Heddle (writes, views, draws of random numbers) or says wrongly is found by the names and
arguments of the operators that a graph calls.
"""
from __future__ import annotations

import collections
import threading
import warnings
from typing import Any, Callable, Mapping, NamedTuple

# The kinds of reasons, and what each means; docs/python.md has this table.
KINDS = {
    "write": "it writes to an argument, a parameter or a buffer in place",
    "view": "it gives nothing but views of its arguments, or views that cannot be made again of Heddle's results",
    "random": "it draws random numbers",
    "training": "gradients are wanted, or statistics are those of training",
    "complex": "an argument or a result is complex",
    "tensor": "an argument is no dense tensor of the CPU of a type that Heddle has",
    "none": "no tensor is among its arguments",
    "number": "a Python number that is no size goes in or out",
    "autocast": "autocast is on, in it or around it",
    "check": "it checks values while it runs, which the exporter leaves out",
    "strides": "it reads an argument by strides, or memory that nothing wrote",
    "mistranslated": "torch.onnx.export is known to translate an operator of it to something else",
    "translation": "torch.onnx.export has no translation of it",
    "compiler": "Heddle does not compile what torch.onnx.export made of it",
    "differs": "the results of its first call were not those of PyTorch",
    "call": "a call in Heddle failed",
}


class FallbackWarning(UserWarning):
    """A graph of torch.compile(backend="heddle") runs in PyTorch; the text says why."""


class Reason(NamedTuple):
    """`kind`: a key of KINDS. `text`: what exactly, as the end of a sentence. `place`: FILE:LINE of the user's code, or ''."""

    kind: str
    text: str
    place: str = ""


class Found(Exception):
    """Carries a Reason out of what found it."""

    def __init__(self, kind: str, text: str, place: str = ""):
        self.reason = Reason(kind, text, place)
        super().__init__(text)


_lock = threading.Lock()
_said: set[tuple[str, str]] = set()
_counts: collections.Counter[str] = collections.Counter()


def report() -> dict[str, int]:
    """How many graphs of this process run in Heddle ('heddle'), and how many in PyTorch, by the kind of the reason."""
    with _lock:
        return dict(_counts)


def count_compiled() -> None:
    with _lock:
        _counts["heddle"] += 1


def warn(reason: Reason) -> None:
    """Counts the graph, and warns unless a graph did before for the same reason."""
    assert reason.kind in KINDS, reason.kind
    with _lock:
        _counts[reason.kind] += 1
        known = (reason.kind, reason.text) in _said
        _said.add((reason.kind, reason.text))
    if not known:
        where = f" ({reason.place})" if reason.place else ""
        warnings.warn(f"a graph of torch.compile runs in PyTorch, not in Heddle: {reason.text}{where}", FallbackWarning, stacklevel=2)


def forget() -> None:
    """Counts and warns anew, as in a new process."""
    with _lock:
        _said.clear()
        _counts.clear()



def _always(arguments: Mapping[str, Any]) -> bool:
    return True


def _is_fractional(arguments: Mapping[str, Any]) -> bool:
    """A resize with aligned corners by scales: the exporter passes the scales on, and ONNX takes the exact length for them, of
    which PyTorch takes the whole number below."""
    scales = arguments.get("scale_factors") or [arguments.get(name) for name in ("scales", "scales_d", "scales_h", "scales_w")]
    scales = [scale for scale in scales if scale is not None]
    image = arguments["input"] if "input" in arguments else arguments["self"]
    sizes = image.shape[-len(scales):] if scales else ()
    return bool(arguments.get("align_corners")) and any(
        scale % 1 != 0 and not (isinstance(size, int) and scale * size % 1 == 0) for scale, size in zip(scales, sizes))


_SCALED = (_is_fractional, "gives {} a scale, whose exact length counts in ONNX where corners are aligned")
# What torch.onnx.export (of PyTorch 2.15) translates to something else, by operator without namespace and overload: when,
# and what it loses. The comparison of the first call finds others.
LOST: dict[str, tuple[Callable[[Mapping[str, Any]], bool], str]] = {
    "avg_pool2d": (lambda a: a.get("divisor_override") is not None, "drops divisor_override of {}"),
    "avg_pool3d": (lambda a: a.get("divisor_override") is not None, "drops divisor_override of {}"),
    "scatter_reduce": (lambda a: a.get("reduce") == "mean", "takes 'mean' of {} for a sum"),
    "_upsample_bilinear2d_aa": (_always, "drops the antialiasing of {}"),
    "_upsample_bicubic2d_aa": (_always, "drops the antialiasing of {}"),
    **{name: _SCALED for name in ("upsample_linear1d", "upsample_bilinear2d", "upsample_bicubic2d", "upsample_trilinear3d")},
    "special_log_ndtr": (_always, "gives {} as infinity where the argument is far below 0"),
}

_CHECKS = ("_assert_async", "_functional_assert_async", "_assert_scalar", "_functional_assert_scalar", "_assert")
_BATCH_NORMS = ("native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_functional", "batch_norm",
                "_batch_norm_with_update", "_batch_norm_with_update_functional", "_batch_norm_impl_index", "cudnn_batch_norm")


def is_random(arguments: Mapping[str, Any]) -> bool:
    """Whether a call of an operator that can draw random numbers does, by its arguments: dropout draws none in evaluation."""
    if arguments.get("train") is False or arguments.get("training") is False:
        return False
    return not any(arguments.get(name) == 0 for name in ("p", "dropout", "dropout_p"))


def judge_operator(name: str, arguments: Mapping[str, Any]) -> tuple[str, str] | None:
    """The kind and text of the reason why a call of the ATen operator `name` ('add', 'avg_pool2d') cannot go through the
    exporter; None where it can. `arguments`: its arguments by the names of its schema, defaults among them."""
    if name in _CHECKS:
        return "check", f"{name} checks values while it runs, which torch.onnx.export leaves out"
    if name == "_local_scalar_dense":
        return "number", "it reads a number out of a tensor (item())"
    if name in _BATCH_NORMS and (arguments.get("training") or arguments.get("train") or name.startswith("_batch_norm_with_update")):
        return "training", f"{name} takes the statistics of training"
    if name == "as_strided":
        return "strides", "as_strided reads memory by strides, which are others in Heddle"
    if name in LOST and LOST[name][0](arguments):
        return "mistranslated", f"torch.onnx.export {LOST[name][1].format(name)}"
    return None
