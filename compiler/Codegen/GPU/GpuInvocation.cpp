// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/GPU/GpuInvocation.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

Value mlir::heddle::codegen::countElementWorkgroups(const GpuValue &of, FunctionScalars &scalars) {
  return scalars.ceilDiv(scalars.product(scalars.sizes(of.value)), of.features.invocations);
}

Value GpuInvocation::number() {
  OpBuilder &builder = lanes.builder;
  Value begin = builder.createOrFold<arith::MulIOp>(lanes.loc, at.workgroup, lanes.index(features.invocations));
  return builder.createOrFold<arith::AddIOp>(lanes.loc, begin, at.invocation);
}

void GpuInvocation::forElement(function_ref<void()> body) {
  Value element = number();
  emitter.when(less(element, emitter.scalars.product(sizes)), [&] {
    setIndex(llvm::to_vector(llvm::seq<unsigned>(0, sizes.size())), element);
    body();
  });
}

void GpuInvocation::setIndex(ArrayRef<unsigned> dims, Value linear) {
  LaneValue rest = LaneValue::uniform(linear);
  auto isUnit = [&](unsigned dim) { return getConstant(sizes[dim]) == 1; };
  const unsigned *outermost = llvm::find_if_not(dims, isUnit);
  for (unsigned dim : llvm::reverse(dims)) {
    if (isUnit(dim)) {
      index[dim] = lanes.constant(0);
    } else if (dim == *outermost) {
      index[dim] = rest;
    } else {
      index[dim] = lanes.mod(rest, LaneValue::uniform(sizes[dim]));
      rest = lanes.floorDiv(rest, LaneValue::uniform(sizes[dim]));
    }
  }
}

Value GpuInvocation::less(Value a, Value b) {
  return lanes.builder.createOrFold<arith::CmpIOp>(lanes.loc, arith::CmpIPredicate::ult, a, b);
}
