// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a sharding file asks of the values of one compilation, and which of its lines found a value.
//
//   FailureOr<ShardRequests> requests = ShardRequests::read("tp.shard", context, {});
//   FailureOr<flow::ShardingAttr> asked = requests->find({"h.0.up.weight", "MatMul_3"}, 2);   // null: nothing
//   ...
//   requests->declareMeshes(module);
//   return requests->reportIdle();
//
// Errors are diagnostics at the file's line. Whoever imports a model writes a flow.shard on each value for which
// something is asked.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ANNOTATIONS_SHARDREQUESTS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ANNOTATIONS_SHARDREQUESTS_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Stages/Import/Annotations/ShardFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::heddle {

// How a value may be called: by its own name, or by that of the node that gives it. "" where it has none.
struct ValueNames {
  StringRef value, node;
};

class ShardRequests {
public:
  // `known`: meshes that the model declares itself, which lines may name, too.
  static FailureOr<ShardRequests> read(StringRef path, MLIRContext *context, ArrayRef<device::MeshOp> known);

  // What the first line that fits a name of the value asks; null: nothing. Fails where the line cannot be meant for a
  // value of that rank.
  FailureOr<flow::ShardingAttr> find(ValueNames names, int64_t rank);

  // A value that no rank has: a size or counter that the host computes. Says so in place of "fits nothing".
  void noteHost(ValueNames names);

  // Adds a device.mesh for each mesh of the file. The names must be free.
  LogicalResult declareMeshes(ModuleOp module) const;

  // Fails with an error for each line that fitted no value; a line whose values earlier lines took is right.
  LogicalResult reportIdle() const;

private:
  ShardRequests(StringRef path, MLIRContext *context) : path(path.str()), context(context) {}

  Location at(unsigned line) const { return FileLineColLoc::get(context, path, line, 1); }
  LogicalResult resolveMeshes(ArrayRef<device::MeshOp> known);
  LogicalResult resolveMesh(ShardRule &rule);
  FailureOr<flow::ShardingAttr> makeSharding(const ShardRule &rule, StringRef name, int64_t rank) const;

  std::string path;
  MLIRContext *context;
  ShardFile file;
  llvm::StringMap<std::vector<std::string>> axes; // of each mesh, also of those that the model declares
  std::vector<bool> matched;                      // of each rule
  llvm::SetVector<StringAttr> seen, onHost;       // names
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ANNOTATIONS_SHARDREQUESTS_H
