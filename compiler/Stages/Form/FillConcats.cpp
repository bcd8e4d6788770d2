// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Passes.h"

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

// A concatenation, and those that have the first ones of its parts: each block of a DenseNet is one.
class Filling {
public:
  // `others`: concatenations of the same block.
  Filling(tensor::ConcatOp whole, ArrayRef<tensor::ConcatOp> others)
      : whole(whole), axis(whole.getDim()), parts(listParts(whole)), type(whole.getResultType()) {
    for (tensor::ConcatOp other : others) {
      SmallVector<Value> begin = listParts(other);
      if (other != whole && other.getDim() == axis && begin.size() < parts.size() &&
          ArrayRef(parts).take_front(begin.size()) == ArrayRef(begin))
        begins.push_back({other, begin.size()});
    }
  }

  ArrayRef<std::pair<tensor::ConcatOp, size_t>> getBegins() const { return begins; }

  // Whether each part is the root of a region of its own, and what reads a part or the first ones reads them, with the
  // strides of the whole, at no cost.
  bool isPossible() const {
    constexpr size_t kMost = 64;
    unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
    if (parts.size() < 2 || parts.size() > kMost || bits == 0 || (bits != 1 && bits % 8 != 0) || type.getEncoding() ||
        type.isDynamicDim(axis) || llvm::any_of(parts, [&](Value part) { return llvm::count(parts, part) > 1; }))
      return false;
    Operation *last = nullptr; // when the parts so far are there
    for (auto [i, part] : llvm::enumerate(parts)) {
      if (!isOwn(part))
        return false;
      if (!last || last->isBeforeInBlock(part.getDefiningOp()))
        last = part.getDefiningOp();
      for (Operation *user : part.getUsers())
        if (!isOfFilling(user) && (user->getBlock() != whole->getBlock() || !last->isBeforeInBlock(user) || !isElementwise(user)))
          return false;
    }
    return llvm::all_of(begins, [&](const auto &begin) {
      return llvm::all_of(begin.first->getUsers(), [&](Operation *user) {
        return isOfFilling(user) || (user->getBlock() == whole->getBlock() && isElementwise(user));
      });
    });
  }

  LogicalResult fill(int64_t number) {
    auto first = cast<OpResult>(fusion::getPlain(parts.front()));
    for (Value part : parts)
      if (auto made = cast<OpResult>(fusion::getPlain(part)); made.getOwner()->isBeforeInBlock(first.getOwner()))
        first = made;
    OpBuilder builder(first.getOwner());
    SmallVector<Value> dynamic;
    if (!type.hasStaticShape() && failed(fusion::getDynamicSizes(builder, first, dynamic)))
      return failure();
    sizes = getMixedValues(type.getShape(), dynamic, builder);
    Value filled = tensor::EmptyOp::create(builder, whole.getLoc(), sizes, type.getElementType());
    filled.getDefiningOp()->setAttr(flow::kFilledAttr, builder.getI64IntegerAttr(number));
    int64_t end = 0;
    for (auto [i, part] : llvm::enumerate(parts)) {
      Operation *made = part.getDefiningOp();
      builder.setInsertionPointAfter(filled.getDefiningOp()->isBeforeInBlock(made) ? made : filled.getDefiningOp());
      int64_t extent = extentOf(part, axis);
      filled = insert(builder, part, filled, end, extent);
      if (!llvm::all_of(part.getUsers(), [&](Operation *user) { return user == filled.getDefiningOp() || isOfFilling(user); }))
        part.replaceUsesWithIf(slice(builder, filled, end, extent), [&](OpOperand &use) {
          return use.getOwner() != filled.getDefiningOp() && !isOfFilling(use.getOwner());
        });
      end += extent;
      for (auto &[begin, count] : begins)
        if (count == i + 1)
          begin.replaceAllUsesWith(slice(builder, filled, 0, end));
    }
    whole.replaceAllUsesWith(filled);
    whole.erase();
    for (auto &[begin, count] : begins)
      begin.erase();
    return success();
  }

private:
  static bool isElementwise(Operation *op) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    return structured && structured.getNumReductionLoops() == 0;
  }

  bool isOfFilling(Operation *user) const {
    return user == whole || llvm::any_of(begins, [&](const auto &begin) { return begin.first == user; });
  }

  // Changes of its encoding join the region that makes the value.
  bool isOwn(Value part) const {
    auto own = cast<RankedTensorType>(part.getType());
    Value made = part;
    while (fusion::isEncodingChange(made.getDefiningOp())) {
      made = made.getDefiningOp()->getOperand(0);
      if (!made.hasOneUse())
        return false;
    }
    Operation *def = made.getDefiningOp();
    if (!isa_and_present<linalg::LinalgOp>(def) || def->getBlock() != whole->getBlock() || fusion::isCloned(def) ||
        own.getEncoding() || own.isDynamicDim(axis) || own.getDimSize(axis) == 0)
      return false;
    return llvm::all_of(llvm::seq<int64_t>(0, own.getRank()), [&](int64_t d) {
      return d == static_cast<int64_t>(axis) || own.getDimSize(d) == type.getDimSize(d);
    });
  }

  // Positions [begin, begin + extent) along the axis.
  struct Place {
    SmallVector<OpFoldResult> offsets, sizes, steps;
  };
  Place placeOf(OpBuilder &builder, int64_t begin, int64_t extent) const {
    Place place{SmallVector<OpFoldResult>(sizes.size(), builder.getIndexAttr(0)), sizes,
                SmallVector<OpFoldResult>(sizes.size(), builder.getIndexAttr(1))};
    place.offsets[axis] = builder.getIndexAttr(begin);
    place.sizes[axis] = builder.getIndexAttr(extent);
    return place;
  }
  Value insert(OpBuilder &builder, Value part, Value into, int64_t begin, int64_t extent) const {
    Place place = placeOf(builder, begin, extent);
    return tensor::InsertSliceOp::create(builder, whole.getLoc(), part, into, place.offsets, place.sizes, place.steps);
  }
  Value slice(OpBuilder &builder, Value from, int64_t begin, int64_t extent) const {
    Place place = placeOf(builder, begin, extent);
    return tensor::ExtractSliceOp::create(builder, whole.getLoc(), from, place.offsets, place.sizes, place.steps);
  }

  mutable tensor::ConcatOp whole;
  uint64_t axis;
  SmallVector<Value> parts;
  RankedTensorType type;
  SmallVector<std::pair<tensor::ConcatOp, size_t>> begins; // with how many parts
  SmallVector<OpFoldResult> sizes;                         // of the whole
};

struct FillConcats : heddle::impl::FillConcatsBase<FillConcats> {
  void runOnOperation() override {
    // What is written in parts by several devices or queues would need an order between them.
    if (flow::Topology::of(getOperation()).size() > 1 || flow::namesQueues(getOperation()))
      return;
    llvm::MapVector<Block *, SmallVector<tensor::ConcatOp>> concats;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](tensor::ConcatOp op) { concats[op->getBlock()].push_back(op); });
    int64_t number = 0;
    for (auto &[block, all] : concats) {
      // Those of most parts first: others may have their first ones.
      llvm::stable_sort(all, [](tensor::ConcatOp a, tensor::ConcatOp b) {
        return listParts(a).size() > listParts(b).size();
      });
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
