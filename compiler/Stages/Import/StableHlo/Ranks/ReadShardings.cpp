// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/ReadShardings.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

//===--- Text ----------------------------------------------------------------------------------------------------===//

Attribute mlir::heddle::hlo::findAnnotation(DictionaryAttr attributes) {
  if (!attributes)
    return {};
  if (Attribute told = attributes.get("sdy.sharding"))
    return told;
  if (auto entries = dyn_cast_or_null<DictionaryAttr>(attributes.get("mhlo.frontend_attributes")))
    for (NamedAttribute entry : entries)
      if (isShardingText(entry.getName())) {
        Attribute parsed = parseShardingText(entry.getValue());
        return parsed ? parsed : entry.getValue();
      }
  return attributes.get("mhlo.sharding");
}

SmallVector<Attribute> mlir::heddle::hlo::splitAnnotation(Attribute annotation) {
  MLIRContext *context = annotation.getContext();
  if (auto string = dyn_cast<StringAttr>(annotation)) {
    std::optional<SmallVector<StringRef>> texts = splitGspmd(string);
    return texts ? llvm::map_to_vector(*texts,
                                       [&](StringRef text) -> Attribute { return StringAttr::get(context, text); })
                 : SmallVector<Attribute>{annotation};
  }
  auto opaque = dyn_cast<OpaqueAttr>(annotation);
  StringRef text = opaque ? opaque.getAttrData().trim() : StringRef();
  if (!text.consume_front("sharding_per_value<[") || !text.consume_back("]>"))
    return {annotation};
  SmallVector<Attribute> each;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (text[i] != '>' || depth != 0)
      continue;
    StringRef one = text.slice(begin, i + 1).ltrim(", \n");
    each.push_back(OpaqueAttr::get(opaque.getDialectNamespace(), ("sharding" + one).str(), opaque.getType()));
    begin = i + 1;
  }
  return each;
}

static std::optional<ShardingText> readString(StringRef text, std::optional<int64_t> rank, const Ranks &ranks) {
  std::optional<GspmdText> read = readGspmd(text);
  if (!read)
    return std::nullopt;
  const RankMesh &mesh = ranks.main();
  SmallVector<MeshAxis> axes = mesh.declaredAxes();
  if (ranks.replicas > 1) // devices are partitions, of each replica
    llvm::erase_if(axes, [](const MeshAxis &axis) { return axis.name == "replica"; });
  int64_t own = static_cast<int64_t>(read->tiles.size()) - static_cast<int64_t>(read->groups.size());
  return toSharding(*read, rank.value_or(own), mesh.symbol, axes, ranks.ranksOfPartitions());
}

std::optional<ShardingTexts> mlir::heddle::hlo::readAnnotation(Attribute attribute, ArrayRef<int64_t> valueRanks,
                                                               const Ranks &ranks) {
  if (auto string = dyn_cast<StringAttr>(attribute)) {
    std::optional<SmallVector<StringRef>> texts = splitGspmd(string);
    size_t count = texts ? texts->size() : std::max<size_t>(valueRanks.size(), 1);
    if (!valueRanks.empty() && count != valueRanks.size())
      return std::nullopt;
    ShardingTexts all;
    for (size_t i = 0; i < count; ++i) {
      StringRef text = texts ? (*texts)[i] : string.getValue();
      std::optional<int64_t> rank = valueRanks.empty() ? std::optional<int64_t>() : valueRanks[i];
      std::optional<ShardingText> one = readString(text, rank, ranks);
      if (!one)
        return std::nullopt;
      all.push_back(std::move(*one));
    }
    return all;
  }
  std::optional<ShardingTexts> several = readShardings(attribute);
  if (std::optional<ShardingText> one = readSharding(attribute))
    several = ShardingTexts{std::move(*one)};
  if (several && !valueRanks.empty() && several->size() != valueRanks.size())
    return std::nullopt;
  return several;
}

//===--- Meshes --------------------------------------------------------------------------------------------------===//

// Axes of the device.mesh for those declared, each once.
static LogicalResult resolveAxes(SmallVector<AxisText> &axes, const RankMesh &mesh, llvm::StringSet<> &seen,
                                 llvm::function_ref<InFlightDiagnostic()> report) {
  SmallVector<AxisText> resolved;
  for (const AxisText &axis : axes) {
    std::string why;
    FailureOr<SmallVector<std::string>> names = mesh.axesOf(axis, why);
    if (failed(names))
      return report() << ": " << why;
    for (const std::string &name : *names) {
      if (!seen.insert(name).second)
        return report() << ": the axis '" << axis.name << "' is named twice";
      if (mesh.text.find(name)->size > 1)
        resolved.push_back({name});
    }
  }
  axes = std::move(resolved);
  return success();
}

LogicalResult mlir::heddle::hlo::checkSharding(ShardingText &sharding, int64_t rank, const Ranks &ranks,
                                               llvm::function_ref<InFlightDiagnostic()> report) {
  if (sharding.dims.empty() && ranks.isOneDevice(sharding.mesh) != DeviceMesh::None)
    sharding.dims.resize(rank); // on one device: it names no dimension
  if (static_cast<int64_t>(sharding.dims.size()) != rank)
    return report() << " has " << sharding.dims.size() << " dimensions, and the value " << rank;
  if (ranks.count() == 1) {
    sharding.forEachList([](SmallVector<AxisText> &axes) { axes.clear(); });
    return success();
  }
  std::string why;
  const RankMesh *mesh = ranks.find(sharding.mesh, sharding.inlined, why);
  if (!mesh && sharding.isReplicated() && !sharding.inlined && ranks.isOneDevice(sharding.mesh) != DeviceMesh::Placed) {
    sharding.mesh = ranks.main().symbol;
    return success();
  }
  if (!mesh)
    return report() << ": " << why;
  sharding.mesh = mesh->symbol;
  sharding.inlined.reset();
  llvm::StringSet<> seen;
  bool refused = false;
  sharding.forEachList(
      [&](SmallVector<AxisText> &axes) { refused = refused || failed(resolveAxes(axes, *mesh, seen, report)); });
  return failure(refused);
}

FailureOr<ShardingText> mlir::heddle::hlo::checkSharding(Attribute attribute, int64_t rank, const Ranks &ranks,
                                                         llvm::function_ref<InFlightDiagnostic()> report) {
  std::optional<ShardingTexts> read = readAnnotation(attribute, rank, ranks);
  if (!read && isa<StringAttr>(attribute))
    return report() << ' ' << attribute << " does not cut a value of " << rank
                    << " dimensions by axes of the devices, or is not a sharding";
  if (!read)
    return report() << " is not one, such as #sdy.sharding<@mesh, [{\"x\"}, {}]>; got " << attribute;
  if (failed(checkSharding(read->front(), rank, ranks, report)))
    return failure();
  return std::move(read->front());
}

//===--- Of flow -------------------------------------------------------------------------------------------------===//

flow::ShardingAttr mlir::heddle::hlo::makeSharding(MLIRContext *context, const ShardingText &sharding) {
  Builder b(context);
  auto name = [&](const AxisText &axis) { return b.getStringAttr(axis.name); };
  SmallVector<ArrayAttr> dims;
  for (const SmallVector<AxisText> &axes : sharding.dims)
    dims.push_back(b.getArrayAttr(llvm::map_to_vector(axes, [&](const AxisText &a) -> Attribute { return name(a); })));
  SmallVector<int64_t> open = sharding.replicated.empty() ? sharding.open : SmallVector<int64_t>();
  return flow::ShardingAttr::get(context, FlatSymbolRefAttr::get(context, sharding.mesh), dims, {}, open,
                                 llvm::map_to_vector(sharding.unreduced, name), flow::Reduction::Sum);
}
