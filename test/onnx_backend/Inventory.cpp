// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/onnx_backend/Inventory.h"

#include "onnx-ml.pb.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace heddle::onnx_tests {
namespace {

void collectOps(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, std::set<std::string> &ops) {
  for (const onnx::NodeProto &node : nodes) {
    ops.insert(node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type());
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        collectOps(attribute.g().node(), ops);
      for (const onnx::GraphProto &graph : attribute.graphs())
        collectOps(graph.node(), ops);
    }
  }
}

bool isOrdinary(const onnx::ValueInfoProto &port) {
  if (!port.type().has_tensor_type())
    return false;
  int type = port.type().tensor_type().elem_type();
  return type != onnx::TensorProto::STRING && type <= onnx::TensorProto::BFLOAT16;
}

} // namespace

std::vector<std::string> listTests(const std::string &data, const std::vector<std::string> &sets) {
  std::vector<std::string> names;
  for (const std::string &set : sets) {
    size_t before = names.size();
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(data + "/" + set, error))
      if (std::filesystem::exists(entry.path() / "model.onnx"))
        names.push_back((set.empty() ? "" : set + "/") + entry.path().filename().string());
    if (names.size() == before)
      throw tools::Failure("no tests in '" + data + "/" + set + "': is the Python package onnx installed there?");
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::set<std::string> readOps(const std::string &path) {
  std::istringstream text(tools::readText(path));
  return {std::istream_iterator<std::string>(text), {}};
}

bool usesOnly(const std::string &model, const std::set<std::string> &ops) {
  onnx::ModelProto proto;
  if (!proto.ParseFromString(tools::readText(model)))
    throw tools::Failure(model + " is not an ONNX model");
  std::set<std::string> used;
  collectOps(proto.graph().node(), used);
  for (const onnx::FunctionProto &function : proto.functions())
    collectOps(function.node(), used);
  return std::all_of(proto.graph().input().begin(), proto.graph().input().end(), isOrdinary) &&
         std::all_of(proto.graph().output().begin(), proto.graph().output().end(), isOrdinary) &&
         std::includes(ops.begin(), ops.end(), used.begin(), used.end());
}

} // namespace heddle::onnx_tests
