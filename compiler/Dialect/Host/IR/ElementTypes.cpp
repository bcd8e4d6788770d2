// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/IR/ElementTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using ::heddle::contract::ElementType;

static ElementType getIntegerType(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1: return ElementType::I1;
  case 2: return isUnsigned ? ElementType::U2 : ElementType::I2;
  case 4: return isUnsigned ? ElementType::U4 : ElementType::I4;
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
  return TypeSwitch<Type, ElementType>(type)
      .Case([](Float8E4M3FNType) { return ElementType::F8E4M3FN; })
      .Case([](Float8E4M3FNUZType) { return ElementType::F8E4M3FNUZ; })
      .Case([](Float8E5M2Type) { return ElementType::F8E5M2; })
      .Case([](Float8E5M2FNUZType) { return ElementType::F8E5M2FNUZ; })
      .Case([](Float8E8M0FNUType) { return ElementType::F8E8M0FNU; })
      .Case([](Float4E2M1FNType) { return ElementType::F4E2M1FN; })
      .Default(ElementType::None);
}
