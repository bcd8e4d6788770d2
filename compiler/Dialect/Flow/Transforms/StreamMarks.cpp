// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/StreamMarks.h"

#include "compiler/Dialect/Flow/Transforms/AlignedOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::AxisKind;
using flow::StreamAxisAttr;

SmallVector<StreamAxisAttr> flow::getStreamAxes(Operation *op) {
  SmallVector<StreamAxisAttr> axes;
  Attribute mark = op->getAttr(kStreamAttr);
  if (auto axis = dyn_cast_if_present<StreamAxisAttr>(mark))
    axes.push_back(axis);
  else if (auto several = dyn_cast_if_present<ArrayAttr>(mark))
    llvm::append_range(axes, several.getAsRange<StreamAxisAttr>());
  return axes;
}

void flow::setStreamAxes(Operation *op, ArrayRef<StreamAxisAttr> axes) {
  if (axes.empty())
    op->removeAttr(kStreamAttr);
  else if (axes.size() == 1)
    op->setAttr(kStreamAttr, axes.front());
  else
    op->setAttr(kStreamAttr, ArrayAttr::get(op->getContext(), SmallVector<Attribute>(axes.begin(), axes.end())));
}

flow::Product flow::getGranule(StreamAxisAttr axis) {
  return {axis.getGranule(), SmallVector<StringAttr>(axis.getGranuleSizes())};
}

StreamAxisAttr flow::withLoop(StreamAxisAttr axis, AxisKind kind, int64_t number, const Product &granule) {
  return StreamAxisAttr::get(axis.getContext(), kind, number, axis.getStreams(), axis.getParts(), granule.factor,
                             granule.names, axis.getOrdered());
}

static std::string count(int64_t number, StringRef noun) {
  return (Twine(number) + " " + noun + (number == 1 ? "" : "s")).str();
}

std::variant<unsigned, std::string> flow::findStreamLoop(linalg::LinalgOp op, StreamAxisAttr axis) {
  int64_t number = axis.getAxis();
  if (axis.getKind() == AxisKind::Loop) {
    if (number >= op.getNumLoops())
      return "it has " + count(op.getNumLoops(), "loop") + ", and axis " + std::to_string(number) + " is none of them";
    return static_cast<unsigned>(number);
  }
  if (axis.getKind() == AxisKind::Reduced) {
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    if (number >= static_cast<int64_t>(reduced.size()))
      return "it reduces " + count(reduced.size(), "loop") + ", and 'reduced " + std::to_string(number) +
             "' is none of them";
    return reduced[number];
  }
  if (op.getNumDpsInits() == 0)
    return "it has no result";
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (number >= map.getNumResults())
    return "its result has " + count(map.getNumResults(), "dimension") + ", and " + std::to_string(number) +
           " is none of them";
  auto loop = dyn_cast<AffineDimExpr>(map.getResult(number));
  if (!loop)
    return "dimension " + std::to_string(number) + " of its result is no loop of it";
  return loop.getPosition();
}

bool flow::isTransparent(Operation *op) {
  return isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op);
}

// The product of some dimensions of a tensor; none where one is neither known nor named.
static std::optional<flow::Product> multiply(Value tensor, ArrayRef<int64_t> dims) {
  flow::Product product;
  for (int64_t dim : dims) {
    std::optional<flow::Product> size = flow::asProduct(flow::traceExtent(tensor, dim));
    if (!size)
      return std::nullopt;
    product = product * *size;
  }
  return product;
}

std::optional<flow::SourceDim> flow::traceDim(Operation *op, int64_t resultDim) {
  if (isa<tensor::CastOp>(op))
    return SourceDim{resultDim, {}, {}};
  auto split = dyn_cast<tensor::ExpandShapeOp>(op);
  SmallVector<ReassociationIndices> groups =
      split ? split.getReassociationIndices() : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  Value finer = split ? Value(op->getResult(0)) : op->getOperand(0); // the side with more dimensions
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(finer.getType()).getShape();
  for (auto [one, group] : llvm::enumerate(groups)) {
    if (split ? !llvm::is_contained(group, resultDim) : static_cast<int64_t>(one) != resultDim)
      continue;
    // The outermost dimension of the group that is not 1.
    int64_t outer = group.front();
    while (outer != group.back() && sizes[outer] == 1 && (!split || outer != resultDim))
      ++outer;
    if (split && outer != resultDim)
      return std::nullopt;
    std::optional<Product> inner =
        multiply(finer, ArrayRef<int64_t>(group).drop_while([&](int64_t dim) { return dim <= outer; }));
    if (!inner)
      return std::nullopt;
    return split ? SourceDim{static_cast<int64_t>(one), *inner, {}} : SourceDim{outer, {}, *inner};
  }
  return std::nullopt;
}

namespace {

// One mark of a node on its way from the node's results to the ops that compute them.
class NodeMarker {
public:
  NodeMarker(ArrayRef<Operation *> ops, StreamAxisAttr axis) : axis(axis), ops(ops.begin(), ops.end()) {}

  // The mark of each op that takes one.
  llvm::MapVector<Operation *, StreamAxisAttr> run(std::string &reason) {
    reason = axis.getKind() == AxisKind::Reduced ? "nothing that it becomes reduces"
                                                 : "nothing that it becomes is a structured op, which could be cut";
    for (Operation *op : llvm::reverse(ops.getArrayRef())) {
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      if (axis.getKind() == AxisKind::Reduced) {
        if (structured && structured.getNumReductionLoops() > 0)
          markReduced(structured, reason);
      } else if (flow::isTransparent(op)) {
        pass(op, reason);
      } else if (structured ? isa<linalg::FillOp>(op) || !mark(structured, reason) : !markAligned(op, reason)) {
        for (Value operand : op->getOperands())
          refuse(operand);
      }
    }
    return marks;
  }

private:
  struct Want {
    int64_t dim;
    flow::Product granule;
    bool operator==(const Want &other) const { return dim == other.dim && granule == other.granule; }
  };

  void refuse(Value value) { wants[value] = std::nullopt; }

  void want(Value value, Want what) {
    auto [known, isNew] = wants.try_emplace(value, what);
    if (!isNew && known->second != what)
      known->second = std::nullopt;
  }

  // What is cut of the value: what its readers in the node want; the mark's own dimension where it leaves the node.
  std::optional<Want> getWant(Value value) {
    bool leaves = llvm::any_of(value.getUsers(), [&](Operation *user) { return !ops.contains(user); });
    if (leaves)
      return Want{axis.getAxis(), flow::getGranule(axis)};
    return wants.lookup(value);
  }

  void pass(Operation *op, std::string &reason) {
    std::optional<Want> result = getWant(op->getResult(0));
    bool exists = result && result->dim < cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    std::optional<flow::SourceDim> source = exists ? flow::traceDim(op, result->dim) : std::nullopt;
    std::optional<flow::Product> granule = source ? result->granule.dividedBy(source->div) : std::nullopt;
    if (granule)
      want(op->getOperand(0), {source->dim, *granule * source->mul});
    else
      refuse(op->getOperand(0));
    if (exists && !source)
      reason = "slices along dimension " + std::to_string(result->dim) +
               " of its result are no slices of what is computed: it is one of several dimensions that one is split "
               "into, and not the outermost, or the size of an inner one has no name";
    else if (result && !exists)
      reason = "its result has no dimension " + std::to_string(result->dim);
  }

  bool mark(linalg::LinalgOp op, std::string &reason) {
    std::optional<Want> result = op->getNumResults() ? getWant(op->getResult(0)) : std::nullopt;
    if (!result)
      return false;
    auto found = flow::findStreamLoop(op, flow::withLoop(axis, AxisKind::Result, result->dim, {}));
    if (auto *why = std::get_if<std::string>(&found)) {
      reason = *why;
      return false;
    }
    unsigned loop = std::get<unsigned>(found);
    marks[op] = flow::withLoop(axis, AxisKind::Loop, loop, result->granule);
    for (OpOperand &operand : op->getOpOperands()) {
      ArrayRef<AffineExpr> reads = op.getMatchingIndexingMap(&operand).getResults();
      const AffineExpr *dim = llvm::find(reads, getAffineDimExpr(loop, axis.getContext()));
      if (dim != reads.end())
        want(operand.get(), {dim - reads.begin(), result->granule});
      else
        refuse(operand.get());
    }
    return true;
  }

  // Padding and the like, along a dimension that it leaves as it is.
  bool markAligned(Operation *op, std::string &reason) {
    std::optional<Want> result = flow::mayBeAligned(op) ? getWant(op->getResult(0)) : std::nullopt;
    std::optional<SmallVector<bool>> cut = result ? flow::findAligned(op, result->dim) : std::nullopt;
    if (result && !cut)
      reason = op->getName().getStringRef().str() + " works along dimension " + std::to_string(result->dim) +
               " of its result";
    if (!cut)
      return false;
    marks[op] = flow::withLoop(axis, AxisKind::Loop, result->dim, result->granule);
    for (auto [operand, isCut] : llvm::zip_equal(op->getOperands(), *cut))
      if (isCut)
        want(operand, *result);
    return true;
  }

  void markReduced(linalg::LinalgOp op, std::string &reason) {
    auto found = flow::findStreamLoop(op, axis);
    if (auto *why = std::get_if<std::string>(&found))
      reason = *why;
    else
      marks[op] = flow::withLoop(axis, AxisKind::Loop, std::get<unsigned>(found), flow::getGranule(axis));
  }

  StreamAxisAttr axis;
  llvm::SetVector<Operation *> ops;
  llvm::MapVector<Operation *, StreamAxisAttr> marks;
  llvm::DenseMap<Value, std::optional<Want>> wants;
};

} // namespace

LogicalResult flow::markNode(Location loc, ArrayRef<Operation *> ops, ArrayRef<StreamAxisAttr> axes) {
  llvm::MapVector<Operation *, SmallVector<StreamAxisAttr>> all;
  for (StreamAxisAttr axis : axes) {
    std::string reason;
    llvm::MapVector<Operation *, StreamAxisAttr> marks = NodeMarker(ops, axis).run(reason);
    if (marks.empty())
      return emitError(loc) << "has heddle.stream = " << axis << ", but cannot be streamed: " << reason;
    for (auto [op, mark] : marks)
      all[op].push_back(mark);
  }
  for (auto &[op, marks] : all)
    setStreamAxes(op, marks);
  return success();
}
