// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and types of the intrinsics: llvm/IR/IntrinsicsX86.td.
#include "compiler/Codegen/ISA/X86Tiles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

class X86Instructions : public InstructionSet {
public:
  Value dot(OpBuilder &builder, kernel::DotOp op, kernel::DotOp::Adaptor operands) const override {
    Type element = op.getLhs().getType().getElementType();
    Value acc = operands.getAcc(), lhs = operands.getLhs(), rhs = operands.getRhs();
    int64_t bits = op.getAcc().getType().getNumElements() * 32;
    auto call = [&](const Twine &name, ValueRange values) {
      return callIntrinsic(builder, op.getLoc(), op.getType(), "llvm.x86." + name, values);
    };
    if (element.isBF16())
      return call("avx512bf16.dpbf16ps." + Twine(bits), {acc, lhs, rhs});
    if (op.getThroughWords()) {
      Value ones = LLVM::ConstantOp::create(builder, op.getLoc(), VectorType::get({bits / 16}, builder.getI16Type()),
                                            wordsOfOnes(builder, bits / 16));
      StringRef bytes = bits == 512   ? "avx512.pmaddubs.w.512"
                        : bits == 256 ? "avx2.pmadd.ub.sw"
                                      : "ssse3.pmadd.ub.sw.128";
      StringRef pairs = bits == 512 ? "avx512.pmaddw.d.512" : bits == 256 ? "avx2.pmadd.wd" : "sse2.pmadd.wd";
      Value words = callIntrinsic(builder, op.getLoc(), ones.getType(), "llvm.x86." + bytes, {lhs, rhs});
      return LLVM::AddOp::create(builder, op.getLoc(), acc, call(pairs, {words, ones}));
    }
    if (element.isInteger(8)) { // the unsigned bytes come first
      if (op.getLhsSigned() == op.getRhsSigned())
        return nullptr;
      return call("avx512.vpdpbusd." + Twine(bits),
                  {acc, op.getLhsSigned() ? rhs : lhs, op.getLhsSigned() ? lhs : rhs});
    }
    if (!op.getLhsSigned() || !op.getRhsSigned())
      return nullptr;
    StringRef name = bits == 512 ? "avx512.pmaddw.d.512" : bits == 256 ? "avx2.pmadd.wd" : "sse2.pmadd.wd";
    return LLVM::AddOp::create(builder, op.getLoc(), acc, call(name, {lhs, rhs}));
  }

  Value permute(OpBuilder &builder, kernel::PermuteOp op, kernel::PermuteOp::Adaptor operands) const override {
    bool whole = op.getSource().getType().getNumElements() == 16,
         real = op.getSource().getType().getElementType().isF32();
    StringRef name = whole ? (real ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx512.permvar.si.512")
                           : (real ? "llvm.x86.avx2.permps" : "llvm.x86.avx2.permd");
    return callIntrinsic(builder, op.getLoc(), op.getType(), name, {operands.getSource(), operands.getPlaces()});
  }

  Value scale(OpBuilder &builder, kernel::ScaleOp op, kernel::ScaleOp::Adaptor operands) const override {
    return scale(builder, op.getLoc(), operands.getValue(), operands.getExponent());
  }

  void populateTilePatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) const override {
    populateX86TilePatterns(converter, patterns);
  }

private:
  static DenseElementsAttr wordsOfOnes(OpBuilder &builder, int64_t count) {
    return DenseElementsAttr::get(VectorType::get({count}, builder.getI16Type()), builder.getI16IntegerAttr(1));
  }

  // Halves of vectors that are longer than a register.
  static Value scale(OpBuilder &builder, Location loc, Value x, Value n) {
    auto type = cast<VectorType>(x.getType());
    int64_t lanes = type.getNumElements();
    if (lanes > 16) {
      auto slice = [&](Value a, Value b, int64_t first, int64_t size) -> Value {
        auto mask = llvm::to_vector(llvm::seq(static_cast<int32_t>(first), static_cast<int32_t>(first + size)));
        return LLVM::ShuffleVectorOp::create(builder, loc, a, b, mask);
      };
      auto half = [&](int64_t first) {
        return scale(builder, loc, slice(x, x, first, lanes / 2), slice(n, n, first, lanes / 2));
      };
      Value low = half(0);
      return slice(low, half(lanes / 2), 0, lanes);
    }
    auto number = [&](Type type, int64_t value) -> Value {
      return LLVM::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
    };
    SmallVector<Value> operands{x, n, x, number(builder.getIntegerType(std::max<int64_t>(lanes, 8)), -1)};
    if (lanes == 16) // rounding as the processor is set to
      operands.push_back(number(builder.getI32Type(), 4));
    return callIntrinsic(builder, loc, type, "llvm.x86.avx512.mask.scalef.ps." + Twine(lanes * 32), operands);
  }
};

} // namespace

const InstructionSet &codegen::getX86Instructions() {
  static const X86Instructions instructions;
  return instructions;
}
