// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/RankProgram.h"

#include "compiler/Dialect/Flow/Transforms/Factors.h"
#include "compiler/Dialect/Flow/Transforms/Shards.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::ShardingAttr;

static void eraseUnread(func::FuncOp function);

LogicalResult RankProgram::run() {
  openArguments();
  if (failed(rewriteBlock(function.getBody().front()))) {
    for (auto [whole, local] : llvm::zip_equal(shadow->getArguments(), function.getArguments()))
      whole.replaceAllUsesWith(local); // whoever is left keeps an operand
    return failure();
  }
  for (Operation *op : llvm::reverse(dead)) {
    op->dropAllUses(); // by others that are dead
    op->erase();
  }
  eraseUnread(function);
  function->removeAttr(kWholeProgramAttr);
  return success();
}

LogicalResult RankProgram::rewriteBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(rewrite(&op)) || values.hasFailed())
      return failure();
  return success();
}

LogicalResult RankProgram::rewrite(Operation *op) {
  if (isa<flow::ShardOp>(op))
    return rewriteShard(op);
  if (isa<flow::PartOp>(op))
    return rewritePart(op);
  if (isa<flow::WholeOp>(op))
    return rewriteWhole(op);
  if (isa<scf::ForOp>(op))
    return rewriteFor(op);
  if (isa<scf::WhileOp>(op))
    return rewriteWhile(op);
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op))
    return rewriteBranch(op);
  if (isa<func::ReturnOp>(op))
    return closeResults(op);
  if (isa<scf::YieldOp, scf::ConditionOp>(op)) // by the op around
    return success();
  if (isa<tensor::DimOp>(op) && replaceDim(op))
    return success();
  if (isa<flow::CollectiveOpInterface>(op) && failed(verifyCollective(op)))
    return failure();
  auto loops = op->getAttrOfType<ShardingAttr>(kShardLoopsAttr);
  op->removeAttr(kShardLoopsAttr);
  bool isOwn = op->getNumResults() != 0 && own.contains(op->getResult(0));
  if (loops && !isOwn && values.simplify(loops))
    return rewriteCut(op, loops);
  if (auto pad = dyn_cast<tensor::PadOp>(op); pad && isReadThrough(pad)) {
    keepForOthers(pad);
    return success();
  }
  keep(op);
  return success();
}

// The readers read what is padded, of which the op tells them; a copy is for those that read all of it after all.
void RankProgram::keepForOthers(tensor::PadOp op) {
  OpBuilder builder(op);
  auto copy = cast<tensor::PadOp>(builder.clone(*op));
  keep(copy);
  values.define(op.getResult(), copy.getResult(), {});
  drop(op);
}

// Copies that nobody reads, with what only they read.
static void eraseUnread(func::FuncOp function) {
  llvm::SetVector<Operation *> left;
  function.walk([&](tensor::PadOp pad) { left.insert(pad); });
  while (!left.empty()) {
    Operation *op = left.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *made = operand.getDefiningOp())
        left.insert(made);
    op->erase();
  }
}

//===--- Requests and borders ------------------------------------------------------------------------------------===//

LogicalResult RankProgram::rewriteShard(Operation *op) {
  auto request = cast<flow::ShardOp>(op);
  if (own.contains(request.getOperand()))
    return op->emitOpError() << "asks how ranks share what is one rank's own; write flow.whole in front of it";
  ShardingAttr asked = request.getSharding(), loops = op->getAttrOfType<ShardingAttr>(kShardLoopsAttr);
  ShardingAttr basis = loops ? loops : asked;
  SmallVector<flow::GranuleAttr> granules;
  for (int64_t dim = 0; dim < basis.getRank(); ++dim)
    granules.push_back(basis.getGranule(dim));
  auto sharding =
      ShardingAttr::getNormalized(asked.getMesh(), basis.getAxes(), granules, asked.getPartial(), asked.getReduction());
  auto type = cast<RankedTensorType>(request.getResult().getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t factor = sharding.getGranule(dim).getFactor();
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) % factor)
      return op->emitOpError() << "cuts dimension " << dim << " of " << type << " at multiples of " << factor
                               << ", which does not divide it";
  }
  checkGranules(op, request.getOperand(), sharding);
  Value local = values.get(op, request.getOperand(), sharding);
  values.defineShard(request.getResult(), request.getOperand(), local, sharding);
  drop(op);
  return success();
}

// What a granule leaves of a size that only the call tells would be in no part.
void RankProgram::checkGranules(Operation *op, Value whole, ShardingAttr sharding) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  for (int64_t dim = 0; dim < sharding.getRank(); ++dim) {
    flow::GranuleAttr granule = sharding.getGranule(dim);
    if (!cast<RankedTensorType>(whole.getType()).isDynamicDim(dim) || !sharding.isCut(dim) || granule.isOne() ||
        !values.isDefined(whole))
      continue;
    OpFoldResult size = values.getSizes(whole)[dim], step = flow::buildGranule(builder, loc, granule);
    OpFoldResult covered = flow::buildProduct(builder, loc, flow::buildQuotient(builder, loc, size, step), step);
    auto index = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(builder, loc, value); };
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index(covered), index(size));
    std::string multiples = std::to_string(granule.getFactor());
    for (StringAttr name : granule.getNames())
      multiples += " * '" + name.str() + "'";
    std::string message =
        llvm::formatv("dimension {0} is to be cut at multiples of {1}, which does not divide its size", dim, multiples);
    flow::CheckOp::create(builder, loc, holds, builder.getStringAttr(message));
  }
}

LogicalResult RankProgram::rewritePart(Operation *op) {
  auto part = cast<flow::PartOp>(op);
  if (own.contains(part.getOperand()))
    return op->emitOpError() << "takes a part of what is one rank's own; write flow.whole in front of it";
  checkGranules(op, part.getOperand(), part.getSharding());
  OpBuilder builder(op);
  Value local = values.get(op, part.getOperand(), part.getSharding());
  values.defineOwn(part.getResult(), castTo(builder, op->getLoc(), local, part.getResult().getType()));
  drop(op);
  return success();
}

LogicalResult RankProgram::rewriteWhole(Operation *op) {
  auto whole = cast<flow::WholeOp>(op);
  OpBuilder builder(op);
  // What no border made is a constant, or a value of all ranks: its copies are what each of them has.
  Value local = values.get(op, whole.getOperand(), {});
  ShardingAttr sharding = whole.getSharding();
  Type type = values.getType(whole.getResult(), sharding);
  values.define(whole.getResult(), castTo(builder, op->getLoc(), local, type), sharding,
                getMixedValues(whole.getResult().getType().getShape(), whole.getDims(), op->getContext()));
  drop(op);
  return success();
}

// Whether the value is made of constants, the same program on every rank.
static bool isConstantWork(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && !isa<flow::ShardOp>(op) && llvm::all_of(op->getOperands(), isConstantWork);
}

LogicalResult RankProgram::verifyCollective(Operation *op) {
  Value operand = cast<flow::CollectiveOpInterface>(op).getOperand();
  if (own.contains(operand) || isConstantWork(operand))
    return success();
  return op->emitOpError()
         << "is met with a whole value, which ranks share as the compiler decides; what is written for "
            "one rank begins with flow.part and ends with flow.whole";
}

//===--- Ops -----------------------------------------------------------------------------------------------------===//

// A size of a whole value is the whole's.
bool RankProgram::replaceDim(Operation *op) {
  auto dim = cast<tensor::DimOp>(op);
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!index || !values.isDefined(dim.getSource()) || own.contains(dim.getSource()))
    return false;
  OpBuilder builder(op);
  OpFoldResult size = values.getSizes(dim.getSource())[*index];
  dim.getResult().replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, op->getLoc(), size));
  op->erase();
  return true;
}

// The same in the regions of an op.
void RankProgram::replaceDims(Operation *op) {
  SmallVector<Operation *> dims;
  op->walk([&](tensor::DimOp dim) { dims.push_back(dim); });
  llvm::for_each(dims, [&](Operation *dim) { replaceDim(dim); });
}

// An op that every rank computes as it stands: of own values, or of whole operands.
void RankProgram::keep(Operation *op) {
  replaceDims(op);
  op->walk([&](Operation *nested) {
    for (OpOperand &operand : nested->getOpOperands())
      if (values.isDefined(operand.get()))
        operand.set(values.get(op, operand.get(), {}));
  });
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()) && !own.contains(result))
      values.define(result, result, {});
}

namespace {

// The factors of an op with their parts on this rank.
class CutOp {
public:
  CutOp(Operation *op, const flow::Factors &factors, ShardingAttr loops, LocalValues &values)
      : op(op), factors(factors), loops(loops), values(values), builder(op) {}

  SmallVector<flow::RankPart> buildParts() {
    device::MeshOp mesh = flow::getMesh(op, loops.getMesh());
    SmallVector<flow::RankPart> parts;
    for (unsigned i = 0; i < factors.factors.size(); ++i)
      parts.push_back(
          flow::buildRankPart(builder, op->getLoc(), mesh, loops.getDimAxes(i), loops.getGranule(i), getWhole(i)));
    return parts;
  }

  // What comes off where a reach begins.
  OpFoldResult sumBehind(const flow::Reach &reach) {
    OpFoldResult sum = builder.getIndexAttr(0);
    for (const flow::Extent &extent : reach.behind) {
      OpFoldResult size = extent.dim < 0 ? OpFoldResult(extent.value) : sizeOf(extent.value, extent.dim);
      if (!size)
        size = tensor::getMixedSize(builder, op->getLoc(), extent.value, extent.dim);
      sum = flow::buildSum(builder, op->getLoc(), sum, size);
    }
    return sum;
  }

  // The sizes of a result's whole, those that factors tell.
  SmallVector<OpFoldResult> getSizes(unsigned result, ArrayRef<flow::RankPart> parts) {
    SmallVector<OpFoldResult> sizes;
    for (ArrayRef<unsigned> dim : factors.results[result]) {
      OpFoldResult size;
      for (unsigned factor : dim)
        size = size ? flow::buildProduct(builder, op->getLoc(), size, parts[factor].whole) : parts[factor].whole;
      sizes.push_back(size);
    }
    return sizes;
  }

private:
  // Whole values are not there any more when the program is made; their sizes are.
  OpFoldResult sizeOf(Value tensor, int64_t dim) {
    return values.isDefined(tensor) ? values.getSizes(tensor)[dim] : OpFoldResult();
  }

  // How many positions a factor has: by a number, by an operand that walks it, by what it was traced to.
  OpFoldResult getWhole(unsigned factor) {
    ArrayRef<flow::Extent> extents = factors.factors[factor].extents;
    for (const flow::Extent &extent : extents)
      if (std::optional<int64_t> known = extent.getConstant())
        return builder.getIndexAttr(*known);
    for (auto [i, dims] : llvm::enumerate(factors.operands)) {
      Value operand = i < op->getNumOperands() ? op->getOperand(i) : factors.captured[i - op->getNumOperands()];
      for (auto [dim, walked] : llvm::enumerate(dims))
        if (ArrayRef<unsigned>(walked) == ArrayRef<unsigned>(factor) && values.isDefined(operand))
          return values.getSizes(operand)[dim];
    }
    auto size = [&](Value tensor, int64_t dim) { return sizeOf(tensor, dim); };
    for (const flow::Extent &extent : extents)
      if (extent.value && extent.dim >= 0 && values.isDefined(extent.value))
        return values.getSizes(extent.value)[extent.dim];
    return extents.empty() ? OpFoldResult(builder.getIndexAttr(1))
                           : flow::materialize(builder, op->getLoc(), extents.front(), size);
  }

  Operation *op;
  const flow::Factors &factors;
  ShardingAttr loops;
  LocalValues &values;
  OpBuilder builder;
};

} // namespace

// With what is a sum along the axes of `sums`, too.
static ShardingAttr addPartial(ShardingAttr sharding, ShardingAttr sums) {
  if (sums.getPartial().empty())
    return sharding;
  SmallVector<flow::GranuleAttr> granules;
  for (int64_t dim = 0; dim < sharding.getRank(); ++dim)
    granules.push_back(sharding.getGranule(dim));
  SmallVector<StringAttr> partial(sharding.getPartial());
  llvm::append_range(partial, sums.getPartial());
  return ShardingAttr::getNormalized(sharding.getMesh(), sharding.getAxes(), granules, partial, sums.getReduction());
}

// What comes off where a reach begins.
using BehindOf = llvm::function_ref<OpFoldResult(const flow::Reach &reach)>;

// The dimensions of an operand of which cut loops reach other positions than parts; none where it is not told of one of
// them which.
static SmallVector<WindowedDim> findWindows(const flow::Factors &factors, unsigned operand, ShardingAttr loops,
                                            ArrayRef<flow::RankPart> parts, BehindOf behindOf) {
  SmallVector<WindowedDim> windows;
  for (auto [dim, reach] : llvm::enumerate(factors.reaches[operand])) {
    if (!reach || !loops.isCut(reach->factor))
      continue;
    OpFoldResult size = parts[reach->factor].whole;
    flow::GranuleAttr granule = loops.getGranule(reach->factor);
    bool areOthersCut = llvm::any_of(reach->others, [&](unsigned other) { return loops.isCut(other); });
    if (!granule.getNames().empty() || areOthersCut)
      return {};
    windows.push_back({static_cast<int64_t>(dim),
                       loops.getDimAxes(reach->factor),
                       {reach->scale, reach->first, reach->extent,
                        getConstantIntValue(size).value_or(ShapedType::kDynamic), granule.getFactor()},
                       size});
    OpFoldResult behind = behindOf(*reach);
    if (std::optional<int64_t> known = getConstantIntValue(behind)) {
      windows.back().window.first -= *known;
    } else {
      windows.back().window.behind = kGuessedSize;
      windows.back().behind = behind;
    }
  }
  return windows;
}

// Of the padded positions that a part of a loop reads those that lie in front of the source and behind it.
static LocalPadding findPadding(OpBuilder &builder, Location loc, const WindowedDim &windowed,
                                const flow::RankPart &loop, int64_t low, int64_t high, OpFoldResult size) {
  const Window &window = windowed.window;
  auto number = [&](int64_t value) { return builder.getIndexAttr(value); };
  auto index = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(builder, loc, value); };
  auto clamp = [&](OpFoldResult value, OpFoldResult most) {
    Value least = builder.createOrFold<arith::MaxSIOp>(loc, index(value), index(number(0)));
    return getAsOpFoldResult(builder.createOrFold<arith::MinSIOp>(loc, least, index(most)));
  };
  flow::RankPart read = buildReadPart(
      builder, loc, loop,
      {number(window.scale), number(window.extent), buildFirst(builder, loc, windowed), number(low), number(high)},
      size);
  OpFoldResult end = flow::buildSum(builder, loc, read.begin, read.size);
  // All that the windows read is there, so its size is that of the part.
  std::optional<int64_t> positions = getConstantIntValue(loop.size), all;
  if (positions && *positions > 0)
    all = (*positions - 1) * window.scale + window.extent;
  return {clamp(flow::buildDifference(builder, loc, number(0), read.begin), read.size),
          clamp(flow::buildDifference(builder, loc, end, size), read.size), all};
}

// The windows of a padding as those of what is padded, which is then padded along the other dimensions, and along all
// of them where the padding is no zeros; null where that is not exchanged.
Value RankProgram::readPadded(Operation *op, const PaddedRead &read, ShardingAttr wanted,
                              SmallVector<WindowedDim> windows, ArrayRef<flow::RankPart> loops) {
  bool isExchanged = false;
  for (WindowedDim &windowed : windows) {
    int64_t low = read.low[windowed.dim], high = read.high[windowed.dim];
    windowed.window.first -= low;
    if (read.isOfZeros()) {
      windowed.window.low = low;
      windowed.window.high = high;
    }
    isExchanged |= read.isPadded(windowed.dim);
  }
  tensor::PadOp pad = read.pad;
  Value source = pad.getSource();
  if (!isExchanged || !values.isDefined(source) || own.contains(source))
    return {};
  Value reached = values.getWindows(op, source, wanted, windows);
  if (!reached || values.hasFailed())
    return reached;
  OpBuilder builder(op);
  SmallVector<OpFoldResult> sizes = values.getSizes(source);
  return padAround(builder, op->getLoc(), read, reached, [&](int64_t dim) -> std::optional<LocalPadding> {
    for (auto [windowed, loop] : llvm::zip_equal(windows, loops))
      if (windowed.dim == dim)
        return read.isOfZeros() ? std::nullopt
                                : std::optional(findPadding(builder, op->getLoc(), windowed, loop, read.low[dim],
                                                            read.high[dim], sizes[dim]));
    return LocalPadding{builder.getIndexAttr(read.low[dim]), builder.getIndexAttr(read.high[dim]), std::nullopt};
  });
}

LogicalResult RankProgram::rewriteCut(Operation *op, ShardingAttr decided) {
  std::optional<flow::Factors> factors = flow::findFactors(op);
  ShardingAttr loops = decided.withoutPartial();
  auto sums = op->getAttrOfType<DenseI64ArrayAttr>(kShardPartialAttr);
  op->removeAttr(kShardPartialAttr);
  auto takenWhole = op->getAttrOfType<DenseI64ArrayAttr>(kShardWholeAttr);
  op->removeAttr(kShardWholeAttr);
  if (!factors || static_cast<int64_t>(factors->factors.size()) != loops.getRank())
    return op->emitOpError() << "has " << kShardLoopsAttr << " of " << loops.getRank() << " factors, but the op has "
                             << (factors ? std::to_string(factors->factors.size()) : "none");
  replaceDims(op);
  CutOp cut(op, *factors, loops, values);
  SmallVector<flow::RankPart> parts = cut.buildParts();
  SmallVector<Value> operands(op->getOperands());
  llvm::append_range(operands, factors->captured);
  SmallVector<flow::Taken> taken;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    taken.emplace_back().dims.resize(factors->operands[i].size());
    if (!values.isDefined(operand))
      continue;
    ShardingAttr wanted = flow::operandSharding(*factors, i, loops);
    if (sums && llvm::is_contained(sums.asArrayRef(), static_cast<int64_t>(i)))
      wanted = addPartial(wanted, decided);
    SmallVector<WindowedDim> windows;
    if (!takenWhole || !llvm::is_contained(takenWhole.asArrayRef(), static_cast<int64_t>(i)))
      windows = findWindows(*factors, i, loops, parts, [&](const flow::Reach &reach) { return cut.sumBehind(reach); });
    std::optional<PaddedRead> padded = windows.empty() ? std::nullopt : findPaddedRead(*factors, i, operand);
    SmallVector<flow::RankPart> walked;
    for (const WindowedDim &windowed : windows)
      walked.push_back(parts[factors->reaches[i][windowed.dim]->factor]);
    Value reached = padded ? readPadded(op, *padded, wanted, windows, walked) : Value();
    if (!reached && !windows.empty())
      reached = values.getWindows(op, operand, wanted, windows);
    if (reached) {
      for (const WindowedDim &windowed : windows)
        taken.back().dims.set(windowed.dim);
      taken.back().whole = values.getSizes(operand);
      operand = reached;
    } else {
      operand = values.get(op, operand, wanted);
    }
  }
  OpBuilder builder(op);
  FailureOr<SmallVector<Value>> locals = flow::cloneOnParts(builder, op, *factors, loops, operands, parts, taken);
  if (failed(locals))
    return failure();
  for (auto [i, result, local] : llvm::enumerate(op->getResults(), *locals)) {
    ShardingAttr sharding = addPartial(flow::resultSharding(*factors, i, loops), decided);
    local = castTo(builder, op->getLoc(), local, values.getType(result, values.simplify(sharding)));
    values.define(result, local, sharding, cut.getSizes(i, parts));
  }
  drop(op);
  return success();
}
