// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A topology file (`heddle devices --measure`, or written by hand) as attributes of a module: what `heddle compile
// --topology=` does after stage `devices`.
#ifndef HEDDLE_COMPILER_PIPELINES_READTOPOLOGY_H
#define HEDDLE_COMPILER_PIPELINES_READTOPOLOGY_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

// Links between devices of the file become the module's `device.topology`; rates and counts (gflops, memory_gbps,
// queues, units) go into the first target of each device.global, but never over one that is there, and so do links with
// "host" that are not unified. A rate that the file lacks is not below the highest that it has of another device. A
// device of the program is found in the file by its own name, else as the driver of its first target and its ordinal,
// `local[1]`; without an ordinal it is the first of the driver that no other device got, as at load. Devices and links
// that the program does not have are ignored; a device that the file does not have gets a remark. Fails with a
// diagnostic on a file that cannot be read, and where the module has a topology already.
//
//   {"version": 1, "devices": [{"name": "local[0]", "gflops": 150, "memory_gbps": 12}],
//    "links": [{"from": "local[0]", "to": "gpu", "bandwidth_gbps": 12.5, "latency_us": 9}]}
LogicalResult applyTopology(ModuleOp module, StringRef path);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_READTOPOLOGY_H
