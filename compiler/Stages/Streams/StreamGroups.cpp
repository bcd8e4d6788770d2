// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Streams/StreamGroups.h"

#include "compiler/Dialect/Flow/Transforms/AlignedOps.h"
#include "compiler/Dialect/Flow/Transforms/Parts.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::streams;
using flow::Extent;
using flow::Product;
using flow::StreamAxisAttr;

std::optional<int64_t> Member::getTrips() const {
  if (parts != StreamAxisAttr::kAll)
    return parts;
  std::optional<int64_t> known = extents.empty() ? std::nullopt : extents.front().getConstant();
  std::optional<int64_t> step = granule.getConstant();
  return known && step ? std::optional<int64_t>(llvm::divideCeil(*known, *step)) : std::nullopt;
}

const Member *Group::find(Operation *op) const {
  const Member *found = llvm::find_if(members, [&](const Member &member) { return member.op == op; });
  return found == members.end() ? nullptr : found;
}

std::optional<Source> streams::findSource(const Group &group, Value value, int64_t dim) {
  Source source;
  for (;;) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return std::nullopt;
    if (group.find(result.getOwner())) {
      source.result = result;
      source.dim = dim;
      return source;
    }
    if (!flow::isTransparent(result.getOwner()))
      return std::nullopt;
    source.between.push_back(result.getOwner());
    source.dims.push_back(dim);
    value = result.getOwner()->getOperand(0);
    std::optional<flow::SourceDim> back = source.isSlice ? flow::traceDim(result.getOwner(), dim) : std::nullopt;
    source.isSlice = back.has_value();
    if (!back)
      continue;
    dim = back->dim;
    // In lowest terms as far as one divides the other: splits and merges of one dimension cancel.
    source.mul = source.mul * back->mul;
    source.div = source.div * back->div;
    if (std::optional<flow::Product> whole = source.mul.dividedBy(source.div)) {
      source.mul = *whole;
      source.div = {};
    } else if (std::optional<flow::Product> part = source.div.dividedBy(source.mul)) {
      source.div = *part;
      source.mul = {};
    }
  }
}

std::optional<int64_t> streams::getCutDim(const Member &member, OpResult result) {
  auto structured = dyn_cast<linalg::LinalgOp>(member.op);
  if (!structured)
    return member.axis;
  if (member.isReduced)
    return std::nullopt;
  AffineMap map = structured.getIndexingMapMatchingResult(result);
  std::optional<unsigned> dim = map.getResultPosition(getAffineDimExpr(member.axis, member.op->getContext()));
  return dim ? std::optional<int64_t>(*dim) : std::nullopt;
}

SmallVector<Read> streams::getReads(const Member &member) {
  SmallVector<Read> reads;
  auto structured = dyn_cast<linalg::LinalgOp>(member.op);
  if (std::optional<SmallVector<bool>> cut = flow::findAligned(member.op, member.axis)) {
    for (auto [operand, isCut] : llvm::zip_equal(member.op->getOperands(), *cut))
      if (isa<RankedTensorType>(operand.getType()))
        reads.push_back({operand, isCut ? std::optional(member.axis) : std::nullopt});
    return reads;
  }
  if (!structured) {
    std::optional<flow::SourceDim> source = flow::traceDim(member.op, member.axis);
    return {{member.op->getOperand(0), source->dim}};
  }
  AffineExpr alone = getAffineDimExpr(member.axis, member.op->getContext());
  for (OpOperand &operand : member.op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = structured.getMatchingIndexingMap(&operand);
    std::optional<unsigned> dim = map.getResultPosition(alone);
    // A window reads neighbours of its part, too.
    bool isCut = dim && llvm::count_if(map.getResults(),
                                       [&](AffineExpr expr) { return expr.isFunctionOfDim(member.axis); }) == 1;
    reads.push_back({operand.get(), isCut ? std::optional<int64_t>(*dim) : std::nullopt});
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(member.op->getRegions(), captured);
  for (Value value : captured)
    if (isa<RankedTensorType>(value.getType()))
      reads.push_back({value, std::nullopt});
  return reads;
}

//===--- One op --------------------------------------------------------------------------------------------------===//

using MemberOrReason = std::variant<Member, std::string>;

static MemberOrReason readReshape(Operation *op, StreamAxisAttr axis) {
  Member member{op, axis.getAxis(), false, flow::getGranule(axis), axis.getParts(), false, {}};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (axis.getKind() == flow::AxisKind::Reduced)
    return "a reshape reduces nothing";
  if (axis.getAxis() >= type.getRank())
    return "its result has " + std::to_string(type.getRank()) + " dimensions";
  std::optional<flow::SourceDim> source = flow::traceDim(op, axis.getAxis());
  if (!source)
    return "slices along the dimension are no slices of its operand; only the outermost of the dimensions that one is "
           "split into can be cut, with inner ones of fixed size";
  // A collapsed dimension is cut where the outermost of its dimensions is.
  if (!member.granule.dividedBy(source->div))
    member.granule = member.granule * source->div;
  member.extents = flow::traceExtents(op, axis.getAxis());
  return member;
}

static MemberOrReason readAligned(Operation *op, StreamAxisAttr axis) {
  if (axis.getKind() == flow::AxisKind::Reduced)
    return op->getName().getStringRef().str() + " reduces nothing";
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (axis.getAxis() >= type.getRank())
    return "its result has " + std::to_string(type.getRank()) + " dimensions";
  if (!flow::findAligned(op, axis.getAxis()))
    return op->getName().getStringRef().str() + " works along dimension " + std::to_string(axis.getAxis()) +
           "; along others it can be cut";
  return Member{op,
                axis.getAxis(),
                false,
                flow::getGranule(axis),
                axis.getParts(),
                false,
                flow::traceExtents(op, axis.getAxis())};
}

// What is read of a part must be known, and be something: null or a reason.
static const char *checkWindows(linalg::LinalgOp op, const Member &member) {
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults()) {
      if (!expr.isFunctionOfDim(member.axis) || isa<AffineDimExpr>(expr))
        continue;
      std::optional<int64_t> extent = member.extents.front().getConstant();
      std::optional<int64_t> granule = member.granule.getConstant();
      bool isKnown = extent && granule;
      if (member.parts != StreamAxisAttr::kAll &&
          (!isKnown || static_cast<int64_t>(llvm::divideCeil(*extent, *granule)) < member.parts))
        return "windows along this loop need parts that have at least one position each; leave out 'parts', or give no "
               "more than there are positions of a fixed size";
      for (unsigned other = 0; other < op.getNumLoops(); ++other)
        if (other != member.axis && expr.isFunctionOfDim(other) && flow::traceLoop(op, other).empty())
          return "no operand tells the size of a window along this loop";
    }
  return nullptr;
}

static MemberOrReason readStructured(linalg::LinalgOp op, StreamAxisAttr axis, bool strictFloat) {
  auto found = flow::findStreamLoop(op, axis);
  if (auto *reason = std::get_if<std::string>(&found))
    return *reason;
  unsigned loop = std::get<unsigned>(found);
  Member member{op,
                loop,
                op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction,
                flow::getGranule(axis),
                axis.getParts(),
                false,
                flow::traceExtents(op, loop)};
  if (!op.hasPureTensorSemantics())
    return "it computes on memory, not on tensors";
  if (member.extents.empty())
    return "no operand has a dimension that is this loop alone, which could be cut into slices";
  if (member.isReduced) {
    auto combiner = flow::findCombiner(op);
    if (auto *reason = std::get_if<std::string>(&combiner))
      return *reason;
    std::string strictly = flow::refuseStrictly(std::get<flow::Combiner>(combiner).op);
    if (strictFloat && !strictly.empty())
      return strictly;
    if (!flow::isSliceable(op, loop))
      return "the reduced loop does not cut its operands into slices";
    return member;
  }
  for (OpResult result : op->getResults())
    if (!getCutDim(member, result))
      return "no dimension of its result is this loop";
  if (const char *reason = checkWindows(op, member))
    return reason;
  return member;
}

// Whether an argument of the program has a dimension of the name.
static bool isSize(Operation *op, StringAttr name) {
  auto func = op->getParentOfType<func::FuncOp>();
  return func && llvm::any_of(llvm::seq(func.getNumArguments()), [&](unsigned argument) {
           auto names = func.getArgAttrOfType<ArrayAttr>(argument, kDimsAttr);
           return names && llvm::is_contained(names, Attribute(name));
         });
}

std::variant<Member, std::string> streams::readMember(Operation *op, StreamAxisAttr axis, bool strictFloat) {
  for (StringAttr name : axis.getGranuleSizes())
    if (name.empty() || !isSize(op, name))
      return "no argument has a dimension named '" + name.str() + "'";
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return readStructured(structured, axis, strictFloat);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return readReshape(op, axis);
  if (flow::mayBeAligned(op))
    return readAligned(op, axis);
  return op->getName().getStringRef().str() + " is no structured op with one loop for each dimension";
}

//===--- Groups --------------------------------------------------------------------------------------------------===//

namespace {

class Grouping {
public:
  Grouping(Block &block, const GroupOptions &options) : block(block), options(options) {}

  FailureOr<SmallVector<Group>> run() {
    bool isValid = true;
    for (Operation &op : block) {
      if (flow::getStreamAxes(&op).empty())
        continue;
      StreamAxisAttr axis = flow::getStreamAxes(&op).front();
      MemberOrReason read = readMember(&op, axis, options.strictFloat);
      if (auto *member = std::get_if<Member>(&read)) {
        place(*member, axis.getStreamsOfLoop());
        continue;
      }
      op.emitError() << "has heddle.stream = " << axis << ", but cannot be streamed: " << std::get<std::string>(read);
      isValid = false;
    }
    if (!isValid)
      return failure();
    return std::move(groups);
  }

private:
  void place(const Member &member, flow::StreamsAttr streams) {
    for (Group &group : llvm::reverse(groups))
      if (group.streams == streams && join(group, member))
        return; // the nearest
    groups.push_back({streams, {member}});
  }

  // How often the two run is provably the same.
  static bool haveEqualTrips(const Member &a, const Member &b) {
    std::optional<int64_t> known = a.getTrips();
    if (known || b.getTrips())
      return known == b.getTrips();
    return a.granule == b.granule && areEqual(a.extents, b.extents);
  }

  // Whether parts of both lie at the same places, position p of `reader` being p * mul / div of `source`. Where
  // granules alone stand in the way, that of one which no other member depends on is made coarser.
  static bool alignParts(Member &source, Member &reader, const Product &mul, const Product &div) {
    if (source.granule * div == reader.granule * mul || cutAtEqualPlaces(source, reader, mul, div))
      return true;
    auto coarsen = [](Member &member, const std::optional<Product> &coarse) {
      if (member.parts == StreamAxisAttr::kAll || !coarse || !coarse->dividedBy(member.granule))
        return false;
      member.granule = *coarse;
      return true;
    };
    return coarsen(reader, (source.granule * div).dividedBy(mul)) ||
           (!source.isLinked && coarsen(source, (reader.granule * mul).dividedBy(div)));
  }

  // Equal parts without a rest begin at equal places, whatever the granules.
  static bool cutAtEqualPlaces(const Member &source, const Member &reader, const Product &mul, const Product &div) {
    std::optional<int64_t> trips = source.getTrips();
    auto step = [&](const Member &member) -> std::optional<Product> {
      std::optional<int64_t> extent = member.extents.front().getConstant(), granule = member.granule.getConstant();
      if (!extent || !granule || !trips || *trips == 0 || *extent % (*trips * *granule) != 0)
        return std::nullopt;
      return Product{*extent / *trips, {}};
    };
    std::optional<Product> first = step(source), second = step(reader);
    return first && second && *first * div == *second * mul;
  }

  // Whether the op joins the group, which it then does.
  bool join(Group &group, const Member &member) {
    if (!options.areTogether(group.members.front().op, member.op) || dependsAround(group, member))
      return false;
    Member joined = member;
    Group wider = group;
    bool equalTrips = haveEqualTrips(group.members.front(), member);
    for (const Read &read : getReads(member)) {
      std::optional<Source> source = findSource(group, read.value, read.dim.value_or(0));
      if (!source)
        continue;
      Member &producer =
          *llvm::find_if(wider.members, [&](Member &one) { return one.op == source->result.getOwner(); });
      if (!read.dim || !source->isSlice || getCutDim(producer, source->result) != source->dim ||
          !alignParts(producer, joined, source->mul, source->div))
        return false;
      // One part for each granule, and as many granules.
      equalTrips |= producer.parts == StreamAxisAttr::kAll && joined.parts == StreamAxisAttr::kAll &&
                    producer.granule * source->div == joined.granule * source->mul;
      producer.isLinked = joined.isLinked = true;
    }
    if (!equalTrips)
      return false;
    group = std::move(wider);
    group.members.push_back(joined);
    return true;
  }

  // Whether an op outside the group, which needs what the group computes, is needed by the member. A loop is one op.
  bool dependsAround(const Group &group, const Member &member) {
    llvm::SmallDenseSet<Operation *> seen;
    SmallVector<Operation *> work;
    auto visit = [&](Value value) {
      Operation *def = value.getDefiningOp();
      def = def ? block.findAncestorOpInBlock(*def) : nullptr;
      if (def && seen.insert(def).second)
        work.push_back(def);
    };
    for (const Read &read : getReads(member)) {
      std::optional<Source> source = findSource(group, read.value, 0);
      if (!source)
        visit(read.value);
      for (Operation *between : source ? source->between : SmallVector<Operation *>())
        visitOthers(between, visit);
    }
    visitOthers(member.op, visit);
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (group.find(op))
        return true;
      const Group *other = findGroup(op);
      if (!other) {
        visitAll(op, visit);
        continue;
      }
      for (const Member &inner : other->members) {
        seen.insert(inner.op);
        visitAll(inner.op, visit);
      }
    }
    return false;
  }

  // What the op uses beside tensors.
  static void visitOthers(Operation *op, llvm::function_ref<void(Value)> visit) {
    for (Value operand : op->getOperands())
      if (!isa<RankedTensorType>(operand.getType()))
        visit(operand);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      if (!isa<RankedTensorType>(value.getType()))
        visit(value);
  }

  static void visitAll(Operation *op, llvm::function_ref<void(Value)> visit) {
    for (Value operand : op->getOperands())
      visit(operand);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      visit(value);
  }

  const Group *findGroup(Operation *op) const {
    const Group *found = llvm::find_if(groups, [&](const Group &group) { return group.find(op); });
    return found == groups.end() ? nullptr : found;
  }

  Block &block;
  const GroupOptions &options;
  SmallVector<Group> groups;
};

} // namespace

FailureOr<SmallVector<Group>> streams::groupStreamed(Block &block, const GroupOptions &options) {
  return Grouping(block, options).run();
}
