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
      build(pipeline, *target);
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
      build(entry->second, **target);
    if (failed(runPipeline(entry->second, program)))
      signalPassFailure();
  }

  void build(OpPassManager &pipeline, const Target &target) const {
    if (lower)
      target.buildPipeline(pipeline, {optLevel});
    if (emit)
      target.buildEmission(pipeline, {optLevel});
  }

  llvm::DenseMap<const Target *, OpPassManager> pipelines;
};

} // namespace
