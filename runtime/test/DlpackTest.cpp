// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of other libraries: DLPack in and out of heddle/buffers.h. On the fake of CUDA's library too, whose memory is
// taken from it directly, as another library of the process would.
#include "BufferFixture.h"

#include <dlfcn.h>
#include <sys/mman.h>

namespace heddle::cuda {
struct CUctx_st; // as in runtime/drivers/cuda/CudaApi.h, which the C++ interface's names exclude
using CUcontext = CUctx_st *;
} // namespace heddle::cuda

using namespace heddle::test;
using heddle::Invocation;
using heddle::View;

// As DLPack's header has them.
struct DLTensor {
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor dl_tensor;
};

namespace {

class Dlpack : public Buffers {
protected:
  // 4x4 f32 at `data`, counted when it is released.
  DLManagedTensor *tensor(void *data, int32_t deviceType = 1) {
    static int64_t shape[] = {4, 4};
    managed_ = {{data, deviceType, 0, 2, 2, 32, 1, shape, nullptr, 0}, &released_, [](DLManagedTensor *self) {
                  ++*static_cast<int *>(self->manager_ctx);
                }};
    return &managed_;
  }
  std::string refusal(void *tensor, bool versioned = false) {
    int before = released_;
    std::string text = failure([&] { (void)View::fromDlpack(module(), tensor, versioned); });
    EXPECT_EQ(released_, before + (text == "ok")) << "what is refused stays the caller's";
    return text;
  }
  DLManagedTensor managed_;
  int released_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Capi, Dlpack, testing::Values("local://0", "local://0?discrete=yes", "vulkan", "cuda"),
                         nameOfDevice);

TEST_P(Dlpack, MemoryOfTheHostGoesIn) {
  Invocation call(module(), "product");
  {
    View in[] = {View::fromDlpack(module(), tensor(a_.data()), false), View::of(filled(two_), HEDDLE_F32, {4, 4})},
         out[] = {View::on(HEDDLE_HOST)};
    EXPECT_EQ(in[0].raw().data, a_.data());
    heddle::callViews(call, in, out);
    EXPECT_EQ(read(out[0]), twice_);
    EXPECT_EQ(call.statistics().boundary_bytes, isApart() ? 128u : 0u);
    EXPECT_EQ(released_, 0);
  }
  EXPECT_EQ(released_, 1);
}

TEST_P(Dlpack, MemoryOfTheHostComesOut) {
  Invocation call(module(), "product");
  void *raw = nullptr;
  {
    View in[] = {View::borrow(a_, {4, 4}), View::borrow(two_, {4, 4})}, out[] = {View::on(HEDDLE_HOST)};
    heddle::callViews(call, in, out);
    raw = out[0].toDlpack(true);
  }
  auto *tensor = static_cast<DLManagedTensorVersioned *>(raw);
  EXPECT_EQ(tensor->major, 1u);
  EXPECT_EQ(tensor->flags, 0u);
  const DLTensor &t = tensor->dl_tensor;
  EXPECT_EQ(t.device_type, 1);
  EXPECT_EQ(t.ndim, 2);
  EXPECT_TRUE(t.code == 2 && t.bits == 32 && t.lanes == 1 && t.byte_offset == 0);
  EXPECT_TRUE(t.shape[0] == 4 && t.shape[1] == 4 && t.strides[0] == 4 && t.strides[1] == 1);
  EXPECT_EQ(static_cast<float *>(t.data)[15], 32);
  tensor->deleter(tensor);
}

// What a device computed goes out where DLPack has words for it, and in again as the same memory.
TEST_P(Dlpack, RoundTripOfADevice) {
  Invocation call(module(), "product");
  View in[] = {View::of(filled(a_), HEDDLE_F32, {4, 4}), View::of(filled(two_), HEDDLE_F32, {4, 4})},
       out[] = {View::on(0)};
  heddle::callViews(call, in, out);
  void *raw = nullptr;
  std::string refused = failure([&] { raw = out[0].toDlpack(false); });
  bool isHidden = std::string_view(GetParam()) == "local://0?discrete=yes" ||
                  (std::string_view(GetParam()) == "vulkan" && !raw); // a GPU whose memory is not mapped
  if (isHidden) {
    EXPECT_EQ(refused, "DLPack has no device type for memory of the device '" + std::string(GetParam()) +
                           "'; copy it to the host");
    return;
  }
  ASSERT_EQ(refused, "ok");
  auto *tensor = static_cast<DLManagedTensor *>(raw);
  EXPECT_EQ(tensor->dl_tensor.device_type, std::string_view(GetParam()) == "cuda" ? 2 : 1);
  View back = View::fromDlpack(module(), tensor, false);
  out[0] = View();
  EXPECT_EQ(read(back), twice_);
  View again[] = {std::move(back), View::of(filled(two_), HEDDLE_F32, {4, 4})}, four[] = {View::on(0)};
  heddle::callViews(call, again, four);
  EXPECT_EQ(read(four[0])[15], 64);
  bool imported = std::string_view(GetParam()) == "vulkan"; // mapped memory is the host's to DLPack
  EXPECT_EQ(call.statistics().boundary_bytes, imported ? 64u : 0u);
}

// Memory of CUDA that another library allocated: used where it is.
TEST_P(Dlpack, MemoryOfCuda) {
  if (std::string_view(GetParam()) != "cuda") {
    EXPECT_EQ(refusal(tensor(a_.data(), 2)),
              "the tensor is in memory of a device (DLPack device type 2, index 0) that the module does not use; load "
              "it for cuda://0, or copy the tensor to the host first");
    EXPECT_NE(refusal(tensor(a_.data(), 7)).find("that Heddle does not take by DLPack"), std::string::npos);
    return;
  }
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  auto allocate = reinterpret_cast<int (*)(unsigned long long *, size_t)>(dlsym(library, "cuMemAlloc_v2"));
  auto setCurrent = reinterpret_cast<int (*)(heddle::cuda::CUcontext)>(dlsym(library, "cuCtxSetCurrent"));
  auto retain = reinterpret_cast<int (*)(heddle::cuda::CUcontext *, int)>(dlsym(library, "cuDevicePrimaryCtxRetain"));
  heddle::cuda::CUcontext context = nullptr;
  unsigned long long pointer = 0;
  ASSERT_TRUE(!retain(&context, 0) && !setCurrent(context) && !allocate(&pointer, 192));
  auto *memory = reinterpret_cast<char *>(static_cast<uintptr_t>(pointer));
  Invocation call(module(), "product");
  {
    // Two tensors that overlap, one in the other's middle; and the same one twice.
    DLManagedTensor first = *tensor(memory, 2);
    View whole = View::fromDlpack(module(), &first, false);
    EXPECT_EQ(whole.raw().data, nullptr) << "the host cannot address it";
    heddle::check(heddle_buffer_write(whole.raw().buffer, 0, a_.data(), 64));
    DLManagedTensor middle = *tensor(memory + 32, 2);
    View part = View::fromDlpack(module(), &middle, false);
    heddle::check(heddle_buffer_write(part.raw().buffer, 0, a_.data(), 64));
    heddle_buffer_info info{};
    info.struct_size = sizeof(info);
    heddle_buffer_get_info(part.raw().buffer, &info);
    EXPECT_EQ(info.pointer, memory + 32);
    View in[] = {std::move(part), View::of(filled(two_), HEDDLE_F32, {4, 4})}, out[] = {View::on(0)};
    heddle::callViews(call, in, out);
    EXPECT_EQ(call.statistics().boundary_bytes, 0u);
    EXPECT_EQ(read(out[0]), twice_);
    // Written in place: the other library has it without a copy.
    DLManagedTensor third = *tensor(memory + 128, 2);
    View into[] = {View::fromDlpack(module(), &third, false)};
    heddle::callViews(call, in, into);
    EXPECT_EQ(call.statistics().boundary_bytes, 0u);
    EXPECT_EQ(read(into[0]), twice_);
  }
  EXPECT_EQ(released_, 3);
}

TEST_P(Dlpack, WhatIsRefused) {
  DLManagedTensor *good = tensor(a_.data());
  int64_t transposed[] = {1, 4}, dense[] = {4, 1}, minus[] = {4, -1}, many[17] = {};
  good->dl_tensor.strides = transposed;
  EXPECT_EQ(refusal(good), "dimension 1 has the stride 4, a dense row-major tensor 1; make it contiguous");
  good->dl_tensor.strides = dense;
  EXPECT_EQ(refusal(good), "ok");
  good = tensor(a_.data());
  good->dl_tensor.lanes = 2;
  EXPECT_EQ(refusal(good), "the tensor has elements that Heddle does not have (DLPack type code 2, 32 bits, 2 lanes); "
                           "convert it");
  good = tensor(a_.data());
  good->dl_tensor.code = 5; // complex
  EXPECT_NE(refusal(good), "ok");
  good = tensor(a_.data());
  good->dl_tensor.code = 0, good->dl_tensor.bits = 4; // two in a byte
  EXPECT_NE(refusal(good), "ok");
  good = tensor(a_.data());
  good->dl_tensor.shape = minus;
  EXPECT_EQ(refusal(good), "dimension 1 has the size -1");
  good = tensor(a_.data());
  good->dl_tensor.shape = many, good->dl_tensor.ndim = 17;
  EXPECT_EQ(refusal(good), "a tensor has at most 16 dimensions, got 17");
  good = tensor(reinterpret_cast<char *>(a_.data()) + 2);
  EXPECT_EQ(refusal(good), "the tensor must be aligned to its elements of 4 bytes; copy it");
  EXPECT_EQ(refusal(nullptr), "there is no tensor");
  DLManagedTensorVersioned later{2, 0, nullptr, nullptr, 0, {}};
  EXPECT_EQ(refusal(&later, true), "DLPack's version 1 is known, got a tensor of version 2");
  EXPECT_EQ(failure([&] { View::borrow(a_, {16}).toDlpack(true); }),
            "a view without a buffer is memory of the caller's, which nobody could keep");
  EXPECT_NE(failure([&] { View::of(filled(a_), HEDDLE_I4, {16}).toDlpack(true); }), "ok");
}

TEST_P(Dlpack, OnlyReadIsKept) {
  int64_t shape[] = {4, 4};
  DLManagedTensorVersioned given{1, 1, nullptr, nullptr, 1, {a_.data(), 1, 0, 2, 2, 32, 1, shape, nullptr, 0}};
  View view = View::fromDlpack(module(), &given, true);
  EXPECT_EQ(failure([&] { view.toDlpack(false); }),
            "DLPack before version 1 cannot say that memory is only read; ask for version 1");
  auto *out = static_cast<DLManagedTensorVersioned *>(view.toDlpack(true));
  EXPECT_EQ(out->flags, 1u);
  out->deleter(out);
  Invocation call(module(), "product");
  View in[] = {View::borrow(two_, {4, 4}), View::borrow(two_, {4, 4})}, into[] = {std::move(view)};
  EXPECT_EQ(failure([&] { heddle::callViews(call, in, into); }),
            "result 0 'c' has storage in a buffer that is only read; give other memory");
}

} // namespace
