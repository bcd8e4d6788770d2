// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an ONNX model says of devices: where its nodes are to run.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_DEVICEANNOTATIONS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_DEVICEANNOTATIONS_H

#include "compiler/Stages/Import/Onnx/Model/Model.h"

namespace mlir::heddle::importer {

// The device that a node asks for, or "". Its `metadata_props` with the key "heddle.device" say it by name; else its
// `device_configurations` (ONNX 1.18) for the model's first configuration: the one device of its sharding specs, or its
// pipeline stage, is a position in the configuration's list of devices, "device_2" where the list has no names. A
// node that is sharded over several has none (ShardingSpecs.h). Fails with a diagnostic at `location` for a
// configuration that the model does not list, or a position beyond its devices.
FailureOr<std::string> readDevice(const onnx::ModelProto &model, const onnx::NodeProto &node, StringRef name,
                                  Location location);

// The device of each node that has one, in graphs inside nodes too, by the node's name. Fails where nodes of one name
// have several devices.
FailureOr<llvm::StringMap<std::string>> collectDevices(ArrayRef<Node> nodes, Location location);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_MODEL_DEVICEANNOTATIONS_H
