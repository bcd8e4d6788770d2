// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--place=auto` as a function from plain data to plain data: which device each unpinned piece of work runs on, so that
// the whole takes the least time under a model of the devices.
//
// The model, in the order of the program (docs/design/placement.md): a device is one in-order stream. Work waits for
// its inputs and takes launch + max(flops / rate, bytes / memory bandwidth). A value goes to each other device that
// reads it once, also in several layouts (as what they are layouts of): a copy on the stream of its destination that
// takes latency + bytes / bandwidth. So do arguments and results between the host and their device, where the topology
// states such a link. Streams take their work in the order of stage `schedule` (OrderIssue.cpp).
// A device holds the parameters its work reads and the values alive at a time; more than its memory does not fit.
//
//   std::optional<CostDecision> decision = assignByCost(problem, topology);   // none: it fits nowhere
#ifndef HEDDLE_COMPILER_STAGES_PLACE_COSTMODEL_H
#define HEDDLE_COMPILER_STAGES_PLACE_COSTMODEL_H

#include "compiler/Dialect/Flow/Analysis/Topology.h"

#include "llvm/ADT/SmallVector.h"

namespace mlir::heddle {

// A value and what makes it, in program order.
struct CostTask {
  enum Kind {
    Work,    // a dispatch
    Follows, // a view, or what control flow hands on: on the device of its first input, no time
    Source,  // an argument: on the device of its first reader; the time of the link from the host
    Sink,    // a result of the program: the time of the link to the host
  };
  Kind kind = Work;
  uint64_t flops = 0, bytes = 0;             // computed, and read and written, each time
  uint64_t valueBytes = 0;                   // of what it gives
  uint64_t runs = 1;                         // how often, as a guess
  std::optional<unsigned> fixed;             // its device, where that is decided
  std::optional<unsigned> layoutOf;          // the earlier task whose value this is in another layout
  llvm::SmallVector<unsigned, 4> inputs;     // earlier tasks whose values it reads
  llvm::SmallVector<unsigned, 2> parameters; // indices of CostProblem::parameters
};

struct CostProblem {
  std::vector<CostTask> tasks;
  std::vector<uint64_t> parameters; // bytes
};

struct CostEstimate {
  uint64_t ns = 0; // from the start to the end of all work
  unsigned transfers = 0;
  uint64_t transferBytes = 0;
  std::vector<uint64_t> memory; // by device
  bool fits = true;
};

struct CostDecision {
  std::vector<unsigned> devices; // of each task
  CostEstimate estimate;
  // All unpinned work on one device, the best that fits.
  std::optional<unsigned> single;
  CostEstimate singleEstimate;
};

// Nanoseconds of one run of a task on a device.
uint64_t workNs(const CostTask &task, const flow::DeviceModel &device);

// What an assignment costs; `devices` holds one for each Work, the others are filled in.
CostEstimate estimateCost(const CostProblem &problem, const flow::Topology &topology, std::vector<unsigned> &devices);

// Candidates are: one device for all, each piece where it ends first, prefixes of the program on one device and the
// rest on another, devices filled in order up to their memory; the best is improved at the places where the program
// changes device. Deterministic; ties go to the fewest transfers, then to the devices declared first. None when no
// candidate fits.
std::optional<CostDecision> assignByCost(const CostProblem &problem, const flow::Topology &topology);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PLACE_COSTMODEL_H
