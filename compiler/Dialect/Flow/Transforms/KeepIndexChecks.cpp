// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/IndexChecks.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_KEEPINDEXCHECKS
#include "compiler/Dialect/Flow/Transforms/Passes.h.inc"
} // namespace mlir::heddle

// Whether a flow.checked_index has a say in the value.
static bool dependsOnCheck(Value value) {
  llvm::SmallDenseSet<Operation *> seen;
  SmallVector<Value> next{value};
  while (!next.empty()) {
    Operation *op = next.pop_back_val().getDefiningOp();
    if (!op || isa<RankedTensorType>(op->getResult(0).getType()) || !seen.insert(op).second)
      continue;
    bool found = op->walk([](flow::CheckedIndexOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (found)
      return true;
    llvm::append_range(next, op->getOperands());
  }
  return false;
}

// A constant of the type that is not `value`, if that is one.
static Value makeOther(OpBuilder &b, Location loc, Type type, Value value) {
  if (isa<FloatType>(type)) {
    bool isZero = matchPattern(value, m_AnyZeroFloat());
    return arith::ConstantOp::create(b, loc, FloatAttr::get(type, isZero ? 1 : 0));
  }
  bool isZero = matchPattern(value, m_Zero());
  return arith::ConstantOp::create(b, loc, IntegerAttr::get(type, isZero ? 1 : 0));
}

void mlir::heddle::flow::keepIndexCheck(tensor::ExtractOp extract, llvm::function_ref<Value(OpBuilder &)> makeElement) {
  Type type = extract.getType();
  if (!isa<FloatType, IntegerType, IndexType>(type))
    return;
  OpBuilder b(extract);
  Location loc = extract.getLoc();
  Value holds;
  for (Value index : extract.getIndices()) {
    if (!dependsOnCheck(index))
      continue;
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value one = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index, zero);
    holds = holds ? Value(arith::AndIOp::create(b, loc, holds, one)) : one;
  }
  if (!holds)
    return;
  Value element = makeElement(b);
  Value value = arith::SelectOp::create(b, loc, holds, element, makeOther(b, loc, type, element));
  extract.replaceAllUsesWith(value);
  extract.erase();
}

// What the value's elements all are: a scalar, or a constant; null if that is not known.
static Value getScalar(Value tensor, TypedAttr &constant) {
  for (;;) {
    SplatElementsAttr splat;
    Operation *op = tensor.getDefiningOp();
    if (matchPattern(tensor, m_Constant(&splat))) {
      constant = dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>());
      return {};
    }
    if (auto fill = dyn_cast_or_null<linalg::FillOp>(op))
      return fill.getInputs().front();
    if (auto splatOp = dyn_cast_or_null<tensor::SplatOp>(op))
      return splatOp.getInput();
    if (!isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp, tensor::ExtractSliceOp,
                         tensor::ReshapeOp, linalg::TransposeOp, linalg::BroadcastOp>(op))
      return {};
    tensor = op->getOperand(0);
  }
}

namespace {

struct KeepIndexChecks : mlir::heddle::impl::KeepIndexChecksBase<KeepIndexChecks> {
  void runOnOperation() override {
    SmallVector<tensor::ExtractOp> extracts;
    getOperation().walk([&](tensor::ExtractOp extract) { extracts.push_back(extract); });
    for (tensor::ExtractOp extract : extracts) {
      TypedAttr constant;
      Value scalar = getScalar(extract.getTensor(), constant);
      if (scalar || constant)
        flow::keepIndexCheck(extract, [&](OpBuilder &b) -> Value {
          return scalar ? scalar : Value(arith::ConstantOp::create(b, extract.getLoc(), constant));
        });
    }
  }
};

} // namespace
