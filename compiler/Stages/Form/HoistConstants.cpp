// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_HOISTCONSTANTS
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct HoistConstants : mlir::heddle::impl::HoistConstantsBase<HoistConstants> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    DenseMap<Attribute, flow::ParameterOp> parameters;
    SmallVector<arith::ConstantOp> constants;
    module.walk([&](arith::ConstantOp op) {
      if (isa<RankedTensorType>(op.getType()))
        constants.push_back(op);
    });
    for (arith::ConstantOp op : constants) {
      auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
      OpBuilder builder(op);
      Value value;
      if (splat && isa<FloatType, IntegerType, IndexType>(splat.getElementType())) {
        value = fill(builder, op.getLoc(), splat);
      } else {
        flow::ParameterOp &parameter = parameters[op.getValue()];
        if (!parameter)
          parameter = addParameter(module, symbols, op);
        value = flow::ParameterLoadOp::create(builder, op.getLoc(), op.getType(), parameter.getSymName());
      }
      op.replaceAllUsesWith(value);
      op.erase();
    }
  }

  static Value fill(OpBuilder &builder, Location loc, SplatElementsAttr splat) {
    auto type = cast<RankedTensorType>(splat.getType());
    Value scalar = arith::ConstantOp::create(builder, loc, splat.getSplatValue<TypedAttr>());
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
    return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
  }

  static flow::ParameterOp addParameter(ModuleOp module, SymbolTable &symbols, arith::ConstantOp op) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto parameter = flow::ParameterOp::create(builder, op.getLoc(), "constant", builder.getStringAttr("private"),
                                               cast<RankedTensorType>(op.getType()), cast<ElementsAttr>(op.getValue()),
                                               StringAttr());
    symbols.insert(parameter);
    return parameter;
  }
};

} // namespace
