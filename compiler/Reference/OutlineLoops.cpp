// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function for each loop nest: LLVM's analyses are worse than linear in a function's blocks, and an entry point of
// a thousand ops has twenty thousand.
#include "compiler/Reference/Program.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::heddle;

static void outline(linalg::LinalgOp op, SymbolTable &symbols) {
  llvm::SetVector<Value> captured;
  for (Value operand : op->getOperands())
    captured.insert(operand);
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> arguments;
  SmallVector<Operation *> literals;
  for (Value value : captured)
    if (Operation *literal = value.getDefiningOp<arith::ConstantOp>())
      literals.push_back(literal);
    else
      arguments.push_back(value);

  OpBuilder builder(op);
  FunctionType type = builder.getFunctionType(TypeRange(ValueRange(arguments)), {});
  auto function = func::FuncOp::create(op.getLoc(), "heddle_loops", type);
  function.setPrivate();
  function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
  symbols.insert(function);
  func::CallOp::create(builder, op.getLoc(), function, arguments);

  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  mapping.map(arguments, body->getArguments());
  for (Operation *literal : literals)
    builder.clone(*literal, mapping);
  builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op.getLoc());
  op.erase();
}

void reference::outlineLoops(ModuleOp module) {
  SmallVector<linalg::LinalgOp> ops;
  module.walk([&](linalg::LinalgOp op) {
    if (op.hasPureBufferSemantics())
      ops.push_back(op);
  });
  SymbolTable symbols(module);
  for (linalg::LinalgOp op : ops)
    outline(op, symbols);
}
