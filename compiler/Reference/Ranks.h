// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the ranks of one run of the reference meet. Internal to compiler/Reference.
#ifndef HEDDLE_COMPILER_REFERENCE_RANKS_H
#define HEDDLE_COMPILER_REFERENCE_RANKS_H

#include "compiler/Reference/Program.h"

#include <condition_variable>
#include <mutex>

namespace mlir::heddle::reference {

// One for a run, used by all of its threads. Each rank is one thread. A rank that fails, and ranks that wait for one
// another for ever, end the run: every wait ends then, and says so.
class Ranks {
public:
  // At least one rank.
  Ranks(const Program &program, unsigned count);

  // This rank's coordinate, or 1 where it is in the mesh (else 0).
  int64_t place(unsigned rank, const PlaceInfo &info) const;

  // Gives this rank's operand to a collective and waits for the other members. `cuts`: how it cuts its dimensions;
  // none: in pieces of one size. Returns "" with the result, or why there is none.
  std::string meet(unsigned rank, unsigned collective, Tensor operand, ArrayRef<::heddle::contract::Cut> cuts,
                   Tensor &result);

  // The rank's run is over; `error` is empty where nothing failed.
  void leave(unsigned rank, const std::string &error);

  // The first error of the run, with its rank; "" where nothing failed.
  const std::string &getError() const { return error; }

private:
  static constexpr int kNowhere = -1;
  struct Member {
    int at = kNowhere; // the collective it waits in
    bool left = false;
    Tensor operand, result;
    SmallVector<::heddle::contract::Cut> cuts;
  };

  void finish(unsigned collective, ArrayRef<unsigned> group);
  void fail(unsigned rank, const std::string &why);
  void failIfStuck();

  const Program &program;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Member> members;
  std::string error;
};

// What the member at `position` gets, given the operands of all members in the order of their positions; they have one
// shape, but for what is cut.
Tensor computeCollective(const CollectiveInfo &info, ArrayRef<::heddle::contract::Cut> cuts, ArrayRef<Tensor> operands,
                         unsigned position);

// The shape of what the first of `members` gets, by that of its operand.
SmallVector<int64_t> shapeOfResult(const CollectiveInfo &info, ArrayRef<::heddle::contract::Cut> cuts,
                                   ArrayRef<int64_t> operand, int64_t members);

// Why the operand of the member at `position` is not as the cuts say; "" where it is.
std::string explainOperand(const CollectiveInfo &info, ArrayRef<::heddle::contract::Cut> cuts,
                           ArrayRef<int64_t> operand, unsigned position, int64_t members);

} // namespace mlir::heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_RANKS_H
