// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host time of the runtime through the C interface, on hand-written artifacts:
//   empty call       an entry point that returns at once
//     with views     the same through heddle_invocation_call_views()
//     started        heddle_invocation_start() and heddle_event_wait()
//   chain of N       N dependent 4x4 matmuls by one workgroup each, on one core; and the same kernels called directly,
//                    the difference per dispatch is the host time
//   null chain       the same program on the null device: host time alone
//   8 workgroups     what it costs to share a dispatch among the cores of a device
//   queued           dispatches to a queued stream of a second device (null), issued and done
//   hand over        a dispatch there behind one here, and back: two events between two threads
//   of one rank      a call that agrees with the other ranks, of which there are none, and each of 10 collectives
//
//   usage: runtime_host_time [dispatches] [rounds]
#include "heddle/buffers.h"
#include "heddle/contract/KernelAbi.h"
#include "runtime/test/RankPrograms.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <dlfcn.h>

using namespace heddle;
using namespace heddle::test;

namespace {

void check(heddle_status *status) {
  if (!status)
    return;
  std::fprintf(stderr, "%s\n", heddle_status_message(status));
  std::exit(1);
}

// 100 dispatches of 8 workgroups that do nothing: what it costs to share work among the cores of a device.
std::unique_ptr<fb::FunctionT> shared() {
  std::string code = "const s0 64\nconst s1 8\nslab b0 x0 s0\n";
  for (int i = 0; i < 100; ++i)
    code += "dispatch t0 6.0 s1 s2 [b0] []\n";
  return contract::test::function("shared", code + "return", 3, 1);
}

// main(a: 4x4, b: 4x4) -> a x b x b …; two buffers of the slab in turn.
std::unique_ptr<fb::FunctionT> chain(int dispatches) {
  std::string code = "const s0 64\nconst s1 128\nconst s2 0\nconst s3 1\nslab b2 x0 s1\nview b3 b2 s2 s0\n"
                     "view b4 b2 s0 s0\nresult b5 r0 x0 s0\n";
  for (int i = 0; i < dispatches; ++i) {
    std::string from = i == 0 ? "b0" : i % 2 ? "b3" : "b4";
    std::string to = i == dispatches - 1 ? "b5" : i % 2 ? "b4" : "b3";
    code += "dispatch t0 5.0 s3 s2 [" + from + " b1 " + to + "] []\n";
  }
  code += "const s4 4\nset_result r0 b5 [s4 s4]\nreturn";
  auto function = contract::test::function("chain", code, 5, 6);
  for (const char *name : {"a", "b"})
    function->arguments.push_back(contract::test::value(name, ElementType::F32, {size(4), size(4)}));
  function->results.push_back(contract::test::value("c", ElementType::F32, {size(4), size(4)}));
  return function;
}

// Median over rounds of the nanoseconds of one run of `body`.
template <typename Body> double medianNs(int rounds, int repeats, Body &&body) {
  std::vector<double> times;
  for (int r = 0; r < rounds + 2; ++r) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i)
      body();
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    if (r >= 2)
      times.push_back(took.count() / repeats);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

double kernelsAlone(int dispatches, int rounds, float *a, float *b) {
  void *library = dlopen(HEDDLE_TEST_KERNELS, RTLD_NOW);
  auto kernel = reinterpret_cast<HeddleKernel>(dlsym(library, "matmul4"));
  alignas(64) float c[2][16];
  return medianNs(rounds, 20, [&] {
    for (int i = 0; i < dispatches; ++i) {
      void *bindings[] = {i ? c[i % 2] : a, b, c[1 - i % 2]};
      HeddleKernelState state{bindings, nullptr};
      kernel(&state, 0, 1, nullptr);
    }
  });
}

// 1000 dispatches to another device's stream, or 100 round trips to it.
std::unique_ptr<fb::FunctionT> secondDevice(bool trips) {
  std::string code = "const s0 64\nconst s1 1\nslab b0 x0 s0\nslab b1 x1 s0\nstream t1 x1 0\n";
  for (int i = 0; i < (trips ? 100 : 1000); ++i)
    code += trips ? "dispatch t0 6.0 s1 s2 [b0] []\nrecord e0 t0\nwait t1 e0\ndispatch t1 6.0 s1 s2 [b1] []\n"
                    "record e1 t1\nwait t0 e1\n"
                  : "dispatch t1 6.0 s1 s2 [b1] []\n";
  return contract::test::function(trips ? "trips" : "queued", code + "return", 3, 2, 2, 2);
}

// Nothing but that ranks meet: to agree on the call, and `collectives` times more.
std::unique_ptr<fb::FunctionT> meeting(const char *name, int collectives) {
  std::string code = "const s0 4\nconst s1 1\nconst s2 0\nslab b0 x0 s0\ncomm_stream t1\nbr_if s2 @meet @end\n"
                     "@meet collective t1 j0 b0 b0 s1\n@end ";
  for (int i = 0; i < collectives; ++i)
    code += "collective t1 j0 b0 b0 s1\n";
  return contract::test::function(name, code + "return", 3, 1, 2);
}

enum class How { Call, Views, Start };

void startAndWait(heddle_invocation *call, const heddle_tensor *in, uint32_t arguments, heddle_tensor *out) {
  heddle_event *done = nullptr;
  check(heddle_invocation_start(call, in, arguments, out, arguments ? 1 : 0, nullptr, 0, nullptr, &done));
  check(heddle_event_wait(done, HEDDLE_FOREVER));
  heddle_event_release(done);
}

double callNs(AlignedBytes &bytes, std::vector<const char *> uris, const char *name, int rounds, int repeats, float *a,
              float *b, How how = How::Call) {
  heddle_artifact *artifact;
  heddle_module *module;
  heddle_invocation *call;
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.device_count = static_cast<uint32_t>(uris.size());
  options.devices = uris.data();
  uint32_t entry;
  check(heddle_artifact_open_memory(bytes.data(), bytes.size(), &artifact));
  check(heddle_module_load(artifact, &options, &module));
  check(heddle_module_find_entry_point(module, name, &entry));
  check(heddle_invocation_create(module, entry, &call));
  uint32_t arguments = heddle_module_entry_point(module, entry)->argument_count;
  alignas(64) float c[16];
  heddle_tensor in[] = {{a, 64, HEDDLE_F32, 2, {4, 4}, nullptr}, {b, 64, HEDDLE_F32, 2, {4, 4}, nullptr}};
  heddle_tensor out{c, 64, HEDDLE_F32, 2, {4, 4}, nullptr};
  double ns = medianNs(rounds, repeats, [&] {
    if (how == How::Start)
      startAndWait(call, in, arguments, &out);
    else
      check(how == How::Call ? heddle_invocation_call(call, in, arguments, &out, arguments ? 1 : 0)
                             : heddle_invocation_call_views(call, nullptr, 0, nullptr, 0));
  });
  heddle_invocation_release(call);
  heddle_module_release(module);
  heddle_artifact_release(artifact);
  return ns;
}

} // namespace

int main(int argc, char **argv) {
  int dispatches = argc > 1 ? std::atoi(argv[1]) : 1000, rounds = argc > 2 ? std::atoi(argv[2]) : 51;
  fb::ModuleT module = emptyModule();
  module.functions.push_back(contract::test::function("empty", "return", 0, 0));
  module.functions.push_back(chain(dispatches));
  module.functions.push_back(shared());
  module.devices.push_back(contract::test::device("device_1", {"cuda"})); // what null stands for
  module.functions.push_back(secondDevice(false));
  module.functions.push_back(secondDevice(true));
  AlignedBytes bytes = build(module);
  alignas(64) float a[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, b[16];
  std::copy(a, a + 16, b);

  double empty = callNs(bytes, {"local://0", "null"}, "empty", rounds, 2000, a, b);
  double views = callNs(bytes, {"local://0", "null"}, "empty", rounds, 2000, a, b, How::Views);
  double started = callNs(bytes, {"local://0", "null"}, "empty", rounds, 200, a, b, How::Start);
  double local = callNs(bytes, {"local://0", "null"}, "chain", rounds, 20, a, b);
  double null = callNs(bytes, {"null"}, "chain", rounds, 20, a, b);
  double one = callNs(bytes, {"local://0", "null"}, "shared", rounds, 20, a, b);
  double all = callNs(bytes, {"local", "null"}, "shared", rounds, 20, a, b);
  double queued = callNs(bytes, {"local://0", "null"}, "queued", rounds, 20, a, b);
  double trips = callNs(bytes, {"local://0", "null"}, "trips", rounds, 5, a, b);
  fb::ModuleT ranks = emptyModule();
  addMesh(ranks, "m", {{"x"}});
  addCollective(ranks, CollectiveKind::AllReduce);
  ranks.functions.push_back(meeting("agree", 0));
  ranks.functions.push_back(meeting("meet", 10));
  AlignedBytes ranksBytes = build(ranks);
  double agree = callNs(ranksBytes, {"local://0"}, "agree", rounds, 200, a, b);
  double meet = callNs(ranksBytes, {"local://0"}, "meet", rounds, 200, a, b);
  double kernels = kernelsAlone(dispatches, rounds, a, b);
  std::printf("empty call                       %8.1f ns\n", empty);
  std::printf("  with views                     %8.1f ns\n", views);
  std::printf("  started and waited for         %8.1f ns\n", started);
  std::printf("chain of %d on local://0       %8.1f ns per dispatch\n", dispatches, local / dispatches);
  std::printf("  the kernels called directly    %8.1f ns per dispatch\n", kernels / dispatches);
  std::printf("  host time                      %8.1f ns per dispatch\n", (local - kernels) / dispatches);
  std::printf("chain of %d on null            %8.1f ns per dispatch\n", dispatches, null / dispatches);
  std::printf("8 empty workgroups on local://0  %8.1f ns per dispatch\n", one / 100);
  std::printf("8 empty workgroups on local      %8.1f ns per dispatch\n", all / 100);
  std::printf("queued on a second device        %8.1f ns per dispatch\n", queued / 1000);
  std::printf("there and back                   %8.1f ns per round trip\n", trips / 100);
  std::printf("a call of one rank               %8.1f ns\n", agree);
  std::printf("  a collective in it             %8.1f ns\n", (meet - agree) / 10);
  return 0;
}
