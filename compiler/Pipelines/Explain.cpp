// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/Explain.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Heddle/IR/BranchNotes.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/OverlapNotes.h"
#include "compiler/Dialect/Heddle/IR/PartNotes.h"
#include "compiler/Dialect/Heddle/IR/ShardNotes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::collectNodes(Location loc, llvm::SetVector<StringRef> &names) {
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.insert(name.getName().getValue());
    return WalkResult::advance();
  });
}

static void describe(Operation &op, llvm::raw_ostream &os) {
  os << op.getName().stripDialect();
  auto generic = dyn_cast<linalg::GenericOp>(&op);
  if (!generic)
    return;
  os << '(';
  llvm::interleaveComma(generic.getBody()->without_terminator(), os,
                        [&](Operation &inner) { os << inner.getName().stripDialect(); });
  os << ')';
}

std::string mlir::heddle::describeOps(flow::ExecutableOp executable) {
  std::string text;
  llvm::raw_string_ostream os(text);
  SmallVector<Operation *> ops;
  if (func::FuncOp function = executable.getFunction())
    for (Operation &op : function.getBody().front())
      if (isa<linalg::LinalgOp>(op) || (isa<tensor::TensorDialect>(op.getDialect()) && !isa<tensor::EmptyOp>(op)))
        ops.push_back(&op);
  llvm::interleaveComma(ops, os, [&](Operation *op) { describe(*op, os); });
  return text;
}

static void printPlace(device::AffinityAttr affinity, llvm::raw_ostream &os) {
  os << " on " << affinity.getDevice();
  if (!affinity.getQueues().empty())
    os << " queue " << affinity.getQueues().front();
}

static void explain(flow::DispatchOp dispatch, flow::ExecutableOp executable, llvm::raw_ostream &os) {
  os << '@' << executable.getSymName();
  if (auto affinity = dispatch->getAttrOfType<device::AffinityAttr>("heddle.affinity"))
    printPlace(affinity, os);
  os << ": ";
  llvm::SetVector<StringRef> names;
  collectNodes(dispatch.getLoc(), names);
  os << describeOps(executable);
  os << " -> ";
  llvm::interleaveComma(dispatch.getResultTypes(), os);
  if (!names.empty()) {
    os << "   from ";
    llvm::interleaveComma(names, os);
  }
  os << '\n';
  if (auto split = dispatch->getAttrOfType<StringAttr>(kSplitNoteAttr))
    os << "    " << split.getValue() << '\n';
}

std::string mlir::heddle::explainDispatches(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  SymbolTable symbols(module);
  module.walk([&](flow::DispatchOp dispatch) {
    if (auto executable = symbols.lookup<flow::ExecutableOp>(dispatch.getExecutableAttr().getAttr()))
      explain(dispatch, executable, os);
  });
  for (ArrayAttr notes : {getBranchNotes(module), getPartNotes(module), getShardNotes(module), getOverlapNotes(module)})
    if (notes)
      for (auto line : notes.getAsRange<StringAttr>())
        os << line.getValue() << '\n';
  return text;
}
