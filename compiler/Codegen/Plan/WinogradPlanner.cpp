// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/WinogradPlanner.h"

#include "compiler/Codegen/Plan/NestPlanner.h"
#include "compiler/Codegen/Plan/Sizes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

SmallVector<int64_t> mlir::heddle::codegen::chooseWinogradBlock(ArrayRef<Size> counts, ArrayRef<int64_t> tile,
                                                                int64_t most) {
  SmallVector<int64_t> block(counts.size(), 1);
  int64_t left = most;
  for (size_t dim = counts.size(); dim-- > 0;) {
    int64_t size = counts[dim].value_or(std::numeric_limits<int64_t>::max());
    if (size <= left) {
      block[dim] = std::max<int64_t>(size, 1);
    } else {
      int64_t blocks = counts[dim] ? llvm::divideCeil(size, std::max<int64_t>(left, 1)) : 0;
      int64_t even = blocks ? llvm::divideCeil(size, blocks) : std::max<int64_t>(left, 1);
      block[dim] = std::min<int64_t>(llvm::alignTo(even, tile[dim]), size);
    }
    left /= block[dim];
  }
  return block;
}

// As many tiles as keep what a block has between the transforms in half of the second-level cache, but not so few that
// they wait for the weights.
static int64_t mostTiles(const winograd::Convolution &convolution, const ContractionPlan &product,
                         const cpu::CpuFeatures &features) {
  constexpr int64_t kFewest = 24, kMost = 128;
  int64_t channels = cast<RankedTensorType>(convolution.input->getResult(0).getType()).getShape().back();
  int64_t bytes = convolution.places() * (channels + tileColumns(product)) * 4;
  return std::clamp(features.secondLevelBytes / 2 / bytes, kFewest, kMost);
}

std::optional<Nest> mlir::heddle::codegen::planWinograd(Value value, const NestAnalysis &analysis,
                                                        const DenseSet<Operation *> &staged,
                                                        const cpu::CpuFeatures &features) {
  auto needed = llvm::find_if(analysis.ops, [](const NeededOp &op) { return winograd::match(op.op).has_value(); });
  if (needed == analysis.ops.end())
    return std::nullopt;
  WinogradPlan plan;
  plan.convolution = *winograd::match(needed->op);
  std::optional<SmallVector<int64_t>> position = analysis.getPosition(*needed);
  auto type = cast<RankedTensorType>(value.getType());
  if (!position || static_cast<int64_t>(position->size()) != type.getRank())
    return std::nullopt;
  plan.value = value;
  plan.masks = features.masks;
  // Dimensions of size 1 are read at 0.
  llvm::SmallBitVector taken(type.getRank());
  for (int64_t dim : *position)
    if (dim >= 0)
      taken.set(dim);
  for (int64_t dim : *position) {
    plan.position.push_back(dim >= 0 ? dim : taken.find_first_unset());
    taken.set(plan.position.back());
  }
  plan.laneDim = plan.position.back();
  plan.width = configureWidth(sizeOf(type, *plan.laneDim), 4, features);
  DenseSet<Operation *> inMemory = staged;
  inMemory.insert(plan.convolution.input);
  Value sums = plan.convolution.product->getResult(0);
  FailureOr<Nest> nest = planNest(sums, analyze(sums, inMemory), features, {});
  if (failed(nest))
    return std::nullopt;
  auto *product = std::get_if<ContractionPlan>(&nest->plan);
  if (!product || product->batchDims.size() != 2 || !product->laneDim ||
      *product->laneDim + 1 != static_cast<unsigned>(cast<RankedTensorType>(sums.getType()).getRank()) ||
      product->integer || product->decoding)
    return std::nullopt;
  plan.product = std::move(*product);
  ContractionConfig &config = plan.product.contraction;
  // Operands lie in scratch memory, and the next product has other columns.
  config.copiesRows = config.prefetchNext = config.prefetchResult = config.depthOutside = false;
  plan.product.copied.reset();
  config.packing = Packing::Never;
  plan.product.packed.clear();
  SmallVector<Size> counts;
  for (unsigned dim : plan.product.tileDims)
    counts.push_back(sizeOf(cast<RankedTensorType>(sums.getType()), dim));
  SmallVector<int64_t> block =
      chooseWinogradBlock(counts, config.tile, mostTiles(plan.convolution, plan.product, features));
  config.block.assign(block.begin(), block.end());
  return Nest{std::move(plan), {}, {}};
}
