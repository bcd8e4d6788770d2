// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of one host program under one schedule: kernels are fakes, devices what the options say.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_FAKEMACHINE_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_FAKEMACHINE_H

#include "compiler/Dialect/Host/IR/ElementBytes.h"
#include "compiler/Dialect/Host/Interpreter/ByteMachine.h"
#include "compiler/Dialect/Host/Interpreter/RunOptions.h"

namespace mlir::heddle::host {

class FakeMachine : public ByteMachine {
public:
  FakeMachine(FuncOp func, const RunOptions &options, Session &session)
      : ByteMachine(func, session), options(options) {}

  // Runs the program to the end of all its work. The outcome says what it gave, as printed.
  FailureOr<std::string> run(ArrayRef<ElementsAttr> inputs);

  LogicalResult dispatch(DispatchOp op) override;
  FailureOr<BufferView> parameter(Operation *op, FlatSymbolRefAttr name, FlatSymbolRefAttr device) override;
  int64_t alternativeOf(Operation *, FlatSymbolRefAttr device) override {
    return options.alternatives.lookup(device.getValue());
  }
  int64_t coresOf(FlatSymbolRefAttr) override { return options.cores; }
  int64_t streamsOf(FlatSymbolRefAttr) override { return options.streams; }
  int64_t workgroupsOf(FlatSymbolRefAttr) override { return options.cores; }

private:
  std::string deviceNamed(StringRef symbol) const override;
  FailureOr<std::shared_ptr<Storage>> storageOf(Operation *op, ElementsAttr value, StringRef device);
  LogicalResult bindInputs(ArrayRef<ElementsAttr> inputs);
  std::string describeResults();

  const RunOptions &options;
  ElementBytes constants;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_FAKEMACHINE_H
