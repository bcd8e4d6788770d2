// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/TensorData.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

Type mlir::heddle::importer::storageType(Type elementType) { return getStorageType(elementType); }

bool mlir::heddle::importer::isSmallFloat(Type type) { return isa<FloatType>(type) && storageType(type) != type; }

static RankedTensorType storageTensor(RankedTensorType type) {
  return cast<RankedTensorType>(type.clone(storageType(type.getElementType())));
}

TensorData TensorData::reshaped(ArrayRef<int64_t> shape) const {
  return {RankedTensorType::get(shape, type.getElementType()), bytes, owner};
}

TensorData TensorData::transposed(ArrayRef<int64_t> permutation) const {
  int64_t rank = type.getRank();
  SmallVector<int64_t> strides(rank, 1), shape, steps;
  for (int64_t i = rank - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * type.getDimSize(i + 1);
  for (int64_t source : permutation) {
    shape.push_back(type.getDimSize(source));
    steps.push_back(strides[source]);
  }
  unsigned width = storageBytes(type.getElementType());
  auto copy = std::make_shared<std::vector<char>>(bytes.size());
  SmallVector<int64_t> index(rank, 0);
  int64_t from = 0;
  for (int64_t to = 0, end = size(); to < end; ++to) {
    std::memcpy(copy->data() + to * width, bytes.data() + from * width, width);
    for (int64_t d = rank - 1; d >= 0; --d) {
      from += steps[d];
      if (++index[d] < shape[d])
        break;
      from -= steps[d] * shape[d];
      index[d] = 0;
    }
  }
  return {RankedTensorType::get(shape, type.getElementType()), ArrayRef<char>(*copy), copy};
}

template <typename T> static T load(ArrayRef<char> bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

int64_t TensorData::integer(int64_t i) const {
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  switch (storageBytes(type.getElementType())) {
  case 1:
    if (type.getElementType().isInteger(1))
      return load<int8_t>(bytes, i) != 0;
    return isUnsigned ? load<uint8_t>(bytes, i) : load<int8_t>(bytes, i);
  case 2: return isUnsigned ? load<uint16_t>(bytes, i) : load<int16_t>(bytes, i);
  case 4: return isUnsigned ? int64_t{load<uint32_t>(bytes, i)} : int64_t{load<int32_t>(bytes, i)};
  default: return load<int64_t>(bytes, i);
  }
}

template <typename T>
static bool allOf(ArrayRef<char> bytes, int64_t size, llvm::function_ref<bool(int64_t, int64_t)> holds) {
  for (int64_t i = 0; i < size; ++i)
    if (!holds(i, static_cast<int64_t>(load<T>(bytes, i))))
      return false;
  return true;
}

bool TensorData::allIntegers(llvm::function_ref<bool(int64_t, int64_t)> holds) const {
  Type element = type.getElementType();
  if (storageBytes(element) == 1 && !element.isInteger(1))
    return element.isUnsignedInteger() ? allOf<uint8_t>(bytes, size(), holds) : allOf<int8_t>(bytes, size(), holds);
  return llvm::all_of(llvm::seq(size()), [&](int64_t i) { return holds(i, integer(i)); });
}

double TensorData::real(int64_t i) const {
  Type element = type.getElementType();
  if (element.isF32())
    return load<float>(bytes, i);
  if (element.isF64())
    return load<double>(bytes, i);
  auto floatType = dyn_cast<FloatType>(element);
  if (element.isUnsignedInteger(64))
    return static_cast<double>(load<uint64_t>(bytes, i));
  if (!floatType)
    return static_cast<double>(integer(i));
  unsigned width = floatType.getWidth();
  uint16_t bits = width == 16 ? load<uint16_t>(bytes, i) : load<uint8_t>(bytes, i);
  llvm::APFloat value(floatType.getFloatSemantics(), llvm::APInt(width, bits, false, /*implicitTrunc=*/true));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

DenseElementsAttr TensorData::literal() const {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(storageTensor(type), bytes);
  SmallVector<bool> bits;
  for (int64_t i = 0; i < size(); ++i)
    bits.push_back(integer(i));
  return DenseElementsAttr::get(type, bits);
}

ElementsAttr TensorData::resource(StringRef name) const {
  AsmResourceBlob blob(bytes, /*dataAlignment=*/1, [owner = owner](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
  auto &manager = DenseResourceElementsHandle::getManagerInterface(type.getContext());
  return DenseResourceElementsAttr::get(storageTensor(type), manager.insert(name, std::move(blob)));
}
