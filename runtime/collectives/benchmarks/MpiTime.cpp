// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of MPI processes beside the library's own calls, in the same processes, in turn: for each size the best
// time of many short rounds.
//
//   mpiexec -n 2 collectives_mpi_time [ROUNDS]
#include "runtime/collectives/mpi/MpiGroup.h"
#include "runtime/collectives/mpi/MpiLibrary.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <dlfcn.h>

using namespace heddle;
using namespace heddle::collectives;

namespace {

double now() { return std::chrono::duration<double>(Group::Clock::now().time_since_epoch()).count(); }

// The library's own calls, where its handles are pointers (MPI 5's interface, Open MPI's).
struct OwnCalls {
  int (*allReduce)(const void *, void *, int, void *, void *, void *);
  int (*allGather)(const void *, int, void *, void *, int, void *, void *);
  int (*barrier)(void *);
  void *world, *f32, *sum;

  bool find() {
    void *library = nullptr;
    for (const std::string &file : findMpi())
      if (!library)
        library = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (!library)
      return false;
    allReduce = reinterpret_cast<decltype(allReduce)>(dlsym(library, "MPI_Allreduce"));
    allGather = reinterpret_cast<decltype(allGather)>(dlsym(library, "MPI_Allgather"));
    barrier = reinterpret_cast<decltype(barrier)>(dlsym(library, "MPI_Barrier"));
    world = dlsym(library, "ompi_mpi_comm_world");
    f32 = world ? dlsym(library, "ompi_mpi_float") : reinterpret_cast<void *>(0x210);
    sum = world ? dlsym(library, "ompi_mpi_op_sum") : reinterpret_cast<void *>(0x21);
    world = world ? world : reinterpret_cast<void *>(0x101);
    return allReduce && allGather && barrier;
  }
};

// After a call that is not counted: what the other one has left in caches helps neither.
double timeOf(const OwnCalls &own, int repeats, const std::function<void()> &work) {
  work();
  own.barrier(own.world);
  const double begin = now();
  for (int i = 0; i < repeats; ++i)
    work();
  return (now() - begin) / repeats;
}

} // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  StatusOr<std::unique_ptr<Group>> group = createMpiWorld({});
  OwnCalls own;
  if (!group.ok() || !own.find())
    return std::fprintf(stderr, "%s\n",
                        group.ok() ? "the library's calls are not there" : group.status().text().c_str()),
           1;
  const uint64_t n = (*group)->size();
  constexpr uint64_t kSizes[] = {1 << 10, 64 << 10, 1 << 20, 16 << 20};
  std::vector<float> source(kSizes[3] / 4, 1), target(n * kSizes[3] / 4);
  if ((*group)->rank() == 0)
    std::printf("    bytes  collective       time     library's   time / library's\n");
  for (const uint64_t bytes : kSizes)
    for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather}) {
      Request request;
      request.kind = kind, request.type = ElementType::F32, request.count = bytes / 4;
      request.source = source.data(), request.target = target.data();
      const int count = int(request.count), repeats = int(std::clamp<uint64_t>((4 << 20) / bytes, 2, 300));
      double best = 1e9, bestOwn = 1e9;
      for (int round = 0; round < (bytes > 1 << 20 ? rounds / 4 + 1 : rounds); ++round) {
        best = std::min(best, timeOf(own, repeats, [&] { (void)(*group)->run(request); }));
        bestOwn = std::min(bestOwn, timeOf(own, repeats, [&] {
                             if (kind == CollectiveKind::AllReduce)
                               own.allReduce(source.data(), target.data(), count, own.f32, own.sum, own.world);
                             else
                               own.allGather(source.data(), count, own.f32, target.data(), count, own.f32, own.world);
                           }));
      }
      if ((*group)->rank() == 0)
        std::printf("%9llu  %-10s  %9.2f us  %9.2f us  %5.2f\n", static_cast<unsigned long long>(bytes),
                    kind == CollectiveKind::AllReduce ? "all_reduce" : "all_gather", best * 1e6, bestOwn * 1e6,
                    best / bestOwn);
    }
}
