// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/DepthSizes.h"

#include "compiler/Codegen/Emit/LaneBuilder.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

SmallVector<Value> mlir::heddle::codegen::reductionSizes(linalg::GenericOp op, FunctionScalars &scalars) {
  SmallVector<Value> loops = scalars.loopSizes(op), sizes;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (unsigned dim : reductions)
    sizes.push_back(loops[dim]);
  return sizes;
}

DepthCut mlir::heddle::codegen::findCut(ArrayRef<Value> sizes, int64_t depth) {
  int64_t inside = 1;
  size_t loop = sizes.size() - 1;
  for (; loop > 0; --loop) {
    std::optional<int64_t> size = getConstant(sizes[loop]);
    if (!size || inside * *size > depth)
      break;
    inside *= std::max<int64_t>(*size, 1);
  }
  return {loop, std::max<int64_t>(depth / inside, 1)};
}

DepthChunks mlir::heddle::codegen::findChunks(Value size, int64_t most, FunctionScalars &scalars) {
  Value count = scalars.max(scalars.ceilDiv(size, most), scalars.constant(1));
  Value above = scalars.add(size, scalars.sub(count, scalars.constant(1)));
  return {count, scalars.divide(above, count)};
}

SmallVector<Value> mlir::heddle::codegen::depthSizes(const ContractionPlan &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = reductionSizes(nest.step.op, scalars);
  if (nest.contraction.depth == 0 || !nest.contraction.depthOutside)
    return sizes;
  DepthCut cut = findCut(sizes, nest.contraction.depth);
  for (size_t loop = 0; loop < cut.loop; ++loop)
    sizes[loop] = scalars.constant(1);
  sizes[cut.loop] = findChunks(sizes[cut.loop], cut.most, scalars).steps;
  return sizes;
}
