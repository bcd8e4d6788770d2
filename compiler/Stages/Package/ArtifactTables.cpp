// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Package/ArtifactTables.h"

#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"

#include "mlir/IR/Location.h"

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

// The innermost name and the first file position that a location knows.
static void describe(Location loc, fb::LocationT &out) {
  if (auto named = dyn_cast<NameLoc>(loc)) {
    if (out.name.empty())
      out.name = named.getName().str();
    describe(named.getChildLoc(), out);
  } else if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    if (out.file.empty()) {
      out.file = file.getFilename().str();
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
