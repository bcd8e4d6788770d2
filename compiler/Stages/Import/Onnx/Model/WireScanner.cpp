// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Model/WireScanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace mlir::heddle::importer;
using llvm::StringRef;

namespace {

// Smaller raw_data stays in the message.
constexpr size_t kMinimumBytes = 1024;

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// One field of a message: `whole` is tag and value, `payload` the value of a length-delimited one.
struct Field {
  unsigned number;
  unsigned type;
  StringRef whole, payload;
};

bool readVarint(StringRef &bytes, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (bytes.empty())
      return false;
    auto byte = static_cast<unsigned char>(bytes.front());
    bytes = bytes.drop_front();
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

bool readField(StringRef &bytes, Field &field) {
  StringRef start = bytes;
  uint64_t tag, size = 0;
  if (!readVarint(bytes, tag))
    return false;
  field.number = static_cast<unsigned>(tag >> 3);
  field.type = tag & 7;
  switch (field.type) {
  case kVarint:
    if (!readVarint(bytes, size))
      return false;
    size = 0;
    break;
  case kFixed64: size = 8; break;
  case kFixed32: size = 4; break;
  case kBytes:
    if (!readVarint(bytes, size))
      return false;
    break;
  default: return false;
  }
  if (size > bytes.size())
    return false;
  field.payload = bytes.take_front(size);
  bytes = bytes.drop_front(size);
  field.whole = start.drop_back(bytes.size());
  return true;
}

bool forEachField(StringRef message, llvm::function_ref<bool(const Field &)> visit) {
  while (!message.empty()) {
    Field field;
    if (!readField(message, field) || !visit(field))
      return false;
  }
  return true;
}

void appendBytes(std::string &out, unsigned number, StringRef payload) {
  auto varint = [&](uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
  };
  varint(number << 3 | kBytes);
  varint(payload.size());
  out.append(payload.data(), payload.size());
}

// Field numbers of onnx-ml.proto.
constexpr unsigned kModelGraph = 7, kGraphInitializer = 5, kTensorRawData = 9;

bool scanTensor(StringRef tensor, std::string &rest, std::optional<StringRef> &rawData) {
  unsigned seen = 0;
  bool ok = forEachField(tensor, [&](const Field &field) {
    if (field.number == kTensorRawData && field.type == kBytes) {
      ++seen;
      if (field.payload.size() >= kMinimumBytes) {
        rawData = field.payload;
        return true;
      }
    }
    rest.append(field.whole.data(), field.whole.size());
    return true;
  });
  return ok && seen <= 1;
}

bool scanGraph(StringRef graph, std::string &rest, std::vector<std::optional<StringRef>> &rawData) {
  return forEachField(graph, [&](const Field &field) {
    if (field.number != kGraphInitializer || field.type != kBytes) {
      rest.append(field.whole.data(), field.whole.size());
      return true;
    }
    std::string tensor;
    if (!scanTensor(field.payload, tensor, rawData.emplace_back()))
      return false;
    appendBytes(rest, kGraphInitializer, tensor);
    return true;
  });
}

} // namespace

ScannedModel mlir::heddle::importer::cutOutWeights(StringRef bytes) {
  ScannedModel model;
  unsigned graphs = 0;
  bool ok = forEachField(bytes, [&](const Field &field) {
    if (field.number != kModelGraph || field.type != kBytes) {
      model.rest.append(field.whole.data(), field.whole.size());
      return true;
    }
    ++graphs;
    std::string graph;
    if (!scanGraph(field.payload, graph, model.rawData))
      return false;
    appendBytes(model.rest, kModelGraph, graph);
    return true;
  });
  // Several graph fields would be merged by the parser: leave that to it.
  if (!ok || graphs > 1)
    return {bytes.str(), {}};
  return model;
}
