#include "compiler/Stages/Encode/Passes.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYEARLY
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyEarly : heddle::impl::VerifyEarlyBase<VerifyEarly> {
  void runOnOperation() override {
    llvm::SetVector<device::ExecutableAttr> targets;
    for (auto device : getOperation().getOps<device::GlobalOp>())
      targets.insert_range(device.getTarget().getExecutables());
    if (targets.size() <= 1)
      return;
    InFlightDiagnostic error = getOperation().emitError()
                               << "early data tiling lays operands out for one executable target, got "
                               << targets.size() << " (";
    llvm::interleaveComma(targets, error, [&](device::ExecutableAttr target) { error << target.getCpu().getValue(); });
    error << "): compile for one of them with --target-cpu, or leave out --strategy=early-data-tiling";
    signalPassFailure();
  }
};

} // namespace
