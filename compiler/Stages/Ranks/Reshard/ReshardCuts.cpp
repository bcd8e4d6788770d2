// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Reshard/ReshardCuts.h"

using namespace mlir;
using namespace mlir::heddle;

static constexpr int64_t kFree = device::MeshOp::kFree;

std::string Cut::getKey() const {
  std::string key;
  for (auto [axes, choice] : llvm::zip(dims, granule)) {
    key.append(axes.begin(), axes.end());
    key += choice ? '\xfe' : '\xff';
  }
  key.append(reinterpret_cast<const char *>(&partial), sizeof(partial));
  return key + (permuted ? '1' : '0');
}

CutSpace::CutSpace(flow::ShardingAttr from, flow::ShardingAttr to, const ReshardedValue &value, const MeshShape &mesh)
    : from(from), to(to), value(value) {
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.isCut(dim) || to.isCut(dim))
      dims.push_back(dim);
  for (StringAttr axis : mesh.axes)
    if (mesh.getSize(axis) != 1 && (from.variesAlong(axis) || to.variesAlong(axis)))
      axes.push_back(axis);
  for (StringAttr axis : axes) {
    isKnown.push_back(mesh.getSize(axis) != kFree);
    sizes.push_back(guessParts(axis, mesh));
  }
}

int CutSpace::find(StringAttr axis) const {
  auto *found = llvm::find(axes, axis);
  return found == axes.end() ? -1 : found - axes.begin();
}

flow::GranuleAttr CutSpace::getGranule(unsigned dim, uint8_t choice) const {
  bool ofTo = !from.isCut(dims[dim]) || (choice && to.isCut(dims[dim]));
  return (ofTo ? to : from).getGranule(dims[dim]);
}

Cut CutSpace::read(flow::ShardingAttr sharding, bool isWanted) const {
  Cut cut;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    CutAxes list;
    for (StringAttr axis : sharding.getDimAxes(dim))
      if (int number = find(axis); number >= 0)
        list.push_back(number);
    cut.granule.push_back(!list.empty() && hasTwoGranules(i) && isWanted);
    cut.dims.push_back(list);
  }
  for (StringAttr axis : sharding.getPartial())
    if (int number = find(axis); number >= 0)
      cut.partial |= 1u << number;
  return cut;
}

SmallVector<StringAttr> CutSpace::namesOf(const CutAxes &list) const {
  return llvm::map_to_vector(list, [&](uint8_t axis) { return axes[axis]; });
}

flow::ShardingAttr CutSpace::write(const Cut &cut) const {
  MLIRContext *context = from.getContext();
  SmallVector<ArrayAttr> lists(from.getRank(), ArrayAttr::get(context, {}));
  SmallVector<flow::GranuleAttr> granules(from.getRank(), flow::GranuleAttr::get(context, 1, {}));
  for (auto [i, dim] : llvm::enumerate(dims)) {
    SmallVector<Attribute> names(llvm::map_range(cut.dims[i], [&](uint8_t axis) { return axes[axis]; }));
    lists[dim] = ArrayAttr::get(context, names);
    granules[dim] = getGranule(i, cut.granule[i]);
  }
  SmallVector<StringAttr> partial;
  for (auto [number, axis] : llvm::enumerate(axes))
    if (cut.partial >> number & 1)
      partial.push_back(axis);
  return flow::ShardingAttr::getNormalized(from.getMesh(), lists, granules, partial,
                                           (from.getPartial().empty() ? to : from).getReduction());
}

int64_t CutSpace::count(const CutAxes &list) const {
  int64_t members = 1;
  for (uint8_t axis : list)
    members *= sizes[axis];
  return members;
}

int64_t CutSpace::count(uint32_t set) const {
  int64_t members = 1;
  for (auto [axis, size] : llvm::enumerate(sizes))
    members *= set >> axis & 1 ? size : 1;
  return members;
}

uint64_t CutSpace::bytesOf(const Cut &cut) const {
  uint64_t bytes = value.elementBytes;
  for (auto [dim, size] : llvm::enumerate(value.sizes)) {
    const auto *found = llvm::find(dims, static_cast<int64_t>(dim));
    unsigned i = found - dims.begin();
    bytes *= found == dims.end() ? size : largestPart(size, count(cut.dims[i]), getGranule(i, cut.granule[i]));
  }
  return bytes;
}

uint32_t CutSpace::getFreeAxes(const Cut &cut) const {
  uint32_t used = cut.partial;
  for (const CutAxes &list : cut.dims)
    for (uint8_t axis : list)
      used |= 1u << axis;
  return ((1u << axes.size()) - 1) & ~used;
}

bool CutSpace::areGranulesAlike(const Cut &cut, unsigned dim) const {
  if (value.type.isDynamicDim(dims[dim]) || !llvm::all_of(cut.dims[dim], [&](uint8_t axis) { return isKnown[axis]; }))
    return false;
  return llvm::all_of(ArrayRef<uint8_t>{0, 1}, [&](uint8_t choice) {
    flow::GranuleAttr granule = getGranule(dim, choice);
    return granule.getNames().empty() && value.sizes[dims[dim]] % (count(cut.dims[dim]) * granule.getFactor()) == 0;
  });
}
