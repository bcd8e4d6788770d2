// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/ShortRows.h"

#include "compiler/Codegen/Plan/Combiner.h"
#include "compiler/Codegen/Plan/Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// Whether vectors walk one loop of the step, without another around it.
static bool walksOneLoop(const RowStep &step) {
  linalg::GenericOp op = step.op;
  return step.isReduction ? op.getNumReductionLoops() == 1 && getCombiners(op).has_value()
                          : llvm::count(step.position, -1) == 1;
}

static RankedTensorType typeOf(const PlanCommon &nest) { return cast<RankedTensorType>(nest.value.getType()); }

// Whether vectors walk the lanes' dimension of a row, or only what is reduced for it, and the call tells how far.
static bool hasOpenLength(const RowsPlan &nest) {
  if (nest.innerDims.empty())
    return !nest.rowDims.empty() &&
           llvm::any_of(nest.steps, [](const RowStep &step) { return step.isReduction && !staticReduction(step.op); });
  return nest.laneDim && typeOf(nest).isDynamicDim(*nest.laneDim) &&
         nest.innerDims == SmallVector<unsigned>{*nest.laneDim};
}

template <typename Strategy> static std::vector<RowClass> shortRows(const Strategy &nest, ArrayRef<int64_t> widths) {
  std::vector<RowClass> classes;
  for (int64_t width : widths) {
    Strategy few = nest;
    few.oneVector = true;
    few.width = width;
    if (width > 1)
      classes.push_back({width, 0, std::move(few)});
  }
  return classes;
}

static bool computesFunctions(Operation *op) {
  return op && op->getParentOfType<func::FuncOp>()
                   .walk([](Operation *inner) {
                     return isa<math::MathDialect>(inner->getDialect()) ? WalkResult::interrupt()
                                                                        : WalkResult::advance();
                   })
                   .wasInterrupted();
}

std::vector<RowClass> mlir::heddle::codegen::planShortRows(const Plan &plan) {
  if (!commonOf(plan).masks || commonOf(plan).width < 2)
    return {};
  if (auto *rows = std::get_if<RowsPlan>(&plan))
    if (hasOpenLength(*rows) && llvm::all_of(rows->steps, walksOneLoop))
      return shortRows(*rows, {rows->width / 2, rows->width, 2 * rows->width});
  // Columns that are put together or cut out: one mask for all rows. Functions are too much code to have thrice.
  auto *nest = std::get_if<ElementsPlan>(&plan);
  bool isRows = nest && nest->collapsed == 0 && nest->joined.empty() && nest->together == 1;
  if (isRows && !nest->rowDims.empty() && nest->laneDim && typeOf(*nest).isDynamicDim(*nest->laneDim) &&
      !computesFunctions(nest->value.getDefiningOp()))
    return shortRows(*nest, {nest->width / 4, nest->width});
  return {};
}
