// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank on a GPU: that NCCL takes what we give it. Skipped, with words, where there is no GPU or no NCCL.
#include "runtime/collectives/local/LocalGroup.h"
#include "runtime/collectives/nccl/NcclApi.h"
#include "runtime/collectives/nccl/NcclGroup.h"
#include "runtime/drivers/cuda/CudaApi.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace heddle::collectives {
namespace {

using namespace heddle::cuda;

TEST(NcclHardware, OneRank) {
  StatusOr<const CudaApi *> cuda = CudaApi::get();
  if (!cuda.ok())
    GTEST_SKIP() << cuda.status().text();
  const StatusOr<const NcclApi *> nccl = NcclApi::get();
  if (!nccl.ok())
    GTEST_SKIP() << nccl.status().text();
  CUcontext context;
  CUstream stream;
  CUdeviceptr source, target;
  constexpr uint64_t kCount = 1 << 20, kBytes = kCount * sizeof(float);
  ASSERT_EQ((*cuda)->DevicePrimaryCtxRetain(&context, 0), kSuccess);
  ASSERT_EQ((*cuda)->CtxSetCurrent(context), kSuccess);
  ASSERT_EQ((*cuda)->StreamCreate(&stream, kStreamNonBlocking), kSuccess);
  ASSERT_EQ((*cuda)->MemAlloc(&source, kBytes), kSuccess);
  ASSERT_EQ((*cuda)->MemAlloc(&target, kBytes), kSuccess);
  auto world = std::move(*createLocalWorld(1));
  StatusOr<std::unique_ptr<DeviceGroup>> group = createNcclGroup(*world[0], [&](void *at, uint64_t bytes, void *on) {
    return (*cuda)->MemsetD8Async(reinterpret_cast<CUdeviceptr>(at), 0, bytes, static_cast<CUstream>(on)) == kSuccess
               ? Status()
               : Status(StatusCode::Internal, "cuMemsetD8Async");
  });
  ASSERT_TRUE(group.ok()) << group.status().text();
  std::vector<float> values(kCount), got(kCount);
  for (uint64_t i = 0; i < kCount; ++i)
    values[i] = float(i % 1000);
  for (const CollectiveKind kind :
       {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather, CollectiveKind::Broadcast,
        CollectiveKind::AllToAll, CollectiveKind::Permute, CollectiveKind::Gather, CollectiveKind::Scatter}) {
    ASSERT_EQ((*cuda)->MemcpyHtoDAsync(source, values.data(), kBytes, stream), kSuccess);
    ASSERT_EQ((*cuda)->MemsetD8Async(target, 7, kBytes, stream), kSuccess);
    Request request;
    request.kind = kind, request.type = ElementType::F32, request.count = kCount, request.name = "smoke";
    request.source = reinterpret_cast<const void *>(source), request.target = reinterpret_cast<void *>(target);
    request.sendTo = request.receiveFrom = 0;
    const Status status = (*group)->enqueue(request, stream);
    ASSERT_TRUE(status.ok()) << spelling(kind) << ": " << status.text();
    for (bool issued = false; !issued; std::this_thread::yield()) {
      StatusOr<bool> answer = (*group)->isIssued();
      ASSERT_TRUE(answer.ok()) << answer.status().text();
      issued = *answer;
    }
    ASSERT_EQ((*cuda)->MemcpyDtoHAsync(got.data(), target, kBytes, stream), kSuccess);
    ASSERT_EQ((*cuda)->StreamSynchronize(stream), kSuccess);
    EXPECT_EQ(got, values) << spelling(kind);
    EXPECT_TRUE((*group)->failure().ok());
  }
  group = StatusOr<std::unique_ptr<DeviceGroup>>(std::unique_ptr<DeviceGroup>());
  (*cuda)->MemFree(source);
  (*cuda)->MemFree(target);
  (*cuda)->StreamDestroy(stream);
  (*cuda)->DevicePrimaryCtxRelease(0);
}

} // namespace
} // namespace heddle::collectives
