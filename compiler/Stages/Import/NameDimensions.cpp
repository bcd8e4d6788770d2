// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_NAMEDIMENSIONS
#include "compiler/Stages/Import/Passes.h.inc"
} // namespace mlir::heddle

std::vector<std::string> mlir::heddle::argumentNames(func::FuncOp func) {
  std::vector<std::string> names;
  llvm::StringSet<> used;
  unsigned number = 0; // "arg1" is what the second one is called that has no name
  auto isOurs = [&](StringRef name) { return name.consume_front("arg") && !name.getAsInteger(10, number); };
  auto given = [&](unsigned i) { return func.getArgAttrOfType<StringAttr>(i, "heddle.name"); };
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (given(i))
      used.insert(given(i).getValue());
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto place = dyn_cast<NameLoc>(func.isExternal() ? func.getLoc() : func.getArgument(i).getLoc());
    if (given(i))
      names.push_back(given(i).str());
    else if (place && !place.getName().empty() && !isOurs(place.getName()) && used.insert(place.getName()).second)
      names.push_back(place.getName().str());
    else
      names.push_back("arg" + std::to_string(i));
  }
  return names;
}

namespace {

struct NameDimensions : mlir::heddle::impl::NameDimensionsBase<NameDimensions> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && !func.isExternal())
        name(func);
  }

  static void name(func::FuncOp func) {
    Builder builder(func.getContext());
    for (auto [i, name] : llvm::enumerate(argumentNames(func))) {
      func.setArgAttr(i, "heddle.name", builder.getStringAttr(name));
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
