// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Stages/Schedule/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_BINDPARAMETERS
#include "compiler/Stages/Schedule/Passes.h.inc"
} // namespace mlir::heddle

// The choice among the layouts of the parameter's type; null where there is none.
static encoding::ByDeviceAttr choiceOf(flow::ParameterOp parameter) {
  auto type = dyn_cast<RankedTensorType>(parameter.getType());
  return type ? dyn_cast_if_present<encoding::ByDeviceAttr>(type.getEncoding()) : encoding::ByDeviceAttr();
}

namespace {

struct BindParameters : mlir::heddle::impl::BindParametersBase<BindParameters> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::MapVector<StringAttr, SmallVector<host::ParameterOp>> chosen;
    WalkResult walk = getOperation().walk([&](host::ParameterOp op) -> WalkResult {
      auto parameter = symbols.lookup<flow::ParameterOp>(op.getParameter());
      encoding::ByDeviceAttr choice = parameter ? choiceOf(parameter) : encoding::ByDeviceAttr();
      if (!choice)
        return WalkResult::advance();
      if (choice.getDevice() != op.getDeviceAttr())
        return op.emitOpError() << "loads " << op.getParameterAttr() << " on " << op.getDeviceAttr()
                                << ", but its layout is that of " << choice.getDevice();
      if (auto func = op->getParentOfType<host::FuncOp>(); func && func.getSymName() != host::kBindFunction)
        chosen[parameter.getSymNameAttr()].push_back(op);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    bindSlices(symbols);
    if (chosen.empty())
      return;
    OpBuilder builder(getBindFunction(symbols).getBody().front().getTerminator());
    for (auto &[name, loads] : chosen) {
      bind(builder, symbols.lookup<flow::ParameterOp>(name));
      for (host::ParameterOp load : loads) {
        OpBuilder at(load);
        load.replaceAllUsesWith(host::BoundOp::create(at, load.getLoc(), load.getType(), name).getResult());
        load.erase();
      }
    }
  }

  // A device with memory of its own gets no more of a parameter than this rank's part.
  void bindSlices(SymbolTable &symbols) {
    SmallVector<host::ViewOp> slices;
    getOperation().walk([&](host::ViewOp view) {
      auto parameter = view.getSource().getDefiningOp<host::ParameterOp>();
      if (parameter && view.getRuns().empty() && isOfRank(view.getOffset()) && isKnownAtBind(view.getOffset()) &&
          isKnownAtBind(view.getSize()))
        slices.push_back(view);
    });
    for (auto [number, view] : llvm::enumerate(slices)) {
      auto parameter = view.getSource().getDefiningOp<host::ParameterOp>();
      OpBuilder inside(getBindFunction(symbols).getBody().front().getTerminator());
      IRMapping made;
      Value offset = cloneScalar(view.getOffset(), inside, made), size = cloneScalar(view.getSize(), inside, made);
      Value slice = host::ParameterSliceOp::create(inside, view.getLoc(), view.getType(), parameter.getParameterAttr(),
                                                   offset, size, parameter.getDeviceAttr());
      StringAttr name = inside.getStringAttr(parameter.getParameter() + "." + Twine(number));
      host::BindOp::create(inside, view.getLoc(), name, slice);
      OpBuilder at(view);
      view.replaceAllUsesWith(host::BoundOp::create(at, view.getLoc(), view.getType(), name).getResult());
      view.erase();
    }
  }

  static bool isOfRank(Value value) {
    Operation *op = value.getDefiningOp();
    return isa_and_nonnull<host::CoordinateOp>(op) || (op && llvm::any_of(op->getOperands(), isOfRank));
  }

  static bool isKnownAtBind(Value value) {
    Operation *op = value.getDefiningOp();
    return isa_and_nonnull<host::CoordinateOp, host::MeshSizeOp>(op) ||
           (op && isa<arith::ArithDialect>(op->getDialect()) && llvm::all_of(op->getOperands(), isKnownAtBind));
  }

  static Value cloneScalar(Value value, OpBuilder &builder, IRMapping &made) {
    if (Value known = made.lookupOrNull(value))
      return known;
    for (Value operand : value.getDefiningOp()->getOperands())
      cloneScalar(operand, builder, made);
    return builder.clone(*value.getDefiningOp(), made)->getResult(cast<OpResult>(value).getResultNumber());
  }

  // The module's, made where there is none.
  host::FuncOp getBindFunction(SymbolTable &symbols) {
    if (auto known = symbols.lookup<host::FuncOp>(host::kBindFunction))
      return known;
    OpBuilder builder(&getContext());
    builder.setInsertionPoint(*getOperation().getOps<host::FuncOp>().begin());
    ArrayAttr none = builder.getArrayAttr({});
    auto func = host::FuncOp::create(builder, getOperation().getLoc(), host::kBindFunction, none, none, none);
    builder.setInsertionPointToEnd(&func.getBody().front());
    host::ReturnOp::create(builder, func.getLoc(), ValueRange(), ValueRange());
    symbols.insert(func);
    return func;
  }

  // In the branch of each alternative: what is packed belongs to the binding, rows are the parameter itself.
  static void bind(OpBuilder &builder, flow::ParameterOp parameter) {
    Location loc = parameter.getLoc();
    encoding::ByDeviceAttr choice = choiceOf(parameter);
    FlatSymbolRefAttr symbol = FlatSymbolRefAttr::get(parameter.getSymNameAttr());
    Value alternative = host::AlternativeOp::create(builder, loc, choice.getDevice());
    ArrayRef<Attribute> layouts = choice.getLayouts();
    SmallVector<int64_t> cases = llvm::to_vector(llvm::seq<int64_t>(0, layouts.size() - 1));
    auto branch = scf::IndexSwitchOp::create(builder, loc, TypeRange(), alternative, cases, cases.size());
    for (auto [i, layout] : llvm::enumerate(layouts)) {
      Region &region = i < cases.size() ? branch.getCaseRegions()[i] : branch.getDefaultRegion();
      OpBuilder inside = OpBuilder::atBlockBegin(&region.emplaceBlock());
      Value value;
      if (isa<encoding::LayoutAttr>(layout))
        value = host::PackOp::create(inside, loc, symbol, layout, choice.getDevice());
      else
        value = host::ParameterOp::create(inside, loc, symbol, choice.getDevice());
      host::BindOp::create(inside, loc, parameter.getSymNameAttr(), value);
      scf::YieldOp::create(inside, loc);
    }
  }
};

} // namespace
