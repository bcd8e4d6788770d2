// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Factors.h"

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Flow/Transforms/AlignedOps.h"
#include "compiler/Dialect/Flow/Transforms/Factors/IndexWalks.h"
#include "compiler/Dialect/Flow/Transforms/Factors/ReadFactors.h"
#include "compiler/Dialect/Flow/Transforms/Parts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::DimFactors;
using flow::Extent;
using flow::Factor;
using flow::Factors;
using flow::GranuleAttr;
using flow::Product;
using flow::Reduction;
using flow::ShardingAttr;

int64_t flow::rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

static void refuse(Factor &factor, const Twine &reason) {
  if (!factor.canBeCut())
    return;
  factor.kind = Factor::Kind::Whole;
  factor.reduction = std::nullopt;
  factor.reason = reason.str();
}

// Tensors that the regions read from outside, which come behind the operands.
static void addCaptured(Operation *op, Factors &result) {
  llvm::SetVector<Value> captured;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (flow::isFromOutside(op, operand))
          captured.insert(operand);
    });
  for (Value value : captured)
    if (isa<RankedTensorType>(value.getType())) {
      result.captured.push_back(value);
      result.operands.emplace_back(flow::rankOf(value));
    }
}

Factors flow::makeEmptyFactors(Operation *op) {
  Factors result;
  for (Value operand : op->getOperands())
    result.operands.emplace_back(flow::rankOf(operand));
  for (Value value : op->getResults())
    result.results.emplace_back(flow::rankOf(value));
  addCaptured(op, result);
  for (const DimFactors &dims : result.operands)
    result.reaches.emplace_back(dims.size());
  return result;
}

//===--- Structured ops ------------------------------------------------------------------------------------------===//

bool flow::isCombined(Reduction reduction, Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return ::heddle::contract::reduces(flow::getContractReduction(reduction), ::heddle::contract::parseElementType(text));
}

// How ranks combine what the op of a reduction's body does; none where no collective does the same.
static std::optional<Reduction> reductionOf(Operation *combiner) {
  bool isBit = combiner->getResult(0).getType().isInteger(1);
  std::optional<Reduction> found =
      llvm::TypeSwitch<Operation *, std::optional<Reduction>>(combiner)
          .Case([&](arith::AddIOp) { return isBit ? Reduction::Xor : Reduction::Sum; })
          .Case([](arith::AddFOp) { return Reduction::Sum; })
          .Case([&](arith::MulIOp) { return isBit ? Reduction::And : Reduction::Product; })
          .Case([](arith::MulFOp) { return Reduction::Product; })
          .Case([](arith::MaximumFOp) { return Reduction::Max; })
          .Case([](arith::MinimumFOp) { return Reduction::Min; })
          .Case([&](arith::MaxSIOp) { return isBit ? Reduction::And : Reduction::Max; }) // true is -1
          .Case([&](arith::MinSIOp) { return isBit ? Reduction::Or : Reduction::Min; })
          .Case([&](arith::MaxUIOp) { return isBit ? Reduction::Or : Reduction::UMax; })
          .Case([&](arith::MinUIOp) { return isBit ? Reduction::And : Reduction::UMin; })
          .Case([](arith::AndIOp) { return Reduction::And; })
          .Case([](arith::OrIOp) { return Reduction::Or; })
          .Case([](arith::XOrIOp) { return Reduction::Xor; })
          .Default([](Operation *) { return std::nullopt; });
  return found && flow::isCombined(*found, combiner->getResult(0).getType()) ? found : std::nullopt;
}

static void readReduced(linalg::LinalgOp op, Factor &factor) {
  auto combiner = flow::findCombiner(op);
  if (auto *reason = std::get_if<std::string>(&combiner))
    return refuse(factor, *reason);
  Operation *combined = std::get<flow::Combiner>(combiner).op;
  factor.kind = Factor::Kind::Reduced;
  factor.reduction = reductionOf(combined);
  if (!factor.reduction)
    refuse(factor, "no collective combines " + combined->getName().getStringRef() + " of its elements");
}

// What an operand or result walks, by its indexing map. Loops that it reads in a way that parts do not have are
// refused.
static DimFactors readMap(AffineMap map, bool isWritten, SmallVectorImpl<Factor> &factors) {
  DimFactors dims(map.getNumResults());
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto alone = dyn_cast<AffineDimExpr>(expr); alone && seen.insert(alone.getPosition()).second) {
      dims[dim].push_back(alone.getPosition());
      continue;
    }
    bool isRange = !isWritten && flow::walkOf(expr, map.getNumDims()).has_value();
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      if (!isRange && expr.isFunctionOfDim(loop))
        refuse(factors[loop], isWritten ? "no dimension of its result is this loop alone"
                                        : "a part of it does not read a range of its operand");
  }
  return dims;
}

// Dimensions of captured tensors that a loop alone indexes.
static void readCaptured(Operation *op, Factors &result) {
  size_t first = result.operands.size() - result.captured.size();
  for (auto [number, value] : llvm::enumerate(result.captured))
    for (auto [dim, loop] : llvm::enumerate(flow::findWalkedLoops(op, value)))
      if (loop)
        result.operands[first + number][dim].push_back(*loop);
}

// What an op only looks up in a tensor comes from one part of it: the sum over parts, where the others give zeros.
static void readLookUp(linalg::LinalgOp op, Factors &result) {
  tensor::ExtractOp read = flow::findLookUp(op);
  if (!read || !flow::isCombined(Reduction::Sum, read.getType()))
    return;
  size_t number = llvm::find(result.captured, read.getTensor()) - result.captured.begin();
  DimFactors &dims = result.operands[result.operands.size() - result.captured.size() + number];
  for (auto [dim, walked] : llvm::enumerate(dims)) {
    flow::Extent extent = flow::traceExtent(read.getTensor(), dim);
    // Of a size that only the call tells some part may have no row to read.
    if (!walked.empty() || !extent.getConstant())
      continue;
    walked.push_back(result.factors.size());
    result.factors.push_back({Factor::Kind::Reduced, Reduction::Sum, {extent}, ""});
  }
}

// A window: one parallel loop, and reduced ones of known sizes.
static std::optional<flow::Reach> readWindow(AffineExpr expr, ArrayRef<Factor> factors) {
  std::optional<flow::Walk> walk = flow::walkOf(expr, factors.size());
  if (!walk)
    return std::nullopt;
  std::optional<flow::Reach> reach;
  int64_t extent = 1;
  SmallVector<unsigned, 2> others;
  for (auto [number, scale] : llvm::enumerate(walk->scales)) {
    const Factor &factor = factors[number];
    if (scale == 0)
      continue;
    if (factor.kind == Factor::Kind::Parallel) {
      if (reach)
        return std::nullopt;
      reach = flow::Reach{static_cast<unsigned>(number), scale, walk->first, 1, {}};
      continue;
    }
    std::optional<int64_t> size = factor.extents.empty() ? std::nullopt : factor.extents.front().getConstant();
    if (!size || *size == 0)
      return std::nullopt;
    extent += scale * (*size - 1);
    others.push_back(number);
  }
  if (reach) {
    reach->extent = extent;
    reach->others = std::move(others);
  }
  return reach;
}

static std::optional<Factors> readStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return std::nullopt;
  Factors result = flow::makeEmptyFactors(op);
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    Factor &factor = result.factors.emplace_back();
    factor.extents = flow::traceLoop(op, loop);
    if (kinds[loop] == utils::IteratorType::reduction)
      readReduced(op, factor);
    if (factor.extents.empty())
      refuse(factor, "no operand has a dimension that is this loop alone");
  }
  for (OpOperand &operand : op->getOpOperands())
    result.operands[operand.getOperandNumber()] =
        readMap(op.getMatchingIndexingMap(&operand), op.isDpsInit(&operand), result.factors);
  for (OpResult value : op->getResults()) {
    const DimFactors &dims = result.results[value.getResultNumber()] =
        result.operands[op.getDpsInitOperand(value.getResultNumber())->getOperandNumber()];
    for (auto [loop, factor] : llvm::enumerate(result.factors))
      if (factor.kind == Factor::Kind::Parallel &&
          llvm::none_of(dims, [&](ArrayRef<unsigned> dim) { return llvm::is_contained(dim, loop); }))
        refuse(factor, "no dimension of its result is this loop alone");
  }
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    unsigned number = input->getOperandNumber();
    for (auto [dim, walked] : llvm::enumerate(result.operands[number]))
      if (walked.empty())
        result.reaches[number][dim] = readWindow(map.getResult(dim), result.factors);
  }
  readCaptured(op, result);
  readLookUp(op, result);
  return result;
}

//===--- Reshapes ------------------------------------------------------------------------------------------------===//

// The product of the sizes of some factors, the first of each; none where one is neither known nor named.
static std::optional<Product> multiply(const Factors &factors, ArrayRef<unsigned> numbers) {
  Product product;
  for (unsigned number : numbers) {
    ArrayRef<Extent> extents = factors.factors[number].extents;
    std::optional<Product> size;
    for (const Extent &extent : extents)
      if (!size)
        size = flow::asProduct(extent);
    if (!size)
      return std::nullopt;
    product = product * *size;
  }
  return product;
}

// A dimension of the coarser side, which merges or is split into `numbers`.
static SmallVector<unsigned> readGroup(Factors &result, ArrayRef<unsigned> numbers, bool isSplit) {
  auto isOne = [&](unsigned number) { return result.factors[number].extents.front().getConstant() == 1; };
  ArrayRef<unsigned> walked = numbers.size() > 1 ? numbers.drop_while(isOne) : numbers;
  bool isNamed = !walked.empty() && multiply(result, walked.drop_front());
  // What is split can be whole, and each part takes its own of it.
  for (unsigned number : numbers) {
    if (isSplit || (isNamed && number == walked.front()))
      continue;
    if (walked.empty() || number != walked.front())
      refuse(result.factors[number], "it is merged with other dimensions, and not the outermost of them");
    else
      refuse(result.factors[number], "it is merged with an inner dimension whose size has no name");
  }
  return isNamed ? SmallVector<unsigned>(walked) : SmallVector<unsigned>();
}

static std::optional<Factors> readReshape(Operation *op) {
  Factors result = flow::makeEmptyFactors(op);
  auto split = dyn_cast<tensor::ExpandShapeOp>(op);
  SmallVector<ReassociationIndices> groups =
      split ? split.getReassociationIndices() : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  Value finer = split ? Value(op->getResult(0)) : op->getOperand(0);
  DimFactors &fine = split ? result.results[0] : result.operands[0];
  DimFactors &coarse = split ? result.operands[0] : result.results[0];
  for (int64_t dim = 0; dim < flow::rankOf(finer); ++dim) {
    result.factors.emplace_back().extents = {flow::traceExtent(finer, dim)};
    fine[dim] = {static_cast<unsigned>(dim)};
  }
  if (coarse.empty()) // one element
    return std::nullopt;
  for (auto [dim, group] : llvm::enumerate(groups))
    coarse[dim] = readGroup(result, SmallVector<unsigned>(group.begin(), group.end()), static_cast<bool>(split));
  return result;
}

//===--- Ops with a loop for each dimension of their result ------------------------------------------------------===//

Factors flow::readPositional(Operation *op, Walks walks) {
  Factors result = flow::makeEmptyFactors(op);
  for (int64_t dim = 0; dim < flow::rankOf(op->getResult(0)); ++dim) {
    Factor &factor = result.factors.emplace_back();
    factor.extents = {flow::traceExtent(op->getResult(0), dim)};
    for (DimFactors &dims : result.results)
      dims[dim] = {static_cast<unsigned>(dim)};
    std::optional<SmallVector<bool>> walked = walks(dim);
    if (!walked)
      refuse(factor, op->getName().getStringRef() + " works along it");
    for (auto [number, isWalked] : llvm::enumerate(walked.value_or(SmallVector<bool>())))
      if (isWalked && flow::rankOf(op->getOperand(number)))
        result.operands[number][dim] = {static_cast<unsigned>(dim)};
  }
  return result;
}

// An op all of whose tensors have the same dimensions.
static bool isElementwise(Operation *op) {
  if (isa<flow::TransferOp, flow::AliasOp, tensor::CastOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumOperands() > 0 && op->getNumResults() == 1 &&
         llvm::all_of(op->getOperands(),
                      [&](Value value) { return flow::rankOf(value) == flow::rankOf(op->getResult(0)); });
}

// Rows that each write only what is theirs can be cut, if their results have one position for each row.
static std::optional<Factors> readRows(flow::RowsOp op) {
  Factors result = flow::makeEmptyFactors(op);
  Factor &rows = result.factors.emplace_back();
  rows.extents = {flow::traceExtent(OpFoldResult(op.getRows()))};
  for (auto [number, dims] : llvm::enumerate(result.results)) {
    if (dims.empty() || !flow::areEqual(rows.extents, {flow::traceExtent(op.getMixedSizes(number)[0])}))
      return std::nullopt;
    dims[0] = {0};
  }
  if (!flow::writesByRow(op))
    return std::nullopt;
  readCaptured(op, result);
  return result;
}

std::optional<Factors> flow::findFactors(Operation *op) {
  if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  auto all = [&](int64_t) { return SmallVector<bool>(op->getNumOperands(), true); };
  std::optional<Factors> found;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    found = readStructured(structured);
  else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    found = readReshape(op);
  else if (auto pad = dyn_cast<tensor::PadOp>(op))
    found = readPad(pad);
  else if (auto join = dyn_cast<tensor::ConcatOp>(op))
    found = readConcat(join);
  else if (mayBeAligned(op))
    found = flow::readPositional(op, [&](int64_t dim) { return findAligned(op, dim); });
  else if (isElementwise(op) || isa<tensor::EmptyOp, tensor::SplatOp>(op))
    found = flow::readPositional(op, all);
  else if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    found = readExtract(extract);
  else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    found = readInsert(insert);
  else if (auto rows = dyn_cast<flow::RowsOp>(op))
    found = readRows(rows);
  if (!found || llvm::none_of(found->factors, [](const Factor &factor) { return factor.canBeCut(); }))
    return std::nullopt;
  return found;
}

//===--- Shardings -----------------------------------------------------------------------------------------------===//

Product flow::asProduct(GranuleAttr granule) {
  return {granule.getFactor(), SmallVector<StringAttr>(granule.getNames())};
}

GranuleAttr flow::asGranule(MLIRContext *context, const Product &product) {
  return GranuleAttr::get(context, product.factor, product.names);
}

static ShardingAttr shardingOf(const Factors &factors, const DimFactors &dims, ShardingAttr loops,
                               ArrayRef<StringAttr> partial = {}, Reduction reduction = Reduction::Sum) {
  MLIRContext *context = loops.getContext();
  SmallVector<ArrayAttr> axes;
  SmallVector<GranuleAttr> granules;
  for (ArrayRef<unsigned> dim : dims) {
    Product granule;
    axes.push_back(dim.empty() ? ArrayAttr::get(context, {}) : loops.getAxes()[dim.front()]);
    if (!dim.empty())
      granule = flow::asProduct(loops.getGranule(dim.front())) * multiply(factors, dim.drop_front()).value();
    granules.push_back(flow::asGranule(context, granule));
  }
  return ShardingAttr::getNormalized(loops.getMesh(), axes, granules, partial, reduction);
}

ShardingAttr flow::operandSharding(const Factors &factors, unsigned operand, ShardingAttr loops) {
  return shardingOf(factors, factors.operands[operand], loops);
}

ShardingAttr flow::resultSharding(const Factors &factors, unsigned result, ShardingAttr loops) {
  SmallVector<StringAttr> partial;
  Reduction reduction = Reduction::Sum;
  for (auto [number, factor] : llvm::enumerate(factors.factors))
    if (factor.kind == Factor::Kind::Reduced && loops.isCut(number)) {
      llvm::append_range(partial, loops.getDimAxes(number));
      reduction = *factor.reduction;
    }
  return shardingOf(factors, factors.results[result], loops, partial, reduction);
}

bool flow::cutsAlike(GranuleAttr a, GranuleAttr b, std::optional<int64_t> size, std::optional<int64_t> parts) {
  if (a == b || parts == 1)
    return true;
  auto isEqual = [&](GranuleAttr granule) {
    return granule.getNames().empty() && *size % (*parts * granule.getFactor()) == 0;
  };
  return size && parts && isEqual(a) && isEqual(b);
}

std::optional<std::pair<unsigned, GranuleAttr>> flow::factorOf(const Factors &factors, ArrayRef<unsigned> dim,
                                                               GranuleAttr granule, std::optional<int64_t> parts) {
  if (dim.empty() || !factors.factors[dim.front()].canBeCut())
    return std::nullopt;
  unsigned outer = dim.front();
  Product inner = multiply(factors, dim.drop_front()).value();
  if (std::optional<Product> own = asProduct(granule).dividedBy(inner))
    return std::pair(outer, asGranule(granule.getContext(), *own));
  std::optional<Product> whole = multiply(factors, dim);
  std::optional<int64_t> size = whole ? whole->getConstant() : std::nullopt;
  if (cutsAlike(granule, asGranule(granule.getContext(), inner), size, parts))
    return std::pair(outer, asGranule(granule.getContext(), {}));
  return std::nullopt;
}
