// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/QuantizedTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::heddle;

static quant::QuantizedType quantizedOf(Type type) {
  return dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(type));
}

// The integers that hold it.
static Type storageOf(Type type) {
  quant::QuantizedType quantized = quantizedOf(type);
  if (!quantized)
    return type;
  unsigned width = quantized.getStorageTypeIntegralWidth();
  auto signs = quantized.isSigned() ? IntegerType::Signless : IntegerType::Unsigned;
  return cast<ShapedType>(type).clone(IntegerType::get(type.getContext(), width, signs));
}

static Type expressedOf(Type type) {
  quant::QuantizedType quantized = quantizedOf(type);
  return quantized ? cast<ShapedType>(type).clone(quantized.getExpressedType()) : type;
}

namespace {

// Emits ops of StableHLO, which are names.
struct Writer {
  OpBuilder builder;
  Location location;

  Value make(StringRef name, ValueRange operands, Type type, ArrayRef<NamedAttribute> attributes = {}) {
    OperationState state(location, name);
    state.addOperands(operands);
    state.addTypes(type);
    state.addAttributes(attributes);
    return builder.create(state)->getResult(0);
  }
  Value constant(ArrayRef<int64_t> shape, Type element, ArrayRef<double> values) {
    auto type = RankedTensorType::get(shape, element);
    auto elements =
        llvm::map_to_vector(values, [&](double value) -> Attribute { return builder.getFloatAttr(element, value); });
    auto value = DenseElementsAttr::get(type, elements);
    return make("stablehlo.constant", {}, type, builder.getNamedAttr("value", value));
  }
  Value convert(Value value, Type type) { return make("stablehlo.convert", value, type); }

  // A value for each index of dimension `axis`, or one for all, in the shape of `type`.
  Value spread(ArrayRef<double> values, std::optional<int64_t> axis, RankedTensorType type) {
    SmallVector<int64_t> shape, dims;
    if (axis)
      shape.push_back(values.size()), dims.push_back(*axis);
    return make("stablehlo.broadcast_in_dim", constant(shape, type.getElementType(), values), type,
                builder.getNamedAttr("broadcast_dimensions", builder.getDenseI64ArrayAttr(dims)));
  }
};

// Scales and zero points of a quantised type.
struct Scales {
  SmallVector<double> scales, zeros;
  std::optional<int64_t> axis;

  static std::optional<Scales> of(quant::QuantizedType type) {
    if (auto all = dyn_cast<quant::UniformQuantizedType>(type))
      return Scales{{all.getScale()}, {static_cast<double>(all.getZeroPoint())}, {}};
    auto each = dyn_cast<quant::UniformQuantizedPerAxisType>(type);
    if (!each)
      return std::nullopt;
    return Scales{SmallVector<double>(each.getScales()),
                  SmallVector<double>(each.getZeroPoints().begin(), each.getZeroPoints().end()),
                  each.getQuantizedDimension()};
  }
  bool hasZeros() const {
    return llvm::any_of(zeros, [](double zero) { return zero != 0; });
  }
};

} // namespace

// `held` are the integers of a value of type `from`.
static Value dequantize(Writer writer, Value held, Type from) {
  auto type = cast<RankedTensorType>(expressedOf(from));
  Scales scales = *Scales::of(quantizedOf(from));
  Value real = writer.convert(held, type);
  if (scales.hasZeros())
    real = writer.make("stablehlo.subtract", {real, writer.spread(scales.zeros, scales.axis, type)}, type);
  return writer.make("stablehlo.multiply", {real, writer.spread(scales.scales, scales.axis, type)}, type);
}

static Value quantize(Writer writer, Value real, Type to) {
  auto type = cast<RankedTensorType>(real.getType());
  quant::QuantizedType quantized = quantizedOf(to);
  Scales scales = *Scales::of(quantized);
  Value steps = writer.make("stablehlo.divide", {real, writer.spread(scales.scales, scales.axis, type)}, type);
  steps = writer.make("stablehlo.round_nearest_even", steps, type);
  if (scales.hasZeros())
    steps = writer.make("stablehlo.add", {steps, writer.spread(scales.zeros, scales.axis, type)}, type);
  auto limit = [&](int64_t value) { return writer.constant({}, type.getElementType(), {static_cast<double>(value)}); };
  Value least = limit(quantized.getStorageTypeMin()), most = limit(quantized.getStorageTypeMax());
  return writer.convert(writer.make("stablehlo.clamp", {least, steps, most}, type), storageOf(to));
}

// Of the op's operands and results.
static SmallVector<quant::QuantizedType> quantizedTypes(Operation *op) {
  SmallVector<quant::QuantizedType> found;
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (quant::QuantizedType quantized = quantizedOf(type))
        found.push_back(quantized);
  return found;
}

// Ops that move elements, or only hand values on: they do the same to integers where all have one scale and zero.
static bool isMovement(Operation *op) {
  static const llvm::StringSet<> names = {"broadcast_in_dim", "concatenate", "dynamic_slice", "dynamic_update_slice",
                                          "gather",           "pad",         "reshape",       "reverse",
                                          "select",           "slice",       "transpose",     "optimization_barrier"};
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("stablehlo.") || !names.contains(name))
    return false;
  SmallVector<quant::QuantizedType> types = quantizedTypes(op);
  return llvm::all_equal(types) && isa<quant::UniformQuantizedType>(types.front());
}

static bool handsOn(Operation *op) {
  static const llvm::StringSet<> names = {"constant", "return", "while", "if", "case"};
  StringRef name = op->getName().getStringRef();
  return isa<func::ReturnOp, func::CallOp>(op) || (name.consume_front("stablehlo.") && names.contains(name));
}

// Of an op that works on floats: the operands as floats, the results as integers.
static void rewriteOnFloats(Operation *op) {
  Writer before{OpBuilder(op), op->getLoc()},
      after{OpBuilder(op->getBlock(), std::next(op->getIterator())), op->getLoc()};
  StringRef name = op->getName().getStringRef();
  for (OpOperand &operand : op->getOpOperands())
    if (Type type = operand.get().getType(); quantizedOf(type))
      operand.set(dequantize(before, operand.get(), type));
  for (OpResult result : op->getResults()) {
    Type type = result.getType();
    if (!quantizedOf(type))
      continue;
    SmallVector<OpOperand *> uses = llvm::map_to_vector(result.getUses(), [](OpOperand &use) { return &use; });
    result.setType(expressedOf(type));
    Value held = quantize(after, result, type);
    held.setType(type); // those who read it are still to be told what it is
    for (OpOperand *use : uses)
      use->set(held);
  }
  // Its operand, or its result, is the value already.
  if (name == "stablehlo.uniform_dequantize" || name == "stablehlo.uniform_quantize") {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
}

LogicalResult hlo::rewriteQuantizedTypes(ModuleOp module) {
  SmallVector<Operation *> found;
  bool refused = false;
  module.walk([&](Operation *op) {
    SmallVector<quant::QuantizedType> types = quantizedTypes(op);
    if (types.empty())
      return;
    found.push_back(op);
    for (quant::QuantizedType type : types)
      if (!Scales::of(type) || !isa_and_nonnull<FloatType>(type.getExpressedType())) {
        refused = true;
        op->emitError() << "op " << op->getName() << ": type " << type
                        << " is not supported; quantised types have one scale, or one for each index of a dimension";
        return;
      }
    if (op->getNumRegions() > 0 && !handsOn(op)) {
      refused = true;
      op->emitError() << "op " << op->getName()
                      << " has a region of quantised elements, which is not supported; dequantise its operands before";
    }
  });
  if (refused)
    return failure();
  for (Operation *op : found)
    if (!handsOn(op) && !isMovement(op))
      rewriteOnFloats(op);
  module.walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(storageOf(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          argument.setType(storageOf(argument.getType()));
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      FunctionType type = function.getFunctionType();
      function.setType(FunctionType::get(op->getContext(), llvm::map_to_vector(type.getInputs(), storageOf),
                                         llvm::map_to_vector(type.getResults(), storageOf)));
    }
  });
  return success();
}
