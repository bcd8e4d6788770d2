// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/GraphReport.h"

#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Flow/Analysis/AffinityGraph.h"
#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/BranchNotes.h"
#include "compiler/Dialect/Heddle/IR/Expect.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/OverlapNotes.h"
#include "compiler/Dialect/Heddle/IR/PartNotes.h"
#include "compiler/Dialect/Heddle/IR/Reasons.h"
#include "compiler/Dialect/Heddle/IR/ShardNotes.h"
#include "compiler/Pipelines/Explain.h"
#include "compiler/Pipelines/StringTable.h"
#include "compiler/Target/TargetRegistry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using llvm::json::Array;
using llvm::json::Object;

namespace {

// The type without its layout.
std::string plain(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "";
  std::string text;
  for (int64_t size : tensor.getShape())
    text += (ShapedType::isDynamic(size) ? "?" : std::to_string(size)) + "x";
  llvm::raw_string_ostream(text) << tensor.getElementType();
  return text;
}

// "sum over @m[x, y]"
std::string describeCollective(flow::CollectiveOpInterface op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (std::optional<flow::Reduction> reduction = op.getCombiner())
    out << flow::stringifyReduction(*reduction) << " ";
  out << "over " << op.getMeshAttr();
  if (ArrayAttr groups = op.getGroupsAttr()) {
    out << " groups of ranks";
  } else {
    out << "[";
    llvm::interleaveComma(op.getAxes().getAsRange<StringAttr>(), out, [&](StringAttr axis) { out << axis.getValue(); });
    out << "]";
  }
  if (op.isCut())
    out << " in pieces of several sizes";
  return text;
}

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

class Reporter {
public:
  explicit Reporter(ModuleOp module)
      : module(module), symbols(module), query(module), topology(flow::Topology::of(module)), reasons(module),
        sizes(module) {
    for (auto global : module.getOps<device::GlobalOp>()) {
      numbers[global.getSymNameAttr()] = devices.size();
      devices.push_back(global);
    }
    if (device::GlobalOp global = device::getDefaultDevice(module))
      defaultDevice = numbers[global.getSymNameAttr()];
  }

  Object report() {
    Array functions;
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isExternal())
        functions.push_back(Object{{"name", func.getSymName()}, {"nodes", nodesOf(func)}});
    Array refused = refusals();
    // Last: now all strings are known.
    Object out{{"unknown", flow::kUnknownSize},
               {"devices", describeDevices()},
               {"strings", strings.finish()},
               {"functions", std::move(functions)}};
    if (Array links = describeLinks(); !links.empty())
      out["links"] = std::move(links);
    if (DictionaryAttr expected = getExpected(module)) {
      Object names;
      for (NamedAttribute entry : expected)
        names[entry.getName().getValue()] = cast<IntegerAttr>(entry.getValue()).getInt();
      out["expect"] = std::move(names);
    }
    addNotes(out, "branches", getBranchNotes(module));
    addNotes(out, "parts", getPartNotes(module));
    addNotes(out, "shardings", getShardNotes(module));
    addNotes(out, "overlaps", getOverlapNotes(module));
    Array meshes;
    for (auto mesh : module.getOps<device::MeshOp>())
      meshes.push_back(llvm::json::fixUTF8(("@" + mesh.getSymName() + " = " + mesh.describe()).str()));
    if (!meshes.empty())
      out["meshes"] = std::move(meshes);
    if (defaultDevice)
      out["default"] = defaultDevice;
    if (!refused.empty())
      out["refused"] = std::move(refused);
    number(out);
    return out;
  }

private:
  using Nodes = llvm::SmallSetVector<int64_t, 4>;

  // Sentences for people; nothing where there are none.
  static void addNotes(Object &out, StringRef key, ArrayAttr notes) {
    if (!notes)
      return;
    Array lines;
    for (auto line : notes.getAsRange<StringAttr>())
      lines.push_back(llvm::json::fixUTF8(line.getValue()));
    out[key] = std::move(lines);
  }

  Array describeDevices();
  Array describeLinks();
  Array nodesOf(func::FuncOp func);
  void visit(Block &block);
  void visit(Operation &op);
  void visitRegions(Operation &op);
  void addArguments(func::FuncOp func);
  void addResults(func::FuncOp func, Operation &terminator);
  Array refusals();

  int64_t deviceOf(Attribute affinity) const {
    auto one = dyn_cast_if_present<device::AffinityAttr>(affinity);
    auto found = one ? numbers.find(one.getDevice().getAttr()) : numbers.end();
    return found == numbers.end() ? defaultDevice : found->second;
  }

  // A node; its number names the values it makes.
  Object &add(StringRef kind, StringRef name, int64_t device, const Nodes &inputs) {
    Object node{{"k", kind}, {"n", strings.add(name)}};
    if (device)
      node["d"] = device;
    if (!inputs.empty())
      node["i"] = Array(inputs.getArrayRef());
    nodes.push_back(std::move(node));
    return *nodes.back().getAsObject();
  }
  void makes(ValueRange values) {
    for (Value value : values)
      producers[value].insert(nodes.size() - 1);
  }
  Nodes inputsOf(ValueRange values) const {
    Nodes inputs;
    for (Value value : values)
      if (auto found = producers.find(value); found != producers.end())
        inputs.insert(found->second.begin(), found->second.end());
    return inputs;
  }
  void passOn(Value from, Value to) {
    Nodes made = inputsOf(from); // before producers grows
    producers[to].insert(made.begin(), made.end());
  }
  void addTypes(Object &node, TypeRange types) {
    Array list;
    for (Type type : types)
      if (std::string text = plain(type); !text.empty())
        list.push_back(strings.add(text));
    node["t"] = std::move(list);
  }
  void addOrigins(Object &node, Location loc) {
    llvm::SetVector<StringRef> names;
    collectNodes(loc, names);
    Array list;
    for (StringRef name : names)
      list.push_back(strings.add(name));
    if (!list.empty())
      node["o"] = std::move(list);
  }
  void addReason(Object &node, Operation *op) {
    auto reason = op->getAttrOfType<StringAttr>(kPlacedByAttr);
    StringRef pin = isa<flow::DispatchOp>(op) ? findPin(op->getLoc(), node.getInteger("d").value_or(0)) : "";
    std::string why = pin.empty() ? reason ? reason.getValue().str() : "" : pin.str();
    if (why.empty() && devices.size() == 1)
      why = "the only device";
    if (std::string queue = queueOf(op); !queue.empty())
      why += (why.empty() ? "" : ", ") + queue;
    if (!why.empty())
      node["w"] = strings.add(why);
  }
  // "" where the op names none.
  static std::string queueOf(Operation *op) {
    auto transfer = dyn_cast<flow::TransferOp>(op);
    auto affinity =
        dyn_cast_if_present<device::AffinityAttr>(transfer ? transfer.getAffinity() : op->getAttr("heddle.affinity"));
    if (!affinity || affinity.getQueues().empty())
      return "";
    return "queue " + std::to_string(affinity.getQueues().front());
  }
  // A pin leaves its ops no attribute, and no transfer where the device is theirs anyway.
  StringRef findPin(Location loc, int64_t device) {
    if (device >= static_cast<int64_t>(devices.size()))
      return "";
    llvm::SetVector<StringRef> names;
    collectNodes(loc, names);
    for (StringRef name : names)
      if (StringRef why = reasons.findPin(name, devices[device].getSymName()); !why.empty())
        return why;
    return "";
  }
  void number(Object &out);

  ModuleOp module;
  SymbolTable symbols;
  device::DeviceQuery query;
  flow::Topology topology;
  Reasons reasons;
  flow::SizeEstimates sizes;
  SmallVector<device::GlobalOp> devices;
  llvm::DenseMap<StringAttr, int64_t> numbers;
  int64_t defaultDevice = 0;
  StringTable strings;
  Array nodes;
  llvm::DenseMap<Value, Nodes> producers;
};

Array Reporter::describeDevices() {
  Array list;
  for (device::GlobalOp global : devices) {
    Array targets;
    for (device::ExecutableAttr executable : query.getTargets(global))
      if (const Target *target = findTarget(executable.getFormat()))
        targets.push_back(llvm::json::fixUTF8(target->spell(executable)));
    list.push_back(Object{{"name", global.getSymName()}, {"targets", std::move(targets)}});
  }
  return list;
}

Array Reporter::describeLinks() {
  Array list;
  for (unsigned from = 0; from < devices.size(); ++from)
    for (unsigned to = 0; to < devices.size(); ++to) {
      auto stated = topology.links.find({from, to});
      if (stated == topology.links.end())
        continue;
      const flow::Link &link = stated->second;
      Object one{{"from", from}, {"to", to}, {"gbps", link.bandwidthGbps}, {"us", link.latencyUs}};
      if (link.unified)
        one["unified"] = true;
      if (link.transparent)
        one["transparent"] = true;
      list.push_back(std::move(one));
    }
  return list;
}

Array Reporter::nodesOf(func::FuncOp func) {
  nodes = {};
  producers.clear();
  addArguments(func);
  for (Block &block : func.getBody())
    visit(block);
  addResults(func, *func.getBody().back().getTerminator());
  return std::move(nodes);
}

void Reporter::addArguments(func::FuncOp func) {
  for (BlockArgument argument : func.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (!isTensor(argument))
      continue;
    auto name = func.getArgAttrOfType<StringAttr>(index, "heddle.name");
    Object &node = add("a", name ? name.str() : "argument " + std::to_string(index),
                       deviceOf(func.getArgAttr(index, "heddle.affinity")), {});
    StringRef why = devices.size() == 1 ? StringRef("the only device") : reasons.findArgument(func.getSymName(), index);
    if (!why.empty())
      node["w"] = strings.add(why);
    addTypes(node, argument.getType());
    makes(argument);
  }
}

void Reporter::addResults(func::FuncOp func, Operation &terminator) {
  for (auto [index, value] : llvm::enumerate(terminator.getOperands())) {
    if (!isTensor(value))
      continue;
    auto name = func.getResultAttrOfType<StringAttr>(index, "heddle.name");
    Object &node = add("r", name ? name.str() : "result " + std::to_string(index),
                       deviceOf(func.getResultAttr(index, "heddle.affinity")), inputsOf(value));
    addTypes(node, value.getType());
  }
}

void Reporter::visit(Block &block) {
  for (Operation &op : block)
    visit(op);
}

void Reporter::visit(Operation &op) {
  if (auto dispatch = dyn_cast<flow::DispatchOp>(op)) {
    Object &node =
        add("d", dispatch.getExecutable(), deviceOf(op.getAttr("heddle.affinity")), inputsOf(dispatch.getBindings()));
    addReason(node, &op);
    addTypes(node, op.getResultTypes());
    addOrigins(node, op.getLoc());
    Array parameters;
    for (Value binding : dispatch.getBindings())
      if (auto load = binding.getDefiningOp<flow::ParameterLoadOp>())
        parameters.push_back(strings.add(load.getParameter()));
    if (!parameters.empty())
      node["p"] = std::move(parameters);
    if (auto executable = symbols.lookup<flow::ExecutableOp>(dispatch.getExecutableAttr().getAttr()))
      node["x"] = strings.add(describeOps(executable));
    if (auto split = op.getAttrOfType<StringAttr>(kSplitNoteAttr))
      node["s"] = strings.add(split.getValue());
    return makes(op.getResults());
  }
  if (auto collective = dyn_cast<flow::CollectiveOpInterface>(op)) {
    Object &node = add("c", op.getName().stripDialect(), deviceOf(op.getAttr("heddle.affinity")),
                       inputsOf(collective.getOperand()));
    addReason(node, &op);
    addTypes(node, op.getResultTypes());
    addOrigins(node, op.getLoc());
    node["x"] = strings.add(describeCollective(collective));
    node["b"] = sizes.bytes(collective.getOperand()) + sizes.bytes(op.getResult(0));
    return makes(op.getResults());
  }
  bool transfer = isa<flow::TransferOp>(op);
  if (transfer || isa<flow::EncodeOp>(op)) {
    Nodes inputs = inputsOf(op.getOperands());
    int64_t from = -1;
    if (!inputs.empty())
      from = nodes[inputs[0]].getAsObject()->getInteger("d").value_or(0);
    Object &node =
        add(transfer ? "t" : "e", transfer ? "transfer" : "change of layout",
            deviceOf(transfer ? cast<flow::TransferOp>(op).getAffinity() : op.getAttr("heddle.affinity")), inputs);
    addReason(node, &op);
    addTypes(node, op.getResultTypes());
    addOrigins(node, op.getLoc());
    uint64_t bytes = sizes.bytes(op.getResult(0));
    node["b"] = bytes;
    if (transfer && from >= 0) {
      node["f"] = from;
      node["c"] = static_cast<int64_t>(topology.moveNs(from, node.getInteger("d").value_or(0), bytes));
    }
    return makes(op.getResults());
  }
  if (op.getNumRegions())
    return visitRegions(op);
  // Views and whatever else hands tensors on.
  for (Value result : op.getResults())
    for (Value operand : op.getOperands())
      if (isTensor(result) && isTensor(operand))
        passOn(operand, result);
}

// What enters a region, and what its terminator gives back: by position where a loop says so, else everything.
void Reporter::visitRegions(Operation &op) {
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      ValueRange inits = loop ? ValueRange(loop.getInits()) : ValueRange();
      auto arguments = llvm::make_filter_range(block.getArguments(), isTensor);
      for (auto [index, argument] : llvm::enumerate(arguments))
        for (auto [from, operand] : llvm::enumerate(inits.empty() ? ValueRange(op.getOperands()) : inits))
          if (isTensor(operand) && (inits.empty() || inits.size() != llvm::range_size(arguments) || from == index))
            passOn(operand, argument);
      visit(block);
      Operation *end = block.mightHaveTerminator() ? block.getTerminator() : nullptr;
      for (auto [index, result] : llvm::enumerate(op.getResults()))
        if (end && isTensor(result))
          for (auto [from, operand] : llvm::enumerate(end->getOperands()))
            if (isTensor(operand) && (end->getNumOperands() != op.getNumResults() || from == index))
              passOn(operand, result);
    }
}

Array Reporter::refusals() {
  Array list;
  if (query.getNumClasses() < 2)
    return list;
  llvm::SetVector<StringAttr> used;
  module.walk([&](flow::DispatchOp dispatch) { used.insert(dispatch.getExecutableAttr().getAttr()); });
  for (StringAttr name : used) {
    auto executable = symbols.lookup<flow::ExecutableOp>(name);
    if (!executable || !executable.getFunction())
      continue;
    for (auto [index, global] : llvm::enumerate(devices))
      for (device::ExecutableAttr target : query.getTargets(global)) {
        const Target *known = findTarget(target.getFormat());
        std::string reason = known ? known->explainUnsupported(executable.getFunction(), target) : "";
        if (!reason.empty())
          list.push_back(Array{static_cast<int64_t>(index), strings.add(name.getValue()),
                               strings.add(known->spell(target) + ": " + reason)});
      }
  }
  return list;
}

// Strings were numbered as they came; the table is sorted.
void Reporter::number(Object &out) {
  auto one = [&](llvm::json::Value &value) { value = strings.position(*value.getAsInteger()); };
  auto all = [&](llvm::json::Value *list) {
    if (list)
      for (llvm::json::Value &value : *list->getAsArray())
        one(value);
  };
  if (Array *refused = out.getArray("refused"))
    for (llvm::json::Value &value : *refused)
      for (size_t text : {1, 2})
        one((*value.getAsArray())[text]);
  for (llvm::json::Value &function : *out.getArray("functions"))
    for (llvm::json::Value &value : *function.getAsObject()->getArray("nodes")) {
      Object &node = *value.getAsObject();
      for (StringRef key : {"n", "w", "x", "s"})
        if (llvm::json::Value *text = node.get(key))
          one(*text);
      for (StringRef key : {"t", "o", "p"})
        all(node.get(key));
    }
}

} // namespace

Object mlir::heddle::reportGraph(ModuleOp module) { return Reporter(module).report(); }

Object mlir::heddle::reportRowClasses(ModuleOp module) {
  Object classes;
  for (auto executable : module.getOps<flow::ExecutableOp>()) {
    llvm::SetVector<StringRef> lines;
    executable.walk([&](flow::VariantOp variant) {
      if (auto strategy = variant->getAttrOfType<StringAttr>("kernel.strategy"))
        for (StringRef line : llvm::split(strategy.getValue(), '\n'))
          if (line.contains("; up to ") || line.contains("bf16") || line.contains("winograd"))
            lines.insert(line);
    });
    if (!lines.empty())
      classes[executable.getSymName()] = llvm::join(lines, ", or ");
  }
  return classes;
}
