// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Aggregate.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor mlir::heddle::importer::makeSequence(Emitter &emitter, Type elementType, std::vector<Part> parts) {
  return emitter.fromAggregate({Aggregate::Kind::Sequence, elementType, std::move(parts), std::nullopt, ""});
}

Tensor mlir::heddle::importer::makeNothing(Emitter &emitter) {
  return emitter.fromAggregate({Aggregate::Kind::Nothing, Type(), {}, std::nullopt, ""});
}

Tensor mlir::heddle::importer::makeForeign(Emitter &emitter, StringRef elementType) {
  return emitter.fromAggregate({Aggregate::Kind::Foreign, Type(), {}, std::nullopt, elementType.str()});
}

bool mlir::heddle::importer::isSequence(const Tensor &tensor) {
  return tensor.aggregate && tensor.aggregate->kind == Aggregate::Kind::Sequence;
}

bool mlir::heddle::importer::isNothing(const Tensor &tensor) {
  return tensor.aggregate && tensor.aggregate->kind == Aggregate::Kind::Nothing;
}

bool mlir::heddle::importer::isUnfinished(const Tensor &sequence) {
  return llvm::any_of(sequence.aggregate->parts, [](const Part &part) { return part.kind == Part::Kind::Before; });
}

//===--- Elements ------------------------------------------------------------------------------------------------===//

OpFoldResult mlir::heddle::importer::countElements(Emitter &emitter, const Tensor &sequence) {
  OpFoldResult count = emitter.sizes.constant(0);
  for (const Part &part : sequence.aggregate->parts)
    count = emitter.sizes.add(count,
                              part.kind == Part::Kind::Element ? emitter.sizes.constant(1) : part.tensor.sizes.front());
  return count;
}

Tensor mlir::heddle::importer::moveAxis(Emitter &emitter, Tensor &tensor, int64_t from, int64_t to) {
  if (from == to)
    return tensor;
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < tensor.rank(); ++d)
    if (d != from)
      order.push_back(d);
  order.insert(order.begin() + to, from);
  return emitter.transpose(tensor, order);
}

// The part with a dimension for its elements in front.
static Tensor rowsOf(Emitter &emitter, const Part &part) {
  Tensor tensor = part.tensor;
  if (part.kind == Part::Kind::Rows)
    return tensor;
  SizeList shape{emitter.sizes.constant(1)};
  llvm::append_range(shape, tensor.sizes);
  return emitter.reshape(tensor, shape);
}

std::optional<Tensor> mlir::heddle::importer::stackElements(Emitter &emitter, ArrayRef<Part> parts) {
  SizeList shape;
  for (const Part &part : parts) {
    if (part.kind == Part::Kind::Before)
      return std::nullopt;
    SizeList element = part.tensor.sizes;
    if (part.kind == Part::Kind::Rows)
      element.erase(element.begin());
    if (&part == &parts.front())
      shape = element;
    if (element.size() != shape.size())
      return std::nullopt;
    for (auto [a, b] : llvm::zip_equal(element, shape))
      if (!emitter.sizes.equal(a, b))
        return std::nullopt;
  }
  if (parts.empty())
    return std::nullopt;
  if (parts.size() == 1)
    return rowsOf(emitter, parts.front());
  OpFoldResult count = emitter.sizes.constant(0);
  SmallVector<Value> values;
  for (const Part &part : parts) {
    Tensor rows = rowsOf(emitter, part);
    count = emitter.sizes.add(count, rows.sizes.front());
    values.push_back(emitter.value(rows));
  }
  shape.insert(shape.begin(), count);
  Type elementType = parts.front().tensor.elementType;
  return emitter.concatenate(values, 0, shape, elementType);
}

Tensor mlir::heddle::importer::loadSequence(Emitter &emitter, const Tensor &sequence) {
  Aggregate loaded = *sequence.aggregate;
  for (Part &part : loaded.parts)
    if (part.tensor.elementType && !part.tensor.contents)
      emitter.value(part.tensor);
  if (!loaded.stacked)
    loaded.stacked = stackElements(emitter, loaded.parts);
  return emitter.fromAggregate(std::move(loaded));
}

//===--- Where they may stand ------------------------------------------------------------------------------------===//

std::string mlir::heddle::importer::describeAggregate(const Tensor &tensor) {
  switch (tensor.aggregate->kind) {
  case Aggregate::Kind::Sequence: return "a sequence";
  case Aggregate::Kind::Nothing: return "an optional value without an element";
  case Aggregate::Kind::Foreign: return "a tensor of type " + tensor.aggregate->foreign;
  }
  llvm_unreachable("unknown kind of aggregate");
}

std::string mlir::heddle::importer::findMisplaced(const Node &node, ArrayRef<Tensor *> operands, bool &isValid) {
  static constexpr StringLiteral kOptional[] = {"Identity", "Optional", "OptionalGetElement", "OptionalHasElement"};
  static constexpr StringLiteral kSequences[] = {"ConcatFromSequence", "SequenceAt", "SequenceErase", "SequenceInsert",
                                                 "SequenceLength"};
  std::string op = qualifiedName(node);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!operand || !operand->aggregate)
      continue;
    auto kind = operand->aggregate->kind;
    bool fits = llvm::is_contained(kOptional, op) ||
                (kind == Aggregate::Kind::Sequence && i == 0 && llvm::is_contained(kSequences, op));
    if (kind == Aggregate::Kind::Foreign ? op == "Identity" : fits)
      continue;
    isValid = kind == Aggregate::Kind::Foreign;
    std::string text = "input #" + std::to_string(i) + " '" + node.inputs[i] + "' is " + describeAggregate(*operand);
    return text + (isValid ? ", which is not supported; such a tensor may stand in a model where nothing reads it"
                           : ", which this operator does not take");
  }
  return "";
}
