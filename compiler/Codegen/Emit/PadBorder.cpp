// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/PadBorder.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

Value mlir::heddle::codegen::beginOfSource(FunctionScalars &scalars, tensor::PadOp pad, int64_t dim) {
  return scalars.constant(*getConstantIntValue(pad.getMixedLowPad()[dim]));
}

Value mlir::heddle::codegen::endOfSource(FunctionScalars &scalars, tensor::PadOp pad, int64_t dim) {
  return scalars.add(beginOfSource(scalars, pad, dim), scalars.size(pad.getSource(), dim));
}

Buffer mlir::heddle::codegen::insideOf(ElementEmitter &emitter, tensor::PadOp pad, const Buffer &whole) {
  FunctionScalars &scalars = emitter.scalars;
  Buffer inside = whole;
  inside.base = whole.base ? whole.base : scalars.constant(0);
  for (auto [dim, stride] : llvm::zip_equal(whole.dims, whole.strides))
    inside.base = scalars.add(inside.base, scalars.mul(beginOfSource(scalars, pad, dim), stride));
  return inside;
}

Value mlir::heddle::codegen::isInBorder(ElementEmitter &emitter, tensor::PadOp pad, ArrayRef<LaneValue> index) {
  LaneBuilder &lanes = emitter.lanes;
  Value outside = arith::ConstantOp::create(lanes.builder, lanes.loc, lanes.builder.getBoolAttr(false));
  for (auto [dim, at] : llvm::enumerate(index)) {
    if (isConstantIntValue(pad.getMixedLowPad()[dim], 0) && isConstantIntValue(pad.getMixedHighPad()[dim], 0))
      continue;
    // As unsigned numbers: before the source is above every size.
    LaneValue inSource = lanes.sub(at, LaneValue::uniform(beginOfSource(emitter.scalars, pad, dim)));
    LaneValue size = LaneValue::uniform(emitter.scalars.size(pad.getSource(), dim));
    Value beyond = lanes.compare(arith::CmpIPredicate::uge, inSource, size).base;
    outside = lanes.builder.createOrFold<arith::OrIOp>(lanes.loc, outside, beyond);
  }
  return outside;
}
