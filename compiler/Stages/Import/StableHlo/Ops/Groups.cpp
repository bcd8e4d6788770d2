// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ops/Groups.h"

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

//===--- Which ranks ---------------------------------------------------------------------------------------------===//

FailureOr<SmallVector<SmallVector<int64_t>>> mlir::heddle::hlo::readLists(OpContext &op, StringRef name) {
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(op.op->getAttr(name));
  if (!dense || dense.getType().getRank() != 2 || !dense.getElementType().isInteger(64))
    return op.refuse("needs the attribute " + name + ", lists of ids such as dense<[[0, 1]]> : tensor<1x2xi64>");
  int64_t length = dense.getType().getDimSize(1);
  SmallVector<SmallVector<int64_t>> lists(dense.getType().getDimSize(0));
  for (auto [i, id] : llvm::enumerate(dense.getValues<APInt>()))
    if (!id.isNegative())
      lists[i / length].push_back(id.getSExtValue());
  llvm::erase_if(lists, [](ArrayRef<int64_t> list) { return list.empty(); });
  return lists;
}

static FailureOr<int64_t> channelOf(OpContext &op) {
  Attribute attribute = op.op->getAttr("channel_handle");
  if (!attribute)
    return 0;
  std::optional<Fields> fields = readFields(attribute, "channel_handle");
  std::optional<int64_t> handle = fields ? fields->integer("handle") : std::nullopt;
  if (!handle)
    return op.refuse("attribute channel_handle must be #stablehlo.channel_handle<handle = 1, type = 1>");
  return *handle;
}

bool mlir::heddle::hlo::hasFlag(OpContext &op, StringRef name) {
  Attribute flag = op.op->getAttr(name);
  auto value = dyn_cast_or_null<BoolAttr>(flag);
  return flag && (!value || value.getValue());
}

FailureOr<IdKind> mlir::heddle::hlo::readIdKind(OpContext &op, bool mayJoinBoth) {
  FailureOr<int64_t> channel = channelOf(op);
  if (failed(channel))
    return failure();
  if (!mayJoinBoth)
    return *channel > 0 ? IdKind::CrossPartition : IdKind::CrossReplica;
  if (hasFlag(op, "use_global_device_ids")) {
    if (*channel <= 0)
      return op.refuse("use_global_device_ids needs a channel_handle above 0");
    return IdKind::FlattenedIds;
  }
  return *channel > 0 ? IdKind::CrossReplicaAndPartition : IdKind::CrossReplica;
}

FailureOr<RankGroups> mlir::heddle::hlo::readGroups(OpContext &op, bool mayJoinBoth, bool needsAll) {
  const Ranks &ranks = op.converter.ranks;
  std::string why;
  if (Attribute attribute = op.op->getAttr("replica_groups"); attribute && isa<OpaqueAttr>(attribute)) {
    std::optional<GroupAxes> axes = readGroupAxes(attribute);
    if (!axes)
      return op.refuse("attribute replica_groups cannot be read; it is lists of ids, or "
                       "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"x\">]>");
    FailureOr<RankGroups> groups = ranks.groupsOf(*axes, why);
    return failed(groups) ? FailureOr<RankGroups>(op.refuse("replica_groups: " + why)) : groups;
  }
  FailureOr<IdKind> kind = readIdKind(op, mayJoinBoth);
  FailureOr<SmallVector<SmallVector<int64_t>>> lists = readLists(op, "replica_groups");
  if (failed(kind) || failed(lists))
    return failure();
  if (cast<DenseElementsAttr>(op.op->getAttr("replica_groups")).empty()) // one list of all ids
    lists->push_back(llvm::to_vector(llvm::seq<int64_t>(0, ranks.idsOf(*kind))));
  FailureOr<RankGroups> groups = ranks.groupsOf(*lists, *kind, why);
  if (failed(groups))
    return op.refuse("replica_groups: " + why);
  int64_t members = 0;
  for (ArrayRef<int64_t> list : groups->lists)
    members += list.size();
  if (needsAll && members != ranks.count())
    return op.refuse("replica_groups: each process must be in a group, got " + Twine(members) + " of " +
                     Twine(ranks.count()));
  return groups;
}

Members::Members(Builder &b, const RankGroups &groups)
    : mesh(FlatSymbolRefAttr::get(b.getContext(), groups.mesh)), axes(b.getStrArrayAttr(groups.axes)) {
  if (groups.axes.empty())
    lists = b.getArrayAttr(llvm::map_to_vector(
        groups.lists, [&](ArrayRef<int64_t> list) -> Attribute { return b.getDenseI64ArrayAttr(list); }));
}

static Value coordinate(Emitter &emitter, StringRef mesh, StringRef axis) {
  OpBuilder &b = emitter.builder;
  return flow::CoordinateOp::create(b, emitter.loc, b.getIndexType(), FlatSymbolRefAttr::get(b.getContext(), mesh),
                                    b.getStringAttr(axis));
}

OpFoldResult mlir::heddle::hlo::placeAlong(Emitter &emitter, const RankMesh &mesh, ArrayRef<StringRef> axes) {
  importer::Sizes &sizes = emitter.sizes;
  OpFoldResult place = sizes.constant(0);
  for (StringRef axis : axes) {
    int64_t size = mesh.text.find(axis)->size;
    if (size == 1)
      continue;
    OpFoldResult along = sizes.integer(coordinate(emitter, mesh.symbol, axis), {0, size - 1});
    place = sizes.add(sizes.mul(place, sizes.constant(size)), along);
  }
  return place;
}

static OpFoldResult rankNumber(OpContext &op) {
  const RankMesh &mesh = op.converter.ranks.main();
  return placeAlong(op.emitter, mesh,
                    llvm::map_to_vector(mesh.text.axes, [](const MeshAxis &axis) { return StringRef(axis.name); }));
}

OpFoldResult mlir::heddle::hlo::lookUp(OpContext &op, ArrayRef<int64_t> table) {
  importer::Sizes &sizes = op.emitter.sizes;
  OpFoldResult rank = rankNumber(op), found = sizes.constant(0);
  for (auto [i, value] : llvm::enumerate(table))
    if (value != 0)
      found = sizes.add(found, sizes.mul(sizes.isEqual(rank, sizes.constant(i)), sizes.constant(value)));
  return found;
}

OpFoldResult mlir::heddle::hlo::positionIn(OpContext &op, const RankGroups &groups) {
  if (!groups.axes.empty())
    return placeAlong(op.emitter, *op.converter.ranks.find(groups.mesh), groups.axes);
  SmallVector<int64_t> table(op.converter.ranks.count(), 0);
  for (ArrayRef<int64_t> list : groups.lists)
    for (auto [position, rank] : llvm::enumerate(list))
      table[rank] = position;
  return lookUp(op, table);
}

//===--- Checks --------------------------------------------------------------------------------------------------===//

LogicalResult mlir::heddle::hlo::requireOne(OpContext &op) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(1)))
    return failure();
  if (op.operandType(0).getElementType() != op.resultType(0).getElementType())
    return op.refuse("operand and result must have one element type");
  return success();
}

LogicalResult mlir::heddle::hlo::requireShape(OpContext &op, ArrayRef<std::pair<int64_t, int64_t>> dims) {
  SmallVector<int64_t> shape(op.operandType(0).getShape());
  for (auto [dim, size] : dims)
    shape[dim] = size;
  if (ArrayRef<int64_t>(shape) == op.resultType(0).getShape())
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "the result of " << op.operandType(0) << " must be "
                                 << op.operandType(0).clone(shape) << ", got " << op.resultType(0);
  return op.refuse(text);
}

FailureOr<int64_t> mlir::heddle::hlo::readDim(OpContext &op, StringRef name) {
  FailureOr<int64_t> dim = op.integer(name);
  if (failed(dim) || failed(op.requireDims(*dim, op.operandType(0).getRank(), name)))
    return failure();
  return *dim;
}

FailureOr<int64_t> mlir::heddle::hlo::evenSize(OpContext &op, const RankGroups &groups) {
  if (groups.size() == 0)
    return op.refuse("replica_groups must be equally large here");
  return groups.size();
}

LogicalResult mlir::heddle::hlo::requireParts(OpContext &op, int64_t dim, int64_t parts) {
  int64_t length = op.operandType(0).getDimSize(dim);
  if (length % parts == 0)
    return success();
  return op.refuse("dimension " + Twine(dim) + " has " + Twine(length) + " elements, which are not " + Twine(parts) +
                   " equal parts");
}

bool mlir::heddle::hlo::areAlone(OpContext &op, const RankGroups &groups) {
  return groups.areSingle() && static_cast<int64_t>(groups.lists.size()) == op.converter.ranks.count();
}

//===--- What all members have -----------------------------------------------------------------------------------===//

Tensor mlir::heddle::hlo::emitAllGather(OpContext &op, Tensor &tensor, int64_t dim, const RankGroups &groups) {
  OpBuilder &b = op.emitter.builder;
  SmallVector<int64_t> shape = importer::shapeOf(tensor.sizes);
  shape[dim] *= groups.size();
  Value value = op.emitter.value(tensor);
  Members members(b, groups);
  auto type = RankedTensorType::get(shape, storageType(tensor.elementType));
  Value gathered =
      flow::AllGatherOp::create(b, op.emitter.loc, type, value, b.getI64IntegerAttr(dim), members.mesh, members.axes,
                                members.lists, ValueRange(), ValueRange(), /*cut=*/ValueRange());
  return op.emitter.fromValue(gathered, op.sizesOf(shape), tensor.elementType);
}

Tensor mlir::heddle::hlo::emitStack(OpContext &op, Tensor &tensor, const RankGroups &groups) {
  SmallVector<int64_t> shape = importer::shapeOf(tensor.sizes);
  shape.insert(shape.begin(), 1);
  Tensor row = op.emitter.reshape(tensor, op.sizesOf(shape));
  return emitAllGather(op, row, 0, groups);
}
