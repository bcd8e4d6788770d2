// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Evaluation/Body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle::evaluation;

// tensor.extract with all indices in range.
static void extract(const Step &step, Frame &frame, int64_t count) {
  const Array &tensor = frame.tensors[step.tensor];
  LoadFunction load = selectLoad(tensor.elementType);
  int64_t width = byteWidth(tensor.elementType);
  Lanes one;
  auto copy = [&]<typename T>(T *to) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = 0;
      for (auto [d, index] : llvm::enumerate(step.operands)) {
        int64_t at = frame.registers[index].integers[i];
        if (at < 0 || at >= tensor.shape[d]) {
          frame.failed = true;
          return;
        }
        offset += at * tensor.strides[d] * width;
      }
      load(tensor.origin + offset, 0, one, 1);
      to[i] = one.as<T>()[0];
    }
  };
  Lanes &result = frame.registers[step.result];
  if (tensor.elementType.isF64())
    copy(result.doubles);
  else if (isa<FloatType>(tensor.elementType))
    copy(result.singles);
  else
    copy(result.integers);
}

std::optional<Body> Body::compile(Block &block) {
  Body body;
  body.block = &block;
  for (BlockArgument argument : block.getArguments()) {
    if (byteWidth(argument.getType()) == 0)
      return std::nullopt;
    body.registers[argument] = body.count++;
  }
  for (Operation &op : block.without_terminator())
    if (!body.add(op))
      return std::nullopt;
  for (Value value : block.getTerminator()->getOperands()) {
    std::optional<unsigned> result = body.registerOf(value);
    if (!result)
      return std::nullopt;
    body.results.push_back(*result);
  }
  return body;
}

std::optional<unsigned> Body::registerOf(Value value) {
  if (auto it = registers.find(value); it != registers.end())
    return it->second;
  Attribute constant;
  if (byteWidth(value.getType()) == 0 || !matchPattern(value, m_Constant(&constant)) ||
      !isa<IntegerAttr, FloatAttr>(constant))
    return std::nullopt;
  constants.emplace_back(count, constant);
  return registers[value] = count++;
}

bool Body::add(Operation &op) {
  if (op.getNumResults() != 1 || op.getNumRegions() != 0)
    return false;
  Value result = op.getResult(0);
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    auto known = llvm::find_if(loopIndices, [&](auto pair) { return pair.first == index.getDim(); });
    if (known != loopIndices.end()) {
      registers[result] = known->second;
      return true;
    }
    loopIndices.emplace_back(index.getDim(), count);
    registers[result] = count++;
    return true;
  }
  if (isa<arith::ConstantOp>(op))
    return registerOf(result).has_value();
  if (byteWidth(result.getType()) == 0)
    return false;
  if (isa<tensor::ExtractOp>(op))
    return addExtract(op);
  std::optional<Step> step = selectStep(&op);
  if (!step)
    return false;
  for (Value operand : op.getOperands()) {
    std::optional<unsigned> source = registerOf(operand);
    if (!source)
      return false;
    step->operands.push_back(*source);
  }
  step->result = registers[result] = count++;
  steps.push_back(*step);
  if (StepFunction rounding = selectRounding(result.getType()))
    steps.push_back({rounding, 0, step->result, {step->result}});
  return true;
}

bool Body::addExtract(Operation &op) {
  auto extractOp = cast<tensor::ExtractOp>(op);
  Value source = extractOp.getTensor();
  if (source.getParentBlock() == block)
    return false;
  Step step{extract};
  for (Value index : extractOp.getIndices()) {
    std::optional<unsigned> at = registerOf(index);
    if (!at)
      return false;
    step.operands.push_back(*at);
  }
  auto known = llvm::find(tensors, source);
  step.tensor = known - tensors.begin();
  if (known == tensors.end())
    tensors.push_back(source);
  step.result = registers[extractOp.getResult()] = count++;
  steps.push_back(step);
  return true;
}

Frame Body::makeFrame(ArrayRef<Array> arrays) const {
  Frame frame{std::vector<Lanes>(count), arrays};
  for (auto [target, value] : constants) {
    Lanes &lanes = frame.registers[target];
    if (auto integer = dyn_cast<IntegerAttr>(value)) {
      APInt bits = integer.getValue();
      std::fill_n(lanes.integers, kLanes, bits.getBitWidth() == 1 ? bits.getZExtValue() : bits.getSExtValue());
    } else if (cast<FloatAttr>(value).getType().isF64()) {
      std::fill_n(lanes.doubles, kLanes, cast<FloatAttr>(value).getValueAsDouble());
    } else {
      std::fill_n(lanes.singles, kLanes, static_cast<float>(cast<FloatAttr>(value).getValueAsDouble()));
    }
  }
  return frame;
}
