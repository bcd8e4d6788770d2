// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/GPU/GpuKernelEmitter.h"
#include "compiler/Dialect/Flow/IR/Overwrites.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/Targets.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_LOWERTOINVOCATIONS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct LowerToInvocations : mlir::heddle::impl::LowerToInvocationsBase<LowerToInvocations> {
  void runOnOperation() override {
    kernel::ProgramOp program = getOperation();
    auto source = program.lookupSymbol<func::FuncOp>("kernel");
    if (!source)
      return;
    if (!flow::getOverwrites(program).empty()) {
      program.emitError() << "is to write a result over an operand, which no kernel of a GPU does";
      return signalPassFailure();
    }
    gpu::GpuFeatures features = gpu::getFeatures(program.getTarget());
    if (program->hasAttr(codegen::kRefinementAttr) && !codegen::usesBlocks(source, features)) {
      source.erase();
      return;
    }
    std::string report;
    if (failed(codegen::emitGpuKernel(source, features, &report)))
      return signalPassFailure();
    source.erase();
    program.lookupSymbol<func::FuncOp>("kernel_invocation").setName("kernel");
    program->setDiscardableAttr("kernel.strategy", StringAttr::get(&getContext(), StringRef(report).rtrim()));
    if (failed(checkShared(program, features)))
      signalPassFailure();
  }

  static LogicalResult checkShared(kernel::ProgramOp program, const gpu::GpuFeatures &features) {
    int64_t bytes = 0;
    program.walk([&](kernel::SharedOp op) { bytes += *tensorBytes(op.getType()); });
    if (bytes > features.sharedBytes)
      return program.emitError() << "needs " << bytes << " bytes of shared memory, the device has "
                                 << features.sharedBytes;
    return success();
  }
};

} // namespace
