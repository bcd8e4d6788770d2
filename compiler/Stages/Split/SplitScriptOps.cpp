// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Winograd.h"
#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/NodeNames.h"
#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Split/Reduction.h"
#include "compiler/Stages/Split/SplitScript.h"
#include "compiler/Target/TargetRegistry.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::split;

// The names of the model's nodes that an op comes from.
static SmallVector<StringRef> namesOf(Operation *op) {
  SmallVector<StringRef> names;
  op->getLoc()->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.push_back(name.getName());
    return WalkResult::advance();
  });
  return names;
}

// "splits.mlir:4". The folder of a script stays out of artifacts.
static std::string placeOf(Operation *op) {
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "the script";
  return (llvm::sys::path::filename(place.getFilename().getValue()) + ":" + Twine(place.getLine())).str();
}

// "" or why nobody can say how the op is split.
static std::string refuse(Operation *payload, std::optional<unsigned> loop) {
  auto op = dyn_cast<linalg::LinalgOp>(payload);
  if (!op || op.getNumReductionLoops() == 0)
    return "it reduces nothing";
  if (op->hasAttr(winograd::kRoleAttr))
    return "it is computed by Winograd's products; --strategy=winograd:off computes it as it is";
  if (op->getParentOfType<scf::ForallOp>())
    return "it is in the body of an scf.forall, which has parts of its own";
  if (std::optional<SplitRequest> request = getSplitRequest(op); request && request->by.empty() && request->isWhole())
    return "heddle.split = 1 keeps it whole, which the program says or an earlier stage";
  auto found = findReduction(op, loop);
  auto *reason = std::get_if<std::string>(&found);
  return reason ? *reason : "";
}

//===--- match_reductions ----------------------------------------------------------------------------------------===//

namespace {

// The ops that a pattern fits, and what to say where there are none.
struct Matches {
  SmallVector<Operation *> ops;
  std::vector<std::string> others; // names of nodes that reduce
  std::string refused;             // why one that fits was left out

  void consider(Operation *op, StringRef pattern) {
    auto reduction = dyn_cast<linalg::LinalgOp>(op);
    if (!reduction || reduction.getNumReductionLoops() == 0)
      return;
    SmallVector<StringRef> names = namesOf(op);
    if (llvm::none_of(names, [&](StringRef name) { return fitsPattern(pattern, name); })) {
      others.insert(others.end(), names.begin(), names.end());
      return;
    }
    if (std::string reason = refuse(op, std::nullopt); reason.empty())
      ops.push_back(op);
    else if (refused.empty())
      refused = "; what it fits cannot be split: " + reason;
  }
};

} // namespace

DiagnosedSilenceableFailure MatchReductionsOp::apply(transform::TransformRewriter &,
                                                     transform::TransformResults &results,
                                                     transform::TransformState &state) {
  Matches matches;
  for (Operation *root : state.getPayloadOps(getRoot()))
    root->walk([&](Operation *op) { matches.consider(op, getPattern()); });
  if (matches.ops.empty())
    emitWarning() << "the pattern '" << getPattern() << "' fits no reduction that can be split"
                  << (matches.refused.empty() ? didYouMean(getPattern(), matches.others) : matches.refused);
  results.set(cast<OpResult>(getReductions()), matches.ops);
  return DiagnosedSilenceableFailure::success();
}

//===--- split_reduction -----------------------------------------------------------------------------------------===//

static ParseResult parseNumber(OpAsmParser &parser, std::optional<OpAsmParser::UnresolvedOperand> &param,
                               IntegerAttr &number) {
  OpAsmParser::UnresolvedOperand operand;
  if (OptionalParseResult given = parser.parseOptionalOperand(operand); given.has_value()) {
    param = operand;
    return *given;
  }
  int64_t value = 0;
  if (parser.parseInteger(value))
    return failure();
  number = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

static void printNumber(OpAsmPrinter &printer, Operation *, Value param, IntegerAttr number) {
  param ? printer.printOperand(param) : (void)(printer << number.getInt());
}

// "" or what is wrong with the number behind `into` or `by`.
static std::string explainNumber(int64_t number, bool isSize) {
  return number >= 1 ? ""
                     : (isSize ? "a part has at least 1 step, got " : "there is at least 1 part, got ") +
                           std::to_string(number);
}

LogicalResult SplitReductionOp::verify() {
  if (static_cast<bool>(getNumber()) == getStaticNumber().has_value())
    return emitOpError("has one number: of parts, or of steps");
  if (getBySize() && getPerUnit())
    return emitOpError("counts parts per unit of the device or the steps of each, not both");
  if (IntegerAttr number = getLoopAttr(); number && number.getInt() < 0)
    return emitOpError() << "counts loops from 0, got " << number.getInt();
  IntegerAttr number = getStaticNumberAttr();
  if (std::string reason = number ? explainNumber(number.getInt(), getBySize()) : ""; !reason.empty())
    return emitOpError(reason);
  return success();
}

void SplitReductionOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
  transform::modifiesPayload(effects);
}

// The numbers of the ops in turn: one for all, or one each.
static DiagnosedSilenceableFailure readNumbers(SplitReductionOp op, transform::TransformState &state, size_t count,
                                               SmallVectorImpl<int64_t> &numbers) {
  if (op.getStaticNumber()) {
    numbers.assign(count, op.getStaticNumberAttr().getInt());
    return DiagnosedSilenceableFailure::success();
  }
  ArrayRef<Attribute> params = state.getParams(op.getNumber());
  if (params.size() != 1 && params.size() != count)
    return emitDefiniteFailure(op, "has ")
           << params.size() << " numbers for " << count << " ops; it takes one, or one for each";
  for (size_t i = 0; i < count; ++i) {
    auto number = dyn_cast<IntegerAttr>(params[params.size() == 1 ? 0 : i]);
    if (!number)
      return emitDefiniteFailure(op, "takes whole numbers, got ") << params[params.size() == 1 ? 0 : i];
    if (std::string reason = explainNumber(number.getInt(), op.getBySize()); !reason.empty())
      return emitDefiniteFailure(op, reason);
    numbers.push_back(number.getInt());
  }
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure SplitReductionOp::apply(transform::TransformRewriter &, transform::TransformResults &,
                                                    transform::TransformState &state) {
  SmallVector<Operation *> ops = llvm::to_vector(state.getPayloadOps(getReductions()));
  if (ops.empty() && !getReductions().getDefiningOp<MatchReductionsOp>()) // which warned
    emitWarning() << "splits nothing: no op of the program was matched";
  SmallVector<int64_t> numbers;
  if (DiagnosedSilenceableFailure result = readNumbers(*this, state, ops.size(), numbers); !result.succeeded())
    return result;
  const std::optional<unsigned> loop = getLoop();
  const std::string by = placeOf(*this);
  for (auto [op, number] : llvm::zip_equal(ops, numbers)) {
    if (std::string reason = refuse(op, loop); !reason.empty()) {
      auto result = emitDefiniteFailure("cannot split the op: ") << reason;
      result.attachNote(op->getLoc()) << "the op";
      return result;
    }
    SplitRequest request;
    (getBySize() ? request.size : request.parts) = number;
    request.perUnit = getPerUnit();
    request.loop = loop;
    request.by = by;
    op->setAttr(kSplitAttr, toAttribute(request, getContext()));
  }
  return DiagnosedSilenceableFailure::success();
}

//===--- target_fact, match_target -------------------------------------------------------------------------------===//

// What may compute the op: the targets of the device that it is pinned to, else of all.
static SmallVector<device::ExecutableAttr> targetsOf(Operation *op) {
  device::DeviceQuery query(op->getParentOfType<ModuleOp>());
  auto affinity = op->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
  return llvm::to_vector(affinity ? query.getTargets(affinity) : query.getAllTargets());
}

static std::string spellAll(ArrayRef<device::ExecutableAttr> targets) {
  std::string text;
  for (device::ExecutableAttr executable : targets)
    if (const Target *target = findTarget(executable.getFormat()))
      text += (text.empty() ? "" : ", ") + target->spell(executable);
  return text.empty() ? "no device" : text;
}

LogicalResult TargetFactOp::verify() {
  if (IntegerAttr number = getDivisorAttr(); number && number.getInt() < 1)
    return emitOpError() << "divides by at least 1, got " << number.getInt();
  return success();
}

DiagnosedSilenceableFailure TargetFactOp::apply(transform::TransformRewriter &, transform::TransformResults &results,
                                                transform::TransformState &state) {
  SmallVector<Attribute> values;
  for (Operation *op : state.getPayloadOps(getOps())) {
    SmallVector<device::ExecutableAttr> targets = targetsOf(op);
    std::optional<int64_t> value;
    for (device::ExecutableAttr executable : targets) {
      const Target *target = findTarget(executable.getFormat());
      if (!target)
        continue;
      std::vector<TargetFact> facts = target->getFacts(getOperation(), executable);
      auto found = llvm::find_if(facts, [&](const TargetFact &fact) { return fact.name == getFact(); });
      if (found == facts.end())
        return emitSilenceableFailure(getLoc(), "nothing is known by the name '")
               << getFact() << "' of " << target->spell(executable) << ", but "
               << listNames(llvm::map_to_vector(facts, [](const TargetFact &fact) { return fact.name; }));
      if (value && *value != found->value)
        return emitSilenceableFailure(getLoc(), "the op may run on ")
               << spellAll(targets) << ", which differ in " << getFact() << "; pin it to a device (--place-file)";
      value = found->value;
    }
    if (!value)
      return emitSilenceableFailure(getLoc(), "the program has no device that computes the op");
    int64_t number = std::max<int64_t>(1, *value / static_cast<int64_t>(getDivisor().value_or(1)));
    values.push_back(IntegerAttr::get(IntegerType::get(getContext(), 64), number));
  }
  results.setParams(cast<OpResult>(getValues()), values);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure MatchTargetOp::matchOperation(Operation *current, transform::TransformResults &,
                                                          transform::TransformState &) {
  SmallVector<std::string> kinds;
  for (const Target *target : getTargets())
    kinds.push_back(target->getName().str());
  if (!llvm::is_contained(kinds, getKind()))
    return emitDefiniteFailure("unknown kind of device '")
           << getKind() << "'; known: " << listNames(kinds) << didYouMean(getKind(), kinds);
  SmallVector<device::ExecutableAttr> targets = targetsOf(current);
  bool fits = !targets.empty() && llvm::all_of(targets, [&](device::ExecutableAttr executable) {
    const Target *target = findTarget(executable.getFormat());
    return target && target->getName() == getKind();
  });
  if (fits)
    return DiagnosedSilenceableFailure::success();
  return emitSilenceableFailure(getLoc(), "the op may run on ") << spellAll(targets);
}

//===--- Registration --------------------------------------------------------------------------------------------===//

namespace {

struct Extension : transform::TransformDialectExtension<Extension> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Extension)
  using Base::Base;

  void init() {
    registerTransformOps<
#define GET_OP_LIST
#include "compiler/Stages/Split/SplitScript.cpp.inc"
        >();
  }
};

} // namespace

void split::registerSplitScript(DialectRegistry &registry) { registry.addExtensions<Extension>(); }

#define GET_OP_CLASSES
#include "compiler/Stages/Split/SplitScript.cpp.inc"
