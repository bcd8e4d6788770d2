// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/Transforms/Retype.h"

#include "compiler/Dialect/Encoding/IR/EncodingOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle::encoding;

using Convert = function_ref<FailureOr<Type>(Value, Operation *)>;

static LogicalResult retype(Operation *op, Convert convert) {
  auto change = [&](Value value) -> LogicalResult {
    if (!isEncoded(value.getType()))
      return success();
    FailureOr<Type> type = convert(value, op);
    if (succeeded(type))
      value.setType(*type);
    return type;
  };
  for (Value result : op->getResults())
    if (failed(change(result)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (failed(change(argument)))
          return failure();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        elements && elements.getType() != constant.getType())
      constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
  return success();
}

LogicalResult mlir::heddle::encoding::retype(func::FuncOp function, Convert convert) {
  SmallVector<Operation *> changes;
  WalkResult walk = function.walk([&](Operation *op) {
    if (isa<SetOp, UnsetOp>(op))
      changes.push_back(op);
    return failed(::retype(op, convert)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Operation *op : changes)
    if (op->getOperand(0).getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  if (function.isExternal())
    return success();
  SmallVector<Type> results(function.getResultTypes());
  function.walk([&](func::ReturnOp op) { results.assign(op.getOperandTypes().begin(), op.getOperandTypes().end()); });
  function.setType(FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(), results));
  return success();
}
