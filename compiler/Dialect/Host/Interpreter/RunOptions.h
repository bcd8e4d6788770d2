// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the interpreter of host programs takes the machine to be, and which orders of work it tries.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_RUNOPTIONS_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_RUNOPTIONS_H

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <string>

namespace mlir::heddle::host {

struct RunOptions {
  uint64_t seed = 1;
  unsigned schedules = 16;                // orders of the streams' work to try for each call
  bool allOrders = false;                 // all of them instead; where there are too many, the run fails
  bool oneDevice = false;                 // whether all symbols are one device
  llvm::StringMap<std::string> fallbacks; // the device that a symbol turned out to be; else each is its own
  llvm::StringMap<int64_t> alternatives;  // what host.alternative answers, by device; else 0
  int64_t cores = 4;                      // what host.query "cores" answers
  int64_t streams = 2;                    // what host.query "streams" answers
  unsigned ranks = 0;                     // that run the program; 0: as many as its meshes need
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_RUNOPTIONS_H
