// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Reshard/Reshard.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::heddle;
using Kind = ReshardStep::Kind;

StringRef mlir::heddle::stringify(Kind kind) {
  switch (kind) {
  case Kind::Slice: return "slice";
  case Kind::Mask: return "mask";
  case Kind::Spread: return "spread";
  case Kind::AllGather: return "all_gather";
  case Kind::ReduceScatter: return "reduce_scatter";
  case Kind::AllReduce: return "all_reduce";
  case Kind::AllToAll: return "all_to_all";
  case Kind::Permute: return "permute";
  case Kind::Rename: return "rename";
  case Kind::Expand: return "expand";
  case Kind::Collapse: return "collapse";
  case Kind::Move: return "move";
  case Kind::Broadcast: return "broadcast";
  case Kind::Exchange: return "exchange";
  }
  llvm_unreachable("no such step");
}

uint64_t mlir::heddle::bytesOf(const ReshardPlan &plan) {
  uint64_t bytes = 0;
  for (const ReshardStep &step : plan.steps)
    bytes += step.bytes;
  return bytes;
}

std::string mlir::heddle::describe(const ReshardPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto isTold = [](const ReshardStep &step) {
    return step.kind != Kind::Rename && step.kind != Kind::Expand && step.kind != Kind::Collapse;
  };
  bool isExpanded = llvm::any_of(plan.steps, [](const ReshardStep &step) { return step.kind == Kind::Expand; });
  llvm::interleaveComma(llvm::make_filter_range(plan.steps, isTold), os, [&](const ReshardStep &step) {
    os << stringify(step.kind);
    if (step.source >= 0 && !isExpanded)
      os << " dim " << step.source << " to";
    if (step.dim >= 0 && step.kind != Kind::Slice && !isExpanded)
      os << " dim " << step.dim;
    if (!step.communicates())
      return;
    if (step.kind != Kind::Move) {
      os << " over [";
      llvm::interleaveComma(step.axes, os, [&](StringAttr axis) { os << axis.getValue(); });
      os << "]";
    }
    os << " (" << step.bytes << " bytes)";
  });
  return text.empty() ? "nothing" : text;
}
