// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Link/SharedObject.h"
#include "compiler/Target/CUDA/Backend/Passes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle::cuda {
#define GEN_PASS_DEF_EMITPTX
#include "compiler/Target/CUDA/Backend/Passes.h.inc"
} // namespace mlir::heddle::cuda

static StringRef getString(device::ExecutableAttr executable, StringRef key, StringRef otherwise) {
  auto value = executable.getConfig().getAs<StringAttr>(key);
  return value ? value.getValue() : otherwise;
}

StringRef cuda::getArchitecture(device::ExecutableAttr executable) { return getString(executable, "arch", "sm_80"); }
StringRef cuda::getPtxVersion(device::ExecutableAttr executable) { return getString(executable, "ptx", "ptx80"); }

static const llvm::Target *findCodeGenerator(const llvm::Triple &triple, std::string &message) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
  return llvm::TargetRegistry::lookupTarget(triple, message);
}

bool cuda::isArchitecture(StringRef name) {
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string message;
  const llvm::Target *target = findCodeGenerator(triple, message);
  if (!target || !name.starts_with("sm_"))
    return false;
  unsigned number = 0;
  StringRef digits = name.drop_front(3);
  bool isNumber = !digits.consumeInteger(10, number);
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  return isNumber && number >= 80 && number <= 90 && info->isCPUStringValid(name);
}

static std::unique_ptr<llvm::TargetMachine> createMachine(device::ExecutableAttr executable, std::string &message) {
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = findCodeGenerator(triple, message);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // where an op allows it
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cuda::getArchitecture(executable), ("+" + cuda::getPtxVersion(executable)).str(), options, std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Default));
}

namespace {

struct EmitPtx : cuda::impl::EmitPtxBase<EmitPtx> {
  using EmitPtxBase::EmitPtxBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    kernel::ProgramOp program = getOperation();
    FailureOr<SmallVector<char, 0>> text = compile(program, optLevel);
    if (failed(text))
      return signalPassFailure();
    auto type = RankedTensorType::get({static_cast<int64_t>(text->size())}, IntegerType::get(&getContext(), 8));
    AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(*text, 64);
    program.setObjectAttr(DenseResourceElementsAttr::get(type, program.getSymName(), std::move(blob)));
  }

  static FailureOr<SmallVector<char, 0>> compile(kernel::ProgramOp program, unsigned optLevel) {
    std::string message;
    std::unique_ptr<llvm::TargetMachine> machine = createMachine(program.getTarget(), message);
    if (!machine)
      return program.emitError() << "no code generator for PTX: " << message, failure();
    // The translation wants a module of its own with LLVM functions only.
    OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
    OpBuilder builder(module->getBodyRegion());
    for (Operation &op : program.getBody().front())
      if (isa<LLVM::LLVMDialect>(op.getDialect()))
        builder.clone(op);
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(*module, context, "kernel");
    if (!llvmModule)
      return program.emitError("cannot be translated to LLVM IR"), failure();
    auto text = codegen::compileToAssembly(*llvmModule, *machine, optLevel);
    if (!text)
      return program.emitError() << llvm::toString(text.takeError()), failure();
    return std::move(*text);
  }
};

} // namespace
