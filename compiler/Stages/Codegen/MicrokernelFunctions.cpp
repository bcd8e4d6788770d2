// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/MicrokernelFunctions.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Stages/Codegen/MicrokernelBuilder.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

struct MicrokernelLowering : ConvertOpToLLVMPattern<kernel::MicrokernelOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(kernel::MicrokernelOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Value> values{adaptor.getCount()};
    auto addPlace = [&](Value memref, Value memory, Value offset, Value stride) {
      auto type = cast<MemRefType>(memref.getType());
      values.push_back(getStridedElementPtr(rewriter, loc, type, memory, offset));
      values.push_back(toBytes(rewriter, loc, stride, type.getElementType()));
    };
    addPlace(op.getRows(), adaptor.getRows(), adaptor.getRowOffset(), adaptor.getRowStride());
    addPlace(op.getColumns(), adaptor.getColumns(), adaptor.getColumnOffset(), adaptor.getPanelStride());
    llvm::append_range(values, adaptor.getSteps());
    for (Value stride : adaptor.getStrides())
      values.push_back(toBytes(rewriter, loc, stride, op.getRows().getType().getElementType()));
    addPlace(op.getResult(), adaptor.getResult(), adaptor.getResultOffset(), adaptor.getResultStride());
    if (adaptor.getLast())
      values.push_back(adaptor.getLast());
    for (auto [memref, memory, offset, stride] :
         llvm::zip_equal(op.getOperandMemory(), adaptor.getOperandMemory(), adaptor.getOperandOffsets(),
                         adaptor.getOperandStrides()))
      addPlace(memref, memory, offset, stride);
    if (ValueRange next = adaptor.getNext(); !next.empty())
      addPlace(op.getColumns(), adaptor.getColumns(), next[0], next[1]);
    if (Value first = adaptor.getFirst()) {
      Value start = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(), rewriter.getI64IntegerAttr(0));
      values.push_back(
          getStridedElementPtr(rewriter, loc, cast<MemRefType>(op.getFirst().getType()), first, ValueRange{start}));
    }
    LLVM::CallOp::create(rewriter, loc, declare(op, rewriter), values);
    rewriter.eraseOp(op);
    return success();
  }

  static Value toBytes(OpBuilder &builder, Location loc, Value elements, Type element) {
    Value size =
        LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(storageBytes(element)));
    return LLVM::MulOp::create(builder, loc, elements, size);
  }

  static LLVM::LLVMFuncOp declare(kernel::MicrokernelOp op, ConversionPatternRewriter &rewriter) {
    auto program = op->getParentOfType<kernel::ProgramOp>();
    MicrokernelForm form = MicrokernelForm::get(op);
    if (auto function = program.lookupSymbol<LLVM::LLVMFuncOp>(form.name()))
      return function;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&program.getBody().front());
    LLVM::LLVMFuncOp function = createMicrokernel(rewriter, op.getLoc(), form);
    function->setAttr(kMicrokernelAttr, form.asAttribute());
    return function;
  }
};

} // namespace

void mlir::heddle::codegen::populateMicrokernelPatterns(const LLVMTypeConverter &converter,
                                                        RewritePatternSet &patterns) {
  patterns.add<MicrokernelLowering>(converter);
}
