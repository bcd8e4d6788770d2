// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Intent/IR/IntentOps.h"
#include "compiler/Stages/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CONVERTUNSIGNED
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

static bool isHeldOtherwise(Type type) { return getStorageType(type) != type; }

// Floats of 8 and 4 bits and integers of 4 and 2: their values are codes in bytes.
static bool isCode(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return isHeldOtherwise(type) && (!integer || integer.getWidth() < 8);
}

// The same bits under the type that holds them; nothing to do: null.
static Attribute heldElements(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  Type element = type.getElementType();
  if (!isHeldOtherwise(element))
    return {};
  ShapedType held = type.clone(getStorageType(element));
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    auto integer = dyn_cast<IntegerType>(element);
    if (!integer || integer.getWidth() >= 8)
      return DenseElementsAttr::getFromRawBuffer(held, dense.getRawData());
    auto bytes = llvm::map_to_vector(dense.getValues<APInt>(), [&](const APInt &code) {
      return integer.isUnsigned() ? code.zext(8) : code.sext(8);
    });
    return DenseElementsAttr::get(held, bytes);
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return DenseResourceElementsAttr::get(held, resource.getRawHandle());
  return {};
}

namespace {

struct ConvertUnsigned : mlir::heddle::impl::ConvertUnsignedBase<ConvertUnsigned> {
  void runOnOperation() override {
    if (failed(refuseArithmetic()))
      return signalPassFailure();
    SmallVector<Forgotten> forgotten;
    for (auto func : getOperation().getOps<func::FuncOp>())
      collect(func, forgotten);
    // What codes mean, which no value has as its type.
    SmallVector<std::pair<intent::QuantizedProductOp, Type>> codes;
    getOperation().walk([&](intent::QuantizedProductOp op) { codes.push_back({op, op.getCode()}); });
    AttrTypeReplacer replacer;
    replacer.addReplacement([](Type type) -> std::optional<Type> {
      return isHeldOtherwise(type) ? std::optional(getStorageType(type)) : std::nullopt;
    });
    // Integers of attributes are no tensors' elements.
    replacer.addReplacement([](IntegerAttr value) { return std::make_pair(Attribute(value), WalkResult::skip()); });
    replacer.addReplacement([](ElementsAttr value) -> std::optional<std::pair<Attribute, WalkResult>> {
      Attribute held = heldElements(value);
      return std::make_pair(held ? held : Attribute(value), WalkResult::skip());
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (const Forgotten &value : forgotten)
      if (value.isResult)
        value.func.setResultAttr(value.number, kElementTypeAttr, value.element);
      else
        value.func.setArgAttr(value.number, kElementTypeAttr, value.element);
    for (auto [op, code] : codes)
      op.setCode(code);
    eraseCasts();
  }

  // Codes are moved as bytes; what they are worth only the ONNX importer knows.
  LogicalResult refuseArithmetic() {
    WalkResult result = getOperation().walk([](Operation *op) {
      if (op->hasTrait<OpTrait::ConstantLike>() ||
          !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()))
        return WalkResult::advance();
      SmallVector<Type> types(op->getOperandTypes());
      llvm::append_range(types, op->getResultTypes());
      for (Type type : types)
        if (isCode(getElementTypeOrSelf(type))) {
          op->emitOpError() << "computes with " << getElementTypeOrSelf(type)
                            << ", whose values can only be moved here: decode them as i8 by integer arithmetic, or "
                               "import the model from ONNX, which has casts of this type";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  // An argument or result whose elements the caller knows as something else than its type will say.
  struct Forgotten {
    mutable func::FuncOp func;
    bool isResult;
    unsigned number;
    TypeAttr element;
  };

  // What attributes of `func` say already, and what the types of a public one are about to forget.
  static void collect(func::FuncOp func, SmallVectorImpl<Forgotten> &list) {
    auto elementOf = [&](Type type, DictionaryAttr attributes) -> TypeAttr {
      if (auto said = attributes ? attributes.getAs<TypeAttr>(kElementTypeAttr) : TypeAttr())
        return said;
      Type element = getElementTypeOrSelf(type);
      if (auto integer = dyn_cast<IntegerType>(element); integer && integer.isSigned())
        element = IntegerType::get(type.getContext(), integer.getWidth()); // si4 is i4 to the caller
      return func.isPublic() && isa<RankedTensorType>(type) && isHeldOtherwise(element) ? TypeAttr::get(element)
                                                                                        : TypeAttr();
    };
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
      if (TypeAttr element = elementOf(type, func.getArgAttrDict(i)))
        list.push_back({func, false, static_cast<unsigned>(i), element});
    for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
      if (TypeAttr element = elementOf(type, func.getResultAttrDict(i)))
        list.push_back({func, true, static_cast<unsigned>(i), element});
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
