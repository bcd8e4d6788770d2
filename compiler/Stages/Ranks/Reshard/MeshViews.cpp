// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Reshard/MeshViews.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::heddle;

static constexpr int64_t kFree = device::MeshOp::kFree;

//===--- Shapes --------------------------------------------------------------------------------------------------===//

MeshShape MeshShape::of(device::MeshOp mesh) {
  return {FlatSymbolRefAttr::get(mesh.getSymNameAttr()), llvm::to_vector(mesh.getAxes().getAsRange<StringAttr>()),
          SmallVector<int64_t>(mesh.getSizes()), static_cast<int64_t>(mesh.getFirst()), mesh.getDeviceAttr()};
}

int64_t MeshShape::getNumRanks() const {
  int64_t ranks = 1;
  for (int64_t size : sizes) {
    if (size == kFree)
      return kFree;
    ranks *= size;
  }
  return ranks;
}

int64_t MeshShape::getSize(StringAttr axis) const { return sizes[llvm::find(axes, axis) - axes.begin()]; }

bool MeshShape::hasSameRanksAs(const MeshShape &other) const {
  return first == other.first && isKnown() && getNumRanks() == other.getNumRanks();
}

//===--- Views ---------------------------------------------------------------------------------------------------===//

// A name that says all that a view is, so equal ones are declared once.
static MeshShape makeView(const MeshShape &mesh, ArrayRef<int64_t> sizes) {
  MLIRContext *context = mesh.name.getContext();
  MeshShape view{{}, {}, SmallVector<int64_t>(sizes), mesh.first, mesh.device};
  if (sizes.empty())
    view.sizes.push_back(1);
  std::string name = "__ranks_";
  llvm::raw_string_ostream os(name);
  llvm::interleave(view.sizes, os, "x");
  if (mesh.first)
    os << "_at_" << mesh.first;
  if (mesh.device)
    os << "_of_" << mesh.device.getValue();
  view.name = FlatSymbolRefAttr::get(context, name);
  for (unsigned i = 0; i < view.sizes.size(); ++i)
    view.axes.push_back(StringAttr::get(context, "r" + Twine(i)));
  return view;
}

// The mesh itself where the view has its axes.
static MeshShape makeViewOrMesh(const MeshShape &mesh, ArrayRef<int64_t> sizes) {
  return ArrayRef<int64_t>(mesh.sizes) == sizes ? mesh : makeView(mesh, sizes);
}

// How many ranks lie between two neighbours along each axis, and all ranks.
static SmallVector<int64_t> stridesOf(const MeshShape &mesh) {
  SmallVector<int64_t> strides{1};
  for (int64_t size : llvm::reverse(mesh.sizes))
    strides.push_back(strides.back() * size);
  return strides;
}

std::optional<MeshShape> mlir::heddle::alignMeshes(const MeshShape &a, const MeshShape &b) {
  SmallVector<int64_t> strides = stridesOf(a);
  llvm::append_range(strides, stridesOf(b));
  llvm::sort(strides);
  strides.erase(llvm::unique(strides), strides.end());
  SmallVector<int64_t> sizes;
  for (auto [inner, outer] : llvm::zip(strides, llvm::drop_begin(strides))) {
    if (outer % inner)
      return std::nullopt;
    sizes.insert(sizes.begin(), outer / inner);
  }
  MeshShape view = makeViewOrMesh(a, sizes);
  return view.name == a.name ? view : makeViewOrMesh(b, sizes);
}

static SmallVector<int64_t> listPrimes(int64_t number) {
  SmallVector<int64_t> primes;
  for (int64_t prime = 2; prime * prime <= number; ++prime)
    for (; number % prime == 0; number /= prime)
      primes.push_back(prime);
  if (number > 1)
    primes.push_back(number);
  return primes;
}

MeshShape mlir::heddle::splitMesh(const MeshShape &mesh, function_ref<bool(StringAttr)> isSplit) {
  SmallVector<int64_t> sizes;
  for (auto [axis, size] : llvm::zip(mesh.axes, mesh.sizes)) {
    if (isSplit(axis))
      sizes.append(listPrimes(size));
    else if (size != 1)
      sizes.push_back(size);
  }
  return makeViewOrMesh(mesh, sizes);
}

flow::ShardingAttr mlir::heddle::translate(flow::ShardingAttr sharding, const MeshShape &mesh, const MeshShape &view) {
  if (mesh.name == view.name)
    return sharding;
  auto listAxes = [&](ArrayRef<StringAttr> axes) {
    SmallVector<StringAttr> list;
    SmallVector<int64_t> strides = stridesOf(mesh), inView = stridesOf(view);
    for (StringAttr axis : axes) {
      unsigned fromEnd = mesh.axes.end() - llvm::find(mesh.axes, axis);
      for (unsigned i = view.axes.size(); i > 0; --i)
        if (strides[fromEnd - 1] <= inView[i - 1] && inView[i] <= strides[fromEnd] && inView[i - 1] < inView[i])
          list.push_back(view.axes[view.axes.size() - i]);
    }
    return list;
  };
  SmallVector<ArrayAttr> lists;
  SmallVector<flow::GranuleAttr> granules;
  for (int64_t dim = 0; dim < sharding.getRank(); ++dim) {
    SmallVector<StringAttr> axes = listAxes(sharding.getDimAxes(dim));
    lists.push_back(ArrayAttr::get(sharding.getContext(), SmallVector<Attribute>(axes.begin(), axes.end())));
    granules.push_back(sharding.getGranule(dim));
  }
  return flow::ShardingAttr::getNormalized(view.name, lists, granules, listAxes(sharding.getPartial()),
                                           sharding.getReduction());
}

std::optional<flow::ShardingAttr> mlir::heddle::cutInto(ArrayRef<int64_t> parts, ArrayRef<flow::GranuleAttr> granules,
                                                        const MeshShape &mesh) {
  SmallVector<bool> isUsed(mesh.axes.size());
  SmallVector<ArrayAttr> lists;
  for (int64_t count : parts) {
    SmallVector<Attribute> axes;
    for (unsigned i = 0; i < mesh.axes.size() && count > 1; ++i) {
      if (isUsed[i] || mesh.sizes[i] == 1 || count % mesh.sizes[i])
        continue;
      isUsed[i] = true;
      count /= mesh.sizes[i];
      axes.push_back(mesh.axes[i]);
    }
    if (count > 1)
      return std::nullopt;
    lists.push_back(ArrayAttr::get(mesh.name.getContext(), axes));
  }
  return flow::ShardingAttr::getNormalized(mesh.name, lists, granules);
}
