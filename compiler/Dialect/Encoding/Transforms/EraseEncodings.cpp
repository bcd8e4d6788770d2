// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/Transforms/EraseEncodings.h"

#include "compiler/Dialect/Encoding/Transforms/Passes.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ERASEENCODINGS
#include "compiler/Dialect/Encoding/Transforms/Passes.h.inc"
} // namespace mlir::heddle

static Type toPlain(Type type) {
  return encoding::isEncoded(type) ? encoding::withoutEncoding(cast<RankedTensorType>(type)) : type;
}

static void erase(func::FuncOp function) {
  auto plain = [](TypeRange types) { return llvm::map_to_vector(types, toPlain); };
  function.setType(
      FunctionType::get(function.getContext(), plain(function.getArgumentTypes()), plain(function.getResultTypes())));
}

static LogicalResult erase(flow::ParameterOp parameter) {
  Type plain = toPlain(parameter.getType());
  if (parameter.getValue().getShapedType() != plain)
    return parameter.emitError() << "is already in the order of its layout, " << parameter.getType()
                                 << ": encodings can be erased up to stage 'place'";
  parameter.setType(cast<RankedTensorType>(plain));
  return success();
}

LogicalResult encoding::eraseEncodings(Operation *root) {
  SmallVector<Operation *> changes;
  WalkResult walk = root->walk([&](Operation *op) -> WalkResult {
    for (Value result : op->getResults())
      result.setType(toPlain(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(toPlain(argument.getType()));
    if (auto function = dyn_cast<func::FuncOp>(op))
      erase(function);
    if (auto parameter = dyn_cast<flow::ParameterOp>(op))
      return erase(parameter);
    if (isa<SliceOp>(op))
      return op->emitError() << "is made of tiles: encodings can be erased up to stage 'place'";
    if (isa<SetOp, UnsetOp, flow::EncodeOp>(op))
      changes.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : changes) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
  return failure(walk.wasInterrupted());
}

namespace {

struct EraseEncodings : mlir::heddle::impl::EraseEncodingsBase<EraseEncodings> {
  void runOnOperation() override {
    if (failed(encoding::eraseEncodings(getOperation())))
      signalPassFailure();
  }
};

} // namespace
