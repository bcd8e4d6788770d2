// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of threads beside copies that read and write as many bytes: for each size the best time of many short
// rounds, taken in turn.
//
//   collectives_local_time [THREADS] [ROUNDS]
#include "runtime/collectives/local/LocalGroup.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <pthread.h>
#include <sched.h>

using namespace heddle;
using namespace heddle::collectives;

namespace {

double now() { return std::chrono::duration<double>(Group::Clock::now().time_since_epoch()).count(); }

// To a core of its own, in turn.
void pin(uint32_t thread) {
  cpu_set_t cores, one;
  sched_getaffinity(0, sizeof(cores), &cores);
  CPU_ZERO(&one);
  int left = int(thread) % CPU_COUNT(&cores);
  for (int core = 0; core < CPU_SETSIZE && !CPU_COUNT(&one); ++core)
    if (CPU_ISSET(core, &cores) && left-- == 0)
      CPU_SET(core, &one);
  pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

struct Buffers {
  std::vector<float> source, target;
};

// Seconds of one of `repeats` runs, each of all threads.
double timeOf(Group &group, int repeats, const std::function<void()> &work) {
  (void)group.barrier();
  const double begin = now();
  for (int i = 0; i < repeats; ++i)
    work();
  return (now() - begin) / repeats;
}

// Sizes are of one member's source; columns are the times of one collective, and of copying what one thread moves.
void measure(Group &group, int rounds) {
  constexpr uint64_t kSizes[] = {1 << 10, 64 << 10, 1 << 20, 16 << 20};
  const uint64_t n = group.size();
  Buffers buffers{std::vector<float>(kSizes[3] / 4, 1), std::vector<float>(n * kSizes[3] / 4)};
  std::vector<float> copies(n * kSizes[3] / 4, 2);
  for (const uint64_t bytes : kSizes)
    for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather}) {
      Request request;
      request.kind = kind, request.type = ElementType::F32, request.count = bytes / 4;
      request.source = buffers.source.data(), request.target = buffers.target.data();
      // all_reduce: n parts of 1/n are read and written; all_gather: n sources.
      const uint64_t moved = kind == CollectiveKind::AllReduce ? bytes : n * bytes;
      const int repeats = int(std::clamp<uint64_t>((256 << 10) / moved, 1, 50));
      double best = 1e9, bestCopy = 1e9;
      for (int round = 0; round < rounds; ++round) {
        best = std::min(best, timeOf(group, repeats, [&] { (void)group.run(request); }));
        bestCopy = std::min(bestCopy, timeOf(group, repeats, [&] {
                              std::memcpy(buffers.target.data(), copies.data(), moved);
                              asm volatile("" ::: "memory");
                            }));
      }
      if (group.rank() == 0)
        std::printf("%9llu  %-10s  %9.2f us  %9.2f us  %5.2f\n", static_cast<unsigned long long>(bytes),
                    std::string(spelling(kind)).c_str(), best * 1e6, bestCopy * 1e6, bestCopy / best);
    }
}

} // namespace

int main(int argc, char **argv) {
  const uint32_t ranks = argc > 1 ? uint32_t(std::atoi(argv[1])) : 2;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 100;
  StatusOr<std::vector<std::unique_ptr<Group>>> world = createLocalWorld(ranks);
  if (!world.ok())
    return std::fprintf(stderr, "%s\n", world.status().text().c_str()), 1;
  std::printf("    bytes  collective       time         copy    copy / time\n");
  std::vector<std::thread> threads;
  for (std::unique_ptr<Group> &group : *world)
    threads.emplace_back([&] {
      pin(group->rank());
      measure(*group, rounds);
    });
  for (std::thread &thread : threads)
    thread.join();
}
