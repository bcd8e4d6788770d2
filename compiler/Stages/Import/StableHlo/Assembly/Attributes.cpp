// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Assembly/Attributes.h"

#include "compiler/Stages/Import/StableHlo/Assembly/TextReader.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::heddle::hlo;

// The text behind `#stablehlo.` or between `#stablehlo<` and `>`.
static std::optional<StringRef> textOf(Attribute attribute) {
  auto opaque = dyn_cast_or_null<OpaqueAttr>(attribute);
  if (!opaque || (opaque.getDialectNamespace() != "stablehlo" && opaque.getDialectNamespace() != "chlo"))
    return std::nullopt;
  return opaque.getAttrData();
}

std::optional<int64_t> Fields::integer(StringRef name) const {
  auto found = lists.find(name);
  if (found == lists.end() || found->second.size() != 1)
    return std::nullopt;
  return found->second.front();
}

std::optional<SmallVector<int64_t>> mlir::heddle::hlo::readInts(Attribute attribute) {
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return llvm::to_vector(list.asArrayRef());
  if (auto list = dyn_cast<DenseBoolArrayAttr>(attribute))
    return SmallVector<int64_t>(list.asArrayRef().begin(), list.asArrayRef().end());
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return SmallVector<int64_t>{flag.getValue()};
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getValue().getBitWidth() <= 64
               ? std::optional(SmallVector<int64_t>{integer.getValue().getSExtValue()})
               : std::nullopt;
  auto dense = dyn_cast<DenseIntElementsAttr>(attribute);
  if (!dense || dense.getNumElements() > 4096)
    return std::nullopt;
  if (auto integer = dyn_cast<IntegerType>(dense.getElementType()); integer && integer.getWidth() > 64)
    return std::nullopt;
  bool isFlag = dense.getElementType().isInteger(1);
  return llvm::map_to_vector(dense.getValues<APInt>(),
                             [&](const APInt &v) { return isFlag ? int64_t(v.getZExtValue()) : v.getSExtValue(); });
}

std::optional<StringRef> mlir::heddle::hlo::readWord(Attribute attribute) {
  std::optional<StringRef> text = textOf(attribute);
  if (!text)
    return std::nullopt;
  TextReader reader{*text};
  StringRef kind = reader.word(), value = reader.word();
  if (kind.empty() || value.empty() || !reader.atEnd())
    return std::nullopt;
  return value;
}

static std::optional<SmallVector<int64_t>> readList(TextReader &reader) {
  SmallVector<int64_t> list;
  if (!reader.take("[")) {
    if (reader.take("true"))
      return SmallVector<int64_t>{1};
    if (reader.take("false"))
      return SmallVector<int64_t>{0};
    std::optional<int64_t> single = reader.integer();
    return single ? std::optional(SmallVector<int64_t>{*single}) : std::nullopt;
  }
  while (!reader.take("]")) {
    std::optional<int64_t> next = reader.integer();
    if (!next)
      return std::nullopt;
    list.push_back(*next);
    (void)reader.take(",");
  }
  return list;
}

std::optional<Fields> mlir::heddle::hlo::readFields(Attribute attribute, StringRef kind) {
  std::optional<StringRef> text = textOf(attribute);
  if (!text)
    return std::nullopt;
  TextReader reader{*text};
  if (reader.word() != kind || !reader.take("<"))
    return std::nullopt;
  Fields fields;
  while (!reader.take(">")) {
    StringRef name = reader.word();
    if (name.empty() || !reader.take("="))
      return std::nullopt;
    std::optional<SmallVector<int64_t>> list = readList(reader);
    if (!list || !fields.lists.try_emplace(name, std::move(*list)).second)
      return std::nullopt;
    (void)reader.take(",");
  }
  return reader.atEnd() ? std::optional(std::move(fields)) : std::nullopt;
}

// `[b, 0, 1, f]`.
static bool readSide(TextReader &reader, StringRef first, StringRef second, ConvolutionSide &side) {
  if (!reader.take("["))
    return false;
  SmallVector<std::pair<int64_t, int64_t>> spatial; // (number, dimension)
  int64_t dim = 0;
  for (; !reader.take("]"); ++dim) {
    StringRef word = reader.word();
    int64_t number;
    if (word == first && side.first < 0)
      side.first = dim;
    else if (word == second && side.second < 0)
      side.second = dim;
    else if (!word.getAsInteger(10, number))
      spatial.emplace_back(number, dim);
    else
      return false;
    (void)reader.take(",");
  }
  llvm::sort(spatial);
  for (auto [i, entry] : llvm::enumerate(spatial)) {
    if (entry.first != static_cast<int64_t>(i))
      return false;
    side.spatial.push_back(entry.second);
  }
  return side.first >= 0 && side.second >= 0;
}

std::optional<ConvolutionNumbers> mlir::heddle::hlo::readConvolution(Attribute attribute) {
  std::optional<StringRef> text = textOf(attribute);
  if (!text)
    return std::nullopt;
  TextReader reader{*text};
  ConvolutionNumbers numbers;
  if (reader.word() != "conv" || !reader.take("<") || !readSide(reader, "b", "f", numbers.input) || !reader.take("x") ||
      !readSide(reader, "i", "o", numbers.kernel) || !reader.take("->") ||
      !readSide(reader, "b", "f", numbers.output) || !reader.take(">") || !reader.atEnd())
    return std::nullopt;
  size_t rank = numbers.input.spatial.size();
  if (numbers.kernel.spatial.size() != rank || numbers.output.spatial.size() != rank)
    return std::nullopt;
  return numbers;
}
