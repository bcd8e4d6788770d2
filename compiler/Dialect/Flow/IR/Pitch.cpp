// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/Pitch.h"

using namespace mlir;
using namespace mlir::heddle;

static constexpr llvm::StringLiteral kOuter = "outer", kElements = "elements", kArgument = "argument";

static std::optional<int64_t> getNumber(DictionaryAttr attribute, StringRef name) {
  auto number = attribute.getAs<IntegerAttr>(name);
  return number ? number.getValue().trySExtValue() : std::nullopt;
}

std::string flow::explainPitch(func::FuncOp function, unsigned result) {
  Attribute attribute = function.getResultAttr(result, kPitchAttr);
  if (!attribute)
    return "";
  auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[result]);
  auto pitch = dyn_cast<DictionaryAttr>(attribute);
  if (!type || !pitch || pitch.size() != 2)
    return "is of a tensor and has two numbers, outer and elements or argument";
  std::optional<int64_t> outer = getNumber(pitch, kOuter), elements = getNumber(pitch, kElements),
                         argument = getNumber(pitch, kArgument);
  if (!outer || (!elements && !argument))
    return "is of a tensor and has two numbers, outer and elements or argument";
  if (*outer < 1 || *outer > type.getRank())
    return "has from 1 to " + std::to_string(type.getRank()) + " outer dimensions, got " + std::to_string(*outer);
  if (argument && (*argument < 0 || *argument >= static_cast<int64_t>(function.getNumArguments()) ||
                   !function.getArgumentTypes()[*argument].isIndex()))
    return "names an index argument of the function, got " + std::to_string(*argument);
  unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  if (bits != 1 && (bits == 0 || bits % 8 != 0))
    return "is of elements that have bytes of their own";
  if (type.getEncoding())
    return "is of a tensor in rows, not of one with an encoding";
  int64_t run = 1;
  for (int64_t size : type.getShape().drop_front(*outer)) {
    if (ShapedType::isDynamic(size))
      return "";
    run *= size;
  }
  if (elements && *elements < run)
    return "is at least a run of " + std::to_string(run) + " elements, got " + std::to_string(*elements);
  return "";
}

std::optional<flow::Pitch> flow::getPitch(func::FuncOp function, unsigned result) {
  auto attribute = function.getResultAttrOfType<DictionaryAttr>(result, kPitchAttr);
  std::optional<int64_t> outer = attribute ? getNumber(attribute, kOuter) : std::nullopt;
  if (!outer)
    return std::nullopt;
  Pitch pitch{*outer, getNumber(attribute, kElements), 0};
  if (std::optional<int64_t> argument = getNumber(attribute, kArgument))
    pitch.argument = *argument;
  return pitch;
}

void flow::setPitch(func::FuncOp function, unsigned result, const Pitch &pitch) {
  Builder builder(function.getContext());
  NamedAttribute outer = builder.getNamedAttr(kOuter, builder.getI64IntegerAttr(pitch.outer));
  NamedAttribute step = pitch.elements ? builder.getNamedAttr(kElements, builder.getI64IntegerAttr(*pitch.elements))
                                       : builder.getNamedAttr(kArgument, builder.getI64IntegerAttr(pitch.argument));
  function.setResultAttr(result, kPitchAttr, builder.getDictionaryAttr({outer, step}));
}

RankedTensorType flow::getSpannedType(func::FuncOp function, unsigned result) {
  auto type = cast<RankedTensorType>(function.getResultTypes()[result]);
  std::optional<Pitch> pitch = getPitch(function, result);
  if (!pitch)
    return type;
  SmallVector<int64_t> shape(type.getShape().take_front(pitch->outer));
  shape.push_back(pitch->elements.value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, type.getElementType());
}
