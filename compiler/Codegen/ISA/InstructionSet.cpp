// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/ISA/InstructionSet.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

struct PlainInstructions : InstructionSet {};

//===--- Plain arithmetic ----------------------------------------------------------------------------------------===//

Value constant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  Attribute attr = builder.getIntegerAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return LLVM::ConstantOp::create(builder, loc, type, cast<TypedAttr>(attr));
}

// The elements `first`, `first` + `step`, … of a vector, `count` of them.
Value everyNth(OpBuilder &builder, Location loc, Value value, int64_t first, int64_t step, int64_t count) {
  SmallVector<int32_t> mask;
  for (int64_t i = 0; i < count; ++i)
    mask.push_back(static_cast<int32_t>(first + i * step));
  return LLVM::ShuffleVectorOp::create(builder, loc, value, value, mask);
}

Value plainDot(OpBuilder &builder, kernel::DotOp op, kernel::DotOp::Adaptor operands) {
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getType());
  bool isFloat = type.getElementType().isF32();
  auto wide = [&](Value value, bool isSigned, int64_t j) -> Value {
    Value part = everyNth(builder, loc, value, j, op.getGroup(), type.getNumElements());
    if (isFloat)
      return LLVM::FPExtOp::create(builder, loc, type, part);
    return isSigned ? LLVM::SExtOp::create(builder, loc, type, part).getResult()
                    : LLVM::ZExtOp::create(builder, loc, type, part).getResult();
  };
  Value sum = operands.getAcc();
  for (int64_t j = 0; j < op.getGroup(); ++j) {
    Value a = wide(operands.getLhs(), op.getLhsSigned(), j), b = wide(operands.getRhs(), op.getRhsSigned(), j);
    if (isFloat)
      sum = LLVM::FAddOp::create(builder, loc, sum, LLVM::FMulOp::create(builder, loc, a, b));
    else
      sum = LLVM::AddOp::create(builder, loc, sum, LLVM::MulOp::create(builder, loc, a, b));
  }
  return sum;
}

Value plainPermute(OpBuilder &builder, kernel::PermuteOp op, kernel::PermuteOp::Adaptor operands) {
  Location loc = op.getLoc();
  Value result = LLVM::PoisonOp::create(builder, loc, op.getType());
  for (int64_t i = 0; i < op.getSource().getType().getNumElements(); ++i) {
    Value lane = constant(builder, loc, builder.getI32Type(), i);
    Value place = LLVM::ExtractElementOp::create(builder, loc, operands.getPlaces(), lane);
    Value element = LLVM::ExtractElementOp::create(builder, loc, operands.getSource(), place);
    result = LLVM::InsertElementOp::create(builder, loc, result, element, lane);
  }
  return result;
}

// By two powers of two, each about half the exponent: the first product is exact, so one rounding is left.
Value plainScale(OpBuilder &builder, kernel::ScaleOp op, kernel::ScaleOp::Adaptor operands) {
  constexpr int64_t kBias = 127, kMantissa = 23;
  Location loc = op.getLoc();
  auto type = cast<VectorType>(op.getType());
  auto bits = type.clone(builder.getI32Type());
  auto number = [&](int64_t value) { return constant(builder, loc, bits, value); };
  Value n = LLVM::FPToSIOp::create(builder, loc, bits, operands.getExponent());
  Value half = LLVM::AShrOp::create(builder, loc, n, number(1)), rest = LLVM::SubOp::create(builder, loc, n, half);
  Value result = operands.getValue();
  for (Value exponent : {half, rest}) {
    Value biased = LLVM::AddOp::create(builder, loc, exponent, number(kBias));
    Value factor = LLVM::ShlOp::create(builder, loc, biased, number(kMantissa));
    result = LLVM::FMulOp::create(builder, loc, result, LLVM::BitcastOp::create(builder, loc, type, factor));
  }
  return result;
}

//===--- Patterns ------------------------------------------------------------------------------------------------===//

template <typename Op> using Lower = Value (InstructionSet::*)(OpBuilder &, Op, typename Op::Adaptor) const;

template <typename Op, Lower<Op> kLower, Value (*kPlain)(OpBuilder &, Op, typename Op::Adaptor)>
struct InstructionLowering : ConvertOpToLLVMPattern<Op> {
  InstructionLowering(const LLVMTypeConverter &converter, const InstructionSet &instructions)
      : ConvertOpToLLVMPattern<Op>(converter), instructions(instructions) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor operands, ConversionPatternRewriter &rewriter) const final {
    Value result = (instructions.*kLower)(rewriter, op, operands);
    rewriter.replaceOp(op, result ? result : kPlain(rewriter, op, operands));
    return success();
  }

  const InstructionSet &instructions;
};

} // namespace

const InstructionSet &InstructionSet::of(StringRef format) {
  static const PlainInstructions plain;
  return format == "elf-x86_64" ? getX86Instructions() : format == "elf-aarch64" ? getAArch64Instructions() : plain;
}

bool codegen::isInstruction(Operation *op) {
  return isa<kernel::DotOp, kernel::PermuteOp, kernel::ScaleOp, kernel::TileConfigureOp, kernel::TileReleaseOp,
             kernel::TileZeroOp, kernel::TileLoadOp, kernel::TileStoreOp, kernel::TileDotOp>(op);
}

void codegen::populateInstructionPatterns(const InstructionSet &instructions, const LLVMTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<InstructionLowering<kernel::DotOp, &InstructionSet::dot, plainDot>,
               InstructionLowering<kernel::PermuteOp, &InstructionSet::permute, plainPermute>,
               InstructionLowering<kernel::ScaleOp, &InstructionSet::scale, plainScale>>(converter, instructions);
  instructions.populateTilePatterns(converter, patterns);
}

Value codegen::lowerDot(const InstructionSet &instructions, OpBuilder &builder, kernel::DotOp op) {
  kernel::DotOp::Adaptor operands(op->getOperands(), op);
  Value result = instructions.dot(builder, op, operands);
  return result ? result : plainDot(builder, op, operands);
}

Value codegen::callIntrinsic(OpBuilder &builder, Location loc, Type result, const Twine &name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(name), operands).getResult(0);
}
