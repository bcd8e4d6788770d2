#include "compiler/Stages/Import/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYIMPORT
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyImport : heddle::impl::VerifyImportBase<VerifyImport> {
  void runOnOperation() override {
    bool failedAny = false;
    getOperation().walk([&](Operation *op) { failedAny |= failed(verifyDialect(op)); });
    bool hasEntry = false;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal()) {
        hasEntry = true;
        failedAny |= failed(verifyEntry(func));
      }
    if (!hasEntry) {
      getOperation().emitError("the module has no public function to compile");
      failedAny = true;
    }
    if (failedAny)
      signalPassFailure();
  }

  static LogicalResult verifyDialect(Operation *op) {
    StringRef name = op->getName().getDialectNamespace();
    static constexpr StringLiteral known[] = {"builtin", "func", "linalg", "tensor", "arith",    "math",  "scf",
                                              "complex", "flow", "device", "heddle", "encoding", "affine"};
    if (llvm::is_contained(known, name))
      return success();
    return op->emitError() << "op " << op->getName()
                           << " is not supported; models are func, linalg, tensor, arith, math, scf and TOSA ops";
  }

  static LogicalResult verifyEntry(func::FuncOp func) {
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return func.emitError() << "argument " << i << " must be a ranked tensor, got " << type;
      auto dims = func.getArgAttrOfType<ArrayAttr>(i, "heddle.dims");
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
        if (tensor.isDynamicDim(dim) && (!dims || cast<StringAttr>(dims[dim]).empty()))
          return func.emitError() << "dimension " << dim << " of argument " << i << " has no name";
    }
    for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
      if (!isa<RankedTensorType>(type))
        return func.emitError() << "result " << i << " must be a ranked tensor, got " << type;
    return success();
  }
};

} // namespace
