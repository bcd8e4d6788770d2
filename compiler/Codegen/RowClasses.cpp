// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/RowClasses.h"

#include "compiler/Codegen/ContractionSpace.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// Whether vectors walk one loop of the step, without another around it.
static bool walksOneLoop(const RowStep &step) {
  linalg::GenericOp op = step.op;
  return step.isReduction ? op.getNumReductionLoops() == 1 && getCombiners(op).has_value()
                          : llvm::count(step.position, -1) == 1;
}

void mlir::heddle::codegen::planShortRows(Nest &nest, RankedTensorType type) {
  bool isOpen = nest.laneDim && type.isDynamicDim(*nest.laneDim);
  if (nest.kind != NestKind::Rows || !isOpen || !nest.masks || nest.width < 2 ||
      nest.innerDims != SmallVector<unsigned>{*nest.laneDim} || !llvm::all_of(nest.steps, walksOneLoop))
    return;
  for (int64_t width : {nest.width / 2, nest.width}) {
    Nest few = nest;
    few.fewer.clear();
    few.oneVector = true;
    few.width = few.mostRows = width;
    nest.fewer.push_back(std::move(few));
  }
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
    few.mostRows = own.mostRows;
  }
  nest.fewer = std::move(whole);
}

Value mlir::heddle::codegen::countRows(const Nest &nest, FunctionScalars &scalars) {
  if (nest.kind == NestKind::Rows)
    return countAlongRows(nest, scalars);
  return scalars.product(ContractionSpace(nest, scalars).rowSizes);
}

Value mlir::heddle::codegen::ofRowClass(const Nest &nest, FunctionScalars &scalars,
                                        function_ref<Value(const Nest &)> make) {
  Value made = make(nest);
  for (const Nest &few : llvm::reverse(nest.fewer))
    made = scalars.select(scalars.isAtMost(countRows(nest, scalars), few.mostRows), make(few), made);
  return made;
}

static void emitClasses(const Nest &nest, ArrayRef<Nest> fewer, ElementEmitter &emitter, FunctionScalars &grid,
                        function_ref<void(const Nest &)> emit) {
  if (fewer.empty())
    return emit(nest);
  Value isFew = grid.isAtMost(countRows(nest, grid), fewer.front().mostRows);
  emitter.either(
      isFew, [&] { emit(fewer.front()); }, [&] { emitClasses(nest, fewer.drop_front(), emitter, grid, emit); });
}

void mlir::heddle::codegen::emitRowClasses(const Nest &nest, ElementEmitter &emitter, FunctionScalars &grid,
                                           function_ref<void(const Nest &)> emit) {
  emitClasses(nest, nest.fewer, emitter, grid, emit);
}
