// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of axes as axes of their own: a program that says "x":(1)2 of ["x"=8] runs on ["x:(1)2"=2, "x:(2)4"=4].
#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"
#include "compiler/Stages/Import/StableHlo/Ranks/ReadShardings.h"

#include "llvm/ADT/StringMap.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

SmallVector<MeshAxis> RankMesh::declaredAxes() const {
  if (declared.empty())
    return text.axes;
  return llvm::map_to_vector(declared, [](const DeclaredAxis &axis) { return axis.axis; });
}

FailureOr<SmallVector<std::string>> RankMesh::axesOf(const AxisText &axis, std::string &why) const {
  const auto *found = llvm::find_if(declared, [&](const DeclaredAxis &known) { return known.axis.name == axis.name; });
  bool isDeclared = found != declared.end();
  SmallVector<std::string> parts;
  if (isDeclared)
    parts = found->parts;
  else if (text.find(axis.name))
    parts = {axis.name};
  if (!axis.isPart() && !parts.empty())
    return parts;
  int64_t before = 1, size = 1;
  SmallVector<std::string> names;
  for (const std::string &part : parts) {
    if (before < axis.before) {
      before *= text.find(part)->size;
    } else if (size < axis.size) {
      size *= text.find(part)->size;
      names.push_back(part);
    }
  }
  if (!parts.empty() && before == axis.before && size == axis.size)
    return names;
  why = parts.empty() ? "the axis '" + axis.name + "' is none of @" + symbol
                      : "the part (" + std::to_string(axis.before) + ")" + std::to_string(axis.size) +
                            " of the axis '" + axis.name + "' cuts it elsewhere than other shardings do";
  return failure();
}

SmallVector<int64_t> Ranks::ranksOfPartitions() const {
  SmallVector<int64_t> ranks(processes().size());
  for (auto [rank, process] : llvm::enumerate(processes()))
    ranks[process] = rank;
  return ranks;
}

namespace {

// Where each axis of each mesh is cut: numbers of parts that stand before a cut.
using Cuts = llvm::StringMap<llvm::StringMap<std::set<int64_t>>>;

// Finds the parts of axes that a module names.
class PartFinder {
public:
  PartFinder(const Ranks &ranks, Cuts &cuts) : ranks(ranks), cuts(cuts) {}

  void visit(NamedAttribute attribute);

private:
  void visit(Attribute attribute);
  void add(StringRef symbol, const std::optional<MeshText> &inlined, ArrayRef<AxisText> axes);
  void add(ShardingText sharding);

  const Ranks &ranks;
  Cuts &cuts;
};

} // namespace

void PartFinder::add(StringRef symbol, const std::optional<MeshText> &inlined, ArrayRef<AxisText> axes) {
  std::string why;
  const RankMesh *mesh = ranks.find(symbol, inlined, why);
  for (const AxisText &axis : axes)
    if (mesh && axis.isPart() && axis.before <= (int64_t(1) << 31) && axis.size <= (int64_t(1) << 31))
      cuts[mesh->symbol][axis.name].insert({axis.before, axis.before * axis.size});
}

void PartFinder::add(ShardingText sharding) {
  sharding.forEachList([&](SmallVector<AxisText> &axes) { add(sharding.mesh, sharding.inlined, axes); });
}

void PartFinder::visit(NamedAttribute attribute) {
  Attribute value = attribute.getValue();
  if (isShardingText(attribute.getName()))
    value = parseShardingText(value);
  if (value)
    visit(value);
}

void PartFinder::visit(Attribute attribute) {
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    llvm::for_each(list, [&](Attribute element) { visit(element); });
  } else if (auto entries = dyn_cast<DictionaryAttr>(attribute)) {
    for (NamedAttribute entry : entries)
      visit(entry);
  } else if (std::optional<GroupAxes> groups = readGroupAxes(attribute)) {
    add(groups->mesh, groups->inlined, groups->axes);
  } else if (std::optional<ShardingTexts> found = readAnnotation(attribute, {}, ranks)) {
    llvm::for_each(*found, [&](const ShardingText &sharding) { add(sharding); });
  }
}

// Cuts of an axis of `size` of which each divides the next, the first being 1 and the last `size`; others are left out.
static SmallVector<int64_t> chainOf(const std::set<int64_t> &cuts, int64_t size) {
  SmallVector<int64_t> chain{1};
  for (int64_t cut : cuts)
    if (cut > chain.back() && cut < size && cut % chain.back() == 0 && size % cut == 0)
      chain.push_back(cut);
  chain.push_back(size);
  return chain;
}

void Ranks::splitAxes(ModuleOp module) {
  if (count() == 1)
    return;
  Cuts cuts;
  PartFinder finder(*this, cuts);
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : attributesOf(op))
      finder.visit(attribute);
  });
  for (RankMesh &mesh : meshes) {
    auto found = cuts.find(mesh.symbol);
    if (found == cuts.end() || mesh.isThere)
      continue;
    MeshText split{{}, mesh.text.deviceIds};
    for (const MeshAxis &axis : mesh.text.axes) {
      DeclaredAxis &declared = mesh.declared.emplace_back(DeclaredAxis{axis, {}});
      auto own = found->second.find(axis.name);
      SmallVector<int64_t> chain = chainOf(own == found->second.end() ? std::set<int64_t>() : own->second, axis.size);
      for (size_t i = 0; i + 1 < chain.size(); ++i) {
        int64_t size = chain[i + 1] / chain[i];
        std::string name = axis.name;
        if (chain.size() > 2)
          name += ":(" + std::to_string(chain[i]) + ")" + std::to_string(size);
        declared.parts.push_back(name);
        split.axes.push_back({std::move(name), size});
      }
    }
    mesh.text = std::move(split);
  }
}
