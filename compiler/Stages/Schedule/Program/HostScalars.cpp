// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Program/HostScalars.h"

#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Encoding/IR/StorageSize.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::heddle;

int64_t HostScalars::elementBytes(Type type) { return ::heddle::contract::byteSize(host::getElementType(type)); }

Value HostScalars::constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

SmallVector<Value> HostScalars::dimsOf(RankedTensorType type, ValueRange dynamic) {
  SmallVector<Value> dims;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      dims.push_back(constant(size));
      continue;
    }
    dims.push_back(of(dynamic.front()));
    dynamic = dynamic.drop_front();
  }
  return dims;
}

SmallVector<Value> HostScalars::sizesOf(ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> values;
  for (OpFoldResult size : sizes)
    values.push_back(isa<Attribute>(size) ? constant(*getConstantIntValue(size)) : of(cast<Value>(size)));
  return values;
}

Value HostScalars::product(ArrayRef<Value> factors) {
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(builder, loc, x, y, arith::IntegerOverflowFlags::nsw);
  };
  int64_t known = 1;
  Value dynamic;
  for (Value factor : factors) {
    if (auto value = getConstantIntValue(factor))
      known *= *value;
    else
      dynamic = dynamic ? multiply(dynamic, factor) : factor;
  }
  if (!dynamic || known == 0)
    return constant(known);
  return known == 1 ? dynamic : multiply(dynamic, constant(known));
}

Value HostScalars::byteSize(RankedTensorType type, ArrayRef<Value> dims) {
  if (encoding::getLayout(type))
    return encoding::storageSize(builder, loc, type, dims);
  SmallVector<Value> factors(dims);
  factors.push_back(constant(elementBytes(type.getElementType())));
  return product(factors);
}
