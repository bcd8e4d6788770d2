#include "compiler/Stages/Import/Passes.h"

#include "llvm/Support/MathExtras.h"

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
    if (auto call = dyn_cast<func::CallOp>(op))
      return call.emitError() << "the call of @" << call.getCallee()
                              << " cannot be inlined; a function needs a body and may not call itself";
    if (llvm::is_contained(known, name))
      return success();
    return op->emitError() << "op " << op->getName()
                           << " is not supported; models are func, linalg, tensor, arith, math, scf and TOSA ops";
  }

  // The static dimensions alone must not make more bytes than 63 bits count.
  static LogicalResult verifySize(func::FuncOp func, StringRef what, size_t index, RankedTensorType type) {
    int64_t bytes = 8;
    for (int64_t size : type.getShape())
      if (!ShapedType::isDynamic(size) && size != 0 && llvm::MulOverflow(bytes, size, bytes))
        return func.emitError() << what << " " << index << " is too large: " << type;
    return success();
  }

  static LogicalResult verifyEntry(func::FuncOp func) {
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return func.emitError() << "argument " << i << " must be a ranked tensor, got " << type;
      if (failed(verifySize(func, "argument", i, tensor)))
        return failure();
      auto dims = func.getArgAttrOfType<ArrayAttr>(i, "heddle.dims");
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
        if (tensor.isDynamicDim(dim) && (!dims || cast<StringAttr>(dims[dim]).empty()))
          return func.emitError() << "dimension " << dim << " of argument " << i << " has no name";
    }
    for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return func.emitError() << "result " << i << " must be a ranked tensor, got " << type;
      if (failed(verifySize(func, "result", i, tensor)))
        return failure();
    }
    return success();
  }
};

} // namespace
