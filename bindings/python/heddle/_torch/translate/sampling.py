# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images at the places of a grid: GridSample, its gradients, and 16 bits, of which PyTorch rounds each step.

A place in a dimension becomes taps: elements with weights. Each choice of a tap for each dimension is a corner.
"""
from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple, Sequence

import torch

from .table import Context, translates
from .values import Unsupported, Value, is_fixed

_MODES, _PADDINGS = ("linear", "nearest", "cubic"), ("zeros", "border", "reflection")


def _known_places(c: Context, grid: Value, mode: str, padding: str) -> Value:
    """Where PyTorch takes coordinates that are NaN (and, where it reflects, infinite) for -1: not outside, and not of cubics."""
    if padding == "zeros" or mode == "cubic":
        return grid
    b = c.b
    finite = b.compare("Less", b.op("Abs", grid), b.const(math.inf, grid.dtype)) if padding == "reflection" else b.op("Not", b.is_nan(grid))
    return b.where(finite, grid, b.const(-1.0, grid.dtype))


@translates("aten.grid_sampler_2d.default", "aten.grid_sampler_3d.default")
def grid_sampler(c: Context, x: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Value:
    if 0 in x.shape or not x.dtype.is_floating_point or x.dtype != grid.dtype:
        raise Unsupported("samples of an empty image, or of several types")
    mode, padding = _MODES[interpolation_mode], _PADDINGS[padding_mode]
    grid = _known_places(c, grid, mode, padding)
    if x.dtype not in (torch.float32, torch.float64):
        return _rounded(c, x, grid, mode, padding, align_corners)
    return c.b.op("GridSample", x, grid, dtype=x.dtype, shape=c.shape, mode=mode, padding_mode=padding, align_corners=int(align_corners))


class _Tap(NamedTuple):
    """Of one dimension, for each place of the grid: which element, whether it is there (None: it is), its weight (None: 1), and what
    the weight grows by as the place does."""

    element: Value
    is_inside: Value | None
    weight: Value | None
    slope: Value | None


class _Corner(NamedTuple):
    """`element`: among all of a channel; `taps`: of its dimensions, the last dimension first."""

    element: Value
    is_inside: Value | None
    taps: Sequence[_Tap]


class _Sampler:
    """Of one image and grid. Everything is [batch, places]; the last dimension of the image comes first, as in the grid."""

    def __init__(self, c: Context, x: Value, grid: Value, mode: str, padding: str, align_corners: bool):
        if not is_fixed(x.shape[2:]):
            raise Unsupported("gradients or 16 bits of samples of an image of free size")
        self.c, self.b, self.x, self.grid, self.dtype = c, c.b, x, grid, x.dtype
        self.mode, self.padding, self.align = mode, padding, align_corners
        self.sizes = [int(size) for size in reversed(x.shape[2:])]
        self.places = math.prod(grid.shape[1:-1])
        flat = self.b.reshape(grid, (grid.shape[0], self.places, len(self.sizes)))
        coordinates = [self.b.squeeze(self.b.slice(flat, -1, axis, axis + 1), -1) for axis in range(len(self.sizes))]
        self.taps, self.slopes = [], []
        for coordinate, size in zip(coordinates, self.sizes):
            taps, slope = self.taps_of(coordinate, size)
            self.taps.append(taps)
            self.slopes.append(slope)

    def number(self, number: float) -> Value:
        return self.b.const(float(number), self.dtype)

    def arithmetic(self, kind: str, left: Value, right: Value | float) -> Value:
        return self.b.op(kind, left, right if isinstance(right, Value) else self.number(right))

    def either(self, condition: Value, yes: Value | float, no: Value | float) -> Value:
        yes, no = (side if isinstance(side, Value) else self.number(side) for side in (yes, no))
        return self.b.op("Where", condition, yes, no, dtype=self.dtype)

    def taps_of(self, coordinate: Value, size: int) -> tuple[list[_Tap], Value]:
        """And what the place grows by as the coordinate does."""
        factor = ((size - 1) if self.align else size) / 2
        place = self.arithmetic("Mul", self.arithmetic("Add", coordinate, 1.0), factor)
        place = place if self.align else self.arithmetic("Sub", place, 0.5)
        slope = self.number(factor)
        if self.mode == "cubic":
            return self.cubic(place, size), slope
        place, grows = self.padded(place, size)
        slope = slope if grows is None else self.arithmetic("Mul", grows, slope)
        if self.mode == "nearest":
            return [self.tap(self.b.op("Round", place), size)], slope
        low = self.b.op("Floor", place)
        rest = self.arithmetic("Sub", place, low)
        before = self.b.op("Sub", self.number(1.0), rest)
        return [self.tap(low, size, before, self.number(-1.0)), self.tap(self.arithmetic("Add", low, 1.0), size, rest, self.number(1.0))], slope

    def padded(self, place: Value, size: int) -> tuple[Value, Value | None]:
        """The place that counts, and what it grows by; borders do not grow."""
        if self.padding == "zeros":
            return place, None
        grows: Value | None = None
        if self.padding == "reflection":
            place, grows = self.reflected(place, size)
        last = self.number(size - 1)
        clipped = self.b.op("Min", self.arithmetic("Max", place, 0.0), last)
        is_between = self.b.op("And", self.b.compare("Greater", place, self.number(0.0)), self.b.compare("Less", place, last))
        return clipped, self.either(is_between, grows if grows is not None else 1.0, 0.0)

    def reflected(self, place: Value, size: int) -> tuple[Value, Value]:
        low, span = (0.0, size - 1) if self.align else (-0.5, size)
        if span == 0:
            zero = self.arithmetic("Mul", place, 0.0)
            return zero, zero
        there = self.arithmetic("Sub", place, low)
        far = self.b.op("Abs", there)
        turns = self.b.op("Floor", self.arithmetic("Div", far, 2.0 * span))
        rest = self.arithmetic("Sub", far, self.arithmetic("Mul", turns, 2.0 * span))
        back = self.b.op("Sub", self.number(2.0 * span), rest)
        is_back, is_below = self.b.compare("Greater", rest, back), self.b.compare("Less", there, self.number(0.0))
        made = self.arithmetic("Add", self.b.op("Min", rest, back), low)
        return made, self.either(self.b.op("Xor", is_back, is_below), -1.0, 1.0)

    def tap(self, place: Value, size: int, weight: Value | None = None, slope: Value | None = None) -> _Tap:
        first, last = self.number(0.0), self.number(size - 1)
        is_inside = self.b.op("And", self.b.compare("GreaterOrEqual", place, first), self.b.compare("LessOrEqual", place, last))
        nearest = self.b.op("Min", self.b.op("Max", self.either(self.b.is_nan(place), 0.0, place), first), last)
        return _Tap(self.b.cast(nearest, torch.int64), is_inside, weight, slope)

    def cubic(self, place: Value, size: int) -> list[_Tap]:
        """Four taps, each of which is padded by itself. The weights are Keys' polynomials with -0.75."""
        low = self.b.op("Floor", place)
        rest = self.arithmetic("Sub", place, low)
        a = -0.75
        taps = []
        for number in range(-1, 3):
            element = self.padded(self.arithmetic("Add", low, float(number)), size)[0]
            far = self.arithmetic("Add", rest, 1.0) if number == -1 else rest if number == 0 else self.b.op("Sub", self.number(float(number)), rest)
            if number in (0, 1):    # ((a + 2) t - (a + 3)) t² + 1
                weight = (a + 2, -(a + 3), 0.0, 1.0)
            else:                   # ((a t - 5 a) t + 8 a) t - 4 a
                weight = (a, -5 * a, 8 * a, -4 * a)
            slope = (3 * weight[0], 2 * weight[1], weight[2])
            grows = self.polynomial(far, slope)
            taps.append(self.tap(element, size, self.polynomial(far, weight), grows if number < 1 else self.b.op("Neg", grows)))
        return taps

    def polynomial(self, x: Value, coefficients: Sequence[float]) -> Value:
        made = self.arithmetic("Mul", x, coefficients[0])
        for coefficient in coefficients[1:-1]:
            made = self.b.op("Mul", self.arithmetic("Add", made, coefficient) if coefficient else made, x)
        return self.arithmetic("Add", made, coefficients[-1])

    def corners(self) -> list[_Corner]:
        """The dimension that comes last in the image changes fastest."""
        made = []
        for chosen in itertools.product(*reversed(self.taps)):
            taps = chosen[::-1]
            element, is_inside, stride = taps[0].element, taps[0].is_inside, self.sizes[0]
            for tap, size in zip(taps[1:], self.sizes[1:]):
                element = self.b.op("Add", element, self.b.op("Mul", tap.element, self.b.const(stride, torch.int64)))
                is_inside = tap.is_inside if is_inside is None else is_inside if tap.is_inside is None else self.b.op("And", is_inside, tap.is_inside)
                stride *= size
            made.append(_Corner(element, is_inside, taps))
        return made

    def weight(self, corner: _Corner, without: int | None = None) -> Value | None:
        """The product of the taps' weights, of one dimension the slope in place of it. Later dimensions come first."""
        made: Value | None = None
        for axis in reversed(range(len(corner.taps))):
            tap = corner.taps[axis]
            factor = tap.slope if axis == without else tap.weight
            made = factor if made is None else made if factor is None else self.b.op("Mul", made, factor)
        return made

    def inside(self, corner: _Corner, value: Value) -> Value:
        return value if corner.is_inside is None else self.either(corner.is_inside, value, 0.0)

    def flat(self) -> Value:
        """The image as [batch, channels, elements]."""
        return self.b.reshape(self.x, (*self.x.shape[:2], math.prod(self.sizes)))

    def gather(self, elements: Value) -> Value:
        """[batch, channels, …] of [batch, …] elements."""
        shape = (*self.x.shape[:2], elements.shape[1])
        return self.b.op("GatherElements", self.flat(), self.b.expand(self.b.unsqueeze(elements, 1), shape), dtype=self.dtype, shape=shape, axis=2)


def _rounded(c: Context, x: Value, grid: Value, mode: str, padding: str, align_corners: bool) -> Value:
    """With each step rounded to the image's type."""
    if mode == "cubic":
        raise Unsupported("cubic samples of 16 bits")
    sampler, b = _Sampler(c, x, grid, mode, padding, align_corners), c.b
    total: Value | None = None
    for corner in sampler.corners():
        value, weight = sampler.gather(corner.element), sampler.weight(corner)
        if corner.is_inside is not None:
            value = sampler.either(b.unsqueeze(corner.is_inside, 1), value, 0.0)
        value = value if weight is None else b.op("Mul", value, b.unsqueeze(weight, 1))
        total = value if total is None else b.op("Add", total, value)
    assert total is not None
    return b.reshape(total, c.shape)


@translates("aten.grid_sampler_2d_backward.default", "aten.grid_sampler_3d_backward.default")
def grid_sampler_backward(c: Context, grad: Value, x: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool,
                          output_mask: Sequence[bool]) -> Any:
    if 0 in (*x.shape, *grid.shape) or x.dtype not in (torch.float32, torch.float64) or x.dtype != grid.dtype:
        raise Unsupported("gradients of samples of nothing, or of other types than f32 and f64")
    mode, padding = _MODES[interpolation_mode], _PADDINGS[padding_mode]
    sampler = _Sampler(c, x, _known_places(c, grid, mode, padding), mode, padding, align_corners)
    grad = c.b.reshape(grad, (*x.shape[:2], sampler.places))
    corners = sampler.corners()
    to_image = _to_image(sampler, corners, grad) if output_mask[0] and c.reads(0) else None
    to_grid = _to_grid(sampler, corners, grad) if output_mask[1] and c.reads(1) else None
    return [None if out is None else made if made is not None else c.b.fill(0.0, x.dtype, out.shape) for made, out in zip((to_image, to_grid), c.out)]


def _to_image(sampler: _Sampler, corners: Sequence[_Corner], grad: Value) -> Value:
    """Each element is given what the places around it read of it."""
    b, x, count = sampler.b, sampler.x, len(corners)
    shape = (*x.shape[:2], count * sampler.places)
    elements = b.concat([b.unsqueeze(corner.element, 1) for corner in corners], 1)
    weights = []
    for corner in corners:
        weight = sampler.weight(corner)
        ones = b.expand(sampler.number(1.0), corner.element.shape) if weight is None else weight
        weights.append(b.unsqueeze(sampler.inside(corner, ones), 1))
    weighted = b.op("Mul", b.unsqueeze(grad, 2), b.unsqueeze(b.concat(weights, 1), 1))
    places = b.expand(b.reshape(elements, (x.shape[0], 1, shape[2])), shape)
    zeros = b.fill(0.0, x.dtype, (*x.shape[:2], math.prod(sampler.sizes)))
    made = b.op("ScatterElements", zeros, places, b.reshape(weighted, shape), dtype=x.dtype, shape=zeros.shape, axis=2, reduction="add")
    return b.reshape(made, x.shape)


def _to_grid(sampler: _Sampler, corners: Sequence[_Corner], grad: Value) -> Value:
    """Of each place: what the elements around it differ by, times the gradient."""
    b, grid = sampler.b, sampler.grid
    if sampler.mode == "nearest":
        return b.fill(0.0, grid.dtype, grid.shape)
    totals: list[Value | None] = [None] * len(sampler.sizes)
    for corner in corners:
        product = b.reduce("ReduceSum", b.op("Mul", sampler.gather(corner.element), grad), [1])
        product = sampler.inside(corner, product)
        for axis, total in enumerate(totals):
            weight = sampler.weight(corner, axis)
            part = b.op("Mul", product, weight) if weight is not None else product
            totals[axis] = part if total is None else b.op("Add", total, part)
    made = [b.unsqueeze(b.op("Mul", total, slope), -1) for total, slope in zip(totals, sampler.slopes) if total is not None]
    return b.reshape(b.concat(made, -1), grid.shape)
