# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of signals (see operators.py)."""
import numpy

from builder import Domain, proto_type
from operators import operator


def complex_or_real(b, rank):
    return (*(b.choose([1, 2, 3, 8, 12]) for _ in range(rank - 1)), b.choose([1, 2]))


@operator("DFT", ("float32", "float64"), range(2, 5), shape=complex_or_real)
def fourier(b, kind, x):
    axis = b.between(0, x.rank - 2)
    length = b.choose([x.shape[axis], x.shape[axis], 5, 16])
    given = [b.known(numpy.int64(length))] if length != x.shape[axis] or b.chance(3) else [None]
    inverse = b.chance(3)
    onesided = not inverse and x.shape[-1] == 1 and b.chance(2)
    shape = (*x.shape[:axis], length // 2 + 1 if onesided else length, *x.shape[axis + 1:-1], 2)
    return b.node(kind, [x, *given, b.integers(axis - x.rank if b.chance(2) else axis)], shape, rounds=4, scale=x.scale * length,
                  inverse=int(inverse), onesided=int(onesided))


@operator("STFT", ("float32", "float64"), [3], shape=lambda b, rank: (b.choose([1, 2]), b.choose([16, 21, 40]), 1))
def short_fourier(b, kind, x):
    batch, length, _ = x.shape
    frame, step = b.choose([4, 8, 13]), b.choose([1, 3, 5])
    onesided = b.between(0, 1)
    window = b.random_constant(x.dtype, (frame,), Domain(0.25, 1)) if b.chance(2) else None
    shape = (batch, (length - frame) // step + 1, frame // 2 + 1 if onesided else frame, 2)
    given = [window] if window and b.chance(2) else [window, b.integers(frame)]
    return b.node(kind, [x, b.integers(step), *given], shape, rounds=4, scale=x.scale * frame, onesided=onesided)


@operator("HannWindow HammingWindow BlackmanWindow", ("int64", "int32"), [0], domain=Domain(2, 12), layouts=("constant",))
def window(b, kind, x):
    size = b.between(2, 12)
    to = b.choose(["float32", "float64"])
    return b.node(kind, [b.known(numpy.asarray(size, x.dtype))], (size,), dtype=to, rounds=3, scale=1, output_datatype=proto_type(to),
                  periodic=b.between(0, 1))


@operator("MelWeightMatrix", ("int64", "int32"), [0], layouts=("constant",))
def mel_weights(b, kind, x):
    bins, length = b.choose([3, 8, 12]), b.choose([16, 32, 64])
    numbers = [b.integers(number, x.dtype) for number in (bins, length, 8000)]
    limits = [b.constant(numpy.float32(limit)) for limit in (b.choose([0, 100]), b.choose([3000, 4000]))]
    return b.node(kind, [*numbers, *limits], (length // 2 + 1, bins), dtype="float32", rounds=3, scale=1)
