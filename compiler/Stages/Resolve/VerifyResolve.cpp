// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Stages/Resolve/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYRESOLVE
#include "compiler/Stages/Resolve/Passes.h.inc"
} // namespace mlir::heddle

static bool isAbstract(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && encoding::isAbstract(tensor.getEncoding());
}

namespace {

struct VerifyResolve : mlir::heddle::impl::VerifyResolveBase<VerifyResolve> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk(
        [](Operation *op) { return failed(verify(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  static LogicalResult verify(Operation *op) {
    for (Type type : op->getResultTypes())
      if (isAbstract(type))
        return op->emitError() << "has an abstract encoding after stage resolve: " << type;
    if (auto function = dyn_cast<func::FuncOp>(op))
      for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
        if (isAbstract(type))
          return op->emitError() << "has an abstract encoding after stage resolve: " << type;
    auto parameter = dyn_cast<flow::ParameterOp>(op);
    if (!parameter)
      return success();
    auto type = cast<RankedTensorType>(parameter.getType());
    if (isAbstract(type))
      return op->emitError() << "has an abstract encoding after stage resolve: " << type;
    if (encoding::getLayout(type) && parameter.getValue().getShapedType() != encoding::getPhysicalType(type))
      return op->emitError() << "has a value of type " << parameter.getValue().getShapedType() << ", which is not "
                             << encoding::getPhysicalType(type) << ": its layout in memory";
    return success();
  }
};

} // namespace
