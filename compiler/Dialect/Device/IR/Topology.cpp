// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/Topology.h"

using namespace mlir;
using namespace mlir::heddle::device;

Topology::Topology(TopologyAttr topology) {
  if (topology)
    for (LinkAttr link : topology.getLinks())
      links[{link.getFrom().getAttr(), link.getTo().getAttr()}] = link;
}

Topology::Topology(ModuleOp module)
    : Topology(module->getAttrOfType<TopologyAttr>(StringRef(DeviceDialect::kTopologyAttr))) {}

bool Topology::isUnified(StringAttr from, StringAttr to) const {
  if (from == to)
    return true;
  LinkAttr link = lookup(from, to);
  return link && link.isUnified();
}

bool Topology::isTransparent(StringAttr from, StringAttr to) const {
  LinkAttr link = lookup(from, to);
  return link && link.isTransparent();
}
