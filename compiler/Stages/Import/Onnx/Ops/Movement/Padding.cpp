// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad: constants, edges, reflections and wraps; negative paddings cut.
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

struct Padding {
  SizeList before, after; // for each dimension; may be negative
  std::string mode;
};

// A negative padding cuts first: what is left, and what is put around it.
struct Cut {
  SizeList offsets, extents, low, high;
};

} // namespace

// How often the padding of a dimension turns back at an end of it, at most: 1 where it is shorter than the dimension.
static OpFoldResult countTurns(Sizes &sizes, OpFoldResult low, OpFoldResult high, OpFoldResult extent) {
  OpFoldResult one = sizes.constant(1), last = sizes.sub(extent, one);
  if (sizes.lessEqual(low, last) && sizes.lessEqual(high, last))
    return one;
  return sizes.ceilDiv(sizes.max(low, high), sizes.max(last, one));
}

// `at`, counted from the first element, brought nearer by a turn at the first and one at the last element.
static Value turnBack(Scalar &s, Value at, Value last) {
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0);
  Value low = s.select(s.less(at, zero), s.sub(zero, at), at);
  return s.select(s.less(last, low), s.sub(s.add(last, last), low), low);
}

// Where element `i` of the padded dimension comes from. `turns`: of a reflection.
static Value sourceIndex(Scalar &s, const std::string &mode, Value i, Value before, Value size, Value turns) {
  Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0), one = arith::ConstantIndexOp::create(s.b, s.loc, 1);
  Value last = s.sub(size, one), at = s.sub(i, before);
  if (mode == "edge")
    return s.min(s.max(at, zero), last);
  if (mode == "wrap") {
    Value rest = arith::RemSIOp::create(s.b, s.loc, at, size);
    return s.select(s.less(rest, zero), s.add(rest, size), rest);
  }
  if (getConstantIntValue(turns) == 1)
    return turnBack(s, at, last);
  auto loop = scf::ForOp::create(s.b, s.loc, zero, turns, one, ValueRange{at},
                                 [&](OpBuilder &b, Location loc, Value, ValueRange carried) {
                                   Scalar inner{b, loc};
                                   scf::YieldOp::create(b, loc, turnBack(inner, carried[0], last));
                                 });
  return s.max(s.min(loop.getResult(0), last), zero); // of one element, which is everywhere
}

namespace {

// How a padded tensor reads the operand.
struct PadReader {
  PadReader(NodeContext &node, const std::string &mode, const Cut &cut)
      : emitter(node.emitter), mode(mode), cut(cut), turns(cut.low.size()) {
    auto toValue = [&](OpFoldResult size) { return emitter.sizes.value(size); };
    before = llvm::map_to_vector(cut.low, toValue);
    size = llvm::map_to_vector(cut.extents, toValue);
    offset = llvm::map_to_vector(cut.offsets, toValue);
    for (size_t d = 0; mode == "reflect" && d < turns.size(); ++d)
      turns[d] = toValue(countTurns(emitter.sizes, cut.low[d], cut.high[d], cut.extents[d]));
  }

  // Where index `i` of dimension `d` comes from.
  Value place(Scalar &s, int64_t d, Value i) const {
    bool plain = getConstantIntValue(cut.low[d]) == 0 && getConstantIntValue(cut.high[d]) == 0;
    Value index = plain ? i : sourceIndex(s, mode, i, before[d], size[d], turns[d]);
    return getConstantIntValue(cut.offsets[d]) == 0 ? index : s.add(index, offset[d]);
  }

  // Whether it is computed once for each index: a reflection of several turns beside other dimensions.
  bool wantsTable(int64_t d, ArrayRef<OpFoldResult> shape) const {
    bool others = llvm::count_if(shape, [](OpFoldResult size) { return getConstantIntValue(size) != 1; }) > 1;
    return others && turns[d] && getConstantIntValue(turns[d]) != 1;
  }

  // The places of all indices, beside a tensor of that shape.
  Tensor table(int64_t d, ArrayRef<OpFoldResult> shape) const {
    Type i64 = emitter.builder.getI64Type();
    Tensor places = emitter.generate({shape[d]}, i64, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
      Scalar s{b, loc};
      return arith::IndexCastOp::create(b, loc, i64, place(s, d, v[0]));
    });
    SizeList aligned(shape.size() - d, emitter.sizes.constant(1));
    aligned.front() = shape[d];
    return emitter.reshape(places, aligned);
  }

  Emitter &emitter;
  const std::string &mode;
  const Cut &cut;
  SmallVector<Value> before, size, offset, turns;
};

} // namespace

static Tensor padByCopy(NodeContext &node, const std::string &mode, const Cut &cut, ArrayRef<OpFoldResult> shape) {
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  Value source = emitter.value(operand);
  PadReader reader(node, mode, cut);
  SmallVector<Tensor> tables;
  SmallVector<bool> hasTable;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    hasTable.push_back(reader.wantsTable(d, shape));
    if (hasTable.back())
      tables.push_back(reader.table(d, shape));
  }
  SmallVector<Tensor *> operands = llvm::map_to_vector(tables, [](Tensor &tensor) { return &tensor; });
  return emitter.generate(shape, operand.elementType, operands, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc};
    auto next = v.begin();
    ValueRange loops = v.drop_front(operands.size());
    SmallVector<Value> at;
    for (int64_t d = 0; d < operand.rank(); ++d)
      at.push_back(hasTable[d] ? Value(arith::IndexCastOp::create(b, loc, b.getIndexType(), *next++))
                               : reader.place(s, d, loops[d]));
    return tensor::ExtractOp::create(b, loc, source, at);
  });
}

// Edges, reflections and repetitions are those of an element at least. Without padding the dimension may be empty.
static LogicalResult checkReach(NodeContext &node, const Cut &cut) {
  Emitter &emitter = node.emitter;
  OpFoldResult one = emitter.sizes.constant(1), zero = emitter.sizes.constant(0);
  for (int64_t d = 0; d < node.input(0)->rank(); ++d)
    for (OpFoldResult pad : {cut.low[d], cut.high[d]}) {
      std::optional<int64_t> fixed = getConstantIntValue(pad);
      if (fixed == 0)
        continue;
      if (fixed && getConstantIntValue(cut.extents[d]) == 0)
        return node.refuse("dimension " + Twine(d) + " has no element to pad it with");
      OpFoldResult least = fixed ? one : emitter.choose(pad, zero, zero, one);
      emitter.checkLessEqual(least, cut.extents[d], "Pad: the dimension has no element to pad it with");
    }
  return success();
}

// With a fill value that only the call knows. `cut` has no negative padding left.
static Tensor padWith(Emitter &emitter, Tensor &cut, Tensor &fill, ArrayRef<OpFoldResult> low,
                      ArrayRef<OpFoldResult> shape) {
  Value source = emitter.value(cut);
  SmallVector<Value> before, size;
  for (int64_t d = 0; d < cut.rank(); ++d) {
    before.push_back(emitter.sizes.value(low[d]));
    size.push_back(emitter.sizes.value(cut.sizes[d]));
  }
  Tensor scalar = emitter.reshape(fill, {});
  return emitter.generate(shape, cut.elementType, {&scalar}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc};
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    Value inside = arith::ConstantIntOp::create(b, loc, 1, 1);
    SmallVector<Value> at;
    for (size_t d = 0; d < before.size(); ++d) {
      Value i = s.sub(v[1 + d], before[d]), last = s.sub(size[d], one);
      Value fits = arith::AndIOp::create(b, loc, s.lessEqual(zero, i), s.lessEqual(i, last));
      inside = arith::AndIOp::create(b, loc, inside, fits);
      at.push_back(s.max(s.min(i, last), zero));
    }
    return s.select(inside, tensor::ExtractOp::create(b, loc, source, at), v[0]);
  });
}

// A negative padding at one end may take more than there is, and so a part of the padding at the other end. Only
// constants can stand there.
static void cutConstant(Sizes &sizes, OpFoldResult size, OpFoldResult before, OpFoldResult after, Cut &cut) {
  OpFoldResult zero = sizes.constant(0), total = sizes.add(sizes.add(size, before), after);
  OpFoldResult begin = sizes.min(sizes.max(zero, sizes.sub(zero, before)), size);
  OpFoldResult end = sizes.max(begin, sizes.sub(size, sizes.max(zero, sizes.sub(zero, after))));
  cut.offsets.push_back(begin);
  cut.extents.push_back(sizes.sub(end, begin));
  cut.low.push_back(sizes.min(sizes.max(zero, before), total));
  cut.high.push_back(sizes.sub(sizes.sub(total, cut.low.back()), cut.extents.back()));
}

// `shape`: of the result.
static Cut cutFirst(NodeContext &node, const Padding &padding, ArrayRef<OpFoldResult> shape) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  OpFoldResult zero = sizes.constant(0);
  Cut cut;
  for (int64_t d = 0; d < node.input(0)->rank(); ++d) {
    OpFoldResult size = node.input(0)->sizes[d], before = padding.before[d], after = padding.after[d];
    emitter.checkLessEqual(zero, shape[d], "Pad: negative padding takes more than there is");
    bool sameSign = (sizes.lessEqual(zero, before) && sizes.lessEqual(zero, after)) ||
                    (sizes.lessEqual(before, zero) && sizes.lessEqual(after, zero));
    if (padding.mode == "constant" && !sameSign) {
      cutConstant(sizes, size, before, after, cut);
      continue;
    }
    OpFoldResult cutBefore = sizes.max(zero, sizes.sub(zero, before)),
                 cutAfter = sizes.max(zero, sizes.sub(zero, after));
    cut.offsets.push_back(cutBefore);
    cut.extents.push_back(sizes.sub(sizes.sub(size, cutBefore), cutAfter));
    emitter.checkLessEqual(zero, cut.extents.back(), "Pad: negative padding takes more than there is");
    cut.low.push_back(sizes.max(zero, before));
    cut.high.push_back(sizes.max(zero, after));
  }
  return cut;
}

static Tensor padConstant(NodeContext &node, const Cut &cut, ArrayRef<OpFoldResult> shape, Tensor &fill) {
  Emitter &emitter = node.emitter;
  Tensor &operand = *node.input(0);
  if (!fill.data && llvm::any_of(cut.extents, [](OpFoldResult size) { return getConstantIntValue(size) == 0; })) {
    Tensor scalar = emitter.reshape(fill, {});
    return emitter.broadcast(scalar, shape);
  }
  Tensor left = emitter.slice(operand, cut.offsets, cut.extents, SmallVector<int64_t>(operand.rank(), 1));
  if (!fill.data) {
    for (OpFoldResult extent : cut.extents)
      emitter.checkLessEqual(emitter.sizes.constant(1), extent, "Pad: nothing is left of the operand");
    return padWith(emitter, left, fill, cut.low, shape);
  }
  auto constant = cast<TypedAttr>(*fill.data->literal().value_begin<Attribute>());
  Value value = arith::ConstantOp::create(emitter.builder, emitter.loc, constant);
  auto type = RankedTensorType::get(shapeOf(shape), storageType(operand.elementType));
  Value padded =
      tensor::PadOp::create(emitter.builder, emitter.loc, type, emitter.value(left), cut.low, cut.high, value);
  return emitter.fromValue(padded, shape, operand.elementType);
}

static LogicalResult pad(NodeContext &node, const Padding &padding, Tensor &fill) {
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  if (padding.mode != "constant" && padding.mode != "reflect" && padding.mode != "edge" && padding.mode != "wrap")
    return node.unsupported("mode '" + padding.mode + "' is not supported; known: constant, reflect, edge, wrap");
  // Sums with sizes do not overflow.
  OpFoldResult most = sizes.constant(Sizes::kMostElements), least = sizes.constant(-Sizes::kMostElements);
  for (const SizeList *pads : {&padding.before, &padding.after})
    for (OpFoldResult amount : *pads) {
      emitter.checkLessEqual(least, amount, "Pad: no tensor is so long");
      emitter.checkLessEqual(amount, most, "Pad: no tensor is so long");
    }
  SizeList shape;
  for (auto [size, before, after] : llvm::zip_equal(node.input(0)->sizes, padding.before, padding.after))
    shape.push_back(sizes.add(sizes.add(size, before), after));
  Cut cut = cutFirst(node, padding, shape);
  if (padding.mode != "constant" && failed(checkReach(node, cut)))
    return failure();
  node.setOutput(0, padding.mode == "constant" ? padConstant(node, cut, shape, fill)
                                               : padByCopy(node, padding.mode, cut, shape));
  return success();
}

static LogicalResult splitPads(NodeContext &node, const SizeList &pads, const SizeList &axes, Padding &padding) {
  Emitter &emitter = node.emitter;
  int64_t rank = node.input(0)->rank();
  if (pads.size() != 2 * axes.size())
    return node.refuse("has " + Twine(pads.size()) + " paddings for " + Twine(axes.size()) + " dimensions");
  padding.before.assign(rank, emitter.sizes.constant(0));
  padding.after = padding.before;
  for (auto [i, given] : llvm::enumerate(axes)) {
    if (std::optional<int64_t> fixed = getConstantIntValue(given); fixed && !node.normalizeAxis(*fixed, rank))
      return failure();
    OpFoldResult axis = emitter.fromFront(given, emitter.sizes.constant(rank));
    for (int64_t d = 0; d < rank; ++d) {
      OpFoldResult dim = emitter.sizes.constant(d);
      padding.before[d] = emitter.choose(axis, dim, pads[i], padding.before[d]);
      padding.after[d] = emitter.choose(axis, dim, pads[i + axes.size()], padding.after[d]);
    }
  }
  return success();
}

static SizeList allAxes(NodeContext &node) {
  return SizeList(llvm::map_range(llvm::seq<int64_t>(0, node.input(0)->rank()),
                                  [&](int64_t axis) { return node.emitter.sizes.constant(axis); }));
}

static LogicalResult lowerPad(NodeContext &node) {
  if (failed(node.requireInputs(2)))
    return failure();
  std::optional<SizeList> pads = node.readContents(1), axes = node.input(3) ? node.readContents(3) : allAxes(node);
  if (!pads || !axes)
    return node.refuseFree("paddings and axes must be lists of integers of fixed length");
  Padding padding;
  padding.mode = node.getString("mode", "constant");
  if (failed(splitPads(node, *pads, *axes, padding)))
    return failure();
  Type type = node.input(0)->elementType;
  Tensor fill = node.input(2) ? *node.input(2) : makeScalar(node.emitter, type, 0);
  if (fill.elementType != type || fill.staticCount() != 1)
    return node.refuse("the fill value must be a scalar of the operand's type");
  return pad(node, padding, fill);
}

// Before operator set 11 everything is an attribute.
static LogicalResult lowerPad2(NodeContext &node) {
  if (failed(requireFloat(node, 0)))
    return failure();
  auto pads = node.getInts("pads");
  if (!pads)
    return node.refuse("needs the attribute pads");
  SizeList list;
  for (int64_t pad : *pads)
    list.push_back(node.emitter.sizes.constant(pad));
  Padding padding;
  padding.mode = node.getString("mode", "constant");
  if (failed(splitPads(node, list, allAxes(node), padding)))
    return failure();
  Tensor fill = makeScalar(node.emitter, node.input(0)->elementType, node.getFloat("value", 0));
  return pad(node, padding, fill);
}

void mlir::heddle::importer::registerPadding(LoweringTable &table) {
  table.add("Pad", 2, lowerPad2);
  table.add("Pad", 11, lowerPad);
}
