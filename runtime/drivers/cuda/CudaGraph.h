// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels and sets of memory in one order, built once and launched as one piece of work again and again (a CUDA graph).
// Kernels may get other parameters between launches. The device must be done with it before it changes or goes.
//
//   StatusOr<std::unique_ptr<CudaGraph>> graph = CudaGraph::create(context);
//   HEDDLE_RETURN_IF_ERROR((*graph)->add(kernel));          // as often as wanted, then
//   HEDDLE_RETURN_IF_ERROR((*graph)->launch(stream));
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAGRAPH_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAGRAPH_H

#include "runtime/drivers/cuda/CudaContext.h"

#include <vector>

namespace heddle::cuda {

class CudaGraph {
public:
  static StatusOr<std::unique_ptr<CudaGraph>> create(std::shared_ptr<CudaContext> context);
  ~CudaGraph();
  CudaGraph(const CudaGraph &) = delete;
  CudaGraph &operator=(const CudaGraph &) = delete;

  // What the parameters point to is read at once.
  Status add(const KernelNodeParams &kernel);
  Status add(const MemsetNodeParams &set);
  // The kernel that was added as the `index`-th of the kernels: another launch of the same function.
  Status change(size_t index, const KernelNodeParams &kernel);
  Status launch(CUstream stream);

private:
  explicit CudaGraph(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}

  std::shared_ptr<CudaContext> context_;
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr; // once launched
  CUgraphNode last_ = nullptr;
  std::vector<CUgraphNode> kernels_;
};

} // namespace heddle::cuda

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAGRAPH_H
