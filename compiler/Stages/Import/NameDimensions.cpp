// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_NAMEDIMENSIONS
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct NameDimensions : heddle::impl::NameDimensionsBase<NameDimensions> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal())
        name(func);
  }

  static void name(func::FuncOp func) {
    Builder builder(func.getContext());
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (!func.getArgAttr(i, "heddle.name"))
        func.setArgAttr(i, "heddle.name", builder.getStringAttr("arg" + Twine(i)));
      if (auto type = dyn_cast<RankedTensorType>(func.getArgument(i).getType()))
        func.setArgAttr(i, "heddle.dims", nameDims(func, i, type));
    }
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (!func.getResultAttr(i, "heddle.name"))
        func.setResultAttr(i, "heddle.name", builder.getStringAttr("result" + Twine(i)));
  }

  static ArrayAttr nameDims(func::FuncOp func, unsigned argument, RankedTensorType type) {
    Builder builder(func.getContext());
    auto given = func.getArgAttrOfType<ArrayAttr>(argument, "heddle.dims");
    SmallVector<Attribute> names;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      auto name = given ? cast<StringAttr>(given[dim]) : builder.getStringAttr("");
      if (!type.isDynamicDim(dim))
        name = builder.getStringAttr("");
      else if (name.empty())
        name = builder.getStringAttr("arg" + Twine(argument) + "_d" + Twine(dim));
      names.push_back(name);
    }
    return builder.getArrayAttr(names);
  }
};

} // namespace
