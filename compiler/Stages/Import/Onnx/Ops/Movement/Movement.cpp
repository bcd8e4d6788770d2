// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that rearrange elements without computing: reshapes, transposes, copies.
#include "compiler/Stages/Import/Onnx/Ops/Movement/Movement.h"
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Model/Schema.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static LogicalResult lowerIdentity(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  node.setOutput(0, *node.input(0));
  return success();
}

static LogicalResult lowerTranspose(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  int64_t rank = node.input(0)->rank();
  SmallVector<int64_t> permutation(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  if (auto given = node.getInts("perm"))
    permutation = *given;
  std::optional<SmallVector<int64_t>> normal = node.normalizeAxes(permutation, rank);
  if (!normal)
    return failure();
  if (static_cast<int64_t>(normal->size()) != rank)
    return node.refuse("attribute 'perm' has " + Twine(normal->size()) + " entries for a tensor of rank " +
                       Twine(rank));
  node.setOutput(0, node.emitter.transpose(*node.input(0), *normal));
  return success();
}

//===--- Reshape -------------------------------------------------------------------------------------------------===//

// The same for numbers that only the call knows. emitter.reshape checks the number of elements.
static LogicalResult resolveShapeAtCall(NodeContext &node, const SizeList &requested, SizeList &shape) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &operand = *node.input(0);
  OpFoldResult zero = sizes.constant(0), one = sizes.constant(1), minusOne = sizes.constant(-1), known = one;
  for (auto [i, size] : llvm::enumerate(requested)) {
    emitter.checkLessEqual(minusOne, size, "Reshape: a size of the new shape is negative");
    bool copies = node.getInt("allowzero", 0) == 0 && static_cast<int64_t>(i) < operand.rank();
    shape.push_back(copies ? emitter.choose(size, zero, operand.sizes[i], size) : size);
    known = sizes.mul(known, emitter.choose(shape.back(), minusOne, one, shape.back()));
  }
  OpFoldResult rest = sizes.floorDiv(sizes.product(operand.sizes), sizes.max(known, one));
  for (OpFoldResult &size : shape)
    size = sizes.max(emitter.choose(size, minusOne, rest, size), zero);
  return success();
}

// Replaces 0 by the operand's size and -1 by what is left.
static LogicalResult resolveShape(NodeContext &node, const SizeList &requested, SizeList &shape) {
  Sizes &sizes = node.emitter.sizes;
  Tensor &operand = *node.input(0);
  bool allowZero = node.getInt("allowzero", 0) != 0;
  if (llvm::any_of(requested, [&](OpFoldResult size) { return !sizes.isNonNegative(size) && isa<Value>(size); }))
    return resolveShapeAtCall(node, requested, shape);
  std::optional<size_t> inferred;
  for (auto [i, size] : llvm::enumerate(requested)) {
    std::optional<int64_t> fixed = getConstantIntValue(size);
    if (fixed == 0 && !allowZero) {
      if (static_cast<int64_t>(i) >= operand.rank())
        return node.refuse("entry " + Twine(i) + " of the new shape is 0, but the operand has rank " +
                           Twine(operand.rank()));
      shape.push_back(operand.sizes[i]);
    } else if (fixed && *fixed < 0) {
      if (*fixed != -1 || inferred)
        return node.refuse("the new shape may have one -1 and no other negative number");
      inferred = i;
      shape.push_back(sizes.constant(1));
    } else {
      shape.push_back(size);
    }
  }
  OpFoldResult count = sizes.product(operand.sizes), known = sizes.product(shape);
  std::optional<int64_t> fixedCount = getConstantIntValue(count), fixedKnown = getConstantIntValue(known);
  if (inferred && fixedKnown == 0)
    return node.refuse("the new shape has both a -1 and a 0");
  if (inferred)
    shape[*inferred] = sizes.floorDiv(count, known);
  if (fixedCount && fixedKnown && (inferred ? *fixedCount % *fixedKnown != 0 : *fixedCount != *fixedKnown))
    return node.refuse("cannot reshape " + Twine(*fixedCount) + " elements to " + spellSizes(requested) +
                       (inferred ? ", whose other sizes hold " : ", which holds ") + Twine(*fixedKnown));
  return success();
}

static LogicalResult lowerReshape(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  std::optional<SizeList> requested = node.readContents(1);
  if (!requested)
    return node.refuseFree("the new shape must be a list of integers of fixed length");
  SizeList shape;
  if (failed(resolveShape(node, *requested, shape)))
    return failure();
  node.setOutput(0, node.emitter.reshape(*node.input(0), shape));
  return success();
}

static LogicalResult lowerFlatten(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Tensor &operand = *node.input(0);
  int64_t axis = node.getInt("axis", 1), rank = operand.rank();
  if (rank == 0 && axis == 1) // the attribute's default: [1, 1], as in onnx's evaluator
    axis = 0;
  if (axis < -rank || axis > rank)
    return node.refuse("axis " + Twine(axis) + " is outside a tensor of rank " + Twine(rank));
  axis = axis < 0 ? axis + rank : axis;
  Sizes &sizes = node.emitter.sizes;
  ArrayRef<OpFoldResult> all(operand.sizes);
  SizeList shape{sizes.product(all.take_front(axis)), sizes.product(all.drop_front(axis))};
  node.setOutput(0, node.emitter.reshape(operand, shape));
  return success();
}

// `axes`: attribute before operand set 13, second input from then on.
static std::optional<SmallVector<int64_t>> axesOf(NodeContext &node) {
  if (node.version() < 13)
    return node.getInts("axes");
  return node.constantInts(1);
}

static LogicalResult lowerUnsqueeze(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  std::optional<SmallVector<int64_t>> axes = axesOf(node);
  Tensor &operand = *node.input(0);
  if (!axes) {
    std::optional<SizeList> read = node.readContents(1);
    if (!read)
      return node.refuseFree("the axes must be a list of integers of fixed length");
    SizeList marks = node.emitter.marked(*read, operand.rank() + static_cast<int64_t>(read->size()));
    node.setOutput(0, node.emitter.reshape(operand, node.emitter.withMarked(operand.sizes, marks)));
    return success();
  }
  int64_t rank = operand.rank() + static_cast<int64_t>(axes->size()), next = 0;
  std::optional<SmallVector<int64_t>> normal = node.normalizeAxes(*axes, rank);
  if (!normal)
    return failure();
  SizeList shape;
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(llvm::is_contained(*normal, d) ? node.emitter.sizes.constant(1) : operand.sizes[next++]);
  node.setOutput(0, node.emitter.reshape(operand, shape));
  return success();
}

static LogicalResult squeezeAtCall(NodeContext &node) {
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  std::optional<SizeList> axes = node.readContents(1);
  if (!axes || static_cast<int64_t>(axes->size()) > operand.rank())
    return node.refuseFree("the axes must be a list of integers of fixed length, at most the rank");
  SizeList marks = emitter.marked(*axes, operand.rank());
  OpFoldResult one = emitter.sizes.constant(1);
  for (auto [size, mark] : llvm::zip(operand.sizes, marks))
    emitter.checkEqual(emitter.choose(mark, one, size, one), one,
                       "Squeeze: the size of a squeezed dimension must be 1");
  int64_t rank = operand.rank() - static_cast<int64_t>(axes->size());
  node.setOutput(0, emitter.reshape(operand, emitter.withoutMarked(operand.sizes, marks, rank)));
  return success();
}

// Without axes every dimension of size 1 goes. How many a result has must be known here, so a free size is taken to be
// 1 where the model declares a result without it, else to be another one. Calls in which it is not what it was taken
// for fail.
static LogicalResult squeezeAll(NodeContext &node) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &operand = *node.input(0);
  auto isLonger = [](OpFoldResult size) { return getConstantIntValue(size).value_or(1) != 1; };
  int64_t longer = llvm::count_if(operand.sizes, isLonger);
  bool dropFree = node.declaredRank(0) == longer;
  SizeList shape;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    bool isFree = !operand.staticSize(d);
    if (isFree && dropFree)
      emitter.checkEqual(operand.sizes[d], sizes.constant(1),
                         "Squeeze: the declared result has no dimension for dimension " + Twine(d) +
                             " of the operand, which must be of size 1");
    else if (isFree)
      emitter.checkEqual(sizes.isEqual(operand.sizes[d], sizes.constant(1)), sizes.constant(0),
                         "Squeeze without axes: dimension " + Twine(d) +
                             " is of size 1 in this call, which the result would lack; export the model with axes, or "
                             "with a fixed size");
    if (isFree ? !dropFree : !operand.isStaticSize(d, 1))
      shape.push_back(operand.sizes[d]);
  }
  node.setOutput(0, emitter.reshape(operand, shape));
  return success();
}

static LogicalResult lowerSqueeze(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Tensor &operand = *node.input(0);
  std::optional<SmallVector<int64_t>> axes = axesOf(node);
  if (!axes && node.input(1))
    return squeezeAtCall(node);
  if (!axes)
    return squeezeAll(node);
  std::optional<SmallVector<int64_t>> dropped = node.normalizeAxes(*axes, operand.rank());
  if (!dropped)
    return failure();
  SizeList shape;
  OpFoldResult one = node.emitter.sizes.constant(1);
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!llvm::is_contained(*dropped, d))
      shape.push_back(operand.sizes[d]);
    else if (!operand.staticSize(d))
      node.emitter.checkEqual(operand.sizes[d], one, "Squeeze: the size of a squeezed dimension must be 1");
    else if (!operand.isStaticSize(d, 1))
      return node.refuse("dimension " + Twine(d) + " has size " + Twine(*operand.staticSize(d)) + ", not 1");
  }
  node.setOutput(0, node.emitter.reshape(operand, shape));
  return success();
}

//===--- Expand, Tile, Concat, Split -----------------------------------------------------------------------------===//

static LogicalResult lowerExpand(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  std::optional<SizeList> target = node.readContents(1);
  if (!target)
    return node.refuseFree("the new shape must be a list of integers of fixed length");
  node.emitter.requireSizes(*target, "Expand: a size of the new shape is negative");
  Tensor &operand = *node.input(0);
  std::optional<SizeList> shape = node.emitter.broadcastSizes({operand.sizes, *target});
  if (!shape)
    return node.refuse("the operand does not broadcast to the new shape");
  node.setOutput(0, node.emitter.broadcast(operand, *shape));
  return success();
}

// The operand's elements at all repetitions of `wide`, whose dimensions `places` are the operand's. A last dimension
// that only the call knows is read at 0 where it has one element: its rows of one are rows of all repetitions then.
static Tensor repeatElements(Emitter &emitter, Tensor &operand, ArrayRef<int64_t> places, const SizeList &wide) {
  Value tensor = emitter.value(operand), one = emitter.sizes.value(emitter.sizes.constant(1));
  Value isOne = arith::CmpIOp::create(emitter.builder, emitter.loc, arith::CmpIPredicate::eq,
                                      emitter.sizes.value(operand.sizes.back()), one);
  return emitter.generate(wide, operand.elementType, {}, [&](OpBuilder &b, Location loc, ValueRange at) {
    auto index = llvm::map_to_vector(places, [&](int64_t place) { return at[place]; });
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    index.back() = arith::SelectOp::create(b, loc, isOne, zero, index.back());
    return Value(tensor::ExtractOp::create(b, loc, tensor, index));
  });
}

// Element i of the result is element i mod size of the operand: [n, m] as [n, r] x [m] is a broadcast and a reshape.
static LogicalResult lowerTile(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  std::optional<SizeList> repeats = node.readContents(1);
  Tensor &operand = *node.input(0);
  if (!repeats || static_cast<int64_t>(repeats->size()) != operand.rank())
    return node.refuse("needs one repetition count for each dimension");
  if (llvm::any_of(*repeats, [](OpFoldResult repeat) { return getConstantIntValue(repeat).value_or(0) < 0; }))
    return node.refuse("repetition counts must not be negative");
  node.emitter.requireSizes(*repeats, "Tile: a number of repetitions is negative");
  Sizes &sizes = node.emitter.sizes;
  SizeList split, wide, shape;
  SmallVector<int64_t> places;
  for (auto [size, repeat] : llvm::zip(operand.sizes, *repeats)) {
    if (getConstantIntValue(repeat) != 1) {
      split.push_back(sizes.constant(1));
      wide.push_back(repeat);
    }
    places.push_back(wide.size());
    split.push_back(size);
    wide.push_back(size);
    shape.push_back(sizes.mul(size, repeat));
    int64_t product;
    if (llvm::MulOverflow(getConstantIntValue(size).value_or(0), getConstantIntValue(repeat).value_or(0), product))
      return node.unsupported("a result of " + Twine(*getConstantIntValue(size)) + " times " +
                              Twine(*getConstantIntValue(repeat)) + " elements is larger than any memory");
  }
  bool hasFreeColumns = operand.rank() > 0 && !operand.contents && !operand.staticSize(operand.rank() - 1) &&
                        getConstantIntValue(repeats->back()) != 1;
  Tensor apart = node.emitter.reshape(operand, split);
  Tensor repeated =
      hasFreeColumns ? repeatElements(node.emitter, operand, places, wide) : node.emitter.broadcast(apart, wide);
  node.setOutput(0, node.emitter.reshape(repeated, shape));
  return success();
}

static LogicalResult lowerConcat(NodeContext &node) {
  if (node.numInputs() == 0 || failed(requireSameType(node, node.numInputs())))
    return node.refuse("needs at least one input");
  Emitter &emitter = node.emitter;
  Tensor &first = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 1), first.rank());
  if (!axis)
    return failure();
  SizeList shape = first.sizes, contents;
  SmallVector<Tensor *> parts;
  bool known = first.rank() == 1;
  shape[*axis] = emitter.sizes.constant(0);
  for (size_t i = 0; i < node.numInputs(); ++i) {
    Tensor &part = *node.input(i);
    if (part.rank() != first.rank())
      return node.refuse("the operands have different ranks");
    for (int64_t d = 0; d < part.rank(); ++d) {
      if (d == *axis)
        continue;
      if (part.staticSize(d) && first.staticSize(d) && *part.staticSize(d) != *first.staticSize(d))
        return node.refuse("the operands have different sizes in dimension " + Twine(d));
      emitter.checkEqual(shape[d], part.sizes[d], "Concat: the sizes of the operands must be equal");
      if (part.staticSize(d))
        shape[d] = part.sizes[d];
    }
    shape[*axis] = emitter.sizes.add(shape[*axis], part.sizes[*axis]);
    known &= part.contents.has_value();
    if (known)
      llvm::append_range(contents, *part.contents);
    if (!part.isStaticSize(*axis, 0))
      parts.push_back(&part);
  }
  if (known) {
    node.setOutput(0, emitter.fromContents(first.elementType, shape, std::move(contents)));
    return success();
  }
  if (parts.size() <= 1) {
    node.setOutput(0, parts.empty() ? first : *parts.front());
    return success();
  }
  SmallVector<Value> values = llvm::map_to_vector(parts, [&](Tensor *part) { return emitter.value(*part); });
  node.setOutput(0, emitter.concatenate(values, *axis, shape, first.elementType));
  return success();
}

LogicalResult mlir::heddle::importer::checkParts(NodeContext &node, ArrayRef<OpFoldResult> parts, OpFoldResult size) {
  Sizes &sizes = node.emitter.sizes;
  OpFoldResult sum = sizes.constant(0);
  for (OpFoldResult part : parts) {
    if (int64_t fixed = getConstantIntValue(part).value_or(0); fixed < 0 || fixed > Sizes::kMostElements)
      return node.refuse("a part of size " + Twine(fixed) + " is in no tensor");
    node.emitter.checkLessEqual(part, size, "Split: a part is larger than the operand");
    sum = sizes.add(sum, part);
  }
  if (sizes.different(sum, size))
    return node.refuse("the sizes of the parts do not add up to the operand's");
  node.emitter.checkEqual(sum, size, "Split: the sizes of the parts must add up to the operand's");
  return success();
}

// The sizes of Split's outputs along the axis.
static LogicalResult splitSizes(NodeContext &node, OpFoldResult size, SizeList &parts) {
  Sizes &sizes = node.emitter.sizes;
  if (node.version() < 13) {
    if (auto given = node.getInts("split"))
      for (int64_t part : *given)
        parts.push_back(sizes.constant(part));
  } else if (node.input(1)) {
    std::optional<SizeList> given = node.readContents(1);
    if (!given)
      return node.refuseFree("the sizes of the parts must be a list of integers of fixed length");
    parts = *given;
    node.emitter.requireSizes(parts, "Split: the size of a part is negative");
  }
  int64_t count = static_cast<int64_t>(node.numOutputs());
  if (parts.empty()) {
    // Equal parts, the last one smaller.
    if (node.hasAttribute("num_outputs") && node.getInt("num_outputs", 0) != count)
      return node.refuse("attribute 'num_outputs' is not the number of outputs");
    OpFoldResult chunk = sizes.ceilDiv(size, sizes.constant(count)), left = size;
    for (int64_t i = 0; i < count; ++i) {
      parts.push_back(i + 1 < count ? sizes.min(chunk, left) : left);
      left = sizes.sub(left, parts.back());
    }
  }
  if (static_cast<int64_t>(parts.size()) != count)
    return node.refuse("has " + Twine(parts.size()) + " sizes for " + Twine(count) + " outputs");
  return checkParts(node, parts, size);
}

SmallVector<Tensor> mlir::heddle::importer::splitAlong(Emitter &emitter, Tensor &operand, int64_t axis,
                                                       ArrayRef<OpFoldResult> parts) {
  SizeList offsets(operand.rank(), emitter.sizes.constant(0));
  SmallVector<int64_t> steps(operand.rank(), 1);
  bool known = operand.contents && operand.rank() == 1 && getConstantIntValues(parts);
  int64_t begin = 0;
  SmallVector<Tensor> results;
  for (OpFoldResult part : parts) {
    SizeList extents = operand.sizes;
    extents[axis] = part;
    if (known) {
      int64_t count = *getConstantIntValue(part);
      SizeList elements(ArrayRef<OpFoldResult>(*operand.contents).slice(begin, count));
      begin += count;
      results.push_back(emitter.fromContents(operand.elementType, extents, std::move(elements)));
      continue;
    }
    results.push_back(emitter.slice(operand, offsets, extents, steps));
    offsets[axis] = emitter.sizes.add(offsets[axis], part);
  }
  return results;
}

static LogicalResult lowerSplit(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Tensor &operand = *node.input(0);
  std::optional<int64_t> axis = node.normalizeAxis(node.getInt("axis", 0), operand.rank());
  SizeList parts;
  if (!axis || failed(splitSizes(node, operand.sizes[*axis], parts)))
    return failure();
  for (auto [i, part] : llvm::enumerate(splitAlong(node.emitter, operand, *axis, parts)))
    node.setOutput(i, std::move(part));
  return success();
}

//===--- Blocks and triangles ------------------------------------------------------------------------------------===//

// The part on and above (below) a diagonal of the matrices in the last two dimensions.
static LogicalResult lowerTrilu(NodeContext &node) {
  if (failed(node.requireInputs(1)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0), diagonal = makeScalar(emitter, emitter.builder.getI64Type(), 0);
  if (operand.rank() < 2)
    return node.refuse("needs matrices, got a tensor of rank " + Twine(operand.rank()));
  if (node.input(1)) {
    if (!node.input(1)->elementType.isInteger(64) || node.input(1)->staticCount() != 1)
      return node.refuse("the diagonal must be one number of type int64");
    diagonal = emitter.reshape(*node.input(1), {});
  }
  bool upper = node.getInt("upper", 1) != 0;
  int64_t rank = operand.rank();
  node.setOutput(0, emitter.generate(operand.sizes, operand.elementType, {&operand, &diagonal},
                                     [=](OpBuilder &b, Location loc, ValueRange v) {
                                       Scalar s{b, loc};
                                       Value shift = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[1]);
                                       Value row = s.add(v[rank], shift), column = v[rank + 1];
                                       Value keep = upper ? s.lessEqual(row, column) : s.lessEqual(column, row);
                                       return s.select(keep, v[0], s.constant(v[0].getType(), 0));
                                     }));
  return success();
}

// Between [n, c, h, w] with blocks of b: DepthToSpace splits c, SpaceToDepth splits h and w.
static LogicalResult lowerDepthSpace(NodeContext &node, bool toSpace) {
  if (failed(node.requireInputs(1)))
    return failure();
  Tensor &operand = *node.input(0);
  Sizes &sizes = node.emitter.sizes;
  int64_t block = node.getInt("blocksize", 0);
  constexpr int64_t kLimit = 1 << 24;
  if (operand.rank() != 4 || block < 1 || block > kLimit)
    return node.unsupported("needs a tensor of rank 4 and a blocksize from 1 to " + Twine(kLimit) + ", got " +
                            Twine(block));
  OpFoldResult n = operand.sizes[0], c = operand.sizes[1], h = operand.sizes[2], w = operand.sizes[3];
  OpFoldResult b = sizes.constant(block), square = sizes.constant(block * block);
  if (toSpace) {
    bool columnRow = node.getString("mode", "DCR") == "CRD";
    OpFoldResult depth = sizes.floorDiv(c, square);
    Tensor apart =
        node.emitter.reshape(operand, columnRow ? SizeList{n, depth, b, b, h, w} : SizeList{n, b, b, depth, h, w});
    Tensor moved = node.emitter.transpose(apart, columnRow ? ArrayRef<int64_t>{0, 1, 4, 2, 5, 3}
                                                           : ArrayRef<int64_t>{0, 3, 4, 1, 5, 2});
    node.setOutput(0, node.emitter.reshape(moved, {n, depth, sizes.mul(h, b), sizes.mul(w, b)}));
    return success();
  }
  OpFoldResult rows = sizes.floorDiv(h, b), columns = sizes.floorDiv(w, b);
  Tensor apart = node.emitter.reshape(operand, {n, c, rows, b, columns, b});
  Tensor moved = node.emitter.transpose(apart, {0, 3, 5, 1, 2, 4});
  node.setOutput(0, node.emitter.reshape(moved, {n, sizes.mul(c, square), rows, columns}));
  return success();
}

void mlir::heddle::importer::registerMovement(LoweringTable &table) {
  table.add("Identity", 1, lowerIdentity);
  table.add("Transpose", 1, lowerTranspose);
  table.add("Reshape", 5, lowerReshape);
  table.add("Flatten", 1, lowerFlatten);
  table.add("Unsqueeze", 1, lowerUnsqueeze);
  table.add("Squeeze", 1, lowerSqueeze);
  table.add("Expand", 8, lowerExpand);
  table.add("Tile", 6, lowerTile);
  table.add("Concat", 4, lowerConcat);
  table.add("Split", 2, lowerSplit);
  table.add("Trilu", 14, lowerTrilu);
  table.add("DepthToSpace", 1, [](NodeContext &node) { return lowerDepthSpace(node, true); });
  table.add("SpaceToDepth", 1, [](NodeContext &node) { return lowerDepthSpace(node, false); });
}
