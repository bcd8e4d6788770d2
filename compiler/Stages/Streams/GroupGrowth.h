// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops would have to share a loop so that a value needs no whole tensor: grown from the value along one of its
// dimensions, over everything large that is computed or read on the way. The strategy behind `--max-transient` asks it
// (compiler/Pipelines/TransientLimit.h) and marks what it finds. Pure: nothing of the program changes.
//
//   auto group = growGroup(tanh->getResult(0), 0, isLarge, {});   // rows of product, tanh, product
//   markGroup(*group, 16);                                        // 16 parts of rows on one stream
#ifndef HEDDLE_COMPILER_STAGES_STREAMS_GROUPGROWTH_H
#define HEDDLE_COMPILER_STAGES_STREAMS_GROUPGROWTH_H

#include "compiler/Stages/Streams/StreamGroups.h"

namespace mlir::heddle::streams {

// Ops that are cut alike: parts of all begin at the same places, counted in their granules. No op has a mark.
struct Growth {
  SmallVector<Member> members; // each along a parallel loop; `parts` are not chosen yet

  const Member *find(Operation *op) const;
};

// The ops that compute and read `seed` along its dimension `dim`, with those that compute and read what `isLarge` says
// of their results and operands, as far as they can be cut alike. `isTaken` are ops that belong to another loop. Values
// that no member can be asked for stay whole. None where `seed` itself would stay whole, or a member would need all of
// what another one computes.
std::optional<Growth> growGroup(OpResult seed, int64_t dim, llvm::function_ref<bool(Value)> isLarge,
                                llvm::function_ref<bool(Operation *)> isTaken);

// How many parts there may be at most, where the extent is known: granules of the group.
std::optional<int64_t> countGranules(const Growth &growth);

// Marks the members for a loop on one stream, so that each buffer of its body exists once: `parts` parts, or with
// `granules` parts of so many granules, as many as a call needs.
void markParts(const Growth &growth, int64_t parts);
void markGranules(const Growth &growth, int64_t granules);

} // namespace mlir::heddle::streams

#endif // HEDDLE_COMPILER_STAGES_STREAMS_GROUPGROWTH_H
