// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A collective and the structured ops beside it that can be computed in pieces together: what is cut, and the
// rewriting.
//
//   if (std::optional<PieceCut> cut = findCut(collective); cut && cut->reason().empty()) {
//     OverlapAccount account = cut->describe(sizes);
//     cut->apply(4);
//   }
#ifndef HEDDLE_COMPILER_STAGES_RANKS_PIECECUT_H
#define HEDDLE_COMPILER_STAGES_RANKS_PIECECUT_H

#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "heddle/contract/OverlapTime.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::heddle {

using ::heddle::contract::OverlapAccount;

class PieceCut {
public:
  // Along dimension `dim` of what lies between the collective and the works: the result of one that feeds them, else
  // the operand. Whether that can be done is asked of isPossible().
  PieceCut(flow::CollectiveOpInterface collective, int64_t dim);

  // Why it cannot be done, for people; "" where a contraction is among the works and all can be cut.
  const std::string &reason() const { return why; }
  // The account's numbers, of a free extent those of its estimate. `sizes` may be asked as long as nothing is
  // rewritten.
  OverlapAccount describe(flow::SizeEstimates &sizes) const;
  // Whether the extent is known to the call only.
  bool isFree() const { return mlir::ShapedType::isDynamic(extent); }
  // Replaces the collective and the works by `pieces` pieces each, which are at most as many as there are positions; of
  // a free extent at most as many as there are `positions` for, and those behind have none.
  void apply(unsigned pieces, int64_t positions = 1);
  // The one of `counts` that `chosen` is, each in a branch; kAround where that can be. Of a free extent at most so many
  // pieces, one for each `positions`.
  void applyAmong(ArrayRef<unsigned> counts, Value chosen, Value positions = {});

  // Whether what is gathered can come from each member as it is, and the works compute with each by itself; or what is
  // scattered can go to each member, which adds up what all sent.
  bool canGoAround() const;
  // Does so: a permute from each other member, which all begin at once, and the first piece is this member's own.
  // Results are written where they belong, beginning at this member's place. What is scattered goes to each other
  // member as soon as it is there, this one's own is computed last, and the sum is in the order of members.
  void applyAround();

private:
  struct Work {
    mutable linalg::LinalgOp op; // ops have no constant methods
    unsigned loop;               // that is cut
  };
  // Positions [begin, begin + size) of the extent.
  struct Piece {
    OpFoldResult begin, size;
  };

  // Keeps the reason; false.
  bool refuse(std::string reason);
  bool find();
  bool findReaders();
  bool findBehind();
  bool findMakers();
  bool addMaker(Value made, int64_t at);
  bool addWork(linalg::LinalgOp op, unsigned loop);
  bool addChain(linalg::LinalgOp op, unsigned loop);
  bool isWork(Operation *op) const;
  bool readsPieces(const Work &work) const;
  SmallVector<Value> findJoined() const;
  std::optional<int64_t> dimOf(Value value) const;

  OpBuilder builderBehind();
  // What stands for findJoined(), made at the builder's place.
  SmallVector<Value> build(OpBuilder &builder, unsigned count, Value positions);
  SmallVector<Value> buildFree(OpBuilder &builder, unsigned count, Value positions);
  SmallVector<Value> buildWhole(OpBuilder &builder) const;
  SmallVector<Value> buildPieces(OpBuilder &builder, ArrayRef<Piece> pieces);
  SmallVector<Value> buildAround(OpBuilder &builder);
  Value buildScattered(OpBuilder &builder);
  SmallVector<Value> buildAmong(OpBuilder &builder, ArrayRef<unsigned> counts, Value chosen, Value positions);
  void replaceBy(ArrayRef<Value> made);
  SmallVector<Piece> cutExtent(OpBuilder &builder, unsigned pieces);
  OpFoldResult findExtent(OpBuilder &builder);
  SmallVector<Piece> cutFree(OpBuilder &builder, unsigned pieces, Value positions);
  // Whether parts of a free extent are written where they belong: no other size of what is put together is free, and
  // they lie behind one another.
  bool fillsInPlace() const;
  bool copiesParts() const;
  void describeWorks(flow::SizeEstimates &sizes, OverlapAccount &overlap) const;
  Value makeMemory(OpBuilder &builder, Value like, int64_t dim, bool isOfMembers, int64_t number) const;
  OpFoldResult ofAll(OpBuilder &builder, OpFoldResult size, bool isOfMembers) const;
  Value fill(OpBuilder &builder, Value memory, ArrayRef<Value> parts, ArrayRef<Piece> pieces, int64_t dim, Value whole,
             bool isOfMembers) const;
  Value move(OpBuilder &builder, Value operand, const Piece &piece) const;
  void replaceSizes();
  Value shift(OpBuilder &builder, Value value, int64_t distance) const;
  Value placeOf(OpBuilder &builder, int64_t distance) const;
  Value rowsOf(OpBuilder &builder, int64_t distance) const;
  Value slice(OpBuilder &builder, Value value, int64_t dim, const Piece &piece, bool byMember) const;
  Value sliceInit(OpBuilder &builder, Value init, int64_t dim, const Piece &piece) const;
  void work(OpBuilder &builder, const Work &work, const Piece &piece, IRMapping &mapping) const;
  Value join(OpBuilder &builder, ArrayRef<Value> parts, int64_t dim, Value whole, bool byMember) const;

  mutable flow::CollectiveOpInterface collective;
  int64_t dim;
  bool feeds;    // the collective's result is what the works read
  bool byMember; // the dimension is the members' parts, of each of which a piece has a part
  int64_t members = 1;
  int64_t extent = 0;      // what is cut; by member: of one member
  OpFoldResult freeExtent; // the value, when it is needed
  std::string why;
  SmallVector<Work> works;                           // in the order of the block
  SmallVector<Operation *> behind;                   // what comes to stand behind them
  llvm::SmallMapVector<Value, int64_t, 8> cutValues; // what is made in pieces, and the dimension that is cut
};

// That along the outermost dimension that has several positions. Of other kinds than these three, or where there is no
// such dimension, none.
std::optional<PieceCut> findCut(flow::CollectiveOpInterface collective);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_PIECECUT_H
