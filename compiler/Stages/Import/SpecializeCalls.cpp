// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Import/Passes.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SPECIALIZECALLS
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

// The attribute that names what the op calls; "" if it calls nothing. A composite is what its decomposition computes.
static StringRef getCalleeAttrName(Operation *op) {
  if (isa<func::CallOp>(op))
    return "callee";
  return op->getName().getStringRef() == "stablehlo.composite" ? "decomposition" : "";
}

// Ops whose regions compute tensors as the function around them does, and not elements.
static bool isControlFlow(Operation *op) {
  static constexpr StringLiteral others[] = {"stablehlo.case", "stablehlo.if", "stablehlo.while", "tosa.cond_if",
                                             "tosa.while_loop"};
  return isa_and_nonnull<scf::SCFDialect>(op->getDialect()) || llvm::is_contained(others, op->getName().getStringRef());
}

static bool hasTensorResult(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

// Gives every op that computes tensors, and says nothing itself, the affinity of what is around it.
static void pushAffinity(Region &region, Attribute affinity) {
  for (Block &block : region)
    for (Operation &op : block) {
      if (op.hasTrait<OpTrait::IsTerminator>() || isa<flow::TransferOp>(op))
        continue;
      bool takes = hasTensorResult(&op) || isControlFlow(&op) || !getCalleeAttrName(&op).empty();
      if (takes && !op.hasAttr(kAffinityAttr))
        op.setAttr(kAffinityAttr, affinity);
      if (isControlFlow(&op))
        for (Region &inner : op.getRegions())
          pushAffinity(inner, op.getAttr(kAffinityAttr));
    }
}

static flow::TransferOp makeTransfer(OpBuilder &builder, Location loc, Value value, Attribute affinity) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, loc, value, dim));
  return flow::TransferOp::create(builder, loc, type, value, sizes, affinity);
}

namespace {

struct SpecializeCalls : mlir::heddle::impl::SpecializeCallsBase<SpecializeCalls> {
  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    bodies.clear();
    seen.clear();
    specialized.clear();
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic())
        visit(func);
    bool anyFailed = false;
    while (!bodies.empty()) {
      func::FuncOp func = bodies.pop_back_val();
      func.walk([&](Operation *op) {
        if (!getCalleeAttrName(op).empty())
          anyFailed |= failed(specialize(op));
      });
    }
    if (anyFailed)
      signalPassFailure();
  }

private:
  void visit(func::FuncOp func) {
    if (seen.insert(func).second)
      bodies.push_back(func);
  }

  static bool statesBoundary(func::FuncOp func) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (func.getArgAttr(i, kAffinityAttr))
        return true;
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (func.getResultAttr(i, kAffinityAttr))
        return true;
    return func
        .walk([](Operation *op) {
          return isa<flow::ImportOp, flow::ExportOp, flow::AliasOp>(op) ? WalkResult::interrupt()
                                                                        : WalkResult::advance();
        })
        .wasInterrupted();
  }

  LogicalResult specialize(Operation *call) {
    StringRef name = getCalleeAttrName(call);
    auto symbol = call->getAttrOfType<FlatSymbolRefAttr>(name);
    auto callee = symbol ? symbols->lookup<func::FuncOp>(symbol.getAttr()) : func::FuncOp();
    if (!callee || callee.isExternal())
      return success(); // refused where calls are inlined
    Attribute affinity = callee->getAttr(kAffinityAttr);
    if (!affinity)
      affinity = call->getAttr(kAffinityAttr);
    call->removeAttr(kAffinityAttr);
    if (!affinity && !statesBoundary(callee))
      return visit(callee), success();
    func::FuncOp &clone = specialized[{callee, affinity}];
    if (!clone) {
      clone = callee.clone();
      clone.setPrivate();
      clone->removeAttr(kAffinityAttr);
      symbols->insert(clone);
      if (affinity)
        pushAffinity(clone.getBody(), affinity);
      if (failed(lowerBoundary(clone, callee)))
        return failure();
      visit(clone);
    }
    call->setAttr(name, FlatSymbolRefAttr::get(clone.getSymNameAttr()));
    return success();
  }

  // What an entry point says of memory at its boundary is a transfer where it is called: nobody outside gives memory.
  static LogicalResult lowerBoundary(func::FuncOp clone, func::FuncOp callee) {
    SmallVector<Operation *> boundary;
    clone.walk([&](Operation *op) {
      if (isa<flow::ImportOp, flow::ExportOp, flow::AliasOp>(op))
        boundary.push_back(op);
    });
    for (Operation *op : boundary) {
      if (!callee.isPublic())
        return op->emitOpError() << "belongs to an entry point, and @" << callee.getSymName()
                                 << " is private; bring the value to a device by flow.transfer";
      OpBuilder builder(op);
      Value value = op->getOperand(0);
      if (Attribute affinity = op->getAttr("affinity"))
        value = makeTransfer(builder, op->getLoc(), value, affinity);
      op->replaceAllUsesWith(ValueRange(value));
      op->erase();
    }
    return success(succeeded(lowerArguments(clone)) && succeeded(lowerResults(clone)));
  }

  static LogicalResult checkTensor(func::FuncOp func, StringRef what, unsigned i, Type type) {
    if (isa<RankedTensorType>(type))
      return success();
    return func.emitError() << what << ' ' << i << " has a heddle.affinity, which ranked tensors have only, got "
                            << type;
  }

  static LogicalResult lowerArguments(func::FuncOp func) {
    OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
    for (auto [i, argument] : llvm::enumerate(func.getArguments())) {
      Attribute affinity = func.removeArgAttr(i, kAffinityAttr);
      if (!affinity)
        continue;
      if (failed(checkTensor(func, "argument", i, argument.getType())))
        return failure();
      SmallVector<OpOperand *> uses = llvm::map_to_vector(argument.getUses(), [](OpOperand &use) { return &use; });
      flow::TransferOp transfer = makeTransfer(builder, func.getLoc(), argument, affinity);
      for (OpOperand *use : uses)
        use->set(transfer);
    }
    return success();
  }

  static LogicalResult lowerResults(func::FuncOp func) {
    SmallVector<func::ReturnOp> returns;
    func.walk([&](func::ReturnOp op) { returns.push_back(op); });
    for (unsigned i = 0; i < func.getNumResults(); ++i) {
      Attribute affinity = func.removeResultAttr(i, StringAttr::get(func.getContext(), kAffinityAttr));
      if (!affinity)
        continue;
      if (failed(checkTensor(func, "result", i, func.getResultTypes()[i])))
        return failure();
      for (func::ReturnOp op : returns) {
        OpBuilder builder(op);
        op->setOperand(i, makeTransfer(builder, op.getLoc(), op->getOperand(i), affinity));
      }
    }
    return success();
  }

  SymbolTable *symbols = nullptr;
  SmallVector<func::FuncOp> bodies; // whose calls are to be looked at
  llvm::DenseSet<Operation *> seen;
  llvm::DenseMap<std::pair<Operation *, Attribute>, func::FuncOp> specialized;
};

} // namespace
