// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/ISA/X86Tiles.h"
#include "compiler/Analysis/StorageBytes.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// Names and types: llvm/IR/IntrinsicsX86.td.
void call(OpBuilder &builder, Location loc, const Twine &name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr("llvm.x86." + name), operands);
}

Value tileNumber(OpBuilder &builder, Location loc, int64_t tile) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI8Type(), builder.getI8IntegerAttr(tile));
}

struct ConfigureLowering : ConvertOpToLLVMPattern<kernel::TileConfigureOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  // Intel SDM volume 2A, LDTILECFG: palette, then 16-bit bytes of a row from 16 on, rows from 48 on.
  LogicalResult matchAndRewrite(kernel::TileConfigureOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const final {
    SmallVector<int8_t> bytes(64, 0);
    bytes[0] = 1;
    for (auto [tile, rowBytes, rows] : llvm::enumerate(op.getBytes(), op.getRows())) {
      bytes[16 + 2 * tile] = static_cast<int8_t>(rowBytes);
      bytes[48 + tile] = static_cast<int8_t>(rows);
    }
    Location loc = op.getLoc();
    auto type = VectorType::get({64}, rewriter.getI8Type());
    Value one = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(), rewriter.getI64IntegerAttr(1));
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    Value memory = LLVM::AllocaOp::create(rewriter, loc, pointer, type, one, /*alignment=*/64);
    auto attr = DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes));
    Value value = LLVM::ConstantOp::create(rewriter, loc, type, attr);
    LLVM::StoreOp::create(rewriter, loc, value, memory);
    call(rewriter, loc, "ldtilecfg", memory);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReleaseLowering : ConvertOpToLLVMPattern<kernel::TileReleaseOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(kernel::TileReleaseOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const final {
    call(rewriter, op.getLoc(), "tilerelease", {});
    rewriter.eraseOp(op);
    return success();
  }
};

struct ZeroLowering : ConvertOpToLLVMPattern<kernel::TileZeroOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(kernel::TileZeroOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const final {
    call(rewriter, op.getLoc(), "tilezero", tileNumber(rewriter, op.getLoc(), op.getTile()));
    rewriter.eraseOp(op);
    return success();
  }
};

// Loads and stores.
template <typename Op> struct MemoryLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getMemory().getType());
    Value address = this->getStridedElementPtr(rewriter, loc, type, adaptor.getMemory(), adaptor.getOffset());
    int64_t elementBytes = storageBytes(type.getElementType());
    Value bytes =
        LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(), rewriter.getI64IntegerAttr(elementBytes));
    Value stride = LLVM::MulOp::create(rewriter, loc, adaptor.getStride(), bytes);
    bool isLoad = std::is_same_v<Op, kernel::TileLoadOp>;
    call(rewriter, loc, isLoad ? "tileloadd64" : "tilestored64",
         {tileNumber(rewriter, loc, op.getTile()), address, stride});
    rewriter.eraseOp(op);
    return success();
  }
};

struct DotLowering : ConvertOpToLLVMPattern<kernel::TileDotOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(kernel::TileDotOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto tile = [&](int64_t number) { return tileNumber(rewriter, loc, number); };
    call(rewriter, loc, Twine("tdpb") + (op.getLhsSigned() ? "s" : "u") + (op.getRhsSigned() ? "s" : "u") + "d",
         {tile(op.getAcc()), tile(op.getLhs()), tile(op.getRhs())});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mlir::heddle::codegen::populateX86TilePatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConfigureLowering, ReleaseLowering, ZeroLowering, MemoryLowering<kernel::TileLoadOp>,
               MemoryLowering<kernel::TileStoreOp>, DotLowering>(converter);
}
