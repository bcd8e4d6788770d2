// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for libcuda.so.1: records calls, and computes by the rules of the API, stricter than the real one.
//
// Work given to a stream runs when something waits for it, so a driver that reads results too early reads nothing.
// Device memory lies at addresses the host cannot touch. Pageable memory in an asynchronous copy, a call without a
// context and wrong addresses are refused. Of a launch the parameters are counted, byte for byte, the block is the one
// that the code requires, and shared memory is what the function was allowed. Kernels are those of
// runtime/test/kernels.ptx, by name.
#include "runtime/drivers/cuda/test/FakeCuda.h"

#include "runtime/drivers/cuda/test/FakeState.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace heddle::cuda::standin {

Fake fake;
thread_local CUcontext current = nullptr;
static int context; // its address is the context

CUresult begin(const char *name, bool needsContext) {
  if (auto planned = fake.failures.find(name); planned != fake.failures.end()) {
    CUresult result = planned->second;
    fake.failures.erase(planned);
    return result;
  }
  return needsContext && current != reinterpret_cast<CUcontext>(&context) ? kInvalidContext : 0;
}

std::byte *at(uintptr_t address, size_t bytes) {
  auto next = fake.memory.upper_bound(address);
  if (next == fake.memory.begin())
    return nullptr;
  auto &[first, memory] = *std::prev(next);
  if (address - first + bytes > memory.size)
    return nullptr;
  return (memory.host ? memory.host : memory.bytes.data()) + (address - first);
}

// False: some of it waits for others.
static bool runUntil(Stream &stream, uint64_t position) {
  while (stream.done < position && !stream.work.empty()) {
    CUresult result = stream.work.front()();
    if (result == kNotReady)
      return false;
    if (result && !stream.failed)
      stream.failed = result;
    stream.work.pop_front();
    ++stream.done;
  }
  return true;
}

static void runAll() {
  for (Stream *stream : fake.streams)
    runUntil(*stream, stream->issued);
}

CUresult issue(CUstream stream, std::function<CUresult()> work) {
  auto *to = reinterpret_cast<Stream *>(stream);
  to->work.push_back(std::move(work));
  ++to->issued;
  return 0;
}

} // namespace heddle::cuda::standin

using namespace heddle::cuda;
using namespace heddle::cuda::standin;

FAKE const char *fakeCudaLog() {
  LOCK;
  return fake.log.c_str();
}
FAKE void fakeCudaClear() {
  LOCK;
  fake.log.clear();
}
FAKE void fakeCudaFail(const char *function, int result) {
  LOCK;
  fake.failures[function] = result;
}

FAKE int fakeCudaIssue(void *stream, int (*work)(void *), void *user) {
  LOCK;
  return issue(static_cast<CUstream>(stream), [=] { return work(user); });
}
FAKE void *fakeCudaAt(const void *address, size_t bytes) { return at(reinterpret_cast<uintptr_t>(address), bytes); }

FAKE CUresult cuInit(unsigned flags) {
  LOCK;
  say("cuInit ", flags);
  return begin("cuInit", false);
}
FAKE CUresult cuDriverGetVersion(int *version) {
  *version = 12020;
  return 0;
}
FAKE CUresult cuGetErrorName(CUresult error, const char **name) {
  switch (error) {
  case kOutOfMemory: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return 0;
  case kInvalidPtx: *name = "CUDA_ERROR_INVALID_PTX"; return 0;
  case kIllegalAddress: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return 0;
  default: return kInvalidValue;
  }
}
FAKE CUresult cuDeviceGetCount(int *count) {
  *count = 2;
  return 0;
}
FAKE CUresult cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
FAKE CUresult cuDeviceGetName(char *name, int length, int device) {
  std::strncpy(name, device ? "Fake H100" : "Fake A100", static_cast<size_t>(length));
  return 0;
}
FAKE CUresult cuDeviceGetUuid(CUuuid *uuid, int device) {
  for (int i = 0; i < 16; ++i)
    uuid->bytes[i] = static_cast<char>(16 * device + i);
  return 0;
}
FAKE CUresult cuDeviceTotalMem_v2(size_t *bytes, int device) {
  *bytes = size_t{1} << 30;
  return 0;
}
FAKE CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
  static const std::map<int, int> values = {{1, 1024}, {8, 49152},        {16, 108}, {41, 1},
                                            {76, 0},   {97, kMostShared}, {99, 1}};
  auto known = values.find(attribute);
  *value = attribute == 75 ? (device ? 9 : 8) : known == values.end() ? 0 : known->second;
  return 0;
}
FAKE CUresult cuDevicePrimaryCtxRetain(CUcontext *out, int device) {
  LOCK;
  say("cuDevicePrimaryCtxRetain ", device);
  *out = reinterpret_cast<CUcontext>(&context);
  return begin("cuDevicePrimaryCtxRetain", false);
}
FAKE CUresult cuDevicePrimaryCtxRelease_v2(int device) {
  LOCK;
  say("cuDevicePrimaryCtxRelease ", device);
  return 0;
}
FAKE CUresult cuCtxSetCurrent(CUcontext to) {
  current = to;
  return 0;
}

FAKE CUresult cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  BEGIN("cuMemAlloc", " ", bytes);
  if (bytes > (size_t{1} << 30))
    return kOutOfMemory;
  void *name = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *address = reinterpret_cast<uintptr_t>(name);
  fake.memory[*address] = {std::vector<std::byte>(bytes, std::byte{0xcd}), nullptr, bytes};
  return 0;
}
FAKE CUresult cuMemFree_v2(unsigned long long address) {
  BEGIN("cuMemFree");
  runAll();
  auto known = fake.memory.find(address);
  if (known == fake.memory.end() || known->second.host)
    return kInvalidValue;
  munmap(reinterpret_cast<void *>(address), known->second.size);
  fake.memory.erase(known);
  return 0;
}
FAKE CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
  BEGIN("cuMemHostAlloc", " ", bytes, " flags ", flags);
  *address = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  fake.memory[reinterpret_cast<uintptr_t>(*address)] = {{}, static_cast<std::byte *>(*address), bytes};
  return 0;
}
FAKE CUresult cuMemFreeHost(void *address) {
  BEGIN("cuMemFreeHost");
  runAll();
  fake.memory.erase(reinterpret_cast<uintptr_t>(address));
  std::free(address);
  return 0;
}
FAKE CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
  BEGIN("cuMemHostRegister", " ", bytes, " flags ", flags);
  fake.memory[reinterpret_cast<uintptr_t>(address)] = {{}, static_cast<std::byte *>(address), bytes};
  return 0;
}
FAKE CUresult cuMemHostUnregister(void *address) {
  BEGIN("cuMemHostUnregister");
  runAll();
  return fake.memory.erase(reinterpret_cast<uintptr_t>(address)) ? 0 : kInvalidValue;
}
FAKE CUresult cuMemHostGetDevicePointer_v2(unsigned long long *device, void *host, unsigned flags) {
  LOCK;
  *device = reinterpret_cast<uintptr_t>(host);
  return at(*device, 1) ? begin("cuMemHostGetDevicePointer") : kInvalidValue;
}

static CUresult copyLater(uintptr_t to, uintptr_t from, size_t bytes, CUstream stream) {
  if (!at(to, bytes) || !at(from, bytes)) // also memory of the host that is not pinned
    return kInvalidValue;
  return issue(stream, [=] {
    std::byte *target = at(to, bytes), *source = at(from, bytes);
    if (!target || !source)
      return kIllegalAddress;
    std::memmove(target, source, bytes);
    return 0;
  });
}
FAKE CUresult cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, CUstream stream) {
  BEGIN("cuMemcpyHtoDAsync", " ", bytes);
  return copyLater(to, reinterpret_cast<uintptr_t>(from), bytes, stream);
}
FAKE CUresult cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, CUstream stream) {
  BEGIN("cuMemcpyDtoHAsync", " ", bytes);
  return copyLater(reinterpret_cast<uintptr_t>(to), from, bytes, stream);
}
FAKE CUresult cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, CUstream stream) {
  BEGIN("cuMemcpyDtoDAsync", " ", bytes);
  return copyLater(to, from, bytes, stream);
}

template <typename T> static CUresult setLater(uintptr_t to, T value, size_t count, CUstream stream) {
  if (to % sizeof(T) || !at(to, count * sizeof(T)))
    return kInvalidValue;
  return issue(stream, [=] {
    std::byte *target = at(to, count * sizeof(T));
    for (size_t i = 0; target && i < count; ++i)
      std::memcpy(target + i * sizeof(T), &value, sizeof(T));
    return target ? 0 : kIllegalAddress;
  });
}
FAKE CUresult cuMemsetD8Async(unsigned long long to, unsigned char value, size_t count, CUstream stream) {
  BEGIN("cuMemsetD8Async", " ", unsigned{value}, " x ", count);
  return setLater(to, value, count, stream);
}
FAKE CUresult cuMemsetD16Async(unsigned long long to, unsigned short value, size_t count, CUstream stream) {
  BEGIN("cuMemsetD16Async", " ", unsigned{value}, " x ", count);
  return setLater(to, value, count, stream);
}
FAKE CUresult cuMemsetD32Async(unsigned long long to, unsigned value, size_t count, CUstream stream) {
  BEGIN("cuMemsetD32Async", " ", value, " x ", count);
  return setLater(to, value, count, stream);
}

FAKE CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  BEGIN("cuStreamCreate", " ", flags);
  fake.streams.push_back(new Stream);
  *stream = reinterpret_cast<CUstream>(fake.streams.back());
  return 0;
}
FAKE CUresult cuStreamDestroy_v2(CUstream stream) {
  BEGIN("cuStreamDestroy");
  auto *gone = reinterpret_cast<Stream *>(stream);
  runUntil(*gone, gone->issued);
  std::erase(fake.streams, gone);
  delete gone;
  return 0;
}
FAKE CUresult cuStreamSynchronize(CUstream stream) {
  BEGIN("cuStreamSynchronize");
  if (auto *waited = reinterpret_cast<Stream *>(stream)) { // null: the default stream, which nobody uses here
    runUntil(*waited, waited->issued);
    return waited->failed;
  }
  return 0;
}
static CUresult reach(Event &event) {
  if (!event.stream)
    return 0; // never recorded
  return runUntil(*event.stream, event.at) ? event.stream->failed : kNotReady;
}
// As of now: what the event is recorded for later does not count.
FAKE CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  BEGIN("cuStreamWaitEvent");
  return issue(stream, [at = *reinterpret_cast<Event *>(event)]() mutable { return reach(at); });
}
FAKE CUresult cuEventCreate(CUevent *event, unsigned flags) {
  BEGIN("cuEventCreate", " ", flags);
  *event = reinterpret_cast<CUevent>(new Event);
  return 0;
}
FAKE CUresult cuEventDestroy_v2(CUevent event) {
  BEGIN("cuEventDestroy");
  delete reinterpret_cast<Event *>(event);
  return 0;
}
FAKE CUresult cuEventRecord(CUevent event, CUstream stream) {
  BEGIN("cuEventRecord");
  auto *in = reinterpret_cast<Stream *>(stream);
  *reinterpret_cast<Event *>(event) = {in, in->issued, false};
  return 0;
}
FAKE CUresult cuEventQuery(CUevent event) {
  LOCK; // not recorded: how often it is called is a matter of time
  auto &asked = *reinterpret_cast<Event *>(event);
  if (!std::exchange(asked.asked, true))
    return kNotReady;
  return reach(asked);
}
FAKE CUresult cuEventSynchronize(CUevent event) {
  BEGIN("cuEventSynchronize");
  return reach(*reinterpret_cast<Event *>(event));
}
