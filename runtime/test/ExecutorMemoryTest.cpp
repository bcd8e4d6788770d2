// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory in the executor: buffers, views, results, what a call leaves to the next.
#include "ExecutorFixture.h"

using namespace heddle;
using namespace heddle::test;

namespace {

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

TEST(Executor, ProductsOfSizes) {
  auto product = [](int64_t a, int64_t b) {
    std::string code = "const s4 " + std::to_string(a) + "\nconst s5 " + std::to_string(b) + "\nmul_size s0 s4 s5";
    return runScalars(code).values[0];
  };
  EXPECT_EQ(product(3, 4), 12);
  EXPECT_EQ(product(0, INT64_MAX), 0);
  EXPECT_EQ(product(int64_t(1) << 31, int64_t(1) << 31), int64_t(1) << 62);
  EXPECT_EQ(product(int64_t(1) << 32, int64_t(1) << 32), -1);
  EXPECT_EQ(product(-2, 3), -1);
  EXPECT_EQ(product(3, -2), -1);
}

TEST(Executor, MemoryErrors) {
  auto message = [](const char *code) { return runScalars(code).status.message(); };
  EXPECT_EQ(message("const s4 64\nalloc b0 x0 s4\nview b1 b0 s4 s4"),
            "a view of 64 bytes at 64 must lie in its buffer of 64 bytes");
  EXPECT_EQ(message("const s4 -1\nconst s5 64\nalloc b0 x0 s5\nview b1 b0 s4 s4"),
            "a view of -1 bytes at -1 must lie in its buffer of 64 bytes");
  // No bytes lie anywhere: columns of no rows.
  EXPECT_EQ(message("const s4 64\nconst s5 100\nalloc b0 x0 s4\nview b1 b0 s5 s6"), "ok");
  EXPECT_EQ(message("view b1 b0 s4 s4"), "a view of 0 bytes at 0 must lie in its buffer of 0 bytes");
  EXPECT_EQ(message("const s4 -5\nalloc b0 x0 s4"), "a buffer has the size -5");
  EXPECT_EQ(message("const s4 4294967296\nmul_size s4 s4 s4\nalloc b0 x0 s4"),
            "a buffer needs more bytes than 64 bits count");
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
  EXPECT_EQ(message("const s4 -1\nstream_at t0 x0 s4"), "a stream has the number -1");
  EXPECT_EQ(message("await e0"), "an event is waited for before it is recorded");
  EXPECT_EQ(message("dispatch t0 6.0 s4 s4 [b0] []"), "dispatch 'nothing': binding 0 is used before it is set");
  EXPECT_EQ(message("const s4 9223372036854775807\nalloc b0 x0 s4"), "cannot allocate 9223372036854775807 bytes");
  EXPECT_EQ(runScalars("const s4 2000000\nalloc b0 x0 s4", {}, {"local://0?memory=1m"}).status.message(),
            "cannot allocate 2000000 bytes: 0 of the device's 1048576 bytes are in use");
  EXPECT_EQ(message("const s4 8\nalloc b0 x0 s4\nconst s5 -1\ndispatch t0 6.0 s5 s6 [b0] []"),
            "dispatch 'nothing': a dispatch has 0 to 4294967296 workgroups, got -1");
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

TEST(Executor, ResultLargerThanItsBuffer) {
  fb::ModuleT module = emptyModule();
  auto main =
      contract::test::function("main", "const s0 8\nalloc b0 x0 s0\nconst s1 3\nset_result r0 b0 [s1]\nreturn", 2, 1);
  main->results.push_back(contract::test::value("y", ElementType::F32, {size(3)}));
  module.functions.push_back(std::move(main));
  Loaded loaded(std::move(module), {"local://0"});
  heddle_tensor out{};
  EXPECT_EQ(loaded.calls[0]->call({}, {&out, 1}).message(), "result 0 has 12 bytes, its buffer only 8");
}

TEST(Executor, LiveAllocationsAreDistinct) {
  EXPECT_TRUE(gives(runScalars(R"(const s4 8
      alloc b0 x0 s4
      alloc b1 x0 s4
      const s5 1
      const s6 2
      fill t0 b0 s8 s4 s5 8
      fill t0 b1 s8 s4 s6 8
      read s0 t0 b0 s8 5
      read s1 t0 b1 s8 5
      free t0 b0
      alloc b2 x0 s4
      fill t0 b2 s8 s4 s4 8
      read s2 t0 b1 s8 5)"),
                    {1, 2, 2}));
}

// Allocations that a program leaves (it failed, or forgot them) are used again by the next call.
TEST(Executor, LeftAllocationsAreReused) {
  fb::ModuleT module = emptyModule();
  module.functions.push_back(contract::test::function("main", "const s0 64\nalloc b0 x0 s0\nreturn", 1, 1));
  Loaded loaded(std::move(module), {"local://0"});
  for (uint64_t expected : {1, 0, 0}) {
    ASSERT_TRUE(loaded.calls[0]->call({}, {}).ok());
    EXPECT_EQ(loaded.calls[0]->statistics().allocations, expected);
  }
}

// Registers of one call are not seen by the next.
TEST(Executor, CallsStartWithClearRegisters) {
  struct Case {
    const char *set, *use, *message;
  };
  for (Case c : {Case{"alloc b1 x0 s1", "view b1 b1 s2 s1", "a view of 8 bytes at 0 must lie in its buffer of 0 bytes"},
                 Case{"record e0 t0", "await e0", "an event is waited for before it is recorded"},
                 Case{"stream t1 x0 0", "record e0 t1", "a stream register is used before it is set"},
                 Case{"move s3 s0", "check s3 m0", "zero"}}) {
    fb::ModuleT module = emptyModule();
    module.messages = {"zero"};
    auto main = contract::test::function(
        "main", std::string("const s1 8\nbr_if s0 @set @use\n@set ") + c.set + "\n@use " + c.use + "\nreturn", 4, 2, 2,
        1);
    addSymbol(*main, "n", 0, 9);
    main->arguments.push_back(contract::test::value("x", ElementType::I8, {symbol(0)}));
    module.functions.push_back(std::move(main));
    Loaded loaded(std::move(module), {"local://0"});
    char data[1];
    heddle_tensor one{data, 1, HEDDLE_I8, 1, {1}, nullptr}, none{data, 0, HEDDLE_I8, 1, {0}, nullptr};
    EXPECT_TRUE(loaded.calls[0]->call({&one, 1}, {}).ok()) << c.set;
    EXPECT_EQ(loaded.calls[0]->call({&none, 1}, {}).message(), c.message);
  }
}

TEST(Executor, ArgumentsAndParametersAreNotWritten) {
  for (const char *code :
       {"dispatch t0 1.0 s1 s2 [b0] []\nreturn", "parameter b1 p0\ndispatch t0 1.0 s1 s2 [b1] []\nreturn",
        "view b1 b0 s2 s2\ndispatch t0 1.0 s1 s2 [b1] []\nreturn"}) {
    fb::ModuleT module = quadrupleModule();
    auto write = contract::test::function("write", code, 3, 2);
    write->arguments.push_back(contract::test::value("x", ElementType::I64, {size(1)}));
    module.functions.push_back(std::move(write));
    Loaded loaded(std::move(module), {"local://0"});
    int64_t data = 0;
    heddle_tensor in{&data, 8, HEDDLE_I64, 1, {1}, nullptr};
    EXPECT_EQ(loaded.calls[1]->call({&in, 1}, {}).message(),
              "dispatch 'mark': binding 0 is written, but it is an argument or a parameter");
  }
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

} // namespace
