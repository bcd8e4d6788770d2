// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/LlvmLowering.h"

#include "compiler/Stages/Codegen/MicrokernelFunctions.h"
#include "compiler/Stages/Codegen/TilePatterns.h"

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

LogicalResult codegen::convertLoopsToLLVM(func::FuncOp kernel, LLVMTypeConverter &converter) {
  MLIRContext *context = kernel.getContext();
  RewritePatternSet patterns(context);
  LLVMConversionTarget target(*context);
  target.addLegalOp<kernel::ProgramOp>();
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
  codegen::populateTilePatterns(converter, patterns);
  codegen::populateMicrokernelPatterns(converter, patterns);
  target.addLegalOp<UnrealizedConversionCastOp>();
  Operation *program = kernel->getParentOp();
  if (failed(applyFullConversion(kernel, target, std::move(patterns))))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  program->walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  return success();
}

// Names and types: llvm/IR/IntrinsicsX86.td.
Value codegen::lowerDot(OpBuilder &builder, kernel::DotOp op) {
  int64_t bits = op.getAcc().getType().getNumElements() * 32;
  bool bytes = op.getLhs().getType().getElementType().isInteger(8);
  auto call = [&](StringRef name, ValueRange operands) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, op.getLoc(), op.getType(), builder.getStringAttr(name), operands)
        .getResult(0);
  };
  if (bytes)
    return call(("llvm.x86.avx512.vpdpbusd." + Twine(bits)).str(), {op.getAcc(), op.getLhs(), op.getRhs()});
  StringRef name = bits == 512   ? "llvm.x86.avx512.pmaddw.d.512"
                   : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                 : "llvm.x86.sse2.pmadd.wd";
  return arith::AddIOp::create(builder, op.getLoc(), op.getAcc(), call(name, {op.getLhs(), op.getRhs()}));
}
