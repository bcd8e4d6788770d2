// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Overwrites.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/CPU/FlattenPixels.h"
#include "compiler/Codegen/Emit/PartLoop.h"
#include "compiler/Codegen/Emit/ScalarRows.h"
#include "compiler/Dialect/Encoding/Transforms/Materialize.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// Bytes of an element in memory; none of those that share a byte.
std::optional<int64_t> storedBytes(Type type) {
  if (!type.isIntOrIndexOrFloat())
    return std::nullopt;
  bool fillsBytes = type.isIndex() || type.isInteger(1) || type.getIntOrFloatBitWidth() % 8 == 0;
  return fillsBytes ? std::optional(storageBytes(type)) : std::nullopt;
}

bool haveSameForm(Value operand, Value result) {
  auto from = dyn_cast<RankedTensorType>(operand.getType()), to = dyn_cast<RankedTensorType>(result.getType());
  std::optional<int64_t> bytes = from && to ? storedBytes(from.getElementType()) : std::nullopt;
  return bytes && bytes == storedBytes(to.getElementType()) && from.getShape() == to.getShape();
}

// Whether nothing but the loops of nests reads elements of the argument.
bool isReadByNestsAlone(BlockArgument argument) {
  return llvm::all_of(argument.getUsers(), [&](Operation *user) {
    if (isa<tensor::DimOp, tensor::CastOp>(user))
      return true;
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return generic ? llvm::is_contained(generic->getOperands(), argument)
                   : OpTrait::hasElementwiseMappableTraits(user) && user->getBlock() == argument.getOwner();
  });
}

// Whether dimension `dim` of the index is the nest's own.
bool isOwn(const PlanCommon &nest, AffineExpr index, unsigned dim) {
  if (index == getAffineDimExpr(dim, index.getContext()))
    return true;
  auto constant = dyn_cast<AffineConstantExpr>(index);
  return constant && constant.getValue() == 0 && cast<RankedTensorType>(nest.value.getType()).getDimSize(dim) == 1;
}

bool isReduction(const RowsPlan &nest, Operation *reader) {
  return llvm::any_of(nest.steps,
                      [&](const RowStep &step) { return step.isReduction && step.op.operator->() == reader; });
}

// Whether the nest has read the element at `load` before it stores the element in its place, and nobody stores it
// before.
bool readsInTime(const Nest &nest, const Load &load) {
  auto isOwnDim = [&](unsigned dim) { return isOwn(nest.common(), load.index[dim], dim); };
  if (!load.reader)
    return llvm::all_of(llvm::seq<unsigned>(0, load.index.size()), isOwnDim);
  auto *rows = std::get_if<RowsPlan>(&nest.plan);
  return rows && isReduction(*rows, load.reader) && llvm::all_of(rows->rowDims, isOwnDim);
}

bool storesOnce(const Nest &nest) {
  bool storesOnce = std::visit([](const auto &plan) { return plan.kStoresOnce; }, nest.plan);
  return storesOnce && !nest.inside && nest.common().binding >= 0;
}

// Rows so short that two are computed side by side for the sake of time.
bool areSideBySide(const Nest &nest) {
  auto *rows = std::get_if<RowsPlan>(&nest.plan);
  if (!rows)
    return false;
  auto type = cast<RankedTensorType>(rows->value.getType());
  int64_t most = rows->mostSideBySide(), elements = 1;
  for (unsigned dim : rows->innerDims)
    elements *= type.isDynamicDim(dim) ? most + 1 : type.getDimSize(dim);
  return elements <= most;
}

} // namespace

bool mlir::heddle::codegen::readsBeforeWriting(func::FuncOp source, ArrayRef<Nest> nests, flow::Overwrite pair) {
  int64_t operands = getNumTensorArguments(source);
  if (pair.operand < 0 || pair.operand >= operands || getRows(source) || PartLoop::isPartLoop(source) ||
      flow::getPitch(source, pair.result - operands))
    return false;
  BlockArgument argument = source.getArgument(pair.operand);
  if (!isReadByNestsAlone(argument))
    return false;
  bool isFound = false;
  for (const Nest &nest : nests) {
    const PlanCommon &plan = nest.common();
    bool isOfResult = plan.binding == pair.result;
    if (plan.binding < 0 || (isOfResult && (isFound || !storesOnce(nest) || !haveSameForm(argument, plan.value))))
      return false;
    isFound |= isOfResult;
    for (const Load &load : analyze(plan.value, {}).loads)
      if (load.tensor == argument && !(isOfResult && readsInTime(nest, load)))
        return false;
  }
  return isFound;
}

SmallVector<flow::Overwrite> mlir::heddle::codegen::findOverwrites(func::FuncOp source,
                                                                   const cpu::CpuFeatures &features) {
  // What cannot be compiled is said when it is.
  ScopedDiagnosticHandler silent(source.getContext(), [](Diagnostic &) { return success(); });
  SmallVector<flow::Overwrite> pairs;
  if (failed(encoding::materializeEncodings(source)) || failed(generalizeOps(source)) || getRows(source) ||
      PartLoop::isPartLoop(source))
    return pairs;
  int64_t operands = getNumTensorArguments(source);
  auto nests = planNests(flattenResults(source, features), operands, features, {});
  if (failed(nests) || llvm::any_of(*nests, areSideBySide))
    return pairs;
  for (int64_t operand = 0; operand < operands; ++operand)
    for (int64_t result = operands; result < operands + source.getNumResults(); ++result)
      if (readsBeforeWriting(source, *nests, {operand, result}))
        pairs.push_back({operand, result});
  return pairs;
}

LogicalResult mlir::heddle::codegen::generalizeOps(Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op->emitError("the CPU code generator does not support this structured op");
  }
  return success();
}
