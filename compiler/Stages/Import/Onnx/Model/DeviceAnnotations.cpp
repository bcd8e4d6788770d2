// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Model/DeviceAnnotations.h"

#include "compiler/Dialect/Suggest.h"

#include "mlir/IR/Diagnostics.h"

#include "onnx-ml.pb.h"

#include <optional>
#include <set>

using namespace mlir;
using namespace mlir::heddle;

// The positions of the devices that a node's tensors are on.
static std::set<int64_t> positionsOf(const onnx::NodeDeviceConfigurationProto &entry) {
  std::set<int64_t> positions;
  for (const auto &spec : entry.sharding_spec()) {
    positions.insert(spec.device().begin(), spec.device().end());
    for (const auto &group : spec.index_to_device_group_map())
      positions.insert(group.value().begin(), group.value().end());
  }
  if (positions.empty() && entry.has_pipeline_stage())
    positions.insert(entry.pipeline_stage());
  return positions;
}

static LogicalResult checkConfiguration(const onnx::ModelProto &model, StringRef id, StringRef node,
                                        Location location) {
  std::vector<std::string> known;
  for (const auto &configuration : model.configuration())
    known.push_back(configuration.name());
  if (llvm::is_contained(known, id))
    return success();
  return emitError(location) << "node '" << node << "' is placed for the device configuration '" << id
                             << "', which the model does not list; it lists: " << listNames(known)
                             << didYouMean(id, known);
}

// "" where the node's configurations say nothing for the model's first.
static FailureOr<std::string> readConfigurations(const onnx::ModelProto &model, const onnx::NodeProto &node,
                                                 StringRef name, Location location) {
  for (const auto &entry : node.device_configurations()) {
    if (failed(checkConfiguration(model, entry.configuration_id(), name, location)))
      return failure();
    const onnx::DeviceConfigurationProto &first = model.configuration(0);
    if (entry.configuration_id() != first.name())
      continue;
    std::set<int64_t> positions = positionsOf(entry);
    if (positions.empty())
      return std::string();
    if (positions.size() > 1) // ranks share its tensors: ShardingSpecs.h
      return std::string();
    int64_t position = *positions.begin(), count = std::max<int64_t>(first.num_devices(), first.device_size());
    if (position < 0 || position >= count)
      return emitError(location) << "node '" << name << "' is placed on device " << position
                                 << " of the configuration '" << first.name() << "', which has " << count;
    return position < first.device_size() ? first.device(position) : "device_" + std::to_string(position);
  }
  return std::string();
}

FailureOr<std::string> importer::readDevice(const onnx::ModelProto &model, const onnx::NodeProto &node, StringRef name,
                                            Location location) {
  FailureOr<std::string> device = readConfigurations(model, node, name, location);
  if (failed(device))
    return failure();
  for (const auto &property : node.metadata_props())
    if (property.key() == "heddle.device")
      device = property.value();
  return device;
}

static std::string spell(StringRef device) {
  return device.empty() ? "no device of its own" : "device '" + device.str() + "'";
}

// `devices`: by the node's name; "" where it says nothing.
static LogicalResult collect(ArrayRef<importer::Node> nodes, llvm::StringMap<std::string> &devices, Location location) {
  for (const importer::Node &node : nodes) {
    auto [known, isNew] = devices.try_emplace(node.name, node.device);
    if (!isNew && known->second != node.device) {
      const std::string &first = std::max(known->second, node.device), &second = std::min(known->second, node.device);
      return emitError(location) << "several nodes are called '" << node.name << "', one on " << spell(first)
                                 << ", one on " << spell(second) << ": give them names of their own";
    }
    for (const auto &graph : node.graphs)
      if (failed(collect(graph.second->nodes, devices, location)))
        return failure();
  }
  return success();
}

FailureOr<llvm::StringMap<std::string>> importer::collectDevices(ArrayRef<Node> nodes, Location location) {
  llvm::StringMap<std::string> devices, placed;
  if (failed(collect(nodes, devices, location)))
    return failure();
  for (auto &entry : devices)
    if (!entry.second.empty())
      placed[entry.first()] = entry.second;
  return placed;
}
