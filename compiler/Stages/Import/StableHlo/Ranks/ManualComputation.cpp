// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/ManualComputation.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/StableHlo/Ranks/Requests.h"
#include "compiler/Stages/Import/StableHlo/Ranks/RewriteCollectives.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static bool isNamed(Operation *op, StringRef name) { return op && op->getName().getStringRef() == name; }

RankedTensorType mlir::heddle::hlo::cutType(RankedTensorType whole, const ShardingText &sharding, const Ranks &ranks) {
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [size, axes] : llvm::zip_equal(shape, sharding.dims))
    for (const AxisText &axis : axes) {
      int64_t parts = ranks.find(sharding.mesh)->text.find(axis.name)->size;
      if (ShapedType::isDynamic(size) || size % parts != 0)
        return {};
      size /= parts;
    }
  return cast<RankedTensorType>(whole.clone(shape));
}

Value mlir::heddle::hlo::createBorder(OpBuilder &b, bool isPart, Value value, flow::ShardingAttr sharding, Type type) {
  OperationState state(value.getLoc(), isPart ? kPartOp : kWholeOp);
  state.addOperands(value);
  state.addTypes(type);
  state.addAttribute(kSharding, sharding);
  return b.create(state)->getResult(0);
}

//===--- One function --------------------------------------------------------------------------------------------===//

namespace {

// A manual computation that was read and checked: of its shardings what is along its axes.
struct Manual {
  Operation *op;
  ShardingTexts in, out;
  SmallVector<std::optional<ShardingText>, 0> asked; // of operands of which more is asked: with the other axes
  bool isNested;                                     // in another one

  Block &body() const { return op->getRegion(0).front(); }
};

class Localizer {
public:
  Localizer(func::FuncOp function, const Ranks &ranks) : function(function), ranks(ranks), b(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult readManuals();
  FailureOr<Manual> readManual(Operation *op);
  LogicalResult readManualShardings(Manual &manual, const llvm::StringSet<> &axes, bool isOperand);
  LogicalResult checkTypes(const Manual &manual);
  LogicalResult askOfArguments();
  LogicalResult askOfResults();
  bool isCut();
  bool isCutBy(Attribute annotation, Type type);
  void markReplicated();
  LogicalResult refuseRankOps();
  void inlineManual(const Manual &manual);

  Value gather(Value part, const ShardingText &sharding, Type whole);
  Value slice(Value whole, const ShardingText &sharding);
  flow::ShardingAttr attributeOf(const ShardingText &sharding) { return makeSharding(b.getContext(), sharding); }

  func::FuncOp function;
  const Ranks &ranks;
  OpBuilder b;
  std::map<Operation *, Manual> manuals;
};

} // namespace

//===--- Between whole values and parts ---===//

Value Localizer::gather(Value part, const ShardingText &sharding, Type whole) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(part.getType()).getShape());
  Value value = part;
  for (auto [dim, axes] : llvm::enumerate(sharding.dims)) {
    if (axes.empty())
      continue;
    shape[dim] = cast<RankedTensorType>(whole).getDimSize(dim);
    OperationState state(part.getLoc(), "stablehlo.all_gather");
    state.addOperands(value);
    state.addTypes(cast<RankedTensorType>(whole).clone(shape));
    state.addAttribute("all_gather_dim", b.getI64IntegerAttr(dim));
    state.addAttribute("replica_groups", makeGroupAxes(b.getContext(), sharding.mesh, axes));
    value = b.create(state)->getResult(0);
  }
  return value;
}

Value Localizer::slice(Value whole, const ShardingText &sharding) {
  Type type = cutType(cast<RankedTensorType>(whole.getType()), sharding, ranks);
  OperationState state(whole.getLoc(), kSliceOp);
  state.addOperands(whole);
  state.addTypes(type);
  state.addAttribute(kSharding, attributeOf(sharding));
  return b.create(state)->getResult(0);
}

//===--- Manual computations ---===//

static LogicalResult refuse(Operation *op, const Twine &reason) {
  return op->emitError() << "op " << op->getName() << ": " << reason;
}

LogicalResult Localizer::checkTypes(const Manual &manual) {
  Block &body = manual.body();
  Operation *op = manual.op, *end = &body.back();
  for (auto [i, sharding] : llvm::enumerate(manual.in))
    if (cutType(cast<RankedTensorType>(op->getOperand(i).getType()), sharding, ranks) != body.getArgument(i).getType())
      return refuse(op, "operand " + Twine(i) +
                            " does not have as many elements in each dimension as the ranks of its "
                            "axes together, each with what the body's argument has");
  for (auto [i, sharding] : llvm::enumerate(manual.out))
    if (cutType(cast<RankedTensorType>(op->getResult(i).getType()), sharding, ranks) != end->getOperand(i).getType())
      return refuse(op, "result " + Twine(i) +
                            " does not have as many elements in each dimension as the ranks of its "
                            "axes together, each with what the body returns");
  return success();
}

// The axes of the device.mesh that are manual in the op.
static FailureOr<llvm::StringSet<>> findManualAxes(Operation *op, const Ranks &ranks) {
  std::optional<SmallVector<std::string>> names;
  if (Attribute told = op->getAttr("manual_axes"))
    names = readManualAxes(told);
  if (!names)
    return failure();
  llvm::StringSet<> axes;
  for (const std::string &name : *names)
    for (const RankMesh &mesh : ranks.all()) {
      std::string why;
      FailureOr<SmallVector<std::string>> own = mesh.axesOf({name}, why);
      if (succeeded(own))
        axes.insert(own->begin(), own->end());
    }
  return axes;
}

// Reads in_shardings or out_shardings, and leaves in them what is along the manual axes.
LogicalResult Localizer::readManualShardings(Manual &manual, const llvm::StringSet<> &axes, bool isOperand) {
  Operation *op = manual.op;
  TypeRange types = isOperand ? TypeRange(op->getOperandTypes()) : TypeRange(op->getResultTypes());
  for (auto [i, sharding, type] : llvm::enumerate(isOperand ? manual.in : manual.out, types)) {
    auto report = [&, i = i] {
      return op->emitError() << "op " << op->getName() << ": the sharding of " << (isOperand ? "operand " : "result ")
                             << i;
    };
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return report() << " is one of " << type << ", which is not a tensor";
    if (failed(checkSharding(sharding, tensor.getRank(), ranks, report)))
      return failure();
    if (sharding.mesh.empty())
      sharding.mesh = ranks.main().symbol;
    ShardingText asked = sharding;
    auto isFree = [&](const AxisText &axis) { return !axes.contains(axis.name); };
    for (SmallVector<AxisText> &dim : sharding.dims) {
      auto *free = llvm::find_if(dim, isFree);
      if (!llvm::all_of(llvm::make_range(free, dim.end()), isFree))
        return report() << " cuts along '" << free->name
                        << "', which is not one of its manual axes, before one that is";
      dim.erase(free, dim.end());
    }
    llvm::erase_if(sharding.unreduced, isFree);
    sharding.open.clear();
    sharding.replicated.clear();
    bool hasMore = !(asked == sharding) || asked.unreduced.size() != sharding.unreduced.size();
    asked.open.clear();
    if (hasMore && (!isOperand || manual.isNested))
      op->emitWarning() << "op " << op->getName() << ": the sharding of " << (isOperand ? "operand " : "result ") << i
                        << " is applied along the manual axes only";
    if (isOperand)
      manual.asked.push_back(hasMore && !manual.isNested ? std::optional(asked) : std::nullopt);
  }
  return success();
}

FailureOr<Manual> Localizer::readManual(Operation *op) {
  std::optional<ShardingTexts> in, out;
  if (op->hasAttr("in_shardings") && op->hasAttr("out_shardings")) {
    in = readShardings(op->getAttr("in_shardings"));
    out = readShardings(op->getAttr("out_shardings"));
  }
  FailureOr<llvm::StringSet<>> axes = findManualAxes(op, ranks);
  bool fits = in && out && succeeded(axes) && in->size() == op->getNumOperands() &&
              out->size() == op->getNumResults() && op->getNumRegions() == 1 && op->getRegion(0).hasOneBlock() &&
              !op->getRegion(0).front().empty();
  Block *body = fits ? &op->getRegion(0).front() : nullptr;
  if (!fits || body->getNumArguments() != op->getNumOperands() ||
      body->back().getName().getStringRef() != "sdy.return" || body->back().getNumOperands() != op->getNumResults() ||
      body->back().getNumResults() != 0)
    return refuse(op,
                  "needs in_shardings, out_shardings and manual_axes, one sharding for each operand and each result, "
                  "and a region with the operands' parts that ends in sdy.return");
  Manual manual{op, std::move(*in), std::move(*out), {}, false};
  for (Operation *outer = op->getParentOp(); outer && !isa<func::FuncOp>(outer); outer = outer->getParentOp()) {
    if (!isManual(outer))
      continue;
    manual.isNested = true;
    FailureOr<llvm::StringSet<>> around = findManualAxes(outer, ranks);
    for (const auto &axis : *axes)
      if (succeeded(around) && around->contains(axis.getKey()))
        return refuse(op, "the axis '" + axis.getKey() + "' is manual around it already");
  }
  if (failed(readManualShardings(manual, *axes, true)) || failed(readManualShardings(manual, *axes, false)))
    return failure();
  return manual;
}

LogicalResult Localizer::readManuals() {
  bool refused = false;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isManual(op) || refused)
      return;
    FailureOr<Manual> manual = readManual(op);
    refused |= failed(manual) || failed(checkTypes(*manual));
    if (!refused)
      manuals.insert({op, std::move(*manual)});
  });
  return failure(refused);
}

// The body stands in place of the op: a nested one's parts are slices of what this rank has.
void Localizer::inlineManual(const Manual &manual) {
  Operation *op = manual.op;
  Block &body = manual.body();
  bool isBorder = !manual.isNested && ranks.count() > 1;
  b.setInsertionPoint(op);
  for (auto [i, sharding] : llvm::enumerate(manual.in)) {
    Value operand = op->getOperand(i);
    if (manual.asked[i] && isBorder) {
      OperationState state(operand.getLoc(), kRequestOp);
      state.addOperands(operand);
      state.addTypes(operand.getType());
      state.addAttribute(kSharding, attributeOf(*manual.asked[i]));
      operand = b.create(state)->getResult(0);
    }
    Type part = body.getArgument(i).getType();
    body.getArgument(i).replaceAllUsesWith(isBorder ? createBorder(b, true, operand, attributeOf(sharding), part)
                                           : sharding.isReplicated() ? operand
                                                                     : slice(operand, sharding));
  }
  Operation *end = &body.back();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations(), body.begin(), end->getIterator());
  for (auto [i, sharding] : llvm::enumerate(manual.out)) {
    Value part = end->getOperand(i);
    Type whole = op->getResult(i).getType();
    op->getResult(i).replaceAllUsesWith(isBorder ? createBorder(b, false, part, attributeOf(sharding), whole)
                                        : sharding.isReplicated() ? part
                                                                  : gather(part, sharding, whole));
  }
  op->erase();
}

//===--- Arguments and results ---===//

// A sharding that leaves nothing to be summed.
static flow::ShardingAttr withoutSums(flow::ShardingAttr sharding) {
  return flow::ShardingAttr::get(sharding.getContext(), sharding.getMesh(), sharding.getAxes());
}

static std::string describe(BlockArgument argument) {
  std::string text = "argument " + std::to_string(argument.getArgNumber());
  if (auto named = argument.getLoc()->findInstanceOf<NameLoc>())
    text += " (" + named.getName().getValue().str() + ")";
  return text;
}

// What all readers of an argument take of it.
static flow::ShardingAttr commonPart(BlockArgument argument) {
  flow::ShardingAttr common;
  for (Operation *user : argument.getUsers()) {
    auto own = isNamed(user, kPartOp) ? user->getAttrOfType<flow::ShardingAttr>(kSharding) : flow::ShardingAttr();
    if (!own || (common && common != own))
      return {};
    common = own;
  }
  return common;
}

LogicalResult Localizer::askOfArguments() {
  bool refused = false;
  b.setInsertionPointToStart(&function.getBody().front());
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    Attribute told = findAnnotation(function.getArgAttrDict(argument.getArgNumber()));
    if (!type)
      continue;
    auto report = [&] { return function.emitError() << describe(argument) << ": the sharding"; };
    auto warn = [&] { return function.emitWarning() << describe(argument) << ": the sharding"; };
    FailureOr<Asked> asked = Asked();
    if (told)
      asked = readRequest(told, type.getRank(), ranks, report, warn);
    else if (!argument.use_empty())
      asked = Asked{commonPart(argument), {}};
    refused |= failed(asked);
    if (succeeded(asked) && *asked)
      createRequest(b, argument, *asked);
  }
  return failure(refused);
}

LogicalResult Localizer::askOfResults() {
  Operation *end = function.getBody().front().getTerminator();
  b.setInsertionPoint(end);
  bool refused = false;
  for (OpOperand &operand : end->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    auto report = [&] { return function.emitError() << "result " << i << ": the sharding"; };
    auto warn = [&] { return function.emitWarning() << "result " << i << ": the sharding"; };
    Operation *maker = operand.get().getDefiningOp();
    FailureOr<Asked> asked = Asked();
    if (Attribute told = findAnnotation(function.getResultAttrDict(i)))
      asked = readRequest(told, type.getRank(), ranks, report, warn);
    else if (isNamed(maker, kWholeOp))
      asked = Asked{withoutSums(maker->getAttrOfType<flow::ShardingAttr>(kSharding)), {}};
    refused |= failed(asked);
    if (failed(asked) || !*asked)
      continue;
    OperationState state(operand.get().getLoc(), kRequestOp);
    state.addOperands(operand.get());
    state.addTypes(type);
    asked->addTo(state);
    operand.set(b.create(state)->getResult(0));
  }
  return failure(refused);
}

//===--- One function ---===//

// Whether some value is not whole on every rank.
bool Localizer::isCut() {
  if (ranks.count() == 1)
    return false;
  bool cuts = !manuals.empty();
  function.walk([&](Operation *op) {
    auto asked = isNamed(op, kRequestOp) ? op->getAttrOfType<flow::ShardingAttr>(kSharding) : flow::ShardingAttr();
    cuts |= isNamed(op, kPartOp) || isNamed(op, kWholeOp) || (asked && !asked.isReplicated());
  });
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    cuts |= isCutBy(findAnnotation(function.getArgAttrDict(i)), function.getArgumentTypes()[i]);
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    cuts |= isCutBy(findAnnotation(function.getResultAttrDict(i)), function.getResultTypes()[i]);
  return cuts;
}

// Of the boundary; one that is no sharding is refused where it is asked for.
bool Localizer::isCutBy(Attribute annotation, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!annotation || !tensor)
    return false;
  ScopedDiagnosticHandler quiet(b.getContext(), [](Diagnostic &) { return success(); });
  auto report = [&] { return function.emitError(); };
  FailureOr<Asked> asked = readRequest(annotation, tensor.getRank(), ranks, report, report);
  return failed(asked) || (*asked && !asked->sharding.isReplicated());
}

// Of a program that cuts nothing: every rank computes all of it.
void Localizer::markReplicated() {
  function.walk([](Operation *op) {
    if (!isNamed(op, kRequestOp))
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
  auto mesh = FlatSymbolRefAttr::get(b.getContext(), ranks.main().symbol);
  auto replicated = [&](Type type) {
    return flow::ShardingAttr::getReplicated(mesh, cast<RankedTensorType>(type).getRank());
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<RankedTensorType>(type))
      function.setArgAttr(i, kShardingAttr, replicated(type));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (isa<RankedTensorType>(type))
      function.setResultAttr(i, kShardingAttr, replicated(type));
}

// Values outside of manual computations are whole: no op there asks which rank this is. (Borders of GSPMD do not say
// what is outside. Collectives of whole values are for stage `partition` to refuse: those of one rank are none.)
LogicalResult Localizer::refuseRankOps() {
  bool refused = false, hasBorders = false;
  function.walk([&](Operation *op) { hasBorders |= isNamed(op, kPartOp) || isNamed(op, kWholeOp); });
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isManual(op))
      return WalkResult::skip();
    if (!hasBorders && (isNamed(op, "stablehlo.partition_id") || isNamed(op, "stablehlo.replica_id"))) {
      refused = true;
      op->emitError() << "op " << op->getName() << " stands outside of the manual computations of a program with "
                      << "shardings, where values are those of all ranks together; put it into jax.shard_map";
    }
    return WalkResult::advance();
  });
  return failure(refused);
}

LogicalResult Localizer::run() {
  if (failed(readManuals()))
    return failure();
  if (ranks.count() > 1 && !isCut())
    return markReplicated(), success();
  if (ranks.count() > 1 && failed(refuseRankOps()))
    return failure();
  SmallVector<Operation *> order; // an outer one before those in it
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isManual(op))
      order.push_back(op);
  });
  for (Operation *op : order)
    inlineManual(manuals.find(op)->second);
  return failure(failed(askOfArguments()) || failed(askOfResults()));
}

//===--- The program ---------------------------------------------------------------------------------------------===//

// Whether values at its boundary are those of all ranks together: there are shardings, or at least a mesh and no op
// that would tell ranks apart.
static bool isGlobal(ModuleOp module) {
  bool says = false, tells = false, hasMesh = false;
  module.walk([&](Operation *op) {
    bool isMesh = isNamed(op, "sdy.mesh");
    hasMesh |= isMesh;
    says |= isShardy(op) && !isMesh;
    tells |= tellsRanksApart(op);
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        says |= findAnnotation(function.getArgAttrDict(i)) != Attribute();
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        says |= findAnnotation(function.getResultAttrDict(i)) != Attribute();
    }
  });
  return says || (hasMesh && !tells);
}

// Ops that are made here only.
static LogicalResult refuseMade(ModuleOp module) {
  WalkResult found = module.walk([](Operation *op) {
    if (!isNamed(op, kPartOp) && !isNamed(op, kWholeOp) && !isNamed(op, kSliceOp))
      return WalkResult::advance();
    op->emitError() << "op " << op->getName() << " is not supported in a StableHLO program";
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

LogicalResult mlir::heddle::hlo::convertShardings(ModuleOp module, const Ranks &ranks) {
  if (failed(refuseMade(module)) || failed(spellRequests(module, ranks)))
    return failure();
  bool global = isGlobal(module), refused = false;
  if (failed(inlineShardyCalls(module)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (global && function.isPublic() && !function.isExternal() && function.getBody().hasOneBlock() &&
        !function.getBody().front().empty() && isa<func::ReturnOp>(function.getBody().front().back()))
      refused |= failed(readRequests(function, ranks)) || failed(Localizer(function, ranks).run());
  if (refused)
    return failure();
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isNamed(&op, "sdy.mesh"))
      op.erase();
  return success();
}
