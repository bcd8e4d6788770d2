// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for libnccl.so.2: records calls, and refuses what the documentation does: types and reductions that are
// none, ranks that are none, messages outside of a group, an identity that it has not given.
//
// Where the fake of libcuda.so.1 is loaded (drivers/cuda/test) it does the collectives too, on its streams: each is
// done when all members' streams have come to it.
#include "runtime/collectives/nccl/test/FakeNccl.h"

#include "runtime/collectives/nccl/NcclApi.h"
#include "runtime/drivers/cuda/test/FakeCuda.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using heddle::collectives::NcclConfig;
using heddle::collectives::NcclUniqueId;

namespace {

constexpr int kInvalidArgument = 4, kInvalidUsage = 5, kInProgress = 7, kNotReady = 600; // the last is CUDA's
constexpr char kIdentity[] = "fake";

// What one member says of a collective. Bytes: of what it sends to each, or of all that is reduced.
struct Part {
  const void *source = nullptr;
  void *target = nullptr;
};
// The collective that a group of members does n-th.
struct Operation {
  std::vector<Part> parts;
  size_t arrived = 0;
  bool done = false;
};
// What a communicator's members share. Under the lock of the fake of CUDA while work runs.
struct Shared {
  std::map<uint64_t, Operation> operations;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> messages; // by sender and receiver
  bool aborted = false;
  int joined = 0; // members, of communicators that do not block
};

std::mutex mutex;
std::string calls;
std::map<std::string, int> failures;
int asyncError = 0;
bool stuck = false;
int slow = 0;
uint64_t identities = 0;
std::map<uint64_t, std::shared_ptr<Shared>> worlds;

template <typename F> F *cuda(const char *name) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library ? reinterpret_cast<F *>(dlsym(library, name)) : nullptr;
}
std::byte *at(const void *address, size_t bytes) {
  return static_cast<std::byte *>(cuda<void *(const void *, size_t)>("fakeCudaAt")(address, bytes));
}

} // namespace

struct ncclComm {
  int ranks, rank;
  std::shared_ptr<Shared> shared;
  bool blocks = true;
  uint64_t operations = 0; // that this member was given
};

namespace {

// A step of work on a stream: done, or to be asked again.
using Step = std::function<bool()>;
thread_local int open = 0; // groups of this thread
thread_local std::vector<Step> grouped;
thread_local void *groupedStream = nullptr;

// What this thread's communicator, which does not block, has yet to put on a stream.
struct Waiting {
  std::vector<Step> steps;
  void *stream = nullptr;
  int questions = 0;
};
thread_local Waiting waiting;

int runSteps(void *user) {
  auto *steps = static_cast<std::vector<Step> *>(user);
  std::erase_if(*steps, [](const Step &step) { return step(); });
  if (!steps->empty() || stuck)
    return kNotReady;
  delete steps;
  return 0;
}
void giveToStream(std::vector<Step> steps, void *stream) {
  if (auto *give = cuda<int(void *, int (*)(void *), void *)>("fakeCudaIssue"); give && !steps.empty())
    give(stream, runSteps, new std::vector<Step>(std::move(steps)));
}
void issue(std::vector<Step> steps, void *stream) {
  if (slow)
    waiting.steps = std::move(steps), waiting.stream = stream;
  else
    giveToStream(std::move(steps), stream);
}
// How a call that may have put something on a stream ends.
int issued(int result) {
  if (result == 0 && !open)
    waiting.questions = slow;
  return waiting.questions ? kInProgress : result;
}
void put(Step step, void *stream) {
  if (open) {
    grouped.push_back(std::move(step));
    groupedStream = stream;
  } else {
    issue({std::move(step)}, stream);
  }
}

// A collective of all members: the last that comes does it.
void together(ncclComm *communicator, Part part, void *stream, std::function<void(std::vector<Part> &)> work) {
  if (!cuda<void>("fakeCudaIssue"))
    return;
  put(
      [shared = communicator->shared, n = communicator->operations++, rank = communicator->rank,
       ranks = communicator->ranks, part, work = std::move(work), came = false]() mutable {
        Operation &operation = shared->operations[n];
        operation.parts.resize(static_cast<size_t>(ranks));
        if (!std::exchange(came, true)) {
          operation.parts[static_cast<size_t>(rank)] = part;
          if (++operation.arrived == static_cast<size_t>(ranks) && !shared->aborted)
            work(operation.parts), operation.done = true;
        }
        return operation.done || shared->aborted;
      },
      stream);
}

template <typename T> void combine(T *to, const T *from, size_t count, int reduction) {
  for (size_t i = 0; i < count; ++i)
    switch (reduction) {
    case 0: to[i] = T(to[i] + from[i]); break;
    case 1: to[i] = T(to[i] * from[i]); break;
    case 2: to[i] = std::max(to[i], from[i]); break;
    default: to[i] = std::min(to[i], from[i]); break;
    }
}
size_t bytesOf(int type) { return type <= 1 ? 1 : type <= 3 || type == 7 ? 4 : type == 6 || type == 9 ? 2 : 8; }

// The sum, or so, of all members' elements from `begin` on. Of f32, i32, u8.
std::vector<std::byte> reduce(const std::vector<Part> &parts, size_t begin, size_t count, int type, int reduction) {
  const size_t bytes = bytesOf(type);
  std::vector<std::byte> all(count * bytes);
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::byte *from = at(static_cast<const std::byte *>(parts[i].source) + begin * bytes, count * bytes);
    if (i == 0)
      std::memcpy(all.data(), from, all.size());
    else if (type == 7)
      combine(reinterpret_cast<float *>(all.data()), reinterpret_cast<const float *>(from), count, reduction);
    else if (type == 2)
      combine(reinterpret_cast<int *>(all.data()), reinterpret_cast<const int *>(from), count, reduction);
    else
      combine(reinterpret_cast<unsigned char *>(all.data()), reinterpret_cast<const unsigned char *>(from), count,
              reduction);
  }
  return all;
}
void write(void *to, const std::vector<std::byte> &bytes) {
  std::memcpy(at(to, bytes.size()), bytes.data(), bytes.size());
}
std::vector<std::byte> read(const void *from, size_t bytes) {
  const std::byte *begin = at(from, bytes);
  return {begin, begin + bytes};
}

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
  asyncError = 0, stuck = false, slow = 0;
}
FAKE void fakeNcclFail(const char *function, int result) {
  std::lock_guard lock(mutex);
  failures[function] = result;
}
FAKE void fakeNcclAsyncError(int result) {
  std::lock_guard lock(mutex);
  asyncError = result;
}
FAKE void fakeNcclHang(int hangs) { stuck = hangs != 0; }
FAKE void fakeNcclSlow(int questions) { slow = questions; }

FAKE const char *ncclGetErrorString(int result) { return result == 3 ? "internal error" : "some error"; }
FAKE int ncclGetVersion(int *version) { return *version = 22700, 0; }
FAKE int ncclGetUniqueId(NcclUniqueId *id) {
  std::memset(id, 0, sizeof(*id));
  {
    std::lock_guard lock(mutex);
    std::memcpy(id->bytes, &++identities, sizeof(identities));
  }
  std::strcpy(id->bytes + 100, kIdentity);
  return record("ncclGetUniqueId", nullptr, "");
}
static int join(const char *name, ncclComm **out, int ranks, const NcclUniqueId &id, int rank, bool blocks) {
  if (std::strcmp(id.bytes + 100, kIdentity) != 0 || rank < 0 || rank >= ranks)
    return kInvalidArgument;
  uint64_t number;
  std::memcpy(&number, id.bytes, sizeof(number));
  {
    std::lock_guard lock(mutex);
    std::shared_ptr<Shared> &shared = worlds[number];
    if (!shared)
      shared = std::make_shared<Shared>();
    *out = new ncclComm{ranks, rank, shared, blocks};
  }
  const int result = record(name, *out, spell({size_t(ranks)}));
  if (result) {
    delete std::exchange(*out, nullptr);
    return result;
  }
  std::lock_guard lock(mutex);
  ++(*out)->shared->joined;
  return blocks ? 0 : kInProgress;
}
FAKE int ncclCommInitRank(ncclComm **out, int ranks, NcclUniqueId id, int rank) {
  return join("ncclCommInitRank", out, ranks, id, rank, true);
}
// The configuration of NCCL 2.14, which is all that we give.
FAKE int ncclCommInitRankConfig(ncclComm **out, int ranks, NcclUniqueId id, int rank, NcclConfig *config) {
  const bool isConfig = config->size == 24 && config->magic == 0xcafebeef && config->version == 21400;
  return isConfig ? join("ncclCommInitRankConfig", out, ranks, id, rank, config->blocking != 0) : kInvalidArgument;
}
FAKE int ncclCommDestroy(ncclComm *communicator) {
  const int result = record("ncclCommDestroy", communicator, "");
  delete communicator;
  return result;
}
FAKE int ncclCommAbort(ncclComm *communicator) {
  const int result = record("ncclCommAbort", communicator, "");
  communicator->shared->aborted = true;
  stuck = false;
  delete communicator;
  return result;
}
FAKE int ncclCommGetAsyncError(ncclComm *communicator, int *result) {
  if (waiting.questions && --waiting.questions == 0)
    giveToStream(std::exchange(waiting.steps, {}), waiting.stream);
  std::lock_guard lock(mutex);
  const bool isJoining = !communicator->blocks && communicator->shared->joined < communicator->ranks;
  *result = asyncError ? asyncError : isJoining || waiting.questions ? kInProgress : 0;
  return 0;
}
FAKE int ncclAllReduce(const void *source, void *target, size_t count, int type, int reduction, ncclComm *communicator,
                       void *stream) {
  const int result = record("ncclAllReduce", communicator, spell({count, size_t(type), size_t(reduction)}),
                            isType(type) && isReduction(reduction));
  if (!result)
    together(communicator, {source, target}, stream, [=](std::vector<Part> &parts) {
      const std::vector<std::byte> all = reduce(parts, 0, count, type, reduction);
      for (const Part &part : parts)
        write(part.target, all);
    });
  return issued(result);
}
FAKE int ncclReduce(const void *source, void *target, size_t count, int type, int reduction, int root,
                    ncclComm *communicator, void *stream) {
  const int result = record("ncclReduce", communicator, spell({count, size_t(type), size_t(reduction), size_t(root)}),
                            isType(type) && isReduction(reduction) && isRank(communicator, root));
  if (!result)
    together(communicator, {source, target}, stream, [=](std::vector<Part> &parts) {
      write(parts[size_t(root)].target, reduce(parts, 0, count, type, reduction));
    });
  return issued(result);
}
FAKE int ncclReduceScatter(const void *source, void *target, size_t count, int type, int reduction,
                           ncclComm *communicator, void *stream) {
  const int result = record("ncclReduceScatter", communicator, spell({count, size_t(type), size_t(reduction)}),
                            isType(type) && isReduction(reduction));
  if (!result)
    together(communicator, {source, target}, stream, [=](std::vector<Part> &parts) {
      std::vector<std::vector<std::byte>> all; // read before any is written
      for (size_t i = 0; i < parts.size(); ++i)
        all.push_back(reduce(parts, i * count, count, type, reduction));
      for (size_t i = 0; i < parts.size(); ++i)
        write(parts[i].target, all[i]);
    });
  return issued(result);
}
FAKE int ncclAllGather(const void *source, void *target, size_t count, int type, ncclComm *communicator, void *stream) {
  const int result = record("ncclAllGather", communicator, spell({count, size_t(type)}), isType(type));
  if (!result)
    together(communicator, {source, target}, stream, [bytes = count * bytesOf(type)](std::vector<Part> &parts) {
      std::vector<std::byte> all;
      for (const Part &part : parts)
        for (std::byte byte : read(part.source, bytes))
          all.push_back(byte);
      for (const Part &part : parts)
        write(part.target, all);
    });
  return issued(result);
}
FAKE int ncclBroadcast(const void *source, void *target, size_t count, int type, int root, ncclComm *communicator,
                       void *stream) {
  const int result = record("ncclBroadcast", communicator, spell({count, size_t(type), size_t(root)}),
                            source && isType(type) && isRank(communicator, root));
  if (!result)
    together(communicator, {source, target}, stream, [=](std::vector<Part> &parts) {
      const std::vector<std::byte> bytes = read(parts[size_t(root)].source, count * bytesOf(type));
      for (const Part &part : parts)
        write(part.target, bytes);
    });
  return issued(result);
}
FAKE int ncclSend(const void *source, size_t count, int type, int to, ncclComm *communicator, void *stream) {
  if (!open)
    return kInvalidUsage;
  const int result =
      record("ncclSend", communicator, spell({count, size_t(type), size_t(to)}), isRank(communicator, to));
  if (!result)
    put(
        [shared = communicator->shared, way = std::pair(communicator->rank, to), source,
         bytes = count * bytesOf(type)] {
          shared->messages[way].push_back(read(source, bytes));
          return true;
        },
        stream);
  return issued(result);
}
FAKE int ncclRecv(void *target, size_t count, int type, int from, ncclComm *communicator, void *stream) {
  if (!open)
    return kInvalidUsage;
  const int result =
      record("ncclRecv", communicator, spell({count, size_t(type), size_t(from)}), isRank(communicator, from));
  if (!result)
    put(
        [shared = communicator->shared, way = std::pair(from, communicator->rank), target] {
          std::deque<std::vector<std::byte>> &messages = shared->messages[way];
          if (messages.empty())
            return shared->aborted;
          write(target, messages.front());
          messages.pop_front();
          return true;
        },
        stream);
  return issued(result);
}
FAKE int ncclGroupStart() { return ++open, 0; }
FAKE int ncclGroupEnd() {
  if (--open < 0)
    return kInvalidUsage;
  if (!open)
    issue(std::exchange(grouped, {}), groupedStream);
  return issued(record("ncclGroupEnd", nullptr, ""));
}
