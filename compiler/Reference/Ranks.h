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

  // Gives this rank's operand to a collective and waits for the other members. Returns "" with the result, or why there
  // is none.
  std::string meet(unsigned rank, unsigned collective, Tensor operand, Tensor &result);

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
// shape.
Tensor computeCollective(const CollectiveInfo &info, ArrayRef<Tensor> operands, unsigned position);

} // namespace mlir::heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_RANKS_H
