// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/MeshAtoms.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

namespace {

// Meshes over the same ranks that have common axes.
struct Family {
  int64_t first;
  SmallVector<int64_t>
      strides; // of the common axes from the innermost on, and the number of ranks; each divides the next
  SmallVector<device::MeshOp> meshes;
};

} // namespace

// How far apart neighbours along each axis are, from the innermost axis on; last the number of ranks.
static SmallVector<int64_t> findStrides(device::MeshOp mesh) {
  SmallVector<int64_t> strides{1};
  for (int64_t size : llvm::reverse(mesh.getSizes()))
    if (size != 1)
      strides.push_back(strides.back() * size);
  return strides;
}

// All strides in order; none where one does not divide the next.
static std::optional<SmallVector<int64_t>> refine(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> all(a);
  llvm::append_range(all, b);
  llvm::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i] % all[i - 1])
      return std::nullopt;
  return all;
}

static SmallVector<Family> findFamilies(ArrayRef<device::MeshOp> meshes) {
  SmallVector<Family> families;
  for (device::MeshOp mesh : meshes) {
    if (mesh.getNumRanks() == device::MeshOp::kFree)
      continue;
    SmallVector<int64_t> strides = findStrides(mesh);
    int64_t first = mesh.getFirst();
    auto fits = [&](Family &family) {
      return family.first == first && family.strides.back() == strides.back() && refine(family.strides, strides);
    };
    auto *found = llvm::find_if(families, fits);
    if (found == families.end())
      found = &families.emplace_back(Family{first, strides, {}});
    found->strides = *refine(found->strides, strides);
    found->meshes.push_back(mesh);
  }
  return families;
}

MeshAtoms::MeshAtoms(ArrayRef<device::MeshOp> meshes) {
  SmallVector<Family> families = findFamilies(meshes);
  for (const Family &family : families)
    count += family.strides.size() - 1;
  for (device::MeshOp mesh : meshes)
    if (mesh.getNumRanks() == device::MeshOp::kFree)
      count += mesh.getSizes().size();
  unsigned next = 0;
  for (const Family &family : families) {
    for (device::MeshOp mesh : family.meshes) {
      SmallVector<Bits> &list = axes[mesh];
      list.assign(mesh.getSizes().size(), Bits(count));
      int64_t stride = 1;
      for (size_t axis = list.size(); axis-- > 0; stride *= mesh.getSizes()[axis])
        for (auto [i, begin] : llvm::enumerate(ArrayRef<int64_t>(family.strides).drop_back()))
          if (begin >= stride && begin < stride * mesh.getSizes()[axis])
            list[axis].set(next + i);
    }
    next += family.strides.size() - 1;
  }
  for (device::MeshOp mesh : meshes) {
    if (mesh.getNumRanks() != device::MeshOp::kFree)
      continue;
    SmallVector<Bits> &list = axes[mesh];
    list.assign(mesh.getSizes().size(), Bits(count));
    for (auto [axis, size] : llvm::enumerate(mesh.getSizes()))
      if (unsigned bit = next++; size != 1)
        list[axis].set(bit);
  }
}

MeshAtoms::Bits MeshAtoms::allOf(device::MeshOp mesh) const {
  Bits all(count);
  for (const Bits &axis : axes.find(mesh)->second)
    all |= axis;
  return all;
}
