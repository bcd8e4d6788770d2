// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/Ranks.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "heddle/contract/Collectives.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;
namespace contract = ::heddle::contract;

//===--- Axes ----------------------------------------------------------------------------------------------------===//

int64_t RankGroups::size() const {
  if (lists.empty())
    return 0;
  size_t size = lists.front().size();
  bool isEven = llvm::all_of(lists, [&](ArrayRef<int64_t> list) { return list.size() == size; });
  return isEven ? size : 0;
}

int64_t mlir::heddle::hlo::strideOf(const MeshText &mesh, StringRef axis) {
  int64_t stride = 1;
  for (const MeshAxis &other : llvm::reverse(mesh.axes)) {
    if (other.name == axis)
      return stride;
    stride *= other.size;
  }
  return 0;
}

SmallVector<SmallVector<int64_t>> mlir::heddle::hlo::listGroups(const MeshText &mesh, ArrayRef<StringRef> axes) {
  SmallVector<SmallVector<int64_t>> lists;
  SmallVector<int64_t> offsets{0}; // of a member from the first one
  for (StringRef name : axes) {
    SmallVector<int64_t> next;
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < mesh.find(name)->size; ++i)
        next.push_back(offset + i * strideOf(mesh, name));
    offsets = std::move(next);
  }
  auto isFirst = [&](int64_t rank) {
    return llvm::all_of(axes, [&](StringRef name) { return rank / strideOf(mesh, name) % mesh.find(name)->size == 0; });
  };
  for (int64_t rank = 0; rank < mesh.count(); ++rank)
    if (isFirst(rank))
      lists.push_back(llvm::map_to_vector(offsets, [&](int64_t offset) { return rank + offset; }));
  return lists;
}

std::optional<SmallVector<StringRef>> mlir::heddle::hlo::fitAxes(const MeshText &mesh,
                                                                 ArrayRef<SmallVector<int64_t>> lists) {
  if (lists.empty() || lists.front().empty())
    return std::nullopt;
  // The fastest axis is as far apart as the first two members, the next one as the members one round apart.
  ArrayRef<int64_t> first = lists.front();
  SmallVector<StringRef> axes;
  for (size_t round = 1; round < first.size();) {
    const auto *axis = llvm::find_if(mesh.axes, [&](const MeshAxis &candidate) {
      return candidate.size > 1 && strideOf(mesh, candidate.name) == first[round] - first[0];
    });
    if (axis == mesh.axes.end() || llvm::is_contained(axes, axis->name))
      return std::nullopt;
    axes.insert(axes.begin(), axis->name);
    round *= axis->size;
  }
  SmallVector<SmallVector<int64_t>> made = listGroups(mesh, axes), given(lists);
  llvm::sort(made);
  llvm::sort(given);
  return made == given ? std::optional(axes) : std::nullopt;
}

//===--- What the module says ------------------------------------------------------------------------------------===//

LogicalResult Ranks::readCounts(ModuleOp module) {
  auto read = [&](StringRef name, int64_t &count) -> LogicalResult {
    Attribute attribute = module->getAttr(name);
    if (!attribute)
      return success();
    auto integer = dyn_cast<IntegerAttr>(attribute);
    if (!integer || integer.getValue().getSignificantBits() > 64 || integer.getInt() < 1 ||
        integer.getInt() > contract::kMaxRanks)
      return module.emitError() << "attribute " << name << " must be an integer from 1 to " << contract::kMaxRanks
                                << ", got " << attribute;
    count = integer.getInt();
    isTold = true;
    return success();
  };
  if (failed(read("mhlo.num_replicas", replicas)) || failed(read("mhlo.num_partitions", partitions)))
    return failure();
  if (replicas > contract::kMaxRanks / partitions)
    return module.emitError() << "mhlo.num_replicas times mhlo.num_partitions is more than " << contract::kMaxRanks
                              << ", the most ranks of a world";
  return success();
}

// Whether each of 0 … count - 1 is there once.
static bool isPermutation(ArrayRef<int64_t> ids, int64_t count) {
  SmallVector<bool> seen(count, false);
  for (int64_t id : ids)
    if (id < 0 || id >= count || std::exchange(seen[id], true))
      return false;
  return static_cast<int64_t>(ids.size()) == count;
}

static bool isCounting(ArrayRef<int64_t> ids) { return llvm::equal(ids, llvm::seq<int64_t>(0, ids.size())); }

// An sdy.mesh.
static FailureOr<RankMesh> readMeshOp(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>("sym_name");
  std::optional<MeshText> text = op->hasAttr("mesh") ? readMesh(op->getAttr("mesh")) : std::nullopt;
  if (!name || !text)
    return op->emitError() << "op sdy.mesh needs a name and axes with sizes, such as @mesh = <[\"x\"=2, \"y\"=4]>";
  llvm::StringSet<> names;
  for (const MeshAxis &axis : text->axes)
    if (axis.name.empty() || !names.insert(axis.name).second)
      return op->emitError() << "op sdy.mesh: the axis '" << axis.name << "' is there twice, or has no name";
  RankMesh mesh{name.str(), std::move(*text)};
  int64_t count = mesh.text.count();
  if (!mesh.text.deviceIds.empty() && count > 1 && !isPermutation(mesh.text.deviceIds, count))
    return op->emitError() << "op sdy.mesh: device_ids must be each of 0 to " << count - 1 << " once";
  if (isCounting(mesh.text.deviceIds))
    mesh.text.deviceIds.clear();
  return mesh;
}

// Meshes that the module has as text, `{mesh = #sdy.mesh<["x"=2]>}`, become ops.
static LogicalResult declareMeshes(ModuleOp module) {
  auto entries = module->getAttrOfType<DictionaryAttr>("mhlo.frontend_attributes");
  Attribute text = entries ? entries.get("xla.sdy.meshes") : Attribute();
  if (!text)
    return success();
  auto meshes = dyn_cast_or_null<DictionaryAttr>(parseShardingText(text));
  if (!meshes)
    return module.emitError()
           << "attribute xla.sdy.meshes is not a list of meshes, such as {mesh = #sdy.mesh<[\"x\"=2]>}";
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (NamedAttribute entry : meshes) {
    OperationState state(module.getLoc(), "sdy.mesh");
    state.addAttribute("sym_name", entry.getName());
    state.addAttribute("mesh", entry.getValue());
    builder.create(state);
  }
  return success();
}

LogicalResult Ranks::readMeshes(ModuleOp module, bool namesRanks) {
  if (failed(declareMeshes(module)))
    return failure();
  for (Operation &op : *module.getBody()) {
    if (op.getName().getStringRef() != "sdy.mesh")
      continue;
    FailureOr<RankMesh> mesh = readMeshOp(&op);
    if (failed(mesh))
      return failure();
    int64_t count = mesh->text.count();
    if (count == 1) {
      others.emplace_back(mesh->symbol, !mesh->text.deviceIds.empty());
      continue;
    }
    if (meshes.empty() && !isTold) {
      partitions = count;
      isTold = true;
    }
    if (count != partitions || replicas != 1)
      return op.emitError()
             << "op sdy.mesh: @" << mesh->symbol << " has " << count << " devices, but the program runs on " << replicas
             << " replicas of " << partitions
             << " partitions; mhlo.num_replicas must be 1 and mhlo.num_partitions as many as the mesh has";
    if (!meshes.empty() && meshes.front().text.deviceIds != mesh->text.deviceIds) {
      if (namesRanks)
        return op.emitError() << "op sdy.mesh: @" << mesh->symbol << " lists its devices in another order than @"
                              << meshes.front().symbol << ", and the program names devices by numbers; meshes of such "
                              << "a program must have one order: make them of one list of devices";
      op.emitWarning() << "op sdy.mesh: the order of devices of @" << mesh->symbol << " is not applied: it is that of @"
                       << meshes.front().symbol << ", so that values that both cut alike stay where they are";
      mesh->text.deviceIds = meshes.front().text.deviceIds;
    }
    meshes.push_back(std::move(*mesh));
  }
  return success();
}

LogicalResult Ranks::take(RankMesh mesh, llvm::function_ref<InFlightDiagnostic()> report) {
  const MeshAxis *axis = mesh.text.find("replica");
  int64_t first = axis ? axis->size : 1, all = mesh.text.count();
  if (isTold && (replicas != first || count() != all))
    return report() << " is not what the module says: mhlo.num_replicas = " << replicas
                    << ", mhlo.num_partitions = " << partitions;
  if (axis && axis != mesh.text.axes.begin())
    return report() << ": the axis 'replica' of a StableHLO program's mesh must be the first one";
  replicas = first;
  partitions = all / first;
  isTold = true;
  meshes.push_back(std::move(mesh));
  return success();
}

static LogicalResult readDeviceMesh(device::MeshOp op, RankMesh &mesh) {
  mesh = {op.getSymName().str(), {}, /*isThere=*/true};
  for (auto [name, size] : llvm::zip(op.getAxes().getAsValueRange<StringAttr>(), op.getSizes())) {
    if (size == device::MeshOp::kFree)
      return op.emitError() << "the sizes of a StableHLO program's mesh must be known when it is compiled, got "
                            << op.describe() << "; collectives name ranks by numbers";
    mesh.text.axes.push_back({name.str(), size});
  }
  return success();
}

// `replica=2`, …, of --mesh.
static LogicalResult readSizes(ModuleOp module, ArrayRef<std::string> sizes, RankMesh &mesh) {
  mesh.symbol = "mesh";
  int64_t count = 1;
  SmallVector<StringRef> texts;
  for (StringRef text : sizes)
    text.split(texts, ',');
  for (StringRef text : texts) {
    auto [name, number] = text.split('=');
    int64_t size;
    if (name.empty() || number.getAsInteger(10, size) || size < 1 || size > contract::kMaxRanks / count ||
        mesh.text.find(name))
      return module.emitError() << "--mesh: expected axes with sizes, such as replica=2,partition=4, each once, got '"
                                << text << "'";
    count *= size;
    mesh.text.axes.push_back({name.str(), size});
  }
  return success();
}

FailureOr<Ranks> Ranks::read(ModuleOp module, bool hasCollectives, ArrayRef<std::string> sizes) {
  Ranks ranks;
  if (failed(ranks.readCounts(module)) || failed(ranks.readMeshes(module, hasCollectives)))
    return failure();
  if (!ranks.meshes.empty()) {
    ranks.splitAxes(module);
    return ranks;
  }
  RankMesh mesh;
  for (auto op : module.getOps<device::MeshOp>()) {
    if (!hasCollectives)
      break;
    if (failed(readDeviceMesh(op, mesh)) ||
        failed(ranks.take(std::move(mesh), [&] { return op.emitError() << op.describe(); })))
      return failure();
    return ranks;
  }
  if (hasCollectives && !ranks.isTold && !sizes.empty()) {
    if (failed(readSizes(module, sizes, mesh)) ||
        failed(ranks.take(std::move(mesh), [&] { return module.emitError() << "--mesh"; })))
      return failure();
    ranks.splitAxes(module);
    return ranks;
  }
  ranks.meshes.push_back({"mesh", {{{"replica", ranks.replicas}, {"partition", ranks.partitions}}, {}}});
  ranks.splitAxes(module);
  return ranks;
}

DeviceMesh Ranks::isOneDevice(StringRef symbol) const {
  for (const auto &[name, isPlaced] : others)
    if (name == symbol)
      return isPlaced ? DeviceMesh::Placed : DeviceMesh::Empty;
  return DeviceMesh::None;
}

const RankMesh *Ranks::find(StringRef symbol) const {
  const auto *found = llvm::find_if(meshes, [&](const RankMesh &mesh) { return mesh.symbol == symbol; });
  return found == meshes.end() ? nullptr : found;
}

const RankMesh *Ranks::find(StringRef symbol, const std::optional<MeshText> &inlined, std::string &why) const {
  if (!inlined) {
    const RankMesh *mesh = find(symbol);
    if (!mesh)
      why = isOneDevice(symbol) == DeviceMesh::Placed
                ? ("the mesh @" + symbol + " is one device of several, on which alone nothing can be").str()
                : ("there is no mesh @" + symbol + " of all ranks").str();
    return mesh;
  }
  auto isSame = [&](const RankMesh &mesh) {
    auto same = [](const MeshAxis &a, const MeshAxis &b) { return a.name == b.name && a.size == b.size; };
    return llvm::equal(mesh.declaredAxes(), inlined->axes, same) &&
           (isCounting(inlined->deviceIds) ? mesh.text.deviceIds.empty() : mesh.text.deviceIds == inlined->deviceIds);
  };
  const auto *found = llvm::find_if(meshes, isSame);
  if (found != meshes.end())
    return found;
  why = "the mesh that stands in the attribute is none of the module's; declare it as sdy.mesh";
  return nullptr;
}

void Ranks::createMeshes(ModuleOp module) const {
  if (count() == 1 || !module.getOps<device::MeshOp>().empty())
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (const RankMesh &mesh : meshes) {
    if (mesh.isThere)
      continue;
    SmallVector<StringRef> names;
    SmallVector<int64_t> sizes;
    for (const MeshAxis &axis : mesh.text.axes) {
      names.push_back(axis.name);
      sizes.push_back(axis.size);
    }
    device::MeshOp::create(builder, module.getLoc(), builder.getStringAttr(mesh.symbol), builder.getStrArrayAttr(names),
                           builder.getDenseI64ArrayAttr(sizes), builder.getI64IntegerAttr(0), FlatSymbolRefAttr());
  }
}

//===--- Groups --------------------------------------------------------------------------------------------------===//

FailureOr<SmallVector<SmallVector<int64_t>>> Ranks::listsOf(ArrayRef<SmallVector<int64_t>> ids, IdKind kind,
                                                            std::string &why) const {
  bool isPartition = kind == IdKind::CrossPartition, isProcess = kind == IdKind::FlattenedIds;
  int64_t limit = idsOf(kind);
  const char *what = isPartition ? "partition" : isProcess ? "process" : "replica";
  SmallVector<int64_t> rankOf = llvm::to_vector(llvm::seq<int64_t>(0, count()));
  for (auto [rank, process] : llvm::enumerate(processes()))
    rankOf[process] = rank;
  SmallVector<SmallVector<int64_t>> lists;
  for (ArrayRef<int64_t> group : ids) {
    for (int64_t id : group)
      if (id < 0 || id >= limit) {
        why = (Twine(what) + " " + Twine(id) + " is not there: the program runs on " + Twine(replicas) +
               " replicas of " + Twine(partitions) + " partitions" +
               (isTold ? ""
                       : ", as the module says nothing; give it mhlo.num_replicas and "
                         "mhlo.num_partitions, or compile with --mesh=replica=2"))
                  .str();
        return failure();
      }
    auto rankAt = [&](int64_t replica, int64_t partition) { return rankOf[replica * partitions + partition]; };
    if (isProcess) {
      lists.push_back(llvm::map_to_vector(group, [&](int64_t id) { return rankOf[id]; }));
    } else if (isPartition) {
      for (int64_t r = 0; r < replicas; ++r)
        lists.push_back(llvm::map_to_vector(group, [&](int64_t id) { return rankAt(r, id); }));
    } else if (kind == IdKind::CrossReplica) {
      for (int64_t p = 0; p < partitions; ++p)
        lists.push_back(llvm::map_to_vector(group, [&](int64_t id) { return rankAt(id, p); }));
    } else {
      SmallVector<int64_t> &list = lists.emplace_back();
      for (int64_t p = 0; p < partitions; ++p)
        for (int64_t id : group)
          list.push_back(rankAt(id, p));
    }
  }
  return lists;
}

FailureOr<RankGroups> Ranks::groupsOf(ArrayRef<SmallVector<int64_t>> ids, IdKind kind, std::string &why) const {
  FailureOr<SmallVector<SmallVector<int64_t>>> lists = listsOf(ids, kind, why);
  if (failed(lists))
    return failure();
  llvm::DenseSet<int64_t> seen;
  for (ArrayRef<int64_t> list : *lists)
    for (int64_t rank : list)
      if (!seen.insert(rank).second) {
        why = ("an id is in the groups twice (of rank " + Twine(rank) + ")").str();
        return failure();
      }
  RankGroups groups{main().symbol, {}, std::move(*lists)};
  if (std::optional<SmallVector<StringRef>> axes = fitAxes(main().text, groups.lists))
    groups.axes = std::move(*axes);
  return groups;
}

FailureOr<RankGroups> Ranks::groupsOf(const GroupAxes &axes, std::string &why) const {
  if (count() == 1 && (axes.inlined || isOneDevice(axes.mesh) != DeviceMesh::None))
    return RankGroups{main().symbol, {}, {{0}}};
  const RankMesh *mesh = find(axes.mesh, axes.inlined, why);
  if (!mesh)
    return failure();
  RankGroups groups{mesh->symbol, {}, {}};
  for (const AxisText &axis : axes.axes) {
    FailureOr<SmallVector<std::string>> names = mesh->axesOf(axis, why);
    if (failed(names))
      return failure();
    for (const std::string &name : *names) {
      if (llvm::is_contained(groups.axes, name)) {
        why = "the axis '" + axis.name + "' is named twice";
        return failure();
      }
      groups.axes.push_back(mesh->text.find(name)->name);
    }
  }
  groups.lists = listGroups(mesh->text, groups.axes);
  return groups;
}

FailureOr<SmallVector<std::pair<int64_t, int64_t>>> Ranks::pairsOf(ArrayRef<SmallVector<int64_t>> ids, IdKind kind,
                                                                   std::string &why) const {
  FailureOr<SmallVector<SmallVector<int64_t>>> lists = listsOf(ids, kind, why);
  if (failed(lists))
    return failure();
  llvm::DenseSet<int64_t> sources, targets;
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (ArrayRef<int64_t> list : *lists) {
    if (list.size() != 2 || !sources.insert(list[0]).second || !targets.insert(list[1]).second) {
      why = "pairs must have two ids, and each id may be the first of one pair and the second of one";
      return failure();
    }
    pairs.emplace_back(list[0], list[1]);
  }
  return pairs;
}
