#include "compiler/Dialect/Encoding/Transforms/Materialize.h"
#include "compiler/Stages/Resolve/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_MATERIALIZEFUNCTIONS
#include "compiler/Stages/Resolve/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct MaterializeFunctions : mlir::heddle::impl::MaterializeFunctionsBase<MaterializeFunctions> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    getOperation().walk([&](func::FuncOp function) { functions.push_back(function); });
    for (func::FuncOp function : functions)
      if (failed(encoding::materializeEncodings(function)))
        return signalPassFailure();
    for (auto parameter : getOperation().getOps<flow::ParameterOp>())
      parameter.setType(encoding::getPhysicalType(cast<RankedTensorType>(parameter.getType())));
  }
};

} // namespace
