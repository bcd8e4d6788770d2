// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Importer.h"

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Stages/Import/StableHlo/ComplexArithmetic.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"
#include "compiler/Stages/Import/StableHlo/QuantizedTypes.h"
#include "compiler/Stages/Import/StableHlo/Ranks/ManualComputation.h"
#include "compiler/Stages/Import/StableHlo/Ranks/RewriteCollectives.h"
#include "compiler/Stages/Import/StableHlo/RewriteOps.h"
#include "compiler/Stages/Import/StableHlo/SplitComplex.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static bool isForeign(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "stablehlo" || dialect == "chlo" || dialect == "sdy";
}

bool mlir::heddle::hlo::hasStableHlo(ModuleOp module) {
  return module.walk([](Operation *op) { return isForeign(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

static constexpr char kSupported[] = " is not supported; shapes must be fixed, of at most 2^47 elements, elements "
                                     "floats of 8 (f8E4M3FN, f8E5M2 and their FNUZ forms) to 64 bits, complex numbers "
                                     "of them from 32 on, or integers of 1, 2, 4 and 8 to 64";

static bool isSupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() || !fitsMemory(tensor.getShape()))
    return false;
  Type element = tensor.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    return llvm::is_contained({1u, 2u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth()) &&
           (integer.getWidth() > 1 || integer.isSignless()) && !integer.isSigned();
  if (isComplex(type)) {
    SmallVector<int64_t> parts(tensor.getShape());
    parts.push_back(2);
    return fitsMemory(parts);
  }
  return isFloat8(element) || element.isF16() || element.isBF16() || element.isF32() || element.isF64();
}

static bool isNarrowInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer && integer.getWidth() > 1 && integer.getWidth() < 8;
}

// Whether the op works on integers of 2 and 4 bits: those whose bits or windows would be those of the byte that holds
// them do not.
static bool takesNarrowIntegers(Operation *op) {
  static const llvm::StringSet<> names = {"abs",
                                          "add",
                                          "and",
                                          "broadcast_in_dim",
                                          "clamp",
                                          "compare",
                                          "concatenate",
                                          "constant",
                                          "convert",
                                          "divide",
                                          "iota",
                                          "dynamic_slice",
                                          "maximum",
                                          "minimum",
                                          "multiply",
                                          "negate",
                                          "not",
                                          "or",
                                          "pad",
                                          "remainder",
                                          "reshape",
                                          "return",
                                          "reverse",
                                          "select",
                                          "sign",
                                          "subtract",
                                          "slice",
                                          "transpose",
                                          "composite",
                                          "custom_call",
                                          "xor",
                                          "dynamic_update_slice",
                                          "optimization_barrier",
                                          "all_gather",
                                          "all_to_all",
                                          "collective_broadcast",
                                          "collective_permute"};
  StringRef name = op->getName().getStringRef();
  return !name.consume_front("stablehlo.") || names.contains(name);
}

// ` ('params')` if the text says what the argument is called: by its location or as an attribute.
static std::string nameOf(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (auto info = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "jax.arg_info"))
    return (" (" + info.getValue() + ")").str();
  if (auto named = argument.getLoc()->findInstanceOf<NameLoc>())
    return (" (" + named.getName().getValue() + ")").str();
  return "";
}

// Whether ops of the region are the ops of its owner's kind: `return` of a function or of a StableHLO op.
static bool isReturn(Operation *op) {
  return isa<func::ReturnOp>(op) || op->getName().getStringRef() == "stablehlo.return";
}

// Regions of ops that are only names have no rule of their own that a value comes before its uses.
static bool isDefinedBefore(Value value, Operation *user) {
  Operation *at = value.getParentBlock()->findAncestorOpInBlock(*user), *definition = value.getDefiningOp();
  return at && (!definition || definition->isBeforeInBlock(at));
}

// Everything that is refused by its name, operands or types alone, before anything is made.
static LogicalResult refuseUnknown(ModuleOp module) {
  bool refused = false;
  module.walk([&](Operation *op) {
    if (isa<ModuleOp, func::FuncOp>(op) || op->getParentOp() == module.getOperation())
      return;
    StringRef name = op->getName().getStringRef();
    bool isLast = op == &op->getBlock()->back();
    if (isLast && !isReturn(op)) {
      refused = true;
      op->emitError() << "a region ends in op " << name << ", it must end in stablehlo.return";
      return;
    }
    if (isLast && isa<func::FuncOp>(op->getParentOp()) && !isa<func::ReturnOp>(op)) {
      refused = true;
      op->emitError() << "a function ends in op " << name << ", it must end in func.return";
      return;
    }
    bool known =
        isReturn(op) ? isLast : lowerings().contains(name) || findComplexRule(name) || name == "stablehlo.complex";
    if (!known) {
      refused = true;
      op->emitError() << "op " << name << " is not supported in a StableHLO program";
      return;
    }
    auto isNarrow = [](Value value) { return isNarrowInteger(value.getType()); };
    if (!takesNarrowIntegers(op) &&
        (llvm::any_of(op->getOperands(), isNarrow) || llvm::any_of(op->getResults(), isNarrow))) {
      refused = true;
      op->emitError() << "op " << name << " is not supported on integers of 2 and 4 bits; convert them to i8 before";
      return;
    }
    if (!llvm::all_of(op->getOperands(), [&](Value operand) { return isDefinedBefore(operand, op); })) {
      refused = true;
      op->emitError() << "op " << name << " reads a value that is defined after it, or in another region";
      return;
    }
    for (Type type : op->getResultTypes())
      if (!isSupported(type)) {
        refused = true;
        op->emitError() << "op " << name << ": a result of type " << type << kSupported;
        return;
      }
  });
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments())
      if (!isSupported(argument.getType())) {
        refused = true;
        function.emitError() << "argument " << argument.getArgNumber() << nameOf(argument) << " of type "
                             << argument.getType() << kSupported;
      }
  return failure(refused);
}

// A sharding of a complex value (SplitComplex.h) does not cut the dimension of its parts.
static Attribute withParts(Attribute attribute, Type type) {
  auto sharding = dyn_cast<flow::ShardingAttr>(attribute);
  int64_t rank = cast<RankedTensorType>(type).getRank();
  if (!sharding || static_cast<int64_t>(sharding.getAxes().size()) == rank)
    return attribute;
  SmallVector<ArrayAttr> axes(sharding.getAxes());
  axes.resize(rank, ArrayAttr::get(attribute.getContext(), {}));
  return flow::ShardingAttr::get(attribute.getContext(), sharding.getMesh(), axes);
}

// The same signature with types without signs, and of the attributes those that are ours.
static func::FuncOp createEntry(func::FuncOp from) {
  OpBuilder builder(from);
  auto made = func::FuncOp::create(builder, from.getLoc(), from.getName(), from.getFunctionType());
  auto keep = [](ArrayRef<NamedAttribute> attributes, Type type) {
    SmallVector<NamedAttribute> kept;
    for (NamedAttribute attribute : attributes)
      if (attribute.getName().strref().starts_with("heddle."))
        kept.emplace_back(attribute.getName(), withParts(attribute.getValue(), type));
    return kept;
  };
  made.addEntryBlock();
  for (unsigned i = 0; i < from.getNumArguments(); ++i) {
    if (!from.isExternal())
      made.getArgument(i).setLoc(from.getArgument(i).getLoc()); // which has its name
    made.setArgAttrs(i, keep(function_interface_impl::getArgAttrs(from, i), from.getArgumentTypes()[i]));
    // An argument that jax.jit(donate_argnums=…) found a result for.
    auto result = from.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
    if (result && result.getInt() >= 0 && result.getInt() < from.getNumResults() &&
        from.getResultTypes()[result.getInt()] == from.getArgumentTypes()[i])
      made.setArgAttr(i, kDonatedAttr, builder.getI64IntegerAttr(result.getInt()));
  }
  for (unsigned i = 0; i < from.getNumResults(); ++i)
    made.setResultAttrs(i, keep(function_interface_impl::getResultAttrs(from, i), from.getResultTypes()[i]));
  return made;
}

LogicalResult mlir::heddle::hlo::convertStableHlo(ModuleOp module, ArrayRef<std::string> meshSizes) {
  joinSends(module);
  if (failed(rewriteQuantizedTypes(module)))
    return failure();
  FailureOr<Ranks> ranks = Ranks::read(module, hasCollectives(module), meshSizes);
  if (failed(ranks) || failed(rewriteOps(module)) || failed(convertShardings(module, *ranks)))
    return failure();
  rewriteCollectives(module, *ranks);
  if (failed(refuseUnknown(module)) || failed(splitComplex(module)))
    return failure();
  SymbolTable symbols(module);
  SmallVector<func::FuncOp> functions = llvm::to_vector(module.getOps<func::FuncOp>());
  bool refused = false;
  for (func::FuncOp function : functions) {
    if (!function.isPublic() || function.isExternal())
      continue;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "a function of a StableHLO program has one block";
      return failure();
    }
    func::FuncOp made = createEntry(function);
    refused |= failed(Converter(module, symbols, function, made, *ranks).run());
  }
  if (refused)
    return failure();
  for (func::FuncOp function : functions)
    function.erase();
  ranks->createMeshes(module);
  // What JAX says of its module is for its own run time.
  module->setAttrs(llvm::to_vector(llvm::make_filter_range(module->getAttrs(), [](NamedAttribute attribute) {
    StringRef name = attribute.getName();
    return !name.starts_with("mhlo.") && !name.starts_with("jax.");
  })));
  return success();
}
