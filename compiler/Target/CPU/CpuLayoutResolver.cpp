// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/CPU/CpuLayoutResolver.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encoding;

namespace {

// The operand as kernels see it; loops by number.
struct Columns {
  int64_t rank, batch;    // dimensions; how many leading ones the result walks, too
  AffineMap map, other;   // of the operand, of the other one
  int64_t laneDim;        // along which vectors of the result lie
  unsigned lane;          // the loop of it
  unsigned lastReduction; // the innermost of the reduction loops
};

// None where vectors of the result do not walk one dimension of the operand alone.
std::optional<Columns> findColumns(const AbstractEncoding &use) {
  if (use.role > 1)
    return std::nullopt;
  AffineMap map = use.maps[use.role], other = use.maps[1 - use.role], write = use.maps[2];
  const auto *found = write.getNumResults() == 0 ? nullptr : llvm::find(map.getResults(), write.getResults().back());
  if (map.getNumResults() < 2 || !found || found == map.getResults().end() || !map.isProjectedPermutation())
    return std::nullopt;
  int64_t laneDim = found - map.getResults().begin();
  unsigned lane = map.getDimPosition(laneDim);
  if (other.isFunctionOfDim(lane))
    return std::nullopt;
  std::optional<unsigned> lastReduction;
  for (unsigned loop = 0; loop < write.getNumDims(); ++loop)
    if (!write.isFunctionOfDim(loop))
      lastReduction = loop;
  if (!lastReduction)
    return std::nullopt;
  Columns columns{map.getNumResults(), 0, map, other, laneDim, lane, *lastReduction};
  while (columns.batch + 1 < columns.rank && columns.batch != laneDim &&
         write.isFunctionOfDim(map.getDimPosition(columns.batch)))
    ++columns.batch;
  return columns;
}

LayoutAttr getPanels(MLIRContext *context, const Columns &columns, ArrayRef<int64_t> innerDims,
                     ArrayRef<int64_t> innerTiles) {
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, columns.batch));
  perm.push_back(columns.laneDim);
  for (int64_t dim = columns.batch; dim < columns.rank; ++dim)
    if (dim != columns.laneDim)
      perm.push_back(dim);
  return LayoutAttr::get(context, perm, innerDims, innerTiles, {});
}

} // namespace

// All operands of a product with quantised weights, and those of products in parts, in panels of one width: the widest
// of the powers of two that divides the columns, else the narrowest, padded. Codes that dot products take have groups
// of their bytes beside each other; then few columns are a panel, too.
static Resolution resolveQuantized(RankedTensorType type, const cpu::CpuFeatures &features) {
  int64_t last = type.getRank() - 1, columns = type.getShape().back(), panel = features.narrowPanelColumns;
  auto use = cast<QuantizedAttr>(type.getEncoding());
  if (columns <= features.panelColumns && !use.getGrouped())
    return {};
  while (panel > features.panelColumns && columns % panel != 0)
    panel /= 2;
  SmallVector<int64_t> perm{last};
  llvm::append_range(perm, llvm::seq<int64_t>(0, last));
  SmallVector<int64_t> innerDims{last}, innerTiles{panel};
  if (use.getGrouped() && use.getRole() == QuantizedRole::Codes && last > 0) {
    innerDims.push_back(last - 1);
    innerTiles.push_back(features.dotGroup);
  }
  return {Resolution::Layout, LayoutAttr::get(type.getContext(), perm, innerDims, innerTiles, {}), ""};
}

Resolution cpu::CpuLayoutResolver::resolve(RankedTensorType type) const {
  if (isa_and_present<QuantizedAttr>(type.getEncoding()))
    return resolveQuantized(type, features);
  std::optional<AbstractEncoding> use = getAbstract(type.getEncoding());
  if (!use || !use->constant || !type.hasStaticShape())
    return {};
  std::optional<Columns> columns = findColumns(*use);
  if (!columns)
    return {};
  int64_t n = columns->laneDim, k = columns->rank - (n + 1 == columns->rank ? 2 : 1);
  // The other operand has to tell the length of the loop that is cut in groups.
  AffineExpr last = getAffineDimExpr(columns->lastReduction, type.getContext());
  bool canBeGrouped = columns->map.getResult(k) == last && llvm::is_contained(columns->other.getResults(), last);
  auto both = [&](auto is) { return is(use->types[0]) && is(use->types[1]); };
  auto inGroups = [&](int64_t group) {
    return Resolution{Resolution::Layout,
                      getPanels(type.getContext(), *columns, {n, k}, {features.panelColumns, group}), ""};
  };
  if (features.bfloatDot && canBeGrouped && use->types[2].isF32() && both([](Type type) { return type.isBF16(); }))
    return inGroups(features.dotGroup / 2); // twice as long as bytes
  bool isFloat =
      type.getElementType().isF32() || (isa<Float16Type, BFloat16Type>(type.getElementType()) && use->types[2].isF32());
  if (isFloat && type.getDimSize(n) > features.panelColumns)
    return {Resolution::Layout, getPanels(type.getContext(), *columns, {n}, {features.panelColumns}), ""};
  if (canBeGrouped && use->types[2].isInteger(32) && both([](Type type) { return type.isInteger(8); }))
    return inGroups(features.dotGroup);
  return {};
}

FailureOr<std::unique_ptr<LayoutResolver>> cpu::createLayoutResolver(Operation *op, device::ExecutableAttr target) {
  FailureOr<CpuFeatures> features = getFeatures(op, target);
  if (failed(features))
    return failure();
  return std::unique_ptr<LayoutResolver>(std::make_unique<CpuLayoutResolver>(*features));
}
