// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why the program looks as it does: what `heddle compile --explain` prints.
#ifndef HEDDLE_COMPILER_PIPELINES_EXPLAIN_H
#define HEDDLE_COMPILER_PIPELINES_EXPLAIN_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::heddle {

// One line for each dispatch of a module after `place`, in program order: executable, device, the ops that share it,
// and the model's nodes they come from. Empty before `form`.
//
//   @matmul_0 on @device_0: matmul, generic(addf, maximumf) -> tensor<?x4xf32>   from MatMul_3, Add_4, Relu_5
//
// and below that of a long reduction into how many parts it is split, or why it is not. Then a line for each place
// where branches could be on several queues (place-overlap-branches), how ranks share values (ranks-propagate), and
// which collectives are moved in pieces (ranks-overlap).
std::string explainDispatches(ModuleOp module);

// The names a location was made of, the model's nodes, in order.
void collectNodes(Location loc, llvm::SetVector<StringRef> &names);

// What an executable computes: "matmul, generic(addf, maximumf)".
std::string describeOps(flow::ExecutableOp executable);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_EXPLAIN_H
