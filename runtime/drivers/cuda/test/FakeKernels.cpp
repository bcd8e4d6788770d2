// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fake's modules, kernels and graphs: those of runtime/test/kernels.ptx, by name.
#include "runtime/drivers/cuda/test/FakeState.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace heddle::cuda;
using namespace heddle::cuda::standin;

namespace {

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
