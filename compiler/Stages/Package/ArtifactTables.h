// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of an artifact that instructions index, filled while functions are flattened: what no instruction names
// does not get in.
#ifndef HEDDLE_COMPILER_STAGES_PACKAGE_ARTIFACTTABLES_H
#define HEDDLE_COMPILER_STAGES_PACKAGE_ARTIFACTTABLES_H

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Host/IR/HostOps.h"
#include "heddle/contract/Artifact_generated.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::heddle {

class ArtifactTables {
public:
  // Index of a symbol in its table, added on first use.
  uint32_t device(StringRef name) { return indexOf(deviceIndex, deviceNames, name); }
  uint32_t parameter(StringRef name) { return indexOf(parameterIndex, parameterNames, name); }
  // An executable with how its first dispatch uses it.
  uint32_t executable(host::DispatchOp dispatch);
  uint32_t plan(host::PlanOp op);
  // What @__bind binds under a name.
  uint32_t bound(StringRef name, bool isBuffer);
  // The flow.global that a value of an entry point on `device` is; -1: none. The first value of each is its
  // description.
  int32_t global(host::ValueAttr value, uint32_t device);
  // Of an #encoding.layout that parameters are packed into.
  uint32_t layout(Attribute layout);
  // A device.mesh that `user` names, and what a collective does: ops that do the same at one place share an entry.
  uint32_t mesh(Operation *user, FlatSymbolRefAttr name);
  uint32_t collective(host::CollectiveOp op);
  // The axes that cut each dimension, by their places in the mesh of the sharding.
  std::vector<std::unique_ptr<::heddle::fb::RankListT>> shards(Operation *user, flow::ShardingAttr sharding);
  uint32_t message(StringRef text) { return indexOf(messageIndex, messageTexts, text); }
  // UINT32_MAX for a location that says nothing.
  uint32_t location(Location loc);

  ArrayRef<std::string> devices() const { return deviceNames; }
  ArrayRef<std::string> parameters() const { return parameterNames; }
  ArrayRef<std::string> messages() const { return messageTexts; }
  ArrayRef<host::DispatchOp> executables() const { return firstDispatches; }
  std::vector<std::unique_ptr<::heddle::fb::PlanSpecT>> takePlans() { return std::move(plans); }
  std::vector<std::unique_ptr<::heddle::fb::BoundT>> takeBounds() { return std::move(bounds); }
  std::vector<std::unique_ptr<::heddle::fb::GlobalT>> &getGlobals() { return globals; }
  std::vector<std::unique_ptr<::heddle::fb::LayoutT>> takeLayouts() { return std::move(layouts); }
  std::vector<std::unique_ptr<::heddle::fb::MeshT>> takeMeshes() { return std::move(meshes); }
  std::vector<std::unique_ptr<::heddle::fb::CollectiveT>> takeCollectives() { return std::move(collectives); }
  std::vector<std::unique_ptr<::heddle::fb::LocationT>> takeLocations() { return std::move(locations); }

private:
  static uint32_t indexOf(llvm::StringMap<uint32_t> &index, std::vector<std::string> &names, StringRef name);

  llvm::StringMap<uint32_t> deviceIndex, parameterIndex, executableIndex, messageIndex, boundIndex, globalIndex,
      meshIndex;
  std::vector<std::string> deviceNames, parameterNames, executableNames, messageTexts;
  std::vector<host::DispatchOp> firstDispatches;
  llvm::DenseMap<Attribute, uint32_t> planIndex;
  std::vector<std::unique_ptr<::heddle::fb::PlanSpecT>> plans;
  std::vector<std::unique_ptr<::heddle::fb::BoundT>> bounds;
  std::vector<std::unique_ptr<::heddle::fb::GlobalT>> globals;
  std::vector<std::unique_ptr<::heddle::fb::MeshT>> meshes;
  llvm::DenseMap<std::pair<Attribute, Location>, uint32_t> collectiveIndex;
  std::vector<std::unique_ptr<::heddle::fb::CollectiveT>> collectives;
  llvm::DenseMap<Attribute, uint32_t> layoutIndex;
  std::vector<std::unique_ptr<::heddle::fb::LayoutT>> layouts;
  llvm::DenseMap<Location, uint32_t> locationIndex;
  llvm::StringMap<uint32_t> locationTexts; // locations that differ in what the artifact does not keep are one
  std::vector<std::unique_ptr<::heddle::fb::LocationT>> locations;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PACKAGE_ARTIFACTTABLES_H
