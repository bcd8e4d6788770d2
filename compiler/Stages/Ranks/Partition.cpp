// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/RankProgram.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Flow/Transforms/Extents.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PARTITION
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

// The mesh with the most ranks: whoever is in another one is in it, too, where meshes cut one world.
static device::MeshOp findMesh(ModuleOp module) {
  device::MeshOp found;
  for (auto mesh : module.getOps<device::MeshOp>())
    if (!found || (mesh.getNumRanks() != device::MeshOp::kFree && mesh.getNumRanks() > found.getNumRanks()))
      found = mesh;
  return found;
}

namespace {

struct Partition : mlir::heddle::impl::PartitionBase<Partition> {
  void runOnOperation() override {
    StateShardings states = decideStates(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && isWholeProgram(function))
        if (failed(RankProgram(function, findMesh(getOperation()), states).run()))
          return signalPassFailure();
  }
};

} // namespace
