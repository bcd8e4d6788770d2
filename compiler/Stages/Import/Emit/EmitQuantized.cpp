// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised tensors during the import.
#include "compiler/Stages/Import/Emit/Emitter.h"
#include "compiler/Stages/Import/Emit/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor Emitter::fromQuantization(Quantization quantization) {
  Tensor tensor;
  tensor.elementType = quantization.type ? quantization.type : quantization.scale.elementType;
  tensor.sizes = quantization.source.sizes;
  tensor.quantized = std::make_shared<Quantization>(std::move(quantization));
  return tensor;
}

Tensor Emitter::repeat(Tensor &tensor, ArrayRef<OpFoldResult> shape, int64_t axis, int64_t times) {
  Value values = value(tensor);
  return generate(shape, tensor.elementType, {}, [&](OpBuilder &b, Location l, ValueRange index) -> Value {
    SmallVector<Value> at(index);
    at[axis] = arith::DivUIOp::create(b, l, at[axis], arith::ConstantIndexOp::create(b, l, times));
    return tensor::ExtractOp::create(b, l, values, at);
  });
}

Value Emitter::dequantize(Quantization &quantization) {
  if (quantization.block > 0) {
    Quantization plain = quantization;
    plain.block = 0;
    plain.axis.reset();
    plain.scale = repeat(plain.scale, plain.source.sizes, *quantization.axis, quantization.block);
    if (plain.zeroPoint && plain.zeroPoint->rank() > 0)
      plain.zeroPoint = repeat(*plain.zeroPoint, plain.source.sizes, *quantization.axis, quantization.block);
    return dequantize(plain);
  }
  Tensor &source = quantization.source;
  SizeList alongAxis;
  if (quantization.axis) {
    alongAxis.assign(source.rank() - *quantization.axis, sizes.constant(1));
    alongAxis.front() = source.sizes[*quantization.axis];
  }
  Tensor scale = quantization.scale, zeroPoint;
  if (quantization.axis)
    scale = reshape(scale, alongAxis);
  SmallVector<Tensor *> operands{&source, &scale};
  if (quantization.zeroPoint) {
    zeroPoint = *quantization.zeroPoint;
    if (quantization.axis && zeroPoint.rank() == 1)
      zeroPoint = reshape(zeroPoint, alongAxis);
    operands.push_back(&zeroPoint);
  }
  Type type = quantization.type ? quantization.type : scale.elementType;
  Type from = source.elementType, scaleType = scale.elementType;
  Type zeroType = quantization.zeroPoint ? zeroPoint.elementType : from;
  bool isUnit = scale.data && scale.data->size() == 1 && scale.data->real(0) == 1;
  return elementwise(operands, source.sizes, type,
                     [&](OpBuilder &b, Location l, ValueRange v) {
                       Scalar s{b, l};
                       bool inIntegers = isa<IntegerType>(from) && isa<IntegerType>(zeroType);
                       Type f32 = b.getF32Type(), wide = inIntegers ? Type(b.getI32Type()) : f32;
                       Value steps = convert(s, v[0], from, wide);
                       if (v.size() > 2)
                         steps = s.sub(steps, convert(s, v[2], zeroType, wide));
                       Value real = convert(s, steps, wide, f32);
                       if (!isUnit)
                         real = s.mul(real, convert(s, v[1], scaleType, f32));
                       return convert(s, real, f32, type);
                     })
      .value;
}
