// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Attention.h"

#include "compiler/Dialect/Intent/IR/IntentAttention.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

static StringRef nameOf(ScoresWanted step) {
  switch (step) {
  case ScoresWanted::No: return "";
  case ScoresWanted::Scaled: return "scaled";
  case ScoresWanted::Capped: return "capped";
  case ScoresWanted::Masked: return "masked";
  case ScoresWanted::Weights: return "weights";
  }
  llvm_unreachable("all steps are covered");
}

AttentionResult mlir::heddle::importer::attend(Emitter &emitter, Heads &queries, Tensor &keys, Tensor &values,
                                               const AttentionRules &rules) {
  OpBuilder &builder = emitter.builder;
  Sizes &sizes = emitter.sizes;
  SmallVector<Value> free;
  auto take = [&](Tensor *tensor) -> Value { return tensor ? emitter.value(*tensor) : Value(); };
  for (Tensor *tensor : {&queries.tensor, &keys, &values, rules.mask})
    for (OpFoldResult size : tensor ? tensor->sizes : SizeList())
      if (!getConstantIntValue(size))
        free.push_back(sizes.value(size));
  Type element = queries.tensor.elementType;
  SizeList output = queries.tensor.sizes, scores{queries.batch, queries.count, queries.length, keys.sizes[2]};
  output.back() = queries.flat ? sizes.mul(queries.count, values.sizes[3]) : values.sizes[3];
  SmallVector<Type> types{RankedTensorType::get(shapeOf(output), element)};
  bool handsOut = rules.wanted != ScoresWanted::No;
  if (handsOut)
    types.push_back(RankedTensorType::get(shapeOf(scores), element));
  bool hasOffset = rules.causal && rules.offset;
  auto unless = [&](bool isAbsent, auto attribute) { return isAbsent ? decltype(attribute)() : attribute; };
  auto op = intent::AttentionOp::create(
      builder, emitter.loc, types, take(&queries.tensor), take(&keys), take(&values), take(rules.mask),
      hasOffset ? sizes.value(rules.offset) : Value(), rules.causal && !hasOffset ? take(rules.begins) : Value(),
      take(rules.lengths), take(rules.sink), free, unless(!rules.causal, builder.getUnitAttr()),
      unless(rules.window == 0, builder.getI64IntegerAttr(rules.window)), builder.getF64FloatAttr(rules.scale),
      unless(rules.softcap == 0, builder.getF64FloatAttr(rules.softcap)),
      unless(!rules.softmaxType, TypeAttr::get(rules.softmaxType ? rules.softmaxType : element)),
      unless(!handsOut, builder.getStringAttr(nameOf(rules.wanted))),
      unless(!queries.flat, builder.getI64IntegerAttr(getConstantIntValue(queries.count).value_or(0))));
  AttentionResult result{emitter.fromValue(op.getOutput(), output, element), std::nullopt};
  if (handsOut)
    result.scores = emitter.fromValue(op.getScores(), scores, element);
  return result;
}
