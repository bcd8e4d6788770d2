// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/OnnxMutator.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

using namespace heddle::fuzz;

namespace {

enum class Message { Model, Graph, Node, Attribute, Tensor, ValueInfo, Type, TypeTensor, Shape, Dim, Function, Opset };

// The fields of onnx-ml.proto that are messages.
struct Nested {
  Message parent;
  uint32_t field;
  Message child;
};
constexpr Nested kNested[] = {
    {Message::Model, 7, Message::Graph},      {Message::Model, 8, Message::Opset},
    {Message::Model, 25, Message::Function},  {Message::Graph, 1, Message::Node},
    {Message::Graph, 5, Message::Tensor},     {Message::Graph, 11, Message::ValueInfo},
    {Message::Graph, 12, Message::ValueInfo}, {Message::Graph, 13, Message::ValueInfo},
    {Message::Node, 5, Message::Attribute},   {Message::Attribute, 5, Message::Tensor},
    {Message::Attribute, 6, Message::Graph},  {Message::Attribute, 10, Message::Tensor},
    {Message::Attribute, 11, Message::Graph}, {Message::ValueInfo, 2, Message::Type},
    {Message::Type, 1, Message::TypeTensor},  {Message::TypeTensor, 2, Message::Shape},
    {Message::Shape, 1, Message::Dim},        {Message::Function, 7, Message::Node},
    {Message::Function, 9, Message::Opset},   {Message::Function, 11, Message::Attribute},
};
constexpr int kDeepest = 24;
constexpr size_t kMostNodes = 4000;

// Ops and attributes that seeds may not combine.
constexpr const char *kWords[] = {
    "Add",       "MatMul",          "Gemm",    "Conv",  "Reshape",  "Transpose", "Slice",
    "Gather",    "Concat",          "Shape",   "Cast",  "Expand",   "Where",     "Pad",
    "ReduceSum", "Softmax",         "MaxPool", "Split", "Squeeze",  "Unsqueeze", "Range",
    "Constant",  "ConstantOfShape", "axis",    "axes",  "keepdims", "pads",      "strides",
    "perm",      "kernel_shape",    "group",   "to",    "value",    "auto_pad",  ""};

// One field of a message. A message's own bytes are its children's.
struct Field {
  uint32_t number = 0;
  uint32_t wire = 0;
  uint64_t varint = 0;         // wire type 0
  Bytes bytes;                 // wire types 1, 2, 5
  std::optional<Message> kind; // of a nested message
  std::vector<Field> children;
};

bool readVarint(std::span<const uint8_t> &bytes, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    uint8_t byte = bytes[0];
    bytes = bytes.subspan(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

std::optional<Message> findNested(Message parent, uint32_t field) {
  for (const Nested &nested : kNested)
    if (nested.parent == parent && nested.field == field)
      return nested.child;
  return std::nullopt;
}

bool parse(std::span<const uint8_t> bytes, Message kind, std::vector<Field> &out, int depth) {
  while (!bytes.empty()) {
    uint64_t tag, size;
    if (!readVarint(bytes, tag))
      return false;
    Field field;
    field.number = static_cast<uint32_t>(tag >> 3);
    field.wire = tag & 7;
    if (field.wire == 0) {
      if (!readVarint(bytes, field.varint))
        return false;
    } else {
      size = field.wire == 1 ? 8 : 4;
      if (field.wire == 2 ? !readVarint(bytes, size) : field.wire != 1 && field.wire != 5)
        return false;
      if (size > bytes.size())
        return false;
      field.bytes.assign(bytes.begin(), bytes.begin() + size);
      bytes = bytes.subspan(size);
      field.kind = field.wire == 2 && depth < kDeepest ? findNested(kind, field.number) : std::nullopt;
      if (field.kind && !parse(field.bytes, *field.kind, field.children, depth + 1)) {
        field.kind.reset();
        field.children.clear();
      }
    }
    out.push_back(std::move(field));
  }
  return true;
}

void writeVarint(Bytes &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
}

Bytes serialize(const std::vector<Field> &fields) {
  Bytes out;
  for (const Field &field : fields) {
    writeVarint(out, static_cast<uint64_t>(field.number) << 3 | field.wire);
    if (field.wire == 0) {
      writeVarint(out, field.varint);
      continue;
    }
    Bytes payload = field.kind ? serialize(field.children) : field.bytes;
    if (field.wire == 2)
      writeVarint(out, payload.size());
    out.insert(out.end(), payload.begin(), payload.end());
  }
  return out;
}

// Pointers into a tree: every field, and the list it stands in.
struct Place {
  std::vector<Field> *list;
  size_t index;
  Message parent;
  Field &field() const { return (*list)[index]; }
};

void collect(std::vector<Field> &fields, Message parent, std::vector<Place> &out) {
  for (size_t i = 0; i < fields.size(); ++i) {
    out.push_back({&fields, i, parent});
    if (fields[i].kind)
      collect(fields[i].children, *fields[i].kind, out);
  }
}

// A field of the same message type and number elsewhere; `place` itself when there is none.
const Field &findAlike(const Place &place, const std::vector<Place> &places, Random &random) {
  size_t start = random.below(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const Place &other = places[(start + i) % places.size()];
    if (other.parent == place.parent && other.field().number == place.field().number)
      return other.field();
  }
  return place.field();
}

void mutateText(Field &field, Random &random, const MutateBytes &mutateBytes) {
  if (random.oneIn(3)) {
    std::string word = random.pick(kWords);
    field.bytes.assign(word.begin(), word.end());
  } else if (random.oneIn(2) && field.bytes.size() >= 8) { // raw data, packed integers
    uint64_t value;
    size_t at = random.below(field.bytes.size() / 8) * 8;
    std::memcpy(&value, &field.bytes[at], 8);
    value = random.number(value);
    std::memcpy(&field.bytes[at], &value, 8);
  } else {
    mutateBytes(field.bytes);
  }
}

void mutatePlace(const Place &place, const std::vector<Place> &places, Random &random, const MutateBytes &mutateBytes) {
  Field &field = place.field();
  switch (random.below(6)) {
  case 0: place.list->erase(place.list->begin() + place.index); return;
  case 1: {
    Field copy = findAlike(place, places, random);
    place.list->insert(place.list->begin() + place.index, std::move(copy));
    return;
  }
  case 2: {
    Field copy = findAlike(place, places, random);
    place.list->at(place.index) = std::move(copy);
    return;
  }
  case 3: std::swap(field, random.pick(*place.list)); return;
  default:
    if (field.wire == 0)
      field.varint = random.number(field.varint);
    else if (!field.kind)
      mutateText(field, random, mutateBytes);
    else if (!field.children.empty())
      std::swap(random.pick(field.children), random.pick(field.children));
  }
}

} // namespace

Bytes heddle::fuzz::mutateOnnx(const Bytes &model, Random &random, const MutateBytes &mutateBytes) {
  std::vector<Field> root;
  if (random.oneIn(16) || !parse(model, Message::Model, root, 0) || root.empty()) {
    Bytes changed = model;
    mutateBytes(changed);
    return changed;
  }
  for (size_t n = 1 + random.below(3); n; --n) {
    std::vector<Place> places;
    collect(root, Message::Model, places);
    if (places.empty() || places.size() > kMostNodes)
      break;
    mutatePlace(random.pick(places), places, random, mutateBytes);
  }
  return serialize(root);
}

Bytes heddle::fuzz::crossOnnx(const Bytes &model, const Bytes &other, Random &random) {
  std::vector<Field> root, donor;
  if (!parse(model, Message::Model, root, 0) || !parse(other, Message::Model, donor, 0))
    return {};
  std::vector<Place> places, donors;
  collect(root, Message::Model, places);
  collect(donor, Message::Model, donors);
  if (places.empty() || donors.empty())
    return {};
  const Place &place = random.pick(places);
  size_t start = random.below(donors.size());
  for (size_t i = 0; i < donors.size(); ++i) {
    const Place &from = donors[(start + i) % donors.size()];
    if (from.parent != place.parent || from.field().number != place.field().number)
      continue;
    Field copy = from.field();
    if (random.oneIn(2))
      place.list->at(place.index) = std::move(copy);
    else
      place.list->insert(place.list->begin() + place.index, std::move(copy));
    break;
  }
  return serialize(root);
}
