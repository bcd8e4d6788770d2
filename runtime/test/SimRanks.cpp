// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call of a program of many ranks takes on simulated devices, for tests of schedules:
//
//   sim_ranks PROGRAM.heddle RANKS 'sim://r{rank}?gflops=1&link_us=5'
//
// All ranks are threads, each with the device that the URI says for it; arguments are zeros. One line of JSON: the
// makespan, what was chosen at load, and by rank 0's device what ran when, in nanoseconds.
#include "runtime/collectives/local/LocalGroup.h"
#include "runtime/drivers/sim/SimTimeline.h"
#include "runtime/executor/call/Invocation.h"
#include "runtime/executor/load/Module.h"
#include "runtime/executor/load/World.h"

#include <barrier>
#include <cstdlib>
#include <iostream>
#include <thread>

using namespace heddle;

namespace {

constexpr uint64_t kTimeoutNs = 60'000'000'000;

std::string withRank(std::string uri, uint32_t rank) {
  if (size_t at = uri.find("{rank}"); at != std::string::npos)
    uri.replace(at, 6, std::to_string(rank));
  return uri;
}

// Zeros of fixed sizes for each value; 0 bytes where a size is free.
std::vector<heddle_tensor> tensorsFor(const flatbuffers::Vector<flatbuffers::Offset<fb::Value>> &values,
                                      std::vector<std::vector<std::byte>> &memory) {
  std::vector<heddle_tensor> tensors;
  for (const fb::Value *value : values) {
    heddle_tensor tensor{};
    tensor.type = static_cast<heddle_element_type>(value->type());
    tensor.rank = value->dims() ? value->dims()->size() : 0;
    uint64_t bytes = contract::byteSize(static_cast<contract::ElementType>(value->type()));
    for (uint32_t d = 0; d < tensor.rank; ++d) {
      tensor.dims[d] = std::max<int64_t>(value->dims()->Get(d)->size(), 0);
      bytes *= static_cast<uint64_t>(tensor.dims[d]);
    }
    tensor.data = memory.emplace_back(std::max<uint64_t>(bytes, 64)).data();
    tensor.bytes = bytes;
    tensors.push_back(tensor);
  }
  return tensors;
}

Status callRank(const std::string &path, uint32_t rank, const std::string &uri, const std::shared_ptr<World> &world,
                std::barrier<> &barrier, std::string &chosen) {
  Status status;
  std::unique_ptr<Invocation> invocation;
  std::vector<std::vector<std::byte>> memory;
  std::vector<heddle_tensor> inputs, outputs;
  StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::openFile(path);
  if (artifact.ok()) {
    const std::string uris[] = {withRank(uri, rank)};
    StatusOr<std::shared_ptr<Module>> module =
        Module::load(*artifact, uris, runBindFunction, {}, 0, true, {world, rank, ""});
    if (module.ok()) {
      const Function &function = *(*module)->entryPoints()[0];
      chosen = (*module)->pieces();
      memory.reserve(function.source->arguments()->size() + function.source->results()->size());
      inputs = tensorsFor(*function.source->arguments(), memory);
      outputs = tensorsFor(*function.source->results(), memory);
      invocation = std::move(*Invocation::create(*module, function));
    } else {
      status = module.takeStatus();
    }
  } else {
    status = artifact.takeStatus();
  }
  barrier.arrive_and_wait();
  if (rank == 0)
    sim::SimTimeline::process().reset();
  barrier.arrive_and_wait();
  return invocation ? invocation->call(inputs, outputs) : std::move(status);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::cerr << "sim_ranks PROGRAM.heddle RANKS URI\n";
    return 2;
  }
  auto ranks = static_cast<uint32_t>(std::atoi(argv[2]));
  auto world = std::make_shared<World>(std::move(*collectives::createLocalWorld(ranks)), "local", kTimeoutNs);
  std::barrier<> barrier(ranks);
  std::vector<std::thread> threads;
  std::vector<std::string> failures(ranks), chosen(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      if (Status status = callRank(argv[1], rank, argv[3], world, barrier, chosen[rank]); !status.ok())
        failures[rank] = status.text();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &failure : failures)
    if (!failure.empty()) {
      std::cerr << failure << '\n';
      return 1;
    }
  for (const std::string &other : chosen)
    if (other != chosen[0]) {
      std::cerr << "ranks choose otherwise: " << other << '\n';
      return 1;
    }
  for (char &c : chosen[0])
    c = c == '"' ? '\'' : c == '\n' ? ';' : c;
  sim::SimReport report = sim::SimTimeline::process().report();
  std::cout << "{\"makespan\": " << report.makespanNs << ", \"chosen\": \"" << chosen[0] << "\", \"operations\": [";
  const char *separator = "";
  for (const sim::SimOperation &operation : report.operations) {
    if (!operation.device.starts_with("r0"))
      continue;
    std::cout << separator << "[\"" << (operation.kind == sim::SimKind::Collective ? "collective" : "work") << "\", \""
              << operation.name << "\", " << operation.beginNs << ", " << operation.endNs << "]";
    separator = ", ";
  }
  std::cout << "]}\n";
  return 0;
}
