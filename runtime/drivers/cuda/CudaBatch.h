// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one ticket of a CUDA queue stands for: an event, status words and staging in pinned memory, all used again when
// the event is reached. Plain data of the queue, which makes and destroys it.
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDABATCH_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDABATCH_H

#include "runtime/drivers/cuda/CudaGraph.h"
#include "runtime/hal/Commands.h"
#include "runtime/hal/KernelStatus.h"

#include <cstring>

namespace heddle::cuda {

// Pinned memory, cut from its start.
struct PinnedChunk {
  std::byte *host = nullptr;
  CUdeviceptr device = 0; // where it is for kernels
  uint64_t bytes = 0, used = 0;
};

// What one ticket stands for.
struct Batch {
  static constexpr uint64_t kStatusBytes = 64 << 10, kStagingBytes = 4 << 20;
  struct Launched {
    const std::byte *status;
    const hal::DispatchLabel *label;
  };
  CUevent event = nullptr;
  PinnedChunk statuses, staging;
  std::vector<Launched> launched;
  struct Delivery {
    std::byte *to;
    const std::byte *from;
    uint64_t bytes;
  };
  std::vector<Delivery> deliveries; // from staging to memory of the host, when the batch is done
  uint64_t ticket = 0;
  uint64_t recording = 0;           // engines::Recordings; 0: none
  bool issued = false;              // the graph was launched since the batch was opened
  std::unique_ptr<CudaGraph> graph; // what the batch does, if it is to be done again; null: it was issued

  Status kernelFailure() const {
    for (const Launched &one : launched) {
      int32_t status;
      std::memcpy(&status, one.status, sizeof(status));
      if (status)
        return hal::describeFailure(one.label, hal::kernelFailure(status));
    }
    return {};
  }
};

} // namespace heddle::cuda

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDABATCH_H
