#include "compiler/Stages/Import/Onnx/Ops/Convolve.h"

#include "compiler/Stages/Import/Onnx/Ops/Scalars.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor mlir::heddle::importer::convolve(Emitter &emitter, Convolution &conv, const Window &window) {
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
  Type type = conv.operand.elementType;
  Value init = emitter.filled(type, shape, makeAttribute(type, 0)).value;
  auto map = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(loops, 0, exprs, b.getContext()); };
  return emitter.generic({emitter.value(conv.operand), emitter.value(conv.weights)},
                         {map(read), map(weigh), map(write)}, iterators, shape, type, init,
                         [](OpBuilder &builder, Location loc, ValueRange v) {
                           Scalar s{builder, loc};
                           return s.add(v[2], s.mul(v[0], v[1]));
                         });
}
