// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executor on hand-written host programs: what each instruction does, and how it fails.
#include "ExecutorFixture.h"
#include "runtime/hal/Registry.h"

#include <numeric>

using namespace heddle;
using namespace heddle::test;

namespace {

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
  auto nameless = [](fb::ModuleT &m) {
    m.functions[0]->code_locations = {0, 0};
    m.locations[0]->name.clear();
    m.locations[0]->file = "model.mlir";
    m.locations[0]->line = 4;
  };
  EXPECT_EQ(runScalars("check s4 m0", nameless).status.text(), "stop here\nin model.mlir:4");
  EXPECT_EQ(runScalars("const s4 1\nbr_if s4 @a @b\n@a fail m0\n@b const s0 1").status.message(), "stop here");
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

// The launch of a dispatch is that of the variant which the device's features select.
TEST(Executor, DispatchOfTheChosenVariant) {
  if (queryDevice("local")->features == queryDevice("local://0?cpu=generic")->features)
    GTEST_SKIP() << "this processor has no features beyond its architecture's baseline";
  struct Case {
    const char *uri;
    int64_t workgroups;
  };
  for (Case c : {Case{"local://0", 5}, Case{"local://0?cpu=generic", 3}}) {
    fb::ModuleT module = emptyModule();
    auto &variants = module.executables[kMark]->variants;
    variants.push_back(std::make_unique<fb::VariantT>(*variants[0]));
    std::vector<std::string> features = queryDevice("local")->features;
    variants[1]->features = features;
    auto main = contract::test::function("main",
                                         "const s0 40\nresult b0 r0 x0 s0\nconst s1 0\nconst s2 8\n"
                                         "fill t0 b0 s1 s0 s1 8\nconst s3 3\nconst s4 5\n"
                                         "dispatch_variant t0 1.0 [s3 s4] [s1 s1] [b0] []\n"
                                         "set_result r0 b0 [s4]\nreturn",
                                         5, 1);
    main->results.push_back(contract::test::value("y", ElementType::I64, {size(5)}));
    module.functions.push_back(std::move(main));
    Loaded loaded(std::move(module), {c.uri});
    ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();
    std::vector<int64_t> out(5, -1);
    heddle_tensor result{};
    result.data = out.data();
    result.bytes = sizeof(int64_t) * out.size();
    Status status = loaded.calls[0]->call({}, {&result, 1});
    ASSERT_TRUE(status.ok()) << status.text();
    for (int64_t w = 0; w < 5; ++w)
      EXPECT_EQ(out[w], w < c.workgroups ? w + 1 : 0) << c.uri;
  }
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
    // The instruction's own location takes the kernel's place.
    got = runScalars("const s4 8\nalloc b0 x0 s4\nconst s5 50\nconst s6 33\ndispatch t0 3.0 s5 s7 [b0] [s6]",
                     [](fb::ModuleT &m) { m.functions[0]->code_locations = {0, 0}; }, {"local://0"});
    EXPECT_EQ(got.status.text(), "dispatch 'out_of_range': an index is out of range; check the indices given to the "
                                 "model\nin '/encoder/Gather_7'");
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
