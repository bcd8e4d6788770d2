// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/NestAnalysis.h"

#include "compiler/Analysis/StorageBytes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle::codegen;

namespace {

using Index = SmallVector<AffineExpr>;

class Analyzer {
public:
  Analyzer(Value value, const DenseSet<Operation *> &staged, NestAnalysis &analysis)
      : context(value.getContext()), analysis(analysis), root(value), staged(staged) {
    nextDim = analysis.rank = cast<RankedTensorType>(value.getType()).getRank();
    Index index;
    for (int64_t dim = 0; dim < nextDim; ++dim)
      index.push_back(getAffineDimExpr(dim, context));
    visit(value, index, nullptr);
  }

private:
  Index opaque(Value value) {
    return Index(cast<RankedTensorType>(value.getType()).getRank(), getAffineSymbolExpr(0, context));
  }

  void visit(Value value, const Index &index, Operation *reader) {
    Operation *def = value.getDefiningOp();
    if (!def || (value != root && staged.contains(def))) {
      analysis.loads.push_back({value, index, reader});
    } else if (auto generic = dyn_cast<linalg::GenericOp>(def)) {
      visitGeneric(generic, cast<OpResult>(value).getResultNumber(), index, reader);
    } else if (isa<tensor::CastOp>(def) || OpTrait::hasElementwiseMappableTraits(def)) {
      for (Value operand : def->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          visit(operand, index, reader);
    } else if (!isa<tensor::EmptyOp>(def)) {
      analysis.usesIndices = true; // a view: its elements stand elsewhere
      addChoices(def, index);
      for (Value operand : def->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          visit(operand, opaque(operand), reader);
    }
  }

  void addChoices(Operation *def, const Index &index) {
    auto add = [&](unsigned dim) { analysis.choices.push_back(index[dim]); };
    if (auto concat = dyn_cast<tensor::ConcatOp>(def))
      add(concat.getDim());
    if (auto pad = dyn_cast<tensor::PadOp>(def))
      for (auto [dim, low, high] : llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad()))
        if (!isConstantIntValue(low, 0) || !isConstantIntValue(high, 0))
          add(dim);
    if (isa<tensor::InsertSliceOp>(def))
      for (unsigned dim = 0; dim < index.size(); ++dim)
        add(dim);
  }

  void visitGeneric(linalg::GenericOp op, unsigned result, const Index &index, Operation *reader) {
    bool isReduction = op.getNumReductionLoops() > 0;
    NeededOp &needed = known[op];
    bool first = !needed.op;
    needed.op = op;
    needed.isReduction = isReduction;
    needed.readers.insert(reader);
    if (!llvm::is_contained(needed.accesses, index))
      needed.accesses.push_back(index);
    if (isReduction ? !first : !seen.insert({op, reader, keyOf(index)}).second)
      return;
    Index dims(op.getNumLoops());
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
    for (auto [expr, i] : llvm::zip_equal(map.getResults(), index))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims[dim.getPosition()] = i;
    for (AffineExpr &dim : dims)
      if (!dim)
        dim = getAffineDimExpr(nextDim++, context);
    visitOperands(op, dims, isReduction ? op.getOperation() : reader);
    if (first && (isReduction || isCostly(op)))
      order.push_back(op);
  }

  void visitOperands(linalg::GenericOp op, const Index &dims, Operation *reader) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()) || op.getMatchingBlockArgument(&operand).use_empty())
        continue;
      Index index;
      for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
        index.push_back(expr.replaceDims(dims));
      visit(operand.get(), index, reader);
    }
    op.getBody()->walk([&](Operation *inner) {
      analysis.usesIndices |= isa<linalg::IndexOp>(inner);
      if (auto loop = dyn_cast<scf::ForOp>(inner))
        for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
          addBound(op, bound, dims);
      if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
        visit(extract.getTensor(), opaque(extract.getTensor()), reader);
    });
  }

  // What a value of the body depends on: the op's loops, its operands' indices, nothing that changes within the op.
  void addBound(linalg::GenericOp op, Value bound, const Index &dims) {
    llvm::SetVector<Value> open;
    open.insert(bound);
    for (size_t i = 0; i < open.size(); ++i) {
      Value value = open[i];
      Operation *def = value.getDefiningOp();
      if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == op.getBody()) {
        for (AffineExpr expr : op.getMatchingIndexingMap(op.getMatchingOpOperand(argument)).getResults())
          analysis.bounds.push_back(expr.replaceDims(dims));
      } else if (auto index = def ? dyn_cast<linalg::IndexOp>(def) : linalg::IndexOp()) {
        analysis.bounds.push_back(dims[index.getDim()]);
      } else if (def && op->isProperAncestor(def)) {
        if (def->getNumRegions() > 0)
          analysis.bounds.push_back(getAffineSymbolExpr(0, context));
        open.insert(def->operand_begin(), def->operand_end());
      } else if (!def && op->isProperAncestor(value.getParentBlock()->getParentOp())) {
        // Of a loop around: its induction variable is as its bounds are, what it carries may be anything.
        auto loop = dyn_cast<scf::ForOp>(value.getParentBlock()->getParentOp());
        if (!loop || value != loop.getInductionVar())
          analysis.bounds.push_back(getAffineSymbolExpr(0, context));
      }
    }
  }

  static std::vector<const void *> keyOf(const Index &index) {
    std::vector<const void *> key;
    for (AffineExpr expr : index)
      key.push_back(expr.getAsOpaquePointer());
    return key;
  }

  static bool isCostly(linalg::GenericOp op) {
    return llvm::any_of(*op.getBody(), [](Operation &inner) {
      return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::ErfOp, math::ErfcOp, math::TanhOp, math::LogOp,
                 math::Log1pOp, math::PowFOp, math::SinOp, math::CosOp, math::AtanOp>(inner);
    });
  }

public:
  MLIRContext *context;
  NestAnalysis &analysis;
  Value root;
  const DenseSet<Operation *> &staged;
  int64_t nextDim;
  llvm::DenseMap<Operation *, NeededOp> known;
  SmallVector<Operation *> order;
  std::set<std::tuple<Operation *, Operation *, std::vector<const void *>>> seen;
};

} // namespace

std::optional<SmallVector<int64_t>> NestAnalysis::getPosition(const NeededOp &needed) const {
  if (needed.accesses.size() != 1)
    return std::nullopt;
  SmallVector<int64_t> position;
  for (AffineExpr expr : needed.accesses.front()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && dim.getPosition() < rank && !llvm::is_contained(position, dim.getPosition()))
      position.push_back(dim.getPosition());
    else if (auto constant = dyn_cast<AffineConstantExpr>(expr); constant && constant.getValue() == 0)
      position.push_back(-1);
    else
      return std::nullopt;
  }
  return position;
}

NestAnalysis mlir::heddle::codegen::analyze(Value value, const DenseSet<Operation *> &staged) {
  NestAnalysis analysis;
  Analyzer analyzer(value, staged, analysis);
  for (Operation *op : analyzer.order)
    analysis.ops.push_back(analyzer.known[op]);
  return analysis;
}

AffineMap mlir::heddle::codegen::mapWithoutUnitLoops(OpOperand &operand) {
  auto op = cast<linalg::GenericOp>(operand.getOwner());
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> dims;
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    dims.push_back(size == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(loop, context));
  return op.getMatchingIndexingMap(&operand).replaceDimsAndSymbols(dims, {}, dims.size(), 0);
}

std::optional<int64_t> mlir::heddle::codegen::getByteStride(OpOperand &input, unsigned loop) {
  auto type = dyn_cast<RankedTensorType>(input.get().getType());
  if (!type || !isa<BlockArgument>(input.get()) || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t bytes = storageBytes(type.getElementType());
  AffineMap map = mapWithoutUnitLoops(input);
  for (int64_t dim = type.getRank(); dim-- > 0; bytes *= type.getDimSize(dim)) {
    if (map.getResult(dim) == getAffineDimExpr(loop, map.getContext()))
      return bytes;
    if (map.getResult(dim).isFunctionOfDim(loop) || type.isDynamicDim(dim))
      return std::nullopt;
  }
  return std::nullopt;
}
