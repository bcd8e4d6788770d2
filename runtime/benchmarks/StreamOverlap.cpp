// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What streams of one local device gain, and from which length of kernels on: programs of one-workgroup kernels, on one
// stream and on two, through the C interface on hand-written artifacts.
//   chain       2 x 100 kernels; the streams are joined at the end: what a kernel costs on a stream of its own
//   pair        one kernel on each, and the join, 50 times: what a fork and a join cost; the second kernel of a pair
//               pays from the break-even on
//   seldom      a pair behind 200 us of work on the call's stream: workers sleep by then
// The least of many short rounds in turn, as other work may run beside.
//
// Times are of a pair of kernels.
//
//   usage: runtime_stream_overlap [device] [rounds]
#include "heddle/buffers.h"
#include "runtime/test/TestModules.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr int kChain = 100, kPairs = 50;
constexpr double kRoundsPerUs = 1000; // of the kernel, about; what it really takes is measured

void check(heddle_status *status) {
  if (!status)
    return;
  std::fprintf(stderr, "%s\n", heddle_status_message(status));
  std::exit(1);
}

// s4 = rounds of a kernel, s5 of the work on the call's stream. `streams`: 1 or 2.
std::unique_ptr<fb::FunctionT> program(const std::string &name, int streams, int pairs, int perPair, bool seldom,
                                       int64_t rounds) {
  std::string code = "const s0 64\nconst s1 1\nconst s2 0\nconst s4 " + std::to_string(rounds) + "\nconst s5 " +
                     std::to_string(static_cast<int64_t>(200 * kRoundsPerUs)) +
                     "\nslab b0 x0 s0\nalloc b1 x0 s0\nalloc b2 x0 s0\n";
  for (int i = 1; i <= streams && streams > 1; ++i)
    code += "stream t" + std::to_string(i) + " x0 " + std::to_string(i - 1) + "\n";
  for (int p = 0; p < pairs; ++p) {
    if (seldom)
      code += "dispatch t0 4.0 s1 s2 [b0] [s5]\n";
    if (streams > 1)
      code += "follow t1 t0\nfollow t2 t0\n";
    for (int i = 0; i < perPair; ++i)
      for (int s = 1; s <= 2; ++s)
        code += "dispatch t" + std::to_string(streams > 1 ? s : 0) + " 4.0 s1 s2 [b" + std::to_string(s) + "] [s4]\n";
    if (streams > 1)
      code += "follow t0 t1\nfollow t0 t2\n";
  }
  code += "free t0 b1\nfree t0 b2\nreturn";
  return contract::test::function(name.c_str(), code, 6, 3, streams > 1 ? 3 : 1, 0);
}

struct Shape {
  const char *name;
  int pairs, perPair;
  bool seldom;
};
constexpr Shape kShapes[] = {{"chain", 1, kChain, false}, {"pair", kPairs, 1, false}, {"seldom", 5, 1, true}};

class Caller {
public:
  Caller(heddle_module *module, const std::string &name) {
    uint32_t entry = 0;
    check(heddle_module_find_entry_point(module, name.c_str(), &entry));
    check(heddle_invocation_create(module, entry, &call_));
  }
  ~Caller() { heddle_invocation_release(call_); }
  Caller(const Caller &) = delete;
  double ns() {
    auto start = std::chrono::steady_clock::now();
    check(heddle_invocation_call_views(call_, nullptr, 0, nullptr, 0));
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }

private:
  heddle_invocation *call_ = nullptr;
};

// The least time of a call with all kernels on one stream, and with half of them on another.
struct Times {
  double one = 1e18, two = 1e18;
};

Times measure(heddle_module *module, const std::string &name, int rounds) {
  Caller one(module, name + "_1"), two(module, name + "_2");
  Times times;
  constexpr int kInARow = 3; // the workers of the first may sleep
  for (int r = 0; r < rounds * kInARow; ++r)
    if (r / kInARow % 2)
      times.two = std::min(times.two, two.ns());
    else
      times.one = std::min(times.one, one.ns());
  return times;
}

} // namespace

int main(int argc, char **argv) {
  const char *device = argc > 1 ? argv[1] : "local://0-1";
  int rounds = argc > 2 ? std::atoi(argv[2]) : 100;
  const double lengths[] = {0.01, 0.1, 0.3, 1, 2, 3, 5, 10, 20, 50, 100};
  fb::ModuleT contents = emptyModule();
  for (const Shape &shape : kShapes)
    for (double us : lengths)
      for (int streams : {1, 2})
        contents.functions.push_back(
            program(std::string(shape.name) + std::to_string(us) + "_" + std::to_string(streams), streams, shape.pairs,
                    shape.perPair, shape.seldom, static_cast<int64_t>(us * kRoundsPerUs)));
  AlignedBytes bytes = build(contents);
  heddle_artifact *artifact = nullptr;
  heddle_module *module = nullptr;
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.device_count = 1;
  options.devices = &device;
  check(heddle_artifact_open_memory(bytes.data(), bytes.size(), &artifact));
  check(heddle_module_load(artifact, &options, &module));
  std::printf("%s: one-workgroup kernels on one stream and on two\n", device);
  std::vector<double> kernelUs; // from the chain on one stream
  for (const Shape &shape : kShapes) {
    std::printf("%-8s %12s %12s %12s %12s %8s\n", shape.name, "kernel us", "one us", "two us", "gain us", "speedup");
    for (size_t i = 0; i < std::size(lengths); ++i) {
      Times times = measure(module, shape.name + std::to_string(lengths[i]), rounds);
      if (shape.perPair == kChain)
        kernelUs.push_back(times.one / (2 * kChain) / 1000);
      double per = 1000.0 * shape.pairs * shape.perPair; // of a pair, in us
      std::printf("%-8s %12.3f %12.3f %12.3f %12.3f %8.2f\n", "", kernelUs[i], times.one / per, times.two / per,
                  (times.one - times.two) / per, times.one / times.two);
    }
  }
  heddle_module_release(module);
  heddle_artifact_release(artifact);
  return 0;
}
