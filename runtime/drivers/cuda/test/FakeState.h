// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the fake libcuda.so.1 share: its memory and streams, how a call begins, and how work is issued. All
// of it under one lock. Work runs when something waits for it; work that gives kNotReady stays first of its stream.
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_TEST_FAKESTATE_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_TEST_FAKESTATE_H

#include "runtime/drivers/cuda/CudaApi.h"

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::cuda::standin {

constexpr CUresult kInvalidValue = 1, kInvalidContext = 201;
constexpr int kMostShared = 166912; // of a workgroup that asks for it

struct Stream {
  std::deque<std::function<CUresult()>> work;
  uint64_t issued = 0, done = 0;
  CUresult failed = 0;
};
struct Event {
  Stream *stream = nullptr;
  uint64_t at = 0;
  bool asked = false;
};
struct Memory {
  std::vector<std::byte> bytes; // behind a device's address
  std::byte *host = nullptr;
  size_t size = 0;
};

struct Fake {
  std::recursive_mutex mutex;
  std::string log;
  std::map<std::string, CUresult> failures; // the next call of a function
  std::map<uintptr_t, Memory> memory;       // by first address, of devices and pinned
  std::vector<Stream *> streams;
};
extern Fake fake;
extern thread_local CUcontext current;

template <typename... Parts> void say(const Parts &...parts) {
  auto spell = [](const auto &part) {
    if constexpr (std::is_convertible_v<decltype(part), std::string>)
      return std::string(part);
    else
      return std::to_string(part);
  };
  ((fake.log += spell(parts)), ...);
  fake.log += '\n';
}
// The planned failure of the call, or that there is no context.
CUresult begin(const char *name, bool needsContext = true);
// The memory at an address, as the host can use it; null when so many bytes are not there.
std::byte *at(uintptr_t address, size_t bytes);
CUresult issue(CUstream stream, std::function<CUresult()> work);

} // namespace heddle::cuda::standin

#define FAKE extern "C" __attribute__((visibility("default")))
#define LOCK std::lock_guard lock(fake.mutex)
#define BEGIN(name, ...)                                                                                               \
  LOCK;                                                                                                                \
  say(name __VA_OPT__(, ) __VA_ARGS__);                                                                                \
  if (CUresult planned = begin(name))                                                                                  \
  return planned

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_TEST_FAKESTATE_H
