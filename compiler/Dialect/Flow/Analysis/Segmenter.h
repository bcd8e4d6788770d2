// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Segmentation of a graph by a predicate: who shares a segment is the caller's choice, that the segments stay a DAG is
// this function's promise. Plain data in, plain data out.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_SEGMENTER_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_SEGMENTER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <utility>
#include <vector>

namespace mlir::heddle::flow {

// Nodes 0..n-1 in a topological order: every edge (producer, consumer) has producer < consumer. Duplicates are
// harmless.
struct SegmentGraph {
  unsigned nodes = 0;
  std::vector<std::pair<unsigned, unsigned>> edges;
};

// Whether two neighbouring groups (members in ascending order, `producer` feeds `consumer`) should become one. Asked
// repeatedly while groups grow; a merge that would close a cycle is never made, whatever the answer.
using ShouldMerge = llvm::function_ref<bool(llvm::ArrayRef<unsigned> producer, llvm::ArrayRef<unsigned> consumer)>;

// Gives the segments in a topological order of their DAG, members ascending. Deterministic.
//
//   segment({3, {{0, 1}, {1, 2}}}, [](auto, auto) { return true; })  == {{0, 1, 2}}
//   segment({3, {{0, 1}, {1, 2}}}, [](auto, auto) { return false; }) == {{0}, {1}, {2}}
std::vector<std::vector<unsigned>> segment(const SegmentGraph &graph, ShouldMerge shouldMerge);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_SEGMENTER_H
