// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/LlvmLowering.h"

#include "compiler/Codegen/ISA/InstructionSet.h"
#include "compiler/Stages/Codegen/MicrokernelFunctions.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::heddle;

Value codegen::makeMemref(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter, Type type,
                          Value pointer) {
  auto descriptor = MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  descriptor.setConstantOffset(builder, loc, 0);
  descriptor.setConstantSize(builder, loc, 0, 0);
  descriptor.setConstantStride(builder, loc, 0, 1);
  Value value = descriptor;
  return UnrealizedConversionCastOp::create(builder, loc, type, value).getResult(0);
}

static FrozenRewritePatternSet makePatterns(MLIRContext *context, StringRef format, LLVMTypeConverter &converter) {
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns, /*reassociateFPReductions=*/true,
                                         /*force32BitVectorIndices=*/false);
  vector::populateVectorStepLoweringPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  codegen::populateInstructionPatterns(codegen::InstructionSet::of(format), converter, patterns);
  codegen::populateMicrokernelPatterns(converter, patterns);
  return patterns;
}

codegen::LoopsToLLVM::LoopsToLLVM(MLIRContext *context, StringRef format)
    : converter(context, LowerToLLVMOptions(context)), target(*context),
      patterns(makePatterns(context, format, converter)) {
  target.addLegalOp<kernel::ProgramOp, UnrealizedConversionCastOp>();
}

LogicalResult codegen::LoopsToLLVM::convert(func::FuncOp kernel) const {
  auto program = cast<kernel::ProgramOp>(kernel->getParentOp());
  if (failed(applyFullConversion(kernel, target, patterns)))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  program->walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  return success();
}
