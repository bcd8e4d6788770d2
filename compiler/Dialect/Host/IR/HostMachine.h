// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What host ops run on. A machine has the values of one run, memory, streams, and answers about devices; an op's step
// (HostTable.cpp) reads its operands from it, does what it does through it and sets its results.
//
// Who walks from op to op, and so decides which branch is taken, is Analysis/Walker.h. Machines:
// Interpreter/Execution.h (real bytes, orders chosen by a seed) and what `heddle check` derives from it.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTMACHINE_H
#define HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTMACHINE_H

#include "compiler/Dialect/Host/IR/HostOps.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace mlir::heddle::host {

struct Storage {
  std::span<std::byte> bytes;
  std::string device; // whose memory it is
  bool freed = false;
  std::vector<std::byte> own;  // where `bytes` lie, or
  std::shared_ptr<void> owner; // what keeps them alive; neither: they outlive the machine
};

// Bytes of a storage: `size` of them in `count` runs, whose begins are `stride` bytes apart. Null storage: no buffer.
struct BufferView {
  std::shared_ptr<Storage> storage;
  int64_t offset = 0;
  int64_t size = 0;
  int64_t count = 1;
  int64_t stride = 0;

  bool isOneRun() const { return count == 1; }
  // Of one run.
  std::span<std::byte> bytes() const { return storage->bytes.subspan(offset, size); }
  std::span<std::byte> run(int64_t i) const {
    return storage->bytes.subspan(offset + i * stride, count ? size / count : 0);
  }
  // The bytes of all runs, one after the other; and back.
  std::vector<std::byte> gather() const;
  void scatter(std::span<const std::byte> bytes) const;
  // Both of one run.
  bool overlaps(const BufferView &other) const {
    return storage == other.storage && offset < other.offset + other.size && other.offset < offset + size;
  }
};

struct Event {
  bool done = false;
};

using StreamId = unsigned;
// Integers are extended by their sign, i1 by zero.
using HostValue = std::variant<int64_t, BufferView, StreamId, std::shared_ptr<Event>>;

class HostMachine {
public:
  virtual ~HostMachine() = default;

  // The op did what no program may do, and the run ends. Failure.
  virtual LogicalResult fail(Operation *op, const Twine &text) = 0;

  // Values. What is read was set.
  void set(Value name, HostValue value) { values[name.getAsOpaquePointer()] = std::move(value); }
  const HostValue &get(Value name) const { return values.at(name.getAsOpaquePointer()); }
  int64_t integer(Value name) const { return std::get<int64_t>(get(name)); }
  const BufferView &buffer(Value name) const { return std::get<BufferView>(get(name)); }
  StreamId stream(Value name) const { return std::get<StreamId>(get(name)); }
  const std::shared_ptr<Event> &event(Value name) const { return std::get<std::shared_ptr<Event>>(get(name)); }
  SmallVector<HostValue> valuesOf(ValueRange names) const {
    return llvm::map_to_vector(names, [&](Value name) { return get(name); });
  }
  // All at once: `to` may be among `from`.
  void assign(ValueRange to, ValueRange from) {
    for (auto [name, value] : llvm::zip_equal(to, valuesOf(from)))
      set(name, value);
  }

  // Memory. Sizes are checked; a device is its symbol.
  enum class Memory { Owned, Slab, Kept };
  virtual FailureOr<BufferView> allocate(Operation *op, Memory memory, FlatSymbolRefAttr device, int64_t bytes) = 0;
  virtual LogicalResult release(Operation *op, Value stream, Value buffer) = 0;
  // The bytes of a flow.parameter in rows, in the memory of a device.
  virtual FailureOr<BufferView> parameter(Operation *op, FlatSymbolRefAttr name, FlatSymbolRefAttr device) = 0;
  // Bytes [offset, offset + size) of a buffer.
  FailureOr<BufferView> cut(Operation *op, Value buffer, int64_t offset, int64_t size);
  // Whether work on a stream may use the memory.
  virtual LogicalResult checkReach(Operation *op, Value stream, const BufferView &view, bool writes) = 0;

  // Work: an item of a stream's queue. It says what is wrong, or "".
  using Work = std::function<std::string()>;
  virtual LogicalResult issue(Operation *op, Value stream, SmallVector<BufferView> uses, Work work) = 0;
  virtual LogicalResult dispatch(DispatchOp op) = 0;
  // The i-th extra stream of a device.
  virtual StreamId extraStream(FlatSymbolRefAttr device, unsigned index) = 0;
  virtual std::shared_ptr<Event> record(StreamId stream) = 0;
  virtual void wait(StreamId stream, std::shared_ptr<Event> event) = 0;
  // The host waits.
  virtual LogicalResult await(Operation *op, const Event &event) = 0;

  // Answers about devices.
  virtual int64_t alternativeOf(Operation *op, FlatSymbolRefAttr device) = 0;
  virtual int64_t coresOf(FlatSymbolRefAttr device) = 0;
  virtual int64_t streamsOf(FlatSymbolRefAttr device) = 0;
  virtual int64_t workgroupsOf(FlatSymbolRefAttr device) = 0; // that a core works on at the same time
  virtual bool isSame(FlatSymbolRefAttr lhs, FlatSymbolRefAttr rhs) = 0;

  // This rank's place: a coordinate along an axis, an axis' size, by the mesh and the axis' place in it.
  virtual FailureOr<int64_t> coordinateOf(Operation *op, device::MeshOp mesh, unsigned axis) = 0;
  virtual FailureOr<int64_t> meshSizeOf(Operation *op, device::MeshOp mesh, unsigned axis) = 0;
  virtual FailureOr<int64_t> isMember(Operation *op, device::MeshOp mesh) = 0;
  virtual StreamId commStream() = 0;
  virtual LogicalResult collective(CollectiveOp op) = 0;

  // What @__bind leaves for calls.
  virtual void bind(StringRef name, HostValue value) = 0;
  virtual FailureOr<HostValue> bound(Operation *op, StringRef name) = 0;

  // The run's end: what it gives, or what a failed host.check says (failure).
  virtual LogicalResult give(ReturnOp op) = 0;
  virtual LogicalResult stop(CheckOp op) = 0;

private:
  std::map<void *, HostValue> values; // references stay valid
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_IR_HOSTMACHINE_H
