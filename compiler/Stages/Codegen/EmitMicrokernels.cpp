// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Link/ObjectCache.h"
#include "compiler/Stages/Codegen/MicrokernelBuilder.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/SharedCode.h"
#include "compiler/Target/CPU/CpuFeatures.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_EMITMICROKERNELS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// A function for one target, and the first program that calls it.
struct Microkernel {
  kernel::ProgramOp program;
  codegen::MicrokernelForm form;
  ElementsAttr object;
};

// Machines that no thread uses, by target. One takes longer to make than a small kernel's code.
class IdleMachines {
public:
  using Machine = std::unique_ptr<llvm::TargetMachine>;

  FailureOr<Machine> take(kernel::ProgramOp program) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (SmallVector<Machine> &machines = idle[program.getTarget()]; !machines.empty())
        return machines.pop_back_val();
    }
    return cpu::createTargetMachine(program, program.getTarget());
  }

  void giveBack(kernel::ProgramOp program, Machine machine) {
    std::lock_guard<std::mutex> lock(mutex);
    idle[program.getTarget()].push_back(std::move(machine));
  }

private:
  std::mutex mutex;
  llvm::DenseMap<device::ExecutableAttr, SmallVector<Machine>> idle;
};

struct EmitMicrokernels : mlir::heddle::impl::EmitMicrokernelsBase<EmitMicrokernels> {
  using EmitMicrokernelsBase::EmitMicrokernelsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    llvm::MapVector<std::pair<Attribute, Attribute>, Microkernel> microkernels;
    SmallVector<std::pair<kernel::ProgramOp, SmallVector<std::pair<Attribute, Attribute>>>> callers;
    for (auto program : getOperation().getOps<kernel::ProgramOp>()) {
      SmallVector<std::pair<Attribute, Attribute>> called;
      for (auto function : program.getOps<LLVM::LLVMFuncOp>())
        if (auto form = codegen::MicrokernelForm::get(function)) {
          called.emplace_back(program.getTarget(), form->asAttribute());
          microkernels.try_emplace(called.back(), Microkernel{program, *form, nullptr});
        }
      if (!called.empty())
        callers.emplace_back(program, std::move(called));
    }
    IdleMachines machines;
    auto emit = [&](auto &entry) { return compile(entry.second, machines); };
    if (failed(failableParallelForEach(&getContext(), microkernels, emit)))
      return signalPassFailure();
    for (auto &[program, called] : callers) {
      auto objects = llvm::map_to_vector(
          called, [&](const auto &key) -> Attribute { return microkernels.find(key)->second.object; });
      program->setAttr(codegen::kMicrokernelsAttr, ArrayAttr::get(&getContext(), objects));
      eraseEpilogues(program);
    }
  }

  // They are part of what is called.
  static void eraseEpilogues(kernel::ProgramOp program) {
    SmallVector<LLVM::LLVMFuncOp> epilogues;
    for (auto function : program.getOps<LLVM::LLVMFuncOp>())
      if (auto form = codegen::MicrokernelForm::get(function); form && form->epilogue)
        if (auto epilogue = program.lookupSymbol<LLVM::LLVMFuncOp>(form->epilogue.getValue());
            epilogue && !llvm::is_contained(epilogues, epilogue))
          epilogues.push_back(epilogue);
    for (LLVM::LLVMFuncOp epilogue : epilogues)
      epilogue.erase();
  }

  LogicalResult compile(Microkernel &microkernel, IdleMachines &machines) const {
    kernel::ProgramOp program = microkernel.program;
    auto machine = machines.take(program);
    if (failed(machine))
      return failure();
    OwningOpRef<ModuleOp> module = codegen::buildMicrokernel(program, microkernel.form);
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(*module, context, "microkernel");
    if (!llvmModule)
      return program.emitError("calls a function that cannot be translated to LLVM IR");
    auto object = codegen::ObjectCache::of(program).compile(*llvmModule, **machine, optLevel, codegen::Unrolled::Short);
    machines.giveBack(program, std::move(*machine));
    if (!object)
      return program.emitError() << llvm::toString(object.takeError());
    auto type =
        RankedTensorType::get({static_cast<int64_t>(object->size())}, IntegerType::get(program.getContext(), 8));
    AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(*object, 8);
    microkernel.object = DenseResourceElementsAttr::get(type, microkernel.form.name(), std::move(blob));
    return success();
  }
};

} // namespace
