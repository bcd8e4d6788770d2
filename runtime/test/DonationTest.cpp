// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments whose memory the caller gives to a result.
#include "StateFixture.h"

using namespace heddle;
using namespace heddle::test;

namespace {

// add(x, d) -> y: d, 4 x i64, is donated to y; mark() in it. `copies`: y is computed elsewhere.
fb::ModuleT donatedModule(bool copies) {
  fb::ModuleT module = emptyModule();
  std::string code = "const s0 32\nconst s1 4\nconst s2 0\n";
  code += copies ? "result b2 r0 x0 s0\ncopy t0 b2 s2 b1 s2 s0\ndispatch t0 1.0 s1 s2 [b2] []\nset_result r0 b2 [s1]\n"
                 : "dispatch t0 1.0 s1 s2 [b1] []\nset_result r0 b1 [s1]\n";
  auto add = contract::test::function("add", code + "return", 3, 3);
  add->arguments.push_back(contract::test::value("x", ElementType::I64, {size(4)}));
  add->arguments.push_back(contract::test::value("d", ElementType::I64, {size(4)}));
  add->arguments.back()->donated = 0;
  add->arguments.back()->writable = !copies;
  add->results.push_back(contract::test::value("y", ElementType::I64, {size(4)}));
  module.functions.push_back(std::move(add));
  return module;
}

heddle_tensor quad(int64_t *values) {
  heddle_tensor out{values, 32, HEDDLE_I64, 1, {4}, nullptr};
  return out;
}

TEST(Donation, TheResultHasTheArgumentsPointer) {
  for (bool copies : {false, true}) {
    Program program(donatedModule(copies));
    auto add = program.call("add");
    int64_t x[4] = {}, d[4] = {10, 20, 30, 40};
    heddle_tensor arguments[] = {quad(x), quad(d)}, y{};
    Status status = add->call(arguments, {&y, 1});
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_EQ(y.data, d);
    EXPECT_EQ(y.owner, nullptr);
    EXPECT_EQ(d[3], 44);
    EXPECT_EQ(add->invocation().statistics().copiedBytes, copies ? 32u : 0u);
  }
}

TEST(Donation, OwnedMemoryIsCounted) {
  Program program(donatedModule(false));
  auto add = program.call("add");
  auto memory = std::move(*hal::allocateHostBuffer(32));
  std::memset(memory->address(), 0, 32);
  int64_t x[4] = {};
  heddle_tensor arguments[] = {quad(x), quad(reinterpret_cast<int64_t *>(memory->address()))}, y{};
  arguments[1].owner = reinterpret_cast<heddle_buffer *>(memory.get());
  ASSERT_TRUE(add->call(arguments, {&y, 1}).ok());
  EXPECT_EQ(y.owner, arguments[1].owner);
  memory = {};
  EXPECT_EQ(static_cast<int64_t *>(y.data)[3], 4); // still there
  reinterpret_cast<hal::Buffer *>(y.owner)->release();
}

// The program may return the argument as it came, beside what comes to lie in its memory.
TEST(Donation, TheOldValueAsAnotherResult) {
  fb::ModuleT module = donatedModule(true);
  fb::FunctionT &add = *module.functions.back();
  add.results.push_back(contract::test::value("old", ElementType::I64, {size(4)}));
  add.code = contract::test::function("",
                                      "const s0 32\nconst s1 4\nconst s2 0\nresult b2 r0 x0 s0\n"
                                      "copy t0 b2 s2 b1 s2 s0\ndispatch t0 1.0 s1 s2 [b2] []\n"
                                      "set_result r0 b2 [s1]\nset_result r1 b1 [s1]\nreturn",
                                      3, 3)
                 ->code;
  Program program(std::move(module));
  auto call = program.call("add");
  int64_t x[4] = {}, d[4] = {10, 20, 30, 40};
  heddle_tensor arguments[] = {quad(x), quad(d)}, results[2] = {};
  Status status = call->call(arguments, results);
  ASSERT_TRUE(status.ok()) << status.text();
  EXPECT_EQ(d[3], 44);
  EXPECT_EQ(static_cast<int64_t *>(results[1].data)[3], 40);
  reinterpret_cast<hal::Buffer *>(results[1].owner)->release();
}

TEST(Donation, SharedMemoryAndOtherStorageAreRefused) {
  Program program(donatedModule(false));
  auto add = program.call("add");
  int64_t d[4] = {}, elsewhere[4];
  heddle_tensor same[] = {quad(d), quad(d)}, y{};
  EXPECT_EQ(add->call(same, {&y, 1}).message(),
            "argument 1 'd' is donated, its memory is that of argument 0 'x' too; give "
            "one of them a copy");
  int64_t x[4] = {};
  heddle_tensor arguments[] = {quad(x), quad(d)}, out = quad(elsewhere);
  EXPECT_EQ(add->call(arguments, {&out, 1}).message(), "result 0 'y' lies in the memory of argument 1 'd', which is "
                                                       "donated; give it no storage");
}

// A call without room for another result has not written the donated memory.
TEST(Donation, TooLittleStorageForAnotherResult) {
  fb::ModuleT module = donatedModule(false);
  fb::FunctionT &add = *module.functions.back();
  add.results.push_back(contract::test::value("copy", ElementType::I64, {size(4)}));
  add.code = contract::test::function("",
                                      "const s0 32\nconst s1 4\nconst s2 0\ndispatch t0 1.0 s1 s2 [b1] []\n"
                                      "set_result r0 b1 [s1]\nset_result r1 b0 [s1]\nreturn",
                                      3, 3)
                 ->code;
  Program program(std::move(module));
  auto call = program.call("add");
  int64_t x[4] = {}, d[4] = {10, 20, 30, 40}, other[4];
  heddle_tensor arguments[] = {quad(x), quad(d)}, results[2] = {{}, quad(other)};
  results[1].bytes = 24;
  EXPECT_EQ(call->call(arguments, results).message(),
            "result 1 'copy' needs 32 bytes, got storage of 24; give a larger buffer or none");
  EXPECT_EQ(d[3], 40);
  results[1].bytes = 32;
  EXPECT_TRUE(call->call(arguments, results).ok());
  EXPECT_EQ(d[3], 44);
}

} // namespace
