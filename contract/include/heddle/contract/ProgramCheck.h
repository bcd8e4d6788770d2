// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the host program of an artifact again, from its instructions alone (docs/design/certificate.md): no compiler,
// no devices, no kernels. Each case is run with buffers that hold what they are computed from in place of bytes, and
// with clocks in place of streams, so one run speaks for every order in which streams and ranks may work.
//
// What is refused: work on the same bytes that nothing orders; reads of what nobody wrote, or of what another buffer of
// the slab wrote over; uses after a free, allocations that are not freed once; bindings that overlap without a promise;
// events that nothing was recorded to; a call that ends before its work; collectives that ranks do not meet in, on
// other streams than their own, or longer than their buffers.
//
//   ProgramReport report = checkProgram(*view.module, {{{"batch", 4}}, {{"x", 2}}});
//   if (!report.wrong.empty()) …    // "main: batch = 4, x = 2: rank 1: instruction 120 (dispatch 'f', m.onnx:3) reads
//   …"
//
// Needs an artifact that verifyArtifact() accepted. Pure; any thread.
#ifndef HEDDLE_CONTRACT_PROGRAMCHECK_H
#define HEDDLE_CONTRACT_PROGRAMCHECK_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::fb {
struct Module;
}

namespace heddle::contract {

// Sizes of named dimensions and of free axes; what is not given is tried with several.
struct CheckRequest {
  std::map<std::string, int64_t> dims, axes;
};

// What was found of one entry point.
struct CheckedEntry {
  std::string name;
  uint64_t cases = 0;              // that ran to their ends
  uint64_t refused = 0;            // that the program, or the loader, refuses by itself
  bool isWhole = false;            // these are all cases that there are
  bool toldByData = false;         // data decide: tried with some values of theirs
  std::vector<uint64_t> dataflows; // by case, of those that are always tried; 0 where it was refused
  std::string sizes;               // what was tried: "batch 0, 1, 3; x 2, 3"; "" without free sizes
};

struct ProgramReport {
  std::vector<CheckedEntry> entries;
  std::string wrong;   // the first thing that does not hold; "" where all does
  std::string request; // why the request cannot be met; "" where it can
};

ProgramReport checkProgram(const fb::Module &module, const CheckRequest &request);

// What the results of a function are computed from, in the cases that a hundred milliseconds suffice for: the same for
// programs that run the same kernels on the same bytes, whatever their streams and places. 0: it takes none of them.
uint64_t dataflowOf(const fb::Module &module, uint32_t function);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_PROGRAMCHECK_H
