// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optional values: lists that are known while the model is read (Aggregate.h).
#include "compiler/Stages/Import/Onnx/Aggregate.h"
#include "compiler/Stages/Import/Onnx/Ops/Movement/Movement.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// Longer sequences that an axis is cut into are rows of one tensor.
static constexpr int64_t kMostElements = 64;

// The sequence that input 0 is, finished.
static const Aggregate *requireSequence(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return nullptr;
  Tensor &operand = *node.input(0);
  if (!isSequence(operand)) {
    (void)node.refuse("input #0 must be a sequence");
    return nullptr;
  }
  if (!isUnfinished(operand))
    return operand.aggregate;
  (void)node.unsupported("reads a sequence that the loop around it appends to; read what the last iteration made as a "
                         "loop-carried tensor, or the sequence behind the loop");
  return nullptr;
}

std::optional<std::vector<Part>> mlir::heddle::importer::listElements(Emitter &emitter, ArrayRef<Part> parts) {
  std::vector<Part> list;
  for (const Part &part : parts) {
    if (part.kind != Part::Kind::Rows) {
      list.push_back(part);
      continue;
    }
    Tensor rows = part.tensor;
    std::optional<int64_t> count = rows.staticSize(0);
    if (!count || *count > kMostElements)
      return std::nullopt;
    SizeList ones(*count, emitter.sizes.constant(1));
    for (Tensor &row : splitAlong(emitter, rows, 0, ones))
      list.push_back({Part::Kind::Element, emitter.reshape(row, ArrayRef<OpFoldResult>(row.sizes).drop_front())});
  }
  return list;
}

// The integer in input `i`; nothing if the node was refused.
static std::optional<OpFoldResult> readPosition(NodeContext &node, size_t i) {
  std::optional<SizeList> read = node.readContents(i);
  if (read && read->size() == 1)
    return node.emitter.sizes.simplify(read->front());
  (void)node.refuseFree("the position must be one integer");
  return std::nullopt;
}

// Which of `count` places a constant position is, which may count from the end; nothing if the node was refused.
static std::optional<int64_t> placeOf(NodeContext &node, int64_t position, int64_t count, int64_t elements) {
  if (position >= -elements && position < count)
    return position < 0 ? position + elements : position;
  (void)node.refuse("position " + Twine(position) + " is outside a sequence of " + Twine(elements));
  return std::nullopt;
}

static LogicalResult refusePosition(NodeContext &node) {
  return node.unsupported("the position must be a constant, and the number of elements before it fixed");
}

//===--- Making and changing -------------------------------------------------------------------------------------===//

static LogicalResult lowerSequenceEmpty(NodeContext &node) {
  Type type = getElementType(node.emitter.builder.getContext(), node.getInt("dtype", 1));
  if (!type)
    return node.unsupported("sequences of " + Twine(getDataTypeName(node.getInt("dtype", 1))) + " are not supported");
  node.setOutput(0, makeSequence(node.emitter, type, {}));
  return success();
}

static LogicalResult lowerSequenceConstruct(NodeContext &node) {
  if (failed(node.requireInputs(std::max<size_t>(1, node.numInputs()))))
    return failure();
  std::vector<Part> parts;
  for (size_t i = 0; i < node.numInputs(); ++i)
    parts.push_back({Part::Kind::Element, *node.input(i)});
  node.setOutput(0, makeSequence(node.emitter, node.input(0)->elementType, std::move(parts)));
  return success();
}

static LogicalResult lowerSequenceInsert(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  Tensor &sequence = *node.input(0), &element = *node.input(1);
  if (!isSequence(sequence))
    return node.refuse("input #0 must be a sequence");
  Type type = sequence.aggregate->elementType;
  if (element.elementType != type)
    return node.refuse("the element must be of the type that the sequence has");
  std::vector<Part> parts = sequence.aggregate->parts;
  if (!node.input(2)) {
    parts.push_back({Part::Kind::Element, element});
    node.setOutput(0, makeSequence(node.emitter, type, std::move(parts)));
    return success();
  }
  std::optional<OpFoldResult> position = readPosition(node, 2);
  if (!position)
    return failure();
  std::optional<std::vector<Part>> list = listElements(node.emitter, parts);
  std::optional<int64_t> fixed = getConstantIntValue(*position);
  if (!fixed || isUnfinished(sequence) || (!list && *fixed != 0))
    return refusePosition(node);
  int64_t count = list ? static_cast<int64_t>(list->size()) : 0;
  std::optional<int64_t> place = placeOf(node, *fixed, count + 1, count);
  if (!place)
    return failure();
  if (list)
    parts = std::move(*list);
  parts.insert(parts.begin() + *place, Part{Part::Kind::Element, element});
  node.setOutput(0, makeSequence(node.emitter, type, std::move(parts)));
  return success();
}

static LogicalResult lowerSequenceErase(NodeContext &node) {
  const Aggregate *sequence = requireSequence(node);
  if (!sequence)
    return failure();
  OpFoldResult last = node.emitter.sizes.constant(-1);
  std::optional<OpFoldResult> position = node.input(1) ? readPosition(node, 1) : last;
  if (!position)
    return failure();
  std::optional<std::vector<Part>> list = listElements(node.emitter, sequence->parts);
  std::optional<int64_t> fixed = getConstantIntValue(*position);
  if (!fixed || !list)
    return refusePosition(node);
  int64_t count = static_cast<int64_t>(list->size());
  std::optional<int64_t> place = placeOf(node, *fixed, count, count);
  if (!place)
    return failure();
  list->erase(list->begin() + *place);
  node.setOutput(0, makeSequence(node.emitter, sequence->elementType, std::move(*list)));
  return success();
}

// An axis in parts of one size, which divides it, or of single elements without a dimension for them (0); those of a
// free or large number are rows of one tensor.
static std::vector<Part> splitEvenly(Emitter &emitter, Tensor &operand, int64_t axis, int64_t chunk) {
  SizeList shape = operand.sizes;
  if (chunk > 0) {
    shape[axis] = emitter.sizes.floorDiv(shape[axis], emitter.sizes.constant(chunk));
    shape.insert(shape.begin() + axis + 1, emitter.sizes.constant(chunk));
  }
  Tensor apart = emitter.reshape(operand, shape);
  Tensor rows = moveAxis(emitter, apart, axis, 0);
  std::vector<Part> whole{{Part::Kind::Rows, rows}};
  return listElements(emitter, whole).value_or(whole);
}

// The sizes of the parts of an axis; empty where all are `each`. `split`: an input of the node.
static LogicalResult partsOf(NodeContext &node, size_t split, OpFoldResult size, SizeList &parts, int64_t &each) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  std::optional<SizeList> given = node.readContents(split);
  if (!given)
    return node.refuseFree("the sizes of the parts must be an integer, or a list of integers of fixed length");
  if (node.input(split)->rank() == 1) {
    emitter.requireSizes(*given, "SplitToSequence: the size of a part is negative");
    parts = *given;
    return checkParts(node, parts, size);
  }
  std::optional<int64_t> chunk = getConstantIntValue(sizes.simplify(given->front())), whole = getConstantIntValue(size);
  if (chunk && *chunk < 1)
    return node.refuse("the size of a part must be at least 1, got " + Twine(*chunk));
  if (!chunk)
    return node.unsupported("the size of a part must be a constant where it is one for all parts");
  each = *chunk;
  if (*chunk == 1 || (whole && *whole / *chunk > kMostElements && *whole % *chunk == 0))
    return success();
  if (!whole) { // rows have one size
    emitter.checkEqual(sizes.mul(sizes.floorDiv(size, sizes.constant(*chunk)), sizes.constant(*chunk)), size,
                       "SplitToSequence: a dimension of free size must be a multiple of the size of its parts");
    return success();
  }
  if (*whole / *chunk > kMostElements)
    return node.unsupported("at most " + Twine(kMostElements) + " parts may have a smaller one after them");
  for (int64_t left = *whole; left > 0; left -= *chunk)
    parts.push_back(sizes.constant(std::min(left, *chunk)));
  return success();
}

static LogicalResult lowerSplitToSequence(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), operand.rank());
  SizeList sizes;
  int64_t each = node.input(1) || node.getInt("keepdims", 1);
  if (!axis || (node.input(1) && failed(partsOf(node, 1, operand.sizes[*axis], sizes, each))))
    return failure();
  bool listed = node.input(1) && node.input(1)->rank() == 1;
  std::vector<Part> parts;
  if (sizes.empty() && !listed)
    parts = splitEvenly(emitter, operand, *axis, each);
  else
    for (Tensor &part : splitAlong(emitter, operand, *axis, sizes))
      parts.push_back({Part::Kind::Element, std::move(part)});
  node.setOutput(0, makeSequence(emitter, operand.elementType, std::move(parts)));
  return success();
}

//===--- Reading -------------------------------------------------------------------------------------------------===//

static LogicalResult lowerSequenceLength(NodeContext &node) {
  if (!requireSequence(node))
    return failure();
  OpFoldResult count = countElements(node.emitter, *node.input(0));
  node.setOutput(0, node.emitter.fromContents(node.emitter.builder.getI64Type(), {}, {count}));
  return success();
}

// The element at a position of the call: a row of all elements, which need one shape for that.
static LogicalResult readAtCall(NodeContext &node, const Aggregate &sequence, OpFoldResult position) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  std::optional<Tensor> rows = sequence.stacked ? sequence.stacked : stackElements(emitter, sequence.parts);
  if (!rows)
    return node.unsupported("a position that only the call knows needs elements of one shape");
  OpFoldResult count = rows->sizes.front(), place = emitter.fromFront(position, count);
  emitter.checkLessEqual(sizes.constant(0), place, "SequenceAt: the position is outside the sequence");
  emitter.checkLessEqual(sizes.add(place, sizes.constant(1)), count,
                         "SequenceAt: the position is outside the sequence");
  SizeList offsets(rows->rank(), sizes.constant(0)), extents = rows->sizes;
  offsets[0] = place;
  extents[0] = sizes.constant(1);
  Tensor row = emitter.slice(*rows, offsets, extents, SmallVector<int64_t>(rows->rank(), 1));
  node.setOutput(0, emitter.reshape(row, ArrayRef<OpFoldResult>(extents).drop_front()));
  return success();
}

static LogicalResult lowerSequenceAt(NodeContext &node) {
  const Aggregate *sequence = requireSequence(node);
  std::optional<OpFoldResult> position = sequence ? readPosition(node, 1) : std::nullopt;
  if (!position)
    return failure();
  std::optional<std::vector<Part>> list = listElements(node.emitter, sequence->parts);
  std::optional<int64_t> fixed = getConstantIntValue(*position);
  if (!fixed || !list)
    return readAtCall(node, *sequence, *position);
  int64_t count = static_cast<int64_t>(list->size());
  std::optional<int64_t> place = placeOf(node, *fixed, count, count);
  if (!place)
    return failure();
  node.setOutput(0, (*list)[*place].tensor);
  return success();
}

// The elements of a part side by side along `axis`, a dimension of their own there with `isNew`.
static Tensor joinPart(Emitter &emitter, const Part &part, int64_t axis, bool isNew) {
  Tensor tensor = part.tensor;
  SizeList shape = tensor.sizes;
  if (part.kind == Part::Kind::Element) {
    if (!isNew)
      return tensor;
    shape.insert(shape.begin() + axis, emitter.sizes.constant(1));
    return emitter.reshape(tensor, shape);
  }
  Tensor moved = moveAxis(emitter, tensor, 0, axis);
  if (isNew)
    return moved;
  shape = moved.sizes;
  shape[axis] = emitter.sizes.mul(shape[axis], shape[axis + 1]);
  shape.erase(shape.begin() + axis + 1);
  return emitter.reshape(moved, shape);
}

static LogicalResult lowerConcatFromSequence(NodeContext &node) {
  const Aggregate *sequence = requireSequence(node);
  if (!sequence)
    return failure();
  if (sequence->parts.empty())
    return node.refuse("the sequence has no element, so that the result's shape is not known");
  const Part &first = sequence->parts.front();
  bool isNew = node.getInt("new_axis", 0) != 0;
  int64_t rank = first.tensor.rank() - (first.kind == Part::Kind::Rows ? 1 : 0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), rank + (isNew ? 1 : 0));
  if (!axis)
    return failure();
  SmallVector<Tensor> joined;
  for (const Part &part : sequence->parts) {
    if (part.tensor.rank() - (part.kind == Part::Kind::Rows ? 1 : 0) != rank)
      return node.refuse("the elements have different ranks");
    joined.push_back(joinPart(node.emitter, part, *axis, isNew));
  }
  SmallVector<Tensor *> operands = llvm::map_to_vector(joined, [](Tensor &tensor) { return &tensor; });
  FailureOr<Tensor> result = node.lowerAs("Concat", 13, operands, node.attributes());
  if (succeeded(result))
    node.setOutput(0, std::move(*result));
  return result;
}

//===--- Optional values -----------------------------------------------------------------------------------------===//

// A value with an element is that element.
static LogicalResult lowerOptional(NodeContext &node) {
  node.setOutput(0, node.input(0) ? *node.input(0) : makeNothing(node.emitter));
  return success();
}

static LogicalResult lowerOptionalHasElement(NodeContext &node) {
  bool has = node.input(0) && !isNothing(*node.input(0));
  Emitter &emitter = node.emitter;
  node.setOutput(0, emitter.fromContents(emitter.builder.getI1Type(), {}, {emitter.sizes.constant(has)}));
  return success();
}

static LogicalResult lowerOptionalGetElement(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  if (isNothing(*node.input(0)))
    return node.refuse("the optional value has no element");
  node.setOutput(0, *node.input(0));
  return success();
}

void mlir::heddle::importer::registerSequences(LoweringTable &table) {
  table.add("ConcatFromSequence", 11, lowerConcatFromSequence);
  table.add("Optional", 15, lowerOptional);
  table.add("OptionalGetElement", 15, lowerOptionalGetElement);
  table.add("OptionalHasElement", 15, lowerOptionalHasElement);
  table.add("SequenceAt", 11, lowerSequenceAt);
  table.add("SequenceConstruct", 11, lowerSequenceConstruct);
  table.add("SequenceEmpty", 11, lowerSequenceEmpty);
  table.add("SequenceErase", 11, lowerSequenceErase);
  table.add("SequenceInsert", 11, lowerSequenceInsert);
  table.add("SequenceLength", 11, lowerSequenceLength);
  table.add("SplitToSequence", 11, lowerSplitToSequence);
}
