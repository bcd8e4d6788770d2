// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LpPool, GlobalLpPool, LRN, and the indices of MaxPool.
#include "compiler/Stages/Import/Onnx/Ops/Reduction/Pooling.h"
#include "compiler/Stages/Import/Onnx/Forms/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

//===--- MaxPool's indices ---------------------------------------------------------------------------------------===//

// The number of an element of [n, c, s…], from its plane and its place in the spatial dimensions of these extents.
static Value flatIndex(Scalar &index, Value plane, ArrayRef<Value> place, ArrayRef<Value> extent) {
  for (auto [coordinate, size] : llvm::zip_equal(place, extent))
    plane = index.add(index.mul(plane, size), coordinate);
  return plane;
}

// The numbers of the same elements where the spatial dimensions count the other way round; -1 stays.
static Tensor countColumnsFirst(Emitter &emitter, Tensor numbers, ArrayRef<Value> extent) {
  return emitter.elementwise({&numbers}, numbers.sizes, numbers.elementType,
                             [&](OpBuilder &builder, Location loc, ValueRange v) {
                               Scalar s{builder, loc};
                               Value rest = v[0];
                               SmallVector<Value> place, sizes; // from the innermost dimension on
                               for (Value size : llvm::reverse(extent)) {
                                 sizes.push_back(arith::IndexCastOp::create(builder, loc, v[0].getType(), size));
                                 place.push_back(s.rem(rest, sizes.back()));
                                 rest = s.div(rest, sizes.back());
                               }
                               Value none = s.less(v[0], s.constant(v[0].getType(), 0));
                               return s.select(none, v[0], flatIndex(s, rest, place, sizes));
                             });
}

// Whether `value` of the tap `tap` replaces the best so far, whose tap is -1 where there is none: the first of equals,
// in whatever order the loops take them. NaN is greater than all, and of several the last counts, as in PyTorch.
static Value isBetter(Scalar &s, Scalar &index, Value value, Value tap, Value best, Value at) {
  OpBuilder &builder = s.b;
  Location loc = s.loc;
  Value none = index.less(at, index.constant(at.getType(), 0));
  Value before = arith::AndIOp::create(builder, loc, s.equal(value, best), index.less(tap, at));
  Value better = arith::OrIOp::create(builder, loc, none, s.less(best, value));
  better = arith::OrIOp::create(builder, loc, better, before);
  if (!isa<FloatType>(value.getType()))
    return better;
  Value replaces = arith::OrIOp::create(builder, loc, s.equal(best, best), index.less(at, tap));
  return arith::OrIOp::create(builder, loc, better, arith::AndIOp::create(builder, loc, s.isNan(value), replaces));
}

namespace {

// The places of windows over x [n, c, s…].
struct WindowPlaces {
  WindowPlaces(Emitter &emitter, Tensor &x, const Window &window) : window(window) {
    channels = emitter.sizes.value(x.sizes[1]);
    for (int64_t d = 0; d < window.rank(); ++d) {
      before.push_back(emitter.sizes.value(window.before[d]));
      extent.push_back(emitter.sizes.value(x.sizes[2 + d]));
    }
  }

  // Where tap `tap` of window `o` is in dimension d; outside x where it is in the padding.
  Value placeOf(Scalar &index, int64_t d, Value o, Value tap) const {
    auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(index.b, index.loc, value); };
    Value start = index.mul(o, constant(window.strides[d])), step = index.mul(tap, constant(window.dilations[d]));
    return index.sub(index.add(start, step), before[d]);
  }

  // The number in x of the element that tap `tap` of the window `at` [n, c, o…] reads; -1 where `tap` is.
  Value numberOf(Scalar &index, Value tap, ValueRange at) const {
    OpBuilder &b = index.b;
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, index.loc, b.getIntegerAttr(tap.getType(), value));
    };
    Value none = index.less(tap, constant(0)), rest = tap;
    SmallVector<Value> place(window.rank());
    for (int64_t d = window.rank() - 1; d >= 0; --d) {
      Value size = constant(window.kernel[d]), which = d > 0 ? arith::RemUIOp::create(b, index.loc, rest, size) : rest;
      Value step = arith::IndexCastOp::create(b, index.loc, b.getIndexType(), which);
      place[d] = placeOf(index, d, at[2 + d], step);
      rest = d > 0 ? arith::DivUIOp::create(b, index.loc, rest, size) : rest;
    }
    Value plane = index.add(index.mul(at[0], channels), at[1]);
    Value number = flatIndex(index, plane, place, extent), outside = arith::ConstantIndexOp::create(b, index.loc, -1);
    return arith::IndexCastOp::create(b, index.loc, b.getI64Type(), index.select(none, outside, number));
  }

  const Window &window;
  Value channels;
  SmallVector<Value> before, extent; // for each spatial dimension
};

} // namespace

// The greatest elements and which taps of their windows they are: numbers of 32 bits, in as wide vectors as elements.
static std::pair<Tensor, Tensor> maxPoolWithTaps(Emitter &emitter, Tensor &padded, const Window &window,
                                                 const WindowPlaces &places, ArrayRef<OpFoldResult> shape) {
  int64_t rank = window.rank(), loops = 2 + 2 * rank;
  Builder &b = emitter.builder;
  auto dim = [&](int64_t d) { return b.getAffineDimExpr(d); };
  SmallVector<AffineExpr> read{dim(0), dim(1)}, taps, write{dim(0), dim(1)};
  SizeList kernel;
  for (int64_t d = 0; d < rank; ++d) {
    read.push_back(dim(2 + d) * window.strides[d] + dim(2 + rank + d) * window.dilations[d]);
    taps.push_back(dim(2 + rank + d));
    write.push_back(dim(2 + d));
    kernel.push_back(emitter.sizes.constant(window.kernel[d]));
  }
  SmallVector<utils::IteratorType> iterators(2 + rank, utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);
  Type type = padded.elementType, i32 = b.getI32Type();
  Value best = emitter.filled(type, shape, lowest(type)).value,
        at = emitter.filled(i32, shape, b.getI32IntegerAttr(-1)).value;
  auto body = [&](OpBuilder &builder, Location loc, ValueRange v) {
    Scalar s{builder, loc, type}, index{builder, loc};
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0),
          inside = arith::ConstantIntOp::create(builder, loc, 1, 1), number = zero;
    for (int64_t d = 0; d < rank; ++d) {
      Value o = linalg::IndexOp::create(builder, loc, 2 + d), tap = linalg::IndexOp::create(builder, loc, 2 + rank + d);
      Value place = places.placeOf(index, d, o, tap);
      Value fits =
          arith::AndIOp::create(builder, loc, index.lessEqual(zero, place), index.less(place, places.extent[d]));
      inside = arith::AndIOp::create(builder, loc, inside, fits);
      number = index.add(index.mul(number, arith::ConstantIndexOp::create(builder, loc, window.kernel[d])), tap);
    }
    Value tap = arith::IndexCastOp::create(builder, loc, i32, number);
    Value better = arith::AndIOp::create(builder, loc, isBetter(s, index, v[0], tap, v[2], v[3]), inside);
    linalg::YieldOp::create(builder, loc, ValueRange{s.select(better, v[0], v[2]), s.select(better, tap, v[3])});
  };
  MLIRContext *context = b.getContext();
  AffineMap out = AffineMap::get(loops, 0, write, context);
  auto op = linalg::GenericOp::create(
      emitter.builder, emitter.loc, TypeRange{best.getType(), at.getType()},
      ValueRange{emitter.value(padded), emitter.empty(type, kernel).value}, ValueRange{best, at},
      ArrayRef<AffineMap>{AffineMap::get(loops, 0, read, context), AffineMap::get(loops, 0, taps, context), out, out},
      iterators, body);
  return {emitter.fromValue(op.getResult(0), shape, type), emitter.fromValue(op.getResult(1), shape)};
}

std::pair<Tensor, Tensor> mlir::heddle::importer::maxPoolWithIndices(Emitter &emitter, Tensor &x, Tensor &padded,
                                                                     const Window &window, bool columnMajor) {
  SizeList shape{x.sizes[0], x.sizes[1]};
  llvm::append_range(shape, window.output);
  WindowPlaces places(emitter, x, window);
  auto [values, taps] = maxPoolWithTaps(emitter, padded, window, places, shape);
  Tensor indices =
      emitter.generate(shape, emitter.builder.getI64Type(), {&taps}, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar index{b, loc};
        return places.numberOf(index, v[0], v.drop_front());
      });
  return {values, columnMajor ? countColumnsFirst(emitter, indices, places.extent) : indices};
}

//===--- LpPool --------------------------------------------------------------------------------------------------===//

// |x|^p, and its inverse on what is not negative.
static Value power(Scalar &s, Value x, double p) {
  if (p == 1)
    return x;
  if (p == 2)
    return s.mul(x, x);
  return math::PowFOp::create(s.b, s.loc, x, s.constant(x.getType(), p));
}

static Tensor powers(Emitter &emitter, Tensor &x, int64_t p) {
  return map(emitter, {&x}, x.sizes,
             [&](Scalar &s, ValueRange v) { return power(s, s.abs(v[0]), static_cast<double>(p)); });
}

static Tensor root(Emitter &emitter, Tensor &sum, int64_t p) {
  return map(emitter, {&sum}, sum.sizes, [&](Scalar &s, ValueRange v) {
    return p == 2 ? s.sqrt(v[0]) : power(s, v[0], 1.0 / static_cast<double>(p));
  });
}

static FailureOr<int64_t> readNorm(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  if (node.input(0)->rank() < 3)
    return node.refuse("needs a batch, channels and at least one more dimension");
  int64_t p = node.getInt("p", 2);
  if (p < 1 || p > 64)
    return node.unsupported("attribute 'p' must be from 1 to 64, got " + Twine(p));
  return p;
}

static LogicalResult lowerLpPool(NodeContext &node) {
  FailureOr<int64_t> p = readNorm(node);
  if (failed(p))
    return failure();
  FailureOr<Window> window = readWindow(node, {});
  if (failed(window))
    return failure();
  Emitter &emitter = node.emitter;
  TypedAttr zero = makeAttribute(node.input(0)->elementType, 0);
  Tensor raised = powers(emitter, *node.input(0), *p);
  Tensor padded = padForWindow(emitter, raised, *window, zero);
  Tensor sum = sumPool(emitter, padded, *window);
  node.setOutput(0, root(emitter, sum, *p));
  return success();
}

static LogicalResult lowerGlobalLpPool(NodeContext &node) {
  FailureOr<int64_t> p = readNorm(node);
  if (failed(p))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor raised = powers(emitter, *node.input(0), *p);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, raised.rank()));
  Tensor sum = reduceSum(emitter, raised, axes);
  Tensor norm = root(emitter, sum, *p);
  node.setOutput(0, emitter.keepDims(norm, axes));
  return success();
}

//===--- LRN -----------------------------------------------------------------------------------------------------===//

// x / (bias + alpha / size * sum of the squares of `size` neighbouring channels)^beta.
static LogicalResult lowerLrn(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &x = *node.input(0);
  int64_t size = node.getInt("size", 0);
  if (x.rank() < 3 || size < 1 || size > 1 << 16)
    return node.refuse("needs a batch, channels and at least one more dimension, and a positive size");
  Type type = x.elementType;
  // One window along the channels: they stand where the dimension of a window does.
  ArrayRef<OpFoldResult> all(x.sizes);
  OpFoldResult inner = sizes.product(all.drop_front(2));
  Window window;
  window.kernel = {size, 1};
  window.strides = window.dilations = {1, 1};
  window.before = {sizes.constant((size - 1) / 2), sizes.constant(0)};
  window.after = {sizes.constant(size - 1 - (size - 1) / 2), sizes.constant(0)};
  window.output = {x.sizes[1], inner};
  Tensor squares = map(emitter, {&x}, x.sizes, [](Scalar &s, ValueRange v) { return s.mul(v[0], v[0]); });
  Tensor planes = emitter.reshape(squares, {x.sizes[0], sizes.constant(1), x.sizes[1], inner});
  Tensor padded = padForWindow(emitter, planes, window, makeAttribute(type, 0));
  Tensor sum = sumPool(emitter, padded, window);
  Tensor around = emitter.reshape(sum, x.sizes);
  double scale = node.getFloat("alpha", 1e-4) / static_cast<double>(size), beta = node.getFloat("beta", 0.75),
         bias = node.getFloat("bias", 1);
  node.setOutput(0, map(emitter, {&x, &around}, x.sizes, [&](Scalar &s, ValueRange v) -> Value {
                   Value base = s.add(s.constant(type, bias), s.mul(s.constant(type, scale), v[1]));
                   if (beta == 0.75) { // what networks use
                     Value half = s.sqrt(base);
                     return s.div(v[0], s.mul(half, s.sqrt(half)));
                   }
                   return s.div(v[0], math::PowFOp::create(s.b, s.loc, base, s.constant(type, beta)));
                 }));
  return success();
}

void mlir::heddle::importer::registerPooling(LoweringTable &table) {
  table.add("LpPool", 2, lowerLpPool);
  table.add("GlobalLpPool", 2, lowerGlobalLpPool);
  table.add("LRN", 1, lowerLrn);
}
