// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/ManualComputation.h"

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"
#include "compiler/Stages/Import/StableHlo/Ranks/Requests.h"
#include "compiler/Stages/Import/StableHlo/Ranks/RewriteCollectives.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

// The first one, the outermost of those in one another.
static Operation *firstManual(func::FuncOp function) {
  Operation *found = nullptr;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    found = isManual(op) ? op : nullptr;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

// The part of a tensor of `type` on each rank; null if a dimension cannot be cut evenly.
static RankedTensorType cutLocal(Type type, const ShardingText &sharding, const MeshText &mesh) {
  auto whole = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [size, axes] : llvm::zip_equal(shape, sharding.dims))
    for (const AxisText &axis : axes) {
      int64_t parts = mesh.find(axis.name)->size;
      if (ShapedType::isDynamic(size) || size % parts != 0)
        return {};
      size /= parts;
    }
  return cast<RankedTensorType>(whole.clone(shape));
}

//===--- One function --------------------------------------------------------------------------------------------===//

namespace {

// A manual computation that was read and checked.
struct LocalManual {
  Operation *op;
  ShardingTexts in, out;

  Block &body() const { return op->getRegion(0).front(); }
};

class LocalWriter {
public:
  LocalWriter(func::FuncOp function, const Ranks &ranks) : function(function), ranks(ranks), b(function.getContext()) {}

  LogicalResult run();

private:
  struct Part {
    Value value;
    ShardingText sharding;
  };

  LogicalResult readManuals();
  FailureOr<LocalManual> readManual(Operation *op);
  LogicalResult checkTypes(const LocalManual &manual);
  LogicalResult cutArguments();
  FailureOr<std::optional<ShardingText>> shardingOf(BlockArgument argument);
  LogicalResult checkReaders(BlockArgument argument);
  void inlineManual(const LocalManual &manual);
  LogicalResult cutResults();

  const MeshText &textOf(const ShardingText &sharding) const { return ranks.find(sharding.mesh)->text; }
  Value gather(Value part, const ShardingText &sharding, Type whole);
  Value cut(Value whole, const ShardingText &sharding);
  Attribute attributeOf(const ShardingText &sharding);
  std::string describe(BlockArgument argument);

  func::FuncOp function;
  const Ranks &ranks;
  OpBuilder b;
  std::map<Operation *, LocalManual> manuals;
  DenseMap<Value, Part> parts; // of whole values that were made of them
  SmallVector<Operation *> made;
};

} // namespace

std::string LocalWriter::describe(BlockArgument argument) {
  std::string text = "argument " + std::to_string(argument.getArgNumber());
  if (auto named = argument.getLoc()->findInstanceOf<NameLoc>())
    text += " (" + named.getName().getValue().str() + ")";
  return text;
}

Attribute LocalWriter::attributeOf(const ShardingText &sharding) {
  SmallVector<Attribute> dims;
  for (const SmallVector<AxisText> &axes : sharding.dims)
    dims.push_back(b.getArrayAttr(
        llvm::map_to_vector(axes, [&](const AxisText &axis) -> Attribute { return b.getStringAttr(axis.name); })));
  SmallVector<ArrayAttr> lists = llvm::map_to_vector(dims, [](Attribute a) { return cast<ArrayAttr>(a); });
  return flow::ShardingAttr::get(b.getContext(), FlatSymbolRefAttr::get(b.getContext(), sharding.mesh), lists);
}

//===--- Between whole values and parts ---===//

Value LocalWriter::gather(Value part, const ShardingText &sharding, Type whole) {
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
    made.push_back(b.create(state));
    value = made.back()->getResult(0);
  }
  parts[value] = {part, sharding};
  return value;
}

// The part of a splat constant is one, too.
static Value cutSplat(OpBuilder &b, Value whole, Type part) {
  Operation *op = whole.getDefiningOp();
  auto literal = op ? dyn_cast_or_null<DenseElementsAttr>(op->getAttr("value")) : DenseElementsAttr();
  if (!op || op->getName().getStringRef() != "stablehlo.constant" || !literal || !literal.isSplat() ||
      literal.getType() != whole.getType())
    return {};
  OperationState state(op->getLoc(), op->getName());
  state.addTypes(part);
  state.addAttribute("value", literal.resizeSplat(cast<ShapedType>(part)));
  return b.create(state)->getResult(0);
}

Value LocalWriter::cut(Value whole, const ShardingText &sharding) {
  if (sharding.isReplicated())
    return whole;
  if (auto known = parts.find(whole); known != parts.end() && known->second.sharding == sharding)
    return known->second.value;
  Type type = cutLocal(whole.getType(), sharding, textOf(sharding));
  if (Value splat = cutSplat(b, whole, type))
    return splat;
  OperationState state(whole.getLoc(), kSliceOp);
  state.addOperands(whole);
  state.addTypes(type);
  state.addAttribute("sharding", attributeOf(sharding));
  return b.create(state)->getResult(0);
}

//===--- Manual computations ---===//

static LogicalResult refuse(Operation *op, const Twine &reason) {
  return op->emitError() << "op " << op->getName() << ": " << reason;
}

LogicalResult LocalWriter::checkTypes(const LocalManual &manual) {
  Block &body = manual.body();
  Operation *op = manual.op, *end = &body.back();
  for (auto [i, sharding] : llvm::enumerate(manual.in)) {
    Type type = op->getOperand(i).getType(), part = cutLocal(type, sharding, textOf(sharding));
    if (part != body.getArgument(i).getType())
      return refuse(op, "operand " + Twine(i) +
                            " does not have as many elements in each dimension as the ranks of its "
                            "axes together, each with what the body's argument has");
  }
  for (auto [i, sharding] : llvm::enumerate(manual.out)) {
    Type part = cutLocal(op->getResult(i).getType(), sharding, textOf(sharding));
    if (part != end->getOperand(i).getType())
      return refuse(op, "result " + Twine(i) +
                            " does not have as many elements in each dimension as the ranks of its "
                            "axes together, each with what the body returns");
  }
  return success();
}

FailureOr<LocalManual> LocalWriter::readManual(Operation *op) {
  std::optional<ShardingTexts> in, out;
  std::optional<SmallVector<std::string>> axes;
  if (op->hasAttr("in_shardings") && op->hasAttr("out_shardings") && op->hasAttr("manual_axes")) {
    in = readShardings(op->getAttr("in_shardings"));
    out = readShardings(op->getAttr("out_shardings"));
    axes = readManualAxes(op->getAttr("manual_axes"));
  }
  bool fits = in && out && axes && in->size() == op->getNumOperands() && out->size() == op->getNumResults() &&
              op->getNumRegions() == 1 && op->getRegion(0).hasOneBlock() && !op->getRegion(0).front().empty();
  Block *body = fits ? &op->getRegion(0).front() : nullptr;
  if (!fits || body->getNumArguments() != op->getNumOperands() ||
      body->back().getName().getStringRef() != "sdy.return" || body->back().getNumOperands() != op->getNumResults() ||
      body->back().getNumResults() != 0)
    return refuse(op,
                  "needs in_shardings, out_shardings and manual_axes, one sharding for each operand and each result, "
                  "and a region with the operands' parts that ends in sdy.return");
  auto check = [&](ShardingTexts &list, TypeRange types, StringRef what) -> LogicalResult {
    for (auto [i, sharding, type] : llvm::enumerate(list, types)) {
      auto report = [&, i = i] {
        return op->emitError() << "op " << op->getName() << ": the sharding of " << what << ' ' << i;
      };
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return report() << " is one of " << type << ", which is no tensor";
      if (failed(checkSharding(sharding, tensor.getRank(), ranks, report)))
        return failure();
      for (const SmallVector<AxisText> &dim : sharding.dims)
        for (const AxisText &axis : dim)
          if (!llvm::is_contained(*axes, axis.name))
            return report() << " cuts along '" << axis.name << "', which is not one of its manual axes"
                            << "";
      if (sharding.mesh.empty())
        sharding.mesh = ranks.main().symbol;
    }
    return success();
  };
  if (failed(check(*in, op->getOperandTypes(), "operand")) || failed(check(*out, op->getResultTypes(), "result")))
    return failure();
  return LocalManual{op, std::move(*in), std::move(*out)};
}

LogicalResult LocalWriter::readManuals() {
  bool refused = false;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isManual(op) || refused)
      return;
    FailureOr<LocalManual> manual = readManual(op);
    refused |= failed(manual) || failed(checkTypes(*manual));
    if (!refused)
      manuals[op] = std::move(*manual);
  });
  return failure(refused);
}

void LocalWriter::inlineManual(const LocalManual &manual) {
  Operation *op = manual.op;
  Block &body = manual.body();
  b.setInsertionPoint(op);
  for (auto [i, sharding] : llvm::enumerate(manual.in))
    body.getArgument(i).replaceAllUsesWith(cut(op->getOperand(i), sharding));
  Operation *end = &body.back();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations(), body.begin(), end->getIterator());
  for (auto [i, sharding] : llvm::enumerate(manual.out)) {
    Value part = end->getOperand(i);
    op->getResult(i).replaceAllUsesWith(sharding.isReplicated() ? part
                                                                : gather(part, sharding, op->getResult(i).getType()));
  }
  manuals.erase(op);
  op->erase();
}

//===--- Arguments and results ---===//

// What the program says, or what all its readers want; nothing if it is whole.
FailureOr<std::optional<ShardingText>> LocalWriter::shardingOf(BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type)
    return std::optional<ShardingText>();
  for (StringRef name : {"sdy.sharding", "mhlo.sharding"})
    if (Attribute told = function.getArgAttr(argument.getArgNumber(), name)) {
      auto report = [&] { return function.emitError() << describe(argument) << ": the sharding"; };
      FailureOr<ShardingText> sharding = checkSharding(told, type.getRank(), ranks, report);
      if (failed(sharding))
        return failure();
      if (!sharding->isReplicated() && !cutLocal(type, *sharding, textOf(*sharding)))
        return report() << ' ' << told << " does not cut " << type << " evenly";
      return sharding->isReplicated() ? std::optional<ShardingText>() : std::optional(*sharding);
    }
  std::optional<ShardingText> wanted;
  for (OpOperand &use : argument.getUses()) {
    auto manual = manuals.find(use.getOwner());
    if (manual == manuals.end())
      return std::optional<ShardingText>();
    const ShardingText &sharding = manual->second.in[use.getOperandNumber()];
    if (sharding.isReplicated() || (wanted && !(*wanted == sharding)))
      return std::optional<ShardingText>();
    wanted = sharding;
  }
  return wanted;
}

// Of an argument that is said to be cut: manual computations cut what they read themselves.
LogicalResult LocalWriter::checkReaders(BlockArgument argument) {
  for (OpOperand &use : argument.getUses())
    if (!manuals.count(use.getOwner()))
      return use.getOwner()->emitError() << "op " << use.getOwner()->getName() << " reads " << describe(argument)
                                         << ", which is cut by "
                                         << function.getArgAttr(argument.getArgNumber(), "sdy.sharding") << "";
  return success();
}

LogicalResult LocalWriter::cutArguments() {
  bool refused = false;
  b.setInsertionPointToStart(&function.getBody().front());
  for (BlockArgument argument : function.getArguments()) {
    FailureOr<std::optional<ShardingText>> sharding = shardingOf(argument);
    if (failed(sharding) || (*sharding && failed(checkReaders(argument)))) {
      refused = true;
      continue;
    }
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    ShardingText told;
    told.mesh = ranks.main().symbol;
    told.dims.resize(type.getRank());
    if (*sharding) {
      told = **sharding;
      argument.setType(cutLocal(type, told, textOf(told)));
      SmallVector<OpOperand *> readers;
      for (OpOperand &use : argument.getUses())
        readers.push_back(&use);
      Value whole = gather(argument, told, type);
      for (OpOperand *reader : readers)
        reader->set(whole);
    }
    function.removeArgAttr(argument.getArgNumber(), "sdy.sharding");
    function.removeArgAttr(argument.getArgNumber(), "mhlo.sharding");
    if (ranks.count() > 1)
      function.setArgAttr(argument.getArgNumber(), kShardingAttr, attributeOf(told));
  }
  return failure(refused);
}

LogicalResult LocalWriter::cutResults() {
  Operation *end = function.getBody().front().getTerminator();
  b.setInsertionPoint(end);
  bool refused = false;
  for (OpOperand &operand : end->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    auto known = parts.find(operand.get());
    ShardingText told;
    told.mesh = ranks.main().symbol;
    told.dims.resize(type.getRank());
    Attribute given = function.getResultAttr(i, "sdy.sharding");
    given = given ? given : function.getResultAttr(i, "mhlo.sharding");
    auto report = [&] { return function.emitError() << "result " << i << ": the sharding"; };
    if (given) {
      FailureOr<ShardingText> sharding = checkSharding(given, type.getRank(), ranks, report);
      if (failed(sharding)) {
        refused = true;
        continue;
      }
      told = *sharding;
    } else if (known != parts.end()) {
      told = known->second.sharding;
    }
    if (!told.isReplicated() && (known == parts.end() || !cutLocal(type, told, textOf(told)))) {
      report() << ' ' << given << " cuts a value of " << type << ", unevenly or not as a manual computation does"
               << "";
      refused = true;
      continue;
    }
    operand.set(cut(operand.get(), told));
    function.removeResultAttr(i, b.getStringAttr("sdy.sharding"));
    function.removeResultAttr(i, b.getStringAttr("mhlo.sharding"));
    if (ranks.count() > 1)
      function.setResultAttr(i, kShardingAttr, attributeOf(told));
  }
  return failure(refused);
}

LogicalResult LocalWriter::run() {
  if (failed(readManuals()) || failed(cutArguments()))
    return failure();
  while (Operation *op = firstManual(function))
    inlineManual(LocalManual(manuals.find(op)->second));
  if (failed(cutResults()))
    return failure();
  for (Operation *op : llvm::reverse(made)) // a value that is read as parts only
    if (op->use_empty())
      op->erase();
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(b.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  return success();
}

LogicalResult mlir::heddle::hlo::localize(func::FuncOp function, const Ranks &ranks) {
  return LocalWriter(function, ranks).run();
}
