// What an ONNX model says of devices: where its nodes are to run.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_DEVICEANNOTATIONS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_DEVICEANNOTATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

namespace onnx {
class ModelProto;
}

namespace mlir::heddle::importer {

// The device of each node that has one, in graphs inside nodes too, by the node's name (or "Op_12"). A node's
// `metadata_props` with the key "heddle.device" say it by name; else its `device_configurations` (ONNX 1.18) for the
// model's first configuration: the one device of its sharding specs, or its pipeline stage, is a position in the
// configuration's list of devices, "device_2" where the list has no names. Fails with a diagnostic at `location` for a
// node that is sharded over several devices, a configuration that the model does not list, a position beyond its
// devices, or nodes of one name and several devices.
FailureOr<llvm::StringMap<std::string>> readDeviceAnnotations(const onnx::ModelProto &model, Location location);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_DEVICEANNOTATIONS_H
