// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of one host program under one schedule.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_EXECUTION_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_EXECUTION_H

#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "compiler/Dialect/Host/IR/ElementBytes.h"
#include "compiler/Dialect/Host/IR/HostOps.h"
#include "compiler/Dialect/Host/Interpreter/Interpreter.h"
#include "compiler/Dialect/Host/Interpreter/Machine.h"

#include <variant>

namespace mlir::heddle::host {

// Integers are extended by their sign, i1 by zero.
using HostValue = std::variant<int64_t, BufferView, Machine::StreamId, std::shared_ptr<Event>>;
using BoundValues = std::map<std::string, HostValue>;

class Execution {
public:
  // `bound`: filled by @__bind, read by the other functions.
  Execution(FuncOp func, const RunOptions &options, Machine &machine, BoundValues &bound)
      : func(func), options(options), machine(machine), bound(bound),
        topology(flow::Topology::of(func->getParentOfType<ModuleOp>())) {}

  // Runs the program to the end of all its work. The outcome says what it gave, as printed.
  FailureOr<std::string> run(ArrayRef<ElementsAttr> inputs);

  int64_t getSlabBytes() const { return slabBytes; }
  size_t getAllocations() const { return allocations.size(); }

private:
  LogicalResult bindInputs(ArrayRef<ElementsAttr> inputs);
  LogicalResult finish(std::string &outcome);

  LogicalResult runBlock(Block &block);
  LogicalResult runOp(Operation *op);
  LogicalResult runMemory(Operation *op);
  LogicalResult runWork(Operation *op);
  LogicalResult runArith(Operation *op);
  LogicalResult runPlan(PlanOp op);
  LogicalResult runPack(PackOp op);
  LogicalResult runDispatch(DispatchOp op);
  LogicalResult runCopy(CopyOp op);
  LogicalResult runFill(FillOp op);
  LogicalResult runFree(FreeOp op);
  LogicalResult runRead(ReadOp op);
  LogicalResult runReturn(ReturnOp op);
  LogicalResult runRegion(mlir::Region &region, ValueRange results);
  LogicalResult runFor(scf::ForOp op);
  LogicalResult runWhile(scf::WhileOp op);
  // The device that a symbol, or the call's stream, turned out to be.
  std::string deviceNamed(StringRef symbol) const;
  std::string defaultDevice();
  Machine::StreamId callStream();
  LogicalResult checkReach(Operation *op, Value stream, const BufferView &view, bool writes);
  void enqueue(Operation *op, Value stream, SmallVector<BufferView> uses, Machine::Work work);
  FailureOr<BufferView> cut(Operation *op, const BufferView &from, int64_t offset, int64_t size);
  void assign(ValueRange targets, SmallVector<HostValue> values);
  SmallVector<HostValue> valuesOf(ValueRange values);

  int64_t integer(Value value) { return std::get<int64_t>(values.at(value)); }
  const BufferView &buffer(Value value) { return std::get<BufferView>(values.at(value)); }
  Machine::StreamId stream(Value value) { return std::get<Machine::StreamId>(values.at(value)); }
  const std::shared_ptr<Event> &event(Value value) { return std::get<std::shared_ptr<Event>>(values.at(value)); }

  FuncOp func;
  const RunOptions &options;
  Machine &machine;
  BoundValues &bound;
  flow::Topology topology;
  ElementBytes constants;
  struct Table {
    std::map<void *, HostValue> map;
    HostValue &operator[](Value value) { return map[value.getAsOpaquePointer()]; }
    HostValue &at(Value value) { return map.at(value.getAsOpaquePointer()); }
  } values;
  SmallVector<std::shared_ptr<Storage>> allocations;
  SmallVector<BufferView> results;
  SmallVector<SmallVector<int64_t>> shapes;
  std::string stopped; // what a failed host.check said
  int64_t slabBytes = 0;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_EXECUTION_H
