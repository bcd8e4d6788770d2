// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs with encodings as programs on plain tensors.
#include "compiler/Reference/Program.h"

#include "compiler/Dialect/Encoding/Transforms/EraseEncodings.h"
#include "compiler/Dialect/Encoding/Transforms/Materialize.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;

static std::span<const std::byte> bytesOf(ArrayRef<char> data) {
  return {reinterpret_cast<const std::byte *>(data.data()), data.size()};
}

// The value of a parameter that lies in its layout, in rows again.
static LogicalResult unpack(flow::ParameterOp parameter, encoding::LayoutAttr layout) {
  auto type = cast<RankedTensorType>(parameter.getType());
  FailureOr<Tensor> packed = tensorOf(parameter.getValue());
  if (failed(packed))
    return parameter.emitError() << "the reference cannot read its value";
  RankedTensorType plain = encoding::withoutEncoding(type);
  size_t width = ::heddle::contract::byteSize(packed->type);
  AsmResourceBlob rows = HeapAsmResourceBlob::allocate(plain.getNumElements() * width, 64, /*dataIsMutable=*/true);
  MutableArrayRef<char> target = rows.getMutableData();
  ArrayRef<int64_t> shape = type.getShape();
  std::string reason = ::heddle::contract::unpackBytes(encoding::toTiling(layout), width, {shape.data(), shape.size()},
                                                       bytesOf({packed->data, packed->byteCount()}),
                                                       std::as_writable_bytes(std::span(target.data(), target.size())));
  if (!reason.empty())
    return parameter.emitError() << "cannot be read in its layout: " << reason;
  auto &manager = DenseResourceElementsHandle::getManagerInterface(parameter.getContext());
  auto handle = manager.insert((parameter.getSymName() + ".rows").str(), std::move(rows));
  parameter.setValueAttr(DenseResourceElementsAttr::get(plain, handle));
  return success();
}

LogicalResult reference::lowerLayouts(ModuleOp module, bool materialize) {
  if (materialize)
    return encoding::materializeEncodings(module);
  for (auto parameter : module.getOps<flow::ParameterOp>())
    if (encoding::LayoutAttr layout = encoding::getLayout(parameter.getType()))
      if (parameter.getValue().getShapedType() ==
              encoding::getPhysicalType(cast<RankedTensorType>(parameter.getType())) &&
          failed(unpack(parameter, layout)))
        return failure();
  return encoding::eraseEncodings(module);
}
