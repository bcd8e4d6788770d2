// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of an ONNX model as a tree of protobuf fields, so that sizes stay right and names, ops and attributes that
// exist in the model meet in new ways. For LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver.
#ifndef HEDDLE_TEST_FUZZ_ONNXMUTATOR_H
#define HEDDLE_TEST_FUZZ_ONNXMUTATOR_H

#include "test/fuzz/Mutator.h"

namespace heddle::fuzz {

// A changed copy of `model`. Bytes that are no protobuf message, and one case in a few, are only changed as bytes.
Bytes mutateOnnx(const Bytes &model, Random &random, const MutateBytes &mutateBytes);

// `model` with one part replaced by, or joined by, a part of the same kind of `other`. Empty when either is no message.
Bytes crossOnnx(const Bytes &model, const Bytes &other, Random &random);

} // namespace heddle::fuzz

#endif // HEDDLE_TEST_FUZZ_ONNXMUTATOR_H
