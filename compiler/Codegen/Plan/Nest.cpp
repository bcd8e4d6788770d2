// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/Nest.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

// Short ones only, shorter still where they lie in buffers between steps (docs/design/codegen-memory.md).
int64_t RowsPlan::mostSideBySide() const {
  constexpr int64_t kMostReduced = 512, kMostBuffered = 128;
  auto isReduction = [](const RowStep &step) { return step.isReduction; };
  if (llvm::none_of(steps, isReduction))
    return 0;
  return llvm::all_of(steps, isReduction) ? kMostReduced : kMostBuffered;
}

const PlanCommon &mlir::heddle::codegen::commonOf(const Plan &plan) {
  return std::visit([](const auto &one) -> const PlanCommon & { return one; }, plan);
}

PlanCommon &mlir::heddle::codegen::commonOf(Plan &plan) {
  return std::visit([](auto &one) -> PlanCommon & { return one; }, plan);
}

void Nest::forEach(function_ref<void(PlanCommon &)> set) {
  set(commonOf(plan));
  for (RowClass &few : fewer)
    set(commonOf(few.plan));
}
