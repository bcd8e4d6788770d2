// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/FixSizes.h"

#include "compiler/Stages/Import/Onnx/Model/Model.h"
#include "compiler/Stages/Import/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

static bool isEntryPoint(func::FuncOp func) { return func.isPublic() && !func.isExternal(); }

// An argument as the input of a model; one that is not a tensor has no dimensions.
static importer::Port portOf(func::FuncOp func, unsigned argument, StringRef name) {
  importer::Port port;
  port.name = name.str();
  auto type = dyn_cast<RankedTensorType>(func.getArgument(argument).getType());
  if (!type)
    return port;
  port.ranked = true;
  port.shape.assign(type.getShape().begin(), type.getShape().end());
  auto given = func.getArgAttrOfType<ArrayAttr>(argument, "heddle.dims");
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto own = given && given.size() > size_t(dim) ? dyn_cast<StringAttr>(given[dim]) : StringAttr();
    port.dimNames.push_back(own && !own.empty() ? own.str()
                                                : "arg" + std::to_string(argument) + "_d" + std::to_string(dim));
  }
  return port;
}

// The types in StableHLO say every size again.
static bool hasStableHlo(func::FuncOp func) {
  auto isOne = [](Operation *op) { return op->getName().getDialectNamespace() == "stablehlo"; };
  return func.walk([&](Operation *op) { return isOne(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

// Uses of the argument keep its type.
static void setShape(BlockArgument argument, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(argument.getType());
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  argument.setType(RankedTensorType::get(shape, type.getElementType(), type.getEncoding()));
  auto cast = tensor::CastOp::create(builder, argument.getLoc(), type, argument);
  argument.replaceAllUsesExcept(cast, cast);
}

static LogicalResult fixSizes(func::FuncOp func, importer::FixedSizes &sizes, Location location) {
  importer::Model model;
  for (auto [i, name] : llvm::enumerate(argumentNames(func)))
    model.inputs.push_back(portOf(func, i, name));
  if (failed(sizes.apply(model, location)))
    return failure();
  bool isChanged = false;
  for (auto [argument, port] : llvm::zip_equal(func.getArguments(), model.inputs)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getShape() == ArrayRef<int64_t>(port.shape))
      continue;
    if (hasStableHlo(func))
      return emitError(location) << "--dim fixes no sizes of a StableHLO program; export it with these sizes, as "
                                    "jax.jit(f).lower(x) does for an x of fixed shape";
    setShape(argument, port.shape);
    isChanged = true;
  }
  if (!isChanged)
    return success();
  func.setFunctionType(FunctionType::get(func.getContext(), func.getBody().getArgumentTypes(), func.getResultTypes()));
  if (!SymbolTable::symbolKnownUseEmpty(func, func->getParentOp()))
    return func.emitError("--dim fixes sizes of entry points, and the program itself calls this one");
  return success();
}

LogicalResult mlir::heddle::fixSizes(ModuleOp module, importer::FixedSizes &sizes, Location location) {
  for (auto func : module.getOps<func::FuncOp>())
    if (isEntryPoint(func) && failed(::fixSizes(func, sizes, location)))
      return failure();
  return success();
}
