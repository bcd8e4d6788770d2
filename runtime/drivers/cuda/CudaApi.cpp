// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/cuda/CudaApi.h"

#include <dlfcn.h>

namespace heddle::cuda {
namespace {

constexpr int kLeastVersion = 11040; // graphs

Status unsupported(std::string why) { return Status(StatusCode::Unsupported, std::move(why)); }

} // namespace

StatusOr<const CudaApi *> CudaApi::load(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return unsupported(std::string("NVIDIA's driver library ") + name +
                       " is not installed; it comes with the driver of the GPU (Debian: libcuda1)");
  auto api = std::make_unique<CudaApi>();
  const char *missing = nullptr;
#define HEDDLE_CUDA_FIND(member, symbol, ...)                                                                          \
  api->member = reinterpret_cast<decltype(api->member)>(dlsym(library, symbol));                                       \
  if (!api->member)                                                                                                    \
    missing = symbol;
  HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_FIND)
#undef HEDDLE_CUDA_FIND
  if (missing)
    return unsupported(std::string(name) + " lacks " + missing + "; install a newer driver of the GPU");
  if (CUresult result = api->Init(0); result != kSuccess)
    return unsupported(std::string(name) + " does not start (" + api->spelling(result) +
                       "); see whether nvidia-smi lists a GPU");
  if (api->DriverGetVersion(&api->version) != kSuccess || api->version < kLeastVersion)
    return unsupported(std::string(name) + " must know CUDA 11.4 or later, got version " +
                       std::to_string(api->version) + "; install a newer driver of the GPU");
  return api.release();
}

StatusOr<const CudaApi *> CudaApi::get() {
  static const StatusOr<const CudaApi *> api = load("libcuda.so.1");
  if (api.ok())
    return *api;
  return api.status().clone();
}

std::string CudaApi::spelling(CUresult result) const {
  const char *name = nullptr;
  if (GetErrorName(result, &name) == kSuccess && name)
    return name;
  return "CUresult " + std::to_string(result);
}

} // namespace heddle::cuda
