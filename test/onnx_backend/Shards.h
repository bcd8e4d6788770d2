// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests in processes of their own: one worker for each core, all taking from one list.
#ifndef HEDDLE_TEST_ONNX_BACKEND_SHARDS_H
#define HEDDLE_TEST_ONNX_BACKEND_SHARDS_H

#include "test/onnx_backend/Outcome.h"

#include <functional>
#include <vector>

namespace heddle::onnx_tests {

struct ShardOptions {
  unsigned workers = 1;
  unsigned timeoutSeconds = 30; // for one test
};

// Calls `body(test, worker)` for every test below `count`, in worker processes (0 to workers - 1), and returns the
// outcomes in order. A worker that dies, or needs more than the time for one test, gives that test the outcome Crashed;
// a new worker goes on with the rest. The caller must have no threads.
std::vector<Outcome> runShards(size_t count, const ShardOptions &options,
                               const std::function<Outcome(size_t test, unsigned worker)> &body);

} // namespace heddle::onnx_tests

#endif // HEDDLE_TEST_ONNX_BACKEND_SHARDS_H
