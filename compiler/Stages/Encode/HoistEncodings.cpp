// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Passes.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_HOISTENCODINGS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

using Loads = SmallVector<flow::ParameterLoadOp, 1>;

struct HoistEncodings : mlir::heddle::impl::HoistEncodingsBase<HoistEncodings> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<encoding::SetOp> sets;
    getOperation().walk([&](encoding::SetOp op) { sets.push_back(op); });
    for (encoding::SetOp set : sets)
      if (auto block = set.getSource().getDefiningOp<flow::BlockOp>())
        setAll(set, block);
    makeParameters(symbols);
    llvm::MapVector<StringAttr, Loads> loads;
    getOperation().walk([&](flow::ParameterLoadOp load) { loads[load.getParameterAttr().getAttr()].push_back(load); });
    for (auto &[name, list] : loads)
      hoist(symbols, symbols.lookup<flow::ParameterOp>(name), list);
  }

  // One of the blocks of a constant is laid out as all of them are: as operands of so many contractions.
  static void setAll(encoding::SetOp set, flow::BlockOp block) {
    auto source = cast<RankedTensorType>(block.getSource().getType());
    encoding::AbstractEncoding use = *encoding::getAbstract(set.getType().getEncoding());
    AffineExpr number = getAffineDimExpr(use.sizes.size(), set.getContext());
    for (AffineMap &map : use.maps)
      map = AffineMap::get(map.getNumDims() + 1, 0, map.getResults(), set.getContext()).insertResult(number, 0);
    use.sizes.push_back(source.getDimSize(0));
    OpBuilder builder(block);
    RankedTensorType type = encoding::withEncoding(source, encoding::getAttribute(set.getContext(), use));
    Value all = encoding::SetOp::create(builder, block.getLoc(), type, block.getSource());
    set.replaceAllUsesWith(
        flow::BlockOp::create(builder, block.getLoc(), set.getType(), all, block.getBlock()).getResult());
    set.erase();
    if (block->use_empty())
      block.erase();
  }

  // Of constants that are set; equal ones become one.
  void makeParameters(SymbolTable &symbols) {
    llvm::MapVector<Attribute, SmallVector<arith::ConstantOp, 1>> constants;
    getOperation().walk([&](arith::ConstantOp op) {
      if (isa<ElementsAttr>(op.getValue()) && !isa<SplatElementsAttr>(op.getValue()) &&
          llvm::any_of(op->getUsers(), llvm::IsaPred<encoding::SetOp>))
        constants[op.getValue()].push_back(op);
    });
    for (auto &[value, ops] : constants) {
      OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
      auto parameter =
          flow::ParameterOp::create(builder, ops[0].getLoc(), "constant", builder.getStringAttr("private"),
                                    cast<RankedTensorType>(ops[0].getType()), cast<ElementsAttr>(value), StringAttr());
      symbols.insert(parameter);
      for (arith::ConstantOp op : ops) {
        OpBuilder at(op);
        op.replaceAllUsesWith(
            flow::ParameterLoadOp::create(at, op.getLoc(), op.getType(), parameter.getSymName()).getResult());
        op.erase();
      }
    }
  }

  // One parameter for each encoding; the plain one becomes the first, unless it is needed as it is.
  static void hoist(SymbolTable &symbols, flow::ParameterOp plain, const Loads &loads) {
    llvm::MapVector<RankedTensorType, SmallVector<encoding::SetOp>> uses;
    bool isNeeded = !plain.isPrivate();
    for (flow::ParameterLoadOp load : loads)
      for (Operation *user : load->getUsers()) {
        if (auto set = dyn_cast<encoding::SetOp>(user))
          uses[set.getType()].push_back(set);
        else
          isNeeded = true;
      }
    for (auto &[type, sets] : uses) {
      bool takesPlain = !isNeeded && type == uses.front().first;
      flow::ParameterOp parameter = takesPlain ? plain : copy(symbols, plain);
      parameter.setType(type);
      for (encoding::SetOp set : sets)
        load(set, parameter);
    }
    for (flow::ParameterLoadOp load : loads)
      if (load.use_empty())
        load.erase();
  }

  static flow::ParameterOp copy(SymbolTable &symbols, flow::ParameterOp plain) {
    OpBuilder builder(plain);
    builder.setInsertionPointAfter(plain);
    auto parameter = cast<flow::ParameterOp>(builder.clone(*plain));
    parameter.setPrivate();
    symbols.insert(parameter);
    return parameter;
  }

  static void load(encoding::SetOp set, flow::ParameterOp parameter) {
    OpBuilder builder(set.getSource().getDefiningOp());
    Value value = flow::ParameterLoadOp::create(builder, set.getSource().getLoc(), set.getType(),
                                                FlatSymbolRefAttr::get(parameter.getSymNameAttr()));
    set.getResult().replaceAllUsesWith(value);
    set.erase();
  }
};

} // namespace
