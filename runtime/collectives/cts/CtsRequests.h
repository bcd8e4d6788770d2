// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of the conformance suite, whose results every rank can compute.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_CTS_CTSREQUESTS_H
#define HEDDLE_RUNTIME_COLLECTIVES_CTS_CTSREQUESTS_H

#include "runtime/collectives/cts/Cts.h"

namespace heddle::collectives {

// Of `count` elements, without memory. A permutation is a ring, in which the last member sends to nobody where `open`.
Request request(CollectiveKind kind, ElementType type, uint64_t count, const Group &group, bool open = false);

// Where the target lies: in memory of its own, or where the source lies.
enum class Place { Apart, InPlace };

// Runs it on samples and compares all bytes of the target, and of what lies around it.
void runAndCompare(Group &group, Request request, Place place = Place::Apart, uint32_t seed = 0);

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_CTS_CTSREQUESTS_H
