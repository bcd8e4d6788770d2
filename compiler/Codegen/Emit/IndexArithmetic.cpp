// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

Value IndexArithmetic::constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value IndexArithmetic::add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
Value IndexArithmetic::sub(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
Value IndexArithmetic::mul(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
Value IndexArithmetic::min(Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(loc, a, b); }
Value IndexArithmetic::max(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(loc, a, b); }
Value IndexArithmetic::divide(Value a, Value b) { return builder.createOrFold<arith::DivSIOp>(loc, a, b); }

Value IndexArithmetic::ceilDiv(Value a, int64_t b) { return b == 1 ? a : divide(add(a, constant(b - 1)), constant(b)); }

Value IndexArithmetic::product(ValueRange factors) {
  Value result = constant(1);
  for (Value factor : factors)
    result = mul(result, factor);
  return result;
}

Value IndexArithmetic::isAtMost(Value a, int64_t b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, a, constant(b));
}

Value IndexArithmetic::select(Value condition, Value a, Value b) {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}
