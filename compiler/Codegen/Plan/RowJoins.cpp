// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/RowJoins.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle::codegen;

//===--- What is read --------------------------------------------------------------------------------------------===//

namespace {

// An index of a read: the walker's dimension, or 0 under a condition.
struct Position {
  int64_t dim = Walk::kOther;
  Value stretched = {};
};

using Positions = SmallVector<Position>;

Positions identity(int64_t rank) {
  return llvm::map_to_vector(llvm::seq<int64_t>(0, rank), [](int64_t dim) { return Position{dim}; });
}

class WalkCollector {
public:
  WalkCollector(int64_t dims, function_ref<bool(Value)> isMemory) : isMemory(isMemory) { walks.fixed.resize(dims); }

  bool visit(Value value, const Positions &index, tensor::ExtractOp read = {}) {
    if (isMemory(value)) {
      Walk walk{value, {}, {}, read};
      for (const Position &position : index) {
        walk.dims.push_back(position.dim);
        walk.stretched.push_back(position.stretched);
      }
      walks.reads.push_back(std::move(walk));
      return true;
    }
    if (llvm::any_of(index, [](const Position &position) { return static_cast<bool>(position.stretched); }))
      return false; // of what is computed there may be several reads, which differ
    std::vector<int64_t> key;
    for (const Position &position : index)
      key.push_back(position.dim);
    if (!seen.insert({value.getAsOpaquePointer(), std::move(key)}).second)
      return true;
    return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
        .Case([&](linalg::GenericOp op) { return visitGeneric(op, loopsOf(op, value, index)); })
        .Case([&](tensor::ConcatOp op) { return visitConcat(op, index); })
        .Case([&](tensor::PadOp op) { return visitPad(op, index); })
        .Case([&](tensor::ExtractSliceOp op) { return visitSlice(op, index); })
        .Case([](tensor::EmptyOp) { return true; })
        .Case([](arith::ConstantOp op) { return isa<SplatElementsAttr>(op.getValue()); })
        .Default([&](Operation *op) {
          bool isElementwise = isa<tensor::CastOp>(op) || OpTrait::hasElementwiseMappableTraits(op);
          return isElementwise && llvm::all_of(op->getOperands(), [&](Value operand) {
                   return !isa<RankedTensorType>(operand.getType()) || visit(operand, index);
                 });
        });
  }

  bool visitGeneric(linalg::GenericOp op, const Positions &loops) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()) || op.getMatchingBlockArgument(&operand).use_empty())
        continue;
      Positions at;
      for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        at.push_back(dim ? loops[dim.getPosition()] : Position());
        for (unsigned loop = 0; !dim && loop < loops.size(); ++loop)
          if (expr.isFunctionOfDim(loop))
            fix(loops[loop]);
      }
      if (!visit(operand.get(), at))
        return false;
    }
    return visitBody(op, loops);
  }

  Walks walks;

private:
  void fix(const Position &position) {
    if (position.dim != Walk::kOther)
      walks.fixed.set(position.dim);
  }

  // What is no index of the result is a reduction's loop.
  static Positions loopsOf(linalg::GenericOp op, Value value, const Positions &index) {
    Positions loops(op.getNumLoops());
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(cast<OpResult>(value).getResultNumber()));
    for (auto [expr, position] : llvm::zip_equal(map.getResults(), index))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        loops[dim.getPosition()] = position;
    return loops;
  }

  // Loop indices may be used as indices of reads only.
  bool visitBody(linalg::GenericOp op, const Positions &loops) {
    for (Operation &inner : *op.getBody()) {
      if (inner.getNumRegions() > 0)
        return false;
      if (auto index = dyn_cast<linalg::IndexOp>(inner); index && !llvm::all_of(index->getUses(), isPlace))
        return false;
      auto read = dyn_cast<tensor::ExtractOp>(inner);
      if (!read)
        continue;
      auto at = llvm::map_to_vector(read.getIndices(), [&](Value i) { return positionOf(op, i, loops); });
      if (!visit(read.getTensor(), at, read))
        return false;
    }
    return true;
  }

  // An index of a read, or what is one where a condition does not hold.
  static bool isPlace(OpOperand &use) {
    if (auto select = dyn_cast<arith::SelectOp>(use.getOwner()))
      return use.get() == select.getFalseValue() && matchPattern(select.getTrueValue(), m_Zero()) &&
             llvm::all_of(select->getUsers(), [](Operation *user) { return isa<tensor::ExtractOp>(user); });
    return isa<tensor::ExtractOp>(use.getOwner());
  }

  Position positionOf(linalg::GenericOp op, Value index, const Positions &loops) {
    if (auto loop = index.getDefiningOp<linalg::IndexOp>())
      return loops[loop.getDim()];
    auto select = index.getDefiningOp<arith::SelectOp>();
    auto loop = select ? select.getFalseValue().getDefiningOp<linalg::IndexOp>() : linalg::IndexOp();
    if (!loop)
      return Position();
    const Position &position = loops[loop.getDim()];
    if (!position.stretched && !op->isAncestor(select.getCondition().getParentRegion()->getParentOp()))
      return Position{position.dim, select.getCondition()};
    fix(position); // chosen by an element
    return Position();
  }

  bool visitConcat(tensor::ConcatOp op, Positions index) {
    fix(index[op.getDim()]);
    index[op.getDim()] = Position();
    return llvm::all_of(op.getInputs(), [&](Value input) { return visit(input, index); });
  }

  bool visitPad(tensor::PadOp op, Positions index) {
    for (auto [position, low, high] : llvm::zip_equal(index, op.getMixedLowPad(), op.getMixedHighPad()))
      if (!isConstantIntValue(low, 0) || !isConstantIntValue(high, 0)) {
        fix(position);
        position = Position();
      }
    return op.getConstantPaddingValue() && visit(op.getSource(), index);
  }

  // An offset moves the begin of what is walked, not the steps.
  bool visitSlice(tensor::ExtractSliceOp op, const Positions &index) {
    walks.viewed = true;
    llvm::SmallBitVector dropped = op.getDroppedDims();
    Positions source;
    for (unsigned dim = 0, next = 0; dim < dropped.size(); ++dim) {
      source.push_back(dropped.test(dim) ? Position() : index[next++]);
      if (!isConstantIntValue(op.getMixedStrides()[dim], 1)) {
        fix(source.back());
        source.back() = Position();
      }
    }
    return visit(op.getSource(), source);
  }

  function_ref<bool(Value)> isMemory;
  std::set<std::pair<const void *, std::vector<int64_t>>> seen; // values and the dimensions they are read along
};

} // namespace

std::optional<Walks> mlir::heddle::codegen::collectWalks(Value value, const NestAnalysis &analysis) {
  auto isMemory = [&](Value tensor) {
    return !tensor.getDefiningOp() ||
           (tensor != value && llvm::any_of(analysis.loads, [&](const Load &load) { return load.tensor == tensor; }));
  };
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  WalkCollector collector(rank, isMemory);
  return collector.visit(value, identity(rank)) ? std::optional(std::move(collector.walks)) : std::nullopt;
}

std::optional<Walks> mlir::heddle::codegen::collectWalks(linalg::GenericOp op, function_ref<bool(Value)> isMemory) {
  WalkCollector collector(op.getNumLoops(), isMemory);
  return collector.visitGeneric(op, identity(op.getNumLoops())) ? std::optional(std::move(collector.walks))
                                                                : std::nullopt;
}

bool mlir::heddle::codegen::areOne(const Walks &walks, int64_t dim) {
  if (walks.viewed || walks.fixed.test(dim) || walks.fixed.test(dim + 1))
    return false;
  return llvm::all_of(walks.reads, [&](const Walk &walk) {
    auto inner = llvm::find(walk.dims, dim + 1), outer = llvm::find(walk.dims, dim);
    if (inner == walk.dims.end() && outer == walk.dims.end())
      return true;
    auto position = outer - walk.dims.begin();
    return outer != walk.dims.end() && outer + 1 == inner && llvm::count(walk.dims, dim) == 1 &&
           llvm::count(walk.dims, dim + 1) == 1 && !walk.stretched[position] && !walk.stretched[position + 1];
  });
}

//===--- What may be one -----------------------------------------------------------------------------------------===//

std::optional<size_t> mlir::heddle::codegen::placeInEnd(const Walk &walk, int64_t dim, int64_t rank) {
  int64_t count = rank - dim, size = walk.dims.size();
  if (size < count)
    return std::nullopt;
  for (int64_t i = 0; i < count; ++i)
    if (walk.dims[size - count + i] != dim + i)
      return std::nullopt;
  return size - count;
}

namespace {

// Whether a row may have one element of it: along the lanes it is read at 0, where the call says so, or not at all.
bool mayBeOneElement(const Walk &walk, int64_t lane) {
  return llvm::all_of(llvm::zip_equal(walk.dims, walk.stretched),
                      [&](auto position) { return std::get<0>(position) != lane || std::get<1>(position); });
}

} // namespace

RowJoins mlir::heddle::codegen::matchRowJoins(Value value, const NestAnalysis &analysis,
                                              const llvm::SmallBitVector &apart) {
  RowJoins joins;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank(), lane = rank - 1;
  std::optional<Walks> walks = collectWalks(value, analysis);
  if (!walks || walks->fixed.test(lane))
    return joins;
  for (int64_t dim = lane; dim-- > 0 && !walks->fixed.test(dim) && !apart.test(dim);) {
    if (!llvm::all_of(walks->reads,
                      [&](const Walk &walk) { return placeInEnd(walk, dim, rank) || mayBeOneElement(walk, lane); }))
      break;
    joins.dims.push_back(dim);
  }
  joins.reads = std::move(walks->reads);
  return joins;
}
