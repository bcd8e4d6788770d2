// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/RowClasses.h"

#include "compiler/Codegen/CPU/ContractionSpace.h"
#include "compiler/Codegen/Plan/NestPlanner.h"

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

// Whether vectors walk the lanes' dimension of a row, or only what is reduced for it, and the call tells how far.
static bool hasOpenLength(const Nest &nest, RankedTensorType type) {
  if (nest.innerDims.empty())
    return !nest.rowDims.empty() &&
           llvm::any_of(nest.steps, [](const RowStep &step) { return step.isReduction && !staticReduction(step.op); });
  return nest.laneDim && type.isDynamicDim(*nest.laneDim) && nest.innerDims == SmallVector<unsigned>{*nest.laneDim};
}

static void addShortRows(Nest &nest, ArrayRef<int64_t> widths) {
  for (int64_t width : widths) {
    Nest few = nest;
    few.fewer.clear();
    few.oneVector = true;
    few.width = few.mostRows = width;
    if (width > 1)
      nest.fewer.push_back(std::move(few));
  }
}

static bool computesFunctions(Operation *op) {
  return op && op->getParentOfType<func::FuncOp>()
                   .walk([](Operation *inner) {
                     return isa<math::MathDialect>(inner->getDialect()) ? WalkResult::interrupt()
                                                                        : WalkResult::advance();
                   })
                   .wasInterrupted();
}

void mlir::heddle::codegen::planShortRows(Nest &nest, RankedTensorType type) {
  if (!nest.masks || nest.width < 2)
    return;
  if (nest.kind == NestKind::Rows && hasOpenLength(nest, type) && llvm::all_of(nest.steps, walksOneLoop))
    return addShortRows(nest, {nest.width / 2, nest.width});
  // Columns that are put together or cut out: one mask for all rows. Functions are too much code to have thrice.
  bool isRows = nest.kind == NestKind::Elements && nest.collapsed == 0 && nest.joined.empty() && nest.together == 1;
  if (isRows && !nest.rowDims.empty() && nest.laneDim && type.isDynamicDim(*nest.laneDim) &&
      !computesFunctions(nest.value.getDefiningOp()))
    addShortRows(nest, {nest.width / 4, nest.width});
}

void mlir::heddle::codegen::finishRowClasses(Nest &nest) {
  std::vector<Nest> classes = std::move(nest.fewer);
  nest.fewer.clear();
  if (nest.kind != NestKind::Contraction)
    return;
  std::vector<Nest> whole(classes.size(), nest);
  for (auto [few, own] : llvm::zip_equal(whole, classes)) {
    few.contraction = std::move(own.contraction);
    few.packed = std::move(own.packed);
    few.copied = own.copied;
    few.integer = own.integer;
    few.decoding = own.decoding;
    few.mostRows = own.mostRows;
    few.mostColumns = own.mostColumns;
  }
  nest.fewer = std::move(whole);
}

Value mlir::heddle::codegen::countRows(const Nest &nest, FunctionScalars &scalars) {
  if (nest.kind == NestKind::Rows || nest.kind == NestKind::Elements)
    return countAlongRows(nest, scalars);
  if (nest.kind == NestKind::Chain)
    return scalars.sizes(nest.value)[*nest.rowDim];
  return scalars.product(ContractionSpace(nest, scalars).rowSizes);
}

// Whether the call's sizes are those of the class `few`.
static Value isOfClass(const Nest &nest, const Nest &few, FunctionScalars &scalars) {
  return few.mostColumns > 0 ? scalars.isAtMost(scalars.sizes(nest.value)[*nest.laneDim], few.mostColumns)
                             : scalars.isAtMost(countRows(nest, scalars), few.mostRows);
}

Value mlir::heddle::codegen::ofRowClass(const Nest &nest, FunctionScalars &scalars,
                                        function_ref<Value(const Nest &)> make) {
  Value made = make(nest);
  for (const Nest &few : llvm::reverse(nest.fewer))
    made = scalars.select(isOfClass(nest, few, scalars), make(few), made);
  return made;
}

static void emitClasses(const Nest &nest, ArrayRef<Nest> fewer, ElementEmitter &emitter, FunctionScalars &grid,
                        function_ref<void(const Nest &)> emit) {
  if (fewer.empty())
    return emit(nest);
  Value isFew = isOfClass(nest, fewer.front(), grid);
  emitter.either(
      isFew, [&] { emit(fewer.front()); }, [&] { emitClasses(nest, fewer.drop_front(), emitter, grid, emit); });
}

void mlir::heddle::codegen::emitRowClasses(const Nest &nest, ElementEmitter &emitter, FunctionScalars &grid,
                                           function_ref<void(const Nest &)> emit) {
  emitClasses(nest, nest.fewer, emitter, grid, emit);
}
