// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Winograd.h"
#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Flow/IR/PartLoops.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Dialect/Intent/IR/IntentOps.h"
#include "compiler/Stages/Import/Passes.h"

#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/Draw.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_VERIFYIMPORT
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct VerifyImport : mlir::heddle::impl::VerifyImportBase<VerifyImport> {
  void runOnOperation() override {
    bool failedAny = false;
    getOperation().walk([&](Operation *op) {
      auto loops = dyn_cast<linalg::LinalgOp>(op);
      failedAny |= failed(verifyDialect(op)) || failed(verifyPromises(op)) || (loops && failed(verifyLoops(loops)));
    });
    bool hasEntry = false;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal()) {
        hasEntry = true;
        failedAny |= failed(verifyEntry(func));
      }
    if (!hasEntry) {
      getOperation().emitError("the module has no public function to compile");
      failedAny = true;
    }
    if (failedAny)
      signalPassFailure();
  }

  static LogicalResult verifyDialect(Operation *op) {
    StringRef name = op->getName().getDialectNamespace();
    static constexpr StringLiteral known[] = {"builtin", "func", "linalg", "tensor", "arith",    "math",   "scf",
                                              "complex", "flow", "device", "heddle", "encoding", "affine", "intent"};
    if (auto call = dyn_cast<func::CallOp>(op))
      return call.emitError() << "the call of @" << call.getCallee() << " cannot be inlined: " << explainCall(call);
    if (llvm::is_contained(known, name))
      return success();
    return op->emitError() << "op " << op->getName()
                           << " is not supported; models are func, linalg, tensor, arith, math, scf and TOSA ops";
  }

  // What later stages promise each other is believed there.
  static LogicalResult verifyPromises(Operation *op) {
    static constexpr StringLiteral promises[] = {winograd::kRoleAttr,    kSplitScoresAttr,  flow::kApartAttr,
                                                 flow::kUnevenPartsAttr, intent::kCodeAttr, intent::kRoundedAttr};
    for (StringRef name : promises)
      if (op->hasAttr(name))
        return op->emitError() << "has the attribute " << name << ", which the compiler sets itself; leave it out";
    return success();
  }

  // Kernels carry along a reduced loop what they write behind it, so no result has one value for each of its positions.
  static LogicalResult verifyLoops(linalg::LinalgOp op) {
    for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
      for (OpOperand &init : op.getDpsInitsMutable())
        if (type == utils::IteratorType::reduction && op.getMatchingIndexingMap(&init).isFunctionOfDim(loop))
          return op.emitError()
                 << "loop " << loop << " is a reduction, and result " << init.getOperandNumber() - op.getNumDpsInputs()
                 << " has a value for each of its positions; a loop that all results have is parallel, and "
                    "results that differ in it are ops of their own";
    return success();
  }

  // Whether the function is reached by the calls in it.
  static bool callsItself(func::FuncOp func) {
    llvm::SmallDenseSet<Operation *> seen;
    SmallVector<func::FuncOp> next{func};
    while (!next.empty()) {
      WalkResult found = next.pop_back_val().walk([&](func::CallOp call) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
        if (callee == func)
          return WalkResult::interrupt();
        if (callee && seen.insert(callee).second)
          next.push_back(callee);
        return WalkResult::advance();
      });
      if (found.wasInterrupted())
        return true;
    }
    return false;
  }

  static std::string explainCall(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return "the module has no body for it; functions that other code gives cannot be called";
    if (callsItself(callee))
      return "it calls itself; write a loop (scf.while)";
    if (call->hasAttr("no_inline") || callee->hasAttr("no_inline"))
      return "it is marked no_inline, and a program is one function; remove the mark";
    if (!callee.getBody().hasOneBlock())
      return "it has more than one block; branches are scf.if, scf.index_switch, scf.for and scf.while";
    return "it has ops that are not supported in a called function";
  }

  // What an artifact can say: no more dimensions than it has room for, and of the static ones no more bytes than 63
  // bits count.
  static LogicalResult verifySize(func::FuncOp func, StringRef what, size_t index, RankedTensorType type) {
    if (type.getRank() > ::heddle::contract::kMaxRank)
      return func.emitError() << what << " " << index << " has " << type.getRank() << " dimensions, it may have "
                              << ::heddle::contract::kMaxRank;
    int64_t bytes = 8;
    for (int64_t size : type.getShape())
      if (!ShapedType::isDynamic(size) && size != 0 && llvm::MulOverflow(bytes, size, bytes))
        return func.emitError() << what << " " << index << " is too large: " << type;
    return success();
  }

  // A flow.global of the value's type, once among the arguments and once among the results, all of them last.
  template <typename AttributeOf>
  static LogicalResult verifyState(func::FuncOp func, StringRef what, TypeRange types, AttributeOf attributeOf) {
    llvm::SmallDenseSet<Attribute> seen;
    for (auto [i, type] : llvm::enumerate(types)) {
      auto name = cast_if_present<FlatSymbolRefAttr>(attributeOf(i));
      if (!name && !seen.empty())
        return func.emitError() << what << " " << i << " stands behind state; state is last";
      if (!name)
        continue;
      auto global = SymbolTable::lookupNearestSymbolFrom<flow::GlobalOp>(func, name);
      if (!global)
        return func.emitError() << what << " " << i << " is the state of " << name << ", which is not a flow.global";
      auto held = cast<RankedTensorType>(global.getType()), got = cast<RankedTensorType>(type);
      if (held.getElementType() != got.getElementType() ||
          failed(verifyCompatibleShape(held.getShape(), got.getShape())))
        return func.emitError() << what << " " << i << " has type " << type << ", " << name << " has type " << held;
      if (!seen.insert(name).second)
        return func.emitError() << what << " " << i << ": " << name << " is given twice";
    }
    return success();
  }

  static LogicalResult verifyEntry(func::FuncOp func) {
    if (failed(verifyTensors(func)))
      return failure();
    auto argument = [&](unsigned i) { return func.getArgAttr(i, kStateAttr); };
    auto result = [&](unsigned i) { return func.getResultAttr(i, kStateAttr); };
    return success(succeeded(verifyState(func, "argument", func.getArgumentTypes(), argument)) &&
                   succeeded(verifyState(func, "result", func.getResultTypes(), result)));
  }

  static LogicalResult verifyTensors(func::FuncOp func) {
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return func.emitError() << "argument " << i << " must be a ranked tensor, got " << type;
      if (failed(verifySize(func, "argument", i, tensor)))
        return failure();
      auto dims = func.getArgAttrOfType<ArrayAttr>(i, "heddle.dims");
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
        if (tensor.isDynamicDim(dim) && (!dims || cast<StringAttr>(dims[dim]).empty()))
          return func.emitError() << "dimension " << dim << " of argument " << i << " has no name";
        else if (tensor.isDynamicDim(dim) && cast<StringAttr>(dims[dim]).getValue() == ::heddle::contract::kDrawnSymbol)
          return func.emitError() << "dimension " << dim << " of argument " << i << " is named " << dims[dim]
                                  << ", which stands for the numbers that calls draw; give it another name";
    }
    for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return func.emitError() << "result " << i << " must be a ranked tensor, got " << type;
      if (failed(verifySize(func, "result", i, tensor)))
        return failure();
    }
    return success();
  }
};

} // namespace
