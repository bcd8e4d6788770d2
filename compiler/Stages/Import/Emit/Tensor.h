// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor value during the import.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_TENSOR_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_TENSOR_H

#include "compiler/Stages/Import/Emit/Sizes.h"
#include "compiler/Stages/Import/Emit/TensorData.h"

namespace mlir::heddle::importer {

using SizeList = SmallVector<OpFoldResult>;

struct Aggregate;
struct Quantization;

// Number of elements if all sizes are fixed (and one number holds it).
std::optional<int64_t> staticCount(ArrayRef<OpFoldResult> sizes);

// Knows its sizes always, and what it holds in one or more of four ways: as an SSA value, as constant data, (small
// integer tensors) as a list of elements that are constants or index values, or as a quantised tensor. The SSA value is
// made when first asked for (Emitter::value), so that shape computations leave no tensors behind, and products of
// quantised tensors no floats.
struct Tensor {
  Type elementType; // ui8 … ui64 for unsigned integers, f8E4M3FN, i4, …; `value` has storageType(elementType)
  SizeList sizes;
  Value value;
  std::optional<TensorData> data;
  std::optional<SizeList> contents; // row-major; sizes are then static
  std::string name;                 // of the initialiser; names its parameter
  std::shared_ptr<Quantization> quantized;
  const Aggregate *aggregate = nullptr; // the emitter's: no tensor at all (Aggregate.h); elementType is none then

  int64_t rank() const { return sizes.size(); }
  bool isInteger() const { return isa<IntegerType>(elementType); }
  bool isFloat() const { return isa<FloatType>(elementType); }
  // The size if it is fixed.
  std::optional<int64_t> staticSize(int64_t dim) const { return getConstantIntValue(sizes[dim]); }
  bool isStaticSize(int64_t dim, int64_t size) const { return dim < rank() && staticSize(dim) == size; }
  std::optional<int64_t> staticCount() const { return importer::staticCount(sizes); }
  bool isUnsigned() const { return elementType.isUnsignedInteger(); }
  // Whether arithmetic on `contents` may be done on sizes: narrow and unsigned integers would wrap.
  bool holdsSizes() const {
    return elementType.isSignlessInteger(64) || elementType.isSignlessInteger(32) || elementType.isInteger(1);
  }
  // The type of `value`.
  RankedTensorType type() const;
};

// (source - zeroPoint) * scale, element by element. Both are scalars; or with an `axis` scale has an element for each
// index of that dimension, and the zero point has too or is a scalar; or with a `block` both have the source's rank,
// and an element for each `block` indices of the axis.
struct Quantization {
  Tensor source;
  Tensor scale;
  std::optional<Tensor> zeroPoint; // of the source's type, or floats beside integers; absent: 0
  std::optional<int64_t> axis;
  Type type = {}; // of the floats; null: the scale's
  int64_t block = 0;
  // The model's author quantised it to read fewer bytes: products read it as it is. Else where only few rows do.
  bool forBandwidth = true;
};

// The shape of a type with these sizes.
SmallVector<int64_t> shapeOf(ArrayRef<OpFoldResult> sizes);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_TENSOR_H
