// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--max-transient=BYTES`: what needs more transient memory than that is computed in parts, by loops over one stream
// (docs/design/stream-loops.md, "A limit of memory"). Chooses by trial: a copy of the program goes through the stages
// up to `schedule`, which tells what it needs and by which dispatches; groups of ops are grown from the largest values
// (Stages/Streams/GroupGrowth.h), marked, and tried in turn.
#ifndef HEDDLE_COMPILER_PIPELINES_TRANSIENTLIMIT_H
#define HEDDLE_COMPILER_PIPELINES_TRANSIENTLIMIT_H

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>

namespace mlir::heddle {

// What takes a copy of the module from before stage `partition` through `schedule`.
using ScheduleTrial = std::function<LogicalResult(ModuleOp)>;

// Marks ops of a module in front of stage `partition` until each entry point needs at most `limit` bytes on each
// device, or no mark gains any more. A module that needs no more stays as it is, so do ops that have marks. What fails
// in a trial is left to the compilation, which says so. Notes what it did as `heddle.parts` on the module
// (PartNotes.h).
void limitTransients(ModuleOp module, uint64_t limit, const ScheduleTrial &schedule);

// Warns of each entry point of a scheduled module that needs more than `limit` bytes, naming what is largest, and of
// free sizes that the count had to guess.
void warnOfTransients(ModuleOp module, uint64_t limit);

// What the entry point that needs most takes, where all sizes are fixed or expected; none where the count is not
// complete.
std::optional<uint64_t> countTransients(ModuleOp module);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_TRANSIENTLIMIT_H
