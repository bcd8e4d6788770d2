// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/GPU/GpuBlock.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

constexpr int64_t kEnoughInvocations = 4096, kUsual = 64; // what a size not known counts as

struct Pair {
  int64_t rows, columns;
};

// A power of two as two factors, as equal as can be; the second is the larger one.
Pair split(int64_t power) {
  unsigned log = llvm::Log2_64(power);
  return {int64_t{1} << (log / 2), int64_t{1} << (log - log / 2)};
}

int64_t known(int64_t size) { return ShapedType::isDynamic(size) ? kUsual : size; }

GpuBlock largestBlock(const GpuProduct &product, const gpu::GpuFeatures &features) {
  GpuBlock block;
  Pair grid = split(features.invocations);
  Pair subgroup = split(std::min<int64_t>(llvm::bit_floor<uint64_t>(features.subgroup), features.invocations));
  block.gridRows = grid.rows, block.gridColumns = grid.columns;
  block.subgroupRows = subgroup.rows, block.subgroupColumns = subgroup.columns;
  constexpr int64_t kManyInvocations = 128, kMuchShared = 32 << 10;
  bool isLarge = features.invocations >= kManyInvocations && features.sharedBytes >= kMuchShared;
  int64_t words = llvm::bit_ceil<uint64_t>(llvm::divideCeil(product.sumBytes, 4));
  Pair tile = split(std::max<int64_t>(1, (isLarge ? 64 : 16) / words));
  block.tileRows = tile.rows, block.tileColumns = tile.columns;
  return block;
}

} // namespace

std::optional<GpuBlock> mlir::heddle::codegen::chooseBlock(const GpuProduct &product,
                                                           const gpu::GpuFeatures &features) {
  if (features.subgroup < kLeastBlockSubgroup)
    return std::nullopt;
  GpuBlock block = largestBlock(product, features);
  int64_t rows = known(product.rows), columns = known(product.columns);
  while (block.rows() > rows && block.tileRows > 1)
    block.tileRows /= 2;
  while (block.columns() > columns && block.tileColumns > 1)
    block.tileColumns /= 2;
  auto working = [&] {
    return known(product.batch) * llvm::divideCeil(rows, block.rows()) * llvm::divideCeil(columns, block.columns()) *
           features.invocations;
  };
  while (working() < kEnoughInvocations && block.tileRows * block.tileColumns > 1)
    (block.tileRows > block.tileColumns ? block.tileRows : block.tileColumns) /= 2;
  while (block.sharedBytes(product) > features.sharedBytes / 2 && block.depth > 1)
    block.depth /= 2;
  bool pays = block.tileRows > 1 && block.tileColumns > 1 && block.rows() <= rows && block.columns() <= columns &&
              block.depth >= 4 && known(product.depth) >= block.depth;
  return pays ? std::optional(block) : std::nullopt;
}
