// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a row of the table of host ops (HostInterfaces.td) is made of: plain data about one op.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTROW_H
#define HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTROW_H

#include "heddle/contract/Instructions.h"

#include "mlir/IR/Value.h"

namespace mlir::heddle::host {

class HostEncoder;
class HostMachine;

// Bytes of a buffer that an op touches.
struct HostAccess {
  enum class Extent {
    Buffer, // all of what the value names
    Range,  // [offset, offset + size), or [offset, offset + bytes) where `size` is null
    Root    // all of the allocation
  };
  Value buffer;
  bool reads = false, writes = false;
  Extent extent = Extent::Buffer;
  Value offset = {}, size = {};
  int64_t bytes = 0;
  bool ends = false; // the buffer's life ends here; counts as a write
};

// `point`, a stream or an event, comes after what one of `before` comes after. Null: the host waits for them.
struct HostOrder {
  SmallVector<Value, 2> before;
  Value point;
};

enum class StorageKind {
  None,    // no memory of its own: a view, a choice, no buffer at all
  Owned,   // new, and the program's: it ends once
  Shared,  // the caller, or the call before, may still use it when the program starts; never ended
  ReadOnly // never written, never ended
};

// Ordered: what depends on several values is known when the latest is.
enum class BindingTime { Compile, Bind, Call, Data };

// Defaults of the interface.
Value firstStream(Operation *op);
LogicalResult encodePlain(Operation *op, ::heddle::contract::Opcode opcode, HostEncoder &encoder);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTROW_H
