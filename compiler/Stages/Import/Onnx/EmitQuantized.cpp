// Quantised tensors during the import.
#include "compiler/Stages/Import/Onnx/Emitter.h"
#include "compiler/Stages/Import/Onnx/Ops/Scalars.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor Emitter::fromQuantization(Quantization quantization) {
  Tensor tensor;
  tensor.elementType = quantization.scale.elementType;
  tensor.sizes = quantization.source.sizes;
  tensor.quantized = std::make_shared<Quantization>(std::move(quantization));
  return tensor;
}

Value Emitter::dequantize(Quantization &quantization) {
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
    if (zeroPoint.rank() == 1)
      zeroPoint = reshape(zeroPoint, alongAxis);
    operands.push_back(&zeroPoint);
  }
  Type type = scale.elementType, from = source.elementType;
  return elementwise(operands, source.sizes, type,
                     [&](OpBuilder &b, Location l, ValueRange v) {
                       Scalar s{b, l};
                       auto i32 = b.getI32Type();
                       Value steps = convert(s, v[0], from, i32);
                       if (v.size() > 2)
                         steps = s.sub(steps, convert(s, v[2], from, i32));
                       Value real =
                           s.mul(convert(s, steps, i32, b.getF32Type()), convert(s, v[1], type, b.getF32Type()));
                       return convert(s, real, b.getF32Type(), type);
                     })
      .value;
}
