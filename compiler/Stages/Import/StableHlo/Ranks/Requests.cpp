// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/Requests.h"

#include "compiler/Dialect/Heddle/IR/Shards.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

bool mlir::heddle::hlo::isShardy(Operation *op) { return op->getName().getDialectNamespace() == "sdy"; }

static std::string spell(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

Operation *mlir::heddle::hlo::createRequest(OpBuilder &b, Value value, Attribute sharding) {
  OperationState state(value.getLoc(), kRequestOp);
  state.addOperands(value);
  state.addTypes(value.getType());
  state.addAttribute(kSharding, sharding);
  Operation *made = b.create(state);
  value.replaceAllUsesExcept(made->getResult(0), made);
  return made;
}

void mlir::heddle::hlo::createRequest(OpBuilder &b, Value value, const Asked &asked) {
  Operation *made = createRequest(b, value, asked.sharding);
  if (asked.priorities)
    made->setAttr(kShardPrioritiesAttr, asked.priorities);
}

void Asked::addTo(OperationState &state) const {
  state.addAttribute(kSharding, sharding);
  if (priorities)
    state.addAttribute(kShardPrioritiesAttr, priorities);
}

LogicalResult mlir::heddle::hlo::requireUnary(Operation *op) {
  if (op->getNumOperands() == 1 && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
      op->getOperand(0).getType() == op->getResult(0).getType() && op->getOperand(0) != op->getResult(0) &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return success();
  return op->emitError() << "op " << op->getName() << " needs an operand, a tensor, and a result of its type";
}

static void fold(Operation *op) {
  op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  op->erase();
}

// Dimensions that GSPMD leaves to others: `unspecified_dims=[0,1]`.
static SmallVector<int64_t> readUnspecified(StringAttr config) {
  SmallVector<int64_t> dims;
  StringRef text = config ? config.getValue() : StringRef();
  if (!text.consume_front("unspecified_dims=[") || !text.consume_back("]"))
    return dims;
  for (StringRef part : llvm::split(text, ',')) {
    int64_t dim;
    if (!part.trim().getAsInteger(10, dim))
      dims.push_back(dim);
  }
  return dims;
}

static constexpr StringLiteral kNoPlace = " is not applied: no value is on one rank alone, each rank has all of it",
                               kManual = " is not applied: in a manual computation each rank has all that its manual "
                                         "axes do not cut";

// What a warning ends in where a sharding that fits its mesh cannot be asked for; else empty.
static StringRef whyNotApplied(Attribute annotation, const ShardingText &sharding) {
  auto string = dyn_cast<StringAttr>(annotation);
  std::optional<GspmdText> text = string ? readGspmd(string) : std::nullopt;
  if (text && text->kind == GspmdText::OneDevice)
    return kNoPlace;
  return !sharding.manual.empty() && !sharding.isReplicated() ? StringRef(kManual) : StringRef();
}

FailureOr<Asked> mlir::heddle::hlo::readRequest(Attribute annotation, int64_t rank, const Ranks &ranks,
                                                llvm::function_ref<InFlightDiagnostic()> report,
                                                llvm::function_ref<InFlightDiagnostic()> warn) {
  std::optional<ShardingTexts> read = readAnnotation(annotation, rank, ranks);
  if (read && !read->front().inlined && ranks.isOneDevice(read->front().mesh) == DeviceMesh::Placed) {
    if (ranks.count() > 1)
      warn() << ' ' << spell(annotation) << kNoPlace;
    return Asked();
  }
  FailureOr<ShardingText> sharding = checkSharding(annotation, rank, ranks, report);
  if (failed(sharding))
    return failure();
  if (ranks.count() == 1)
    return Asked();
  StringRef why = whyNotApplied(annotation, *sharding);
  if (!why.empty())
    warn() << ' ' << spell(annotation) << why;
  bool isTrivial = rank == 0 && sharding->unreduced.empty();
  if (!why.empty() || isTrivial || sharding->saysNothing() || !sharding->manual.empty())
    return Asked();
  MLIRContext *context = annotation.getContext();
  Asked asked{makeSharding(context, *sharding), {}};
  if (llvm::any_of(sharding->priorities, [](int64_t priority) { return priority != 0; }))
    asked.priorities = DenseI64ArrayAttr::get(context, sharding->priorities);
  return asked;
}

namespace {

// Of one function.
class RequestReader {
public:
  RequestReader(func::FuncOp function, const Ranks &ranks) : function(function), ranks(ranks) {}

  LogicalResult run();

private:
  LogicalResult read(Operation *op);
  LogicalResult readBarrier(Operation *op);
  LogicalResult collect(Operation *group);
  void share();

  func::FuncOp function;
  const Ranks &ranks;
  llvm::MapVector<int64_t, SmallVector<Operation *>> groups;
};

} // namespace

static bool isInManual(Operation *op) {
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp())
    if (isManual(outer))
      return true;
  return false;
}

// Whether the op stands in a region of scalars, such as that of a reduction.
static bool isInElementRegion(Operation *op) {
  Operation *outer = op->getParentOp();
  StringRef name = outer->getName().getStringRef();
  return !isa<func::FuncOp>(outer) && !isManual(outer) && name != "stablehlo.while" && name != "stablehlo.case" &&
         name != "stablehlo.if";
}

LogicalResult RequestReader::read(Operation *op) {
  if (failed(requireUnary(op)))
    return failure();
  auto report = [&] { return op->emitError() << "op " << op->getName() << ": the sharding"; };
  auto warn = [&] { return op->emitWarning() << "the sharding"; };
  Attribute told = op->getAttr(kSharding);
  if (!told)
    return op->emitError() << "op " << op->getName() << " needs the attribute sharding";
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  FailureOr<Asked> asked = readRequest(told, rank, ranks, report, warn);
  if (failed(asked))
    return failure();
  flow::ShardingAttr request = asked->sharding;
  bool isOwn = isInManual(op);
  if (request && isOwn && !request.isReplicated())
    warn() << ' ' << spell(told) << kManual;
  if (!request || isOwn || isInElementRegion(op))
    return fold(op), success();
  SmallVector<int64_t> open = readUnspecified(op->getAttrOfType<StringAttr>(kConfig));
  llvm::append_range(open, request.getOpen());
  llvm::sort(open);
  open.erase(std::unique(open.begin(), open.end()), open.end());
  llvm::erase_if(open, [&](int64_t dim) { return dim < 0 || dim >= rank; });
  if (static_cast<int64_t>(open.size()) == rank && request.isReplicated())
    return fold(op), success();
  op->setAttr(kSharding, flow::ShardingAttr::get(op->getContext(), request.getMesh(), request.getAxes(), {}, open,
                                                 request.getPartial(), request.getReduction()));
  if (asked->priorities)
    op->setAttr(kShardPrioritiesAttr, asked->priorities);
  op->removeAttr(kConfig);
  return success();
}

// A request of nothing that shardings pass one way, or not at all. In a manual computation none would pass.
LogicalResult RequestReader::readBarrier(Operation *op) {
  if (failed(requireUnary(op)))
    return failure();
  auto told = op->getAttrOfType<StringAttr>("allowed_direction");
  std::optional<StringRef> direction = llvm::StringSwitch<std::optional<StringRef>>(told ? told.getValue() : "")
                                           .Case("NONE", StringRef("none"))
                                           .Case("FORWARD", StringRef("forward"))
                                           .Case("BACKWARD", StringRef("backward"))
                                           .Case("BOTH", StringRef("both"))
                                           .Default(std::nullopt);
  if (!direction)
    return op->emitError() << "op " << op->getName()
                           << " needs the attribute allowed_direction: NONE, FORWARD, BACKWARD or BOTH";
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  if (ranks.count() == 1 || rank == 0 || *direction == "both" || isInManual(op) || isInElementRegion(op))
    return fold(op), success();
  OpBuilder b(op);
  SmallVector<ArrayAttr> whole(rank, b.getArrayAttr({}));
  auto mesh = FlatSymbolRefAttr::get(op->getContext(), ranks.main().symbol);
  OperationState state(op->getLoc(), kRequestOp);
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addAttribute(kSharding,
                     flow::ShardingAttr::get(op->getContext(), mesh, whole, {},
                                             llvm::to_vector(llvm::seq<int64_t>(0, rank)), {}, flow::Reduction::Sum));
  state.addAttribute(kShardDirectionAttr, b.getStringAttr(*direction));
  op->replaceAllUsesWith(b.create(state));
  return op->erase(), success();
}

LogicalResult RequestReader::collect(Operation *group) {
  auto id = group->getAttrOfType<IntegerAttr>("group_id");
  if (!id || group->getNumOperands() != 1 || group->getNumResults() != 0 ||
      !isa<RankedTensorType>(group->getOperand(0).getType()))
    return group->emitError() << "op " << group->getName() << " needs an operand, a tensor, and the attribute group_id";
  groups[id.getInt()].push_back(group);
  return success();
}

static flow::ShardingAttr requestOf(Operation *op) {
  bool isRequest = op && op->getName().getStringRef() == kRequestOp && !op->hasAttr(kShardDirectionAttr);
  return isRequest ? op->getAttrOfType<flow::ShardingAttr>(kSharding) : flow::ShardingAttr();
}

// The request that a value is, or that one of its readers is.
static flow::ShardingAttr requestOf(Value value) {
  flow::ShardingAttr asked = requestOf(value.getDefiningOp());
  for (Operation *user : value.getUsers())
    asked = asked ? asked : requestOf(user);
  return asked;
}

// Members of a group without a request get that of the first one that has one.
void RequestReader::share() {
  OpBuilder b(function.getContext());
  for (auto &[id, members] : groups) {
    flow::ShardingAttr shared;
    for (Operation *member : members)
      shared = shared ? shared : requestOf(member->getOperand(0));
    for (Operation *member : members) {
      Value value = member->getOperand(0);
      bool fits =
          shared && shared.getRank() == cast<RankedTensorType>(value.getType()).getRank() && !isInManual(member);
      if (!fits && ranks.count() > 1)
        member->emitWarning() << "op " << member->getName() << " of group " << id
                              << " is not applied: no sharding is asked for any of its members that fits this one";
      if (fits && !requestOf(value.getDefiningOp())) {
        b.setInsertionPointAfterValue(value);
        createRequest(b, value, shared);
      }
      member->erase();
    }
  }
}

LogicalResult RequestReader::run() {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isShardy(op))
      ops.push_back(op);
  });
  bool refused = false;
  for (Operation *op : ops) {
    StringRef name = op->getName().getStringRef();
    if (name == kRequestOp)
      refused |= failed(read(op));
    else if (name == "sdy.propagation_barrier")
      refused |= failed(readBarrier(op));
    else if (name == "sdy.sharding_group")
      refused |= failed(collect(op));
  }
  if (refused)
    return failure();
  share();
  return success();
}

LogicalResult mlir::heddle::hlo::readRequests(func::FuncOp function, const Ranks &ranks) {
  return RequestReader(function, ranks).run();
}

bool mlir::heddle::hlo::isManual(Operation *op) { return op->getName().getStringRef() == "sdy.manual_computation"; }
