// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which executables a program needs once layouts are known, and their functions with these layouts.
#ifndef HEDDLE_COMPILER_STAGES_RESOLVE_RESOLVEEXECUTABLES_H
#define HEDDLE_COMPILER_STAGES_RESOLVE_RESOLVEEXECUTABLES_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Stages/Resolve/DeviceLayouts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::heddle {

// Each dispatch demands of its executable, for each executable target of its device, a layout of every encoded type.
// Dispatches whose demands agree wherever they name the same target share one executable, whose types then say the
// layout by target; a target with two demands makes a copy, `NAME_layout_1`. Demands are those of the device's class:
// more devices of a kind cost nothing.
class ExecutableVersions {
public:
  ExecutableVersions(ModuleOp module, DeviceLayouts &layouts) : module(module), layouts(layouts), symbols(module) {}

  // Notes the need of one dispatch that runs on `device`. Fails with a diagnostic at the dispatch.
  LogicalResult add(flow::DispatchOp dispatch, device::GlobalOp device);

  // Whether the executable's function has encodings to resolve.
  bool needsLayouts(flow::ExecutableOp executable) { return !typesOf(executable).empty(); }

  // Makes the copies, retargets the dispatches, resolves all functions; those that nobody runs as on the default
  // device.
  LogicalResult resolve();

  SymbolTable &getSymbols() { return symbols; }

private:
  struct Need { // of one executable target
    device::ExecutableAttr target;
    SmallVector<Attribute> layouts; // of the executable's types
    bool operator==(const Need &) const = default;
  };
  struct Version {
    SmallVector<Need> needs;
    SmallVector<flow::DispatchOp> dispatches;
  };
  struct Use {
    SmallVector<Type> types; // abstract ones, each once
    SmallVector<Version, 1> versions;
    llvm::DenseMap<const DeviceLayouts::Class *, unsigned> versionOf;
  };

  ArrayRef<Type> typesOf(flow::ExecutableOp executable);
  FailureOr<unsigned> findVersion(Use &use, device::GlobalOp device, Operation *op);
  LogicalResult resolve(flow::ExecutableOp executable, Use &use);
  LogicalResult retype(func::FuncOp function, ArrayRef<Type> types, const Version &version);

  ModuleOp module;
  DeviceLayouts &layouts;
  SymbolTable symbols;
  llvm::MapVector<Operation *, Use> uses;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RESOLVE_RESOLVEEXECUTABLES_H
