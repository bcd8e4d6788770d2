# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why parts of the graphs of torch.compile run in PyTorch, and what torch.onnx.export (from_torch) cannot say or says wrongly, by the
names and arguments of operators. Knows nothing of PyTorch itself, so that it is tested without it.
"""
from __future__ import annotations

import collections
import threading
import warnings
from typing import Any, Callable, Mapping, NamedTuple

# The kinds of reasons, and what each means; docs/pytorch.md has this table.
KINDS = {
    "random": "it draws random numbers, whose bits are PyTorch's",
    "translation": "no translation of an operator of it, or not of this form",
    "control": "an operator that calls graphs of its own",
    "number": "a number of Python that data tell",
    "tensor": "a tensor is sparse, quantised, of a type that Heddle has not, or not in memory of the CPU",
    "write": "it writes in place before its end",
    "view": "it computes nothing: it gives views of its arguments",
    "trace": "AOTAutograd does not trace it",
    "compiler": "Heddle does not compile what it was translated to",
    "differs": "the results of a first call were not those of PyTorch",
    "call": "a call in Heddle failed",
}


class FallbackWarning(UserWarning):
    """A part of a graph of torch.compile(backend="heddle") runs in PyTorch; the text says why."""


class Reason(NamedTuple):
    """`kind`: a key of KINDS. `text`: what exactly, as the end of a sentence. `place`: FILE:LINE of the user's code, or ''."""

    kind: str
    text: str
    place: str = ""


_lock = threading.Lock()
_said: set[tuple[str, str]] = set()
_counts: collections.Counter[str] = collections.Counter()


def report() -> dict[str, int]:
    """How many graphs of this process have a part that runs in Heddle ('heddle'), and how many one that runs in PyTorch, by the
    kind of the reason. A graph that Dynamo made for training counts as two, forward and backward."""
    with _lock:
        return dict(_counts)


def count(kind: str) -> None:
    """Counts a graph as 'heddle', or by a kind of reason."""
    assert kind == "heddle" or kind in KINDS, kind
    with _lock:
        _counts[kind] += 1


def warn(reason: Reason) -> None:
    """Says it, unless it was said before."""
    assert reason.kind in KINDS, reason.kind
    with _lock:
        known = (reason.kind, reason.text) in _said
        _said.add((reason.kind, reason.text))
    if not known:
        where = f" ({reason.place})" if reason.place else ""
        warnings.warn(f"a part of a graph of torch.compile runs in PyTorch, not in Heddle: {reason.text}{where}", FallbackWarning, stacklevel=2)


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


def judge_operator(name: str, arguments: Mapping[str, Any]) -> str | None:
    """Why a call of the ATen operator `name` ('add', 'avg_pool2d') cannot go through torch.onnx.export; None where it can.
    `arguments`: its arguments by the names of its schema, defaults among them."""
    if name in _CHECKS:
        return f"{name} checks values while it runs, which torch.onnx.export leaves out"
    if name == "_local_scalar_dense":
        return "it reads a number out of a tensor (item())"
    if name in _BATCH_NORMS and (arguments.get("training") or arguments.get("train") or name.startswith("_batch_norm_with_update")):
        return f"{name} takes the statistics of training"
    if name in LOST and LOST[name][0](arguments):
        return f"torch.onnx.export {LOST[name][1].format(name)}"
    return None
