// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of the dialect stablehlo, which are text (Assembly/Dialects.h) that is read here.
//
//   #stablehlo<comparison_direction LT>
//   #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
//   #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_ATTRIBUTES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_ATTRIBUTES_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace mlir::heddle::hlo {

// Named integers and lists of integers; a single integer is a list of one.
struct Fields {
  llvm::StringMap<SmallVector<int64_t>> lists;

  SmallVector<int64_t> list(StringRef name) const { return lists.lookup(name); }
  std::optional<int64_t> integer(StringRef name) const;
};

// One tensor of a convolution: which dimension is what. `first` and `second` are batch and feature, or of weights
// input and output feature.
struct ConvolutionSide {
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial;
};
struct ConvolutionNumbers {
  ConvolutionSide input, kernel, output;
};

// Integers of `array<i64: …>`, `array<i1: …>`, `dense<…> : tensor<…>` or an integer; nothing if it is something else.
std::optional<SmallVector<int64_t>> readInts(Attribute attribute);
// The last word of `#stablehlo<kind WORD>`, nothing if it is something else.
std::optional<StringRef> readWord(Attribute attribute);
// `kind<name = [1, 2], other = 3>`, nothing if it is malformed.
std::optional<Fields> readFields(Attribute attribute, StringRef kind);
// `conv<…>`; every side names each of its dimensions once. Nothing if it is malformed.
std::optional<ConvolutionNumbers> readConvolution(Attribute attribute);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_ATTRIBUTES_H
