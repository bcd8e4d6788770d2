# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether results agree, with tolerances by their type. NumPy only."""
from __future__ import annotations

from typing import Any

import numpy

# Of an element, and of the middle magnitude of the result's elements that are not 0: more than sums over some thousand elements
# and other orders of roundings lose, less than another operator would be off.
TOLERANCES = {"float64": (1e-6, 1e-6), "float32": (1e-3, 1e-3), "float16": (2e-2, 2e-2), "bfloat16": (6e-2, 1e-1)}
_NARROW = (0.3, 0.3)  # float8


def difference(got: Any, want: Any, kind: str) -> str | None:
    """What differs between two arrays of element type `kind` ('float32', 'bfloat16', 'int64'; the narrow ones given as wider
    floats), in words; None where they agree. Integers and booleans agree where they are equal; NaN agrees with NaN."""
    if got.shape != want.shape:
        return f"its shape is {got.shape}, expected {want.shape}"
    if "float" not in kind:
        wrong = got != want
    else:
        got, want = got.astype(numpy.float64), want.astype(numpy.float64)
        finite = numpy.isfinite(want) & numpy.isfinite(got)
        relative, absolute = TOLERANCES.get(kind, _NARROW)
        magnitudes = numpy.abs(want[finite & (want != 0)])
        middle = float(numpy.median(magnitudes)) if magnitudes.size else 0.0
        with numpy.errstate(invalid="ignore", over="ignore"):
            equal = (got == want) | (numpy.isnan(got) & numpy.isnan(want))
            close = finite & (numpy.abs(got - want) <= relative * numpy.abs(want) + absolute * middle)
        wrong = ~(equal | close)
    if not wrong.any():
        return None
    place = tuple(int(i) for i in numpy.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements differ, the first at {list(place)}: {got[place]}, expected {want[place]}"
