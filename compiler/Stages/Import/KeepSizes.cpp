// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_KEEPSIZES
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

// The op on elements, over all of them.
static void convert(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value source = op->getOperand(0);
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, source), type.getElementType());
  SmallVector<AffineMap> maps(op->getNumOperands() + 1, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, type, op->getOperands(), empty, maps, iterators, [&](OpBuilder &inner, Location at, ValueRange elements) {
        OperationState state(at, op->getName(), elements.drop_back(), type.getElementType(), op->getAttrs());
        state.attributes.erase(kAffinityAttr);
        linalg::YieldOp::create(inner, at, inner.create(state)->getResults());
      });
  if (Attribute affinity = op->getAttr(kAffinityAttr))
    generic->setAttr(kAffinityAttr, affinity);
  op->replaceAllUsesWith(generic);
  op->erase();
}

namespace {

struct KeepSizes : mlir::heddle::impl::KeepSizesBase<KeepSizes> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (!isa<arith::XOrIOp, arith::CmpIOp>(op))
        return;
      auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
      if (type && !type.hasStaticShape())
        found.push_back(op);
    });
    llvm::for_each(found, convert);
  }
};

} // namespace
