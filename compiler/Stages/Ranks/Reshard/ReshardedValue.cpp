// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Reshard/ReshardedValue.h"

#include "compiler/Analysis/StorageBytes.h"

using namespace mlir;
using namespace mlir::heddle;

ReshardedValue ReshardedValue::of(RankedTensorType type, ArrayRef<int64_t> estimates) {
  ReshardedValue value{type, SmallVector<int64_t>(estimates)};
  for (auto [size, known] : llvm::zip(value.sizes, type.getShape()))
    size = ShapedType::isDynamic(known) ? size : known;
  Type element = type.getElementType();
  value.elementBytes = storageBytes(element);
  return value;
}

int64_t mlir::heddle::largestPart(int64_t size, int64_t parts, flow::GranuleAttr granule) {
  int64_t granules = llvm::divideCeil(size, granule.getFactor());
  return std::min<int64_t>(size, llvm::divideCeil(granules, parts) * granule.getFactor());
}

int64_t mlir::heddle::guessParts(ArrayRef<StringAttr> axes, const MeshShape &mesh) {
  int64_t parts = 1;
  for (StringAttr axis : axes) {
    int64_t size = mesh.getSize(axis);
    parts *= size == device::MeshOp::kFree ? kGuessedRanks : size;
  }
  return parts;
}

uint64_t ReshardedValue::bytesOfPart(flow::ShardingAttr sharding, const MeshShape &mesh) const {
  uint64_t bytes = elementBytes;
  for (auto [dim, size] : llvm::enumerate(sizes))
    bytes *= largestPart(size, guessParts(sharding.getDimAxes(dim), mesh), sharding.getGranule(dim));
  return bytes;
}
