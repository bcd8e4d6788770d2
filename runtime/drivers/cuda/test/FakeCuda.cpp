// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for libcuda.so.1: records calls, and computes by the rules of the API, stricter than the real one.
//
// Work given to a stream runs when something waits for it, so a driver that reads results too early reads nothing.
// Device memory lies at addresses the host cannot touch. Pageable memory in an asynchronous copy, a call without a
// context and wrong addresses are refused. Of a launch the parameters are counted, byte for byte, the block is the one
// that the code requires, and shared memory is what the function was allowed. Kernels are those of
// runtime/test/kernels.ptx, by name.
#include "runtime/drivers/cuda/test/FakeCuda.h"

#include "runtime/drivers/cuda/CudaApi.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace {

// The types of the API are the driver's own, so that a sanitizer sees calls of the right type.
using namespace heddle::cuda;
constexpr CUresult kInvalidValue = 1, kInvalidContext = 201;
constexpr int kMostShared = 166912; // of a workgroup that asks for it

struct Function {
  std::string name;
  size_t parameterBytes = 0;
  unsigned block[3] = {};       // 0: any
  unsigned sharedBytes = 49152; // that a launch may ask for
};
struct Module {
  std::string text;
  std::vector<std::unique_ptr<Function>> functions;
};
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
Fake fake;
thread_local CUcontext current = nullptr;
int context; // its address is the context

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
CUresult begin(const char *name, bool needsContext = true) {
  if (auto planned = fake.failures.find(name); planned != fake.failures.end()) {
    CUresult result = planned->second;
    fake.failures.erase(planned);
    return result;
  }
  return needsContext && current != reinterpret_cast<CUcontext>(&context) ? kInvalidContext : 0;
}

// The memory at an address, as the host can use it; null when so many bytes are not there.
std::byte *at(uintptr_t address, size_t bytes) {
  auto next = fake.memory.upper_bound(address);
  if (next == fake.memory.begin())
    return nullptr;
  auto &[first, memory] = *std::prev(next);
  if (address - first + bytes > memory.size)
    return nullptr;
  return (memory.host ? memory.host : memory.bytes.data()) + (address - first);
}

void runUntil(Stream &stream, uint64_t position) {
  while (stream.done < position && !stream.work.empty()) {
    if (CUresult result = stream.work.front()(); result && !stream.failed)
      stream.failed = result;
    stream.work.pop_front();
    ++stream.done;
  }
}

void runAll() {
  for (Stream *stream : fake.streams)
    runUntil(*stream, stream->issued);
}

CUresult issue(CUstream stream, std::function<CUresult()> work) {
  auto *to = reinterpret_cast<Stream *>(stream);
  to->work.push_back(std::move(work));
  ++to->issued;
  return 0;
}

// The kernels, over one workgroup. False: an address is wrong.
bool runGroup(const std::string &name, const std::vector<uint64_t> &parameters, uint32_t w) {
  if (name == "nothing")
    return true;
  if (name == "mark") {
    auto *out = reinterpret_cast<uint64_t *>(at(parameters[0] + 8 * w, 8));
    if (out)
      *out += w + 1;
    return out;
  }
  if (name == "out_of_range") {
    auto *status = reinterpret_cast<uint32_t *>(at(parameters.back(), 4));
    if (status && w == parameters[1])
      *status = 1;
    return status;
  }
  auto *a = reinterpret_cast<float *>(at(parameters[0], 64)), *b = reinterpret_cast<float *>(at(parameters[1], 64)),
       *c = reinterpret_cast<float *>(at(parameters[2], 64));
  if (!a || !b || !c)
    return false;
  c[w] = 0;
  for (uint32_t k = 0; k < 4; ++k)
    c[w] += a[w / 4 * 4 + k] * b[4 * k + w % 4];
  return true;
}

// What the text says of the entry that begins there.
Function readEntry(const std::string &text, const std::string &name, size_t entry) {
  Function out{name};
  size_t end = text.find(')', entry), body = text.find('{', entry);
  for (size_t i = text.find(".param .", entry); i < end; i = text.find(".param .", i + 1)) {
    size_t bytes = std::strtoul(&text[i + std::strlen(".param .u")], nullptr, 10) / 8;
    out.parameterBytes = (out.parameterBytes + bytes - 1) / bytes * bytes + bytes;
  }
  if (size_t i = text.find(".reqntid ", end); i < body)
    std::sscanf(&text[i], ".reqntid %u, %u, %u", &out.block[0], &out.block[1], &out.block[2]);
  return out;
}

// The words that a launch hands over as one piece of memory; none where that is not what the kernel takes.
bool readParameters(const Function &kernel, void **parameters, void **extra, std::vector<uint64_t> &out) {
  if (parameters || !extra || reinterpret_cast<uintptr_t>(extra[0]) != kLaunchParameters ||
      reinterpret_cast<uintptr_t>(extra[2]) != kLaunchParameterBytes ||
      reinterpret_cast<uintptr_t>(extra[4]) != kLaunchEnd || *static_cast<size_t *>(extra[3]) != kernel.parameterBytes)
    return false;
  out.resize(kernel.parameterBytes / sizeof(uint64_t));
  std::memcpy(out.data(), extra[1], kernel.parameterBytes);
  return true;
}

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))
#define LOCK std::lock_guard lock(fake.mutex)
#define BEGIN(name, ...)                                                                                               \
  LOCK;                                                                                                                \
  say(name __VA_OPT__(, ) __VA_ARGS__);                                                                                \
  if (CUresult planned = begin(name))                                                                                  \
  return planned

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

FAKE CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options, void **values) {
  BEGIN("cuModuleLoadDataEx", " options ", count);
  auto made = std::make_unique<Module>();
  made->text = static_cast<const char *>(image);
  if (made->text.find(".target sm_50") == std::string::npos) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "ptxas fatal: no .target\nand more");
    return kInvalidPtx;
  }
  *module = reinterpret_cast<CUmodule>(made.release());
  return 0;
}
FAKE CUresult cuModuleUnload(CUmodule module) {
  BEGIN("cuModuleUnload");
  delete reinterpret_cast<Module *>(module);
  return 0;
}
FAKE CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  BEGIN("cuModuleGetFunction", " ", name);
  auto &in = *reinterpret_cast<Module *>(module);
  size_t entry = in.text.find(std::string(".entry ") + name + "(");
  if (entry == std::string::npos)
    return kNotFound;
  in.functions.push_back(std::make_unique<Function>(readEntry(in.text, name, entry)));
  *function = reinterpret_cast<CUfunction>(in.functions.back().get());
  return 0;
}
FAKE CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  auto &kernel = *reinterpret_cast<Function *>(function);
  BEGIN("cuFuncSetAttribute", " ", kernel.name, " ", attribute, " ", value);
  if (attribute != kMaxDynamicSharedBytes || value < 0 || value > kMostShared)
    return kInvalidValue;
  kernel.sharedBytes = static_cast<unsigned>(value);
  return 0;
}
FAKE CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                             unsigned blockY, unsigned blockZ, unsigned shared, CUstream stream, void **parameters,
                             void **extra) {
  const auto &kernel = *reinterpret_cast<Function *>(function);
  BEGIN("cuLaunchKernel", " ", kernel.name, " grid ", gridX, " ", gridY, " ", gridZ, " block ", blockX, " ", blockY,
        " ", blockZ, " shared ", shared);
  std::vector<uint64_t> values;
  unsigned block[] = {blockX, blockY, blockZ};
  bool isRequired = !kernel.block[0] || std::memcmp(block, kernel.block, sizeof(block)) == 0;
  if (gridX == 0 || gridX > INT32_MAX || gridY != 1 || gridZ != 1 || !isRequired || shared > kernel.sharedBytes ||
      !readParameters(kernel, parameters, extra, values))
    return kInvalidValue;
  return issue(stream, [=, name = kernel.name] {
    for (unsigned w = 0; w < gridX; ++w)
      if (!runGroup(name, values, w))
        return kIllegalAddress;
    return 0;
  });
}

// Graphs: what their nodes do, one behind the other; a launch is one piece of work.
struct Graph {
  struct Node {
    std::string name; // of a kernel; "": a set
    unsigned grid = 0;
    std::vector<uint64_t> values;
    MemsetNodeParams set{};
  };
  std::vector<std::unique_ptr<Node>> nodes;
};
static bool readNode(const KernelNodeParams &p, Graph::Node &out) {
  const auto &kernel = *reinterpret_cast<Function *>(p.function);
  unsigned block[] = {p.blockX, p.blockY, p.blockZ};
  bool isRequired = !kernel.block[0] || std::memcmp(block, kernel.block, sizeof(block)) == 0;
  out.name = kernel.name;
  out.grid = p.gridX;
  return p.gridX && p.gridY == 1 && p.gridZ == 1 && isRequired && p.sharedBytes <= kernel.sharedBytes &&
         readParameters(kernel, p.parameters, p.extra, out.values);
}
static CUresult runNode(const Graph::Node &node) {
  if (node.name.empty()) {
    std::byte *target = at(node.set.to, node.set.width * node.set.elementBytes);
    for (size_t i = 0; target && i < node.set.width; ++i)
      std::memcpy(target + i * node.set.elementBytes, &node.set.value, node.set.elementBytes);
    return target ? 0 : kIllegalAddress;
  }
  for (unsigned w = 0; w < node.grid; ++w)
    if (!runGroup(node.name, node.values, w))
      return kIllegalAddress;
  return 0;
}
static CUgraphNode append(Graph &graph, std::unique_ptr<Graph::Node> node) {
  graph.nodes.push_back(std::move(node));
  return reinterpret_cast<CUgraphNode>(graph.nodes.back().get());
}
static bool isBehindLast(const Graph &graph, const CUgraphNode *behind, size_t count) {
  if (graph.nodes.empty())
    return count == 0;
  return count == 1 && *behind == reinterpret_cast<CUgraphNode>(graph.nodes.back().get());
}
FAKE CUresult cuGraphCreate(CUgraph *graph, unsigned) {
  BEGIN("cuGraphCreate");
  *graph = reinterpret_cast<CUgraph>(new Graph);
  return 0;
}
FAKE CUresult cuGraphDestroy(CUgraph graph) {
  BEGIN("cuGraphDestroy");
  delete reinterpret_cast<Graph *>(graph);
  return 0;
}
FAKE CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph to, const CUgraphNode *behind, size_t count,
                                   const KernelNodeParams *params) {
  BEGIN("cuGraphAddKernelNode");
  auto &graph = *reinterpret_cast<Graph *>(to);
  auto made = std::make_unique<Graph::Node>();
  if (!isBehindLast(graph, behind, count) || !readNode(*params, *made))
    return kInvalidValue;
  *node = append(graph, std::move(made));
  return 0;
}
FAKE CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph to, const CUgraphNode *behind, size_t count,
                                   const MemsetNodeParams *params, CUcontext in) {
  BEGIN("cuGraphAddMemsetNode");
  auto &graph = *reinterpret_cast<Graph *>(to);
  if (!isBehindLast(graph, behind, count) || in != current || params->height != 1 ||
      !at(params->to, params->width * params->elementBytes) || params->to % params->elementBytes)
    return kInvalidValue;
  auto made = std::make_unique<Graph::Node>();
  made->set = *params;
  *node = append(graph, std::move(made));
  return 0;
}
// An executable graph is the graph: ours are not changed after.
FAKE CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long) {
  BEGIN("cuGraphInstantiate");
  *executable = reinterpret_cast<CUgraphExec>(graph);
  return 0;
}
FAKE CUresult cuGraphExecDestroy(CUgraphExec) {
  BEGIN("cuGraphExecDestroy");
  return 0;
}
FAKE CUresult cuGraphExecKernelNodeSetParams(CUgraphExec, CUgraphNode node, const KernelNodeParams *params) {
  BEGIN("cuGraphExecKernelNodeSetParams");
  return readNode(*params, *reinterpret_cast<Graph::Node *>(node)) ? 0 : kInvalidValue;
}
FAKE CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  BEGIN("cuGraphLaunch");
  std::vector<Graph::Node> nodes; // as they are now
  for (const auto &node : reinterpret_cast<Graph *>(executable)->nodes)
    nodes.push_back(*node);
  return issue(stream, [nodes = std::move(nodes)] {
    for (const Graph::Node &node : nodes)
      if (CUresult result = runNode(node))
        return result;
    return 0;
  });
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
  runUntil(*event.stream, event.at);
  return event.stream->failed;
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
