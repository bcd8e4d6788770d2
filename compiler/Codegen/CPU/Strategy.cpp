// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Strategy.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

std::unique_ptr<Strategy> mlir::heddle::codegen::strategyOf(const Plan &plan) {
  return std::visit([](const auto &one) { return makeStrategy(one); }, plan);
}

std::string mlir::heddle::codegen::describe(const Nest &nest) {
  std::unique_ptr<Strategy> strategy = strategyOf(nest.plan);
  std::string text = strategy->describe();
  for (const RowClass &few : nest.fewer)
    text += "; " + strategyOf(few.plan)->describeClass(few);
  if (nest.common().binding < 0)
    text += ", staged";
  if (strategy->isScalar())
    text += " (scalar)";
  return text;
}

// Whether the call's sizes are those of the class `few`.
static Value isOfClass(const Nest &nest, const RowClass &few, FunctionScalars &scalars) {
  if (few.mostColumns > 0)
    return scalars.isAtMost(scalars.sizes(nest.common().value)[*nest.common().laneDim], few.mostColumns);
  return scalars.isAtMost(strategyOf(nest.plan)->countRows(scalars), few.mostRows);
}

Value mlir::heddle::codegen::ofRowClass(const Nest &nest, FunctionScalars &scalars,
                                        function_ref<Value(const Strategy &)> make) {
  Value made = make(*strategyOf(nest.plan));
  for (const RowClass &few : llvm::reverse(nest.fewer)) {
    Value isFew = isOfClass(nest, few, scalars), ofFew = make(*strategyOf(few.plan));
    made = scalars.select(isFew, ofFew, made);
  }
  return made;
}

static void emitClasses(const Nest &nest, ArrayRef<RowClass> fewer, ElementEmitter &emitter, FunctionScalars &grid,
                        function_ref<void(const Strategy &)> emit) {
  if (fewer.empty())
    return emit(*strategyOf(nest.plan));
  Value isFew = isOfClass(nest, fewer.front(), grid);
  emitter.either(
      isFew, [&] { emit(*strategyOf(fewer.front().plan)); },
      [&] { emitClasses(nest, fewer.drop_front(), emitter, grid, emit); });
}

void mlir::heddle::codegen::emitRowClasses(const Nest &nest, ElementEmitter &emitter, FunctionScalars &grid,
                                           function_ref<void(const Strategy &)> emit) {
  emitClasses(nest, nest.fewer, emitter, grid, emit);
}
