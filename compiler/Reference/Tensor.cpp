// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Reference/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle::reference;
namespace contract = ::heddle::contract;

Tensor Tensor::allocate(ElementType type, ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape.assign(shape.begin(), shape.end());
  size_t bytes = llvm::alignTo(std::max<size_t>(tensor.byteCount(), 1), 64);
  void *storage = std::aligned_alloc(64, bytes);
  if (!storage)
    llvm::report_bad_alloc_error("reference tensor");
  std::memset(storage, 0, bytes);
  tensor.owner = std::shared_ptr<void>(storage, std::free);
  tensor.data = static_cast<char *>(storage);
  return tensor;
}

int64_t Tensor::count() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

// Of the floats that C++ lacks.
static const llvm::fltSemantics &semanticsOf(ElementType type) {
  switch (type) {
  case ElementType::F16: return APFloat::IEEEhalf();
  case ElementType::BF16: return APFloat::BFloat();
  case ElementType::F8E4M3FN: return APFloat::Float8E4M3FN();
  case ElementType::F8E4M3FNUZ: return APFloat::Float8E4M3FNUZ();
  case ElementType::F8E5M2: return APFloat::Float8E5M2();
  case ElementType::F8E5M2FNUZ: return APFloat::Float8E5M2FNUZ();
  case ElementType::F8E8M0FNU: return APFloat::Float8E8M0FNU();
  case ElementType::F4E2M1FN: return APFloat::Float4E2M1FN();
  default: llvm_unreachable("a float that C++ has");
  }
}

// A small float from its bits in a word, and back.
static double decode(ElementType type, uint16_t bits) {
  const llvm::fltSemantics &semantics = semanticsOf(type);
  return APFloat(semantics, APInt(APFloat::getSizeInBits(semantics), bits, false, /*implicitTrunc=*/true))
      .convertToDouble();
}

static uint16_t encode(ElementType type, double value) {
  // Scales have no zero and no sign: the nearest they have.
  APFloat converted(type == ElementType::F8E8M0FNU ? std::max(value, 0x1p-127) : value);
  bool lossy;
  converted.convert(semanticsOf(type), APFloat::rmNearestTiesToEven, &lossy);
  return static_cast<uint16_t>(converted.bitcastToAPInt().getZExtValue());
}

double Tensor::asDouble(int64_t i) const {
  auto at = [&]<typename T>(T) { return static_cast<double>(elements<T>()[i]); };
  switch (type) {
  case ElementType::None: return 0;
  case ElementType::I1:
  case ElementType::U4:
  case ElementType::U2:
  case ElementType::U8: return at(uint8_t());
  case ElementType::I4:
  case ElementType::I2:
  case ElementType::I8: return at(int8_t());
  case ElementType::I16: return at(int16_t());
  case ElementType::I32: return at(int32_t());
  case ElementType::I64: return at(int64_t());
  case ElementType::U16: return at(uint16_t());
  case ElementType::U32: return at(uint32_t());
  case ElementType::U64: return at(uint64_t());
  case ElementType::F32: return at(float());
  case ElementType::F64: return at(double());
  case ElementType::F16:
  case ElementType::BF16: return decode(type, elements<uint16_t>()[i]);
  default: return decode(type, elements<uint8_t>()[i]);
  }
}

void Tensor::setDouble(int64_t i, double value) {
  auto set = [&]<typename T>(T) { elements<T>()[i] = static_cast<T>(value); };
  switch (type) {
  case ElementType::None: return;
  case ElementType::I1: elements<uint8_t>()[i] = value != 0; return;
  case ElementType::U4:
  case ElementType::U2:
  case ElementType::U8: return set(uint8_t());
  case ElementType::I4:
  case ElementType::I2:
  case ElementType::I8: return set(int8_t());
  case ElementType::I16: return set(int16_t());
  case ElementType::I32: return set(int32_t());
  case ElementType::I64: return set(int64_t());
  case ElementType::U16: return set(uint16_t());
  case ElementType::U32: return set(uint32_t());
  case ElementType::U64: return set(uint64_t());
  case ElementType::F32: return set(float());
  case ElementType::F64: return set(double());
  case ElementType::F16:
  case ElementType::BF16: elements<uint16_t>()[i] = encode(type, value); return;
  default: elements<uint8_t>()[i] = static_cast<uint8_t>(encode(type, value)); return;
  }
}

ElementType mlir::heddle::reference::elementTypeOf(Type type) {
  if (type.isIndex())
    return ElementType::I64;
  std::string spelling;
  llvm::raw_string_ostream(spelling) << type;
  return contract::parseElementType(spelling);
}

static Tensor copyOf(DenseElementsAttr value, ElementType type) {
  ShapedType shaped = value.getType();
  Tensor tensor = Tensor::allocate(type, shaped.getShape());
  size_t size = contract::byteSize(type);
  auto write = [&](int64_t i, const APInt &bits) {
    uint64_t word = bits.getZExtValue();
    std::memcpy(tensor.data + i * size, &word, size);
  };
  int64_t i = 0;
  if (isa<FloatType>(shaped.getElementType()))
    for (APFloat element : value.getValues<APFloat>())
      write(i++, element.bitcastToAPInt());
  else
    for (APInt element : value.getValues<APInt>())
      write(i++, element);
  return tensor;
}

FailureOr<Tensor> mlir::heddle::reference::tensorOf(ElementsAttr value) {
  ShapedType shaped = value.getShapedType();
  ElementType type = elementTypeOf(shaped.getElementType());
  if (type == ElementType::None)
    return failure();
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return copyOf(dense, type);
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  Tensor tensor;
  tensor.type = type;
  tensor.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  if (!blob || blob->getData().size() != tensor.byteCount())
    return failure();
  tensor.data = const_cast<char *>(blob->getData().data());
  return tensor;
}

std::string mlir::heddle::reference::spell(const Tensor &tensor) {
  std::string text;
  for (int64_t size : tensor.shape)
    text += std::to_string(size) + "x";
  return text + std::string(contract::spelling(tensor.type));
}
