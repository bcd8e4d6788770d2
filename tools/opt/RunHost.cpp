// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/opt/RunHost.h"

#include "compiler/Dialect/Host/Interpreter/Interpreter.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {

struct RunHost : PassWrapper<RunHost, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RunHost)

  RunHost() = default;
  RunHost(const RunHost &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "run-host"; }
  StringRef getDescription() const override { return "Runs host programs on the calls in their host.inputs"; }

  void runOnOperation() override {
    mlir::heddle::host::RunOptions options;
    options.seed = seed;
    options.schedules = schedules;
    options.allOrders = allOrders;
    options.oneDevice = oneDevice;
    options.cores = cores;
    options.streams = streams;
    options.ranks = ranks;
    for (const std::string &choice : fallbacks) {
      auto [symbol, device] = StringRef(choice).split(':');
      if (symbol.empty() || device.empty()) {
        getOperation().emitError() << "run-host takes fallbacks=SYMBOL:DEVICE, got " << choice;
        return signalPassFailure();
      }
      options.fallbacks[symbol] = device.str();
    }
    for (const std::string &choice : alternatives) {
      auto [device, index] = StringRef(choice).split(':');
      int64_t number = 0;
      if (index.getAsInteger(10, number)) {
        getOperation().emitError() << "run-host takes alternatives=DEVICE:INDEX, got " << choice;
        return signalPassFailure();
      }
      options.alternatives[device] = number;
    }
    if (failed(mlir::heddle::host::runPrograms(getOperation(), options, llvm::outs())))
      signalPassFailure();
  }

  Option<uint64_t> seed{*this, "seed", llvm::cl::desc("of the first schedule"), llvm::cl::init(1)};
  Option<unsigned> schedules{*this, "schedules", llvm::cl::desc("orders to try for each call"), llvm::cl::init(16)};
  Option<bool> allOrders{*this, "all-orders", llvm::cl::desc("tries every order"), llvm::cl::init(false)};
  Option<bool> oneDevice{*this, "one-device", llvm::cl::desc("all symbols are one device"), llvm::cl::init(false)};
  Option<int64_t> cores{*this, "cores", llvm::cl::desc("what host.query \"cores\" answers"), llvm::cl::init(4)};
  Option<int64_t> streams{*this, "streams", llvm::cl::desc("what host.query \"streams\" answers"), llvm::cl::init(2)};
  Option<unsigned> ranks{*this, "ranks", llvm::cl::desc("that run the program; 0: as many as its meshes need"),
                         llvm::cl::init(0)};
  ListOption<std::string> fallbacks{*this, "fallbacks",
                                    llvm::cl::desc("SYMBOL:DEVICE: what a symbol turned out to be")};
  ListOption<std::string> alternatives{*this, "alternatives", llvm::cl::desc("DEVICE:INDEX: what a device became")};
};

} // namespace

void mlir::heddle::registerRunHost() { PassRegistration<RunHost>(); }
