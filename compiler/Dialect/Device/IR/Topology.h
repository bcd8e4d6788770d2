// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the devices of a module share: `#device.topology` as a table.
#ifndef HEDDLE_COMPILER_DIALECT_DEVICE_IR_TOPOLOGY_H
#define HEDDLE_COMPILER_DIALECT_DEVICE_IR_TOPOLOGY_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::heddle::device {

// Empty without a topology: then nothing is shared but what is on one device.
class Topology {
public:
  explicit Topology(TopologyAttr topology); // may be null
  // That of `device.topology`.
  explicit Topology(ModuleOp module);

  // Null where there is none; directional.
  LinkAttr lookup(StringAttr from, StringAttr to) const { return links.lookup({from, to}); }

  // `to` uses buffers of `from` in place. A device is unified with itself.
  bool isUnified(StringAttr from, StringAttr to) const;
  // `to` can use them, but a copy is faster.
  bool isTransparent(StringAttr from, StringAttr to) const;

private:
  llvm::DenseMap<std::pair<StringAttr, StringAttr>, LinkAttr> links;
};

} // namespace mlir::heddle::device

#endif // HEDDLE_COMPILER_DIALECT_DEVICE_IR_TOPOLOGY_H
