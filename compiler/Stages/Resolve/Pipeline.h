// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `resolve`: each device says how it lays out tensors; parameters are packed.
#ifndef HEDDLE_COMPILER_STAGES_RESOLVE_PIPELINE_H
#define HEDDLE_COMPILER_STAGES_RESOLVE_PIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <string>

namespace mlir::heddle {

struct ResolveOptions {
  std::string resolver;   // in place of the devices' own; see compiler/Target/LayoutResolvers.h
  bool sizesOnly = false; // of a trial whose program is thrown away: no parameter is packed
};

void buildResolvePipeline(OpPassManager &pm, const ResolveOptions &options = {});

// Early data tiling: the same before dispatch formation, and no encoding is left after it.
void buildEarlyResolvePipeline(OpPassManager &pm, const ResolveOptions &options = {});

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RESOLVE_PIPELINE_H
