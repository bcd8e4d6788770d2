// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Structure.h"
#include "compiler/Stages/Encode/Convolution.h"
#include "compiler/Stages/Encode/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYENCODE
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyEncode : mlir::heddle::impl::VerifyEncodeBase<VerifyEncode> {
  using VerifyEncodeBase::VerifyEncodeBase;

  void runOnOperation() override {
    if (failed(verifyEncodings(getOperation())) || (layouts && failed(verifyLayouts(getOperation()))))
      signalPassFailure();
  }

  // Without a window or a stride, as encode-pointwise-to-matmul makes it of a convolution.
  static bool isProduct(linalg::GenericOp op) {
    return op.getNumReductionLoops() == 1 && !Structure::of(op).isComputed();
  }

  static LogicalResult verifyLayouts(ModuleOp module) {
    WalkResult walk = module.walk([](linalg::LinalgOp op) {
      if (auto generic = dyn_cast<linalg::GenericOp>(*op)) {
        std::optional<encode::Layouts> layouts = encode::channelsLastLayouts(generic);
        if (layouts && !encode::areIdentity(*layouts) && !encode::isSmallDepthwise(generic) && !isProduct(generic)) {
          op->emitError("a convolution whose channels are not last after stage 'encode'");
          return WalkResult::interrupt();
        }
      }
      if (auto transpose = dyn_cast<linalg::TransposeOp>(*op))
        if (transpose.getInput().getDefiningOp<linalg::TransposeOp>()) {
          op->emitError("a transpose of a transpose after stage 'encode'");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  // Callers know nothing of encodings, and no change of encoding undoes the one before it.
  static LogicalResult verifyEncodings(ModuleOp module) {
    for (auto function : module.getOps<func::FuncOp>())
      for (TypeRange types : {TypeRange(function.getArgumentTypes()), TypeRange(function.getResultTypes())})
        if (auto found = llvm::find_if(types, encoding::isEncoded); function.isPublic() && found != types.end())
          return function.emitError() << "a public function takes and gives plain tensors, got " << *found;
    WalkResult walk = module.walk([](Operation *op) -> WalkResult {
      if (!isa<encoding::SetOp, encoding::UnsetOp>(op))
        return WalkResult::advance();
      Operation *before = op->getOperand(0).getDefiningOp();
      if (isa_and_present<encoding::SetOp, encoding::UnsetOp>(before) &&
          before->getOperand(0).getType() == op->getResult(0).getType())
        return op->emitError() << "undoes the '" << before->getName()
                               << "' before it after stage 'encode'; encode-cancel-encodings folds the two";
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }
};

} // namespace
