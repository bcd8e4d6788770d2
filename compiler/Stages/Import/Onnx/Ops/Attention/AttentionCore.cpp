// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Attention/AttentionCore.h"

#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

FailureOr<Heads> mlir::heddle::importer::readHeads(NodeContext &node, const Tensor &tensor, int64_t heads,
                                                   StringRef name) {
  Sizes &sizes = node.emitter.sizes;
  if (tensor.rank() == 4)
    return Heads{tensor, false, tensor.sizes[0], tensor.sizes[1], tensor.sizes[2], tensor.sizes[3]};
  if (tensor.rank() != 3)
    return node.refuse(name + " must have rank 3 or 4, got " + Twine(tensor.rank()));
  if (heads < 1)
    return node.refuse(name + " has rank 3: the number of its heads must be given");
  std::optional<int64_t> width = tensor.staticSize(2);
  if (!width || heads > *width || *width % heads != 0)
    return node.refuseFree("the last dimension of " + name + " must be of fixed size and a multiple of its " +
                           Twine(heads) + " heads");
  return Heads{tensor, true, tensor.sizes[0], sizes.constant(heads), tensor.sizes[1], sizes.constant(*width / heads)};
}

Tensor mlir::heddle::importer::separateHeads(Emitter &emitter, Heads &heads) {
  if (!heads.flat)
    return heads.tensor;
  Tensor apart = emitter.reshape(heads.tensor, {heads.batch, heads.length, heads.count, heads.depth});
  return emitter.transpose(apart, {0, 2, 1, 3});
}

FailureOr<Tensor> mlir::heddle::importer::appendToPast(NodeContext &node, Tensor *past, Tensor &rows) {
  if (!past)
    return rows;
  Emitter &emitter = node.emitter;
  if (past->rank() != 4 || past->elementType != rows.elementType)
    return node.refuse("past keys and values must have rank 4 and the type of the new ones");
  for (int64_t d : {0, 1, 3}) {
    if (emitter.sizes.different(past->sizes[d], rows.sizes[d]))
      return node.refuse("past keys or values differ from the new ones in dimension " + Twine(d));
    emitter.checkEqual(past->sizes[d], rows.sizes[d], "past and new keys or values differ in a size");
  }
  if (past->isStaticSize(2, 0))
    return rows;
  SizeList shape = rows.sizes;
  shape[2] = emitter.sizes.add(past->sizes[2], rows.sizes[2]);
  auto type = RankedTensorType::get(shapeOf(shape), storageType(rows.elementType));
  Value joined = tensor::ConcatOp::create(emitter.builder, emitter.loc, type, 2,
                                          ValueRange{emitter.value(*past), emitter.value(rows)});
  return emitter.fromValue(joined, shape, rows.elementType);
}
