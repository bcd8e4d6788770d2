// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/GPU/GpuNest.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Border.h"
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- Plan ----------------------------------------------------------------------------------------------------===//

namespace {

// A reduction is shared by a workgroup from this many elements on, where there are not too many results.
constexpr int64_t kLongReduction = 128, kFewResults = 4096;
// From this many on it is however many results there are: drivers end loops that are long (LoopLimit.h).
constexpr int64_t kEndlessReduction = 1 << 14;

class GpuPlanner {
public:
  GpuPlanner(Value value, int64_t binding, const gpu::GpuFeatures &features, bool isAlone)
      : analysis(analyze(value, {})), type(cast<RankedTensorType>(value.getType())), features(features),
        isAlone(isAlone) {
    nest.value = value;
    nest.binding = binding;
  }

  GpuNest run() {
    chooseRows();
    nest.isRows = !rows.empty() || sharesAll;
    if (!nest.isRows && isAlone)
      nest.panels = planGpuPanels(nest.value, analysis, features);
    if (!nest.isRows && !nest.panels)
      nest.tile = planGpuTile(nest.value, analysis);
    if (!nest.isRows && !nest.panels && !nest.tile && !wholes.empty())
      chooseAtCall();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      (rows.contains(dim) ? nest.rowDims : nest.innerDims).push_back(dim);
    if (nest.isRows)
      for (const NeededOp &needed : analysis.ops)
        addStep(needed);
    return std::move(nest);
  }

private:
  // Rows are what a reduction depends on that does not depend on all of an element's position.
  void chooseRows() {
    for (const NeededOp &needed : analysis.ops) {
      if (!needed.isReduction)
        continue;
      std::optional<SmallVector<int64_t>> position = analysis.getPosition(needed);
      if (!position)
        continue;
      if (dependsOnAll(*position)) {
        if (isLong(needed.op) && getGpuCombiners(needed.op))
          wholes.push_back(needed.op);
        continue;
      }
      sharesAll |= llvm::all_of(*position, [](int64_t dim) { return dim < 0; });
      for (int64_t dim : *position)
        if (dim >= 0)
          rows.insert(dim);
    }
    if (rows.empty() && !sharesAll && !wholes.empty() && type.hasStaticShape() &&
        type.getNumElements() <= kFewResults) {
      sharesAll = true;
      takeAllDims();
    }
  }

  // Where sizes that only the call tells decide between rows and elements, or known ones ask for rows.
  void chooseAtCall() {
    bool isKnown = type.hasStaticShape(), isEndless = false;
    for (linalg::GenericOp op : wholes) {
      std::optional<int64_t> length = reducedElements(op);
      isKnown &= length.has_value();
      isEndless |= length && *length >= kEndlessReduction;
    }
    if (isKnown && !isEndless)
      return;
    if (!isEndless)
      nest.longReductions = wholes;
    nest.isRows = sharesAll = true;
    takeAllDims();
  }

  // Of one element; none where only the call tells.
  static std::optional<int64_t> reducedElements(linalg::GenericOp op) {
    int64_t elements = 1;
    for (auto [size, kind] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction) {
        if (ShapedType::isDynamic(size))
          return std::nullopt;
        elements *= size;
      }
    return elements;
  }

  void takeAllDims() {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      rows.insert(dim);
  }

  bool dependsOnAll(ArrayRef<int64_t> position) const {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) != 1 && !llvm::is_contained(position, dim))
        return false;
    return true;
  }

  static bool isLong(linalg::GenericOp op) { return reducedElements(op).value_or(kLongReduction) >= kLongReduction; }

  void addStep(const NeededOp &needed) {
    std::optional<SmallVector<int64_t>> position = analysis.getPosition(needed);
    auto isOfRow = [&](int64_t dim) { return dim < 0 || rows.contains(dim); };
    if (needed.isReduction && position && llvm::all_of(*position, isOfRow)) {
      nest.steps.push_back({needed.op, *position, std::nullopt});
      return;
    }
    bool readAgain = needed.readers.size() > 1 || (needed.isReduction && !position);
    if (readAgain)
      addRowStep(needed);
  }

  // A row of the op's result, where all of its readers are in the row and walk one dimension.
  void addRowStep(const NeededOp &needed) {
    GpuStep step{needed.op, {}, std::nullopt};
    for (size_t i = 0; i < needed.accesses.front().size(); ++i) {
      AffineExpr first = needed.accesses.front()[i];
      auto dim = dyn_cast<AffineDimExpr>(first);
      auto constant = dyn_cast<AffineConstantExpr>(first);
      bool agreed = llvm::all_of(needed.accesses, [&](ArrayRef<AffineExpr> access) { return access[i] == first; });
      if (agreed && dim && rows.contains(dim.getPosition())) {
        step.position.push_back(dim.getPosition());
      } else if (agreed && constant && constant.getValue() == 0) {
        step.position.push_back(-1);
      } else if (!step.walked) {
        step.walked = i;
        step.position.push_back(-1);
      } else {
        return;
      }
    }
    if (step.walked && !getElementTypeOrSelf(needed.op->getResult(0).getType()).isIndex())
      nest.steps.push_back(step);
  }

  NestAnalysis analysis;
  RankedTensorType type;
  const gpu::GpuFeatures &features;
  bool isAlone;
  GpuNest nest;
  llvm::SmallSetVector<int64_t, 6> rows;
  bool sharesAll = false;                // some reduction is the same for all elements
  SmallVector<linalg::GenericOp> wholes; // long reductions of which each element has its own
};

} // namespace

GpuNest mlir::heddle::codegen::planGpuNest(Value value, int64_t binding, const gpu::GpuFeatures &features,
                                           bool isAlone) {
  return GpuPlanner(value, binding, features, isAlone).run();
}

std::string mlir::heddle::codegen::describe(const GpuNest &nest, const gpu::GpuFeatures &features) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (nest.isBorder)
    stream << "border, workgroups of " << features.invocations;
  else if (nest.isRows)
    stream << "rows by workgroups of " << features.invocations << ", " << nest.steps.size() << " steps"
           << (nest.longReductions.empty() ? "" : ", or elements where sizes say so");
  else if (nest.panels)
    stream << "blocks of " << nest.panels->block.rows() << "x" << nest.panels->block.columns() << "x"
           << nest.panels->block.depth << ", tiles of " << nest.panels->block.tileRows << "x"
           << nest.panels->block.tileColumns << ", workgroups of " << features.invocations;
  else if (nest.tile)
    stream << "tiles of " << nest.tile->rows << "x" << nest.tile->columns << ", workgroups of " << features.invocations;
  else
    stream << "elements, workgroups of " << features.invocations;
  return text;
}

//===--- Emission ------------------------------------------------------------------------------------------------===//

static SmallVector<Value> pick(ArrayRef<Value> sizes, ArrayRef<unsigned> dims) {
  return llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; });
}

// Whether a nest with `longReductions` has a workgroup for each element.
static Value choosesRows(const GpuNest &nest, FunctionScalars &scalars) {
  OpBuilder &builder = scalars.getBuilder();
  Location loc = nest.value.getLoc();
  Value length = scalars.constant(0);
  for (linalg::GenericOp op : nest.longReductions) {
    SmallVector<Value> sizes = scalars.loopSizes(op), reduced;
    for (auto [size, kind] : llvm::zip(sizes, op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction)
        reduced.push_back(size);
    length = scalars.max(length, scalars.product(reduced));
  }
  auto less = [&](Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a, b);
  };
  Value isLong = less(scalars.constant(kLongReduction - 1), length),
        isEndless = less(scalars.constant(kEndlessReduction - 1), length);
  Value isFew = less(scalars.product(scalars.sizes(nest.value)), scalars.constant(kFewResults + 1));
  Value pays = builder.createOrFold<arith::AndIOp>(loc, isLong, isFew);
  return builder.createOrFold<arith::OrIOp>(loc, pays, isEndless);
}

Value mlir::heddle::codegen::countWorkgroups(const GpuNest &nest, FunctionScalars &scalars,
                                             const gpu::GpuFeatures &features) {
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  if (nest.panels)
    return countBlocks(nest, scalars);
  if (nest.tile)
    return scalars.ceilDiv(countTiles(nest, scalars), features.invocations);
  if (!nest.isRows)
    return scalars.ceilDiv(scalars.product(sizes), features.invocations);
  // Nothing to do where the rows have no elements.
  Value rows = scalars.product(pick(sizes, nest.rowDims)), inner = scalars.product(pick(sizes, nest.innerDims));
  Value asRows = scalars.mul(rows, scalars.min(inner, scalars.constant(1)));
  if (nest.longReductions.empty())
    return asRows;
  Value asElements = scalars.ceilDiv(rows, features.invocations);
  return scalars.getBuilder().createOrFold<arith::SelectOp>(nest.value.getLoc(), choosesRows(nest, scalars), asRows,
                                                            asElements);
}

namespace {

class GpuRowEmitter {
public:
  GpuRowEmitter(const GpuNest &nest, ElementEmitter &emitter, const gpu::GpuFeatures &features, Value invocation,
                const Buffer &output)
      : nest(nest), emitter(emitter), lanes(emitter.lanes), features(features), invocation(invocation), output(output),
        sizes(emitter.scalars.sizes(nest.value)), index(sizes.size(), lanes.constant(0)) {}

  void emitElements(Value workgroup) {
    OpBuilder &builder = lanes.builder;
    Value begin = builder.createOrFold<arith::MulIOp>(lanes.loc, workgroup, lanes.index(features.invocations));
    Value at = builder.createOrFold<arith::AddIOp>(lanes.loc, begin, invocation);
    if (nest.tile)
      return emitter.when(less(at, countTiles(nest, emitter.scalars)), [&] { emitTile(nest, emitter, at, output); });
    emitter.when(less(at, emitter.scalars.product(sizes)), [&] {
      setIndex(nest.isRows ? nest.rowDims : nest.innerDims, at);
      nest.isBorder ? storeBorder() : store();
    });
  }

  void emitRow(Value row) {
    setIndex(nest.rowDims, row);
    // Rows of free size are kept where they turn out to fit, else computed again.
    Value fits;
    for (const GpuStep &step : nest.steps)
      if (Value size = step.walked ? freeSize(step) : Value()) {
        Value one = less(size, lanes.index(capacity(step) + 1));
        fits = fits ? lanes.builder.createOrFold<arith::AndIOp>(lanes.loc, fits, one) : one;
      }
    if (!fits)
      return emitSteps(true);
    emitter.either(fits, [&] { emitSteps(true); }, [&] { emitSteps(false); });
  }

private:
  void emitSteps(bool keepFree) {
    int64_t used = 0;
    for (const GpuStep &step : nest.steps) {
      if (!step.walked) {
        emitReduction(step);
        continue;
      }
      bool isFree = freeSize(step) != nullptr;
      int64_t elements = isFree ? capacity(step) : staticSize(step);
      int64_t bytes = elements * rowBytes(step);
      if ((isFree && !keepFree) || (!isFree && used + bytes > rowBudget()))
        continue;
      used += isFree ? 0 : bytes;
      emitSharedRow(step, elements);
    }
    emitInner();
    for (const GpuStep &step : nest.steps)
      for (Value result : step.op->getResults())
        emitter.unbind(result);
  }

  void emitReduction(const GpuStep &step) {
    SmallVector<LaneValue> values = emitSharedReduction(emitter, step.op, positionOf(step), features, invocation);
    for (auto [result, value] : llvm::zip(step.op->getResults(), values))
      emitter.bind(result, value);
  }

  // The invocations compute a row together and wait for each other.
  void emitSharedRow(const GpuStep &step, int64_t elements) {
    SmallVector<LaneValue> at = positionOf(step);
    SmallVector<Buffer> buffers;
    for (Value result : step.op->getResults()) {
      Type element = cast<RankedTensorType>(result.getType()).getElementType();
      auto type = MemRefType::get({elements}, emitter.memoryType(element));
      Value memory = kernel::SharedOp::create(lanes.builder, lanes.loc, type);
      buffers.push_back({memory, element, {*step.walked}, {lanes.index(1)}, {Value()}});
    }
    Value size = emitter.scalars.size(step.op->getResult(0), *step.walked);
    emitter.loop(invocation, size, features.invocations, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      at[*step.walked] = LaneValue::uniform(i);
      for (auto [result, buffer] : llvm::zip(step.op->getResults(), buffers))
        emitter.store(buffer, at, emitter.evaluate(result, at));
      return {};
    });
    kernel::BarrierOp::create(lanes.builder, lanes.loc);
    for (auto [result, buffer] : llvm::zip(step.op->getResults(), buffers))
      emitter.bind(result, buffer);
  }

  void emitInner() {
    Value total = emitter.scalars.product(pick(sizes, nest.innerDims));
    emitter.loop(invocation, total, features.invocations, {}, [&](Value at, ValueRange) -> SmallVector<Value> {
      setIndex(nest.innerDims, at);
      store();
      return {};
    });
  }

  void setIndex(ArrayRef<unsigned> dims, Value linear) {
    LaneValue rest = LaneValue::uniform(linear);
    auto isUnit = [&](unsigned dim) { return getConstant(sizes[dim]) == 1; };
    const unsigned *outermost = llvm::find_if_not(dims, isUnit);
    for (unsigned dim : llvm::reverse(dims)) {
      if (isUnit(dim)) {
        index[dim] = lanes.constant(0);
      } else if (dim == *outermost) {
        index[dim] = rest;
      } else {
        index[dim] = lanes.mod(rest, LaneValue::uniform(sizes[dim]));
        rest = lanes.floorDiv(rest, LaneValue::uniform(sizes[dim]));
      }
    }
  }

  void storeBorder() {
    tensor::PadOp pad = nest.pad;
    emitter.when(isInBorder(emitter, pad, index), [&] {
      emitter.store(output, index, LaneValue::uniform(emitter.scalars.get(pad.getConstantPaddingValue())));
    });
  }

  void store() { emitter.store(output, index, emitter.evaluate(nest.value, index)); }

  SmallVector<LaneValue> positionOf(const GpuStep &step) {
    return llvm::map_to_vector(step.position, [&](int64_t dim) { return dim < 0 ? lanes.constant(0) : index[dim]; });
  }

  Value less(Value a, Value b) {
    return lanes.builder.createOrFold<arith::CmpIOp>(lanes.loc, arith::CmpIPredicate::ult, a, b);
  }

  int64_t staticSize(const GpuStep &step) const {
    return cast<RankedTensorType>(step.op->getResult(0).getType()).getDimSize(*step.walked);
  }
  // Null where it is known now.
  Value freeSize(const GpuStep &step) {
    return ShapedType::isDynamic(staticSize(step)) ? emitter.scalars.size(step.op->getResult(0), *step.walked)
                                                   : Value();
  }
  // Bytes of one element of all of the op's results.
  int64_t rowBytes(const GpuStep &step) const {
    int64_t bytes = 0;
    for (Type type : step.op->getResultTypes())
      bytes += storageBytes(cast<RankedTensorType>(type).getElementType());
    return bytes;
  }
  // Half of shared memory is for rows of free size where there are some, an eighth for reductions.
  int64_t rowBudget() const {
    bool anyFree = llvm::any_of(
        nest.steps, [&](const GpuStep &step) { return step.walked && ShapedType::isDynamic(staticSize(step)); });
    return anyFree ? features.sharedBytes / 4 : features.sharedBytes * 3 / 4;
  }
  int64_t capacity(const GpuStep &step) const {
    int64_t bytes = 0;
    for (const GpuStep &other : nest.steps)
      if (other.walked && ShapedType::isDynamic(staticSize(other)))
        bytes += rowBytes(other);
    return features.sharedBytes / 2 / bytes;
  }

  const GpuNest &nest;
  ElementEmitter &emitter;
  LaneBuilder &lanes;
  const gpu::GpuFeatures &features;
  Value invocation;
  const Buffer &output;
  SmallVector<Value> sizes;
  SmallVector<LaneValue> index;
};

} // namespace

void mlir::heddle::codegen::emitWorkgroup(const GpuNest &nest, ElementEmitter &emitter,
                                          const gpu::GpuFeatures &features, Value workgroup, Value invocation,
                                          const Buffer &output) {
  if (nest.panels)
    return emitBlock(nest, emitter, workgroup, invocation, output);
  GpuRowEmitter rows(nest, emitter, features, invocation, output);
  if (nest.longReductions.empty())
    return nest.isRows ? rows.emitRow(workgroup) : rows.emitElements(workgroup);
  emitter.either(
      choosesRows(nest, emitter.scalars), [&] { rows.emitRow(workgroup); }, [&] { rows.emitElements(workgroup); });
}
