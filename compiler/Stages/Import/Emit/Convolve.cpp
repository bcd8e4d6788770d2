// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Convolve.h"

#include "compiler/Stages/Import/Emit/Contraction.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor mlir::heddle::importer::convolve(Emitter &emitter, Convolution &conv, const Window &window, Type sum) {
  int64_t rank = window.rank(), group = 1, filter = group + conv.groupDims, position = filter + conv.filterDims,
          channel = position + rank, tap = channel + conv.channelDims, loops = tap + rank;
  Builder &b = emitter.builder;
  auto dim = [&](int64_t d) { return b.getAffineDimExpr(d); };
  SmallVector<AffineExpr> read{dim(0)}, weigh, write{dim(0)};
  SizeList shape{conv.operand.sizes[0]};
  for (SmallVectorImpl<AffineExpr> *list : {&read, &weigh, &write})
    list->append(conv.groupDims, dim(group));
  weigh.append(conv.filterDims, dim(filter));
  write.append(conv.filterDims, dim(filter));
  read.append(conv.channelDims, dim(channel));
  weigh.append(conv.channelDims, dim(channel));
  for (int64_t d = 0; d < conv.groupDims + conv.filterDims; ++d)
    shape.push_back(conv.weights.sizes[d]);
  for (int64_t d = 0; d < rank; ++d) {
    read.push_back(dim(position + d) * window.strides[d] + dim(tap + d) * window.dilations[d]);
    weigh.push_back(dim(tap + d));
    write.push_back(dim(position + d));
    shape.push_back(window.output[d]);
  }
  SmallVector<utils::IteratorType> iterators(channel, utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);
  Type type = sum ? sum : conv.operand.elementType;
  Value init = emitter.filled(type, shape, makeAttribute(type, 0)).value;
  auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(loops, 0, exprs, b.getContext()); };
  return emitter.generic(
      {emitter.value(conv.operand), emitter.value(conv.weights)}, {map(read), map(weigh), map(write)}, iterators, shape,
      type, init, [&](OpBuilder &builder, Location loc, ValueRange v) {
        Scalar s{builder, loc};
        Type from = conv.operand.elementType, of = conv.weights.elementType;
        if (conv.weightZero == 0)
          return multiplyAdd(s, v[2], v[0], from, v[1], of, type);
        Value weight = s.sub(convert(s, v[1], of, type), s.constant(type, static_cast<double>(conv.weightZero)));
        return multiplyAdd(s, v[2], v[0], from, weight, type, type);
      });
}

// One group has no group dimension; one channel and one filter for each group have only the group dimension.
Convolution mlir::heddle::importer::splitGroups(Emitter &emitter, Tensor &operand, Tensor &weights, int64_t groups) {
  Sizes &sizes = emitter.sizes;
  if (groups == 1)
    return {operand, weights, 0, 1, 1};
  OpFoldResult g = sizes.constant(groups), filters = sizes.floorDiv(weights.sizes[0], g);
  bool depthwise = weights.isStaticSize(1, 1) && getConstantIntValue(filters) == 1;
  SizeList operandShape{operand.sizes[0], g}, weightShape{g};
  if (!depthwise) {
    operandShape.push_back(weights.sizes[1]);
    weightShape.append({filters, weights.sizes[1]});
  }
  operandShape.append(operand.sizes.begin() + 2, operand.sizes.end());
  weightShape.append(weights.sizes.begin() + 2, weights.sizes.end());
  return {emitter.reshape(operand, operandShape), emitter.reshape(weights, weightShape), 1, !depthwise, !depthwise};
}

mlir::heddle::importer::FittedChannels::FittedChannels(Emitter &emitter, Tensor &operand, OpFoldResult channels)
    : operand(operand), before(operand) {
  if (operand.staticSize(1) || !getConstantIntValue(channels))
    return;
  SizeList sizes = operand.sizes;
  sizes[1] = channels;
  operand = emitter.fromValue(emitter.value(operand), sizes, operand.elementType);
}

Tensor mlir::heddle::importer::alongFilters(Emitter &emitter, Tensor &tensor, int64_t rank) {
  SizeList shape(rank - 1, emitter.sizes.constant(1));
  shape[0] = tensor.sizes[0];
  return emitter.reshape(tensor, shape);
}
