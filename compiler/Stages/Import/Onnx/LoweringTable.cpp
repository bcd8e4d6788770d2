// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that lower ops, and which one a version of an op has. A new file of ops is registered here.
#include "compiler/Stages/Import/Onnx/Lowering.h"

using namespace mlir;
using namespace mlir::heddle::importer;

LoweringFunction LoweringTable::find(StringRef op, int64_t version, bool &known) const {
  auto found = table.find(op);
  known = found != table.end();
  LoweringFunction best = nullptr;
  int64_t bestSince = -1;
  if (known)
    for (auto [since, function] : found->second)
      if (since <= version && since > bestSince) {
        best = function;
        bestSince = since;
      }
  return best;
}

SmallVector<StringRef> LoweringTable::names() const {
  auto keys = table.keys();
  SmallVector<StringRef> sorted(keys.begin(), keys.end());
  llvm::sort(sorted);
  return sorted;
}

const LoweringTable &LoweringTable::get() {
  static const LoweringTable table = [] {
    LoweringTable made;
    registerElementwise(made);
    registerArithmetic(made);
    registerAttention(made);
    registerCast(made);
    registerContribAttention(made);
    registerGatherBlockQuantized(made);
    registerGroupQueryAttention(made);
    registerLinearAttention(made);
    registerMovement(made);
    registerShape(made);
    registerSlicing(made);
    registerPadding(made);
    registerReduction(made);
    registerNarrowWeights(made);
    registerNormalization(made);
    registerContraction(made);
    registerConvolution(made);
    registerConvTranspose(made);
    registerQuantization(made);
    registerQuantizedOps(made);
    registerIntegerProducts(made);
    registerFusedActivations(made);
    registerGather(made);
    registerRecurrent(made);
    registerRotaryEmbedding(made);
    registerScatter(made);
    registerResize(made);
    registerPooling(made);
    registerDropout(made);
    registerTensorScatter(made);
    registerSelection(made);
    registerSorting(made);
    registerSuppression(made);
    registerTransformerLayers(made);
    registerUnique(made);
    registerCumulative(made);
    registerCumulativeExtremes(made);
    registerLinearAlgebra(made);
    registerSpecialFunctions(made);
    registerEinsum(made);
    registerLosses(made);
    registerCausalConvolution(made);
    registerDeformable(made);
    registerDeterminant(made);
    registerGridSample(made);
    registerOldBroadcasts(made);
    registerOldForms(made);
    registerRandom(made);
    registerRegions(made);
    registerReordering(made);
    registerSequences(made);
    registerSignal(made);
    registerUnpooling(made);
    return made;
  }();
  return table;
}
