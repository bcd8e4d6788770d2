// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's GPUs by the CUDA driver API: `cuda`, `cuda://N`, or `cuda://UUID` as nvidia-smi -L spells it.
//
// libcuda.so.1 is opened when a CUDA device is first asked for; no toolkit is needed. `?memory=2g` limits what is
// allocated. CI tests it against a recording fake of the library (test/FakeCuda.cpp), by the documentation of the API;
// hardware was seen by hand, with the conformance suite (docs/design/queues.md).
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDADRIVER_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDADRIVER_H

#include "runtime/hal/Driver.h"

namespace heddle {

const hal::Driver &cudaDriver();

} // namespace heddle

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDADRIVER_H
