// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Package/ArtifactTables.h"

#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::heddle;
namespace fb = ::heddle::fb;

uint32_t ArtifactTables::indexOf(llvm::StringMap<uint32_t> &index, std::vector<std::string> &names, StringRef name) {
  auto [entry, isNew] = index.try_emplace(name, names.size());
  if (isNew)
    names.push_back(name.str());
  return entry->second;
}

uint32_t ArtifactTables::executable(host::DispatchOp dispatch) {
  uint32_t index = indexOf(executableIndex, executableNames, dispatch.getExecutable());
  if (index == firstDispatches.size())
    firstDispatches.push_back(dispatch);
  return index;
}

uint32_t ArtifactTables::plan(host::PlanOp op) {
  auto [entry, isNew] = planIndex.try_emplace(op.getIntervalsAttr(), plans.size());
  if (isNew) {
    auto spec = std::make_unique<fb::PlanSpecT>();
    for (auto interval : op.getIntervals().getAsRange<host::IntervalAttr>())
      spec->intervals.emplace_back(interval.getFirst(), interval.getLast());
    plans.push_back(std::move(spec));
  }
  return entry->second;
}

uint32_t ArtifactTables::bound(StringRef name, bool isBuffer) {
  auto [entry, isNew] = boundIndex.try_emplace(name, bounds.size());
  if (isNew) {
    auto out = std::make_unique<fb::BoundT>();
    out->name = name.str();
    out->buffer = isBuffer;
    bounds.push_back(std::move(out));
  }
  return entry->second;
}

int32_t ArtifactTables::global(host::ValueAttr value, uint32_t device) {
  if (!value.getState())
    return -1;
  auto [entry, isNew] = globalIndex.try_emplace(value.getState().getValue(), globals.size());
  if (isNew) {
    auto out = std::make_unique<fb::GlobalT>();
    out->name = value.getState().getValue().str();
    out->type = static_cast<uint8_t>(host::getElementType(value.getType().getElementType()));
    out->device = device;
    globals.push_back(std::move(out));
  }
  return entry->second;
}

uint32_t ArtifactTables::layout(Attribute layout) {
  auto [entry, isNew] = layoutIndex.try_emplace(layout, layouts.size());
  if (isNew) {
    ::heddle::contract::Tiling tiling = encoding::toTiling(cast<encoding::LayoutAttr>(layout));
    auto out = std::make_unique<fb::LayoutT>();
    out->perm = tiling.perm;
    out->inner_dims = tiling.innerDims;
    out->inner_tiles = tiling.innerTiles;
    out->swizzle = tiling.swizzle;
    layouts.push_back(std::move(out));
  }
  return entry->second;
}

uint32_t ArtifactTables::mesh(Operation *user, FlatSymbolRefAttr name) {
  auto [entry, isNew] = meshIndex.try_emplace(name.getValue(), meshes.size());
  if (!isNew)
    return entry->second;
  auto mesh = SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(user, name);
  auto out = std::make_unique<fb::MeshT>();
  out->name = name.getValue().str();
  for (auto [axis, size] : llvm::zip_equal(mesh.getAxes().getAsValueRange<StringAttr>(), mesh.getSizes())) {
    out->axes.push_back(std::make_unique<fb::MeshAxisT>());
    out->axes.back()->name = axis.str();
    out->axes.back()->size = size;
  }
  out->first = mesh.getFirst();
  device::GlobalOp byDefault = device::getDefaultDevice(mesh->getParentOfType<ModuleOp>());
  if (FlatSymbolRefAttr on = mesh.getDeviceAttr())
    out->device = device(on.getValue());
  else if (byDefault)
    out->device = device(byDefault.getSymName());
  meshes.push_back(std::move(out));
  return entry->second;
}

static std::unique_ptr<fb::RankListT> listOf(ArrayRef<int64_t> ranks) {
  auto out = std::make_unique<fb::RankListT>();
  out->ranks.assign(ranks.begin(), ranks.end());
  return out;
}

std::vector<std::unique_ptr<fb::RankListT>> ArtifactTables::shards(Operation *user, flow::ShardingAttr sharding) {
  auto mesh = SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(user, sharding.getMesh());
  std::vector<std::unique_ptr<fb::RankListT>> lists;
  for (ArrayAttr axes : sharding.getAxes())
    lists.push_back(listOf(llvm::map_to_vector(axes.getAsValueRange<StringAttr>(), [&](StringRef axis) {
      return static_cast<int64_t>(*mesh.findAxis(axis));
    })));
  return lists;
}

uint32_t ArtifactTables::collective(host::CollectiveOp op) {
  auto [entry, isNew] = collectiveIndex.try_emplace({op->getAttrDictionary(), op.getLoc()}, collectives.size());
  if (!isNew)
    return entry->second;
  ::heddle::contract::CollectiveSpec spec = op.getSpec();
  auto out = std::make_unique<fb::CollectiveT>();
  out->kind = static_cast<uint8_t>(spec.kind);
  out->reduction = static_cast<uint8_t>(spec.reduction);
  out->type = static_cast<uint8_t>(spec.type);
  out->mesh = mesh(op, op.getMeshAttr());
  out->axes = spec.group.axes;
  for (const std::vector<int64_t> &ranks : spec.group.groups)
    out->groups.push_back(listOf(ranks));
  out->root = spec.root;
  out->pairs = spec.pairs;
  out->shift = spec.shift;
  out->location = location(op.getLoc());
  out->name = op.getKind().str();
  collectives.push_back(std::move(out));
  return entry->second;
}

// The innermost name and the first file position that a location knows.
static void describe(Location loc, fb::LocationT &out) {
  if (auto named = dyn_cast<NameLoc>(loc)) {
    if (out.name.empty())
      out.name = named.getName().str();
    describe(named.getChildLoc(), out);
  } else if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    if (out.file.empty()) {
      // Without its folder: equal models give equal artifacts wherever they lie.
      out.file = llvm::sys::path::filename(file.getFilename().getValue()).str();
      out.line = file.getLine();
    }
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      describe(part, out);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    describe(call.getCallee(), out);
  }
}

uint32_t ArtifactTables::location(Location loc) {
  auto [entry, isNew] = locationIndex.try_emplace(loc, UINT32_MAX);
  if (!isNew)
    return entry->second;
  auto out = std::make_unique<fb::LocationT>();
  describe(loc, *out);
  if (!out->name.empty() || !out->file.empty()) {
    std::string text = out->name + '\0' + out->file + '\0' + std::to_string(out->line);
    auto [same, isNewText] = locationTexts.try_emplace(text, locations.size());
    entry->second = same->second;
    if (isNewText)
      locations.push_back(std::move(out));
  }
  return entry->second;
}
