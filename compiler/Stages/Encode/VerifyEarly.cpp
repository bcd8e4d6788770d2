// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Passes.h"

#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Target/TargetRegistry.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYEARLY
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyEarly : mlir::heddle::impl::VerifyEarlyBase<VerifyEarly> {
  void runOnOperation() override {
    device::DeviceQuery query(getOperation());
    ArrayRef<device::ExecutableAttr> targets = query.getAllTargets();
    if (targets.size() <= 1)
      return;
    InFlightDiagnostic error = getOperation().emitError()
                               << "early data tiling lays operands out for one executable target, got "
                               << targets.size() << " (";
    llvm::interleaveComma(targets, error, [&](device::ExecutableAttr target) {
      const Target *kind = findTarget(target.getFormat().getValue());
      error << (kind ? kind->spell(target) : target.getFormat().str());
    });
    error << "): compile for one of them with --target-cpu, or leave out --strategy=early-data-tiling";
    signalPassFailure();
  }
};

} // namespace
