// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and types of the intrinsics: llvm/IR/IntrinsicsAArch64.td.
#include "compiler/Codegen/ISA/InstructionSet.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

class AArch64Instructions : public InstructionSet {
public:
  Value dot(OpBuilder &builder, kernel::DotOp op, kernel::DotOp::Adaptor operands) const override {
    constexpr int64_t kLanes = 4; // of NEON
    Type element = op.getLhs().getType().getElementType();
    if (op.getAcc().getType().getNumElements() != kLanes || element.isInteger(16))
      return nullptr;
    Value lhs = operands.getLhs(), rhs = operands.getRhs();
    bool mixed = op.getLhsSigned() != op.getRhsSigned();
    if (mixed && op.getLhsSigned()) // the unsigned bytes come first
      std::swap(lhs, rhs);
    StringRef name = element.isBF16() ? "bfdot" : mixed ? "usdot" : op.getLhsSigned() ? "sdot" : "udot";
    return callIntrinsic(builder, op.getLoc(), op.getType(), "llvm.aarch64.neon." + name,
                         {operands.getAcc(), lhs, rhs});
  }
};

} // namespace

const InstructionSet &codegen::getAArch64Instructions() {
  static const AArch64Instructions instructions;
  return instructions;
}
