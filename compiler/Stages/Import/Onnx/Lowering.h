// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second step of the ONNX importer: one node to linalg on tensors.
//
// A lowering is a function of a NodeContext. It reads operands and attributes, emits with `emitter`, and sets every
// output the node names. What it cannot do it refuses with a reason; the importer reports all refused nodes together.
//
//   static LogicalResult lowerRelu(NodeContext &node) { … node.setOutput(0, …); return success(); }
//   void registerRelu(LoweringTable &table) { table.add("Relu", 6, lowerRelu); }
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_LOWERING_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_LOWERING_H

#include "compiler/Stages/Import/Emit/Emitter.h"
#include "compiler/Stages/Import/Onnx/Model/Model.h"

namespace mlir::heddle::importer {

class NodeContext {
public:
  NodeContext(const Model &model, const Node &node, Emitter &emitter, SmallVector<Tensor *> operands)
      : emitter(emitter), model(model), node(node), operands(std::move(operands)), given(this->operands),
        results(node.outputs.size()) {}

  Emitter &emitter;

  int64_t version() const { return node.version; }
  StringRef op() const { return node.op; }
  StringRef name() const { return node.name; }
  size_t numInputs() const { return operands.size(); }
  size_t numOutputs() const { return node.outputs.size(); }
  // Null where an optional input is absent. `asGiven`: before floats of 16 bits are widened (lowerWidened).
  Tensor *input(size_t i, bool asGiven = false) const {
    const SmallVector<Tensor *> &all = asGiven ? given : operands;
    return i < all.size() ? all[i] : nullptr;
  }
  bool wantsOutput(size_t i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }
  void setOutput(size_t i, Tensor tensor) {
    if (i < results.size())
      results[i] = std::move(tensor);
  }
  void replaceInput(size_t i, Tensor *tensor) { operands[i] = tensor; }
  std::optional<Tensor> &result(size_t i) { return results[i]; }

  // Attributes. A present one of another type than asked for is refused: `failed` remembers it.
  bool hasAttribute(StringRef name) const { return node.attributes.contains(name); }
  int64_t getInt(StringRef name, int64_t otherwise);
  double getFloat(StringRef name, double otherwise);
  std::string getString(StringRef name, StringRef otherwise);
  std::optional<SmallVector<int64_t>> getInts(StringRef name);
  std::optional<SmallVector<double>> getFloats(StringRef name);
  std::optional<SmallVector<std::string>> getStrings(StringRef name);
  std::optional<Tensor> getTensor(StringRef name); // or a sparse one, or one of a foreign type (Aggregate.h)

  // The constant elements of an integer input; absent, or not constant: nothing.
  std::optional<SmallVector<int64_t>> constantInts(size_t i) const;
  // The constant value of a one-element input.
  std::optional<double> constantScalar(size_t i) const;
  // The elements of a small integer input, constant or index values.
  std::optional<SizeList> contents(size_t i) const;
  // The same, and where they are not known, reads them at the call. Nothing if the input is no list of integers.
  std::optional<SizeList> readContents(size_t i);

  // The same of a list whose length may be free: the call fails unless it is `count`.
  std::optional<SizeList> readList(size_t i, int64_t count);

  // The rank that the model declares for an output, if it does.
  std::optional<int64_t> declaredRank(size_t i) const;
  // Checks that all of the first `count` inputs are there.
  LogicalResult requireInputs(size_t count);
  // `axis` counted from the front, checked against the rank.
  std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  std::optional<SmallVector<int64_t>> normalizeAxes(ArrayRef<int64_t> axes, int64_t rank);

  // What another op gives for these operands (null: absent) and attributes; it has one output.
  using Attributes = llvm::StringMap<const onnx::AttributeProto *>;
  const Attributes &attributes() const { return node.attributes; }
  FailureOr<Tensor> lowerAs(StringRef op, int64_t version, ArrayRef<Tensor *> operands, Attributes attributes = {});

  // Refuses the node; the first reason stays. `refuse`: it breaks a rule of its operator, so the model is invalid.
  // `unsupported`: it is valid and more than the lowering can do. `refuseFree`: where sizes or contents must be fixed:
  // unsupported if an operand has free ones, invalid else.
  LogicalResult refuse(const Twine &reason);
  LogicalResult unsupported(const Twine &reason);
  LogicalResult refuseFree(const Twine &reason);
  const std::string &reason() const { return why; }
  bool isInvalid() const { return !why.empty() && invalid; }

private:
  friend KeptMemory::Kind findKept(const NodeContext &node, size_t input, size_t output);

  const Model &model;
  const Node &node;
  SmallVector<Tensor *> operands, given;
  std::vector<std::optional<Tensor>> results;
  std::string why;
  bool invalid = false; // with `why`
};

// Whether an output of the node lies in the memory of an input of the model, which is that input of the node: it is
// named by `--state` or `--donate` beside it. A cache of which a call changes few rows is then written where it lies.
//
//   if (findKept(node, 3, 1) == KeptMemory::Kind::Donated) …   // past_key and present_key of GroupQueryAttention
KeptMemory::Kind findKept(const NodeContext &node, size_t input, size_t output);

using LoweringFunction = LogicalResult (*)(NodeContext &);

// Broadcasts all inputs of the node and computes output 0. Refuses where sizes do not broadcast.
LogicalResult lowerElementwise(NodeContext &node, ArrayRef<Tensor *> operands, Type elementType, ScalarBody body);
// Checks that the first `count` inputs are there and have one element type.
LogicalResult requireSameType(NodeContext &node, size_t count);
LogicalResult requireFloat(NodeContext &node, size_t input);

// Runs `lowering` on the node. An op that computes gets its operands of f16 and bf16 as f32, and its results of f32
// become what the first operand of floats was; so each ONNX op rounds once, also a reduction or a contraction, as
// processors and other runtimes do it. Ops that only move, choose or convert elements see them as they are; floats of 8
// and 4 bits and integers of 4 and 2 are refused by all others.
LogicalResult lowerWidened(NodeContext &node, LoweringFunction lowering);

// Which function lowers an op, by the version that it came into force with.
class LoweringTable {
public:
  // `op`: with its domain and a dot in front, unless that is ai.onnx. `since`: the first operator set in which the op
  // has the meaning that `function` gives it.
  void add(StringRef op, int64_t since, LoweringFunction function) { table[op].emplace_back(since, function); }
  // Null if there is none for that version. `known`: whether there is one for another version.
  LoweringFunction find(StringRef op, int64_t version, bool &known) const;
  // All ops, sorted.
  SmallVector<StringRef> names() const;
  static const LoweringTable &get();

private:
  llvm::StringMap<SmallVector<std::pair<int64_t, LoweringFunction>, 2>> table;
};

void registerElementwise(LoweringTable &table);
void registerArithmetic(LoweringTable &table);
void registerAttention(LoweringTable &table);
void registerCast(LoweringTable &table);
void registerContribAttention(LoweringTable &table);
void registerGatherBlockQuantized(LoweringTable &table);
void registerGroupQueryAttention(LoweringTable &table);
void registerLinearAttention(LoweringTable &table);
void registerMovement(LoweringTable &table);
void registerShape(LoweringTable &table);
void registerSlicing(LoweringTable &table);
void registerPadding(LoweringTable &table);
void registerReduction(LoweringTable &table);
void registerNarrowWeights(LoweringTable &table);
void registerNormalization(LoweringTable &table);
void registerContraction(LoweringTable &table);
void registerConvolution(LoweringTable &table);
void registerConvTranspose(LoweringTable &table);
void registerQuantization(LoweringTable &table);
void registerQuantizedOps(LoweringTable &table);
void registerIntegerProducts(LoweringTable &table);
void registerFusedActivations(LoweringTable &table);
void registerGather(LoweringTable &table);
void registerRecurrent(LoweringTable &table);
void registerRotaryEmbedding(LoweringTable &table);
void registerScatter(LoweringTable &table);
void registerResize(LoweringTable &table);
void registerPooling(LoweringTable &table);
void registerDropout(LoweringTable &table);
void registerTensorScatter(LoweringTable &table);
void registerCumulative(LoweringTable &table);
void registerEinsum(LoweringTable &table);
void registerLosses(LoweringTable &table);
void registerCausalConvolution(LoweringTable &table);
void registerDeterminant(LoweringTable &table);
void registerDeformable(LoweringTable &table);
void registerGridSample(LoweringTable &table);
void registerOldBroadcasts(LoweringTable &table);
void registerOldForms(LoweringTable &table);
void registerRandom(LoweringTable &table);
void registerRegions(LoweringTable &table);
void registerReordering(LoweringTable &table);
void registerSequences(LoweringTable &table);
void registerSignal(LoweringTable &table);
void registerUnpooling(LoweringTable &table);
void registerTransformerLayers(LoweringTable &table);
void registerCumulativeExtremes(LoweringTable &table);
void registerLinearAlgebra(LoweringTable &table);
void registerSelection(LoweringTable &table);
void registerSorting(LoweringTable &table);
void registerSpecialFunctions(LoweringTable &table);
void registerSuppression(LoweringTable &table);
void registerUnique(LoweringTable &table);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_LOWERING_H
