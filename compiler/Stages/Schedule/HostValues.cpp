// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/HostProgramBuilder.h"

#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Encoding/IR/StorageSize.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::heddle;

int64_t HostProgramBuilder::elementBytes(Type type) { return ::heddle::contract::byteSize(host::getElementType(type)); }

Value HostProgramBuilder::constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

SmallVector<Value> HostProgramBuilder::mixedDims(RankedTensorType type, ValueRange dynamic) {
  SmallVector<Value> dims;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      dims.push_back(constant(size));
      continue;
    }
    dims.push_back(scalar(dynamic.front()));
    dynamic = dynamic.drop_front();
  }
  return dims;
}

SmallVector<Value> HostProgramBuilder::mixedSizes(ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> values;
  for (OpFoldResult size : sizes)
    values.push_back(isa<Attribute>(size) ? constant(*getConstantIntValue(size)) : scalar(cast<Value>(size)));
  return values;
}

// Constants in one factor, so that equal dynamic factors give equal values. Of sizes: a product that 64 bits do not
// hold is no size (FunctionFlattener), and memory for it is refused.
Value HostProgramBuilder::product(ArrayRef<Value> factors) {
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

Value HostProgramBuilder::byteSize(RankedTensorType type, ArrayRef<Value> dims) {
  if (encoding::getLayout(type))
    return encoding::storageSize(builder, loc, type, dims);
  SmallVector<Value> factors(dims);
  factors.push_back(constant(elementBytes(type.getElementType())));
  return product(factors);
}

// Where a dispatch or transfer writes: a result's or a branch's storage if it was claimed, else a buffer.
Value HostProgramBuilder::destination(Value tensor, ArrayRef<Value> dims, FlatSymbolRefAttr device) {
  if (Value target = targetOf.lookup(tensor))
    return target;
  auto index = resultOf.find(tensor);
  if (index == resultOf.end())
    return allocate(tensor, dims, device);
  Value bytes = byteSize(cast<RankedTensorType>(tensor.getType()), dims);
  return resultBuffers[index->second] =
             host::ResultOp::create(builder, loc, builder.getI32IntegerAttr(index->second), device, bytes);
}

Value HostProgramBuilder::allocate(Value tensor, ArrayRef<Value> dims, FlatSymbolRefAttr device) {
  return host::AllocOp::create(builder, loc, device, byteSize(cast<RankedTensorType>(tensor.getType()), dims));
}

// `target` lies on `device`.
void HostProgramBuilder::copy(Value target, Value tensor, FlatSymbolRefAttr device, int64_t queue) {
  const Storage &from = storage[tensor];
  Value bytes = byteSize(cast<RankedTensorType>(tensor.getType()), from.dims);
  host::CopyOp::create(builder, loc, stream(device, queue), target, constant(0), parameterOn(from.buffer, device),
                       constant(0), bytes);
}

// The buffers that one may be, through views and through transfers that may turn out to be their source.
SmallVector<Value> HostProgramBuilder::rootsOf(Value buffer) {
  SetVector<Value> open;
  open.insert(buffer);
  SmallVector<Value> roots;
  for (size_t i = 0; i < open.size(); ++i) {
    Value value = open[i];
    if (auto view = value.getDefiningOp<host::ViewOp>()) {
      open.insert(view.getSource());
    } else if (auto choice = value.getDefiningOp<arith::SelectOp>()) {
      open.insert(choice.getTrueValue());
      open.insert(choice.getFalseValue());
    } else {
      roots.push_back(value);
    }
  }
  return roots;
}
