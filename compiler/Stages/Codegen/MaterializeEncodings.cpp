// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/Transforms/Materialize.h"
#include "compiler/Stages/Codegen/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_MATERIALIZEENCODINGS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

static bool isEncoded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding();
}

namespace {

struct MaterializeEncodings : mlir::heddle::impl::MaterializeEncodingsBase<MaterializeEncodings> {
  void runOnOperation() override {
    auto kernel = getOperation().lookupSymbol<func::FuncOp>("kernel");
    if (!kernel)
      return;
    if (failed(checkResolved(kernel)) || failed(encoding::materializeEncodings(kernel)))
      return signalPassFailure();
    WalkResult walk = kernel.walk([](Operation *op) {
      if (llvm::none_of(op->getOperandTypes(), isEncoded) && llvm::none_of(op->getResultTypes(), isEncoded))
        return WalkResult::advance();
      op->emitError() << "still has an encoded type after encodings were materialised";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  static LogicalResult checkResolved(func::FuncOp kernel) {
    for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(), kernel.getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && tensor.getEncoding() && !isa<encoding::LayoutAttr, encoding::IdentityAttr>(tensor.getEncoding()))
        return kernel.emitError() << "code is generated for resolved layouts, got " << type
                                  << "; run resolve-encodings first";
    }
    return success();
  }
};

} // namespace
