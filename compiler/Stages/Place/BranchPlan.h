// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which work of a program runs beside which other, on queues of one device: a function from plain data to plain data.
// docs/design/branches.md has the model and what was measured.
//
// A *region* is what lies between two tasks that every path of the dependences passes; its *branches* are what does not
// depend on one another in it. Each branch stays whole, in program order, on one queue. Where a region stays on one
// queue, regions inside of its branches are looked at.
//
// The model: a queue runs its tasks in order. As many queues as there are units are at work, the first ones first; they
// share the units evenly, but a task takes no more than its width. A task that begins on several units pays for that:
// handing it out and waiting for the last unit, and what it reads comes to each of them. Without shared units each
// queue has all it needs. Every further queue begins `handOverNs` late and ends the region `joinNs` later.
//
//   BranchPlan plan = planBranches(tasks, machine);
//   plan.queues[task]                              // 0: where it would be without
//   plan.regions                                   // what was looked at, and why it was chosen or not
#ifndef HEDDLE_COMPILER_STAGES_PLACE_BRANCHPLAN_H
#define HEDDLE_COMPILER_STAGES_PLACE_BRANCHPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::heddle {

// A piece of work, in program order. Inputs are earlier tasks.
struct BranchTask {
  uint64_t ns = 0;    // on one unit
  unsigned width = 1; // the units that it can keep busy
  uint64_t bytes = 0; // of what it makes, which lives until its last reader or, without one, to the end
  uint64_t readBytes = 0;
  bool isFixed = false;   // stays on queue 0, and so does the branch that it is in
  bool isUnknown = false; // only the call knows how long it takes
  bool isJoin = false;    // nothing runs: what reads it depends on all its inputs
  llvm::SmallVector<unsigned, 4> inputs = {};
};

struct BranchMachine {
  unsigned units = 0;       // that queues share; 0: each queue has what it needs
  bool mayHaveMore = false; // units: of numbers of queues that end at about the same time the highest is taken
  unsigned queues = 1;      // that may be used
  uint64_t launchNs = 0;    // of each task
  uint64_t spreadNs = 0;    // of each task that begins on several units
  double spreadGbps = 0;    // 10^9 bytes a second, at which such a task's operands come to a further unit; 0: no matter
  uint64_t handOverNs = 0;  // until another queue begins
  uint64_t joinNs = 0;      // of each further queue
  uint64_t queuedNs = 0;    // of every task, once there are several queues
};

// What a choice must gain, and may cost.
struct BranchLimits {
  uint64_t leastNs = 0;
  double leastOfAll = 0;                   // of the time of all tasks, by all regions together
  double leastGain = 0.06;                 // of the region's time
  double mostMemory = 0.25;                // more at a time, of the most that the tasks hold without
  uint64_t freeMemory = uint64_t{1} << 20; // so many bytes more are always allowed
};

enum class BranchVerdict {
  Chosen,
  NoGain,  // the work fills the units as it is, or is less than handing it over costs
  Little,  // all regions together gain too little of the whole
  Memory,  // the branches would hold too much at a time
  Fixed,   // each branch has a task that stays on queue 0
  Unknown, // only the call knows the sizes
};

struct BranchRegion {
  std::vector<std::vector<unsigned>> branches; // tasks, in program order
  BranchVerdict verdict = BranchVerdict::NoGain;
  unsigned queues = 1;                 // used by the best choice that was found
  uint64_t serialNs = 0, besideNs = 0; // on one queue, and with the choice
};

struct BranchPlan {
  std::vector<unsigned> queues; // of each task
  std::vector<BranchRegion> regions;
};

// Deterministic and near linear in tasks and inputs; without branches nothing but the dependences is looked at.
BranchPlan planBranches(llvm::ArrayRef<BranchTask> tasks, const BranchMachine &machine,
                        const BranchLimits &limits = {});

// When the last of some queues is done, which all begin at 0. `queues[0]` is the one that hands over and joins; tasks
// do not depend on those of other queues.
uint64_t simulateQueues(llvm::ArrayRef<BranchTask> tasks, llvm::ArrayRef<std::vector<unsigned>> queues,
                        const BranchMachine &machine);

// Regions of the tasks `among`, in program order: branches of two and more.
std::vector<BranchRegion> findRegions(llvm::ArrayRef<BranchTask> tasks, llvm::ArrayRef<unsigned> among);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PLACE_BRANCHPLAN_H
