#include "compiler/Dialect/Host/IR/ElementTypes.h"

using namespace mlir;
using ::heddle::contract::ElementType;

static ElementType getIntegerType(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1: return ElementType::I1;
  case 8: return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16: return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32: return isUnsigned ? ElementType::U32 : ElementType::I32;
  case 64: return isUnsigned ? ElementType::U64 : ElementType::I64;
  default: return ElementType::None;
  }
}

ElementType mlir::heddle::host::getElementType(Type type) {
  if (type.isIndex())
    return ElementType::I64;
  if (auto integer = dyn_cast<IntegerType>(type))
    return getIntegerType(integer);
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  return ElementType::None;
}
