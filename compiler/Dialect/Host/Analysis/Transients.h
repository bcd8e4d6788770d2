// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much transient memory a call of a scheduled program needs, and which buffers that is: the slab of each device and
// what lies beside it, with sizes of free dimensions as they are expected. For reports and for the strategy behind
// `--max-transient`; the program decides nothing by it.
//
//   TransientMemory memory = measureTransients(func, getExpected(module), 64);
//   memory.bytes;                        // 100663296
//   memory.buffers.front().writers;      // the dispatches that write the first buffer
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_TRANSIENTS_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_TRANSIENTS_H

#include "compiler/Dialect/Host/IR/HostOps.h"

#include <optional>
#include <string>

namespace mlir::heddle::host {

// A place in a slab as long as it is one value's, or a buffer of its own.
struct TransientBuffer {
  Value buffer;                        // a view of the slab, or what host.alloc gives
  Attribute device;                    // a symbol
  uint64_t bytes = 0;                  // of all iterations' slots together, where a loop over streams uses it
  uint32_t first = 0, last = 0;        // ops of the function's block that touch it, by number; a loop is one op
  SmallVector<Operation *, 1> writers; // dispatches and copies
};

struct TransientMemory {
  uint64_t bytes = 0;        // at a time, on the device that needs most
  uint32_t numPositions = 0; // of the function's block
  SmallVector<TransientBuffer> buffers;
  SmallVector<std::string> guessed; // names of free dimensions that nothing is expected of, in the order of the symbols
  bool isPartial = false;           // buffers whose size only data or the device tell are not counted

  // Bytes that live at each position on the device.
  SmallVector<uint64_t> liveAt(Attribute device) const;
};

// `expected` may be null; a dimension that it does not name has `otherwise` positions.
TransientMemory measureTransients(FuncOp func, DictionaryAttr expected, int64_t otherwise);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_TRANSIENTS_H
