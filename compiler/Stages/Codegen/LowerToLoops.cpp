// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/KernelEmitter.h"
#include "compiler/Codegen/Plan/TileAttribute.h"
#include "compiler/Dialect/Encoding/IR/OperandLayouts.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/SharedCode.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_LOWERTOLOOPS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct LowerToLoops : mlir::heddle::impl::LowerToLoopsBase<LowerToLoops> {
  void runOnOperation() override {
    kernel::ProgramOp program = getOperation();
    auto source = program.lookupSymbol<func::FuncOp>("kernel");
    FailureOr<cpu::CpuFeatures> features = cpu::getFeatures(program, program.getTarget());
    FailureOr<codegen::ContractionOverride> tile = codegen::readTileAttribute(program);
    if (failed(features) || failed(tile) || failed(encoding::verifyOperandLayouts(program)))
      return signalPassFailure();
    codegen::KernelReport report;
    if (failed(codegen::emitKernel(source, *features, *tile, report)))
      return signalPassFailure();
    source.erase();
    program.lookupSymbol<func::FuncOp>("kernel_loops").setName("kernel");
    program->setDiscardableAttr("kernel.strategy", StringAttr::get(&getContext(), StringRef(report.nests).rtrim()));
    if (report.unrolled != codegen::Unrolled::Nothing)
      program->setDiscardableAttr(codegen::kUnrolledAttr,
                                  Builder(&getContext()).getI32IntegerAttr(static_cast<int32_t>(report.unrolled)));
  }
};

} // namespace
