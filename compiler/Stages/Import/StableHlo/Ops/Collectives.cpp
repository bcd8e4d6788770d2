// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives that reduce nothing, and the questions which rank this is. Each collective has one operand
// (RewriteCollectives.h).
#include "compiler/Stages/Import/StableHlo/Ops/Groups.h"
#include "compiler/Stages/Import/StableHlo/Ranks/RewriteCollectives.h"

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

//===--- What has no reduction -----------------------------------------------------------------------------------===//

static Tensor fromResult(OpContext &op, Value value, ArrayRef<int64_t> shape, Type elementType) {
  return op.emitter.fromValue(value, op.sizesOf(shape), elementType);
}

static LogicalResult requireSameType(OpContext &op) {
  if (failed(requireOne(op)))
    return failure();
  return op.operandType(0) == op.resultType(0) ? success() : op.refuse("operand and result must have one type");
}

static LogicalResult lowerAllGather(OpContext &op) {
  if (failed(requireOne(op)))
    return failure();
  FailureOr<int64_t> dim = readDim(op, "all_gather_dim");
  FailureOr<RankGroups> groups = failed(dim) ? FailureOr<RankGroups>(failure()) : readGroups(op, true, true);
  FailureOr<int64_t> size = failed(groups) ? FailureOr<int64_t>(failure()) : evenSize(op, *groups);
  if (failed(size) || failed(requireShape(op, {{*dim, op.operandType(0).getDimSize(*dim) * *size}})))
    return failure();
  if (areAlone(op, *groups))
    return op.setNarrowResult(0, op.narrow(0));
  if (op.resultType(0).getNumElements() == 0)
    return op.setResult(0,
                        op.emitter.empty(op.resultType(0).getElementType(), op.sizesOf(op.resultType(0).getShape())));
  return op.setResult(0, emitAllGather(op, op.operand(0), *dim, *groups));
}

static LogicalResult lowerAllToAll(OpContext &op) {
  if (failed(requireOne(op)))
    return failure();
  FailureOr<int64_t> split = readDim(op, "split_dimension"), concat = readDim(op, "concat_dimension"),
                     count = op.integer("split_count");
  FailureOr<RankGroups> groups =
      failed(split) || failed(concat) || failed(count) ? FailureOr<RankGroups>(failure()) : readGroups(op, false, true);
  FailureOr<int64_t> size = failed(groups) ? FailureOr<int64_t>(failure()) : evenSize(op, *groups);
  if (failed(size))
    return failure();
  RankedTensorType from = op.operandType(0), to = op.resultType(0);
  if (*count != *size)
    return op.refuse("split_count must be the number of members of a group, " + Twine(*size) + ", got " +
                     Twine(*count));
  if (failed(requireParts(op, *split, *count)))
    return failure();
  SmallVector<std::pair<int64_t, int64_t>> dims;
  if (*split != *concat)
    dims = {{*split, from.getDimSize(*split) / *count}, {*concat, from.getDimSize(*concat) * *count}};
  if (failed(requireShape(op, dims)))
    return failure();
  if (areAlone(op, *groups))
    return op.setNarrowResult(0, op.narrow(0));
  if (to.getNumElements() == 0)
    return op.setResult(0, op.emitter.empty(to.getElementType(), op.sizesOf(to.getShape())));
  OpBuilder &b = op.emitter.builder;
  Members members(b, *groups);
  Value value = op.emitter.value(op.operand(0));
  auto type = RankedTensorType::get(to.getShape(), storageType(to.getElementType()));
  Value made = flow::AllToAllOp::create(b, op.emitter.loc, type, value, b.getI64IntegerAttr(*split),
                                        b.getI64IntegerAttr(*concat), members.mesh, members.axes, members.lists,
                                        ValueRange(), ValueRange(), /*cut=*/ValueRange());
  return op.setResult(0, fromResult(op, made, to.getShape(), to.getElementType()));
}

//===--- Permutation ---------------------------------------------------------------------------------------------===//

using Pairs = SmallVector<std::pair<int64_t, int64_t>>;

// The pairs of places along one axis that `pairs` of ranks are in every group along it; nothing if they are not.
static std::optional<Pairs> fitPairs(const MeshText &mesh, const MeshAxis &axis, const Pairs &pairs) {
  int64_t stride = strideOf(mesh, axis.name), groups = mesh.count() / axis.size;
  std::map<std::pair<int64_t, int64_t>, int64_t> counts;
  for (auto [from, to] : pairs) {
    int64_t source = from / stride % axis.size, target = to / stride % axis.size;
    if (from - source * stride != to - target * stride)
      return std::nullopt;
    ++counts[{source, target}];
  }
  Pairs places;
  for (auto [pair, count] : counts) {
    if (count != groups)
      return std::nullopt;
    places.push_back(pair);
  }
  return places;
}

// How far everybody sends around the ring of all; nothing if they do not.
static std::optional<int64_t> shiftOf(const Pairs &pairs, int64_t size) {
  auto distance = [&](std::pair<int64_t, int64_t> pair) { return (pair.second - pair.first + size) % size; };
  int64_t shift = distance(pairs.front());
  if (static_cast<int64_t>(pairs.size()) != size ||
      !llvm::all_of(pairs, [&](std::pair<int64_t, int64_t> pair) { return distance(pair) == shift; }))
    return std::nullopt;
  return shift * 2 > size ? shift - size : shift;
}

static LogicalResult lowerPermute(OpContext &op) {
  if (failed(requireSameType(op)))
    return failure();
  FailureOr<IdKind> kind = readIdKind(op, false);
  FailureOr<SmallVector<SmallVector<int64_t>>> lists =
      failed(kind) ? FailureOr<SmallVector<SmallVector<int64_t>>>(failure()) : readLists(op, "source_target_pairs");
  if (failed(lists))
    return failure();
  std::string why;
  FailureOr<Pairs> pairs = op.converter.ranks.pairsOf(*lists, *kind, why);
  if (failed(pairs))
    return op.refuse("source_target_pairs: " + why);
  const RankMesh &mesh = op.converter.ranks.main();
  auto stays = [](std::pair<int64_t, int64_t> pair) { return pair.first == pair.second; };
  if (static_cast<int64_t>(pairs->size()) == op.converter.ranks.count() && llvm::all_of(*pairs, stays))
    return op.setNarrowResult(0, op.narrow(0));
  RankedTensorType type = op.resultType(0);
  Type element = type.getElementType();
  OpBuilder &b = op.emitter.builder;
  if (pairs->empty() || type.getNumElements() == 0)
    return op.setResult(0,
                        op.emitter.filled(element, op.sizesOf(type.getShape()), b.getZeroAttr(storageType(element))));
  SmallVector<StringRef> axes;
  int64_t size = mesh.text.count();
  for (const MeshAxis &axis : mesh.text.axes) {
    std::optional<Pairs> along =
        axis.size > 1 && axes.size() < mesh.text.axes.size() ? fitPairs(mesh.text, axis, *pairs) : std::nullopt;
    if (along) {
      axes = {axis.name};
      size = axis.size;
      *pairs = std::move(*along);
      break;
    }
  }
  if (axes.empty())
    for (const MeshAxis &axis : mesh.text.axes)
      axes.push_back(axis.name);
  std::optional<int64_t> shift = shiftOf(*pairs, size);
  SmallVector<int64_t> flat;
  for (auto [from, to] : *pairs)
    flat.append({from, to});
  Value value = op.emitter.value(op.operand(0));
  Value made = flow::PermuteOp::create(
      b, op.emitter.loc, value.getType(), value, shift ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(flat),
      b.getI64IntegerAttr(shift.value_or(0)), FlatSymbolRefAttr::get(b.getContext(), mesh.symbol),
      b.getStrArrayAttr(axes), ArrayAttr(), ValueRange());
  return op.setResult(0, fromResult(op, made, type.getShape(), element));
}

//===--- From a root ---------------------------------------------------------------------------------------------===//

// Roots that the last operand says, one for each of the others: all parts come, and one is taken.
static LogicalResult lowerDynamicBroadcast(OpContext &op) {
  unsigned count = op.op->getNumResults();
  if (count == 0 || failed(op.requireOperands(count + 1)))
    return count ? failure() : op.refuse("needs operands and results");
  RankedTensorType roots = op.operandType(count);
  if (roots.getShape() != ArrayRef<int64_t>{count} || !roots.getElementType().isSignlessInteger(32))
    return op.refuse("the last operand must be a root for each of the others, tensor<" + Twine(count) + "xi32>");
  FailureOr<RankGroups> groups = readGroups(op, false, false);
  FailureOr<int64_t> size = failed(groups) ? FailureOr<int64_t>(failure()) : evenSize(op, *groups);
  if (failed(size))
    return failure();
  Emitter &emitter = op.emitter;
  OpBuilder &b = emitter.builder;
  for (unsigned i = 0; i < count; ++i) {
    RankedTensorType type = op.operandType(i);
    if (type != op.resultType(i))
      return op.refuse("operand and result " + Twine(i) + " must have one type");
    Tensor stack = emitStack(op, op.operand(i), *groups);
    Value at = arith::ConstantIndexOp::create(b, emitter.loc, i);
    Value root = tensor::ExtractOp::create(b, emitter.loc, emitter.value(op.operand(count)), at);
    SizeList starts(type.getRank() + 1, emitter.sizes.constant(0)), extents = op.sizesOf(type.getShape());
    starts.front() = toIndexWithin(b, emitter.loc, root, roots.getElementType(), *size - 1);
    extents.insert(extents.begin(), emitter.sizes.constant(1));
    Tensor row = emitter.slice(stack, starts, extents, SmallVector<int64_t>(extents.size(), 1));
    if (failed(op.setResult(i, emitter.reshape(row, op.sizesOf(type.getShape())))))
      return failure();
  }
  return success();
}

static LogicalResult lowerBroadcastFrom(OpContext &op) {
  if (hasFlag(op, "has_dynamic_root"))
    return lowerDynamicBroadcast(op);
  if (failed(requireSameType(op)))
    return failure();
  FailureOr<RankGroups> groups = readGroups(op, false, false);
  if (failed(groups))
    return failure();
  if (areAlone(op, *groups))
    return op.setNarrowResult(0, op.narrow(0));
  OpBuilder &b = op.emitter.builder;
  Members members(b, *groups);
  Value value = op.emitter.value(op.operand(0));
  Value made = flow::BroadcastOp::create(b, op.emitter.loc, value.getType(), value, b.getI64IntegerAttr(0),
                                         members.mesh, members.axes, members.lists, ValueRange());
  return op.setResult(0, fromResult(op, made, op.resultType(0).getShape(), op.resultType(0).getElementType()));
}

//===--- Which rank this is --------------------------------------------------------------------------------------===//

static LogicalResult setNumber(OpContext &op, OpFoldResult number) {
  RankedTensorType type = op.resultType(0);
  return op.setResult(0, op.emitter.fromContents(type.getElementType(), {}, {number}));
}

static LogicalResult lowerId(OpContext &op, bool isPartition) {
  if (failed(op.requireOperands(0)) || failed(op.requireResults(1)))
    return failure();
  const Ranks &ranks = op.converter.ranks;
  auto axis = op.op->getAttrOfType<ArrayAttr>(kAxisAttr);
  if (op.resultType(0).getRank() != 0 || (!axis && !op.resultType(0).getElementType().isUnsignedInteger(32)))
    return op.refuse("gives tensor<ui32>");
  importer::Sizes &sizes = op.emitter.sizes;
  if (axis) {
    auto names = llvm::to_vector(axis.getAsValueRange<StringAttr>());
    return setNumber(op, placeAlong(op.emitter, *ranks.find(names[0]), names[1]));
  }
  int64_t count = isPartition ? ranks.partitions : ranks.replicas;
  if (count == 1)
    return setNumber(op, sizes.constant(0));
  if (!ranks.processes().empty())
    return setNumber(op, lookUp(op, ranks.processes())); // of one replica
  SmallVector<StringRef> axes;
  for (const MeshAxis &candidate : ranks.main().text.axes)
    if (ranks.replicas == 1 || (candidate.name == "replica") != isPartition)
      axes.push_back(candidate.name);
  return setNumber(op, placeAlong(op.emitter, ranks.main(), axes));
}

void mlir::heddle::hlo::registerCollectives(LoweringTable &table) {
  table["stablehlo.all_gather"] = lowerAllGather;
  table["stablehlo.all_to_all"] = lowerAllToAll;
  table["stablehlo.collective_broadcast"] = lowerBroadcastFrom;
  table["stablehlo.collective_permute"] = lowerPermute;
  table["stablehlo.partition_id"] = [](OpContext &op) { return lowerId(op, true); };
  table["stablehlo.replica_id"] = [](OpContext &op) { return lowerId(op, false); };
}
