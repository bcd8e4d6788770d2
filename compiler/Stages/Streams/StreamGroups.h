// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which marked ops share a loop over streams, decided on the graph of a block.
//
// Marked ops share a loop where they have equal trips, streams and order, where each that reads another reads the part
// of the same iteration, and where no op outside depends on one and is needed by the other. Ops that lie between them
// and move no element (reshapes) are passed through.
#ifndef HEDDLE_COMPILER_STAGES_STREAMS_STREAMGROUPS_H
#define HEDDLE_COMPILER_STAGES_STREAMS_STREAMGROUPS_H

#include "compiler/Dialect/Flow/Transforms/StreamMarks.h"

namespace mlir::heddle::streams {

// A marked op and the loop of it that is cut.
struct Member {
  Operation *op;         // a linalg op or a reshape
  int64_t axis;          // a loop of the linalg op, a dimension of the reshape's result
  bool isReduced;        // a reduced loop, whose parts are merged
  flow::Product granule; // parts begin at multiples of it
  int64_t parts;         // that were asked for, or StreamAxisAttr::kAll
  bool isLinked = false; // another member reads its part, or it that of another
  SmallVector<flow::Extent> extents;

  // The number of parts where it is known.
  std::optional<int64_t> getTrips() const;
};

// The member that the op is by its mark, or the reason why it cannot be streamed.
std::variant<Member, std::string> readMember(Operation *op, flow::StreamAxisAttr axis, bool strictFloat);

// What a member reads, and along which dimension its parts cut it; none where each part reads all of it.
struct Read {
  Value value;
  std::optional<int64_t> dim;
};
SmallVector<Read> getReads(const Member &member);

struct Group {
  flow::StreamsAttr streams;
  SmallVector<Member> members; // in program order

  const Member *find(Operation *op) const;
};

// What a value is of the result of a member: reached through ops that move no element.
struct Source {
  OpResult result;                  // of the member
  SmallVector<Operation *> between; // from the value back to the result
  SmallVector<int64_t> dims;        // for each of `between`, which dimension of its result is cut
  int64_t dim = 0;                  // of the result, that is cut
  flow::Product mul, div;           // position p of the value's dimension is p * mul / div of the result's
  bool isSlice = true;              // false where slices of the value are no slices of the result
};

// None where no member of the group computes it.
std::optional<Source> findSource(const Group &group, Value value, int64_t dim);

// The dimension of the result that the member's parts cut: of a parallel loop; none for a reduced one.
std::optional<int64_t> getCutDim(const Member &member, OpResult result);

struct GroupOptions {
  llvm::function_ref<bool(Operation *, Operation *)> areTogether; // whether two ops may run on streams of one device
  bool strictFloat = false;                                       // sums and products of floats are not cut
};

// The groups of the marked ops of a block in program order, each by its outermost mark. Fails with diagnostics at the
// ops that cannot be streamed.
FailureOr<SmallVector<Group>> groupStreamed(Block &block, const GroupOptions &options);

} // namespace mlir::heddle::streams

#endif // HEDDLE_COMPILER_STAGES_STREAMS_STREAMGROUPS_H
