// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cache/ExternalFiles.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace heddle::tools {
namespace {

// The messages of onnx.proto that a tensor can be in, itself, and what says where its data is.
enum class Message { Model, Graph, Training, Function, Node, Attribute, Sparse, Tensor, Entry, None };

constexpr struct {
  Message in;
  uint32_t field;
  Message holds;
} kFields[] = {
    {Message::Model, 7, Message::Graph},         {Message::Model, 20, Message::Training},
    {Message::Model, 25, Message::Function},     {Message::Training, 1, Message::Graph},
    {Message::Training, 2, Message::Graph},      {Message::Function, 7, Message::Node},
    {Message::Function, 11, Message::Attribute}, {Message::Graph, 1, Message::Node},
    {Message::Graph, 5, Message::Tensor},        {Message::Graph, 15, Message::Sparse},
    {Message::Node, 5, Message::Attribute},      {Message::Attribute, 5, Message::Tensor},
    {Message::Attribute, 6, Message::Graph},     {Message::Attribute, 10, Message::Tensor},
    {Message::Attribute, 11, Message::Graph},    {Message::Attribute, 22, Message::Sparse},
    {Message::Attribute, 23, Message::Sparse},   {Message::Sparse, 1, Message::Tensor},
    {Message::Sparse, 2, Message::Tensor},       {Message::Tensor, 13, Message::Entry},
};

Message held(Message in, uint64_t field) {
  for (const auto &entry : kFields)
    if (entry.in == in && entry.field == field)
      return entry.holds;
  return Message::None;
}

class Walker {
public:
  explicit Walker(std::set<std::string> &locations) : locations_(locations) {}

  bool walk(Message message, std::string_view bytes, int depth) {
    if (depth > kDeepest)
      return false;
    std::string_view key, value; // of an Entry
    while (!bytes.empty()) {
      uint64_t tag = 0, length = 0;
      if (!varint(bytes, tag))
        return false;
      switch (tag & 7) {
      case 0:
        if (!varint(bytes, length))
          return false;
        continue;
      case 1: length = 8; break;
      case 5: length = 4; break;
      case 2:
        if (!varint(bytes, length))
          return false;
        break;
      default: return false; // groups, which ONNX has none of
      }
      if (length > bytes.size())
        return false;
      std::string_view content = bytes.substr(0, length);
      bytes.remove_prefix(length);
      if ((tag & 7) != 2)
        continue;
      if (message == Message::Entry)
        (tag >> 3 == 1 ? key : value) = content;
      Message inner = held(message, tag >> 3);
      if (inner != Message::None && !walk(inner, content, depth + 1))
        return false;
    }
    if (key == "location")
      locations_.insert(std::string(value));
    return true;
  }

private:
  static constexpr int kDeepest = 400; // graphs in attributes of graphs, four messages each

  static bool varint(std::string_view &bytes, uint64_t &to) {
    to = 0;
    for (unsigned i = 0; i < 10 && i < bytes.size(); ++i) {
      uint64_t byte = static_cast<uint8_t>(bytes[i]);
      to |= (byte & 127) << (7 * i);
      if (byte < 128) {
        bytes.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  std::set<std::string> &locations_;
};

} // namespace

std::optional<std::set<std::string>> findExternalFiles(std::span<const std::byte> model) {
  std::set<std::string> locations;
  if (!Walker(locations).walk(Message::Model, {reinterpret_cast<const char *>(model.data()), model.size()}, 0))
    return std::nullopt;
  return locations;
}

} // namespace heddle::tools
