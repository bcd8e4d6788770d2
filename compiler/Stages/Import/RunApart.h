// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that may crash or never end, on bytes that nobody checked, in a process of its own: it can read what this
// process has in memory, write its output, and nothing else.
//
//   Apart apart = runApart({/*seconds=*/5, /*memory=*/1 << 30, /*output=*/1 << 28}, [&](raw_ostream &os) { … });
//   if (apart.end == Apart::End::Done) read(apart.output->getBuffer());
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_RUNAPART_H
#define HEDDLE_COMPILER_STAGES_IMPORT_RUNAPART_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <string>

namespace mlir::heddle {

struct ApartLimits {
  unsigned seconds = 5; // of processor time; twenty times as much may pass
  uint64_t memory = 0;  // bytes of address space on top of what this process has
  uint64_t output = 0;  // bytes
};

struct Apart {
  enum class End { Done, Crashed, TooLong, NotStarted };
  End end = End::NotStarted;
  std::string why;                            // of NotStarted: what the system says
  std::unique_ptr<llvm::MemoryBuffer> output; // of Done; what is behind its last byte is zero
};

// Runs `work` in a copy of this process and waits. The copy has no open file but its output, opens none, reaches no
// other process and no network, and prints nothing. Threads are not copied: `work` must not wait for any, and no other
// thread should be inside LLVM or MLIR, whose locks would stay taken (End::TooLong).
Apart runApart(const ApartLimits &limits, llvm::function_ref<void(llvm::raw_ostream &)> work);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_RUNAPART_H
