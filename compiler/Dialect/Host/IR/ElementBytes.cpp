// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/IR/ElementBytes.h"

#include "compiler/Dialect/Host/IR/ElementTypes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle::host;

static std::span<const std::byte> bytesOf(ArrayRef<char> data) {
  return {reinterpret_cast<const std::byte *>(data.data()), data.size()};
}

FailureOr<std::span<const std::byte>> ElementBytes::of(ElementsAttr value, Operation *op) {
  ShapedType type = value.getShapedType();
  size_t elementBytes = ::heddle::contract::byteSize(getElementType(type.getElementType()));
  if (elementBytes == 0)
    return op->emitOpError() << "has elements of type " << type.getElementType() << ", which an artifact cannot hold",
           failure();
  std::span<const std::byte> bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return op->emitOpError() << "has its value in resource " << resource.getRawHandle().getKey()
                               << ", whose bytes are not here",
             failure();
    bytes = bytesOf(blob->getData());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value); dense && type.getElementType().isIntOrIndexOrFloat()) {
    if (type.getElementType().isInteger(1))
      bytes = expandBools(dense);
    else
      bytes = dense.isSplat() ? expandSplat(dense, elementBytes) : bytesOf(dense.getRawData());
  } else {
    return op->emitOpError() << "has a value of an unknown kind: " << value.getAbstractAttribute().getName(), failure();
  }
  if (bytes.size() != elementBytes * type.getNumElements())
    return op->emitOpError() << "needs " << elementBytes * type.getNumElements() << " bytes for " << type << ", got "
                             << bytes.size(),
           failure();
  return bytes;
}

std::span<const std::byte> ElementBytes::expandSplat(DenseElementsAttr value, size_t elementBytes) {
  auto &out = *kept.emplace_back(std::make_unique<std::vector<std::byte>>(elementBytes * value.getNumElements()));
  for (size_t at = 0; at < out.size(); at += elementBytes)
    std::memcpy(out.data() + at, value.getRawData().data(), elementBytes);
  return out;
}

std::span<const std::byte> ElementBytes::expandBools(DenseElementsAttr value) {
  auto &out = *kept.emplace_back(std::make_unique<std::vector<std::byte>>());
  out.reserve(value.getNumElements());
  for (bool element : value.getValues<bool>())
    out.push_back(std::byte{element});
  return out;
}
