// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/Panels.h"

#include "compiler/Dialect/Encoding/IR/OperandLayouts.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static bool isLoop(AffineExpr expr, unsigned loop) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim && dim.getPosition() == loop;
}

bool Panels::areGroups(int64_t size, unsigned loop) const {
  return columns > 0 && group == size && isWhole && isLoop(grouped, loop) && isLoop(order.back(), loop);
}

bool Panels::endWith(unsigned lane, ArrayRef<unsigned> loops) const {
  if (!isWhole || order.size() < loops.size() + 1)
    return false;
  ArrayRef<AffineExpr> last = ArrayRef(order).take_back(loops.size() + 1);
  return isLoop(last.front(), lane) && llvm::all_of(llvm::zip_equal(last.drop_front(), loops), [](auto pair) {
           return isLoop(std::get<0>(pair), std::get<1>(pair));
         });
}

Panels mlir::heddle::codegen::panelsOf(OpOperand &input, unsigned lane) {
  auto op = cast<linalg::GenericOp>(input.getOwner());
  encoding::LayoutAttr layout = encoding::getOperandLayout(input);
  AffineMap map = op.getMatchingIndexingMap(&input);
  auto index = layout ? encoding::getLogicalIndex(layout, map.getResults()) : std::nullopt;
  if (!index || llvm::count_if(*index, [&](AffineExpr at) { return at.isFunctionOfDim(lane); }) != 1)
    return {};
  Panels panels;
  SmallVector<encoding::PhysicalDim> tiles;
  for (const encoding::PhysicalDim &dim : encoding::getPhysicalDims(layout)) {
    if (dim.inner)
      tiles.push_back(dim);
    else
      panels.order.push_back((*index)[dim.dim]);
  }
  auto isOfColumns = [&](const encoding::PhysicalDim &tile) { return isLoop((*index)[tile.dim], lane); };
  if (tiles.empty())
    return {};
  if (isOfColumns(tiles.back())) {
    panels.columns = tiles.back().tile;
    panels.isWhole = tiles.size() == 1;
  } else if (tiles.size() > 1 && isOfColumns(tiles[tiles.size() - 2])) {
    panels.columns = tiles[tiles.size() - 2].tile;
    panels.group = tiles.back().tile;
    panels.grouped = (*index)[tiles.back().dim];
    panels.isWhole = tiles.size() == 2;
  }
  return panels;
}
