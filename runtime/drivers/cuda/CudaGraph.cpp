// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/cuda/CudaGraph.h"

#include "runtime/base/Guarded.h"

namespace heddle::cuda {

StatusOr<std::unique_ptr<CudaGraph>> CudaGraph::create(std::shared_ptr<CudaContext> context) {
  std::unique_ptr<CudaGraph> graph(new CudaGraph(std::move(context)));
  HEDDLE_RETURN_IF_ERROR(graph->context_->enter());
  HEDDLE_CUDA(*graph->context_, GraphCreate, &graph->graph_, 0);
  return graph;
}

CudaGraph::~CudaGraph() {
  if (!guarded([&] { return context_->enter(); }).ok())
    return;
  if (executable_)
    (void)context_->api.GraphExecDestroy(executable_);
  if (graph_)
    (void)context_->api.GraphDestroy(graph_);
}

Status CudaGraph::add(const KernelNodeParams &kernel) {
  CUgraphNode node = nullptr;
  kernels_.reserve(kernels_.size() + 1);
  HEDDLE_CUDA(*context_, GraphAddKernelNode, &node, graph_, &last_, last_ ? 1 : 0, &kernel);
  kernels_.push_back(last_ = node);
  return {};
}

Status CudaGraph::add(const MemsetNodeParams &set) {
  CUgraphNode node = nullptr;
  HEDDLE_CUDA(*context_, GraphAddMemsetNode, &node, graph_, &last_, last_ ? 1 : 0, &set, context_->handle());
  last_ = node;
  return {};
}

Status CudaGraph::change(size_t index, const KernelNodeParams &kernel) {
  HEDDLE_CUDA(*context_, GraphExecKernelNodeSetParams, executable_, kernels_[index], &kernel);
  return {};
}

Status CudaGraph::launch(CUstream stream) {
  if (!executable_)
    HEDDLE_CUDA(*context_, GraphInstantiate, &executable_, graph_, 0);
  HEDDLE_CUDA(*context_, GraphLaunch, executable_, stream);
  return {};
}

} // namespace heddle::cuda
