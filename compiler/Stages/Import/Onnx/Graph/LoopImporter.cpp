// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Graph/LoopImporter.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/Emit/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// Rows that the scan outputs of a loop have room for at first, where data tell how many there will be.
static constexpr int64_t kFirstRoom = 8;

// Integers carried as index values; a shape has no more.
static constexpr size_t kMaximumContents = 8;

static std::optional<int64_t> knownCondition(Emitter &emitter, const Tensor &condition) {
  if (condition.contents)
    return getConstantIntValue(emitter.sizes.simplify(condition.contents->front()));
  if (condition.data)
    return condition.data->integer(0);
  return std::nullopt;
}

bool mlir::heddle::importer::mayBeCondition(const Tensor &tensor) {
  return tensor.elementType.isInteger(1) &&
         llvm::all_of(llvm::seq(tensor.rank()), [&](int64_t d) { return tensor.staticSize(d).value_or(1) == 1; });
}

Value mlir::heddle::importer::readCondition(Emitter &emitter, Tensor &condition) {
  OpBuilder &b = emitter.builder;
  if (condition.contents) {
    Value zero = arith::ConstantIndexOp::create(b, emitter.loc, 0);
    return arith::CmpIOp::create(b, emitter.loc, arith::CmpIPredicate::ne,
                                 emitter.sizes.value(condition.contents->front()), zero);
  }
  for (OpFoldResult size : condition.sizes)
    emitter.checkEqual(size, emitter.sizes.constant(1), "the condition must be one boolean");
  Value zero = arith::ConstantIndexOp::create(b, emitter.loc, 0);
  return tensor::ExtractOp::create(b, emitter.loc, emitter.value(condition),
                                   SmallVector<Value>(condition.rank(), zero));
}

//===--- Attempts ------------------------------------------------------------------------------------------------===//

LoopImporter::Step LoopImporter::fail(const Twine &reason) {
  if (why.empty())
    why = reason.str();
  return Step::Failed;
}

void LoopImporter::begin() {
  Sizes &sizes = emitter.sizes;
  for (Tensor &initial : plan.carried) {
    Carried &how = carried.emplace_back();
    how.initial = initial;
    how.varies.assign(initial.rank(), false);
    how.asContents = initial.contents && initial.holdsSizes() && initial.contents->size() <= kMaximumContents;
    if (how.asContents)
      for (OpFoldResult element : *initial.contents)
        how.nonNegative.push_back(sizes.isNonNegative(element) &&
                                  (sizes.isExtent(element) || sizes.range(element).most <= Sizes::kMostElements));
  }
  rows.resize(plan.outputsBackward.size());
  knowsTrips = bool(plan.trips);
  if (!plan.condition)
    return;
  std::optional<int64_t> known = knownCondition(emitter, *plan.condition);
  if (known == 0)
    plan.trips = sizes.constant(0);
  knowsTrips &= known.has_value();
  knowsTrips |= known == 0;
  if (known)
    plan.condition.reset();
}

std::optional<SmallVector<Tensor>> LoopImporter::run() {
  begin();
  SmallVector<Tensor> outputs;
  while (true)
    switch (attempt(outputs)) {
    case Step::Done: return outputs;
    case Step::Failed: return std::nullopt;
    case Step::Again: continue;
    }
}

LoopImporter::Step LoopImporter::attempt(SmallVector<Tensor> &outputs) {
  Attempt current;
  emitter.loc = loc;
  knowsTrips ? openFor(current) : openWhile(current);
  auto give = [&](Step step) {
    emitter.restore(std::move(current.outside));
    current.op->erase();
    return step;
  };
  if (!plan.body(current.inputs, current.results, why))
    return give(Step::Failed);
  emitter.loc = loc;
  if (Step step = check(current); step != Step::Done)
    return give(step);
  knowsTrips ? closeFor(current, outputs) : closeWhile(current, outputs);
  return Step::Done;
}

//===--- What the body tells -------------------------------------------------------------------------------------===//

LoopImporter::Step LoopImporter::check(Attempt &attempt) {
  if (llvm::any_of(attempt.results, [](const Tensor &tensor) { return tensor.aggregate != nullptr; }))
    return fail("the body must give tensors, got a sequence or an optional value");
  size_t first = plan.isLoop ? 1 : 0, inputs = plan.isLoop ? 2 : 0;
  Step worst = plan.isLoop ? checkCondition(attempt) : Step::Done;
  for (size_t i = 0; i < carried.size() && worst != Step::Failed; ++i)
    worst = std::max(worst,
                     checkCarried(carried[i], attempt.inputs[inputs + i], attempt.results[first + i], plan.names[i]));
  SizeTables inner = emitter.sizes.save();
  for (size_t i = 0; i < rows.size() && worst != Step::Failed; ++i)
    worst = std::max(worst, checkScanOutput(i, attempt, inner));
  return worst;
}

LoopImporter::Step LoopImporter::checkCondition(Attempt &attempt) {
  Tensor &condition = attempt.results.front();
  if (!mayBeCondition(condition))
    return fail("the condition that the body gives must be one boolean");
  if (!knowsTrips)
    return Step::Done;
  if (knownCondition(emitter, condition) == 1)
    return Step::Done;
  knowsTrips = false;
  return Step::Again;
}

static std::string describeType(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream(text) << RankedTensorType::get(shapeOf(tensor.sizes), tensor.elementType);
  return text;
}

// Whether an integer that begins as at least 0, and at most Sizes::kMostElements, stays so in any number of iterations
// that a call can make.
static bool staysCounter(Sizes &sizes, OpFoldResult before, OpFoldResult after) {
  constexpr int64_t kSmallStep = 1 << 16;
  if (!sizes.isNonNegative(after))
    return false;
  OpFoldResult step = sizes.sub(after, before);
  return sizes.range(after).most <= Sizes::kMostElements || sizes.isExtent(step) ||
         sizes.range(step).most <= kSmallStep;
}

LoopImporter::Step LoopImporter::checkCarried(Carried &how, const Tensor &given, Tensor &result, StringRef name) {
  if (result.elementType != how.initial.elementType || result.rank() != how.initial.rank())
    return fail("'" + name + "' is " + describeType(how.initial) + " before the first iteration and " +
                describeType(result) + " after it; element type and rank must stay");
  Step step = Step::Done;
  Sizes &sizes = emitter.sizes;
  for (int64_t d = 0; d < result.rank(); ++d)
    if (!how.varies[d] && !sizes.equal(result.sizes[d], how.initial.sizes[d])) {
      if (!plan.isLoop && how.initial.staticSize(d)) { // the state of a Scan keeps its shape
        if (result.staticSize(d))
          return fail("'" + name + "' is " + describeType(how.initial) + " before the first iteration and " +
                      describeType(result) + " after it; the state of a Scan must keep its shape");
        emitter.checkEqual(result.sizes[d], how.initial.sizes[d], "Scan: '" + name + "' changed its shape");
        continue;
      }
      how.varies[d] = true;
      step = Step::Again;
      // Upstream's canonicalisation gives what an scf.for carries the static type that it began with.
      knowsTrips &= !how.initial.staticSize(d);
    }
  if (!how.asContents)
    return step;
  if (step == Step::Again || !result.contents) {
    how.asContents = false;
    return Step::Again;
  }
  for (auto [isNonNegative, before, element] : llvm::zip_equal(how.nonNegative, *given.contents, *result.contents))
    if (isNonNegative && !staysCounter(sizes, before, element)) {
      isNonNegative = false;
      step = Step::Again;
    }
  return step;
}

std::string LoopImporter::describeOutput(size_t i) const {
  if (i < plan.outputNames.size() && !plan.outputNames[i].empty())
    return "an element of the sequence '" + plan.outputNames[i] + "'";
  return "scan output #" + std::to_string(i);
}

LoopImporter::Step LoopImporter::checkScanOutput(size_t i, Attempt &attempt, SizeTables &inner) {
  Tensor &result = attempt.results[attempt.results.size() - rows.size() + i];
  Emitter::State here = emitter.save();
  emitter.restore(attempt.outside);
  Tensor row;
  row.elementType = result.elementType;
  bool isKnown = true;
  for (OpFoldResult size : result.sizes) {
    std::optional<OpFoldResult> outer = emitter.sizes.transfer(inner, size);
    isKnown &= outer.has_value();
    row.sizes.push_back(outer.value_or(size));
  }
  bool isSame = isKnown && rows[i] && rows[i]->elementType == row.elementType && rows[i]->rank() == row.rank();
  for (int64_t d = 0; isSame && d < row.rank(); ++d)
    isSame = emitter.sizes.equal(rows[i]->sizes[d], row.sizes[d]);
  attempt.outside = emitter.save();
  emitter.restore(std::move(here));
  if (!isKnown)
    return fail(describeOutput(i) + " has a size that only an iteration knows; all must be of one shape");
  if (isSame)
    return Step::Done;
  if (rows[i])
    return fail(describeOutput(i) + " has no fixed shape");
  rows[i] = row;
  return Step::Again;
}

//===--- Values that cross the loop's border ---------------------------------------------------------------------===//

RankedTensorType LoopImporter::typeOf(const Carried &how) const {
  SmallVector<int64_t> shape = shapeOf(how.initial.sizes);
  for (auto [size, varies] : llvm::zip_equal(shape, how.varies))
    if (varies)
      size = ShapedType::kDynamic;
  return RankedTensorType::get(shape, storageType(how.initial.elementType));
}

void LoopImporter::flatten(Carried &how, Tensor tensor, SmallVectorImpl<Value> &values) {
  if (how.asContents) {
    for (OpFoldResult element : *tensor.contents)
      values.push_back(emitter.sizes.value(element));
    return;
  }
  Value value = emitter.value(tensor);
  if (value.getType() != typeOf(how))
    value = tensor::CastOp::create(emitter.builder, emitter.loc, typeOf(how), value);
  values.push_back(value);
  for (auto [size, varies] : llvm::zip_equal(tensor.sizes, how.varies))
    if (varies)
      values.push_back(emitter.sizes.value(size));
}

Tensor LoopImporter::unflatten(const Carried &how, ValueRange &values) {
  auto take = [&]() -> Value {
    Value value = values.front();
    values = values.drop_front();
    return value;
  };
  SizeList contents, sizes = how.initial.sizes;
  if (how.asContents) {
    Sizes::Range whole = Sizes::rangeOf(how.initial.elementType);
    Sizes::Range counter{0, std::min(Sizes::kMostElements, whole.most)};
    for (bool isNonNegative : how.nonNegative)
      contents.push_back(emitter.sizes.integer(take(), isNonNegative ? counter : whole));
    return emitter.fromContents(how.initial.elementType, sizes, std::move(contents));
  }
  Value value = take();
  for (auto [size, varies] : llvm::zip_equal(sizes, how.varies))
    if (varies)
      size = emitter.sizes.atom(take());
  return emitter.fromValue(value, sizes, how.initial.elementType);
}

SizeList LoopImporter::bufferSizes(size_t i, OpFoldResult count) {
  SizeList sizes{count};
  llvm::append_range(sizes, rows[i]->sizes);
  return sizes;
}

SmallVector<Value> LoopImporter::initialValues() {
  SmallVector<Value> values;
  for (Carried &how : carried)
    flatten(how, how.initial, values);
  return values;
}

Tensor LoopImporter::scannedRow(size_t i, Value iteration) {
  Sizes &sizes = emitter.sizes;
  Tensor &source = plan.scanned[i];
  OpFoldResult at = sizes.atom(iteration);
  if (plan.scannedBackward[i])
    at = sizes.sub(sizes.sub(source.sizes[0], sizes.constant(1)), at);
  SizeList offsets(source.rank(), sizes.constant(0)), extents = source.sizes;
  offsets[0] = at;
  extents[0] = sizes.constant(1);
  Tensor row = emitter.slice(source, offsets, extents, SmallVector<int64_t>(source.rank(), 1));
  return emitter.reshape(row, ArrayRef<OpFoldResult>(extents).drop_front());
}

// The emitter stands at the start of the body, which gets these values.
void LoopImporter::fillInputs(Attempt &attempt, ValueRange values) {
  Sizes &sizes = emitter.sizes;
  if (plan.isLoop) {
    OpFoldResult iteration = sizes.integer(attempt.iteration, {0, Sizes::kMostElements});
    // A known bound shows that slices at the iteration are not cut off.
    if (std::optional<int64_t> trips = plan.trips ? getConstantIntValue(plan.trips) : std::nullopt; trips && *trips > 0)
      iteration = sizes.min(iteration, sizes.constant(*trips - 1));
    attempt.inputs.push_back(emitter.fromContents(emitter.builder.getI64Type(), {}, {iteration}));
    attempt.inputs.push_back(emitter.fromContents(emitter.builder.getI1Type(), {}, {sizes.constant(1)}));
  }
  for (Carried &how : carried)
    attempt.inputs.push_back(unflatten(how, values));
  attempt.buffers.assign(values.begin(), values.end());
  for (size_t i = 0; i < plan.scanned.size(); ++i)
    attempt.inputs.push_back(scannedRow(i, attempt.iteration));
}

//===--- A known number of iterations ----------------------------------------------------------------------------===//

void LoopImporter::openFor(Attempt &attempt) {
  OpBuilder &b = emitter.builder;
  Sizes &sizes = emitter.sizes;
  for (Tensor &tensor : plan.scanned)
    emitter.value(tensor);
  SmallVector<Value> inits = initialValues();
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i])
      inits.push_back(emitter.empty(rows[i]->elementType, bufferSizes(i, plan.trips)).value);
  Value zero = sizes.value(sizes.constant(0)), one = sizes.value(sizes.constant(1)), end = sizes.value(plan.trips);
  auto op = scf::ForOp::create(b, emitter.loc, zero, end, one, inits);
  if (llvm::none_of(carried, [](const Carried &how) { return llvm::is_contained(how.varies, true); }))
    op->setAttr(kKeepsShapesAttr, b.getUnitAttr());
  attempt.op = op;
  attempt.outside = emitter.save();
  attempt.iteration = op.getInductionVar();
  b.setInsertionPointToStart(op.getBody());
  fillInputs(attempt, op.getRegionIterArgs());
}

void LoopImporter::closeFor(Attempt &attempt, SmallVector<Tensor> &outputs) {
  OpBuilder &b = emitter.builder;
  Sizes &sizes = emitter.sizes;
  SmallVector<Value> yielded;
  ArrayRef<Tensor> results = ArrayRef<Tensor>(attempt.results).drop_front(plan.isLoop ? 1 : 0);
  for (auto [how, result] : llvm::zip(carried, results))
    flatten(how, result, yielded);
  OpFoldResult at = sizes.atom(attempt.iteration), last = sizes.sub(plan.trips, sizes.constant(1));
  for (size_t i = 0; i < rows.size(); ++i)
    yielded.push_back(written(i, attempt, plan.outputsBackward[i] ? sizes.sub(last, at) : at));
  scf::YieldOp::create(b, emitter.loc, yielded);
  emitter.restore(std::move(attempt.outside));
  finish(attempt.op->getResults(), plan.trips, plan.trips, outputs);
}

void LoopImporter::finish(ValueRange values, OpFoldResult count, OpFoldResult room, SmallVector<Tensor> &outputs) {
  for (Carried &how : carried)
    outputs.push_back(unflatten(how, values));
  for (size_t i = 0; i < rows.size(); ++i) {
    Tensor all = emitter.fromValue(values[i], bufferSizes(i, room), rows[i]->elementType);
    SizeList offsets(all.rank(), emitter.sizes.constant(0));
    SmallVector<int64_t> steps(all.rank(), 1);
    outputs.push_back(room == count ? all : emitter.slice(all, offsets, bufferSizes(i, count), steps));
  }
}

//===--- A number of iterations that data tell -------------------------------------------------------------------===//

// Carries the iteration, whether to go on, the room that scan outputs have, then the same as an scf.for.
void LoopImporter::openWhile(Attempt &attempt) {
  OpBuilder &b = emitter.builder;
  Sizes &sizes = emitter.sizes;
  Value start = sizes.value(sizes.constant(0)), goesOn, end;
  if (plan.condition)
    goesOn = readCondition(emitter, *plan.condition);
  else
    goesOn = arith::ConstantIntOp::create(b, loc, 1, 1);
  if (plan.trips)
    end = sizes.value(plan.trips);
  SmallVector<Value> inits{start, goesOn};
  if (!rows.empty())
    inits.push_back(sizes.value(sizes.constant(kFirstRoom)));
  unsigned first = inits.size();
  llvm::append_range(inits, initialValues());
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i]) {
      SizeList extent = bufferSizes(i, sizes.constant(kFirstRoom));
      Tensor zeros = emitter.filled(rows[i]->elementType, extent, makeAttribute(rows[i]->elementType, 0));
      SmallVector<int64_t> shape = shapeOf(extent);
      shape[0] = ShapedType::kDynamic;
      inits.push_back(tensor::CastOp::create(b, loc, zeros.type().clone(shape), emitter.value(zeros)));
    }
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto op = scf::WhileOp::create(
      b, loc, types, inits,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        Value holds = arguments[1];
        if (end) {
          Value isLeft = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::slt, arguments[0], end);
          holds = arith::AndIOp::create(inner, loc, holds, isLeft);
        }
        scf::ConditionOp::create(inner, loc, holds, arguments);
      },
      nullptr);
  attempt.op = op;
  attempt.outside = emitter.save();
  b.setInsertionPointToStart(op.getAfterBody());
  attempt.iteration = op.getAfterArguments()[0];
  attempt.room = rows.empty() ? Value() : op.getAfterArguments()[2];
  fillInputs(attempt, op.getAfterArguments().drop_front(first));
}

// The buffer, of twice as many rows if all have been written. In the other case it stays where it is.
Value LoopImporter::grown(size_t i, Attempt &attempt, Value isFull) {
  OpBuilder &b = emitter.builder;
  Value buffer = attempt.buffers[i];
  auto type = cast<RankedTensorType>(buffer.getType());
  auto branch = scf::IfOp::create(b, loc, TypeRange{type}, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  SmallVector<OpFoldResult> low(type.getRank(), b.getIndexAttr(0)), high(low);
  high[0] = attempt.room;
  scf::YieldOp::create(b, loc, tensor::PadOp::create(b, loc, type, buffer, low, high, zero).getResult());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, buffer);
  return branch.getResult(0);
}

// The buffer with this iteration's row at `at`.
Value LoopImporter::written(size_t i, Attempt &attempt, OpFoldResult at) {
  Sizes &sizes = emitter.sizes;
  Tensor row = attempt.results[attempt.results.size() - rows.size() + i];
  SizeList extents = bufferSizes(i, sizes.constant(1)), offsets(extents.size(), sizes.constant(0)),
           strides(extents.size(), sizes.constant(1));
  if (llvm::any_of(extents, [](OpFoldResult size) { return getConstantIntValue(size) == 0; }))
    return attempt.buffers[i];
  offsets[0] = at;
  Value source = emitter.value(row);
  return tensor::InsertSliceOp::create(emitter.builder, emitter.loc, source, attempt.buffers[i], offsets, extents,
                                       strides);
}

// The room and the buffers with this iteration's rows, as the loop hands them on: the room before what it carries.
void LoopImporter::appendRows(Attempt &attempt, SmallVectorImpl<Value> &values) {
  if (rows.empty())
    return;
  OpBuilder &b = emitter.builder;
  Value isFull = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, attempt.iteration, attempt.room);
  for (size_t i = 0; i < rows.size(); ++i) {
    attempt.buffers[i] = grown(i, attempt, isFull);
    values.push_back(written(i, attempt, emitter.sizes.atom(attempt.iteration)));
  }
  Value twice = arith::AddIOp::create(b, loc, attempt.room, attempt.room);
  values.insert(values.begin(), arith::SelectOp::create(b, loc, isFull, twice, attempt.room).getResult());
}

void LoopImporter::closeWhile(Attempt &attempt, SmallVector<Tensor> &outputs) {
  OpBuilder &b = emitter.builder;
  Sizes &sizes = emitter.sizes;
  Value next = sizes.value(sizes.add(sizes.atom(attempt.iteration), sizes.constant(1)));
  SmallVector<Value> rest;
  for (auto [how, result] : llvm::zip(carried, ArrayRef<Tensor>(attempt.results).drop_front()))
    flatten(how, result, rest);
  appendRows(attempt, rest);
  // Read last: the host waits for all that it depends on.
  SmallVector<Value> yielded{next, readCondition(emitter, attempt.results.front())};
  llvm::append_range(yielded, rest);
  scf::YieldOp::create(b, emitter.loc, yielded);
  emitter.restore(std::move(attempt.outside));
  ValueRange results = attempt.op->getResults();
  OpFoldResult count = sizes.atom(results[0]), room = rows.empty() ? count : sizes.atom(results[2]);
  finish(results.drop_front(rows.empty() ? 2 : 3), count, room, outputs);
}
