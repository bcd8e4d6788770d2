// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/RefuseShardings.h"

#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"
#include "compiler/Stages/Import/StableHlo/Lowering.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static std::string spell(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

LogicalResult mlir::heddle::hlo::checkSharding(ShardingText &sharding, int64_t rank, const Ranks &ranks,
                                               llvm::function_ref<InFlightDiagnostic()> report) {
  if (static_cast<int64_t>(sharding.dims.size()) != rank)
    return report() << " has " << sharding.dims.size() << " dimensions, and the value " << rank;
  if (sharding.isUnreduced)
    return report() << " leaves a sum over ranks to be made" << kNotPartitioned;
  if (ranks.count() == 1) {
    for (SmallVector<AxisText> &axes : sharding.dims)
      axes.clear();
    return success();
  }
  std::string why;
  const RankMesh *mesh = ranks.find(sharding.mesh, sharding.inlined, why);
  if (!mesh && sharding.isReplicated() && !sharding.inlined && ranks.isOneDevice(sharding.mesh) != DeviceMesh::Placed) {
    sharding.mesh = ranks.main().symbol;
    return success();
  }
  if (!mesh)
    return report() << ": " << why;
  sharding.mesh = mesh->symbol;
  llvm::StringSet<> seen;
  for (SmallVector<AxisText> &axes : sharding.dims) {
    for (const AxisText &axis : axes) {
      if (axis.isPart)
        return report() << ": a part of the axis '" << axis.name << "' is not supported; make two axes of it";
      if (!mesh->text.find(axis.name) || !seen.insert(axis.name).second)
        return report() << ": the axis '" << axis.name << "' is named twice, or is none of @" << mesh->symbol;
    }
    llvm::erase_if(axes, [&](const AxisText &axis) { return mesh->text.find(axis.name)->size == 1; });
  }
  return success();
}

FailureOr<ShardingText> mlir::heddle::hlo::checkSharding(Attribute attribute, int64_t rank, const Ranks &ranks,
                                                         llvm::function_ref<InFlightDiagnostic()> report) {
  if (auto text = dyn_cast<StringAttr>(attribute)) { // mhlo.sharding
    if (!isReplicatedText(text) && ranks.count() > 1)
      return report() << " is " << attribute << kNotPartitioned;
    ShardingText whole{ranks.main().symbol, {}, {}};
    whole.dims.resize(rank);
    return whole;
  }
  std::optional<ShardingText> sharding = readSharding(attribute);
  if (!sharding)
    return report() << " is not one, such as #sdy.sharding<@mesh, [{\"x\"}, {}]>; got " << attribute;
  if (failed(checkSharding(*sharding, rank, ranks, report)))
    return failure();
  return *sharding;
}

namespace {

// Of one op.
class OpCheck {
public:
  OpCheck(Operation *op, const Ranks &ranks) : op(op), ranks(ranks) {}

  LogicalResult run();

private:
  InFlightDiagnostic report(Attribute sharding) {
    return op->emitError() << "op " << op->getName() << ": the sharding " << spell(sharding);
  }
  // Everything that the attribute says lies whole on each rank.
  LogicalResult requireWhole(Attribute attribute);
  LogicalResult requireWhole(Attribute attribute, ShardingText sharding);
  LogicalResult checkFrontend(DictionaryAttr attributes);
  LogicalResult checkCustomCall();

  Operation *op;
  const Ranks &ranks;
};

} // namespace

LogicalResult OpCheck::requireWhole(Attribute attribute, ShardingText sharding) {
  auto begin = [&] { return report(attribute); };
  if (failed(checkSharding(sharding, sharding.dims.size(), ranks, begin)))
    return failure();
  if (!sharding.isReplicated())
    return report(attribute) << " cuts a value" << kNotPartitioned;
  return success();
}

LogicalResult OpCheck::requireWhole(Attribute attribute) {
  if (auto text = dyn_cast<StringAttr>(attribute)) {
    if (isReplicatedText(text) || ranks.count() == 1)
      return success();
    return report(attribute) << " cuts a value" << kNotPartitioned;
  }
  if (std::optional<ShardingText> one = readSharding(attribute))
    return requireWhole(attribute, *one);
  std::optional<SmallVector<ShardingText>> several = readShardings(attribute);
  if (!several)
    return report(attribute) << " cannot be read";
  for (const ShardingText &sharding : *several)
    if (failed(requireWhole(attribute, sharding)))
      return failure();
  return success();
}

// Shardings of sdy as strings, as they come from jax.export.
LogicalResult OpCheck::checkFrontend(DictionaryAttr attributes) {
  for (NamedAttribute entry : attributes) {
    StringRef key = entry.getName();
    auto text = dyn_cast<StringAttr>(entry.getValue());
    if (!key.starts_with("xla.sdy.") || !text || key == "xla.sdy.meshes")
      continue;
    Attribute parsed = parseAttribute(text.getValue(), op->getContext());
    if (!parsed || failed(requireWhole(parsed)))
      return parsed ? failure() : LogicalResult(op->emitError() << "attribute " << key << " cannot be read");
  }
  return success();
}

LogicalResult OpCheck::checkCustomCall() {
  auto target = op->getAttrOfType<StringAttr>("call_target_name");
  bool changesShapes = target && target.getValue().starts_with("SPMD");
  if (!changesShapes || ranks.count() == 1)
    return success();
  return op->emitError() << "the target '" << target.getValue()
                         << "' cuts or joins values for another partitioner, which is not supported; lower the program "
                            "with Shardy, as jax does without jax_use_shardy_partitioner=False";
}

LogicalResult OpCheck::run() {
  for (NamedAttribute attribute : attributesOf(op)) {
    StringRef name = attribute.getName();
    if ((name == "sdy.sharding" || name == "mhlo.sharding") && failed(requireWhole(attribute.getValue())))
      return failure();
    auto entries = dyn_cast<DictionaryAttr>(attribute.getValue());
    if (name == "mhlo.frontend_attributes" && entries && failed(checkFrontend(entries)))
      return failure();
  }
  return op->getName().getStringRef() == "stablehlo.custom_call" ? checkCustomCall() : success();
}

// A constraint that says nothing becomes its operand.
static LogicalResult foldConstraint(Operation *op, const Ranks &ranks) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      op->getOperand(0).getType() != op->getResult(0).getType() || op->getOperand(0) == op->getResult(0))
    return op->emitError() << "op " << op->getName() << " needs an operand and a result of its type";
  auto type = dyn_cast<ShapedType>(op->getResult(0).getType());
  Attribute attribute = op->getAttr("sharding");
  auto begin = [&] { return op->emitError() << "op " << op->getName() << ": the sharding"; };
  if (!attribute || !type || !type.hasRank())
    return op->emitError() << "op " << op->getName() << " needs the attribute sharding, and a tensor";
  FailureOr<ShardingText> sharding = checkSharding(attribute, type.getRank(), ranks, begin);
  if (failed(sharding))
    return failure();
  if (!sharding->isReplicated())
    return begin() << ' ' << spell(attribute) << " cuts the value" << kNotPartitioned;
  op->getResult(0).replaceAllUsesWith(op->getOperand(0));
  op->erase();
  return success();
}

LogicalResult mlir::heddle::hlo::refuseShardings(ModuleOp module, const Ranks &ranks) {
  bool refused = false;
  for (NamedAttribute attribute : module->getAttrs())
    if (attribute.getName().strref().starts_with("mhlo.spmd_") && ranks.count() > 1) {
      module.emitError() << "attribute " << attribute.getName() << " says how arguments or results are cut"
                         << kNotPartitioned;
      refused = true;
    }
  SmallVector<Operation *> constraints;
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() == "sdy.sharding_constraint")
      constraints.push_back(op);
    else if (!isa<ModuleOp>(op))
      refused |= failed(OpCheck(op, ranks).run());
  });
  for (Operation *op : constraints)
    refused |= failed(foldConstraint(op, ranks));
  return failure(refused);
}
