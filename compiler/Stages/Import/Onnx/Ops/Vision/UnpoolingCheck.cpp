// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Vision/UnpoolingCheck.h"

#include "compiler/Stages/Import/Emit/Scalars.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

namespace {

// Where the element that an index counts stands in a window.
struct Place {
  Value isInside, tap; // `tap`: through the window in row-major order, where it is inside
};

// Whether the element of the result that an index counts is in the window that its value was the greatest of, and
// where.
struct WindowCheck {
  Scalar index; // of index values
  const Unpooling &unpooling;
  ArrayRef<Value> extents; // of what was pooled

  int64_t rank() const { return unpooling.kernel.size(); }
  Value constant(int64_t value) const { return arith::ConstantIndexOp::create(index.b, index.loc, value); }
  Value both(Value p, Value q) const { return p ? arith::AndIOp::create(index.b, index.loc, p, q) : q; }
  Value startOf(int64_t d, ValueRange at) { return index.mul(at[2 + d], constant(unpooling.strides[d])); }

  // The coordinates of the element, by division.
  Place byCoordinates(Value flat, ValueRange at) {
    Value rest = index.max(flat, constant(0)), fits = index.lessEqual(constant(0), flat), tap = constant(0);
    int64_t taps = 1;
    for (int64_t d = rank() - 1; d >= 0; --d) {
      Value quotient = arith::DivUIOp::create(index.b, index.loc, rest, extents[2 + d]);
      Value place = index.add(index.sub(rest, index.mul(quotient, extents[2 + d])), constant(unpooling.pads[d]));
      Value start = startOf(d, at);
      fits = both(fits, index.lessEqual(start, place));
      fits = both(fits, index.less(place, index.add(start, constant(unpooling.kernel[d]))));
      tap = index.add(tap, index.mul(index.sub(place, start), constant(taps)));
      taps *= unpooling.kernel[d];
      rest = quotient;
    }
    return {both(fits, index.equal(rest, index.add(index.mul(at[0], extents[1]), at[1]))), tap};
  }

  // The rows of the window, each a range of numbers. Vectors have no quotients by sizes that only the call knows.
  static constexpr int64_t kMostRows = 16;
  bool hasFewRows() const { return llvm::product_of(ArrayRef(unpooling.kernel).drop_back()) <= kMostRows; }

  // The taps of dimension d that are not in the padding: [begin, end).
  std::pair<Value, Value> tapsInside(int64_t d, ValueRange at) {
    Value zero = constant(0), size = constant(unpooling.kernel[d]);
    if (unpooling.pads[d] == 0 && unpooling.pads[d + rank()] == 0)
      return {zero, size};
    Value start = index.sub(startOf(d, at), constant(unpooling.pads[d]));
    return {index.max(index.sub(zero, start), zero), index.min(index.sub(extents[2 + d], start), size)};
  }

  // `first`: the number of the element at the window's begin, with the taps of the dimensions before d; `inside`:
  // whether these are, null: always.
  Place byRows(Value flat, ValueRange at, int64_t d, Value first, Value inside) {
    auto [begin, end] = tapsInside(d, at);
    bool isPadded = unpooling.pads[d] != 0 || unpooling.pads[d + rank()] != 0;
    Value start = index.sub(startOf(d, at), constant(unpooling.pads[d]));
    first = index.add(index.mul(first, extents[2 + d]), start);
    if (d + 1 == rank()) {
      Value tap = index.sub(flat, first);
      return {both(both(inside, index.lessEqual(begin, tap)), index.less(tap, end)), tap};
    }
    int64_t tapsOfRow = llvm::product_of(ArrayRef(unpooling.kernel).drop_front(d + 1));
    Place found;
    for (int64_t k = 0; k < unpooling.kernel[d]; ++k) {
      Value tap = constant(k), fits = inside;
      if (isPadded)
        fits = both(both(fits, index.lessEqual(begin, tap)), index.less(tap, end));
      Place one = byRows(flat, at, d + 1, index.add(first, tap), fits);
      one.tap = index.add(one.tap, constant(k * tapsOfRow));
      found = found.tap ? Place{arith::OrIOp::create(index.b, index.loc, found.isInside, one.isInside),
                                index.select(one.isInside, one.tap, found.tap)}
                        : one;
    }
    return found;
  }

  Place run(Value flat, ValueRange at) {
    return hasFewRows() ? byRows(flat, at, 0, index.add(index.mul(at[0], extents[1]), at[1]), {})
                        : byCoordinates(flat, at);
  }
};

} // namespace

// For each index what `make` gives of it and its place in its window, as elements of `type`; a failure of the call
// where it is outside.
static Tensor checked(Emitter &emitter, Tensor &indices, const Unpooling &unpooling, Type type,
                      llvm::function_ref<Value(Value flat, Value tap)> make) {
  SmallVector<Value> extents =
      llvm::map_to_vector(unpooling.inferred, [&](OpFoldResult size) { return emitter.sizes.value(size); });
  return emitter.generate(indices.sizes, type, {&indices}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    Value flat = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
    Place place = WindowCheck{s, unpooling, extents}.run(flat, v.drop_front());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    Value nothing = flow::CheckedIndexOp::create(b, loc, s.select(place.isInside, zero, one), one);
    return arith::IndexCastOp::create(b, loc, storageType(type), s.add(make(flat, place.tap), nothing)).getResult();
  });
}

Tensor mlir::heddle::importer::checkWindows(Emitter &emitter, Tensor &indices, const Unpooling &unpooling) {
  return checked(emitter, indices, unpooling, indices.elementType, [](Value flat, Value) { return flat; });
}

Tensor mlir::heddle::importer::findTaps(Emitter &emitter, Tensor &indices, const Unpooling &unpooling) {
  return checked(emitter, indices, unpooling, emitter.builder.getI32Type(), [](Value, Value tap) { return tap; });
}
