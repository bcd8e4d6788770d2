// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Packing.h"

#include <algorithm>
#include <cstring>

using namespace heddle::contract;

static bool isPermutation(std::span<const int64_t> values) {
  std::vector<bool> seen(values.size());
  for (int64_t value : values) {
    if (value < 0 || value >= static_cast<int64_t>(values.size()) || seen[value])
      return false;
    seen[value] = true;
  }
  return true;
}

std::string heddle::contract::explainTiling(const Tiling &tiling, size_t rank) {
  if (tiling.perm.size() != rank || !isPermutation(tiling.perm))
    return "perm is a permutation of the tensor's " + std::to_string(rank) + " dimensions";
  if (tiling.innerDims.size() != tiling.innerTiles.size())
    return "each inner dimension has a tile";
  std::vector<bool> seen(rank);
  for (int64_t dim : tiling.innerDims) {
    if (dim < 0 || dim >= static_cast<int64_t>(rank) || seen[dim])
      return "inner dimensions are different dimensions of the tensor";
    seen[dim] = true;
  }
  if (std::ranges::any_of(tiling.innerTiles, [](int64_t tile) { return tile < 1; }))
    return "tiles have at least one element";
  if (!tiling.swizzle.empty() && (tiling.swizzle.size() != tiling.innerDims.size() || !isPermutation(tiling.swizzle)))
    return "swizzle is a permutation of the inner dimensions";
  return "";
}

static int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

static std::vector<int64_t> tilesOf(const Tiling &tiling, size_t rank) {
  std::vector<int64_t> tiles(rank, 1);
  for (size_t i = 0; i < tiling.innerDims.size(); ++i)
    tiles[tiling.innerDims[i]] = tiling.innerTiles[i];
  return tiles;
}

std::vector<int64_t> heddle::contract::physicalShape(const Tiling &tiling, std::span<const int64_t> shape) {
  std::vector<int64_t> tiles = tilesOf(tiling, shape.size()), physical;
  for (int64_t dim : tiling.perm)
    physical.push_back(ceilDiv(shape[dim], tiles[dim]));
  for (size_t i = 0; i < tiling.innerDims.size(); ++i)
    physical.push_back(tiling.innerTiles[tiling.swizzle.empty() ? i : tiling.swizzle[i]]);
  return physical;
}

namespace {

// The bytes of a shape; false when they overflow or a size is negative.
bool bytesOf(std::span<const int64_t> shape, size_t elementBytes, size_t &bytes) {
  bytes = elementBytes;
  for (int64_t size : shape)
    if (size < 0)
      return false;
  for (int64_t size : shape)
    if (size == 0) {
      bytes = 0;
      return true;
    }
  for (int64_t size : shape)
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes) || bytes > size_t(INT64_MAX))
      return false;
  return true;
}

// One dimension of the tiled tensor and what a step along it is in both orders, in elements.
struct Axis {
  int64_t dim;    // of the plain tensor
  int64_t covers; // its elements in a step: the tile, or 1 within one
  int64_t size;
  int64_t plain, tiled;
};

// Walks all elements that are not padding, `T` as wide as one, from `from` to `to`; `packs` says which is tiled.
template <typename T, bool packs> class Mover {
public:
  Mover(std::span<const Axis> axes, std::span<const int64_t> shape, size_t outer)
      : axes(axes), left(shape.begin(), shape.end()), outer(outer) {}

  void run(const T *from, T *to) {
    if (axes.empty()) {
      *to = *from;
      return;
    }
    // Blocks of the last outer dimension, about a page of tiles, so that a row of the plain tensor is read on before
    // its lines are gone.
    size_t last = outer - 1;
    int64_t tile = 1;
    for (const Axis &axis : axes.subspan(outer))
      tile *= axis.size;
    int64_t block = std::max<int64_t>(1, 4096 / static_cast<int64_t>(sizeof(T)) / tile);
    for (blockBegin = 0; blockBegin < axes[last].size; blockBegin += block) {
      blockEnd = std::min(axes[last].size, blockBegin + block);
      walk(0, from, to);
    }
  }

private:
  static int64_t fromStep(const Axis &axis) { return packs ? axis.plain : axis.tiled; }
  static int64_t toStep(const Axis &axis) { return packs ? axis.tiled : axis.plain; }

  // Steps along the axis that hold elements, where `left` elements of its dimension are left.
  int64_t count(const Axis &axis) const { return std::min(axis.size, ceilDiv(left[axis.dim], axis.covers)); }

  void walk(size_t level, const T *from, T *to) {
    const Axis &axis = axes[level];
    int64_t begin = level == outer - 1 ? blockBegin : 0;
    int64_t end = std::min(count(axis), level == outer - 1 ? blockEnd : axis.size);
    from += begin * fromStep(axis);
    to += begin * toStep(axis);
    if (level + 1 == axes.size())
      return move(axis, end - begin, from, to);
    if (level + 2 == axes.size() && interleave(axis, axes[level + 1], end - begin, from, to))
      return;
    int64_t whole = left[axis.dim];
    for (int64_t i = begin; i < end; ++i, from += fromStep(axis), to += toStep(axis)) {
      if (axis.covers > 1)
        left[axis.dim] = std::min(axis.covers, whole - i * axis.covers);
      walk(level + 1, from, to);
    }
    left[axis.dim] = whole;
  }

  // Columns of four rows side by side: tiles of 8-bit integers for dot products.
  bool interleave(const Axis &columns, const Axis &rows, int64_t n, const T *from, T *to) const {
    if (!packs || columns.plain != 1 || columns.tiled != 4 || rows.tiled != 1 || count(rows) != 4)
      return false;
    const T *first = from, *second = from + rows.plain, *third = second + rows.plain, *fourth = third + rows.plain;
    for (int64_t i = 0; i < n; ++i, to += 4) {
      to[0] = first[i];
      to[1] = second[i];
      to[2] = third[i];
      to[3] = fourth[i];
    }
    return true;
  }

  static void move(const Axis &axis, int64_t n, const T *from, T *to) {
    int64_t fromBy = fromStep(axis), toBy = toStep(axis);
    constexpr int64_t line = 64 / sizeof(T);
    if (fromBy == 1 && toBy == 1) {
      if (n == line)
        std::memcpy(to, from, 64);
      else if (n > 0)
        std::memcpy(to, from, n * sizeof(T));
      return;
    }
    for (int64_t i = 0; i < n; ++i)
      to[i * toBy] = from[i * fromBy];
  }

  std::span<const Axis> axes;
  std::vector<int64_t> left; // elements of each plain dimension from here to its end, or to the end of the tile
  size_t outer;
  int64_t blockBegin = 0, blockEnd = 0;
};

std::vector<Axis> axesOf(const Tiling &tiling, std::span<const int64_t> shape) {
  size_t rank = shape.size();
  std::vector<int64_t> strides(rank, 1), tiles = tilesOf(tiling, rank);
  for (size_t dim = rank; dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  std::vector<Axis> axes;
  for (int64_t dim : tiling.perm)
    axes.push_back({dim, tiles[dim], ceilDiv(shape[dim], tiles[dim]), strides[dim] * tiles[dim], 0});
  for (size_t i = 0; i < tiling.innerDims.size(); ++i) {
    size_t at = tiling.swizzle.empty() ? i : tiling.swizzle[i];
    int64_t dim = tiling.innerDims[at];
    axes.push_back({dim, 1, tiling.innerTiles[at], strides[dim], 0});
  }
  int64_t stride = 1;
  for (size_t i = axes.size(); i-- > 0; stride *= axes[i].size)
    axes[i].tiled = stride;
  return axes;
}

template <typename T, bool packs>
void moveAs(std::span<const Axis> axes, std::span<const int64_t> shape, std::span<const std::byte> from,
            std::span<std::byte> to) {
  Mover<T, packs>(axes, shape, shape.size())
      .run(reinterpret_cast<const T *>(from.data()), reinterpret_cast<T *>(to.data()));
}

template <bool packs>
std::string move(const Tiling &tiling, size_t elementBytes, std::span<const int64_t> shape,
                 std::span<const std::byte> from, std::span<std::byte> to) {
  if (std::string reason = explainTiling(tiling, shape.size()); !reason.empty())
    return reason;
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4 && elementBytes != 8)
    return "elements have 1, 2, 4 or 8 bytes, got " + std::to_string(elementBytes);
  size_t plain, tiled;
  if (!bytesOf(shape, elementBytes, plain) || !bytesOf(physicalShape(tiling, shape), elementBytes, tiled))
    return "the sizes of a tensor are not negative and their product fits in 63 bits";
  size_t expectedFrom = packs ? plain : tiled, expectedTo = packs ? tiled : plain;
  if (from.size() != expectedFrom || to.size() != expectedTo)
    return "needs " + std::to_string(expectedFrom) + " bytes of source and " + std::to_string(expectedTo) +
           " of target, got " + std::to_string(from.size()) + " and " + std::to_string(to.size());
  if (packs && tiled != plain)
    std::memset(to.data(), 0, to.size());
  if (plain == 0)
    return "";
  std::vector<Axis> axes = axesOf(tiling, shape);
  switch (elementBytes) {
  case 1: moveAs<uint8_t, packs>(axes, shape, from, to); return "";
  case 2: moveAs<uint16_t, packs>(axes, shape, from, to); return "";
  case 4: moveAs<uint32_t, packs>(axes, shape, from, to); return "";
  case 8: moveAs<uint64_t, packs>(axes, shape, from, to); return "";
  }
  return "";
}

} // namespace

std::string heddle::contract::packBytes(const Tiling &tiling, size_t elementBytes, std::span<const int64_t> shape,
                                        std::span<const std::byte> source, std::span<std::byte> target) {
  return move<true>(tiling, elementBytes, shape, source, target);
}

std::string heddle::contract::unpackBytes(const Tiling &tiling, size_t elementBytes, std::span<const int64_t> shape,
                                          std::span<const std::byte> source, std::span<std::byte> target) {
  return move<false>(tiling, elementBytes, shape, source, target);
}
