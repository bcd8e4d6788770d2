// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What asks for shardings in a StableHLO program as requests whose sharding is still the program's attribute.
#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"
#include "compiler/Stages/Import/StableHlo/Assembly/StructuredOps.h"
#include "compiler/Stages/Import/StableHlo/Ranks/ManualComputation.h"
#include "compiler/Stages/Import/StableHlo/Ranks/Requests.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

namespace {

// Of one module.
class Speller {
public:
  Speller(ModuleOp module, const Ranks &ranks) : module(module), ranks(ranks), b(module.getContext()) {}

  LogicalResult run();

private:
  LogicalResult spellOp(Operation *op);
  LogicalResult spellCustomCall(Operation *op, StringRef target);
  LogicalResult spellBorder(Operation *op, bool isPart);
  LogicalResult inlineNamed(Operation *op);
  void spellResults(Operation *op);
  void spellConstant(Operation *op);
  void spellBoundary(func::FuncOp function);
  // A request for each tensor among the values, as the annotation of all of them says.
  void request(ValueRange values, Attribute annotation);
  void warnOthers(Operation *op);

  ModuleOp module;
  const Ranks &ranks;
  OpBuilder b;
};

} // namespace

void Speller::request(ValueRange values, Attribute annotation) {
  SmallVector<Attribute> each = splitAnnotation(annotation);
  for (auto [i, value] : llvm::enumerate(values))
    if (isa<RankedTensorType>(value.getType()))
      createRequest(b, value, i < each.size() ? each[i] : annotation);
}

// Annotations that nothing here applies.
void Speller::warnOthers(Operation *op) {
  if (ranks.count() == 1)
    return;
  for (NamedAttribute attribute : attributesOf(op)) {
    StringRef name = attribute.getName();
    if (name == "sdy.sharding_rule" || name.starts_with("mhlo.spmd_"))
      op->emitWarning() << "attribute " << name
                        << " is not applied: how values are shared follows from what ops compute "
                        << "and from shardings of values";
    auto entries = dyn_cast<DictionaryAttr>(attribute.getValue());
    if (name != "mhlo.frontend_attributes" || !entries)
      continue;
    for (NamedAttribute entry : entries)
      if (entry.getName().strref().starts_with("xla.sdy.") && entry.getName() != "xla.sdy.meshes" &&
          !isShardingText(entry.getName()))
        op->emitWarning() << "attribute " << entry.getName().getValue() << " is not applied";
  }
}

void Speller::spellResults(Operation *op) {
  Attribute told = findAnnotation(DictionaryAttr::get(op->getContext(), attributesOf(op)));
  if (!told || op->getNumResults() == 0)
    return;
  b.setInsertionPointAfter(op);
  request(op->getResults(), told);
}

// SPMDFullToShardShape takes this rank's part of what its operand's annotation says, SPMDShardToFullShape is the whole
// of which the operand is this rank's part, by its own annotation.
LogicalResult Speller::spellBorder(Operation *op, bool isPart) {
  auto report = [&] { return op->emitError() << "op " << op->getName() << ": the sharding"; };
  auto from = op->getNumOperands() == 1 ? dyn_cast<RankedTensorType>(op->getOperand(0).getType()) : RankedTensorType();
  auto to = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
  Operation *maker = isPart && from ? op->getOperand(0).getDefiningOp() : op;
  Attribute told = !isPart                                                  ? op->getAttr("mhlo.sharding")
                   : maker && maker->getName().getStringRef() == kRequestOp ? maker->getAttr(kSharding)
                                                                            : Attribute();
  if (!from || !to || !told)
    return op->emitError() << "op " << op->getName()
                           << ": a border between whole values and parts needs an operand, a result, and a sharding of "
                              "the whole value by @Sharding or mhlo.sharding";
  FailureOr<ShardingText> sharding = checkSharding(told, to.getRank(), ranks, report);
  if (failed(sharding))
    return failure();
  RankedTensorType whole = isPart ? from : to, part = isPart ? to : from;
  if (cutType(whole, *sharding, ranks) != part)
    return report() << ' ' << told << " does not cut " << whole << " to " << part;
  b.setInsertionPoint(op);
  Value made = createBorder(b, isPart, op->getOperand(0), makeSharding(b.getContext(), *sharding), to);
  op->getResult(0).replaceAllUsesWith(made);
  op->erase();
  return success();
}

LogicalResult Speller::spellCustomCall(Operation *op, StringRef target) {
  if ((target == "SPMDFullToShardShape" || target == "SPMDShardToFullShape") && ranks.count() > 1)
    return spellBorder(op, target == "SPMDFullToShardShape");
  if (target != "Sharding" && target != "xla.sdy.FuncResultSharding")
    return spellResults(op), success();
  if (failed(requireUnary(op)))
    return failure();
  Attribute told = findAnnotation(DictionaryAttr::get(op->getContext(), attributesOf(op)));
  Value operand = op->getOperand(0);
  b.setInsertionPoint(op);
  if (told) {
    OperationState state(op->getLoc(), kRequestOp);
    state.addOperands(operand);
    state.addTypes(operand.getType());
    state.addAttribute(kSharding, told);
    if (auto config = op->getAttrOfType<StringAttr>("backend_config"))
      state.addAttribute(kConfig, config);
    operand = b.create(state)->getResult(0);
  }
  op->getResult(0).replaceAllUsesWith(operand);
  op->erase();
  return success();
}

LogicalResult Speller::inlineNamed(Operation *op) {
  bool fits = op->getNumRegions() == 1 && op->getRegion(0).hasOneBlock() && !op->getRegion(0).front().empty();
  Block *body = fits ? &op->getRegion(0).front() : nullptr;
  Operation *end = fits ? &body->back() : nullptr;
  if (!fits || TypeRange(body->getArgumentTypes()) != TypeRange(op->getOperandTypes()) ||
      end->getName().getStringRef() != "sdy.return" || TypeRange(end->getOperandTypes()) != op->getResultTypes())
    return op->emitError() << "op " << op->getName()
                           << " needs a region with its operands that ends in sdy.return with its results";
  b.setInsertionPointToStart(body);
  if (Attribute told = op->getAttr("in_shardings"))
    request(body->getArguments(), told);
  b.setInsertionPointAfter(op);
  if (Attribute told = op->getAttr("out_shardings"))
    request(op->getResults(), told);
  for (auto [argument, operand] : llvm::zip_equal(body->getArguments(), op->getOperands()))
    argument.replaceAllUsesWith(operand);
  op->getBlock()->getOperations().splice(op->getIterator(), body->getOperations(), body->begin(), end->getIterator());
  for (auto [result, value] : llvm::zip_equal(op->getResults(), end->getOperands()))
    result.replaceAllUsesWith(value);
  op->erase();
  return success();
}

void Speller::spellConstant(Operation *op) {
  spellResults(op);
  b.setInsertionPoint(op);
  OperationState state(op->getLoc(), "stablehlo.constant");
  state.addTypes(op->getResultTypes());
  if (Attribute value = op->getAttr("value"))
    state.addAttribute("value", value);
  op->replaceAllUsesWith(b.create(state));
  op->erase();
}

LogicalResult Speller::spellOp(Operation *op) {
  StringRef name = op->getName().getStringRef();
  warnOthers(op);
  if (name == "stablehlo.custom_call") {
    auto target = op->getAttrOfType<StringAttr>("call_target_name");
    return spellCustomCall(op, target ? target.getValue() : "");
  }
  if (name == "sdy.named_computation")
    return inlineNamed(op);
  if (name == "sdy.constant")
    return spellConstant(op), success();
  if (name != "sdy.reshard" && !isShardyCollective(name))
    return spellResults(op), success();
  Attribute told = op->getAttr(name == "sdy.reshard" ? "sharding" : "out_sharding");
  if (failed(requireUnary(op)))
    return failure();
  if (!told)
    return op->emitError() << "op " << name << " needs the attribute "
                           << (name == "sdy.reshard" ? "sharding" : "out_sharding");
  OperationState state(op->getLoc(), kRequestOp);
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addAttribute(kSharding, told);
  b.setInsertionPoint(op);
  op->replaceAllUsesWith(b.create(state));
  op->erase();
  return success();
}

// Of a function that is called: its shardings hold wherever it is.
void Speller::spellBoundary(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock() || function.getBody().front().empty())
    return;
  Block &body = function.getBody().front();
  for (BlockArgument argument : function.getArguments())
    if (Attribute told = findAnnotation(function.getArgAttrDict(argument.getArgNumber()))) {
      b.setInsertionPointToStart(&body);
      request(ValueRange(argument), told);
    }
  for (OpOperand &operand : body.back().getOpOperands())
    if (operand.getOperandNumber() < function.getNumResults())
      if (Attribute told = findAnnotation(function.getResultAttrDict(operand.getOperandNumber()))) {
        OperationState state(operand.get().getLoc(), kRequestOp);
        state.addOperands(operand.get());
        state.addTypes(operand.get().getType());
        state.addAttribute(kSharding, told);
        b.setInsertionPoint(&body.back());
        operand.set(b.create(state)->getResult(0));
      }
}

LogicalResult Speller::run() {
  bool refused = false;
  warnOthers(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (op != function)
        ops.push_back(op);
    });
    for (Operation *op : ops)
      refused |= failed(spellOp(op));
    if (!function.isPublic())
      spellBoundary(function);
  }
  return failure(refused);
}

LogicalResult mlir::heddle::hlo::spellRequests(ModuleOp module, const Ranks &ranks) {
  return Speller(module, ranks).run();
}
