#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CONVERTUNSIGNED
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

static bool hasSign(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSignless();
}

static IntegerType signless(IntegerType type) { return IntegerType::get(type.getContext(), type.getWidth()); }

// The same bits under the type without signs; nothing to do: null.
static Attribute signlessElements(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  if (!hasSign(type.getElementType()))
    return {};
  ShapedType plain = type.clone(signless(cast<IntegerType>(type.getElementType())));
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return DenseElementsAttr::getFromRawBuffer(plain, dense.getRawData());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(plain, resource.getRawHandle());
  return {};
}

namespace {

struct ConvertUnsigned : heddle::impl::ConvertUnsignedBase<ConvertUnsigned> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic())
        remember(func);
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [](IntegerType type) -> std::optional<Type> { return hasSign(type) ? signless(type) : type; });
    // Integers of attributes are no tensors' elements.
    replacer.addReplacement([](IntegerAttr value) { return std::make_pair(Attribute(value), WalkResult::skip()); });
    replacer.addReplacement([](ElementsAttr value) -> std::optional<std::pair<Attribute, WalkResult>> {
      Attribute plain = signlessElements(value);
      return std::make_pair(plain ? plain : Attribute(value), WalkResult::skip());
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    eraseCasts();
  }

  // Says in attributes what the types of `func` are about to forget.
  static void remember(func::FuncOp func) {
    Builder builder(func.getContext());
    auto isUnsigned = [](Type type) {
      Type element = getElementTypeOrSelf(type);
      return isa<RankedTensorType>(type) && element.isUnsignedInteger() && element.getIntOrFloatBitWidth() >= 8;
    };
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
      if (isUnsigned(type))
        func.setArgAttr(i, kUnsignedAttr, builder.getUnitAttr());
    for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
      if (isUnsigned(type))
        func.setResultAttr(i, kUnsignedAttr, builder.getUnitAttr());
  }

  void eraseCasts() {
    getOperation().walk([](Operation *op) {
      if (!isa<tensor::BitcastOp, UnrealizedConversionCastOp>(op) || op->getNumOperands() != op->getNumResults() ||
          op->getOperandTypes() != op->getResultTypes())
        return;
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    });
  }
};

} // namespace
