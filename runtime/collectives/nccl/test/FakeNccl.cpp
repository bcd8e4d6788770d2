// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for libnccl.so.2: records calls, and refuses what the documentation does: types and reductions that are
// none, ranks that are none, messages outside of a group, an identity that it has not given.
#include "runtime/collectives/nccl/test/FakeNccl.h"

#include "runtime/collectives/nccl/NcclApi.h"

#include <cstring>
#include <map>
#include <mutex>
#include <string>

using heddle::collectives::NcclUniqueId;

struct ncclComm {
  int ranks, rank;
};

namespace {

constexpr int kInvalidArgument = 4, kInvalidUsage = 5;
constexpr char kIdentity[] = "fake";

std::mutex mutex;
std::string calls;
std::map<std::string, int> failures;
int asyncError = 0;
thread_local int open = 0; // groups of this thread

// The result of a call, which is recorded unless it is to fail.
int record(const char *name, ncclComm *communicator, const std::string &arguments, bool isValid = true) {
  std::lock_guard lock(mutex);
  if (auto found = failures.find(name); found != failures.end()) {
    const int result = found->second;
    failures.erase(found);
    return result;
  }
  if (!isValid)
    return kInvalidArgument;
  calls += (communicator ? std::to_string(communicator->rank) + ": " : "") + name + arguments + "\n";
  return 0;
}

std::string spell(std::initializer_list<size_t> numbers) {
  std::string text;
  for (size_t number : numbers)
    text += " " + std::to_string(number);
  return text;
}

bool isType(int type) { return type >= 0 && type <= 11; }
bool isReduction(int reduction) { return reduction >= 0 && reduction <= 4; }
bool isRank(ncclComm *communicator, int rank) { return rank >= 0 && rank < communicator->ranks; }

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE const char *fakeNcclLog() {
  std::lock_guard lock(mutex);
  static std::string copy;
  copy = calls;
  return copy.c_str();
}
FAKE void fakeNcclClear() {
  std::lock_guard lock(mutex);
  calls.clear(), failures.clear();
  asyncError = 0;
}
FAKE void fakeNcclFail(const char *function, int result) {
  std::lock_guard lock(mutex);
  failures[function] = result;
}
FAKE void fakeNcclAsyncError(int result) {
  std::lock_guard lock(mutex);
  asyncError = result;
}

FAKE const char *ncclGetErrorString(int result) { return result == 3 ? "internal error" : "some error"; }
FAKE int ncclGetVersion(int *version) { return *version = 22700, 0; }
FAKE int ncclGetUniqueId(NcclUniqueId *id) {
  std::memset(id, 0, sizeof(*id));
  std::strcpy(id->bytes + 100, kIdentity);
  return record("ncclGetUniqueId", nullptr, "");
}
FAKE int ncclCommInitRank(ncclComm **out, int ranks, NcclUniqueId id, int rank) {
  if (std::strcmp(id.bytes + 100, kIdentity) != 0 || rank < 0 || rank >= ranks)
    return kInvalidArgument;
  *out = new ncclComm{ranks, rank};
  return record("ncclCommInitRank", *out, spell({size_t(ranks)}));
}
FAKE int ncclCommDestroy(ncclComm *communicator) {
  const int result = record("ncclCommDestroy", communicator, "");
  delete communicator;
  return result;
}
FAKE int ncclCommAbort(ncclComm *communicator) {
  const int result = record("ncclCommAbort", communicator, "");
  delete communicator;
  return result;
}
FAKE int ncclCommGetAsyncError(ncclComm *, int *result) {
  std::lock_guard lock(mutex);
  return *result = asyncError, 0;
}
FAKE int ncclAllReduce(const void *, void *, size_t count, int type, int reduction, ncclComm *communicator, void *) {
  return record("ncclAllReduce", communicator, spell({count, size_t(type), size_t(reduction)}),
                isType(type) && isReduction(reduction));
}
FAKE int ncclReduceScatter(const void *, void *, size_t count, int type, int reduction, ncclComm *communicator,
                           void *) {
  return record("ncclReduceScatter", communicator, spell({count, size_t(type), size_t(reduction)}),
                isType(type) && isReduction(reduction));
}
FAKE int ncclAllGather(const void *, void *, size_t count, int type, ncclComm *communicator, void *) {
  return record("ncclAllGather", communicator, spell({count, size_t(type)}), isType(type));
}
FAKE int ncclBroadcast(const void *source, void *, size_t count, int type, int root, ncclComm *communicator, void *) {
  return record("ncclBroadcast", communicator, spell({count, size_t(type), size_t(root)}),
                source && isType(type) && isRank(communicator, root));
}
FAKE int ncclSend(const void *, size_t count, int type, int to, ncclComm *communicator, void *) {
  if (!open)
    return kInvalidUsage;
  return record("ncclSend", communicator, spell({count, size_t(type), size_t(to)}), isRank(communicator, to));
}
FAKE int ncclRecv(void *, size_t count, int type, int from, ncclComm *communicator, void *) {
  if (!open)
    return kInvalidUsage;
  return record("ncclRecv", communicator, spell({count, size_t(type), size_t(from)}), isRank(communicator, from));
}
FAKE int ncclGroupStart() { return ++open, 0; }
FAKE int ncclGroupEnd() { return --open < 0 ? kInvalidUsage : record("ncclGroupEnd", nullptr, ""); }
