// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Model/Schema.h"

#include "compiler/Dialect/Suggest.h"
#include "onnx-ml.pb.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;
using onnx::AttributeProto;

namespace {

struct Schema {
  StringLiteral op;
  int64_t since;
  bool removed;
  uint64_t fewestInputs, mostInputs, fewestOutputs, mostOutputs;
  StringLiteral types;      // of the inputs: type parameters, - for what has none; * behind the last: all that follow
  StringLiteral attributes; // name:TYPE, ! behind: required
};

const Schema kSchemas[] = {
#include "compiler/Stages/Import/Onnx/Model/Schemas.inc"
};

// The schemas of an operator, oldest first; none for an operator that ONNX has not.
ArrayRef<Schema> schemasOf(StringRef op) {
  static const llvm::StringMap<ArrayRef<Schema>> table = [] {
    llvm::StringMap<ArrayRef<Schema>> made;
    for (const Schema *begin = std::begin(kSchemas), *end; begin != std::end(kSchemas); begin = end) {
      end = std::find_if(begin, std::end(kSchemas), [&](const Schema &schema) { return schema.op != begin->op; });
      made[begin->op] = ArrayRef<Schema>(begin, end);
    }
    return made;
  }();
  return table.lookup(op);
}

// The schema in force; null if there is none, or the operator was removed.
const Schema *find(const Node &node) {
  const Schema *found = nullptr;
  if (node.domain.empty())
    for (const Schema &schema : schemasOf(node.op))
      found = schema.since <= node.version ? &schema : found;
  return found && !found->removed ? found : nullptr;
}

std::string describeCount(StringRef verb, StringRef noun, uint64_t fewest, uint64_t most, size_t got) {
  if (got >= fewest && got <= most)
    return "";
  constexpr uint64_t kAnyNumber = (1ull << 31) - 1;
  bool one = (most >= kAnyNumber ? fewest : most) == 1;
  std::string count = most >= kAnyNumber ? "at least " + std::to_string(fewest)
                      : fewest == most   ? std::to_string(fewest)
                                         : std::to_string(fewest) + " to " + std::to_string(most);
  return (verb + " " + count + " " + noun + (one ? "" : "s") + ", got " + Twine(got)).str();
}

std::string typeName(AttributeProto::AttributeType type) {
  return StringRef(AttributeProto::AttributeType_Name(type)).lower();
}

std::string describeAttributes(const Node &node, const Schema &schema) {
  SmallVector<StringRef> entries, names;
  schema.attributes.split(entries, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    bool required = entry.consume_back("!");
    auto [name, type] = entry.split(':');
    names.push_back(name);
    auto given = node.attributes.find(name);
    if (given == node.attributes.end()) {
      if (required)
        return ("needs the attribute '" + name + "'").str();
      continue;
    }
    std::string got = typeName(given->second->type());
    if (type.lower() != got)
      return ("attribute '" + name + "' must be of type " + type.lower() + ", got " + got).str();
  }
  SmallVector<StringRef> given(node.attributes.keys());
  llvm::sort(given);
  for (StringRef name : given)
    if (!llvm::is_contained(names, name))
      return ("has no attribute '" + name + "'").str() + didYouMean(name, names);
  return "";
}

std::string describeTypes(const Schema &schema, ArrayRef<Tensor *> operands) {
  SmallVector<StringRef> parameters;
  schema.types.split(parameters, ' ', -1, /*KeepEmpty=*/false);
  llvm::StringMap<SmallVector<Tensor *>> bound;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    StringRef parameter = parameters.empty() ? "-" : parameters[std::min(i, parameters.size() - 1)];
    parameter.consume_back("*");
    if (operand && parameter != "-")
      bound[parameter].push_back(operand);
  }
  for (auto &[parameter, tensors] : bound) {
    auto sameType = [&, first = tensors.front()](Tensor *tensor) { return tensor->elementType == first->elementType; };
    if (llvm::all_of(tensors, sameType))
      continue;
    std::string text = tensors.size() == 2
                           ? "both operands must have the same element type, got "
                           : "the operands of type " + parameter.str() + " must have the same element type, got ";
    llvm::raw_string_ostream os(text);
    llvm::interleave(tensors, os, [&](Tensor *tensor) { os << spellTensor(*tensor); }, " and ");
    return text;
  }
  return "";
}

} // namespace

std::string mlir::heddle::importer::spellSizes(ArrayRef<OpFoldResult> sizes) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      sizes, os,
      [&](OpFoldResult size) {
        if (std::optional<int64_t> fixed = getConstantIntValue(size))
          os << *fixed;
        else
          os << "?";
      },
      ",");
  return text + "]";
}

std::string mlir::heddle::importer::spellTensor(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream(text) << tensor.elementType;
  return text + spellSizes(tensor.sizes);
}

std::string mlir::heddle::importer::findTypeMismatch(const Node &node, ArrayRef<Tensor *> operands) {
  const Schema *schema = find(node);
  return schema ? describeTypes(*schema, operands) : "";
}

std::string mlir::heddle::importer::findBrokenRule(const Node &node) {
  const Schema *schema = find(node);
  if (!schema)
    return "";
  std::string broken = describeCount("takes", "input", schema->fewestInputs, schema->mostInputs, node.inputs.size());
  if (broken.empty() && node.outputs.size() > schema->mostOutputs) // fewer: what nobody reads may be left out
    broken = describeCount("gives", "output", schema->fewestOutputs, schema->mostOutputs, node.outputs.size());
  return broken.empty() ? describeAttributes(node, *schema) : broken;
}

std::string mlir::heddle::importer::findUnknownOperator(const Node &node) {
  ArrayRef<Schema> schemas = schemasOf(node.op);
  if (!node.domain.empty() || find(node))
    return "";
  if (schemas.empty()) {
    SmallVector<StringRef> names;
    for (const Schema &schema : kSchemas)
      names.push_back(schema.op);
    return "ai.onnx has no such operator" + didYouMean(node.op, names);
  }
  if (node.version < schemas.front().since)
    return "ai.onnx has this operator from operator set " + std::to_string(schemas.front().since) + " on";
  return "ai.onnx has this operator no longer: operator set " + std::to_string(schemas.back().since) + " removed it";
}
