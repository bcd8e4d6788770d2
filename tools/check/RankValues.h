// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of all ranks from one stage of a compilation to another: stage `partition` makes parts of whole arguments and
// results.
#ifndef HEDDLE_TOOLS_CHECK_RANKVALUES_H
#define HEDDLE_TOOLS_CHECK_RANKVALUES_H

#include "compiler/Reference/Reference.h"

namespace mlir::heddle::check {

using reference::Signature;
using reference::Tensor;
using RankTensors = std::vector<std::vector<Tensor>>; // by rank, in the order of arguments or results

// The arguments that the ranks have by `from`, as they have them by `to`. "", or what does not fit.
std::string dealInputs(const Signature &from, const Signature &to, const RankTensors &inputs, RankTensors &dealt);

// Replaces parts of results by wholes, on every rank of their meshes; what is each rank's own stays. "", or what does
// not fit.
std::string joinResults(const Signature &signature, RankTensors &results);

} // namespace mlir::heddle::check

#endif // HEDDLE_TOOLS_CHECK_RANKVALUES_H
