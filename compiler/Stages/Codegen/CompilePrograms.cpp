// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Target/TargetRegistry.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_COMPILEPROGRAMS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// A clone for each thread, each with pipelines of its own: they are initialised once, not once for each program.
struct CompilePrograms : mlir::heddle::impl::CompileProgramsBase<CompilePrograms> {
  using CompileProgramsBase::CompileProgramsBase;
  CompilePrograms(const CompilePrograms &other) : CompileProgramsBase(other) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    for (const Target *target : getTargets()) {
      OpPassManager pipeline(kernel::ProgramOp::getOperationName());
      target->buildPipeline(pipeline, {optLevel});
      pipeline.getDependentDialects(registry);
    }
  }

  void runOnOperation() override {
    kernel::ProgramOp program = getOperation();
    FailureOr<const Target *> target = getTarget(program, program.getTarget());
    if (failed(target))
      return signalPassFailure();
    auto [entry, isNew] = pipelines.try_emplace(*target, kernel::ProgramOp::getOperationName());
    if (isNew)
      (*target)->buildPipeline(entry->second, {optLevel});
    if (failed(runPipeline(entry->second, program)))
      signalPassFailure();
  }

  llvm::DenseMap<const Target *, OpPassManager> pipelines;
};

} // namespace
