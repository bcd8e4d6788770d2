// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Streams/GroupGrowth.h"

#include "compiler/Dialect/Flow/Transforms/AlignedOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Evaluation/Evaluator.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::streams;
using flow::AxisKind;
using flow::Product;
using flow::StreamAxisAttr;

const Member *Growth::find(Operation *op) const {
  const Member *found = llvm::find_if(members, [&](const Member &member) { return member.op == op; });
  return found == members.end() ? nullptr : found;
}

static StreamAxisAttr makeMark(MLIRContext *context, int64_t axis, int64_t parts, const Product &granule) {
  return StreamAxisAttr::get(context, AxisKind::Loop, axis, /*streams=*/1, parts, granule.factor, granule.names,
                             /*ordered=*/false);
}

namespace {

// A value that is cut along `dim` at multiples of `granule`.
struct CutValue {
  Value value;
  int64_t dim;
  Product granule;
};

class Grower {
public:
  Grower(llvm::function_ref<bool(Value)> isLarge, llvm::function_ref<bool(Operation *)> isTaken)
      : isLarge(isLarge), isTaken(isTaken) {}

  // Parts of the seed begin at multiples of `granule`.
  std::optional<Growth> run(OpResult seed, int64_t dim, const Product &granule) {
    growth = {};
    whole.clear();
    missing.reset();
    bool isWhole = !addProducer({seed, dim, granule});
    size_t next = 0;
    do
      for (; next < growth.members.size() && !missing; ++next)
        visit(growth.members[next].op);
    while (!missing && addBetween());
    if (isWhole || missing || whole.contains(seed) || !isConsistent())
      return std::nullopt;
    llvm::sort(growth.members, [](const Member &a, const Member &b) { return a.op->isBeforeInBlock(b.op); });
    return growth;
  }

  // How much coarser granules must be, where the last run met a reshape that they did not fit.
  const std::optional<Product> &getMissing() const { return missing; }

private:
  void visit(Operation *op) {
    const Member member = *growth.find(op); // others move when members are added
    for (OpResult result : op->getResults())
      if (isLarge(result) && !addReaders({result, *getCutDim(member, result), member.granule}))
        whole.insert(result);
    for (const Read &read : getReads(member))
      if (read.dim && isLarge(read.value))
        addProducer({read.value, *read.dim, member.granule});
  }

  // What needs one member and is needed by another, however small: no loop could hold both otherwise. Whether there are
  // new members.
  bool addBetween() {
    size_t known = growth.members.size();
    llvm::SmallDenseSet<Operation *> needed = collectNeeded();
    for (size_t i = 0; i < known; ++i) {
      const Member member = growth.members[i];
      for (OpResult result : member.op->getResults())
        if (!isLarge(result))
          addReaders({result, *getCutDim(member, result), member.granule}, &needed);
    }
    return growth.members.size() > known;
  }

  // Ops that the members need, not behind the first of them.
  llvm::SmallDenseSet<Operation *> collectNeeded() const {
    Operation *first = growth.members.front().op;
    for (const Member &member : growth.members)
      first = member.op->isBeforeInBlock(first) ? member.op : first;
    llvm::SmallDenseSet<Operation *> needed;
    SmallVector<Operation *> work;
    for (const Member &member : growth.members)
      work.push_back(member.op);
    while (!work.empty())
      for (Value operand : work.pop_back_val()->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && def->getBlock() == first->getBlock() && first->isBeforeInBlock(def) && needed.insert(def).second)
          work.push_back(def);
    return needed;
  }

  // The op that computes the value, through what moves no element. Whether it is a member then.
  bool addProducer(CutValue cut) {
    while (Operation *def = cut.value.getDefiningOp()) {
      if (!flow::isTransparent(def)) {
        auto op = dyn_cast<linalg::LinalgOp>(def);
        if (!op || isa<linalg::FillOp>(def))
          return flow::findAligned(def, cut.dim) && addMember(def, cut.dim, cut.granule);
        AffineExpr expr = op.getIndexingMapMatchingResult(cast<OpResult>(cut.value)).getResult(cut.dim);
        auto loop = dyn_cast<AffineDimExpr>(expr);
        return loop && addMember(op, loop.getPosition(), cut.granule);
      }
      std::optional<flow::SourceDim> source = flow::traceDim(def, cut.dim);
      std::optional<Product> granule = source ? scale(cut.granule, source->mul, source->div) : std::nullopt;
      if (!granule)
        return false;
      cut = {def->getOperand(0), source->dim, *granule};
    }
    return false;
  }

  // Everything that reads the value, or what of it is in `only`. Whether all are members then, so that it needs no
  // whole tensor.
  bool addReaders(const CutValue &cut, const llvm::SmallDenseSet<Operation *> *only = nullptr) {
    bool all = true;
    for (OpOperand &use : cut.value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<tensor::DimOp>(user) || (only && !only->contains(user)))
        continue;
      all &= flow::isTransparent(user) ? addBehind(user, cut, only) : addReader(use, cut);
    }
    return all;
  }

  bool addReader(OpOperand &use, const CutValue &cut) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (std::optional<SmallVector<bool>> aligned = flow::findAligned(use.getOwner(), cut.dim))
      return (*aligned)[use.getOperandNumber()] && addMember(use.getOwner(), cut.dim, cut.granule);
    if (!op || op.getIndexingMapsArray().size() <= use.getOperandNumber())
      return false;
    auto loop = dyn_cast<AffineDimExpr>(op.getMatchingIndexingMap(&use).getResult(cut.dim));
    return loop && addMember(op, loop.getPosition(), cut.granule);
  }

  // What reads the reshaped value: along the outermost dimension that the cut one becomes, or a part of.
  bool addBehind(Operation *reshape, const CutValue &cut, const llvm::SmallDenseSet<Operation *> *only) {
    Value result = reshape->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      std::optional<flow::SourceDim> source = flow::traceDim(reshape, dim);
      if (!source || source->dim != cut.dim || type.getDimSize(dim) == 1)
        continue;
      std::optional<Product> granule = scale(cut.granule, source->div, source->mul);
      return granule && addReaders({result, dim, *granule}, only);
    }
    return false;
  }

  bool addMember(Operation *op, int64_t axis, const Product &granule) {
    if (const Member *known = growth.find(op))
      return known->axis == axis && known->granule == granule;
    bool isHere = growth.members.empty() || op->getBlock() == growth.members.front().op->getBlock();
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    bool isReduced = structured && structured.getIteratorTypesArray()[axis] == utils::IteratorType::reduction;
    if (!isHere || isTaken(op) || op->hasAttr(kStreamAttr) || isReduced)
      return false;
    StreamAxisAttr mark = makeMark(op->getContext(), axis, StreamAxisAttr::kAll, granule);
    auto read = readMember(op, mark, /*strictFloat=*/false);
    auto *member = std::get_if<Member>(&read);
    if (!member || cutsWeights(*member))
      return false;
    growth.members.push_back(*member);
    return true;
  }

  // A contraction whose weights are cut reads them in rows, not as they are best laid out, which costs more than memory
  // is worth.
  static bool cutsWeights(const Member &member) {
    auto op = dyn_cast<linalg::LinalgOp>(member.op);
    return op && op.getNumReductionLoops() > 0 && llvm::any_of(getReads(member), [](const Read &read) {
             Operation *def = read.value.getDefiningOp();
             return read.dim && def && !isa<linalg::FillOp, tensor::EmptyOp>(def) &&
                    evaluation::isConstantExpression(read.value);
           });
  }

  // granule * mul / div; none where that is no whole number of positions.
  std::optional<Product> scale(const Product &granule, const Product &mul, const Product &div) {
    Product scaled = granule * mul;
    std::optional<Product> exact = scaled.dividedBy(div);
    if (exact || missing)
      return exact;
    std::optional<int64_t> have = scaled.getConstant(), need = div.getConstant();
    missing = have && need ? Product{*need / std::gcd(*have, *need), {}} : div;
    return std::nullopt;
  }

  // Each member that reads another one reads the part of the same iteration, or they could share no loop.
  bool isConsistent() const {
    const Group group{{}, growth.members};
    for (const Member &member : growth.members)
      for (const Read &read : getReads(member)) {
        std::optional<Source> source = findSource(group, read.value, read.dim.value_or(0));
        if (!source)
          continue;
        const Member &producer = *growth.find(source->result.getOwner());
        if (!read.dim || !source->isSlice || getCutDim(producer, source->result) != source->dim ||
            !(producer.granule * source->div == member.granule * source->mul))
          return false;
      }
    return true;
  }

  llvm::function_ref<bool(Value)> isLarge;
  llvm::function_ref<bool(Operation *)> isTaken;
  Growth growth;
  std::optional<Product> missing;
  llvm::SmallDenseSet<Value> whole;
};

} // namespace

std::optional<Growth> streams::growGroup(OpResult seed, int64_t dim, llvm::function_ref<bool(Value)> isLarge,
                                         llvm::function_ref<bool(Operation *)> isTaken) {
  constexpr unsigned kMostReshapes = 8; // of different sizes: each makes granules coarser once
  Grower grower(isLarge, isTaken);
  Product granule;
  for (unsigned attempt = 0; attempt < kMostReshapes; ++attempt) {
    if (std::optional<Growth> growth = grower.run(seed, dim, granule))
      return growth;
    if (!grower.getMissing())
      return std::nullopt;
    granule = granule * *grower.getMissing();
  }
  return std::nullopt;
}

std::optional<int64_t> streams::countGranules(const Growth &growth) {
  std::optional<int64_t> fewest;
  for (const Member &member : growth.members) {
    std::optional<int64_t> extent = member.extents.front().getConstant(), granule = member.granule.getConstant();
    if (!extent || !granule)
      return std::nullopt;
    int64_t count = llvm::divideCeil(*extent, *granule);
    fewest = std::min(fewest.value_or(count), count);
  }
  return fewest;
}

void streams::markParts(const Growth &growth, int64_t parts) {
  for (const Member &member : growth.members)
    member.op->setAttr(kStreamAttr, makeMark(member.op->getContext(), member.axis, parts, member.granule));
}

void streams::markGranules(const Growth &growth, int64_t granules) {
  for (const Member &member : growth.members)
    member.op->setAttr(kStreamAttr, makeMark(member.op->getContext(), member.axis, StreamAxisAttr::kAll,
                                             member.granule * Product{granules, {}}));
}
