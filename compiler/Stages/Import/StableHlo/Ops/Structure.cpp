// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls and ops that only pass values on.
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static LogicalResult lowerCall(OpContext &op) {
  auto call = cast<func::CallOp>(op.op);
  return op.converter.inlineCall(call, call.getCallee());
}

// A composite is what its decomposition computes.
static LogicalResult lowerComposite(OpContext &op) {
  auto callee = op.op->getAttrOfType<FlatSymbolRefAttr>("decomposition");
  if (!callee)
    return op.refuse("needs the attribute decomposition, the name of a function");
  return op.converter.inlineCall(op.op, callee.getValue());
}

static LogicalResult passOn(OpContext &op) {
  if (op.op->getOperandTypes() != op.op->getResultTypes())
    return op.refuse("operands and results must have the same types");
  for (auto [operand, result] : llvm::zip(op.op->getOperands(), op.op->getResults())) {
    Tensor tensor = op.converter.tensor(operand);
    op.converter.set(result, std::move(tensor));
  }
  return success();
}

// A function of scalars on every element: its dimensions are all of them, in order.
static LogicalResult lowerMap(OpContext &op) {
  unsigned count = op.op->getNumOperands();
  if (count == 0 || failed(op.requireResults(1)))
    return count ? failure() : op.refuse("needs operands");
  RankedTensorType to = op.resultType(0);
  FailureOr<SmallVector<int64_t>> dims = op.ints("dimensions");
  if (failed(dims))
    return failure();
  if (*dims != llvm::to_vector(llvm::seq<int64_t>(0, to.getRank())))
    return op.refuse("dimensions must be all of the result's, in order");
  SmallVector<Type> elements;
  SmallVector<Tensor *> operands;
  for (unsigned i = 0; i < count; ++i) {
    if (op.operandType(i).getShape() != to.getShape())
      return op.refuse("operand " + Twine(i) + " does not have the shape of the result");
    elements.push_back(op.operandType(i).getElementType());
    (void)op.operand(i);
  }
  FailureOr<ElementRegion> region = ElementRegion::read(op, elements, {to.getElementType()});
  if (failed(region))
    return failure();
  for (unsigned i = 0; i < count; ++i)
    operands.push_back(&op.operand(i));
  return op.setResult(0, op.emitter.elementwise(operands, op.sizesOf(to.getShape()), to.getElementType(),
                                                [&](OpBuilder &b, Location loc, ValueRange v) {
                                                  return region->emit(b, loc, v).front();
                                                }));
}

// Of a real number; complex ones are pairs by now (SplitComplex.h).
static LogicalResult lowerImaginary(OpContext &op) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(1)))
    return failure();
  RankedTensorType type = op.operandType(0);
  Type element = type.getElementType();
  if (!isa<FloatType>(element))
    return op.refuse("needs floats");
  return op.setResult(0, op.emitter.filled(element, op.sizesOf(type.getShape()), makeAttribute(element, 0)));
}

// What a called function says of its arguments' and results' devices, see import-specialize-calls.
static LogicalResult lowerTransfer(OpContext &op) {
  Emitter &emitter = op.emitter;
  Tensor &tensor = op.operand(0);
  auto transfer = cast<flow::TransferOp>(op.op);
  Value value = emitter.value(tensor);
  Value moved = flow::TransferOp::create(emitter.builder, emitter.loc, value.getType(), value, ValueRange(),
                                         transfer.getAffinity());
  return op.setResult(0, emitter.fromValue(moved, op.sizesOf(op.resultType(0).getShape()), tensor.elementType));
}

static StringRef targetOf(Operation *customCall) {
  auto target = customCall->getAttrOfType<StringAttr>("call_target_name");
  return target ? target.getValue() : "";
}

bool mlir::heddle::hlo::isSharding(Operation *customCall) {
  StringRef name = targetOf(customCall);
  return name == "Sharding" || name == "SPMDFullToShardShape" || name == "SPMDShardToFullShape" ||
         name == "annotate_device_placement";
}

// What other compilers are told of shardings says nothing here where it cuts no value.
static LogicalResult lowerCustomCall(OpContext &op) {
  StringRef name = targetOf(op.op);
  if (isSharding(op.op))
    return passOn(op);
  if (LoweringFunction routine = findLapackRoutine(name))
    return routine(op);
  if (name.starts_with("lapack_"))
    return op.refuse("the target '" + name +
                     "' is not supported; of LAPACK there are potrf, getrf, geqrf, orgqr, "
                     "syevd, gesdd and trsm, on f32 and f64");
  if (name.contains("callback"))
    return op.refuse(
        "the target '" + name +
        "' calls back into Python (jax.pure_callback, io_callback, jax.debug.print), and an artifact has no "
        "Python; take it out of the function");
  return op.refuse("the target '" + name + "' is not known; custom calls are code of another compiler");
}

void mlir::heddle::hlo::registerStructure(LoweringTable &table) {
  table["chlo.conj"] = passOn;
  table["flow.transfer"] = lowerTransfer;
  table["func.call"] = lowerCall;
  table["stablehlo.composite"] = lowerComposite;
  table["stablehlo.custom_call"] = lowerCustomCall;
  table["stablehlo.imag"] = lowerImaginary;
  table["stablehlo.map"] = lowerMap;
  table["stablehlo.optimization_barrier"] = passOn;
  table["stablehlo.real"] = passOn;
}
