// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Forms/ByCall.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor mlir::heddle::importer::byCall(Emitter &emitter, ArrayRef<OpFoldResult> conditions, ArrayRef<OpFoldResult> sizes,
                                      Type elementType, llvm::function_ref<Tensor()> first,
                                      llvm::function_ref<Tensor()> second) {
  OpFoldResult all = emitter.sizes.product(conditions);
  if (std::optional<int64_t> known = getConstantIntValue(all))
    return *known == 1 ? first() : second();
  OpBuilder &b = emitter.builder;
  Location loc = emitter.loc;
  Value one = emitter.sizes.value(emitter.sizes.constant(1));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, emitter.sizes.value(all), one);
  Tensor shape;
  shape.elementType = elementType;
  shape.sizes.assign(sizes.begin(), sizes.end());
  RankedTensorType type = shape.type();
  auto op = scf::IfOp::create(b, loc, TypeRange{type}, isFirst, /*withElseRegion=*/true);
  Emitter::State outside = emitter.save();
  auto fill = [&](Block *block, llvm::function_ref<Tensor()> make) {
    b.setInsertionPointToStart(block);
    if (block == op.thenBlock())
      for (OpFoldResult condition : conditions)
        emitter.sizes.assume(condition, true);
    Tensor made = make();
    Value value = emitter.value(made);
    if (value.getType() != type)
      value = tensor::CastOp::create(b, loc, type, value);
    scf::YieldOp::create(b, loc, value);
    emitter.restore(outside);
  };
  fill(op.thenBlock(), first);
  fill(op.elseBlock(), second);
  b.setInsertionPointAfter(op);
  return emitter.fromValue(op.getResult(0), sizes, elementType);
}
