// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on several devices: order between inline and queued streams, failures, staging, bind time.
#include "DevicePairs.h"
#include "ExecutorFixture.h"
#include "runtime/executor/load/LiveModule.h"
#include "runtime/executor/load/PackCache.h"

#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace heddle;
using namespace heddle::test;
using contract::test::device;
using contract::test::function;
using contract::test::value;

namespace {

// y = x * 2 on device 0, * 2 on device 1, * 2 on device 0 again: a transfer each way, on the destination's stream.
fb::ModuleT threeHops() {
  fb::ModuleT module = quadrupleModule();
  module.functions.clear();
  module.devices.push_back(device("device_1", {"local"}));
  auto main = function("main", R"(
      const s1 4
      mul s2 s0 s1
      const s3 16
      ceildiv_s s3 s0 s3
      const s4 0
      slab b1 x0 s2
      slab b2 x1 s2
      alloc b3 x1 s2
      alloc b4 x0 s2
      result b5 r0 x0 s2
      parameter b6 p0
      parameter_on b7 p0 x1
      stream t1 x1 0
      dispatch t0 0.0 s3 s4 [b0 b6 b1] [s0]
      record e0 t0
      wait t1 e0
      copy t1 b2 s4 b1 s4 s2
      dispatch t1 0.0 s3 s4 [b2 b7 b3] [s0]
      record e0 t1
      wait t0 e0
      copy t0 b4 s4 b3 s4 s2
      free t1 b3
      dispatch t0 0.0 s3 s4 [b4 b6 b5] [s0]
      free t0 b4
      set_result r0 b5 [s0]
      return)",
                       5, 8, 2, 1);
  addSymbol(*main, "n", 1, 100000);
  main->arguments.push_back(value("x", ElementType::F32, {symbol(0)}));
  main->results.push_back(value("y", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(main));
  return module;
}

Status callEightfold(Invocation &call, size_t n, bool give = true) {
  std::vector<float> x(n), y(n);
  for (size_t i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 1000) + 1;
  heddle_tensor in = tensorOf(x), out = give ? tensorOf(y) : heddle_tensor{};
  HEDDLE_RETURN_IF_ERROR(call.call({&in, 1}, {&out, 1}));
  const float *got = static_cast<const float *>(out.data);
  for (size_t i = 0; i < n; ++i)
    if (got[i] != 8 * x[i])
      return Status(StatusCode::Internal, "y[" + std::to_string(i) + "] is " + std::to_string(got[i]));
  if (out.owner)
    reinterpret_cast<hal::Buffer *>(out.owner)->release();
  return {};
}

TEST(MultiDevice, HopsOnAnyPair) {
  for (const auto &uris : kPairs) {
    Loaded loaded(threeHops(), uris);
    ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
    for (int round = 0; round < 5; ++round)
      for (size_t n : {1, 17, 5000}) {
        Status status = callEightfold(*loaded.calls[0], n, round % 2);
        ASSERT_TRUE(status.ok()) << nameOf(uris) << n << " " << status.text();
      }
  }
}

// After the first calls nothing is allocated but results that the caller gave no memory for.
TEST(MultiDevice, SteadyStateAllocatesNothing) {
  for (const auto &uris : kPairs) {
    Loaded loaded(threeHops(), uris);
    ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
    for (int i = 0; i < 8; ++i)
      ASSERT_TRUE(callEightfold(*loaded.calls[0], 3000).ok());
    EXPECT_EQ(loaded.calls[0]->statistics().allocations, 0u) << nameOf(uris);
    EXPECT_EQ(loaded.calls[0]->statistics().dispatches, 3u);
  }
}

TEST(MultiDevice, ParametersAreUploadedOncePerDevice) {
  struct Case {
    std::vector<std::string> uris;
    uint64_t bytes;
  };
  for (const Case &c : {Case{{"local://0", "local"}, 0}, Case{{"local://0?discrete=yes", "local"}, 4},
                        Case{{"local://0?discrete=yes", "local?discrete=yes"}, 8}}) {
    Loaded loaded(threeHops(), c.uris);
    ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
    EXPECT_EQ(loaded.module->statistics().uploadedBytes, c.bytes) << nameOf(c.uris);
  }
}

TEST(MultiDevice, ExecutablesAreLoadedOncePerClass) {
  Loaded loaded(threeHops(), {"local://0", "local"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  std::span<const DeviceSlot> slots = loaded.module->devices();
  EXPECT_NE(slots[0].device, slots[1].device);
  EXPECT_EQ(slots[0].executables[kScale], slots[1].executables[kScale]);
  EXPECT_FALSE(slots[0].executables[kMark]) << "nothing uses it";
}

TEST(MultiDevice, EightThreadsOnOneModule) {
  Loaded loaded(threeHops(), {"local://0", "local"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      auto call = Invocation::create(loaded.module, *loaded.module->entryPoints()[0]);
      for (int i = 0; i < 50; ++i)
        failures += !call.ok() || !callEightfold(**call, 100 + 10 * static_cast<size_t>(t) + i).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

// A program of two devices: `code` may use t0 on device 0 and t1 on device 1.
fb::ModuleT program(const std::string &code, std::vector<const char *> second = {"local"}) {
  fb::ModuleT module = emptyModule();
  module.messages = {"the host stops"};
  module.devices.push_back(device("device_1", std::move(second)));
  module.functions.push_back(
      function("main",
               "const s0 8\nconst s1 0\nconst s2 1\nconst s3 64\nconst s4 300000\nslab b0 x0 s3\n"
               "slab b1 x1 s3\nstream t1 x1 0\n" +
                   code + "\nreturn",
               8, 4, 2, 4));
  return module;
}

Status runProgram(const std::string &code, std::vector<std::string> uris = {"local://0", "local"}) {
  Loaded loaded(program(code), std::move(uris));
  return loaded.status.ok() ? loaded.calls[0]->call({}, {}) : std::move(loaded.status);
}

TEST(MultiDevice, FirstCauseOfAFailure) {
  const std::string fails = "dispatch t1 3.0 s2 s1 [b1] [s1]\n",
                    named = "dispatch 'out_of_range': an index is out of "
                            "range; check the indices given to the model\nthe dispatch comes from '/encoder/Gather_7'";
  EXPECT_EQ(runProgram(fails).text(), named) << "found at the end";
  EXPECT_EQ(runProgram(fails + "record e0 t1\nwait t0 e0\nfill t0 b0 s1 s0 s1 8").text(), named)
      << "carried by the event";
  EXPECT_EQ(runProgram(fails + "record e0 t1\nawait e0").text(), named);
  EXPECT_EQ(runProgram(fails + "read s5 t1 b1 s1 5").text(), named);
  EXPECT_EQ(runProgram("fail m0").message(), "the host stops");
  Status host = runProgram(fails + "record e0 t1\ndispatch t0 3.0 s2 s1 [b0] [s1]");
  EXPECT_EQ(host.text().substr(0, named.size()), named);
}

TEST(MultiDevice, TheCallAfterAFailureWorks) {
  Loaded loaded(threeHops(), {"local://0", "local"});
  Loaded failing(program("dispatch t1 3.0 s2 s1 [b1] [s1]"), {"local://0", "local"});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(failing.calls[0]->call({}, {}).code(), StatusCode::KernelFailed);
    EXPECT_TRUE(callEightfold(*loaded.calls[0], 100).ok());
  }
}

// The host issues everything and waits: the deadline ends what the other device has not begun.
TEST(MultiDevice, DeadlineReachesQueuedWork) {
  std::string code;
  for (int i = 0; i < 2000; ++i)
    code += "dispatch t1 4.0 s2 s1 [b1] [s4]\n"; // about 0.1 ms each
  Loaded loaded(program(code), {"local://0", "local"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  loaded.calls[0]->setTimeout(5'000'000);
  uint64_t start = nowNs();
  EXPECT_EQ(loaded.calls[0]->call({}, {}).code(), StatusCode::DeadlineExceeded);
  EXPECT_LT(nowNs() - start, 100'000'000u);
}

// A program that frees before its device is done, in a loop, does not grow without end.
TEST(MultiDevice, FreedBlocksAreUsedAgain) {
  Loaded loaded(program("const s5 500\n@loop alloc b2 x1 s3\nfill t1 b2 s1 s3 s1 8\ndispatch t1 4.0 s2 s1 [b2] [s0]\n"
                        "free t1 b2\nsub s5 s5 s2\nbr_if s5 @loop @done\n@done"),
                {"local://0", "local"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  EXPECT_TRUE(loaded.calls[0]->call({}, {}).ok());
  EXPECT_LE(loaded.calls[0]->slabBytes(), 64u * 4);
}

// Memory that the host cannot see is refused where it is not staged, whatever the program says.
TEST(MultiDevice, ForeignMemoryIsRefused) {
  std::vector<std::string> uris = {"local://0", "local?discrete=yes"};
  const std::string remedy = ": the program was compiled for devices that share memory (--topology); compile it "
                             "without, or name such devices";
  auto expect = [&](const char *code, const std::string &message) {
    Status status = runProgram(code, uris);
    EXPECT_EQ(status.code(), StatusCode::Unsupported);
    EXPECT_EQ(status.message(), message + remedy);
  };
  expect("dispatch t0 4.0 s2 s1 [b1] [s0]", "dispatch 'work': binding 0 is memory that the device cannot use");
  expect("dispatch t1 4.0 s2 s1 [b0] [s0]", "dispatch 'work': binding 0 is memory that the device cannot use");
  expect("fill t0 b1 s1 s0 s1 8", "fill: the device cannot use the memory");
  expect("fill t1 b0 s1 s0 s1 8", "fill: the device cannot use the memory");
}

// What a kernel would see only a part of is not dispatched.
TEST(MultiDevice, LargestBinding) {
  auto run = [](const char *bytes) {
    return runProgram("const s5 " + std::string(bytes) + "\nalloc b2 x1 s5\ndispatch t1 4.0 s2 s1 [b2] [s0]",
                      {"local://0", "null?discrete=yes&max-binding=64k"});
  };
  EXPECT_TRUE(run("65536").ok());
  EXPECT_EQ(run("65537").message(),
            "dispatch 'work': binding 0 has 65537 bytes, null?discrete=yes&max-binding=64k binds at most 65536; use "
            "smaller inputs, or place this part of the model on another device");
  EXPECT_EQ(runProgram("const s5 65536\nconst s6 65540\nalloc b2 x1 s6\nconst s7 4\nview b3 b2 s7 s5\n"
                       "dispatch t1 4.0 s2 s1 [b3] [s0]",
                       {"local://0", "null?discrete=yes&max-binding=64k"})
                .code(),
            StatusCode::InvalidArgument)
      << "its start counts";
}

TEST(MultiDevice, ReadAndCopyReachEveryMemory) {
  for (const auto &uris : kPairs) {
    Status status = runProgram("const s5 41\nfill t1 b1 s1 s0 s5 8\nrecord e0 t1\nwait t0 e0\n"
                               "copy t0 b0 s1 b1 s1 s0\nread s6 t0 b0 s1 5\nread s7 t1 b1 s1 5\n"
                               "cmp_eq s6 s6 s5\ncheck s6 m0\ncmp_eq s7 s7 s5\ncheck s7 m0",
                               uris);
    EXPECT_TRUE(status.ok()) << nameOf(uris) << status.text();
  }
}

TEST(MultiDevice, UnusedDevicesAreNotOpened) {
  fb::ModuleT module = threeHops();
  module.devices.push_back(device("tpu", {"tpu"}));
  Loaded loaded(std::move(module), {"local://0", "local", "null"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  EXPECT_FALSE(loaded.module->devices()[2].device);
}

// ---- Bind time ----

class BindTime : public testing::Test {
protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("heddle-bind-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    setenv("HEDDLE_CACHE_DIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("HEDDLE_CACHE_DIR");
    std::filesystem::remove_all(folder_);
  }

  // __bind packs the parameter, computes a scalar and fills a buffer; main multiplies x by the packed factor and checks
  // the others. The panel is 2 wide on alternative 1.
  static fb::ModuleT module() {
    fb::ModuleT module = threeHops();
    module.functions.clear();
    module.messages = {"a bound value is wrong"};
    for (bool buffer : {false, true, true}) {
      module.bounds.push_back(std::make_unique<fb::BoundT>());
      module.bounds.back()->buffer = buffer;
    }
    module.layouts.push_back(std::make_unique<fb::LayoutT>());
    module.layouts[0]->perm = {0};
    module.layouts[0]->inner_dims = {0};
    module.layouts[0]->inner_tiles = {16};
    auto bind = function("__bind", R"(
        pack_parameter b0 p0 x0 y0
        bind_buffer n1 b0
        query s0 x0 0
        const s1 1
        add s0 s0 s1
        bind_scalar n0 s0
        const s2 64
        const s3 0
        const s4 7
        alloc b1 x0 s2
        fill t0 b1 s3 s2 s4 8
        bind_buffer n2 b1
        return)",
                         8, 4);
    bind->bind = true;
    module.functions.push_back(std::move(bind));
    auto main = function("main", R"(
        bound_scalar s1 n0
        query s2 x0 0
        cmp_lt s3 s2 s1
        check s3 m0
        br_if s3 @right @wrong
      @wrong fail m0
      @right bound_buffer b1 n1
        bound_buffer b2 n2
        const s4 0
        read s5 t0 b2 s4 5
        const s6 7
        cmp_eq s5 s5 s6
        check s5 m0
        const s8 4
        mul s9 s0 s8
        result b3 r0 x0 s9
        const s7 16
        ceildiv_s s10 s0 s7
        dispatch t0 0.0 s10 s4 [b0 b1 b3] [s0]
        set_result r0 b3 [s0]
        return)",
                         11, 4);
    addSymbol(*main, "n", 1, 1000);
    main->arguments.push_back(value("x", ElementType::F32, {symbol(0)}));
    main->results.push_back(value("y", ElementType::F32, {symbol(0)}));
    module.functions.push_back(std::move(main));
    return module;
  }

  static void doubles(Loaded &loaded) {
    ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
    for (int round = 0; round < 3; ++round) {
      std::vector<float> x = {1, 2, 3}, y(3);
      heddle_tensor in = tensorOf(x), out = tensorOf(y);
      Status status = loaded.calls[0]->call({&in, 1}, {&out, 1});
      ASSERT_TRUE(status.ok()) << status.text();
      EXPECT_EQ(y, (std::vector<float>{2, 4, 6}));
    }
  }

  std::filesystem::path folder_;
};

TEST_F(BindTime, BoundValuesServeEntryPoints) {
  for (const char *uri : {"local://0", "local://0?discrete=yes"}) {
    Loaded loaded(module(), {uri});
    doubles(loaded);
  }
}

TEST_F(BindTime, WhatIsKnownIsFolded) {
  Loaded loaded(module(), {"local://0"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  const Function &main = *loaded.module->entryPoints()[0];
  EXPECT_EQ(main.scalars[1], 2);
  for (size_t unit = 0; unit < main.code.size();) {
    const Head &head = reinterpret_cast<const Head &>(main.code[unit]);
    auto opcode = static_cast<contract::Opcode>(head.opcode);
    EXPECT_NE(opcode, contract::Opcode::BranchIf);
    EXPECT_NE(opcode, contract::Opcode::Branch);
    EXPECT_NE(opcode, contract::Opcode::Fail);
    EXPECT_NE(opcode, contract::Opcode::Const);
    unit += head.units;
  }
}

TEST_F(BindTime, SecondLoadPacksNothing) {
  Loaded first(module(), {"local://0"}), second(module(), {"local://0"});
  EXPECT_EQ(first.module->statistics().packed, 1u);
  EXPECT_EQ(first.module->statistics().cached, 0u);
  EXPECT_EQ(second.module->statistics().packed, 0u);
  EXPECT_EQ(second.module->statistics().cached, 1u);
  doubles(second);
}

TEST_F(BindTime, DamagedEntriesAreRebuilt) {
  Loaded first(module(), {"local://0"});
  ASSERT_TRUE(first.status.ok()) << first.status.text();
  std::filesystem::path entry = std::filesystem::directory_iterator(folder_)->path();
  uint64_t size = std::filesystem::file_size(entry);
  for (int damage = 0; damage < 3; ++damage) {
    if (damage == 0) { // the packed bytes
      std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(size) - 64);
      file.put('x');
    } else {
      std::filesystem::resize_file(entry, damage == 1 ? size - 1 : 0);
    }
    Loaded again(module(), {"local://0"});
    EXPECT_EQ(again.module->statistics().packed, 1u) << damage;
    doubles(again);
    Loaded good(module(), {"local://0"});
    EXPECT_EQ(good.module->statistics().cached, 1u) << damage;
  }
}

// Two parameters whose hashes collide have one entry: it serves the one whose bytes it was made of.
TEST_F(BindTime, AnEntryServesItsOwnBytesOnly) {
  PackCache cache(folder_);
  std::vector<std::byte> mine(100, std::byte{1}), other(100, std::byte{2}), packed(128, std::byte{3});
  cache.keep("one key", other, packed);
  EXPECT_FALSE(cache.find("one key", mine, 128));
  EXPECT_FALSE(cache.find("one key", std::span(other).first(99), 128));
  hal::BufferRef found = cache.find("one key", other, 128);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->address()[127], std::byte{3});
  cache.keep("one key", mine, packed);
  EXPECT_TRUE(cache.find("one key", mine, 128));
}

TEST_F(BindTime, WhatIsNotTrustedIsNotKept) {
  fb::ModuleT source = module();
  AlignedBytes bytes = build(source);
  for (bool trusted : {false, true}) {
    auto loaded = LiveModule::load(*Artifact::openMemory(bytes), {"local://0"}, LiveModule::OnLoss::Reopen,
                                   runBindFunction, trusted);
    ASSERT_TRUE(loaded.ok()) << loaded.status().text();
    EXPECT_EQ(std::filesystem::exists(folder_), trusted);
    EXPECT_EQ((*loaded)->warnings(), "");
  }
}

// The cache serves all programs: what does not match the hash that names it is not kept.
TEST_F(BindTime, ADamagedParameterIsNotPacked) {
  fb::ModuleT source = module();
  AlignedBytes bytes = build(source);
  bytes.data()[bytes.header().data.offset + source.parameters[0]->offset] ^= std::byte{1};
  const std::vector<std::string> uris = {"local://0"};
  StatusOr<std::shared_ptr<Module>> damaged = Module::load(*Artifact::openMemory(bytes), uris, runBindFunction);
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.status().code(), StatusCode::Malformed);
  EXPECT_NE(damaged.status().message().find("parameter 'factor' does not match its hash; the file is damaged"),
            std::string::npos)
      << damaged.status().text();
  Loaded good(module(), {"local://0"});
  EXPECT_EQ(good.module->statistics().packed, 1u);
  doubles(good);
}

TEST_F(BindTime, AFolderThatCannotBeWrittenOnlyWarns) {
  std::filesystem::create_directories(folder_);
  std::filesystem::path file = folder_ / "file";
  std::ofstream(file) << "not a folder";
  setenv("HEDDLE_CACHE_DIR", (file / "cache").c_str(), 1);
  Loaded loaded(module(), {"local://0"});
  doubles(loaded);
  EXPECT_EQ(loaded.module->warning(), "packed parameters cannot be kept in '" + (file / "cache").string() +
                                          "': Not a directory; they are packed again at each load. Set "
                                          "HEDDLE_CACHE_DIR to a folder that can be written");
  setenv("HEDDLE_CACHE_DIR", "", 1);
  Loaded without(module(), {"local://0"});
  EXPECT_EQ(without.module->warning(), "");
}

TEST_F(BindTime, AValueThatIsNotBoundIsAnError) {
  fb::ModuleT broken = module();
  broken.functions[0]->code.clear();
  ASSERT_EQ(contract::assemble("return", broken.functions[0]->code), "");
  Loaded loaded(std::move(broken), {"local://0"});
  EXPECT_EQ(loaded.status.message(),
            "the program uses the value 0 of bind time, which its bind function does not give");
}

} // namespace
