// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If: branches chosen at compile time, at the call by sizes, or at the call by data.
#include "compiler/Stages/Import/Onnx/Graph/GraphImporter.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// Sides of Ifs that one model may need: when ranks differ, everything after an If is imported twice.
static constexpr unsigned kMaximumSides = 4096;

static const char *branchName(bool holds) { return holds ? "then_branch" : "else_branch"; }

GraphImporter::Outcome GraphImporter::lowerIf(Path &path, const Node &node, size_t frames) {
  Tensor *condition = node.inputs.empty() || node.inputs[0].empty() ? nullptr : find(path, node.inputs[0]);
  if (!condition)
    return refuse(path, node, "needs a condition");
  for (const std::string &name : node.outputs)
    path.frames.back().values.try_emplace(name);
  if (!condition->elementType)
    return Outcome::Done;
  if (!mayBeCondition(*condition))
    return refuse(path, node, "the condition must be one boolean");
  for (bool holds : {true, false}) {
    auto graph = node.graphs.find(branchName(holds));
    if (graph == node.graphs.end() || !graph->second->inputs.empty() ||
        graph->second->outputs.size() < node.outputs.size())
      return refuse(path, node,
                    "needs a graph '" + Twine(branchName(holds)) + "' without inputs and with " +
                        Twine(node.outputs.size()) + " outputs");
  }
  std::optional<int64_t> known;
  if (condition->contents)
    known = getConstantIntValue(emitter.sizes.simplify(condition->contents->front()));
  else if (condition->data)
    known = condition->data->integer(0);
  if (known) {
    enter(path, node, *node.graphs.find(branchName(*known != 0))->second);
    return Outcome::Done;
  }
  Outcome outcome = lowerBranches(path, node, frames, /*toTheEnd=*/false);
  return outcome == Outcome::Separate ? lowerBranches(path, node, frames, /*toTheEnd=*/true) : outcome;
}

// On this path the condition is known; so may sizes be.
void GraphImporter::assume(Path &path, Tensor &condition, bool holds) {
  if (condition.contents)
    emitter.sizes.assume(condition.contents->front(), holds);
  for (Frame &frame : path.frames)
    for (auto &entry : frame.values)
      entry.second = emitter.refine(std::move(entry.second));
}

GraphImporter::Side GraphImporter::importSide(const Path &path, const Node &node, size_t frames, Tensor &condition,
                                              bool holds, Block &block) {
  Path side = path;
  side.inBranch = true;
  emitter.builder.setInsertionPoint(block.getTerminator());
  assume(side, condition, holds);
  enter(side, node, *node.graphs.find(branchName(holds))->second);
  bool inner = frames > path.frames.size();
  Side result;
  result.outcome = advance(side, frames);
  if (result.outcome == Outcome::Done)
    for (const std::string &name : side.frames[frames - 1].outputs) {
      if (inner && result.results.size() == node.outputs.size())
        break;
      result.results.push_back(*find(side, name));
    }
  result.state = emitter.save();
  return result;
}

// Imports both branches to their ends, or to the end of the region (`frames` frames) that the If stands in.
GraphImporter::Outcome GraphImporter::lowerBranches(Path &path, const Node &node, size_t frames, bool toTheEnd) {
  if ((sides += 2) > kMaximumSides) {
    refusal = difference = describe(node, "the model has too many Ifs whose branches differ in rank");
    return Outcome::Refused;
  }
  emitter.loc = NameLoc::get(StringAttr::get(entry.getContext(), node.name));
  Tensor condition = *find(path, node.inputs[0]);
  Value value = readCondition(emitter, condition);
  Emitter::State before = emitter.save();
  auto probe = scf::IfOp::create(emitter.builder, emitter.loc, value, /*withElseRegion=*/true);
  size_t end = toTheEnd ? frames : path.frames.size() + 1;
  Side whenTrue = importSide(path, node, end, condition, true, *probe.thenBlock());
  std::string firstRefusal = refusal;
  emitter.restore(before);
  Side whenFalse = importSide(path, node, end, condition, false, *probe.elseBlock());
  emitter.restore(before);
  auto give = [&](Outcome outcome) {
    probe.erase();
    return outcome;
  };
  if (whenTrue.outcome == Outcome::Separate || whenFalse.outcome == Outcome::Separate)
    return give(Outcome::Separate);
  bool trueFails = whenTrue.outcome == Outcome::Refused, falseFails = whenFalse.outcome == Outcome::Refused;
  if (trueFails && falseFails)
    return give(Outcome::Refused);
  if (trueFails || falseFails) {
    if (trueFails)
      refusal = firstRefusal;
    if (warned.insert(&node).second)
      emitWarning(NameLoc::get(StringAttr::get(entry.getContext(), node.name), location))
          << describe(node, "calls for which the condition is " + Twine(trueFails ? "true" : "false") +
                                " fail, because of " + refusal);
    probe.erase();
    require(path, condition, falseFails);
    enter(path, node, *node.graphs.find(branchName(falseFails))->second);
    return Outcome::Done;
  }
  Merge merged;
  emitter.loc = probe.getLoc(); // the sides moved it on
  emitter.builder.setInsertionPoint(probe);
  if (std::string apart = merge(whenTrue, whenFalse, condition, merged); !apart.empty()) {
    difference = describe(node, "its branches give " + apart);
    emitter.restore(before);
    return give(Outcome::Separate);
  }
  emitMerge(probe, whenTrue, whenFalse, merged);
  if (toTheEnd) {
    path.frames.resize(frames);
    path.frames.back().next = path.frames.back().nodes->size();
  }
  const std::vector<std::string> &names = toTheEnd ? path.frames.back().outputs : node.outputs;
  for (auto [name, tensor] : llvm::zip(names, merged.tensors))
    path.frames.back().values[name] = tensor;
  return Outcome::Done;
}

// The call fails unless the condition is `holds`.
void GraphImporter::require(Path &path, Tensor &condition, bool holds) {
  OpBuilder &b = emitter.builder;
  Value value = readCondition(emitter, condition);
  if (!holds) {
    Value one = arith::ConstantIntOp::create(b, emitter.loc, 1, 1);
    value = arith::XOrIOp::create(b, emitter.loc, value, one);
  }
  flow::CheckOp::create(b, emitter.loc, value, b.getStringAttr(refusal));
  assume(path, condition, holds);
}

//===--- Merging -------------------------------------------------------------------------------------------------===//

// Dynamic where the sides differ.
static RankedTensorType mergedType(const Tensor &tensor) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : tensor.sizes)
    shape.push_back(size ? getConstantIntValue(size).value_or(ShapedType::kDynamic) : ShapedType::kDynamic);
  return RankedTensorType::get(shape, storageType(tensor.elementType));
}

// The size that is `a` on the one side and `b` on the other, if it can be told before the If.
std::optional<OpFoldResult> GraphImporter::commonSize(OpFoldResult a, OpFoldResult b, Side &whenTrue, Side &whenFalse,
                                                      Tensor &condition) {
  Sizes &sizes = emitter.sizes;
  std::optional<OpFoldResult> outerA = sizes.transfer(whenTrue.state.sizes, a);
  std::optional<OpFoldResult> outerB = sizes.transfer(whenFalse.state.sizes, b);
  if (!outerA || !outerB)
    return std::nullopt;
  if (sizes.equal(*outerA, *outerB))
    return outerA;
  // One may be the other where the condition says so.
  for (bool holds : {true, false}) {
    if (!condition.contents)
      break;
    SizeTables saved = sizes.save();
    sizes.assume(condition.contents->front(), holds);
    bool same = sizes.equal(*outerA, *outerB);
    sizes.restore(std::move(saved));
    if (same)
      return holds ? outerB : outerA;
  }
  return std::nullopt;
}

// Emits before the scf.if. What the branches give that no result of an scf.if can be, or "".
std::string GraphImporter::merge(Side &whenTrue, Side &whenFalse, Tensor &condition, Merge &merge) {
  auto set = [&](OpFoldResult &target, OpFoldResult a, OpFoldResult b, bool isSize) {
    if (std::optional<OpFoldResult> common = commonSize(a, b, whenTrue, whenFalse, condition)) {
      target = *common;
      return;
    }
    size_t index = llvm::find(merge.sizes, std::make_pair(a, b)) - merge.sizes.begin();
    if (index == merge.sizes.size())
      merge.sizes.push_back({a, b});
    merge.places.push_back({&target, index, isSize});
  };
  merge.tensors.resize(whenTrue.results.size());
  for (auto [a, b, result] : llvm::zip_equal(whenTrue.results, whenFalse.results, merge.tensors)) {
    if (!a.elementType || !b.elementType)
      continue;
    if (a.aggregate || b.aggregate)
      return "sequences or optional values, and so does all that follows; only tensors can be results";
    if (a.elementType != b.elementType)
      return "tensors of different type, and so does all that follows";
    if (a.rank() != b.rank())
      return "tensors of different rank, and so does all that follows; a result has one rank: fix the size that "
             "decides, or reshape both to one rank";
    result.elementType = a.elementType;
    result.sizes.resize(a.rank());
    for (int64_t d = 0; d < a.rank(); ++d)
      set(result.sizes[d], a.sizes[d], b.sizes[d], /*isSize=*/true);
    if (!a.contents || !b.contents || !a.holdsSizes() || a.contents->size() != b.contents->size() ||
        !mergedType(result).hasStaticShape())
      continue;
    result.contents.emplace(a.contents->size());
    for (size_t i = 0; i < a.contents->size(); ++i)
      set((*result.contents)[i], (*a.contents)[i], (*b.contents)[i], /*isSize=*/false);
  }
  return "";
}

// What one side hands on, emitted at its end: tensors that are not lists of elements, then sizes.
SmallVector<Value> GraphImporter::yieldedBy(Side &side, Merge &merge, bool isTrue) {
  SmallVector<Value> yielded;
  for (auto [tensor, result] : llvm::zip_equal(side.results, merge.tensors)) {
    if (!result.elementType || result.contents)
      continue;
    Value value = emitter.value(tensor);
    if (value.getType() != mergedType(result))
      value = tensor::CastOp::create(emitter.builder, emitter.loc, mergedType(result), value);
    yielded.push_back(value);
  }
  for (auto [a, b] : merge.sizes)
    yielded.push_back(emitter.sizes.value(isTrue ? a : b));
  return yielded;
}

// Replaces the probe by an scf.if with results and sets the merged tensors.
void GraphImporter::emitMerge(scf::IfOp probe, Side &whenTrue, Side &whenFalse, Merge &merge) {
  Emitter::State outside = emitter.save();
  SmallVector<Type> types;
  for (bool isTrue : {true, false}) {
    Side &side = isTrue ? whenTrue : whenFalse;
    emitter.restore(std::move(side.state));
    Operation *terminator = (isTrue ? probe.thenBlock() : probe.elseBlock())->getTerminator();
    emitter.builder.setInsertionPoint(terminator);
    SmallVector<Value> values = yieldedBy(side, merge, isTrue);
    scf::YieldOp::create(emitter.builder, emitter.loc, values);
    terminator->erase();
    types.assign(ValueRange(values).getTypes().begin(), ValueRange(values).getTypes().end());
  }
  emitter.restore(std::move(outside));
  emitter.loc = probe.getLoc();
  auto op = scf::IfOp::create(emitter.builder, emitter.loc, types, probe.getCondition(), /*withElseRegion=*/true);
  op.getThenRegion().takeBody(probe.getThenRegion());
  op.getElseRegion().takeBody(probe.getElseRegion());
  probe.erase();
  emitter.builder.setInsertionPointAfter(op);
  unsigned next = 0;
  for (Tensor &tensor : merge.tensors)
    if (tensor.elementType && !tensor.contents)
      tensor.value = op.getResult(next++);
  for (auto [target, index, isSize] : merge.places)
    *target = emitter.sizes.atom(op.getResult(next + index), /*nonNegative=*/isSize);
  for (Tensor &tensor : merge.tensors)
    if (tensor.value)
      tensor = emitter.fromValue(tensor.value, tensor.sizes, tensor.elementType);
}
