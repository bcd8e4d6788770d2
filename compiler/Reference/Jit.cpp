// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Reference/Jit.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"

#include <bit>

using namespace mlir;
using namespace mlir::heddle::reference;

void mlir::heddle::reference::loadReferenceDialects(MLIRContext *context) {
  DialectRegistry registry;
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  cf::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  registerConvertToLLVMDependentDialectLoading(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  registerConvertComplexToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
  context->loadDialect<affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                       cf::ControlFlowDialect, complex::ComplexDialect, func::FuncDialect, linalg::LinalgDialect,
                       LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                       tensor::TensorDialect, ub::UBDialect>();
}

Jit::Jit() = default;
Jit::~Jit() = default;

// -O1 without fast-math flags: nothing is reassociated or contracted.
static void optimize(llvm::Module &module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1).run(module, modules);
}

static LogicalResult report(ModuleOp module, llvm::Error error) {
  if (!error)
    return success();
  return module.emitError() << "the reference's machine code: " << llvm::toString(std::move(error));
}

// Code generation calls these, and not every run-time library has them.
static __bf16 truncateToBf16(double value) {
  APFloat number(value);
  bool lossy;
  number.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &lossy);
  return std::bit_cast<__bf16>(static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue()));
}
static __bf16 truncateSingleToBf16(float value) { return truncateToBf16(value); }

FailureOr<std::unique_ptr<Jit>> Jit::create(ModuleOp module, llvm::function_ref<void *(StringRef)> resolve,
                                            bool optimized) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, *context, "reference");
  if (!code)
    return module.emitError() << "the reference could not translate the module to LLVM IR";
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return report(module, builder.takeError());
  builder->setCodeGenOptLevel(optimized ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None);
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*builder)).create();
  if (!jit)
    return report(module, jit.takeError());
  code->setDataLayout((*jit)->getDataLayout());
  code->setTargetTriple((*jit)->getTargetTriple());

  llvm::orc::SymbolMap symbols;
  for (llvm::GlobalValue &value : code->global_values())
    if (value.isDeclaration())
      if (void *address = resolve(value.getName()))
        symbols[(*jit)->mangleAndIntern(value.getName())] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                                             llvm::JITSymbolFlags::Exported};
  symbols[(*jit)->mangleAndIntern("__truncsfbf2")] = {llvm::orc::ExecutorAddr::fromPtr(&truncateSingleToBf16),
                                                      llvm::JITSymbolFlags::Exported};
  symbols[(*jit)->mangleAndIntern("__truncdfbf2")] = {llvm::orc::ExecutorAddr::fromPtr(&truncateToBf16),
                                                      llvm::JITSymbolFlags::Exported};
  if (optimized)
    optimize(*code);
  if (failed(report(module, (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))) ||
      failed(report(module, (*jit)->addIRModule({std::move(code), std::move(context)}))))
    return failure();
  std::unique_ptr<Jit> made(new Jit());
  made->jit = std::move(*jit);
  return made;
}

FailureOr<void *> Jit::lookup(StringRef symbol) {
  auto address = jit->lookup(symbol);
  if (!address) {
    llvm::consumeError(address.takeError());
    return failure();
  }
  return address->toPtr<void *>();
}
