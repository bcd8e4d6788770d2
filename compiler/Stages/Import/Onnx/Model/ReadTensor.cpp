// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TensorProto to TensorData: element types, typed fields, external files.
#include "compiler/Stages/Import/Onnx/Model/ReadTensor.h"
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Stages/Import/Emit/Sizes.h"
#include "onnx-ml.pb.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;
using onnx::TensorProto;

Type mlir::heddle::importer::getElementType(MLIRContext *context, int64_t dataType) {
  switch (dataType) {
  case TensorProto::FLOAT: return Float32Type::get(context);
  case TensorProto::DOUBLE: return Float64Type::get(context);
  case TensorProto::FLOAT16: return Float16Type::get(context);
  case TensorProto::BFLOAT16: return BFloat16Type::get(context);
  case TensorProto::BOOL: return IntegerType::get(context, 1);
  case TensorProto::INT8: return IntegerType::get(context, 8);
  case TensorProto::INT16: return IntegerType::get(context, 16);
  case TensorProto::INT32: return IntegerType::get(context, 32);
  case TensorProto::INT64: return IntegerType::get(context, 64);
  case TensorProto::UINT8: return IntegerType::get(context, 8, IntegerType::Unsigned);
  case TensorProto::UINT16: return IntegerType::get(context, 16, IntegerType::Unsigned);
  case TensorProto::UINT32: return IntegerType::get(context, 32, IntegerType::Unsigned);
  case TensorProto::UINT64: return IntegerType::get(context, 64, IntegerType::Unsigned);
  case TensorProto::FLOAT8E4M3FN: return Float8E4M3FNType::get(context);
  case TensorProto::FLOAT8E4M3FNUZ: return Float8E4M3FNUZType::get(context);
  case TensorProto::FLOAT8E5M2: return Float8E5M2Type::get(context);
  case TensorProto::FLOAT8E5M2FNUZ: return Float8E5M2FNUZType::get(context);
  case TensorProto::FLOAT8E8M0: return Float8E8M0FNUType::get(context);
  case TensorProto::FLOAT4E2M1: return Float4E2M1FNType::get(context);
  case TensorProto::INT4: return IntegerType::get(context, 4);
  case TensorProto::UINT4: return IntegerType::get(context, 4, IntegerType::Unsigned);
  case TensorProto::INT2: return IntegerType::get(context, 2);
  case TensorProto::UINT2: return IntegerType::get(context, 2, IntegerType::Unsigned);
  default: return {};
  }
}

bool mlir::heddle::importer::isForeignType(int64_t dataType) {
  return dataType == TensorProto::STRING || dataType == TensorProto::COMPLEX64 || dataType == TensorProto::COMPLEX128;
}

std::string mlir::heddle::importer::getDataTypeName(int64_t dataType) {
  if (dataType != static_cast<int>(dataType) || !TensorProto::DataType_IsValid(static_cast<int>(dataType)))
    return std::to_string(dataType);
  return StringRef(TensorProto::DataType_Name(static_cast<TensorProto::DataType>(dataType))).lower();
}

namespace {

TensorOrReason refuse(const Twine &reason) { return {std::nullopt, reason.str()}; }

std::string spell(const TensorProto &tensor) {
  std::string text = "[";
  for (int i = 0; i < tensor.dims_size(); ++i)
    text += (i ? ", " : "") + std::to_string(tensor.dims(i));
  return text + "] of " + getDataTypeName(tensor.data_type());
}

class TensorReader {
public:
  TensorReader(const TensorProto &tensor, const TensorSource &source) : tensor(tensor), source(source) {}

  TensorOrReason read(MLIRContext *context) {
    Type element = getElementType(context, tensor.data_type());
    if (!element)
      return refuse("element type " + getDataTypeName(tensor.data_type()) + " is not supported");
    unsigned bits = element.getIntOrFloatBitWidth();
    uint64_t room = 1; // as if no dimension were empty: strides are products of them, too
    packed = bits < 8 && !element.isInteger(1) ? 8 / bits : 1;
    for (int64_t dim : tensor.dims()) {
      if (dim < 0)
        return refuse("has a negative dimension: " + spell(tensor));
      room = llvm::SaturatingMultiply<uint64_t>(room, std::max<int64_t>(dim, 1));
      count = llvm::SaturatingMultiply<uint64_t>(count, dim);
    }
    if (room > static_cast<uint64_t>(Sizes::kMostElements))
      return refuse("is larger than any memory: " + spell(tensor));
    uint64_t bytes = packed > 1 ? *::heddle::contract::packedBytes(bits, count) : *storageBytes(element, count);
    ArrayRef<int64_t> shape(tensor.dims().data(), tensor.dims_size());
    data.type = RankedTensorType::get(shape, element);
    data.owner = source.owner;
    std::string reason = readElements(bytes);
    if (!reason.empty())
      return {std::nullopt, reason};
    if (packed > 1)
      unpack(bits, isa<IntegerType>(element) && !element.isUnsignedInteger());
    return {data, ""};
  }

private:
  std::string readElements(uint64_t bytes) {
    if (tensor.data_location() == TensorProto::EXTERNAL)
      return readExternal(bytes);
    if (source.rawData || tensor.has_raw_data()) {
      StringRef raw = source.rawData ? *source.rawData : StringRef(tensor.raw_data());
      if (raw.size() != bytes)
        return (Twine("raw_data has ") + Twine(raw.size()) + " bytes, but " + spell(tensor) + " need " + Twine(bytes))
            .str();
      data.bytes = ArrayRef<char>(raw.data(), raw.size());
      return "";
    }
    switch (tensor.data_type()) {
    case TensorProto::FLOAT: return convert<float>(tensor.float_data(), "float_data");
    case TensorProto::DOUBLE: return convert<double>(tensor.double_data(), "double_data");
    case TensorProto::INT64: return convert<int64_t>(tensor.int64_data(), "int64_data");
    case TensorProto::INT32: return convert<int32_t>(tensor.int32_data(), "int32_data");
    case TensorProto::UINT64: return convert<uint64_t>(tensor.uint64_data(), "uint64_data");
    case TensorProto::UINT32: return convert<uint32_t>(tensor.uint64_data(), "uint64_data");
    case TensorProto::INT16: return convert<int16_t>(tensor.int32_data(), "int32_data");
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16: return convert<uint16_t>(tensor.int32_data(), "int32_data");
    default: return convert<int8_t>(tensor.int32_data(), "int32_data");
    }
  }

  template <typename T, typename Field> std::string convert(const Field &field, StringRef name) {
    uint64_t need = llvm::divideCeil(count, packed);
    if (static_cast<uint64_t>(field.size()) != need)
      return (name + " has " + Twine(field.size()) + " elements, but " + spell(tensor) + " need " + Twine(need)).str();
    auto copy = std::make_shared<std::vector<T>>(field.begin(), field.end());
    data.bytes = ArrayRef<char>(reinterpret_cast<const char *>(copy->data()), copy->size() * sizeof(T));
    data.owner = copy;
    return "";
  }

  // Gives each element a byte; they stand in the bytes from the lowest bits up.
  void unpack(unsigned bits, bool isSigned) {
    auto copy = std::make_shared<std::vector<char>>(count);
    int mask = (1 << bits) - 1, sign = isSigned ? 1 << (bits - 1) : 0;
    for (uint64_t i = 0; i < count; ++i) {
      int code = data.bytes[i / packed] >> (i % packed * bits) & mask;
      (*copy)[i] = static_cast<char>((code ^ sign) - sign);
    }
    data.bytes = *copy;
    data.owner = copy;
  }

  std::string readExternal(uint64_t bytes) {
    std::string location;
    uint64_t offset = 0, length = bytes;
    for (const auto &entry : tensor.external_data()) {
      StringRef value = entry.value();
      if (entry.key() == "location")
        location = entry.value();
      else if ((entry.key() == "offset" && value.getAsInteger(10, offset)) ||
               (entry.key() == "length" && value.getAsInteger(10, length)))
        return "external data: " + entry.key() + " must be a number, got '" + entry.value() + "'";
    }
    if (length != bytes)
      return (Twine("external data has ") + Twine(length) + " bytes, but " + spell(tensor) + " need " + Twine(bytes))
          .str();
    SmallString<256> path;
    if (std::string reason = resolve(location, path); !reason.empty())
      return reason;
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file)
      return "external data: cannot read '" + location + "': " + file.getError().message();
    std::shared_ptr<llvm::MemoryBuffer> buffer = std::move(*file);
    if (offset > buffer->getBufferSize() || length > buffer->getBufferSize() - offset)
      return (Twine("external data: bytes ") + Twine(offset) + " to " + Twine(offset + length) +
              " are past the end of '" + location + "', which has " + Twine(buffer->getBufferSize()) +
              "; copy or export it again")
          .str();
    data.bytes = ArrayRef<char>(buffer->getBufferStart() + offset, length);
    data.owner = buffer;
    return "";
  }

  // The real path of external data, which must lie in the model's folder, also when links are followed.
  std::string resolve(const std::string &location, SmallVectorImpl<char> &path) {
    SmallString<256> folder, joined(source.folder);
    llvm::sys::path::append(joined, location);
    if (location.empty())
      return "external data has no location";
    if (llvm::sys::path::is_absolute(location) || location.find('\0') != std::string::npos)
      return "external data: the location must be relative to the model, got '" + location + "'";
    if (llvm::sys::fs::real_path(source.folder.empty() ? "." : source.folder, folder))
      return "external data: cannot find the model's folder";
    if (std::error_code error = llvm::sys::fs::real_path(joined, path))
      return "external data: cannot read '" + location + "': " + error.message() +
             "; the files of a model's weights belong in its folder";
    StringRef real(path.data(), path.size());
    if (!real.consume_front(folder) || !real.starts_with("/"))
      return "external data: '" + location +
             "' is outside the model's folder; only files in it are read, copy it there";
    return "";
  }

  const TensorProto &tensor;
  const TensorSource &source;
  unsigned packed = 1; // elements in a byte of the file
  uint64_t count = 1;
  TensorData data;
};

} // namespace

TensorOrReason mlir::heddle::importer::readTensor(MLIRContext *context, const TensorProto &tensor,
                                                  const TensorSource &source) {
  return TensorReader(tensor, source).read(context);
}
