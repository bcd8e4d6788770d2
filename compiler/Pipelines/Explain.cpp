#include "compiler/Pipelines/Explain.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::heddle;

// The names a location was made of: the model's nodes.
static void collectNames(Location loc, llvm::SetVector<StringRef> &names) {
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

static void explain(flow::DispatchOp dispatch, flow::ExecutableOp executable, llvm::raw_ostream &os) {
  os << '@' << executable.getSymName();
  if (auto affinity = dispatch->getAttrOfType<device::AffinityAttr>("heddle.affinity"))
    os << " on " << affinity.getDevice();
  os << ": ";
  llvm::SetVector<StringRef> names;
  collectNames(dispatch.getLoc(), names);
  SmallVector<Operation *> ops;
  for (Operation &op : executable.getFunction().getBody().front())
    if (isa<linalg::LinalgOp>(op) || (isa<tensor::TensorDialect>(op.getDialect()) && !isa<tensor::EmptyOp>(op))) {
      collectNames(op.getLoc(), names);
      ops.push_back(&op);
    }
  llvm::interleaveComma(ops, os, [&](Operation *op) { describe(*op, os); });
  os << " -> ";
  llvm::interleaveComma(dispatch.getResultTypes(), os);
  if (!names.empty()) {
    os << "   from ";
    llvm::interleaveComma(names, os);
  }
  os << '\n';
}

std::string mlir::heddle::explainDispatches(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.walk([&](flow::DispatchOp dispatch) {
    if (auto executable = module.lookupSymbol<flow::ExecutableOp>(dispatch.getExecutableAttr().getAttr()))
      explain(dispatch, executable, os);
  });
  return text;
}
