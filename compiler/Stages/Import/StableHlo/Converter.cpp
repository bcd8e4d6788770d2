// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

// Of ops that calls stand for: each call of a function is a copy of it, and so are the calls in it.
static constexpr int64_t kMaximumInlined = 1 << 18;

Converter::Converter(ModuleOp module, SymbolTable &symbols, func::FuncOp from, func::FuncOp to, const Ranks &ranks)
    : emitter(module, &to.getBody().front()), symbols(symbols), ranks(ranks), from(from), to(to) {}

void Converter::report(Operation *op, const Twine &reason) {
  ++refused;
  op->emitError() << "op " << op->getName() << ": " << reason;
}

//===--- Values --------------------------------------------------------------------------------------------------===//

Tensor &Converter::tensor(Value value) { return values[value]; }

Tensor &Converter::full(Value value) {
  Tensor &tensor = values[value];
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor.elementType || !type)
    return tensor;
  SizeList sizes = llvm::map_to_vector(type.getShape(), [&](int64_t size) { return emitter.sizes.constant(size); });
  Tensor wide = emitter.broadcast(tensor, sizes);
  return values[value] = std::move(wide);
}

// Integers of an unsigned argument come as such: what the types say of signs is for `import-convert-unsigned`.
void Converter::bindArguments() {
  OpBuilder &b = emitter.builder;
  for (auto [argument, made] : llvm::zip_equal(from.getArguments(), to.getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    SizeList sizes = llvm::map_to_vector(type.getShape(), [&](int64_t size) { return emitter.sizes.constant(size); });
    Value value = made;
    auto plain = cast<RankedTensorType>(type.clone(storageType(type.getElementType())));
    if (plain != type)
      value = UnrealizedConversionCastOp::create(b, made.getLoc(), plain, value).getResult(0);
    values[argument] = emitter.fromValue(value, sizes, type.getElementType());
  }
}

//===--- Walk ----------------------------------------------------------------------------------------------------===//

LogicalResult Converter::run() {
  bindArguments();
  FailureOr<SmallVector<Tensor>> results = lowerBlock(from.getBody().front());
  if (failed(results) || refused)
    return failure();
  OpBuilder &b = emitter.builder;
  SmallVector<Value> values;
  for (auto [tensor, type] : llvm::zip_equal(*results, from.getResultTypes())) {
    Value value = emitter.value(tensor);
    if (value.getType() != type)
      value = UnrealizedConversionCastOp::create(b, to.getLoc(), type, value).getResult(0);
    values.push_back(value);
  }
  func::ReturnOp::create(b, to.getLoc(), values);
  return success();
}

FailureOr<SmallVector<Tensor>> Converter::lowerBlock(Block &block) {
  for (Operation &op : opsBeforeReturn(block))
    lower(&op);
  SmallVector<Tensor> results;
  for (Value value : block.getTerminator()->getOperands()) {
    results.push_back(full(value));
    if (!results.back().elementType)
      return failure();
  }
  return results;
}

FailureOr<SmallVector<Tensor>> Converter::lowerRegion(Block &block, ArrayRef<Tensor> arguments) {
  DenseMap<Value, Tensor> outside = values;
  for (auto [argument, tensor] : llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = tensor;
  FailureOr<SmallVector<Tensor>> results = lowerBlock(block);
  if (succeeded(results))
    for (Tensor &tensor : *results)
      emitter.value(tensor);
  values = std::move(outside);
  return results;
}

LogicalResult Converter::inlineCall(Operation *call, StringRef callee) {
  auto function = symbols.lookup<func::FuncOp>(callee);
  if (!function || function.isExternal() || !function.getBody().hasOneBlock())
    return report(call, "the function @" + callee + " has no body of one block"), failure();
  if (llvm::is_contained(calls, function) || calls.size() > 64)
    return report(call, "the function @" + callee + " calls itself, or calls nest too deeply"), failure();
  if (TypeRange(call->getOperandTypes()) != TypeRange(function.getArgumentTypes()) ||
      TypeRange(call->getResultTypes()) != TypeRange(function.getResultTypes()))
    return report(call, "operands and results are not those of @" + callee), failure();
  for (auto [argument, operand] : llvm::zip_equal(function.getArguments(), call->getOperands())) {
    Tensor tensor = values[operand];
    values[argument] = std::move(tensor);
  }
  if (inlinedOps > kMaximumInlined)
    return failure();
  Block &body = function.getBody().front();
  inlinedOps += std::distance(body.begin(), body.end());
  if (inlinedOps > kMaximumInlined)
    return report(call, "calls are inlined, which gives more than " + Twine(kMaximumInlined) +
                            " ops here; call the functions less often, or in a loop"),
           failure();
  calls.push_back(function);
  for (Operation &op : opsBeforeReturn(body))
    lower(&op);
  calls.pop_back();
  for (auto [result, value] : llvm::zip(call->getResults(), body.getTerminator()->getOperands())) {
    Tensor tensor = values[value];
    values[result] = std::move(tensor);
  }
  return success();
}

void Converter::lower(Operation *op) {
  for (Value operand : op->getOperands())
    if (!values[operand].elementType) {
      for (Value result : op->getResults())
        values[result] = Tensor();
      return;
    }
  for (Value result : op->getResults())
    values[result] = Tensor(); // an inlined function may have been here before
  emitter.loc = op->getLoc();
  OpContext context(*this, op);
  LoweringFunction function = lowerings().lookup(op->getName().getStringRef());
  unsigned before = refused;
  if (!function || (failed(function(context)) && refused == before && inlinedOps <= kMaximumInlined))
    report(op, "not supported in this form");
}
