// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Graph/GraphImporter.h"

#include "compiler/Dialect/Suggest.h"
#include "compiler/Stages/Import/Onnx/Aggregate.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "compiler/Stages/Import/Onnx/Model/Schema.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// With the graphs inside them.
static size_t countNodes(ArrayRef<Node> nodes) {
  size_t count = nodes.size();
  for (const Node &node : nodes)
    for (const auto &graph : node.graphs)
      count += countNodes(graph.second->nodes);
  return count;
}

// Bodies of loops are imported again with what the last import told, those of loops in them each time.
static size_t mostLoweredOf(const Model &model) { return 64 * countNodes(model.nodes) + (1 << 16); }

GraphImporter::GraphImporter(const Model &model, func::FuncOp entry, ArrayRef<Tensor> inputs, Emitter &emitter,
                             Sharder &sharder, Location location)
    : model(model), entry(entry), emitter(emitter), sharder(sharder), location(location),
      mostLowered(mostLoweredOf(model)) {
  Frame &frame = main.frames.emplace_back();
  frame.nodes = &model.nodes;
  frame.owner = nullptr;
  for (const Port &port : model.outputs)
    frame.outputs.push_back(port.name);
  bind(frame, model.initializers, model.foreign);
  for (auto [port, tensor] : llvm::zip_equal(model.inputs, inputs)) { // initialisers among them are only defaults
    Tensor &value = frame.values[port.name] = tensor;
    sharder.shardValue(port.name, value);
  }
}

void GraphImporter::bind(Frame &frame, ArrayRef<std::pair<std::string, TensorData>> initializers,
                         ArrayRef<std::pair<std::string, std::string>> foreign) {
  for (const auto &[name, data] : initializers) {
    Tensor tensor = emitter.fromData(data);
    tensor.name = name;
    sharder.shardValue(name, tensor);
    frame.values[name] = std::move(tensor);
  }
  for (const auto &[name, elementType] : foreign)
    frame.values[name] = makeForeign(emitter, elementType);
}

FailureOr<SmallVector<Tensor>> GraphImporter::run() {
  if (failed(refuseUnknownOps()))
    return failure();
  switch (advance(main, 1)) {
  case Outcome::Done: break;
  case Outcome::Refused: return emitError(location) << "the model cannot be imported: " << refusal, failure();
  case Outcome::Separate: return emitError(location) << "the model cannot be imported: " << difference, failure();
  }
  if (failed(finish()))
    return failure();
  SmallVector<Tensor> results;
  for (const Port &port : model.outputs)
    results.push_back(*find(main, port.name));
  return results;
}

LogicalResult GraphImporter::finish() {
  if (!invalid && !unsupported)
    return failure(sharder.failed());
  auto count = [](unsigned nodes) { return std::to_string(nodes) + (nodes == 1 ? " node" : " nodes"); };
  InFlightDiagnostic error = emitError(location);
  error << (unsupported ? "the model cannot be imported: " : "the model is invalid: ");
  if (invalid)
    error << count(invalid)
          << (invalid == 1 ? " breaks the rules of its operator" : " break the rules of their operators")
          << "; correct the model, or what exports it" << (unsupported ? "; " : "");
  if (unsupported)
    error << count(unsupported) << (unsupported == 1 ? " is" : " are")
          << " not supported; replace such nodes when exporting (docs/operators.md lists the operators)";
  return error;
}

std::string GraphImporter::describe(const Node &node, const Twine &reason) const {
  return ("node #" + Twine(node.index) + " '" + node.name + "' (" + spellDomain(node.domain) + " " + node.op +
          ", operator set " + Twine(node.version) + "): " + reason)
      .str();
}

void GraphImporter::report(const Node &node, const Twine &reason, Fault fault) {
  if (!reported.insert(&node).second)
    return;
  ++(fault == Fault::Invalid ? invalid : unsupported);
  emitError(NameLoc::get(StringAttr::get(entry.getContext(), node.name), location)) << describe(node, reason);
}

void GraphImporter::reportUnknown(const Node &node, bool known) {
  if (std::string invalid = findUnknownOperator(node); !invalid.empty())
    report(node, invalid, Fault::Invalid);
  else if (known)
    report(node, "not supported in this operator set; convert the model to a newer one", Fault::Unsupported);
  else
    report(node, "this op is not supported" + didYouMean(qualifiedName(node), LoweringTable::get().names()),
           Fault::Unsupported);
}

// Operators that are no entries of the table: they are walked.
static bool hasGraphs(StringRef op) { return op == "If" || op == "Loop" || op == "Scan" || op == "SequenceMap"; }

LogicalResult GraphImporter::refuseUnknownOps() {
  for (const Node &node : model.nodes) {
    bool known = hasGraphs(qualifiedName(node));
    if (known || LoweringTable::get().find(qualifiedName(node), node.version, known))
      continue;
    if (!known && !node.domain.empty() && node.domain != "com.microsoft" && node.domain != "heddle")
      report(node, "no op of this domain is supported", Fault::Unsupported);
    else
      reportUnknown(node, known);
  }
  return finish();
}

//===--- Walk ----------------------------------------------------------------------------------------------------===//

Tensor *GraphImporter::find(Path &path, StringRef name) {
  for (Frame &frame : llvm::reverse(path.frames))
    if (auto found = frame.values.find(name); found != frame.values.end())
      return &found->second;
  return nullptr;
}

void GraphImporter::enter(Path &path, const Node &node, const Graph &graph) {
  Frame &frame = path.frames.emplace_back();
  frame.nodes = &graph.nodes;
  frame.outputs = graph.outputs;
  frame.owner = &node;
  bind(frame, graph.initializers, graph.foreign);
}

// The innermost graph is done: its node takes the outputs.
void GraphImporter::leave(Path &path) {
  SmallVector<Tensor> results;
  for (const std::string &name : path.frames.back().outputs)
    results.push_back(*find(path, name));
  const Node &owner = *path.frames.back().owner;
  path.frames.pop_back();
  for (auto [name, result] : llvm::zip(owner.outputs, results))
    path.frames.back().values[name] = std::move(result);
  sharder.shardOutputs(owner, path.frames.back().values);
}

GraphImporter::Outcome GraphImporter::advance(Path &path, size_t frames) {
  while (true) {
    Frame &frame = path.frames.back();
    if (frame.next == frame.nodes->size()) {
      if (path.frames.size() == frames)
        return Outcome::Done;
      leave(path);
      continue;
    }
    const Node &node = (*frame.nodes)[frame.next++];
    if (++lowered > mostLowered) {
      refusal = difference = describe(node, "loops and Ifs stand inside each other too deeply");
      return Outcome::Refused;
    }
    std::string op = qualifiedName(node);
    Outcome outcome = op == "If"                   ? lowerIf(path, node, frames)
                      : op == "Loop"               ? lowerLoop(path, node)
                      : op == "Scan"               ? lowerScan(path, node)
                      : op == "SequenceMap"        ? lowerSequenceMap(path, node)
                      : node.domain == kBodyDomain ? enterBody(path, node)
                                                   : lower(path, node);
    if (outcome == Outcome::Done)
      sharder.shardOutputs(node, path.frames.back().values);
    std::string impossible = emitter.takeImpossible();
    if (impossible.empty())
      impossible = describeTooLarge(path, node);
    if (outcome == Outcome::Done && !impossible.empty()) {
      StringRef message = impossible;
      message.consume_front(node.op + ": ");
      outcome = refuse(path, node, message);
    }
    if (outcome != Outcome::Done)
      return outcome;
  }
}

GraphImporter::Outcome GraphImporter::refuse(Path &path, const Node &node, const NodeContext &context,
                                             const Twine &more) {
  return refuse(path, node, (context.reason().empty() ? "not supported in this form" : context.reason()) + more,
                context.isInvalid() ? Fault::Invalid : Fault::Unsupported);
}

GraphImporter::Outcome GraphImporter::refuse(Path &path, const Node &node, const Twine &reason, Fault fault) {
  if (path.inBranch) {
    refusal = describe(node, reason);
    return Outcome::Refused;
  }
  report(node, reason, fault);
  for (const std::string &name : node.outputs) // also those that it has given: what reads them is not looked at
    path.frames.back().values[name] = {};
  return Outcome::Done;
}

// Which output has fixed sizes that no tensor has, "" if none: lowerings may multiply the sizes of their operands.
std::string GraphImporter::describeTooLarge(Path &path, const Node &node) {
  for (const std::string &name : node.outputs) {
    auto found = path.frames.back().values.find(name);
    if (found == path.frames.back().values.end())
      continue;
    int64_t room = 1;
    for (OpFoldResult size : found->second.sizes) {
      int64_t fixed = getConstantIntValue(size).value_or(1);
      if (fixed < 0)
        return "output '" + name + "' would have a negative size, " + std::to_string(fixed);
      if (llvm::MulOverflow(room, std::max<int64_t>(fixed, 1), room) || room > Sizes::kMostElements)
        return "output '" + name + "' would be larger than any memory";
    }
  }
  return "";
}

// "; operands: x f32[2,3], s i64[2]": the first few, for a reason that tells the type of none.
static std::string describeOperands(const Node &node, ArrayRef<Tensor *> operands, StringRef reason) {
  constexpr size_t kMost = 4;
  SmallVector<std::string> texts;
  for (auto [name, operand] : llvm::zip_equal(node.inputs, operands)) {
    if (!operand || operand->aggregate)
      continue;
    std::string type = spellTensor(*operand);
    if (reason.contains(type))
      return "";
    texts.push_back(texts.size() < kMost ? name + " " + type : "…");
  }
  return texts.empty() ? "" : "; operands: " + llvm::join(ArrayRef(texts).take_front(kMost + 1), ", ");
}

GraphImporter::Outcome GraphImporter::lower(Path &path, const Node &node) {
  SmallVector<Tensor *> operands;
  bool blocked = false;
  for (const std::string &name : node.inputs) {
    operands.push_back(name.empty() ? nullptr : find(path, name));
    blocked |= operands.back() && !operands.back()->elementType;
  }
  llvm::StringMap<Tensor> &values = path.frames.back().values;
  for (const std::string &name : node.outputs)
    values.try_emplace(name);
  if (blocked)
    return Outcome::Done;
  bool known = false;
  LoweringFunction function = LoweringTable::get().find(qualifiedName(node), node.version, known);
  if (!function) {
    reportUnknown(node, known);
    return Outcome::Done;
  }
  if (node.outputs.empty()) // nobody can read what it computes
    return Outcome::Done;
  if (std::string broken = findBrokenRule(node); !broken.empty())
    return refuse(path, node, broken);
  bool isValid = false;
  if (std::string misplaced = findMisplaced(node, operands, isValid); !misplaced.empty())
    return refuse(path, node, misplaced, isValid ? Fault::Unsupported : Fault::Invalid);
  emitter.loc = NameLoc::get(StringAttr::get(entry.getContext(), node.name));
  std::deque<Tensor> own;
  sharder.shardOperands(node, operands, own);
  NodeContext state(model, node, emitter, operands);
  LogicalResult lowered = lowerWidened(state, function);
  if (failed(lowered) || !state.reason().empty())
    return refuse(path, node, state, describeOperands(node, operands, state.reason()));
  // Behind the lowering, whose own words say more.
  if (std::string mismatch = findTypeMismatch(node, operands); !mismatch.empty())
    return refuse(path, node, mismatch);
  for (auto [i, name] : llvm::enumerate(node.outputs)) {
    if (name.empty())
      continue;
    if (!state.result(i))
      return refuse(path, node, "output #" + Twine(i) + " is not supported", Fault::Unsupported);
    values[name] = std::move(*state.result(i));
  }
  return Outcome::Done;
}
