// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/QueueSets.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Flow/Transforms/StreamMarks.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/Reasons.h"
#include "compiler/Dialect/NodeNames.h"
#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Devices/Passes.h"
#include "compiler/Stages/Devices/PlaceFile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PINOPS
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

// What a pin can hold: ops that compute tensors. What is inside of a flow.rows is one program, where that is.
static bool canPin(Operation *op) {
  return !isa<func::FuncOp, flow::TransferOp>(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         !op->getParentOfType<flow::RowsOp>() && llvm::any_of(op->getResults(), isTensor);
}

// Whether it stands where the host computes, and not in the body of an op.
static bool runsOnHost(Operation *op) {
  Operation *parent = op->getParentOp();
  return isa_and_nonnull<func::FuncOp>(parent) || (parent && isa_and_nonnull<scf::SCFDialect>(parent->getDialect()));
}

namespace {

struct PinOps : mlir::heddle::impl::PinOpsBase<PinOps> {
  using PinOpsBase::PinOpsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    lines.clear();
    if (!placeFile.empty() && failed(applyPlaceFile(module)))
      return signalPassFailure();
    SmallVector<Operation *> pinned = collectPinned(module);
    made.clear();
    Reasons reasons(module);
    // With one device there is nothing to pin but queues.
    auto devices = module.getOps<device::GlobalOp>();
    if (std::distance(devices.begin(), devices.end()) < 2 && !flow::namesQueues(module))
      for (Operation *op : std::exchange(pinned, {}))
        op->removeAttr(kAffinityAttr);
    if (pinned.empty())
      return;
    auto affinities = flow::Affinities::of(module);
    if (failed(affinities))
      return signalPassFailure();
    for (Operation *op : pinned)
      pin(op, *affinities, reasons);
    reasons.store(module);
  }

private:
  LogicalResult applyPlaceFile(ModuleOp module);
  LogicalResult place(ArrayRef<Operation *> ops, const PlaceRule &rule);
  Attribute parseAxis(StringRef text, std::string &reason);
  LogicalResult mark(ModuleOp module, ArrayRef<Operation *> ops, const PlaceRule &rule);
  static SmallVector<Operation *> collectPinned(ModuleOp module);
  LogicalResult reportIdle(ModuleOp module, ArrayRef<PlaceRule> rules, const std::vector<bool> &matched,
                           ArrayRef<StringRef> nodes, const llvm::SetVector<StringRef> &onHost);
  void pin(Operation *op, const flow::Affinities &affinities, Reasons &reasons);
  std::string explain(Operation *op) const;
  Value transfer(Operation *op, Value value, device::AffinityAttr affinity);

  // What was made in a block; ops are visited in program order.
  llvm::DenseMap<std::tuple<Value, Attribute, Block *>, Value> made;
  llvm::DenseMap<Operation *, unsigned> lines; // of the placement file, for ops that it pins
};

} // namespace

LogicalResult PinOps::applyPlaceFile(ModuleOp module) {
  auto file = llvm::MemoryBuffer::getFile(placeFile, /*IsText=*/true);
  if (!file)
    return module.emitError() << "cannot read the placement file '" << placeFile << "': " << file.getError().message();
  std::vector<PlaceRule> rules;
  std::string error;
  if (!parsePlaceFile((*file)->getBuffer(), rules, error))
    return module.emitError() << placeFile << ":" << error;
  SymbolTable symbols(module);
  for (const PlaceRule &rule : rules)
    if (rule.streams.empty() && !symbols.lookup<device::GlobalOp>(rule.device))
      return module.emitError() << placeFile << ":" << rule.line << ": unknown device '" << rule.device << "'"
                                << device::explainUndeclared(module, rule.device);
  llvm::MapVector<StringRef, SmallVector<Operation *>> nodes;
  llvm::SetVector<StringRef> onHost; // what computes no tensor: sizes, counters, loops over them
  module.walk([&](Operation *op) {
    StringRef name = getNodeName(op->getLoc());
    if (name.empty())
      return;
    if (canPin(op))
      nodes[name].push_back(op);
    else if (op->getNumResults() > 0 && runsOnHost(op))
      onHost.insert(name);
  });
  std::vector<bool> matched(rules.size());
  for (auto &[name, ops] : nodes)
    for (bool ofStreams : {false, true}) {
      auto rule = llvm::find_if(rules, [&, node = name](const PlaceRule &rule) {
        return rule.streams.empty() != ofStreams && rule.fits(node);
      });
      if (rule == rules.end())
        continue;
      matched[rule - rules.begin()] = true;
      if (ofStreams ? failed(mark(module, ops, *rule)) : failed(place(ops, *rule)))
        return failure();
    }
  return reportIdle(module, rules, matched, llvm::to_vector(llvm::make_first_range(nodes)), onHost);
}

LogicalResult PinOps::place(ArrayRef<Operation *> ops, const PlaceRule &rule) {
  auto device = FlatSymbolRefAttr::get(&getContext(), rule.device);
  for (Operation *op : ops) {
    op->setAttr(kAffinityAttr, device::AffinityAttr::get(&getContext(), device));
    lines[op] = rule.line;
  }
  return success();
}

// Null, with the first complaint of the parser as reason, where the text is none.
Attribute PinOps::parseAxis(StringRef text, std::string &reason) {
  ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
    reason = reason.empty() ? diagnostic.str() : reason;
    return success();
  });
  return parseAttribute(("#flow.stream_axis<" + text + ">").str(), &getContext());
}

LogicalResult PinOps::mark(ModuleOp module, ArrayRef<Operation *> ops, const PlaceRule &rule) {
  SmallVector<flow::StreamAxisAttr> axes;
  for (const std::string &text : rule.streams) {
    std::string reason;
    Attribute axis = parseAxis(text, reason);
    if (!axis)
      return module.emitError() << placeFile << ":" << rule.line << ": 'stream(" << text
                                << ")' does not give an axis and a number of streams, such as 'stream(0, 4)': "
                                << reason;
    axes.push_back(cast<flow::StreamAxisAttr>(axis));
  }
  for (Operation *op : ops)
    op->removeAttr(kStreamAttr);
  return flow::markNode(ops.front()->getLoc(), ops, axes);
}

// Rules that fit no op: most likely misspelt, but import also computes nodes away. Fails when all rules are idle.
LogicalResult PinOps::reportIdle(ModuleOp module, ArrayRef<PlaceRule> rules, const std::vector<bool> &matched,
                                 ArrayRef<StringRef> nodes, const llvm::SetVector<StringRef> &onHost) {
  constexpr unsigned kLimit = 5;
  auto fitsHost = [&](const PlaceRule &rule) {
    return llvm::any_of(onHost, [&](StringRef node) { return rule.fits(node); });
  };
  bool allIdle = llvm::none_of(matched, [](bool one) { return one; }) && llvm::none_of(rules, fitsHost);
  unsigned idle = 0;
  for (auto [rule, used] : llvm::zip_equal(rules, matched)) {
    // A rule may stand behind one that takes all of its nodes; then it is right.
    if (used || llvm::any_of(nodes, [&, &rule = rule](StringRef node) { return rule.fits(node); }))
      continue;
    if (++idle > kLimit)
      continue;
    if (fitsHost(rule)) {
      module.emitWarning() << placeFile << ":" << rule.line << ": the pattern '" << rule.pattern
                           << "' fits only what the host computes, sizes and counters: no device runs it";
      continue;
    }
    InFlightDiagnostic message = allIdle ? module.emitError() : module.emitWarning();
    message << placeFile << ":" << rule.line << ": the pattern '" << rule.pattern
            << "' fits no op: the model has no such "
            << "node, or import computed it away" << didYouMean(rule.pattern, nodes);
    if (allIdle)
      return failure();
  }
  if (idle > kLimit)
    module.emitWarning() << placeFile << ": " << idle - kLimit << " more patterns fit no op";
  return success();
}

// The value on the device, for `op` and what follows it in its block.
Value PinOps::transfer(Operation *op, Value value, device::AffinityAttr affinity) {
  Value &known = made[{value, affinity, op->getBlock()}];
  if (known)
    return known;
  OpBuilder builder(op);
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(value.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, op->getLoc(), value, dim));
  auto transfer = flow::TransferOp::create(builder, op->getLoc(), type, value, sizes, affinity);
  transfer->setAttr(kPlacedByAttr, builder.getStringAttr(explain(op)));
  return known = transfer;
}

// The folder of the placement file stays out of artifacts.
std::string PinOps::explain(Operation *op) const {
  auto line = lines.find(op);
  if (line == lines.end())
    return "pinned by heddle.affinity";
  return ("pinned by " + llvm::sys::path::filename(placeFile.getValue()) + ":" + Twine(line->second)).str();
}

// In program order. Constants, whatever computes them, lose their pins: they are put where they are read.
SmallVector<Operation *> PinOps::collectPinned(ModuleOp module) {
  SmallVector<Operation *> pinned;
  llvm::DenseSet<Operation *> constants;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!canPin(op))
      return;
    bool computed = op->getNumRegions() && isa_and_nonnull<scf::SCFDialect>(op->getDialect());
    flow::forEachRead(*op, [&](OpOperand &read) { computed |= !constants.contains(read.get().getDefiningOp()); });
    if (!computed && !isa<func::CallOp>(op)) {
      constants.insert(op);
      op->removeAttr(kAffinityAttr);
    } else if (op->hasAttr(kAffinityAttr)) {
      pinned.push_back(op);
    }
  });
  return pinned;
}

// Whether the value stays on the device without this pin: it is a transfer's or a pinned op's result, or follows some.
static bool isThere(Value value, device::AffinityAttr affinity, const flow::Affinities &affinities) {
  if (auto before = value.getDefiningOp<flow::TransferOp>())
    return before.getAffinity() == affinity;
  const flow::Placement *placement = affinities.find(value);
  return placement && affinity.getQueues().empty() && placement->definite &&
         (placement->rule == flow::PlacementRule::Explicit || placement->rule == flow::PlacementRule::Producers) &&
         affinities.getTopology().devices[placement->device] == affinity.getDevice().getValue();
}

// What the op reads, in its regions too, but constants crosses to its device, if they are not there: no rewrite looks
// through a transfer, and ops that follow one another are to share a dispatch. What follows a transfer stays there, so
// no attribute is needed.
void PinOps::pin(Operation *op, const flow::Affinities &affinities, Reasons &reasons) {
  // What stands in the regions of a branch or loop follows the op's own attribute.
  if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()))
    return;
  auto affinity = dyn_cast<device::AffinityAttr>(op->getAttr(kAffinityAttr));
  if (!affinity) { // a choice, which is made here
    const flow::Placement *placement = affinities.find(op);
    if (!placement)
      return;
    affinity = affinities.getAffinity(&getContext(), placement->device);
    op->emitRemark() << "may run on one of " << op->getAttr(kAffinityAttr) << "; takes " << affinity.getDevice() << " ("
                     << toString(placement->rule) << ")";
  }
  if (StringRef node = getNodeName(op->getLoc()); !node.empty())
    reasons.addPin(node, affinity.getDevice().getValue(), explain(op));
  SmallVector<OpOperand *> reads;
  flow::forEachRead(*op, [&](OpOperand &read) { reads.push_back(&read); });
  for (OpOperand *read : reads) {
    Value value = read->get();
    Operation *producer = value.getDefiningOp();
    if ((!producer || !affinities.isConstant(producer)) && !isThere(value, affinity, affinities))
      read->set(transfer(op, value, affinity));
  }
  op->removeAttr(kAffinityAttr);
}
