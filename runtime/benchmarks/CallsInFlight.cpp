// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls in flight on the two halves of a program, each on a device of its own: the time of sixteen calls with one, two
// and three at a time, through the C interface on a hand-written artifact. Two in flight take half the time where both
// devices are free. The least of many short rounds in turn, as other work may run beside.
//
//   usage: runtime_calls_in_flight [first device] [second device] [rounds]
#include "heddle/heddle.hpp"
#include "runtime/test/TestModules.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr int kCalls = 16;

// A kernel of so many rounds on each device, the second behind the first.
std::unique_ptr<fb::FunctionT> halves(const std::string &name, int64_t rounds) {
  std::string code = "const s0 64\nconst s1 1\nconst s2 0\nconst s3 " + std::to_string(rounds) +
                     "\nslab b0 x0 s0\nslab b1 x1 s0\nstream t1 x1 0\ndispatch t0 4.0 s1 s2 [b0] [s3]\nrecord e0 t0\n"
                     "wait t1 e0\ndispatch t1 4.0 s1 s2 [b1] [s3]\nreturn";
  return contract::test::function(name.c_str(), code, 4, 2, 2, 1);
}

class InFlight {
public:
  InFlight(const Module &module, const std::string &name, size_t count) : done_(count) {
    for (size_t i = 0; i < count; ++i) {
      calls_.emplace_back(module, name.c_str());
      streams_.emplace_back(module);
    }
  }
  double usPerCall() {
    auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < kCalls + done_.size(); ++i) {
      std::optional<Event> &done = done_[i % done_.size()];
      if (done)
        done->wait();
      done.reset();
      if (i < kCalls)
        done = calls_[i % done_.size()].start({}, {}, {}, &streams_[i % done_.size()]);
    }
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / kCalls;
  }

private:
  std::vector<Invocation> calls_;
  std::vector<Stream> streams_;
  std::vector<std::optional<Event>> done_;
};

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> devices{argc > 1 ? argv[1] : "local://0", argc > 2 ? argv[2] : "local://1"};
  int rounds = argc > 3 ? std::atoi(argv[3]) : 100;
  const int64_t lengths[] = {30'000, 100'000, 300'000, 1'000'000};
  fb::ModuleT contents = emptyModule();
  contents.devices.push_back(contract::test::device("device_1", {"local"}));
  for (int64_t length : lengths)
    contents.functions.push_back(halves("halves" + std::to_string(length), length));
  AlignedBytes bytes = build(contents);
  heddle_artifact *artifact = nullptr;
  check(heddle_artifact_open_memory(bytes.data(), bytes.size(), &artifact));
  const char *uris[] = {devices[0].c_str(), devices[1].c_str()};
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.device_count = 2;
  options.devices = uris;
  heddle_module *raw = nullptr;
  check(heddle_module_load(artifact, &options, &raw));
  Module module(raw);
  std::printf("%s, %s: us of a call, with one, two and three in flight\n", uris[0], uris[1]);
  for (int64_t length : lengths) {
    std::string name = "halves" + std::to_string(length);
    InFlight one(module, name, 1), two(module, name, 2), three(module, name, 3);
    double us[3] = {1e18, 1e18, 1e18};
    for (int r = 0; r < rounds; ++r) {
      us[0] = std::min(us[0], one.usPerCall());
      us[1] = std::min(us[1], two.usPerCall());
      us[2] = std::min(us[2], three.usPerCall());
    }
    std::printf("%10.1f %10.1f %10.1f   two %.2f, three %.2f times as fast\n", us[0], us[1], us[2], us[0] / us[1],
                us[0] / us[2]);
  }
  heddle_artifact_release(artifact);
  return 0;
}
