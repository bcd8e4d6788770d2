// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver API as far as Heddle uses it: types, constants and a table of functions, found at run time in
// libcuda.so.1. No toolkit is needed to build. Names and numbers are those of NVIDIA's documentation of the driver API.
#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAAPI_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAAPI_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>

namespace heddle::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;
struct KernelNodeParams { // CUDA_KERNEL_NODE_PARAMS_v1
  CUfunction function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **parameters, **extra;
};
struct MemsetNodeParams { // CUDA_MEMSET_NODE_PARAMS
  CUdeviceptr to;
  size_t pitch;
  unsigned value, elementBytes;
  size_t width, height; // in elements
};
struct CUuuid {
  char bytes[16];
};

inline constexpr CUresult kSuccess = 0, kOutOfMemory = 2, kNoDevice = 100, kInvalidImage = 200, kInvalidPtx = 218,
                          kUnsupportedPtxVersion = 222, kNotFound = 500, kNotReady = 600, kIllegalAddress = 700,
                          kLaunchTimeout = 702, kAssert = 710, kHardwareStackError = 714, kIllegalInstruction = 715,
                          kMisalignedAddress = 716, kInvalidAddressSpace = 717, kInvalidProgramCounter = 718,
                          kLaunchFailed = 719, kUncorrectableMemory = 214;
// CUdevice_attribute
inline constexpr int kMaxThreadsPerBlock = 1, kMaxSharedMemoryPerBlock = 8, kMultiprocessorCount = 16,
                     kMaxThreadsPerMultiprocessor = 39, kUnifiedAddressing = 41, kComputeCapabilityMajor = 75,
                     kComputeCapabilityMinor = 76, kMaxSharedMemoryPerBlockOptin = 97, kCanRegisterHostMemory = 99;
// CUfunction_attribute
inline constexpr int kMaxDynamicSharedBytes = 8;
// Words of the list `extra` of cuLaunchKernel: the parameters as one piece of memory, its size, the end.
inline constexpr uintptr_t kLaunchParameters = 1, kLaunchParameterBytes = 2, kLaunchEnd = 0;
// Flags
inline constexpr unsigned kStreamNonBlocking = 1, kEventDisableTiming = 2, kHostAllocPortableMapped = 1 | 2,
                          kHostRegisterPortableMapped = 1 | 2;
// CUjit_option
inline constexpr int kJitErrorLogBuffer = 5, kJitErrorLogBufferSizeBytes = 6;

// Name in the table, name in the library, parameters.
#define HEDDLE_CUDA_FUNCTIONS(F)                                                                                       \
  F(Init, "cuInit", unsigned flags)                                                                                    \
  F(DriverGetVersion, "cuDriverGetVersion", int *version)                                                              \
  F(GetErrorName, "cuGetErrorName", CUresult error, const char **name)                                                 \
  F(DeviceGetCount, "cuDeviceGetCount", int *count)                                                                    \
  F(DeviceGet, "cuDeviceGet", CUdevice *device, int ordinal)                                                           \
  F(DeviceGetName, "cuDeviceGetName", char *name, int length, CUdevice device)                                         \
  F(DeviceGetUuid, "cuDeviceGetUuid", CUuuid *uuid, CUdevice device)                                                   \
  F(DeviceTotalMem, "cuDeviceTotalMem_v2", size_t *bytes, CUdevice device)                                             \
  F(DeviceGetAttribute, "cuDeviceGetAttribute", int *value, int attribute, CUdevice device)                            \
  F(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", CUcontext *context, CUdevice device)                           \
  F(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", CUdevice device)                                          \
  F(CtxSetCurrent, "cuCtxSetCurrent", CUcontext context)                                                               \
  F(MemAlloc, "cuMemAlloc_v2", CUdeviceptr *address, size_t bytes)                                                     \
  F(MemFree, "cuMemFree_v2", CUdeviceptr address)                                                                      \
  F(MemHostAlloc, "cuMemHostAlloc", void **address, size_t bytes, unsigned flags)                                      \
  F(MemFreeHost, "cuMemFreeHost", void *address)                                                                       \
  F(MemHostRegister, "cuMemHostRegister_v2", void *address, size_t bytes, unsigned flags)                              \
  F(MemHostUnregister, "cuMemHostUnregister", void *address)                                                           \
  F(MemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", CUdeviceptr *device, void *host, unsigned flags)          \
  F(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", CUdeviceptr to, const void *from, size_t bytes, CUstream stream)          \
  F(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", void *to, CUdeviceptr from, size_t bytes, CUstream stream)                \
  F(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)          \
  F(MemsetD8Async, "cuMemsetD8Async", CUdeviceptr to, unsigned char value, size_t count, CUstream stream)              \
  F(MemsetD16Async, "cuMemsetD16Async", CUdeviceptr to, unsigned short value, size_t count, CUstream stream)           \
  F(MemsetD32Async, "cuMemsetD32Async", CUdeviceptr to, unsigned value, size_t count, CUstream stream)                 \
  F(ModuleLoadDataEx, "cuModuleLoadDataEx", CUmodule *module, const void *image, unsigned count, int *options,         \
    void **values)                                                                                                     \
  F(ModuleUnload, "cuModuleUnload", CUmodule module)                                                                   \
  F(ModuleGetFunction, "cuModuleGetFunction", CUfunction *function, CUmodule module, const char *name)                 \
  F(FuncSetAttribute, "cuFuncSetAttribute", CUfunction function, int attribute, int value)                             \
  F(LaunchKernel, "cuLaunchKernel", CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,               \
    unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters,       \
    void **extra)                                                                                                      \
  F(StreamCreate, "cuStreamCreate", CUstream *stream, unsigned flags)                                                  \
  F(StreamDestroy, "cuStreamDestroy_v2", CUstream stream)                                                              \
  F(StreamSynchronize, "cuStreamSynchronize", CUstream stream)                                                         \
  F(GraphCreate, "cuGraphCreate", CUgraph *graph, unsigned flags)                                                      \
  F(GraphDestroy, "cuGraphDestroy", CUgraph graph)                                                                     \
  F(GraphAddKernelNode, "cuGraphAddKernelNode", CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,           \
    size_t count, const KernelNodeParams *parameters)                                                                  \
  F(GraphAddMemsetNode, "cuGraphAddMemsetNode", CUgraphNode *node, CUgraph graph, const CUgraphNode *behind,           \
    size_t count, const MemsetNodeParams *parameters, CUcontext context)                                               \
  F(GraphInstantiate, "cuGraphInstantiateWithFlags", CUgraphExec *executable, CUgraph graph, unsigned long long flags) \
  F(GraphExecDestroy, "cuGraphExecDestroy", CUgraphExec executable)                                                    \
  F(GraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams", CUgraphExec executable, CUgraphNode node,          \
    const KernelNodeParams *parameters)                                                                                \
  F(GraphLaunch, "cuGraphLaunch", CUgraphExec executable, CUstream stream)                                             \
  F(StreamWaitEvent, "cuStreamWaitEvent", CUstream stream, CUevent event, unsigned flags)                              \
  F(EventCreate, "cuEventCreate", CUevent *event, unsigned flags)                                                      \
  F(EventDestroy, "cuEventDestroy_v2", CUevent event)                                                                  \
  F(EventRecord, "cuEventRecord", CUevent event, CUstream stream)                                                      \
  F(EventQuery, "cuEventQuery", CUevent event)                                                                         \
  F(EventSynchronize, "cuEventSynchronize", CUevent event)

struct CudaApi {
#define HEDDLE_CUDA_MEMBER(name, symbol, ...) CUresult (*name)(__VA_ARGS__) = nullptr;
  HEDDLE_CUDA_FUNCTIONS(HEDDLE_CUDA_MEMBER)
#undef HEDDLE_CUDA_MEMBER
  int version = 0; // 1000 * major + 10 * minor, of CUDA as the driver knows it

  // Of libcuda.so.1, initialised; lives until the process ends. Unsupported says what is missing and what to install.
  static StatusOr<const CudaApi *> get();
  // The same for a library of another name; looks each time.
  static StatusOr<const CudaApi *> load(const char *library);

  // "CUDA_ERROR_OUT_OF_MEMORY", or the number.
  std::string spelling(CUresult result) const;
};

} // namespace heddle::cuda

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDAAPI_H
