// The executor on hand-written host programs: what each instruction does, and how it fails.
#include "TestModules.h"
#include "runtime/executor/Invocation.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

using namespace heddle;
using namespace heddle::test;

namespace {

heddle_tensor tensorOf(std::vector<float> &values) {
  heddle_tensor out{};
  out.data = values.data();
  out.bytes = values.size() * sizeof(float);
  out.type = HEDDLE_F32;
  out.rank = 1;
  out.dims[0] = static_cast<int64_t>(values.size());
  return out;
}

// An artifact loaded on devices, with one invocation per function.
struct Loaded {
  Loaded(fb::ModuleT &&source, std::vector<std::string> uris) : bytes(build(source)) {
    StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::openMemory(bytes);
    if (!artifact.ok()) {
      status = artifact.takeStatus();
      return;
    }
    StatusOr<std::shared_ptr<Module>> loaded = Module::load(*artifact, uris);
    if (!loaded.ok()) {
      status = loaded.takeStatus();
      return;
    }
    module = *loaded;
    for (const Function *function : module->entryPoints())
      calls.push_back(std::move(*Invocation::create(module, *function)));
  }
  AlignedBytes bytes;
  Status status;
  std::shared_ptr<Module> module;
  std::vector<std::unique_ptr<Invocation>> calls;
};

// Runs a function of no arguments that returns s0..s3 as one 4 x i64; the code ends with "br @end".
struct Scalars {
  Status status;
  int64_t values[4] = {};
};

Scalars runScalars(const std::string &code, const std::function<void(fb::ModuleT &)> &change = {},
                   std::vector<std::string> uris = {"local://0"}) {
  fb::ModuleT module = emptyModule();
  module.messages = {"stop here"};
  auto main = contract::test::function("main", code + R"(
    @end const s14 32
      result b7 r0 x0 s14
      const s15 0
      const s14 8
      fill t0 b7 s15 s14 s0 8
      fill t0 b7 s14 s14 s1 8
      const s15 16
      fill t0 b7 s15 s14 s2 8
      const s15 24
      fill t0 b7 s15 s14 s3 8
      const s14 4
      set_result r0 b7 [s14]
      return)",
                                       16, 8, 3, 2);
  main->results.push_back(contract::test::value("out", ElementType::I64, {size(4)}));
  module.functions.push_back(std::move(main));
  if (change)
    change(module);
  Loaded loaded(std::move(module), uris);
  Scalars out;
  if (!loaded.status.ok()) {
    out.status = std::move(loaded.status);
    return out;
  }
  heddle_tensor result{};
  result.data = out.values;
  result.bytes = sizeof(out.values);
  out.status = loaded.calls[0]->call({}, {&result, 1});
  return out;
}

testing::AssertionResult gives(const Scalars &got, std::vector<int64_t> expected) {
  if (!got.status.ok())
    return testing::AssertionFailure() << got.status.text();
  for (size_t i = 0; i < expected.size(); ++i)
    if (got.values[i] != expected[i])
      return testing::AssertionFailure() << "s" << i << " = " << got.values[i] << ", expected " << expected[i];
  return testing::AssertionSuccess();
}

TEST(Executor, Arithmetic) {
  EXPECT_TRUE(gives(runScalars("const s4 7\nconst s5 -3\nadd s0 s4 s5\nsub s1 s4 s5\nmul s2 s4 s5\nmove s3 s5"),
                    {4, 10, -21, -3}));
  EXPECT_TRUE(gives(runScalars("const s4 -7\nconst s5 2\ndiv_s s0 s4 s5\nrem_s s1 s4 s5\nfloordiv_s s2 s4 s5\n"
                               "ceildiv_s s3 s4 s5"),
                    {-3, -1, -4, -3}));
  EXPECT_TRUE(gives(runScalars("const s4 7\nconst s5 2\ndiv_s s0 s4 s5\nrem_s s1 s4 s5\nfloordiv_s s2 s4 s5\n"
                               "ceildiv_s s3 s4 s5"),
                    {3, 1, 3, 4}));
  EXPECT_TRUE(gives(runScalars("const s4 6\nconst s5 3\nand s0 s4 s5\nor s1 s4 s5\nxor s2 s4 s5\nmin_s s3 s4 s5"),
                    {2, 7, 5, 3}));
  EXPECT_TRUE(gives(runScalars("const s4 6\nconst s5 3\ncmp_eq s0 s4 s5\ncmp_ne s1 s4 s5\ncmp_lt s2 s5 s4\n"
                               "cmp_le s3 s4 s4"),
                    {0, 1, 1, 1}));
  EXPECT_TRUE(gives(runScalars("const s4 6\nconst s5 3\nmax_s s0 s4 s5\nconst s6 1\nselect s1 s6 s4 s5\nconst s6 0\n"
                               "select s2 s6 s4 s5"),
                    {6, 6, 3}));
}

TEST(Executor, ArithmeticWraps) {
  EXPECT_TRUE(gives(runScalars("const s4 -9223372036854775808\nconst s5 -1\ndiv_s s0 s4 s5\nrem_s s1 s4 s5\n"
                               "add s2 s4 s5\nmul s3 s4 s5"),
                    {INT64_MIN, 0, INT64_MAX, INT64_MIN}));
}

TEST(Executor, DivisionByZeroFailsTheCall) {
  for (const char *op : {"div_s", "rem_s", "floordiv_s", "ceildiv_s"}) {
    Scalars got = runScalars(std::string("const s4 1\n") + op + " s0 s4 s5");
    EXPECT_EQ(got.status.code(), StatusCode::KernelFailed);
    EXPECT_EQ(got.status.message(), "the program divides by zero while it computes a size");
  }
}

TEST(Executor, Loop) {
  EXPECT_TRUE(gives(runScalars(R"(const s4 10
      const s5 1
    @loop add s0 s0 s4
      sub s4 s4 s5
      br_if s4 @loop @done
    @done br @end)"),
                    {55}));
}

TEST(Executor, CheckAndFail) {
  EXPECT_TRUE(gives(runScalars("const s4 5\ncheck s4 m0"), {0}));
  Scalars got = runScalars("check s4 m0", [](fb::ModuleT &m) { m.functions[0]->code_locations = {0, 0}; });
  EXPECT_EQ(got.status.text(), "stop here\nin '/encoder/Gather_7'");
  EXPECT_EQ(runScalars("const s4 1\nbr_if s4 @a @b\n@a fail m0\n@b const s0 1").status.message(), "stop here");
}

TEST(Executor, CopyFillReadView) {
  EXPECT_TRUE(gives(runScalars(R"(const s4 64
      alloc b0 x0 s4
      const s5 0
      const s6 4660
      fill t0 b0 s5 s4 s6 2
      const s7 8
      view b1 b0 s7 s7
      const s8 -2
      fill t0 b1 s5 s7 s8 1
      copy t0 b0 s5 b1 s5 s7
      read s0 t0 b0 s5 2
      read s1 t0 b0 s5 6
      const s9 16
      read s2 t0 b0 s9 7
      read s3 t0 b0 s7 5
      free t0 b0)"),
                    {-2, 254, 4660, -72340172838076674}));
}

TEST(Executor, MemoryErrors) {
  auto message = [](const char *code) { return runScalars(code).status.message(); };
  EXPECT_EQ(message("const s4 64\nalloc b0 x0 s4\nview b1 b0 s4 s4"),
            "a view of 64 bytes at 64 must lie in its buffer of 64 bytes");
  EXPECT_EQ(message("const s4 -1\nconst s5 64\nalloc b0 x0 s5\nview b1 b0 s4 s4"),
            "a view of -1 bytes at -1 must lie in its buffer of 64 bytes");
  EXPECT_EQ(message("view b1 b0 s4 s4"), "a view of 0 bytes at 0 must lie in its buffer of 0 bytes");
  EXPECT_EQ(message("const s4 -5\nalloc b0 x0 s4"), "a buffer has the size -5");
  EXPECT_EQ(message("const s4 -5\nslab b0 x0 s4"), "the slab has the size -5");
  EXPECT_EQ(message("const s4 8\nalloc b0 x0 s4\nfree t0 b0\nfree t0 b0"),
            "a buffer is freed that is not allocated, or freed twice");
  EXPECT_EQ(message("const s4 8\nalloc b0 x0 s4\nmove_buffer b1 b0\nfree t0 b0\nfree t0 b1"),
            "a buffer is freed that is not allocated, or freed twice");
  EXPECT_EQ(message("const s4 8\nalloc b0 x0 s4\nconst s5 9\ncopy t0 b0 s6 b0 s6 s5"),
            "copy: 9 bytes at 0 must lie in the buffer of 8 bytes");
  EXPECT_EQ(message("const s4 8\nconst s5 6\nalloc b0 x0 s4\nfill t0 b0 s6 s5 s6 4"),
            "a fill of 6 bytes is not a multiple of its pattern of 4");
  EXPECT_EQ(message("fill t1 b0 s6 s5 s6 4"), "a stream register is used before it is set");
  EXPECT_EQ(message("await e0"), "an event is waited for before it is recorded");
  EXPECT_EQ(message("dispatch t0 6.0 s4 s4 [b0] []"), "dispatch 'nothing': binding 0 is used before it is set");
  EXPECT_EQ(message("const s4 9223372036854775807\nalloc b0 x0 s4"), "cannot allocate 9223372036854775807 bytes");
  EXPECT_EQ(runScalars("const s4 2000000\nalloc b0 x0 s4", {}, {"local://0?memory=1m"}).status.message(),
            "cannot allocate 2000000 bytes: the device's memory limit is reached");
  EXPECT_EQ(message("const s4 8\nalloc b0 x0 s4\nconst s5 -1\ndispatch t0 6.0 s5 s6 [b0] []"),
            "dispatch 'nothing': a dispatch has 0 to 4294967296 workgroups, got -1");
}

TEST(Executor, StreamsAndEvents) {
  EXPECT_TRUE(gives(runScalars(R"(const s4 8
      alloc b0 x0 s4
      stream t1 x0 0
      stream t2 x0 3
      const s6 41
      fill t1 b0 s5 s4 s6 8
      record e0 t1
      wait t2 e0
      read s0 t2 b0 s5 5
      record e1 t2
      await e1)"),
                    {41}));
}

TEST(Executor, QuestionsAboutDevices) {
  auto two = [](fb::ModuleT &m) { m.devices.push_back(contract::test::device("other", {"cuda", "local"})); };
  const char *code = "alternative s0 x1\nquery s1 x0 0\nsame_device s2 x0 x1\nsame_device s3 x1 x1";
  EXPECT_TRUE(gives(runScalars(code, two), {1, 1, 0, 1})); // the second is a logical copy
  EXPECT_TRUE(gives(runScalars(code, two, {"local://0", "local"}), {1, 1, 0, 1}));
}

// Every workgroup runs once, whatever the number of cores.
TEST(Executor, DispatchCoversAllWorkgroups) {
  for (const char *uri : {"local://0", "local"})
    for (int64_t n : {0, 1, 2, 3, 7, 8, 9, 1000}) {
      fb::ModuleT module = emptyModule();
      auto main = contract::test::function("main",
                                           "const s1 8\nmul s2 s0 s1\nresult b1 r0 x0 s2\nconst s3 0\n"
                                           "fill t0 b1 s3 s2 s3 8\ndispatch t0 1.0 s0 s3 [b1] []\n"
                                           "dispatch t0 1.0 s0 s3 [b1] []\nset_result r0 b1 [s0]\nreturn",
                                           4, 2);
      addSymbol(*main, "n", 0, 1000);
      main->arguments.push_back(contract::test::value("x", ElementType::I8, {symbol(0)}));
      main->results.push_back(contract::test::value("y", ElementType::I64, {symbol(0)}));
      module.functions.push_back(std::move(main));
      Loaded loaded(std::move(module), {uri});
      ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
      std::vector<char> bytes(n + 1);
      heddle_tensor in{bytes.data(), static_cast<uint64_t>(n), HEDDLE_I8, 1, {n}, nullptr};
      std::vector<int64_t> out(n + 1);
      heddle_tensor result{};
      result.data = out.data();
      result.bytes = n * sizeof(int64_t);
      Status status = loaded.calls[0]->call({&in, 1}, {&result, 1});
      ASSERT_TRUE(status.ok()) << status.text();
      for (int64_t w = 0; w < n; ++w)
        ASSERT_EQ(out[w], 2 * (w + 1)) << uri << " " << n;
      EXPECT_EQ(result.dims[0], n);
    }
}

TEST(Executor, ScratchIsPerWorker) {
  for (const char *uri : {"local://0", "local"}) {
    fb::ModuleT module = emptyModule();
    auto main = contract::test::function("main",
                                         "const s0 2048\nresult b0 r0 x0 s0\nconst s1 256\nconst s2 64\n"
                                         "dispatch t0 2.0 s1 s2 [b0] []\nset_result r0 b0 [s1]\nreturn",
                                         3, 1);
    main->results.push_back(contract::test::value("y", ElementType::I64, {size(256)}));
    module.functions.push_back(std::move(main));
    Loaded loaded(std::move(module), {uri});
    ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
    for (int round = 0; round < 100; ++round) {
      std::vector<int64_t> out(256);
      heddle_tensor result{};
      result.data = out.data();
      result.bytes = 2048;
      ASSERT_TRUE(loaded.calls[0]->call({}, {&result, 1}).ok());
      for (int64_t w = 0; w < 256; ++w)
        ASSERT_EQ(out[w], w + 1);
    }
  }
}

TEST(Executor, KernelStatusBecomesAnErrorWithLocation) {
  for (const char *uri : {"local://0", "local"}) {
    Scalars got =
        runScalars("const s4 8\nalloc b0 x0 s4\nconst s5 50\nconst s6 33\ndispatch t0 3.0 s5 s7 [b0] [s6]", {}, {uri});
    EXPECT_EQ(got.status.code(), StatusCode::KernelFailed);
    EXPECT_EQ(got.status.text(), "dispatch 'out_of_range': an index is out of range; check the indices given to the "
                                 "model\nthe dispatch comes from '/encoder/Gather_7'");
  }
}

TEST(Executor, QuadrupleAtSeveralShapes) {
  Loaded loaded(quadrupleModule(), {"local"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  Invocation &call = *loaded.calls[0];
  for (int round = 0; round < 3; ++round)
    for (size_t n : {1, 5, 300, 1000}) {
      std::vector<float> x(n), y(n);
      std::iota(x.begin(), x.end(), 1.0f);
      heddle_tensor in = tensorOf(x), out = tensorOf(y);
      Status status = call.call({&in, 1}, {&out, 1});
      ASSERT_TRUE(status.ok()) << status.text();
      EXPECT_EQ(out.data, y.data()); // the caller's storage, in place
      for (size_t i = 0; i < n; ++i)
        ASSERT_EQ(y[i], 4 * x[i]);
      if (round > 0) {
        EXPECT_EQ(call.statistics().allocations, 0u);
        EXPECT_EQ(call.statistics().planMisses, 0u);
      }
      EXPECT_EQ(call.statistics().dispatches, 2u);
    }
}

TEST(Executor, AllocatedResultIsOwnedByTheCaller) {
  Loaded loaded(quadrupleModule(), {"local://0"});
  std::vector<float> x = {1, 2, 3};
  heddle_tensor in = tensorOf(x), first{}, second{};
  ASSERT_TRUE(loaded.calls[0]->call({&in, 1}, {&first, 1}).ok());
  ASSERT_TRUE(loaded.calls[0]->call({&in, 1}, {&second, 1}).ok());
  loaded.calls.clear();
  loaded.module.reset();
  EXPECT_NE(first.data, second.data);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.data) % 64, 0u);
  EXPECT_EQ(static_cast<float *>(first.data)[2], 12);
  EXPECT_EQ(first.bytes, 12u);
  EXPECT_EQ(first.type, HEDDLE_F32);
  for (heddle_tensor *t : {&first, &second})
    reinterpret_cast<hal::Buffer *>(t->owner)->release();
}

// A program may return an argument, or one buffer twice: the caller gets memory of its own.
TEST(Executor, ReturnedArgumentIsCopied) {
  fb::ModuleT module = emptyModule();
  auto main =
      contract::test::function("main", "const s0 2\nset_result r0 b0 [s0]\nset_result r1 b0 [s0]\nreturn", 1, 1);
  main->arguments.push_back(contract::test::value("x", ElementType::F32, {size(2)}));
  for (int i = 0; i < 2; ++i)
    main->results.push_back(contract::test::value("y", ElementType::F32, {size(2)}));
  module.functions.push_back(std::move(main));
  Loaded loaded(std::move(module), {"local://0"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  std::vector<float> x = {1, 2}, y(2);
  heddle_tensor in = tensorOf(x), out[2] = {tensorOf(y), {}};
  ASSERT_TRUE(loaded.calls[0]->call({&in, 1}, out).ok());
  EXPECT_EQ(y, x);
  EXPECT_NE(out[1].data, x.data());
  EXPECT_EQ(static_cast<float *>(out[1].data)[1], 2);
  reinterpret_cast<hal::Buffer *>(out[1].owner)->release();
}

TEST(Executor, MissingResultIsAnError) {
  fb::ModuleT module = emptyModule();
  auto main = contract::test::function("main", "return", 0, 0);
  main->results.push_back(contract::test::value("y", ElementType::F32, {size(2)}));
  module.functions.push_back(std::move(main));
  Loaded loaded(std::move(module), {"local://0"});
  heddle_tensor out{};
  EXPECT_EQ(loaded.calls[0]->call({}, {&out, 1}).message(), "the program ended without result 0");
}

TEST(Executor, BindFunctionRunsAtLoad) {
  fb::ModuleT module = emptyModule();
  module.messages = {"this device has too few cores"};
  auto bind =
      contract::test::function("__bind", "query s0 x0 0\nconst s1 1000\ncmp_lt s2 s1 s0\ncheck s2 m0\nreturn", 3, 0);
  bind->bind = true;
  module.functions.push_back(std::move(bind));
  module.functions.push_back(contract::test::function("main", "return", 0, 0));
  Loaded loaded(std::move(module), {"local://0"});
  EXPECT_EQ(loaded.status.message(), "while binding the program to its devices: this device has too few cores");
}

TEST(Executor, EmptyModuleNeedsNoDevice) {
  fb::ModuleT module;
  module.functions.push_back(contract::test::function("anything", "return", 0, 0));
  Loaded loaded(std::move(module), {});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
  EXPECT_TRUE(loaded.calls[0]->call({}, {}).ok());
  EXPECT_EQ(*loaded.module->findEntryPoint(""), 0u);
}

} // namespace
