// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of rows whose length only the call knows: of rows that are no more than a vector or two registers, whose code
// has no loops.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_SHORTROWS_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_SHORTROWS_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Of nests of rows and of elements; none of others.
std::vector<RowClass> planShortRows(const Plan &plan);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_SHORTROWS_H
