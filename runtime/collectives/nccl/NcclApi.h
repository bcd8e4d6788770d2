// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL as far as groups use it: types, constants and a table of functions, found at run time in libnccl.so.2. Nothing
// of NVIDIA's is needed to build. Names and numbers are those of NVIDIA's documentation of NCCL 2.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_NCCL_NCCLAPI_H
#define HEDDLE_RUNTIME_COLLECTIVES_NCCL_NCCLAPI_H

#include "runtime/base/Status.h"

#include <climits>
#include <cstddef>

struct ncclComm; // the library's own, so that a sanitizer sees calls of the right type

namespace heddle::collectives {

using NcclComm = ncclComm *;
struct NcclUniqueId {
  char bytes[128];
};
// As NCCL 2.14 had it, which later libraries read by its size and version.
struct NcclConfig {
  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0;   // calls return kNcclInProgress, and CommGetAsyncError() says what became of them
  int rest = INT_MIN; // as the library has it
};
inline constexpr int kNcclSuccess = 0, kNcclInProgress = 7;

// Name in the table, name in the library, parameters. Counts are of elements; `stream` is a CUstream.
#define HEDDLE_NCCL_FUNCTIONS(F)                                                                                       \
  F(GetVersion, "ncclGetVersion", int *version)                                                                        \
  F(GetUniqueId, "ncclGetUniqueId", NcclUniqueId *id)                                                                  \
  F(CommInitRank, "ncclCommInitRank", NcclComm *communicator, int ranks, NcclUniqueId id, int rank)                    \
  F(CommDestroy, "ncclCommDestroy", NcclComm communicator)                                                             \
  F(CommAbort, "ncclCommAbort", NcclComm communicator)                                                                 \
  F(CommGetAsyncError, "ncclCommGetAsyncError", NcclComm communicator, int *result)                                    \
  F(AllReduce, "ncclAllReduce", const void *source, void *target, size_t count, int type, int reduction,               \
    NcclComm communicator, void *stream)                                                                               \
  F(ReduceScatter, "ncclReduceScatter", const void *source, void *target, size_t count, int type, int reduction,       \
    NcclComm communicator, void *stream)                                                                               \
  F(Reduce, "ncclReduce", const void *source, void *target, size_t count, int type, int reduction, int root,           \
    NcclComm communicator, void *stream)                                                                               \
  F(AllGather, "ncclAllGather", const void *source, void *target, size_t count, int type, NcclComm communicator,       \
    void *stream)                                                                                                      \
  F(Broadcast, "ncclBroadcast", const void *source, void *target, size_t count, int type, int root,                    \
    NcclComm communicator, void *stream)                                                                               \
  F(Send, "ncclSend", const void *source, size_t count, int type, int to, NcclComm communicator, void *stream)         \
  F(Recv, "ncclRecv", void *target, size_t count, int type, int from, NcclComm communicator, void *stream)             \
  F(GroupStart, "ncclGroupStart", void)                                                                                \
  F(GroupEnd, "ncclGroupEnd", void)

struct NcclApi {
#define HEDDLE_NCCL_MEMBER(name, symbol, ...) int (*name)(__VA_ARGS__) = nullptr;
  HEDDLE_NCCL_FUNCTIONS(HEDDLE_NCCL_MEMBER)
#undef HEDDLE_NCCL_MEMBER
  const char *(*GetErrorString)(int result) = nullptr;
  // Of NCCL 2.14 and later, else null.
  int (*CommInitRankConfig)(NcclComm *communicator, int ranks, NcclUniqueId id, int rank, NcclConfig *config) = nullptr;

  // Of libnccl.so.2; lives until the process ends. Unsupported says what is missing and what to install.
  static StatusOr<const NcclApi *> get();
  // The same for a library of another name; looks each time.
  static StatusOr<const NcclApi *> load(const char *library);
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_NCCL_NCCLAPI_H
