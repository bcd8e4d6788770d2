// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/nccl/NcclApi.h"

#include <dlfcn.h>

namespace heddle::collectives {
namespace {

constexpr int kLeastVersion = 2700; // ncclSend and ncclRecv

Status unsupported(std::string why) {
  return Status(StatusCode::Unsupported, std::move(why) + "; install NCCL 2.7 or later (pip install nvidia-nccl-cu12)");
}

} // namespace

StatusOr<const NcclApi *> NcclApi::load(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return unsupported(std::string("NVIDIA's library of collectives ") + name + " is not installed");
  auto api = std::make_unique<NcclApi>();
  const char *missing = nullptr;
#define HEDDLE_NCCL_FIND(member, symbol, ...)                                                                          \
  api->member = reinterpret_cast<decltype(api->member)>(dlsym(library, symbol));                                       \
  if (!api->member)                                                                                                    \
    missing = symbol;
  HEDDLE_NCCL_FUNCTIONS(HEDDLE_NCCL_FIND)
#undef HEDDLE_NCCL_FIND
  api->GetErrorString = reinterpret_cast<decltype(api->GetErrorString)>(dlsym(library, "ncclGetErrorString"));
  api->CommInitRankConfig =
      reinterpret_cast<decltype(api->CommInitRankConfig)>(dlsym(library, "ncclCommInitRankConfig"));
  if (missing || !api->GetErrorString)
    return unsupported(std::string(name) + " lacks " + (missing ? missing : "ncclGetErrorString"));
  if (int version = 0; api->GetVersion(&version) != kNcclSuccess || version < kLeastVersion)
    return unsupported(std::string(name) + " is of version " + std::to_string(version));
  return api.release();
}

StatusOr<const NcclApi *> NcclApi::get() {
  static const StatusOr<const NcclApi *> api = load("libnccl.so.2");
  if (api.ok())
    return *api;
  return api.status().clone();
}

} // namespace heddle::collectives
