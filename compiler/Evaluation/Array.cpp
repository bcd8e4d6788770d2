// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Evaluation/Array.h"

#include "compiler/Analysis/StorageBytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <cstring>
#include <new>
#include <optional>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::evaluation;

unsigned mlir::heddle::evaluation::byteWidth(Type type) {
  bool isInteger = type.isInteger() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth());
  bool isKnown = type.isIndex() || isInteger || type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  return isKnown ? storageBytes(type) : 0;
}

SmallVector<int64_t> mlir::heddle::evaluation::denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

//===--- Array ---------------------------------------------------------------------------------------------------===//

Array Array::allocate(Type elementType, ArrayRef<int64_t> shape, char *&data) {
  Array array{elementType, SmallVector<int64_t>(shape), denseStrides(shape)};
  constexpr std::align_val_t alignment{64};
  data = static_cast<char *>(operator new(std::max<int64_t>(array.bytes(), 1), alignment));
  array.origin = data;
  array.owner = std::shared_ptr<const void>(data, [](void *p) { operator delete(p, alignment); });
  return array;
}

Array Array::splat(Type elementType, ArrayRef<int64_t> shape, const char *element) {
  char *data;
  Array one = allocate(elementType, {}, data);
  std::memcpy(data, element, byteWidth(elementType));
  one.shape.assign(shape.begin(), shape.end());
  one.strides.assign(shape.size(), 0);
  return one;
}

int64_t Array::count() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

bool Array::isSplat() const {
  return llvm::all_of(llvm::zip(shape, strides), [](auto it) { return std::get<0>(it) == 1 || std::get<1>(it) == 0; });
}

bool Array::isDense() const {
  int64_t expected = 1;
  for (int64_t d = rank() - 1; d >= 0; --d) {
    if (shape[d] != 1 && strides[d] != expected)
      return false;
    expected *= shape[d];
  }
  return true;
}

Array Array::permuted(ArrayRef<int64_t> permutation) const {
  Array view = *this;
  for (auto [d, source] : llvm::enumerate(permutation)) {
    view.shape[d] = shape[source];
    view.strides[d] = strides[source];
  }
  return view;
}

Array Array::sliced(ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) const {
  Array view = *this;
  for (int64_t d = 0; d < rank(); ++d) {
    view.origin += offsets[d] * strides[d] * byteWidth(elementType);
    view.shape[d] = sizes[d];
    view.strides[d] = strides[d] * steps[d];
  }
  return view;
}

// Strides that give `view` another shape without moving elements, if there are any. No dimension is empty.
static std::optional<SmallVector<int64_t>> stridesOfView(const Array &view, ArrayRef<int64_t> newShape) {
  SmallVector<int64_t> shape, strides, result(newShape.size(), 1);
  for (auto [size, stride] : llvm::zip(view.shape, view.strides))
    if (size != 1) {
      shape.push_back(size);
      strides.push_back(stride);
    }
  // Runs of old and of new dimensions that hold equally many elements; those of an old run must lie one in the other.
  for (size_t from = 0, to = 0; from < shape.size();) {
    size_t fromEnd = from + 1, toEnd = to + 1;
    int64_t old = shape[from], now = newShape[to];
    while (old != now)
      if (now < old)
        now *= newShape[toEnd++];
      else
        old *= shape[fromEnd++];
    for (size_t d = from; d + 1 < fromEnd; ++d)
      if (strides[d] != strides[d + 1] * shape[d + 1])
        return std::nullopt;
    result[toEnd - 1] = strides[fromEnd - 1];
    for (size_t d = toEnd - 1; d > to; --d)
      result[d - 1] = result[d] * newShape[d];
    from = fromEnd;
    to = toEnd;
  }
  return result;
}

Array Array::reshaped(ArrayRef<int64_t> newShape) const {
  bool splat = isSplat();
  if (!splat && count() != 0)
    if (auto strides = stridesOfView(*this, newShape)) {
      Array view = *this;
      view.shape.assign(newShape.begin(), newShape.end());
      view.strides = std::move(*strides);
      return view;
    }
  Array view = splat ? *this : dense();
  view.shape.assign(newShape.begin(), newShape.end());
  view.strides = splat ? SmallVector<int64_t>(newShape.size(), 0) : denseStrides(newShape);
  return view;
}

Array Array::dense() const {
  if (isDense())
    return *this;
  char *data;
  Array copy = allocate(elementType, shape, data);
  copyElements(*this, data, copy.strides);
  return copy;
}

bool Array::hasEqualElements() const {
  if (count() == 0)
    return false;
  if (isSplat())
    return true;
  size_t width = byteWidth(elementType);
  if (isDense())
    return std::memcmp(origin, origin + width, bytes() - width) == 0;
  SmallVector<int64_t> at(rank(), 0);
  for (const char *element = origin;;) {
    if (std::memcmp(origin, element, width) != 0)
      return false;
    int64_t d = rank() - 1;
    for (; d >= 0 && at[d] + 1 == shape[d]; --d) {
      element -= at[d] * strides[d] * static_cast<int64_t>(width);
      at[d] = 0;
    }
    if (d < 0)
      return true;
    ++at[d];
    element += strides[d] * static_cast<int64_t>(width);
  }
}

//===--- Copying -------------------------------------------------------------------------------------------------===//

namespace {

// One dimension of a copy; steps in bytes.
struct Loop {
  int64_t size, from, to;
};

template <unsigned width> void copyRow(const char *from, char *to, const Loop &loop) {
  for (int64_t i = 0; i < loop.size; ++i)
    std::memcpy(to + i * loop.to, from + i * loop.from, width);
}

// A plane in tiles, so that neither side walks through memory with large steps for long.
template <unsigned width> void copyPlane(const char *from, char *to, const Loop &outer, const Loop &inner) {
  constexpr int64_t tile = 32;
  for (int64_t i = 0; i < outer.size; i += tile)
    for (int64_t j = 0; j < inner.size; j += tile)
      for (int64_t k = i; k < std::min(i + tile, outer.size); ++k) {
        Loop part{std::min(tile, inner.size - j), inner.from, inner.to};
        copyRow<width>(from + k * outer.from + j * inner.from, to + k * outer.to + j * inner.to, part);
      }
}

void copyInner(const char *from, char *to, ArrayRef<Loop> loops, unsigned width) {
  const Loop &outer = loops[0], &inner = loops[1];
  if (inner.from == width && inner.to == width) {
    for (int64_t i = 0; i < outer.size; ++i)
      std::memcpy(to + i * outer.to, from + i * outer.from, inner.size * width);
    return;
  }
  switch (width) {
  case 1: return copyPlane<1>(from, to, outer, inner);
  case 2: return copyPlane<2>(from, to, outer, inner);
  case 4: return copyPlane<4>(from, to, outer, inner);
  default: return copyPlane<8>(from, to, outer, inner);
  }
}

void copyLoops(const char *from, char *to, ArrayRef<Loop> loops, unsigned width) {
  if (loops.size() == 2)
    return copyInner(from, to, loops, width);
  for (int64_t i = 0; i < loops[0].size; ++i)
    copyLoops(from + i * loops[0].from, to + i * loops[0].to, loops.drop_front(), width);
}

} // namespace

void mlir::heddle::evaluation::copyElements(const Array &source, char *target, ArrayRef<int64_t> targetStrides) {
  if (source.count() == 0)
    return;
  int64_t width = byteWidth(source.elementType);
  SmallVector<Loop> loops;
  for (int64_t d = 0; d < source.rank(); ++d) {
    Loop loop{source.shape[d], source.strides[d] * width, targetStrides[d] * width};
    if (loop.size == 1)
      continue;
    if (!loops.empty() && loops.back().from == loop.size * loop.from && loops.back().to == loop.size * loop.to) {
      loop.size *= loops.back().size;
      loops.pop_back();
    }
    loops.push_back(loop);
  }
  // The dimension in which the source is walked most slowly comes next to the last, which is written in order.
  if (loops.size() > 2) {
    auto nearest = std::min_element(loops.begin(), loops.end() - 1,
                                    [](const Loop &a, const Loop &b) { return std::abs(a.from) < std::abs(b.from); });
    std::rotate(nearest, nearest + 1, loops.end() - 1);
  }
  while (loops.size() < 2)
    loops.insert(loops.begin(), Loop{1, 0, 0});
  copyLoops(source.origin, target, loops, width);
}
