// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Passes.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Encode/Stored.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PROPAGATEENCODINGS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// An op that computes each element from the element of one operand at the same or a permuted place.
struct Step {
  linalg::LinalgOp op;
  OpOperand *operand;

  AffineMap readMap() { return op.getMatchingIndexingMap(operand); }
  AffineMap writeMap() { return op.getMatchingIndexingMap(op.getDpsInitOperand(0)); }
  Value result() { return op->getResult(0); }
};

// The way from a value to a set that it reaches, first step first.
struct Path {
  Value source;
  SmallVector<Step> steps;

  Value valueAt(size_t i) { return i == 0 ? source : steps[i - 1].result(); }
  size_t narrowest();
};

} // namespace

static unsigned widthOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementTypeBitWidth(); }

// Where least data change their layout; of equals the first.
size_t Path::narrowest() {
  size_t best = 0;
  for (size_t i = 1; i <= steps.size(); ++i)
    if (widthOf(valueAt(i)) < widthOf(valueAt(best)))
      best = i;
  return best;
}

// The encoding of a tensor whose dimensions are those of `from` walked at `to`.
static Attribute transfer(Attribute encoding, AffineMap from, AffineMap to, Type elementType) {
  encoding::AbstractEncoding use = *encoding::getAbstract(encoding);
  AffineMap &map = use.maps[use.role];
  SmallVector<AffineExpr> results;
  for (AffineExpr loop : to.getResults())
    results.push_back(map.getResult(*from.getResultPosition(loop)));
  map = AffineMap::get(map.getNumDims(), 0, results, map.getContext());
  use.types[use.role] = elementType;
  return encoding::getAttribute(map.getContext(), use);
}

static Attribute pullUp(Attribute encoding, Step step) {
  return transfer(encoding, step.writeMap(), step.readMap(), getElementTypeOrSelf(step.operand->get().getType()));
}

static Attribute pushDown(Attribute encoding, Step step) {
  return transfer(encoding, step.readMap(), step.writeMap(), getElementTypeOrSelf(step.result().getType()));
}

static bool carriesEncodings(linalg::LinalgOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumReductionLoops() == 0 && op->getNumResults() == 1 &&
         op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>() && !op->hasAttr(kKeepsLayoutAttr) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() &&
         !encoding::isEncoded(op->getResult(0).getType());
}

// The way down to `value` from an unset or a constant; nothing if there is none. What others read, too, ends it.
static std::optional<Path> findPath(Value value) {
  if (value.getDefiningOp<encoding::UnsetOp>() || encode::isStored(value))
    return Path{value, {}};
  auto op = dyn_cast_or_null<linalg::LinalgOp>(value.getDefiningOp());
  if (!value.hasOneUse() || !carriesEncodings(op))
    return std::nullopt;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type || !type.getElementType().isIntOrFloat() || !op.getMatchingIndexingMap(operand).isPermutation() ||
        (encode::isStored(operand->get()) && op.getNumDpsInputs() > 1))
      continue;
    if (std::optional<Path> path = findPath(operand->get())) {
      path->steps.push_back({op, operand});
      return path;
    }
  }
  return std::nullopt;
}

static RankedTensorType encoded(Value value, Attribute encoding) {
  return encoding::withEncoding(cast<RankedTensorType>(value.getType()), encoding);
}

// Gives the step's result an encoding; it stays where it is.
static void retype(Step step, Attribute encoding) {
  linalg::LinalgOp op = step.op;
  auto empty = op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
  OpBuilder builder(empty);
  RankedTensorType type = encoded(empty.getResult(), encoding);
  Value init = tensor::EmptyOp::create(builder, empty.getLoc(), type, empty.getDynamicSizes());
  op.getDpsInitsMutable()[0].set(init);
  op->getResult(0).setType(type);
  if (empty->use_empty())
    empty->erase();
}

// The value crosses as it lies: it becomes plain, or is laid out anew, where it goes to. The transfer stays.
static void sinkUnset(flow::TransferOp transfer) {
  auto unset = transfer.getOperand().getDefiningOp<encoding::UnsetOp>();
  if (!unset || !encoding::isAbstract(unset.getSource().getType().getEncoding()))
    return;
  OpBuilder builder(transfer);
  builder.setInsertionPointAfter(transfer);
  auto plain = transfer.getResult().getType();
  auto below = encoding::UnsetOp::create(builder, unset.getLoc(), plain, transfer.getResult());
  transfer.getResult().replaceAllUsesExcept(below, below);
  transfer.getOperandMutable().assign(unset.getSource());
  transfer.getResult().setType(unset.getSource().getType());
  if (unset->use_empty())
    unset->erase();
}

namespace {

struct PropagateEncodings : mlir::heddle::impl::PropagateEncodingsBase<PropagateEncodings> {
  void runOnOperation() override {
    SmallVector<flow::TransferOp> transfers;
    getOperation().walk([&](flow::TransferOp transfer) { transfers.push_back(transfer); });
    llvm::for_each(transfers, sinkUnset); // in program order: through a chain of them, too
    SmallVector<encoding::SetOp> sets;
    getOperation().walk([&](encoding::SetOp set) {
      if (encoding::isAbstract(set.getType().getEncoding()))
        sets.push_back(set);
    });
    // Each set moves at most once.
    for (encoding::SetOp set : sets)
      if (std::optional<Path> path = findPath(set.getSource()); path && !path->steps.empty())
        move(set, *path);
  }

  static void move(encoding::SetOp set, Path &path) {
    // Of the value at each place: what the set wants it to be.
    size_t count = path.steps.size();
    SmallVector<Attribute> wanted(count + 1, set.getType().getEncoding());
    for (size_t i = count; i-- > 0;)
      wanted[i] = pullUp(wanted[i + 1], path.steps[i]);
    auto unset = path.source.getDefiningOp<encoding::UnsetOp>();
    Attribute given = unset ? unset.getSource().getType().getEncoding() : Attribute();
    size_t meeting = given == wanted[0] ? 0 : path.narrowest();
    // A constant is laid out at compile time or where it is.
    if ((!unset && meeting != 0) || (unset && !encoding::isAbstract(given)))
      return;
    Value value = path.source;
    if (unset && meeting > 0)
      value = unset.getSource();
    for (size_t i = 0; i < meeting; ++i) {
      path.steps[i].operand->set(value);
      given = pushDown(given, path.steps[i]);
      retype(path.steps[i], given);
      value = path.steps[i].result();
    }
    OpBuilder builder(set);
    builder.setInsertionPointAfterValue(value);
    if (meeting > 0)
      value = encoding::UnsetOp::create(builder, set.getLoc(),
                                        encoding::withoutEncoding(cast<RankedTensorType>(value.getType())), value);
    value = encoding::SetOp::create(builder, set.getLoc(), encoded(value, wanted[meeting]), value);
    for (size_t i = meeting; i < count; ++i) {
      path.steps[i].operand->set(value);
      retype(path.steps[i], wanted[i + 1]);
      value = path.steps[i].result();
    }
    set.getResult().replaceAllUsesWith(value);
    set.erase();
  }
};

} // namespace
