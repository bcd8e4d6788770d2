// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Link/ObjectCache.h"
#include "compiler/Stages/Codegen/MicrokernelForm.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/SharedCode.h"
#include "compiler/Target/CPU/CpuFeatures.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_EMITOBJECT
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct EmitObject : mlir::heddle::impl::EmitObjectBase<EmitObject> {
  using EmitObjectBase::EmitObjectBase;
  EmitObject() = default;
  // A clone is for another thread, with machines of its own.
  EmitObject(const EmitObject &other) : EmitObjectBase(other) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    kernel::ProgramOp program = getOperation();
    if (program->hasAttr(codegen::kCodeOfAttr))
      return;
    FailureOr<SmallVector<char, 0>> object = compile(program, optLevel);
    if (failed(object))
      return signalPassFailure();
    auto numbers = program->getAttrOfType<ArrayAttr>(codegen::kNumbersAttr);
    if (!numbers) {
      auto linked = link(program, *object);
      return failed(linked) ? signalPassFailure() : program.setObjectAttr(*linked);
    }
    auto lists =
        llvm::map_to_vector(numbers.getAsRange<DenseI32ArrayAttr>(), [](auto list) { return list.asArrayRef(); });
    auto linked = codegen::linkForEach(*object, microkernelsOf(program), codegen::kNumbersSymbol, lists);
    if (!linked) {
      program.emitError() << llvm::toString(linked.takeError());
      return signalPassFailure();
    }
    SmallVector<Attribute> objects;
    for (ArrayRef<char> each : *linked)
      objects.push_back(asAttribute(program, each));
    program.setObjectAttr(cast<ElementsAttr>(objects.front()));
    program->setAttr(codegen::kObjectsAttr, ArrayAttr::get(&getContext(), objects));
  }

  static SmallVector<ArrayRef<char>> microkernelsOf(kernel::ProgramOp program) {
    SmallVector<ArrayRef<char>> objects;
    if (auto called = program->getAttrOfType<ArrayAttr>(codegen::kMicrokernelsAttr))
      for (auto shared : called.getAsRange<DenseResourceElementsAttr>())
        objects.push_back(shared.getRawHandle().getBlob()->getData());
    return objects;
  }

  static ElementsAttr asAttribute(kernel::ProgramOp program, ArrayRef<char> linked) {
    MLIRContext *context = program.getContext();
    auto type = RankedTensorType::get({static_cast<int64_t>(linked.size())}, IntegerType::get(context, 8));
    AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(linked, 64);
    return ElementsAttr(DenseResourceElementsAttr::get(type, program.getSymName(), std::move(blob)));
  }

  static FailureOr<ElementsAttr> link(kernel::ProgramOp program, ArrayRef<char> object) {
    SmallVector<ArrayRef<char>> objects = microkernelsOf(program);
    objects.insert(objects.begin(), object);
    auto linked = codegen::linkSharedObject(objects);
    if (!linked)
      return program.emitError() << llvm::toString(linked.takeError()), failure();
    return asAttribute(program, *linked);
  }

  // Once for each processor: what a machine knows of one takes longer to make than a small kernel's code.
  FailureOr<llvm::TargetMachine *> getMachine(kernel::ProgramOp program) {
    std::unique_ptr<llvm::TargetMachine> &machine = machines[program.getTarget()];
    if (!machine) {
      auto made = cpu::createTargetMachine(program, program.getTarget());
      if (failed(made))
        return failure();
      machine = std::move(*made);
    }
    return machine.get();
  }

  // To a relocatable object.
  FailureOr<SmallVector<char, 0>> compile(kernel::ProgramOp program, unsigned optLevel) {
    auto machine = getMachine(program);
    if (failed(machine))
      return failure();
    // The translation wants a module of its own with LLVM functions only. Nothing needs them after it.
    OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
    for (Operation &op : llvm::make_early_inc_range(program.getBody().front()))
      if (isa<LLVM::LLVMDialect>(op.getDialect()))
        op.moveBefore(module->getBody(), module->getBody()->end());
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(*module, context, "kernel");
    if (!llvmModule)
      return program.emitError("cannot be translated to LLVM IR"), failure();
    auto unrolled = program->getAttrOfType<IntegerAttr>(codegen::kUnrolledAttr);
    auto kind = static_cast<codegen::Unrolled>(unrolled ? unrolled.getInt() : 0);
    if (program->hasAttr(codegen::kColdAttr))
      kind = codegen::Unrolled::Short;
    auto object = codegen::ObjectCache::of(program).compile(*llvmModule, **machine, optLevel, kind);
    if (!object)
      return program.emitError() << llvm::toString(object.takeError()), failure();
    return std::move(*object);
  }

  llvm::DenseMap<device::ExecutableAttr, std::unique_ptr<llvm::TargetMachine>> machines;
};

} // namespace
