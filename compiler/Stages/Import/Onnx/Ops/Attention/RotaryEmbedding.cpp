// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Attention/RotaryEmbedding.h"

#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Ops/Movement/Gather.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// Element p (0 or 1) of every pair of x; both angles' functions broadcast to a head's pairs.
//
//   y0 = x0 cos - x1 sin
//   y1 = x0 sin + x1 cos
static Tensor turn(Emitter &emitter, Tensor &x, Tensor &cosines, Tensor &sines, const Rotary &rotary) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult half = sizes.constant(rotary.turned / 2), two = sizes.constant(2), one = sizes.constant(1);
  int64_t pair = rotary.interleaved ? 4 : 3;
  SizeList split(ArrayRef<OpFoldResult>(x.sizes).drop_back());
  split.append(rotary.interleaved ? SizeList{half, two} : SizeList{two, half});
  Tensor pairs = emitter.reshape(x, split);
  auto part = [&](int64_t which) {
    SizeList offsets(5, sizes.constant(0)), extents = split;
    offsets[pair] = sizes.constant(which);
    extents[pair] = one;
    return emitter.slice(pairs, offsets, extents, SmallVector<int64_t>(5, 1));
  };
  // [batch, length, half] beside the pairs.
  auto beside = [&](Tensor &angles) {
    SizeList shape{angles.sizes[0], angles.sizes[1], one};
    if (rotary.headsFirst)
      std::swap(shape[1], shape[2]);
    shape.append(rotary.interleaved ? SizeList{half, one} : SizeList{one, half});
    return emitter.reshape(angles, shape);
  };
  Tensor first = part(0), second = part(1), c = beside(cosines), sn = beside(sines);
  Tensor turned =
      emitter.generate(split, x.elementType, {&first, &second, &c, &sn}, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalar s{b, loc};
        Value isFirst = s.equal(v[4 + pair], arith::ConstantIndexOp::create(b, loc, 0));
        Value real = s.sub(s.mul(v[0], v[2]), s.mul(v[1], v[3])),
              imaginary = s.add(s.mul(v[0], v[3]), s.mul(v[1], v[2]));
        return s.select(isFirst, real, imaginary);
      });
  return emitter.reshape(turned, x.sizes);
}

Tensor mlir::heddle::importer::turnHeads(Emitter &emitter, Tensor &x, Tensor &cosines, Tensor &sines,
                                         const Rotary &rotary) {
  int64_t depth = *x.staticSize(3);
  if (rotary.turned == depth)
    return turn(emitter, x, cosines, sines, rotary);
  Sizes &sizes = emitter.sizes;
  SizeList offsets(4, sizes.constant(0)), extents = x.sizes;
  SmallVector<int64_t> steps(4, 1);
  extents[3] = sizes.constant(rotary.turned);
  Tensor moving = emitter.slice(x, offsets, extents, steps);
  offsets[3] = extents[3];
  extents[3] = sizes.constant(depth - rotary.turned);
  Tensor still = emitter.slice(x, offsets, extents, steps);
  Tensor turned = turn(emitter, moving, cosines, sines, rotary);
  Value joined = tensor::ConcatOp::create(emitter.builder, emitter.loc, x.type(), 3,
                                          ValueRange{emitter.value(turned), emitter.value(still)});
  return emitter.fromValue(joined, x.sizes, x.elementType);
}

// Cosines and sines [batch, length, half]: given so, or rows of caches.
static FailureOr<Tensor> readAngles(NodeContext &node, Tensor &cache, Tensor *positions, const Tensor &x,
                                    const Rotary &rotary) {
  Emitter &emitter = node.emitter;
  OpFoldResult length = x.sizes[rotary.headsFirst ? 2 : 1];
  if (cache.rank() != (positions ? 2 : 3) || !cache.isStaticSize(cache.rank() - 1, rotary.turned / 2))
    return node.refuse("cosines and sines must have rank " + Twine(positions ? 2 : 3) + " and a last dimension of " +
                       Twine(rotary.turned / 2) + ", half of the rotated elements");
  if (positions && (positions->rank() != 2 || !positions->isInteger()))
    return node.refuse("position_ids must be integers of rank 2");
  Tensor &rows = positions ? *positions : cache;
  for (auto [have, want] : llvm::zip(rows.sizes, SizeList{x.sizes[0], length})) {
    if (emitter.sizes.different(have, want))
      return node.refuse("positions must have the batch and length of the operand");
    emitter.checkEqual(have, want, "RotaryEmbedding: positions must have the batch and length of the operand");
  }
  return positions ? gatherRows(emitter, cache, *positions) : cache;
}

// The operand as heads of rank 4, and how they turn.
static FailureOr<Tensor> readRotary(NodeContext &node, int64_t heads, Rotary &rotary) {
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0), x = operand;
  if (operand.rank() != 3 && operand.rank() != 4)
    return node.refuse("the operand must have rank 3 or 4, got " + Twine(operand.rank()));
  rotary.headsFirst = operand.rank() == 4;
  rotary.interleaved = node.getInt("interleaved", 0) != 0;
  if (!rotary.headsFirst) {
    std::optional<int64_t> width = operand.staticSize(2);
    if (heads < 1 || !width || *width % heads != 0)
      return node.refuse("an operand of rank 3 needs attribute 'num_heads' that divides its last dimension");
    x = emitter.reshape(operand, {operand.sizes[0], operand.sizes[1], emitter.sizes.constant(heads),
                                  emitter.sizes.constant(*width / heads)});
  }
  std::optional<int64_t> depth = x.staticSize(3);
  if (!depth)
    return node.refuseFree("the depth of a head must be of fixed size");
  rotary.turned = node.getInt("rotary_embedding_dim", 0);
  if (rotary.turned == 0)
    rotary.turned = *depth;
  if (rotary.turned < 2 || rotary.turned > *depth || rotary.turned % 2 != 0)
    return node.refuse("turns " + Twine(rotary.turned) + " of the " + Twine(*depth) +
                       " elements of a head; it must be an even number of them");
  return x;
}

static LogicalResult lowerRotary(NodeContext &node, Tensor &cosineCache, Tensor &sineCache, Tensor *positions,
                                 int64_t heads) {
  Rotary rotary;
  FailureOr<Tensor> x = readRotary(node, heads, rotary);
  if (failed(x))
    return failure();
  FailureOr<Tensor> cosines = readAngles(node, cosineCache, positions, *x, rotary);
  FailureOr<Tensor> sines = readAngles(node, sineCache, positions, *x, rotary);
  if (failed(cosines) || failed(sines))
    return failure();
  Tensor result = turnHeads(node.emitter, *x, *cosines, *sines, rotary);
  node.setOutput(0, node.emitter.reshape(result, node.input(0)->sizes));
  return success();
}

static LogicalResult lowerRotaryEmbedding(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 3)))
    return failure();
  return lowerRotary(node, *node.input(1), *node.input(2), node.input(3), node.getInt("num_heads", 0));
}

// ONNX Runtime's: positions come second, [batch, length] or one position of the first token; heads may follow from the
// caches.
static LogicalResult lowerContribRotaryEmbedding(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(node.requireInputs(4)))
    return failure();
  if (node.getInt("is_packed_batching", 0) != 0 || node.getFloat("scale", 1) != 1)
    return node.unsupported("is_packed_batching and a scale are not supported");
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0), positions = *node.input(1), &cosines = *node.input(2), &sines = *node.input(3);
  if (x.rank() != 3 && x.rank() != 4)
    return node.refuse("the operand must have rank 3 or 4, got " + Twine(x.rank()));
  if (x.elementType != cosines.elementType || x.elementType != sines.elementType)
    return node.refuse("the operands must have the same element type");
  if (!positions.isInteger() || positions.rank() < 1 || positions.rank() > 2)
    return node.refuse("position_ids must be integers of rank 1 or 2");
  if (cosines.rank() != 2 || sines.rank() != 2)
    return node.refuse("cosines and sines must have rank 2");
  if (positions.rank() == 1) {
    OpFoldResult one = emitter.sizes.constant(1);
    emitter.checkEqual(positions.sizes[0], one, "RotaryEmbedding: position_ids of rank 1 must have one element");
    Tensor first = emitter.reshape(positions, {one, one});
    positions = emitter.generate({x.sizes[0], x.sizes[x.rank() == 4 ? 2 : 1]}, positions.elementType, {&first},
                                 [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                   Value step = arith::IndexCastOp::create(b, loc, v[0].getType(), v[2]);
                                   return arith::AddIOp::create(b, loc, v[0], step);
                                 });
  }
  int64_t heads = node.getInt("num_heads", 0);
  std::optional<int64_t> width = x.staticSize(x.rank() - 1), half = cosines.staticSize(cosines.rank() - 1);
  if (heads == 0 && width && half && *half > 0)
    heads = *width / (2 * *half);
  return lowerRotary(node, cosines, sines, &positions, heads);
}

void mlir::heddle::importer::registerRotaryEmbedding(LoweringTable &table) {
  table.add("RotaryEmbedding", 23, lowerRotaryEmbedding);
  table.add("com.microsoft.RotaryEmbedding", 1, lowerContribRotaryEmbedding);
}
