// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Graph/LoopSequences.h"

using namespace mlir;
using namespace mlir::heddle::importer;

std::string LoopSequences::separate(LoopPlan &plan) {
  SmallVector<Tensor> tensors;
  SmallVector<std::string> names;
  plan.outputNames.assign(plan.outputsBackward.size(), "");
  for (auto [i, initial] : llvm::enumerate(plan.carried)) {
    Slot &slot = slots.emplace_back();
    slot.name = plan.names[i];
    if (!initial.aggregate) {
      tensors.push_back(initial);
      names.push_back(slot.name);
      continue;
    }
    slot.initial = initial;
    slot.grows = !handsOn(graph, graph.outputs[1 + i], graph.inputs[2 + i]);
    if (!slot.grows)
      continue;
    if (!isSequence(initial))
      return "'" + slot.name + "' is " + describeAggregate(initial) +
             " before the first iteration, and iterations change it";
    plan.outputsBackward.push_back(false);
    plan.outputNames.push_back(slot.name);
  }
  plan.carried = std::move(tensors);
  plan.names = std::move(names);
  body = std::move(plan.body);
  plan.body = [this](SmallVector<Tensor> inputs, SmallVector<Tensor> &results, std::string &reason) {
    return runBody(std::move(inputs), results, reason);
  };
  return "";
}

bool LoopSequences::runBody(SmallVector<Tensor> inputs, SmallVector<Tensor> &results, std::string &reason) {
  SmallVector<Tensor> all(ArrayRef<Tensor>(inputs).take_front(2)), given, appended;
  size_t next = 2;
  for (const Slot &slot : slots) {
    if (!slot.initial)
      all.push_back(inputs[next++]);
    else if (slot.grows)
      all.push_back(makeSequence(emitter, slot.initial->aggregate->elementType, {{Part::Kind::Before, Tensor()}}));
    else
      all.push_back(*slot.initial);
  }
  if (!body(std::move(all), given, reason))
    return false;
  results.assign(1, given.front());
  for (auto [slot, result] : llvm::zip(slots, ArrayRef<Tensor>(given).drop_front())) {
    if (!slot.initial && result.aggregate)
      reason = "'" + slot.name + "' is a tensor before the first iteration and " + describeAggregate(result) +
               " after it; it must stay what it is";
    else if (!slot.initial)
      results.push_back(result);
    else if (slot.grows)
      if (std::optional<Tensor> row = appendedRow(slot, result, reason))
        appended.push_back(std::move(*row));
  }
  for (Tensor &output : llvm::drop_begin(given, 1 + slots.size())) {
    if (output.aggregate)
      reason = "a scan output is " + describeAggregate(output) + "; it must be a tensor";
    results.push_back(output);
  }
  llvm::append_range(results, appended);
  return reason.empty();
}

// What one iteration appends, as a row of the scan output.
std::optional<Tensor> LoopSequences::appendedRow(Slot &slot, const Tensor &result, std::string &reason) {
  bool fits = isSequence(result) && !result.aggregate->parts.empty() &&
              result.aggregate->parts.front().kind == Part::Kind::Before;
  ArrayRef<Part> parts = fits ? ArrayRef<Part>(result.aggregate->parts).drop_front() : ArrayRef<Part>();
  fits &= llvm::none_of(parts, [](const Part &part) { return part.kind == Part::Kind::Before; });
  if (!fits) {
    reason = "the sequence '" + slot.name + "' may only be appended to inside the loop, at its end";
    return std::nullopt;
  }
  slot.appended = parts.size();
  slot.isStacked = parts.size() != 1 || parts.front().kind != Part::Kind::Element;
  if (parts.empty()) // a row that nobody reads
    return emitter.fromContents(emitter.builder.getI64Type(), {}, {emitter.sizes.constant(0)});
  if (!slot.isStacked)
    return parts.front().tensor;
  std::optional<Tensor> rows = stackElements(emitter, parts);
  if (!rows)
    reason = "what an iteration appends to the sequence '" + slot.name + "' must have one shape";
  return rows;
}

SmallVector<Tensor> LoopSequences::join(SmallVector<Tensor> outputs) {
  SmallVector<Tensor> results;
  size_t tensors = llvm::count_if(slots, [](const Slot &slot) { return !slot.initial; });
  size_t growing = llvm::count_if(slots, [](const Slot &slot) { return slot.grows; });
  size_t tensor = 0, rows = outputs.size() - growing;
  for (const Slot &slot : slots) {
    if (!slot.initial) {
      results.push_back(outputs[tensor++]);
      continue;
    }
    Tensor sequence = *slot.initial;
    if (slot.grows) {
      Tensor all = std::move(outputs[rows++]);
      if (slot.isStacked && slot.appended) {
        SizeList shape(ArrayRef<OpFoldResult>(all.sizes).drop_front());
        shape[0] = emitter.sizes.mul(all.sizes[0], all.sizes[1]);
        all = emitter.reshape(all, shape);
      }
      std::vector<Part> parts = sequence.aggregate->parts;
      if (slot.appended)
        parts.push_back({Part::Kind::Rows, std::move(all)});
      sequence = makeSequence(emitter, sequence.aggregate->elementType, std::move(parts));
    }
    results.push_back(std::move(sequence));
  }
  for (size_t i = tensors; i < outputs.size() - growing; ++i)
    results.push_back(std::move(outputs[i]));
  return results;
}
