// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/IR/OperandLayouts.h"
#include "compiler/Dialect/Encoding/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYENCODING
#include "compiler/Dialect/Encoding/Transforms/Passes.h.inc"
} // namespace mlir::heddle

static bool mayTouch(Operation *op) {
  constexpr StringRef dialects[] = {"encoding", "flow", "host", "kernel", "linalg", "scf", "func"};
  return isa<ModuleOp, tensor::EmptyOp, tensor::DimOp>(op) ||
         llvm::is_contained(dialects, op->getName().getDialectNamespace());
}

// The first encoded type of the op's operands, results and block arguments; null if there is none.
static Type findEncodedType(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()), llvm::to_vector(op->getResultTypes())))
    if (encoding::isEncoded(type))
      return type;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (encoding::isEncoded(type))
          return type;
  return {};
}

namespace {

struct VerifyEncoding : mlir::heddle::impl::VerifyEncodingBase<VerifyEncoding> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk([](Operation *op) -> WalkResult {
      if (mayTouch(op))
        return WalkResult::advance();
      Type type = findEncodedType(op);
      if (!type)
        return WalkResult::advance();
      return op->emitError()
             << "'" << op->getName() << "' must not touch an encoded type, got " << type
             << "; only ops of our dialects, linalg, scf, func, tensor.empty and tensor.dim may: give it "
                "an encoding.unset of the value, or run the pass that made it before stage 'encode'";
    });
    if (walk.wasInterrupted() || failed(encoding::verifyOperandLayouts(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
