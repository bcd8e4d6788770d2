// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine with real bytes: buffers are memory of the host, streams are Queues. Of one run of one function; what
// kernels, parameters and devices are is left to who derives from it.
//
// Every device has its own memory: work on a stream touches only that of its device, and reads what the module's
// topology lets it; a copy reads any. Fresh memory and freed memory hold a byte each, so that reading them shows.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_BYTEMACHINE_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_BYTEMACHINE_H

#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "compiler/Dialect/Host/Interpreter/Queues.h"
#include "compiler/Dialect/Host/Interpreter/World.h"

namespace mlir::heddle::host {

// What the runs of a module's functions share: @__bind and then calls. The slab keeps its bytes between calls, as the
// runtime's does. Of a rank of a world, or of the only rank there is.
struct Session {
  explicit Session(std::optional<uint64_t> seed) : queues(seed) {}
  explicit Session(OrderScript &script) : queues(script) {}
  void join(World &ranks, unsigned asRank) {
    world = &ranks;
    rank = asRank;
    queues.setIdle([&ranks] { return ranks.waitForOthers(); });
  }
  // A buffer of fresh memory.
  std::shared_ptr<Storage> allocate(StringRef device, int64_t bytes) const;

  Queues queues;
  std::map<std::string, HostValue> bound;
  llvm::StringMap<std::shared_ptr<Storage>> slabs; // by device symbol
  std::byte fresh{0xCD}, freed{0xDD};
  World *world = nullptr;
  unsigned rank = 0;
};

class ByteMachine : public HostMachine {
public:
  ByteMachine(FuncOp func, Session &session);

  int64_t getSlabBytes() const { return slabBytes; }
  size_t getAllocations() const { return allocations.size(); }

  // HostMachine.
  LogicalResult fail(Operation *op, const Twine &text) override {
    return session.world && session.world->isEnding() ? failure() : op->emitOpError() << text;
  }
  FailureOr<BufferView> allocate(Operation *op, Memory memory, FlatSymbolRefAttr device, int64_t bytes) override;
  LogicalResult release(Operation *op, Value stream, Value buffer) override;
  LogicalResult checkReach(Operation *op, Value stream, const BufferView &view, bool writes) override;
  LogicalResult issue(Operation *op, Value stream, SmallVector<BufferView> uses, Work work) override;
  StreamId extraStream(FlatSymbolRefAttr device, unsigned index) override;
  std::shared_ptr<Event> record(StreamId stream) override { return session.queues.record(stream); }
  void wait(StreamId stream, std::shared_ptr<Event> event) override { session.queues.wait(stream, std::move(event)); }
  LogicalResult await(Operation *op, const Event &event) override;
  bool isSame(FlatSymbolRefAttr lhs, FlatSymbolRefAttr rhs) override {
    return deviceNamed(lhs.getValue()) == deviceNamed(rhs.getValue());
  }
  FailureOr<int64_t> coordinateOf(Operation *op, device::MeshOp mesh, unsigned axis) override;
  FailureOr<int64_t> meshSizeOf(Operation *op, device::MeshOp mesh, unsigned axis) override;
  FailureOr<int64_t> isMember(Operation *op, device::MeshOp mesh) override;
  StreamId commStream() override { return session.queues.stream("collectives", defaultDevice()); }
  LogicalResult collective(CollectiveOp op) override;
  void bind(StringRef name, HostValue value) override;
  FailureOr<HostValue> bound(Operation *op, StringRef name) override;
  LogicalResult give(ReturnOp op) override;
  LogicalResult stop(CheckOp op) override;

protected:
  // The device that a symbol turned out to be.
  virtual std::string deviceNamed(StringRef symbol) const { return symbol.str(); }
  std::string defaultDevice() const;

  // An argument's buffer and the shape of its value.
  struct Argument {
    std::shared_ptr<Storage> storage;
    SmallVector<int64_t> shape;
  };
  std::string deviceOfArgument(unsigned index);
  // Sets the values that the function begins with.
  LogicalResult bindArguments(ArrayRef<Argument> arguments);
  // The results are there when the call's stream is done.
  LogicalResult awaitResults();
  // Runs what other streams still do, which is too late. Nothing may be left or leaked.
  LogicalResult settle();

  FuncOp func;
  Session &session;
  SmallVector<BufferView> results;
  SmallVector<SmallVector<int64_t>> shapes; // of the results
  std::string stopped;                      // what a failed host.check said

private:
  // Free sizes of a mesh take what the world leaves.
  FailureOr<SmallVector<int64_t>> sizesOf(Operation *op, device::MeshOp mesh);
  // Of a collective of so many members. Fails where there are none such.
  FailureOr<std::vector<::heddle::contract::Cut>> cutsOf(CollectiveOp op, int64_t members);
  std::optional<int64_t> rankIn(device::MeshOp mesh, ArrayRef<int64_t> sizes);
  // What went wrong before nothing could go on any more.
  std::string whyStuck(StringRef otherwise) const {
    return session.queues.failure().empty() ? otherwise.str() : session.queues.failure();
  }
  StreamId callStream() { return session.queues.stream("call", defaultDevice()); }

  flow::Topology topology;
  SmallVector<std::shared_ptr<Storage>> allocations;
  int64_t slabBytes = 0;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_BYTEMACHINE_H
