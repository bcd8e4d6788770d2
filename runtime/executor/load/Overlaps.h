// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In how many pieces collectives are moved, where the program leaves that to the load (docs/design/overlap.md): by the
// account of contract/OverlapTime.h and what the links between ranks take. Of each kind of group that such a collective
// meets in, the slowest group's figures on the slowest rank, so that all ranks choose alike. They are
//
// 1. those of HEDDLE_LINK in the environment of all ranks, "gbps=1.5,us=20": 10^9 bytes a second, delay of a step;
// 2. else those that all ranks' devices state (LinkLimits.h), as simulated ones do;
// 3. else, of devices with memory of their own, those that the compiler was told;
// 4. else measured through the host: all_gather of a byte and of 64 KiB to 8 MiB, the least of some runs each, and
// which
//    share of a core the thread had meanwhile. So much of the work stands still, as far as the ranks that share the
//    device's cores are as many as these. Pieces must win 5 % then.
//
//   StatusOr<std::vector<ChosenPieces>> chosen = choosePieces(module, ranks, devices); // collective; ranks are
//   connected
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_OVERLAPS_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_OVERLAPS_H

#include "runtime/executor/load/Ranks.h"

namespace heddle {

struct ChosenPieces {
  int64_t pieces = 1, positions = 1;
  std::string text; // "all_reduce of tensor<8x4xf32>: in 4 pieces, 120 ns; whole 200 ns; 2 ranks, 1 GB/s and 20 us …"
};

// One for each of the module's overlaps, of which most have none: then nothing is done. InvalidArgument for a
// HEDDLE_LINK that is none.
StatusOr<std::vector<ChosenPieces>> choosePieces(const fb::Module &module, Ranks &ranks,
                                                 std::span<const DeviceSlot> devices);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_OVERLAPS_H
