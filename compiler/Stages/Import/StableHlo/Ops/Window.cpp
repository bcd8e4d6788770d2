// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_window and select_and_scatter.
#include "compiler/Stages/Import/Emit/Rows/ListOps.h"
#include "compiler/Stages/Import/StableHlo/Ops/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

namespace {

// A window over all dimensions of a tensor.
struct Window {
  SmallVector<int64_t> extents, strides, between, dilations, low, high;

  // Dimensions that windows are moved or reach over; along the others there is one window for each element.
  bool moves(int64_t d) const {
    return extents[d] != 1 || strides[d] != 1 || between[d] != 0 || low[d] != 0 || high[d] != 0;
  }
};

} // namespace

static FailureOr<Window> readWindow(OpContext &op, int64_t rank) {
  SmallVector<int64_t> ones(rank, 1), noPadding(2 * rank, 0);
  auto extents = op.ints("window_dimensions"), strides = op.ints("window_strides", ones),
       base = op.ints("base_dilations", ones), dilations = op.ints("window_dilations", ones),
       padding = op.ints("padding", noPadding);
  if (failed(extents) || failed(strides) || failed(base) || failed(dilations) || failed(padding) ||
      failed(op.requireLength(*extents, rank, "window_dimensions")) ||
      failed(op.requireLength(*strides, rank, "window_strides")) ||
      failed(op.requireLength(*base, rank, "base_dilations")) ||
      failed(op.requireLength(*dilations, rank, "window_dilations")) ||
      failed(op.requireLength(*padding, 2 * rank, "padding")))
    return failure();
  static constexpr int64_t kLimit = 1 << 24;
  for (auto *list : {&*extents, &*strides, &*base, &*dilations})
    for (int64_t entry : *list)
      if (entry < 1 || entry > kLimit)
        return op.refuse("windows, strides and dilations must be positive, got " + Twine(entry));
  Window window{*extents, *strides, {}, *dilations, {}, {}};
  for (int64_t d = 0; d < rank; ++d) {
    window.between.push_back((*base)[d] - 1);
    window.low.push_back((*padding)[2 * d]);
    window.high.push_back((*padding)[2 * d + 1]);
    for (int64_t edge : {window.low.back(), window.high.back()})
      if (edge < -kLimit || edge > kLimit)
        return op.refuse("padding is out of range");
  }
  return window;
}

// How many windows there are along each dimension; a refusal where none fits.
static FailureOr<SmallVector<int64_t>> countWindows(OpContext &op, const Window &window, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> counts, lengths;
  for (auto [d, size] : llvm::enumerate(shape)) {
    std::optional<int64_t> padded = paddedLength(size, window.low[d], window.high[d], window.between[d]);
    int64_t span = window.dilations[d] * (window.extents[d] - 1) + 1;
    lengths.push_back(padded.value_or(INT64_MAX));
    if (lengths.back() < span)
      return op.refuse("the window is larger than the padded operand in dimension " + Twine(d));
    counts.push_back((lengths.back() - span) / window.strides[d] + 1);
  }
  if (!fitsMemory(lengths))
    return op.refuse("the padded operand is larger than any memory");
  return counts;
}

//===--- reduce_window -------------------------------------------------------------------------------------------===//

// Dimensions that windows do not move over come first, so that a pool of channels last has the form of one of channels
// first, which stage `encode` turns as it likes.
static SmallVector<int64_t> stillFirst(const Window &window) {
  SmallVector<int64_t> order, moving;
  for (int64_t d = 0; d < static_cast<int64_t>(window.extents.size()); ++d)
    (window.moves(d) ? moving : order).push_back(d);
  llvm::append_range(order, moving);
  return order;
}

static Tensor prepare(OpContext &op, const Window &window, unsigned i, Tensor init, ArrayRef<int64_t> counts) {
  Emitter &emitter = op.emitter;
  Tensor padded = padTensor(emitter, op.operand(i), init, window.low, window.high, window.between);
  SmallVector<int64_t> extents = importer::shapeOf(padded.sizes);
  for (auto [d, count] : llvm::enumerate(counts))
    if (count == 1) // a single window reads no more than its span
      extents[d] = window.dilations[d] * (window.extents[d] - 1) + 1;
  return emitter.slice(padded, SizeList(extents.size(), emitter.sizes.constant(0)), op.sizesOf(extents),
                       SmallVector<int64_t>(extents.size(), 1));
}

// The dimension along which the windows are all that stands before each element, or behind it, as `jax.lax.cumsum` is.
struct Running {
  int64_t dim;
  bool reverse;
};
static std::optional<Running> runningOf(const Window &window, ArrayRef<int64_t> shape) {
  std::optional<Running> found;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!window.moves(d))
      continue;
    bool fromStart = window.low[d] == size - 1 && window.high[d] == 0,
         fromEnd = window.low[d] == 0 && window.high[d] == size - 1;
    if (found || window.extents[d] != size || window.strides[d] != 1 || window.dilations[d] != 1 ||
        window.between[d] != 0 || (!fromStart && !fromEnd))
      return std::nullopt;
    found = Running{static_cast<int64_t>(d), fromEnd};
  }
  return found;
}

static Tensor scanWindows(OpContext &op, Reducer &reducer, const Running &running) {
  Type type = op.operandType(0).getElementType();
  importer::ScanForm form{running.dim, /*exclusive=*/false, running.reverse, /*associative=*/true};
  Tensor made = importer::scanAlong(
                    op.emitter, {&op.operand(0)}, form, {type}, {reducer.neutral},
                    [&](OpBuilder &b, Location loc, ValueRange v) { return reducer.body.emit(b, loc, v.drop_front()); })
                    .front();
  return reducer.finish(0, std::move(made));
}

static LogicalResult lowerReduceWindow(OpContext &op) {
  unsigned count = op.op->getNumOperands() / 2;
  if (count == 0)
    return op.refuse("needs operands and initial values");
  FailureOr<Reducer> reducer = Reducer::read(op, count);
  if (failed(reducer))
    return failure();
  ArrayRef<int64_t> shape = op.operandType(0).getShape();
  int64_t rank = shape.size();
  FailureOr<Window> window = readWindow(op, rank);
  if (failed(window))
    return failure();
  FailureOr<SmallVector<int64_t>> counts = countWindows(op, *window, shape);
  if (failed(counts))
    return failure();
  if (std::optional<Running> running = runningOf(*window, shape); running && reducer->neutral)
    return op.setResult(0, scanWindows(op, *reducer, *running));
  Emitter &emitter = op.emitter;
  SmallVector<int64_t> order = stillFirst(*window), sizes = applyPermutation(*counts, order), taps;
  Builder &b = emitter.builder;
  // Loops: the windows in that order, then places in a window.
  SmallVector<AffineExpr> read, reach, write;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t d = order[i];
    AffineExpr at = b.getAffineDimExpr(i);
    write.push_back(at);
    if (window->moves(d)) {
      AffineExpr tap = b.getAffineDimExpr(rank + taps.size());
      at = at * window->strides[d] + tap * window->dilations[d];
      reach.push_back(tap);
      taps.push_back(window->extents[d]);
    }
    read.push_back(at);
  }
  int64_t loops = rank + taps.size();
  auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(loops, 0, exprs, b.getContext()); };
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned i = 0; i < count; ++i) {
    Tensor init = op.operand(count + i);
    if (reducer->neutral) // padding must not count twice
      init = emitter.fromData(neutralTensor(reducer->neutral, op.operandType(i).getElementType()));
    Tensor padded = prepare(op, *window, i, init, *counts);
    Tensor turned = emitter.transpose(padded, order);
    inputs.push_back(emitter.value(turned));
    maps.push_back(map(read));
  }
  if (!taps.empty()) {
    inputs.push_back(emitter.empty(op.operandType(0).getElementType(), op.sizesOf(taps)).value);
    maps.push_back(map(reach));
  }
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);
  SmallVector<Tensor> results = reducer->emit(inputs, maps, map(write), iterators, op.sizesOf(sizes));
  for (unsigned i = 0; i < count; ++i)
    if (failed(op.setResult(i, emitter.transpose(results[i], invertPermutationVector(order)))))
      return failure();
  return success();
}

//===--- select_and_scatter --------------------------------------------------------------------------------------===//

// For every window the place of the element that `select` prefers, counted flat over the operand. [windows]
static Tensor selectedPlaces(OpContext &op, const Window &window, const ElementRegion &select,
                             ArrayRef<int64_t> counts) {
  Emitter &emitter = op.emitter;
  Builder &builder = emitter.builder;
  RankedTensorType operand = op.operandType(0);
  int64_t rank = operand.getRank();
  Type type = operand.getElementType(), i64 = builder.getI64Type();
  AffineMap out = AffineMap::getMultiDimIdentityMap(2 * rank, builder.getContext()).getMajorSubMap(rank);
  SmallVector<AffineExpr> taps;
  for (int64_t d = 0; d < rank; ++d)
    taps.push_back(builder.getAffineDimExpr(rank + d));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.resize(2 * rank, utils::IteratorType::reduction);
  SizeList sizes = op.sizesOf(counts);
  Value best = emitter.filled(type, sizes, makeAttribute(type, 0)).value,
        at = emitter.filled(i64, sizes, builder.getI64IntegerAttr(-1)).value, values = emitter.value(op.operand(0)),
        extent = emitter.empty(type, op.sizesOf(window.extents)).value;
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
    Value zero = index(0), flat = zero, inside = arith::ConstantIntOp::create(b, loc, 1, 1);
    SmallVector<Value> place;
    for (int64_t d = 0; d < rank; ++d) {
      Value start = s.mul(linalg::IndexOp::create(b, loc, d), index(window.strides[d]));
      Value here = s.sub(s.add(start, linalg::IndexOp::create(b, loc, rank + d)), index(window.low[d]));
      Value size = index(operand.getDimSize(d));
      Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, here, size);
      inside = arith::AndIOp::create(b, loc, inside, fits);
      place.push_back(s.select(fits, here, zero));
      flat = s.add(s.mul(flat, size), place.back());
    }
    Value element = tensor::ExtractOp::create(b, loc, values, place);
    Value none = s.less(v[2], s.constant(i64, 0)), stays = select.emit(b, loc, {v[1], element}).front();
    Value better =
        arith::AndIOp::create(b, loc, inside, s.select(none, none, s.equal(stays, s.constant(b.getI1Type(), 0))));
    Value position = arith::IndexCastOp::create(b, loc, i64, flat);
    linalg::YieldOp::create(b, loc, ValueRange{s.select(better, element, v[1]), s.select(better, position, v[2])});
  };
  auto made = linalg::GenericOp::create(
      emitter.builder, emitter.loc, TypeRange{best.getType(), at.getType()}, ValueRange{extent}, ValueRange{best, at},
      ArrayRef<AffineMap>{AffineMap::get(2 * rank, 0, taps, builder.getContext()), out, out}, iterators, body);
  return emitter.fromValue(made.getResult(1), sizes);
}

// Every element looks at the windows that reach it for those that prefer it.
static Tensor gatherFromWindows(OpContext &op, const Window &window, const ElementRegion &combine, Tensor &places,
                                ArrayRef<int64_t> counts) {
  Emitter &emitter = op.emitter;
  Builder &builder = emitter.builder;
  RankedTensorType operand = op.operandType(0);
  int64_t rank = operand.getRank();
  Type type = operand.getElementType(), i64 = builder.getI64Type();
  SmallVector<int64_t> reach; // at most so many windows reach an element
  for (int64_t d = 0; d < rank; ++d)
    reach.push_back((window.extents[d] - 1) / window.strides[d] + 1);
  SizeList sizes = op.sizesOf(operand.getShape());
  Value start = filledWith(emitter, op.operand(2), sizes);
  Value source = emitter.value(op.operand(1)), chosen = emitter.value(places);
  return emitter.accumulate(
      sizes, op.sizesOf(reach), type, start, [&](OpBuilder &b, Location loc, ValueRange v, Value before) {
        Scalar s{b, loc};
        auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
        Value zero = index(0), flat = zero, inside = arith::ConstantIntOp::create(b, loc, 1, 1);
        SmallVector<Value> at;
        for (int64_t d = 0; d < rank; ++d) {
          // The last window that starts at or before the element, and those before it.
          Value last = arith::DivUIOp::create(b, loc, s.add(v[d], index(window.low[d])), index(window.strides[d]));
          Value which = s.sub(last, v[rank + d]);
          Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, which, index(counts[d]));
          inside = arith::AndIOp::create(b, loc, inside, fits);
          at.push_back(s.select(fits, which, zero));
          flat = s.add(s.mul(flat, index(operand.getDimSize(d))), v[d]);
        }
        Value place = tensor::ExtractOp::create(b, loc, chosen, at);
        Value mine = s.equal(place, arith::IndexCastOp::create(b, loc, i64, flat));
        mine = arith::AndIOp::create(b, loc, mine, inside);
        Value element = tensor::ExtractOp::create(b, loc, source, at);
        return s.select(mine, combine.emit(b, loc, {before, element}).front(), before);
      });
}

static LogicalResult lowerSelectAndScatter(OpContext &op) {
  if (failed(op.requireOperands(3)) || failed(op.requireResults(1)))
    return failure();
  RankedTensorType operand = op.operandType(0);
  Type type = operand.getElementType();
  if (op.operandType(1).getElementType() != type || op.operandType(2).getElementType() != type ||
      op.operandType(2).getRank() != 0 || op.operandType(1).getRank() != operand.getRank())
    return op.refuse("operand, source and initial value must have one element type, the latter rank 0");
  FailureOr<ElementRegion> select = ElementRegion::read(op, {type, type}, {op.emitter.builder.getI1Type()}, 0),
                           combine = ElementRegion::read(op, {type, type}, {type}, 1);
  FailureOr<Window> window = readWindow(op, operand.getRank());
  if (failed(select) || failed(combine) || failed(window))
    return failure();
  FailureOr<SmallVector<int64_t>> counts = countWindows(op, *window, operand.getShape());
  if (failed(counts))
    return failure();
  SmallVector<int64_t> ones(operand.getRank(), 1), zeros(operand.getRank(), 0);
  if (window->dilations != ones || window->between != zeros)
    return op.refuse("has no dilations");
  if (llvm::any_of(window->low, [](int64_t low) { return low < 0; }))
    return op.refuse("negative padding is not supported");
  if (ArrayRef<int64_t>(*counts) != op.operandType(1).getShape())
    return op.refuse("the source must have an element for each window");
  Tensor places = selectedPlaces(op, *window, *select, *counts);
  return op.setResult(0, gatherFromWindows(op, *window, *combine, places, *counts));
}

void mlir::heddle::hlo::registerWindow(LoweringTable &table) {
  table["stablehlo.reduce_window"] = lowerReduceWindow;
  table["stablehlo.select_and_scatter"] = lowerSelectAndScatter;
}
