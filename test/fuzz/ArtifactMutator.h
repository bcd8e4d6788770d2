// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of an artifact that get behind the loader's first checks: the metadata is taken apart, changed in its own
// terms (an instruction, an index, a size) and put together again with a right hash. For LLVMFuzzerCustomMutator.
#ifndef HEDDLE_TEST_FUZZ_ARTIFACTMUTATOR_H
#define HEDDLE_TEST_FUZZ_ARTIFACTMUTATOR_H

#include "test/fuzz/Mutator.h"

namespace heddle::fuzz {

// A changed copy of `artifact`, of any size. Bytes that are no artifact, and one case in a few, are only changed as
// bytes (by `mutateBytes`).
Bytes mutateArtifact(const Bytes &artifact, Random &random, const MutateBytes &mutateBytes);

} // namespace heddle::fuzz

#endif // HEDDLE_TEST_FUZZ_ARTIFACTMUTATOR_H
