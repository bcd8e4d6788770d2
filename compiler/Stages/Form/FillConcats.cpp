// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_FILLCONCATS
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// The values that a concatenation has behind one another; those of one along the same dimension that comes first are
// its own.
SmallVector<Value> listParts(tensor::ConcatOp op) {
  SmallVector<Value> parts(op.getInputs());
  for (;;) {
    auto first = parts.front().getDefiningOp<tensor::ConcatOp>();
    if (!first || first.getDim() != op.getDim() || first->getBlock() != op->getBlock())
      return parts;
    SmallVector<Value> longer(first.getInputs());
    longer.append(parts.begin() + 1, parts.end());
    parts = std::move(longer);
  }
}

int64_t extentOf(Value value, uint64_t axis) { return cast<RankedTensorType>(value.getType()).getDimSize(axis); }

// The extent of a part along the axis, null where it is not known before `first`.
OpFoldResult findExtent(Value part, uint64_t axis, Operation *first) {
  if (int64_t extent = extentOf(part, axis); !ShapedType::isDynamic(extent))
    return Builder(first).getIndexAttr(extent);
  OpFoldResult extent;
  Value made = part;
  while (auto op = made.getDefiningOp<linalg::LinalgOp>())
    made = op.getDpsInits()[cast<OpResult>(made).getResultNumber()];
  if (auto empty = made.getDefiningOp<tensor::EmptyOp>())
    extent = empty.getMixedSizes()[axis];
  else if (auto expand = part.getDefiningOp<tensor::ExpandShapeOp>())
    extent = expand.getMixedOutputShape()[axis];
  auto value = dyn_cast_if_present<Value>(extent);
  Operation *def = value ? value.getDefiningOp() : nullptr;
  bool isKnown = value && (!def || def->getBlock() != first->getBlock() || def->isBeforeInBlock(first));
  return isKnown ? extent : OpFoldResult();
}

// A concatenation, and those that have the first ones of its parts: each block of a DenseNet is one.
class Filling {
public:
  // `others`: concatenations of the same block.
  Filling(tensor::ConcatOp whole, ArrayRef<tensor::ConcatOp> others)
      : whole(whole), axis(whole.getDim()), parts(listParts(whole)), type(whole.getResultType()) {
    for (tensor::ConcatOp other : others) {
      SmallVector<Value> begin = listParts(other);
      bool isPart = llvm::is_contained(parts, other.getResult()); // it is there a second time, as one value
      if (other != whole && !isPart && other.getDim() == axis && begin.size() < parts.size() &&
          ArrayRef(parts).take_front(begin.size()) == ArrayRef(begin))
        begins.push_back({other, begin.size()});
    }
  }

  ArrayRef<std::pair<tensor::ConcatOp, size_t>> getBegins() const { return begins; }

  // Whether regions of their own compute most of the parts, so that less is copied than a dispatch would that
  // concatenates, and what reads the first parts reads them with the strides of the whole at no cost.
  bool isPossible() const {
    constexpr size_t kMost = 64;
    unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
    if (parts.size() < 2 || parts.size() > kMost || bits == 0 || (bits != 1 && bits % 8 != 0) || type.getEncoding() ||
        llvm::any_of(parts, [&](Value part) { return llvm::count(parts, part) > 1; }))
      return false;
    if (type.isDynamicDim(axis))
      return isPossibleByCall();
    int64_t copied = 0;
    for (Value part : parts) {
      if (!isOfShape(part) || areRunsShort(part))
        return false;
      copied += isOwn(part) ? 0 : extentOf(part, axis);
    }
    if (copied * 2 > type.getDimSize(axis))
      return false;
    return hasSizes() && llvm::all_of(begins, [&](const auto &begin) {
             return llvm::all_of(begin.first->getUsers(), [&](Operation *user) {
               auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
               return isOfFilling(user) || isReader(user) ||
                      (collapse && dropsUnits(collapse.getResultType(), collapse.getSrcType()) &&
                       llvm::all_of(collapse->getUsers(), [&](Operation *reader) { return isReader(reader); }));
             });
           });
  }

  LogicalResult fill(int64_t number) {
    OpResult first = findFirst();
    OpBuilder builder(first.getOwner());
    FailureOr<SmallVector<Value>> dynamic = findSizes(builder, first);
    if (failed(dynamic))
      return failure();
    sizes = getMixedValues(type.getShape(), *dynamic, builder);
    SmallVector<OpFoldResult> ends = listEnds(builder, first.getOwner());
    sizes[axis] = ends.back();
    Value filled = tensor::EmptyOp::create(builder, whole.getLoc(), sizes, type.getElementType());
    filled.getDefiningOp()->setAttr(flow::kFilledAttr, builder.getI64IntegerAttr(number));
    for (auto [i, part] : llvm::enumerate(parts)) {
      Operation *made = part.getDefiningOp(), *before = filled.getDefiningOp();
      bool isLater = made && made->getBlock() == before->getBlock() && before->isBeforeInBlock(made);
      builder.setInsertionPointAfter(isLater ? made : before);
      filled = insert(builder, isOwn(part) ? withoutUnits(part) : copy(builder, part), filled, ends[i],
                      findExtent(part, axis, first.getOwner()));
      for (auto &[begin, count] : begins)
        if (count == i + 1)
          replaceBegin(builder, begin, filled, ends[i + 1]);
    }
    whole.replaceAllUsesWith(filled);
    whole.erase();
    for (auto &[begin, count] : begins)
      begin.erase();
    return success();
  }

private:
  // The same along a dimension whose extents the call knows: nothing is copied, and no part is runs of a few bytes.
  bool isPossibleByCall() const {
    if (axis + 1 == static_cast<uint64_t>(type.getRank()) || !begins.empty())
      return false;
    auto isFree = [&](Value part) {
      return extentOf(part, axis) == ShapedType::kDynamic && hasShape(part) && !areRunsShort(part) && isOwn(part);
    };
    return llvm::all_of(parts, isFree) && hasSizes() && llvm::all_of(parts, [&](Value part) {
             return static_cast<bool>(findExtent(part, axis, findFirst().getOwner()));
           });
  }

  // Where parts begin along the axis, and the last one ends.
  SmallVector<OpFoldResult> listEnds(OpBuilder &builder, Operation *first) const {
    SmallVector<OpFoldResult> ends{builder.getIndexAttr(0)};
    for (Value part : parts) {
      OpFoldResult extent = findExtent(part, axis, first), end = ends.back();
      std::optional<int64_t> begin = getConstantIntValue(end), size = getConstantIntValue(extent);
      if (begin && size)
        ends.push_back(builder.getIndexAttr(*begin + *size));
      else if (begin == 0)
        ends.push_back(extent);
      else
        ends.push_back(
            arith::AddIOp::create(builder, whole.getLoc(), cast<Value>(end), cast<Value>(extent)).getResult());
    }
    return ends;
  }

  // What reads the first parts reads a slice of what is filled so far.
  void replaceBegin(OpBuilder &builder, tensor::ConcatOp begin, Value filled, OpFoldResult end) const {
    for (Operation *user : llvm::make_early_inc_range(begin->getUsers())) {
      if (isOfFilling(user))
        continue;
      Operation *read = isa<tensor::CollapseShapeOp>(user) ? user : begin.getOperation();
      Value part = slice(builder, read->getResult(0).getType(), filled, builder.getIndexAttr(0), end);
      if (read == user) {
        user->replaceAllUsesWith(ValueRange(part));
        user->erase();
      } else {
        user->replaceUsesOfWith(begin, part);
      }
    }
  }

  static bool isElementwise(Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    return structured && structured.getNumReductionLoops() == 0;
  }

  bool isReader(Operation *op) const { return op->getBlock() == whole->getBlock() && isElementwise(op); }

  // Whether the one type is the other but for dimensions of one.
  static bool dropsUnits(RankedTensorType less, RankedTensorType more) {
    return computeRankReductionMask(more.getShape(), less.getShape()).has_value();
  }

  // The value before dimensions of one were added.
  static Value withoutUnits(Value part) {
    auto expand = part.getDefiningOp<tensor::ExpandShapeOp>();
    return expand && dropsUnits(expand.getSrcType(), expand.getResultType()) ? expand.getSrc() : part;
  }

  // The op's result that a part is, behind changes of its shape and encoding.
  static OpResult findMade(Value part) {
    Value made = part;
    while (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(made.getDefiningOp()) ||
           fusion::isEncodingChange(made.getDefiningOp())) {
      made = made.getDefiningOp()->getOperand(0);
      if (!made.hasOneUse())
        return {};
    }
    return dyn_cast<OpResult>(made);
  }

  bool isOfFilling(Operation *user) const {
    return user == whole || llvm::any_of(begins, [&](const auto &begin) { return begin.first == user; });
  }

  // Whether the value can be a part at all.
  bool isOfShape(Value part) const {
    auto own = cast<RankedTensorType>(part.getType());
    return !own.getEncoding() && !own.isDynamicDim(axis) && own.getDimSize(axis) > 0 && hasShape(part);
  }

  // Whether the part is many runs of less than a cache line, which a dispatch would write one by one.
  bool areRunsShort(Value part) const {
    constexpr int64_t kLine = 64;
    auto own = cast<RankedTensorType>(part.getType());
    int64_t run = storageBytes(own.getElementType());
    for (int64_t size : own.getShape().drop_front(axis))
      run *= ShapedType::isDynamic(size) ? kLine : size;
    return run < kLine && llvm::any_of(own.getShape().take_front(axis), [](int64_t size) { return size != 1; });
  }

  // Whether the part is the root of a region of its own, which can write it where it belongs. Else it is copied there.
  bool isOwn(Value part) const {
    OpResult made = findMade(part);
    return made && part.getDefiningOp()->getBlock() == whole->getBlock() && isWriter(made.getOwner()) &&
           made.getOwner()->getBlock() == whole->getBlock() && !fusion::isCloned(made.getOwner()) &&
           llvm::all_of(part.getUsers(), [&](Operation *user) { return isOfFilling(user); });
  }

  // A collective writes one run of bytes.
  bool isWriter(Operation *op) const {
    bool isOneRun = llvm::all_of(type.getShape().take_front(axis), [](int64_t size) { return size == 1; });
    return isa<linalg::LinalgOp>(op) || (isa<flow::CollectiveOpInterface>(op) && isOneRun && type.hasStaticShape());
  }

  // The op that is computed first of those that make the parts.
  OpResult findFirst() const {
    OpResult first;
    for (Value part : parts)
      if (OpResult made = findMade(part); isOwn(part) && (!first || made.getOwner()->isBeforeInBlock(first.getOwner())))
        first = made;
    return first;
  }

  // What a reshape of a part says of the free sizes before `first`; none where it says so later only.
  std::optional<SmallVector<Value>> findReshapedSizes(OpResult first) const {
    for (Value part : parts) {
      auto expand = part.getDefiningOp<tensor::ExpandShapeOp>();
      if (expand && llvm::all_of(expand.getOutputShape(), [&](Value size) {
            Operation *def = size.getDefiningOp();
            return !def || def->getBlock() != first.getOwner()->getBlock() || def->isBeforeInBlock(first.getOwner());
          }))
        return SmallVector<Value>(expand.getOutputShape());
    }
    return std::nullopt;
  }

  // Whether the value is of the whole's shape, but for the extent along the axis.
  bool hasShape(Value value) const {
    auto own = cast<RankedTensorType>(value.getType());
    return own.getRank() == type.getRank() && llvm::all_of(llvm::seq<int64_t>(0, own.getRank()), [&](int64_t d) {
             return d == static_cast<int64_t>(axis) || own.getDimSize(d) == type.getDimSize(d);
           });
  }

  bool hasSizes() const {
    OpResult first = findFirst();
    return type.hasStaticShape() || hasShape(first) || findReshapedSizes(first);
  }

  // The free sizes of the whole, at the builder's place, which is before `first`.
  FailureOr<SmallVector<Value>> findSizes(OpBuilder &builder, OpResult first) const {
    SmallVector<Value> dynamic;
    if (type.hasStaticShape())
      return dynamic;
    if (!hasShape(first)) // that along the axis, too, where it is free
      return *findReshapedSizes(first);
    if (failed(fusion::getDynamicSizes(builder, first, dynamic)))
      return failure();
    return dynamic;
  }

  // Positions [begin, begin + extent) along the axis.
  struct Place {
    SmallVector<OpFoldResult> offsets, sizes, steps;
  };
  Place placeOf(OpBuilder &builder, OpFoldResult begin, OpFoldResult extent) const {
    Place place{SmallVector<OpFoldResult>(sizes.size(), builder.getIndexAttr(0)), sizes,
                SmallVector<OpFoldResult>(sizes.size(), builder.getIndexAttr(1))};
    place.offsets[axis] = begin;
    place.sizes[axis] = extent;
    return place;
  }
  Value copy(OpBuilder &builder, Value part) const {
    auto own = cast<RankedTensorType>(part.getType());
    SmallVector<OpFoldResult> extents(sizes);
    extents[axis] = builder.getIndexAttr(own.getDimSize(axis));
    auto empty = tensor::EmptyOp::create(builder, whole.getLoc(), extents, own.getElementType());
    return linalg::CopyOp::create(builder, whole.getLoc(), part, empty.getResult()).getResult(0);
  }
  Value insert(OpBuilder &builder, Value part, Value into, OpFoldResult begin, OpFoldResult extent) const {
    Place place = placeOf(builder, begin, extent);
    return tensor::InsertSliceOp::create(builder, whole.getLoc(), part, into, place.offsets, place.sizes, place.steps);
  }
  Value slice(OpBuilder &builder, Type result, Value from, OpFoldResult begin, OpFoldResult extent) const {
    Place place = placeOf(builder, begin, extent);
    return tensor::ExtractSliceOp::create(builder, whole.getLoc(), cast<RankedTensorType>(result), from, place.offsets,
                                          place.sizes, place.steps);
  }

  mutable tensor::ConcatOp whole;
  uint64_t axis;
  SmallVector<Value> parts;
  RankedTensorType type;
  SmallVector<std::pair<tensor::ConcatOp, size_t>> begins; // with how many parts
  SmallVector<OpFoldResult> sizes;                         // of the whole
};

struct FillConcats : mlir::heddle::impl::FillConcatsBase<FillConcats> {
  void runOnOperation() override {
    // What is written in parts by several devices or queues would need an order between them.
    if (flow::Topology::of(getOperation()).size() > 1 || flow::namesQueues(getOperation()))
      return;
    llvm::MapVector<Block *, SmallVector<tensor::ConcatOp>> concats;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](tensor::ConcatOp op) { concats[op->getBlock()].push_back(op); });
    int64_t number = flow::nextFilled(getOperation());
    for (auto &[block, all] : concats) {
      // Those of most parts first: others may have their first ones.
      llvm::stable_sort(
          all, [](tensor::ConcatOp a, tensor::ConcatOp b) { return listParts(a).size() > listParts(b).size(); });
      while (!all.empty()) {
        tensor::ConcatOp whole = all.front();
        all.erase(all.begin());
        Filling filling(whole, all);
        if (!filling.isPossible())
          continue;
        for (auto &begin : filling.getBegins())
          llvm::erase(all, begin.first);
        if (failed(filling.fill(number++)))
          return signalPassFailure();
      }
    }
  }
};

} // namespace
