// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop and Scan: operands and graphs of the nodes, for LoopImporter.
#include "compiler/Stages/Import/Onnx/Graph/GraphImporter.h"
#include "compiler/Stages/Import/Onnx/Graph/LoopSequences.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// The graph of attribute `body`, or null and the reason why it does not fit.
static const Graph *getBody(const Node &node, size_t inputs, size_t outputs, std::string &reason) {
  auto found = node.graphs.find("body");
  if (found == node.graphs.end()) {
    reason = "needs a graph 'body'";
    return nullptr;
  }
  const Graph &graph = *found->second;
  if (graph.inputs.size() == inputs && graph.outputs.size() == outputs)
    return &graph;
  reason = ("the graph 'body' must take " + Twine(inputs) + " inputs and give " + Twine(outputs) +
            " outputs, which this node's inputs and outputs imply; it takes " + Twine(graph.inputs.size()) +
            " and gives " + Twine(graph.outputs.size()))
               .str();
  return nullptr;
}

// How the loop's body becomes ops: the graph's nodes on a path of their own.
LoopPlan::Body GraphImporter::bodyOf(Path &path, const Node &node, const Graph &graph, Outcome &outcome) {
  return
      [this, &path, &node, &graph, &outcome](SmallVector<Tensor> inputs, SmallVector<Tensor> &results, std::string &) {
        Path inside = path;
        enter(inside, node, graph);
        for (auto [name, tensor] : llvm::zip_equal(graph.inputs, inputs))
          inside.frames.back().values[name] = tensor;
        outcome = advance(inside, inside.frames.size());
        if (outcome != Outcome::Done)
          return false;
        results.clear();
        for (const std::string &name : inside.frames.back().outputs)
          results.push_back(*find(inside, name));
        return llvm::all_of(results, [](const Tensor &tensor) { return bool(tensor.elementType); });
      };
}

// Makes a weight a parameter where the emitter stands; of a quantised one, its parts.
static void load(Emitter &emitter, Tensor &tensor) {
  if (tensor.data && !tensor.contents)
    emitter.value(tensor);
  if (!tensor.quantized)
    return;
  load(emitter, tensor.quantized->source);
  load(emitter, tensor.quantized->scale);
  if (tensor.quantized->zeroPoint)
    load(emitter, *tensor.quantized->zeroPoint);
}

// Weights that the body reads become parameters before the loop, for all its iterations.
void GraphImporter::loadCaptures(Path &path, const Graph &graph) {
  llvm::StringSet<> names;
  collectCaptures(graph, names);
  for (const auto &entry : names) {
    Tensor *tensor = find(path, entry.getKey());
    if (tensor && isSequence(*tensor))
      *tensor = loadSequence(emitter, *tensor);
    else if (tensor && tensor->elementType)
      load(emitter, *tensor);
  }
}

//===--- What no iteration changes -------------------------------------------------------------------------------===//

// The input of `node` that its output `name` is, whatever it computes otherwise; or none.
static std::optional<StringRef> sameAs(const Node &node, StringRef name) {
  size_t index = llvm::find(node.outputs, name) - node.outputs.begin();
  if (!node.domain.empty() || index == node.outputs.size())
    return std::nullopt;
  if (node.op == "Identity" && !node.inputs.empty())
    return node.inputs.front();
  auto body = node.graphs.find("body");
  if (node.op != "Loop" || body == node.graphs.end() || index + 2 >= node.inputs.size())
    return std::nullopt;
  const Graph &inner = *body->second;
  bool same = index + 1 < inner.outputs.size() && index + 2 < inner.inputs.size() &&
              handsOn(inner, inner.outputs[index + 1], inner.inputs[index + 2]);
  return same ? std::optional<StringRef>(node.inputs[index + 2]) : std::nullopt;
}

bool mlir::heddle::importer::handsOn(const Graph &graph, StringRef output, StringRef input) {
  for (const Node &node : llvm::reverse(graph.nodes)) // sorted: who gives a name stands before who reads it
    if (std::optional<StringRef> from = sameAs(node, output))
      output = *from;
  return output == input;
}

// What no iteration changes is not carried: the body reads it from around the loop, so that a constant stays one (and
// narrow, and packed).
LoopPlan GraphImporter::keepUnchanged(LoopPlan plan, const Graph &graph, ArrayRef<size_t> places) {
  size_t inputs = plan.isLoop ? 2 : 0, results = plan.isLoop ? 1 : 0, count = plan.carried.size();
  plan.unchanged.assign(count, std::nullopt);
  SmallVector<Tensor> carried;
  SmallVector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    Tensor &initial = plan.carried[i];
    if (handsOn(graph, graph.outputs[results + places[i]], graph.inputs[inputs + places[i]])) {
      load(emitter, initial);
      plan.unchanged[i] = initial;
      continue;
    }
    carried.push_back(initial);
    names.push_back(plan.names[i]);
  }
  if (carried.size() == count)
    return plan;
  plan.carried = std::move(carried);
  plan.names = std::move(names);
  plan.body = [body = std::move(plan.body), unchanged = plan.unchanged, inputs,
               results](SmallVector<Tensor> given, SmallVector<Tensor> &got, std::string &reason) {
    for (auto [i, tensor] : llvm::enumerate(unchanged))
      if (tensor)
        given.insert(given.begin() + inputs + i, *tensor);
    if (!body(std::move(given), got, reason))
      return false;
    for (size_t i = unchanged.size(); i-- > 0;)
      if (unchanged[i])
        got.erase(got.begin() + results + i);
    return true;
  };
  return plan;
}

GraphImporter::Outcome GraphImporter::runLoop(Path &path, const Node &node, LoopPlan plan, Outcome &inside,
                                              llvm::function_ref<LogicalResult(SmallVector<Tensor> &)> finish,
                                              Fault fault) {
  std::vector<std::optional<Tensor>> unchanged = plan.unchanged;
  LoopImporter importer(emitter, std::move(plan));
  std::optional<SmallVector<Tensor>> outputs = importer.run();
  if (!importer.reason().empty())
    return refuse(path, node, importer.reason(), fault);
  if (!outputs)
    return inside; // Done: what is not supported inside has been reported
  for (auto [i, tensor] : llvm::enumerate(unchanged))
    if (tensor)
      outputs->insert(outputs->begin() + i, *tensor);
  if (failed(finish(*outputs)))
    return Outcome::Done; // the caller refuses
  for (auto [name, output] : llvm::zip(node.outputs, *outputs))
    if (!name.empty())
      path.frames.back().values[name] = std::move(output);
  return Outcome::Done;
}

// False: an operand is not supported, and has been reported.
bool GraphImporter::collectOperands(Path &path, const Node &node, SmallVector<Tensor *> &operands) {
  bool known = true;
  sharder.warnOfOperands(node);
  for (const std::string &name : node.outputs)
    path.frames.back().values.try_emplace(name);
  for (const std::string &name : node.inputs) {
    operands.push_back(name.empty() ? nullptr : find(path, name));
    known &= !operands.back() || operands.back()->elementType;
  }
  return known;
}

GraphImporter::Outcome GraphImporter::lowerLoop(Path &path, const Node &node) {
  SmallVector<Tensor *> operands;
  if (!collectOperands(path, node, operands))
    return Outcome::Done;
  if (operands.size() < 2)
    return refuse(path, node, "needs an input M and an input cond, which may be empty");
  size_t carried = operands.size() - 2;
  if (node.outputs.size() < carried)
    return refuse(path, node,
                  "carries " + Twine(carried) + " values but has only " + Twine(node.outputs.size()) + " outputs");
  std::string reason;
  const Graph *graph = getBody(node, operands.size(), 1 + node.outputs.size(), reason);
  if (!graph)
    return refuse(path, node, reason);
  emitter.loc = NameLoc::get(StringAttr::get(entry.getContext(), node.name));
  LoopPlan plan;
  if (Tensor *trips = operands[0]) {
    if (!emitter.readContents(*trips) || trips->contents->size() != 1)
      return refuse(path, node, "M must be one integer");
    plan.trips = emitter.sizes.max(emitter.sizes.constant(0), trips->contents->front());
  }
  if (Tensor *condition = operands[1]) {
    if (!mayBeCondition(*condition))
      return refuse(path, node, "cond must be one boolean");
    plan.condition = *condition;
  }
  for (size_t i = 0; i < carried; ++i) {
    if (!operands[2 + i])
      return refuse(path, node, "carried value #" + Twine(i) + " has no initial value");
    plan.carried.push_back(*operands[2 + i]);
    plan.names.push_back(graph->inputs[2 + i]);
  }
  plan.outputsBackward.assign(node.outputs.size() - carried, false);
  loadCaptures(path, *graph);
  Outcome inside = Outcome::Done;
  plan.body = bodyOf(path, node, *graph, inside);
  SmallVector<size_t> places; // of the tensors among what is carried
  for (auto [i, initial] : llvm::enumerate(plan.carried))
    if (!initial.aggregate)
      places.push_back(i);
  LoopSequences sequences(emitter, *graph);
  if (std::string misfit = sequences.separate(plan); !misfit.empty())
    return refuse(path, node, misfit, Fault::Unsupported);
  auto join = [&](SmallVector<Tensor> &outputs) {
    outputs = sequences.join(std::move(outputs));
    return success();
  };
  return runLoop(path, node, keepUnchanged(std::move(plan), *graph, places), inside, join,
                 sequences.any() ? Fault::Unsupported : Fault::Invalid);
}

//===--- Scan ----------------------------------------------------------------------------------------------------===//

namespace {

// A Scan's attributes: for each scanned input and output its axis and whether it is walked from the end.
struct ScanOptions {
  SmallVector<int64_t> inputAxes, outputAxes;
  SmallVector<bool> inputBackward, outputBackward;
};

} // namespace

static std::optional<SmallVector<int64_t>> readInts(NodeContext &context, StringRef name, size_t count) {
  std::optional<SmallVector<int64_t>> given = context.getInts(name);
  if (!given)
    return SmallVector<int64_t>(count, 0);
  if (given->size() == count)
    return given;
  (void)context.refuse("attribute '" + name + "' must have " + Twine(count) + " entries, got " + Twine(given->size()));
  return std::nullopt;
}

static std::optional<ScanOptions> readScanOptions(NodeContext &context, size_t inputs, size_t outputs, bool hasBatch) {
  auto ia = readInts(context, "scan_input_axes", inputs), oa = readInts(context, "scan_output_axes", outputs),
       id = readInts(context, hasBatch ? "directions" : "scan_input_directions", inputs),
       od = readInts(context, "scan_output_directions", outputs);
  if (!ia || !oa || !id || !od)
    return std::nullopt;
  ScanOptions options{*ia, *oa, {}, {}};
  for (int64_t backward : *id)
    options.inputBackward.push_back(backward != 0);
  for (int64_t backward : *od)
    options.outputBackward.push_back(backward != 0);
  return options;
}

// Sizes of dimension `axis` of all tensors must agree.
static OpFoldResult agreedSize(Emitter &emitter, ArrayRef<Tensor> tensors, int64_t axis, const Twine &message) {
  for (const Tensor &tensor : tensors.drop_front())
    emitter.checkEqual(tensors.front().sizes[axis], tensor.sizes[axis], message);
  return tensors.front().sizes[axis];
}

static std::string describeMisfit(int64_t scanned, int64_t inputs, size_t outputs) {
  return ("num_scan_inputs = " + Twine(scanned) + " does not fit " + Twine(inputs) + " inputs and " + Twine(outputs) +
          " outputs")
      .str();
}

// Why one of a Scan's inputs is no tensor, or "".
static std::string findNoTensor(ArrayRef<Tensor *> inputs) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (!input)
      return "an input is missing";
    if (input->aggregate)
      return "input #" + std::to_string(i) + " is " + describeAggregate(*input) + "; a Scan takes tensors";
  }
  return "";
}

// What a Scan carries and reads, with the axis it walks first. Gives the first input with too few dimensions.
static std::optional<size_t> takeScanned(NodeContext &context, ArrayRef<Tensor *> given, size_t carried,
                                         const ScanOptions &options, bool hasBatch, LoopPlan &plan) {
  for (auto [i, tensor] : llvm::enumerate(given)) {
    Tensor value = *tensor;
    if (i < carried && !hasBatch) {
      plan.carried.push_back(value);
      continue;
    }
    int64_t least = hasBatch && i >= carried ? 2 : 1;
    std::optional<int64_t> axis = 0;
    if (i >= carried && !hasBatch)
      axis = context.normalizeAxis(options.inputAxes[i - carried], value.rank());
    if (!axis || value.rank() < least)
      return i;
    (i < carried ? plan.carried : plan.scanned).push_back(moveAxis(context.emitter, value, *axis, 0));
  }
  return std::nullopt;
}

GraphImporter::Outcome GraphImporter::lowerScan(Path &path, const Node &node) {
  SmallVector<Tensor *> operands;
  if (!collectOperands(path, node, operands))
    return Outcome::Done;
  bool hasBatch = node.version < 9; // states and inputs have a batch first, and a list of lengths comes before them
  NodeContext context(model, node, emitter, operands);
  int64_t scanned = context.getInt("num_scan_inputs", 0);
  ArrayRef<Tensor *> given = ArrayRef(operands).drop_front(hasBatch && !operands.empty() ? 1 : 0);
  int64_t count = given.size(), carried = count - std::clamp<int64_t>(scanned, 0, count);
  if (hasBatch && !operands.empty() && operands.front())
    return refuse(path, node, "sequence_lens is not supported; convert the model to operator set 9, which has none",
                  Fault::Unsupported);
  if (scanned < 1 || scanned > count || carried > static_cast<int64_t>(node.outputs.size()))
    return refuse(path, node, describeMisfit(scanned, count, node.outputs.size()));
  std::string reason = findNoTensor(given);
  if (!reason.empty())
    return refuse(path, node, reason);
  const Graph *graph = getBody(node, given.size(), node.outputs.size(), reason);
  if (!graph)
    return refuse(path, node, reason);
  std::optional<ScanOptions> options = readScanOptions(context, scanned, node.outputs.size() - carried, hasBatch);
  if (!options)
    return refuse(path, node, context);
  emitter.loc = NameLoc::get(StringAttr::get(entry.getContext(), node.name));
  loadCaptures(path, *graph);
  Outcome inside = Outcome::Done;
  LoopPlan plan;
  plan.isLoop = false;
  plan.body = bodyOf(path, node, *graph, inside);
  plan.scannedBackward = options->inputBackward;
  plan.outputsBackward = options->outputBackward;
  plan.names.assign(graph->inputs.begin(), graph->inputs.begin() + carried);
  if (std::optional<size_t> misfit = takeScanned(context, given, carried, *options, hasBatch, plan))
    return refuse(path, node, "input #" + Twine(*misfit) + " has too few dimensions");
  SmallVector<size_t> places = llvm::to_vector(llvm::seq<size_t>(0, plan.carried.size()));
  plan = hasBatch ? overBatch(std::move(plan)) : keepUnchanged(std::move(plan), *graph, places);
  if (!hasBatch)
    plan.trips = agreedSize(emitter, plan.scanned, 0, "Scan: the scanned inputs have different lengths");
  auto moveAxes = [&](SmallVector<Tensor> &outputs) -> LogicalResult {
    for (size_t i = carried; i < outputs.size() && !hasBatch; ++i) {
      std::optional<int64_t> axis = context.normalizeAxis(options->outputAxes[i - carried], outputs[i].rank());
      if (!axis)
        return failure();
      outputs[i] = moveAxis(emitter, outputs[i], 0, *axis);
    }
    return success();
  };
  Outcome outcome = runLoop(path, node, std::move(plan), inside, moveAxes);
  return context.reason().empty() ? outcome : refuse(path, node, context);
}

// A Scan of each entry of a batch, as a Scan over the batch.
LoopPlan GraphImporter::overBatch(LoopPlan each) {
  LoopPlan plan;
  plan.isLoop = false;
  plan.scanned = each.carried;
  llvm::append_range(plan.scanned, each.scanned);
  plan.trips = agreedSize(emitter, plan.scanned, 0, "Scan: the inputs have batches of different sizes");
  (void)agreedSize(emitter, each.scanned, 1, "Scan: the scanned inputs have different lengths");
  plan.scannedBackward.assign(plan.scanned.size(), false);
  plan.outputsBackward.assign(each.carried.size() + each.outputsBackward.size(), false);
  plan.body = [this, each](SmallVector<Tensor> inputs, SmallVector<Tensor> &results, std::string &reason) {
    LoopPlan inner = each;
    size_t carried = each.carried.size();
    inner.carried.assign(inputs.begin(), inputs.begin() + carried);
    inner.scanned.assign(inputs.begin() + carried, inputs.end());
    inner.trips = inner.scanned.front().sizes[0];
    LoopImporter importer(emitter, std::move(inner));
    std::optional<SmallVector<Tensor>> outputs = importer.run();
    if (outputs)
      results = std::move(*outputs);
    else
      reason = importer.reason();
    return outputs.has_value();
  };
  return plan;
}
