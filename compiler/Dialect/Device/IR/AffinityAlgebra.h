// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What affinities say about each other: pure functions. Each has its truth table in test/AffinityAlgebraTest.cpp.
#ifndef HEDDLE_COMPILER_DIALECT_DEVICE_IR_AFFINITYALGEBRA_H
#define HEDDLE_COMPILER_DIALECT_DEVICE_IR_AFFINITYALGEBRA_H

#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Device/IR/Topology.h"

namespace mlir::heddle::device {

// Whether work that belongs on `work` may run where `place` says: one device, and each queue of `place` is one of
// `work`'s. An affinity without queues has all of them. Not symmetric.
bool areExecutionCompatible(AffinityAttr work, AffinityAttr place);

// Whether code for one is code for the other: both devices can run the same set of executable targets; an overlap is
// not enough. Symmetric; false where a device is not declared.
bool areTranslationCompatible(AffinityAttr a, AffinityAttr b, const DeviceQuery &query);

// Whether a buffer in the memory of `from` is used in place by `to`: one device, or a unified link in that direction.
bool areAllocationCompatible(AffinityAttr from, AffinityAttr to, const Topology &topology);

// Where a value may be that may be on `a` or on `b`: the union of the queues on one device, #device.optimal across
// devices. Null is "not known" and neutral. An operand is an #device.affinity or #device.optimal; so is the result, its
// devices sorted by name: joining is commutative, associative and idempotent.
Attribute joinOr(Attribute a, Attribute b);

// Where a value may be that must be on `a` and on `b`: the intersection of the queues on one device. Null is "nowhere":
// two devices, or queues without a common one. Commutative, associative and idempotent.
Attribute joinAnd(Attribute a, Attribute b);

} // namespace mlir::heddle::device

#endif // HEDDLE_COMPILER_DIALECT_DEVICE_IR_AFFINITYALGEBRA_H
