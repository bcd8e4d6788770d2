// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/WinogradTile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir::heddle;
using namespace mlir::heddle::encode;

// What stands for a free size: as the first layers of networks have it.
static constexpr int64_t kFreeImage = 56;

// In multiply-adds; `places` products of `rows` rows each.
static double costOfProducts(int64_t places, int64_t rows, const WindowSizes &sizes, const WinogradCosts &costs) {
  double most = static_cast<double>(std::max(rows, costs.leastRows));
  return places * most * sizes.channels * sizes.filters;
}

static double costOfTiles(int64_t tile, const WindowSizes &sizes, const WinogradCosts &costs) {
  int64_t tiles = sizes.batch.value_or(1);
  for (const std::optional<int64_t> &size : {sizes.height, sizes.width})
    tiles *= llvm::divideCeil(size.value_or(kFreeImage), tile);
  int64_t places = (tile + 2) * (tile + 2);
  double transforms = tiles * (costs.input * sizes.channels + costs.output * sizes.filters);
  return costOfProducts(places, tiles, sizes, costs) + places * transforms;
}

int64_t mlir::heddle::encode::chooseWinogradTile(const WindowSizes &sizes, const WinogradCosts &costs) {
  int64_t results = sizes.batch.value_or(1) * sizes.height.value_or(kFreeImage) * sizes.width.value_or(kFreeImage);
  double direct = costOfProducts(9, results, sizes, costs), small = costOfTiles(2, sizes, costs),
         large = costOfTiles(4, sizes, costs);
  int64_t tile = large <= costs.mostOfSmall * small ? 4 : 2;
  return (tile == 4 ? large : small) <= costs.most * direct ? tile : 0;
}
