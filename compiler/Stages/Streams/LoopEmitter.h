// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the loop of a group of marked ops in their place.
#ifndef HEDDLE_COMPILER_STAGES_STREAMS_LOOPEMITTER_H
#define HEDDLE_COMPILER_STAGES_STREAMS_LOOPEMITTER_H

#include "compiler/Stages/Streams/StreamGroups.h"

namespace mlir::heddle::streams {

// Replaces the members by one scf.for (two, where a user nests marks, as the ops in the loop keep their inner ones) and
// the merges of reduced ones; ops that need their results move behind the loop. What nobody reads is not computed.
void emitLoop(const Group &group);

} // namespace mlir::heddle::streams

#endif // HEDDLE_COMPILER_STAGES_STREAMS_LOOPEMITTER_H
