// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the caller may give to an entry point: one malformed call per rule, with the exact message.
#include "ExecutorFixture.h"

using namespace heddle;
using namespace heddle::test;

namespace {

// bert(input_ids: batch x seq x i64, attention_mask: batch x seq x i64, scale: 2 x f32) -> i64 of batch
class Entry : public testing::Test {
protected:
  void SetUp() override {
    fb::ModuleT module = emptyModule();
    auto bert = contract::test::function("bert",
                                         "const s2 8\nmul s3 s0 s2\nresult b3 r0 x0 s3\nconst s4 0\n"
                                         "fill t0 b3 s4 s3 s1 8\nset_result r0 b3 [s0]\nreturn",
                                         5, 4);
    addSymbol(*bert, "batch", 1, INT64_MAX);
    addSymbol(*bert, "seq", 1, 512);
    for (const char *name : {"input_ids", "attention_mask"})
      bert->arguments.push_back(contract::test::value(name, ElementType::I64, {symbol(0), symbol(1)}));
    bert->arguments.push_back(contract::test::value("scale", ElementType::F32, {size(2)}));
    bert->results.push_back(contract::test::value("out", ElementType::I64, {symbol(0)}));
    module.functions.push_back(std::move(bert));
    bytes_ = std::make_unique<AlignedBytes>(build(module));
    module_ = *Module::load(*Artifact::openMemory(*bytes_), std::vector<std::string>{"local://0"}, runBindFunction);
    call_ = std::move(*Invocation::create(module_, *module_->entryPoints()[0]));
    ids_ = mask_ = {memory_, 8 * 2 * 128, HEDDLE_I64, 2, {2, 128}, nullptr};
    scale_ = {memory_, 8, HEDDLE_F32, 1, {2}, nullptr};
  }

  // The message of a call, "ok" when it went well.
  std::string call() {
    heddle_tensor arguments[] = {ids_, mask_, scale_};
    Status status = call_->call(arguments, {&out_, 1});
    if (status.ok() && out_.owner)
      reinterpret_cast<hal::Buffer *>(std::exchange(out_.owner, nullptr))->release();
    out_.data = given_;
    return status.text();
  }

  alignas(64) inline static std::byte memory_[8 * 1024];
  std::unique_ptr<AlignedBytes> bytes_;
  std::shared_ptr<Module> module_;
  std::unique_ptr<Invocation> call_;
  heddle_tensor ids_, mask_, scale_, out_{};
  void *given_ = nullptr;
};

TEST_F(Entry, Good) {
  EXPECT_EQ(call(), "ok");
  EXPECT_EQ(out_.dims[0], 2);
  const heddle_entry_point_info &info = module_->entryPoints()[0]->info;
  EXPECT_STREQ(info.name, "bert");
  EXPECT_EQ(info.argument_count, 3u);
  EXPECT_STREQ(info.arguments[0].dims[1].symbol, "seq");
  EXPECT_EQ(info.arguments[0].dims[1].size, -1);
  EXPECT_EQ(info.arguments[0].dims[1].max, 512);
  EXPECT_EQ(info.arguments[2].dims[0].size, 2);
  EXPECT_STREQ(info.results[0].name, "out");
}

TEST_F(Entry, Count) {
  EXPECT_EQ(call_->call({&ids_, 1}, {&out_, 1}).message(), "'bert' takes 3 arguments, got 1");
  heddle_tensor arguments[] = {ids_, mask_, scale_};
  EXPECT_EQ(call_->call(arguments, {}).message(), "'bert' gives 1 results, got room for 0");
}

TEST_F(Entry, Type) {
  mask_.type = HEDDLE_I32;
  EXPECT_EQ(call(), "argument 1 'attention_mask' has element type i64, got i32; convert it");
  mask_.type = static_cast<heddle_element_type>(77);
  EXPECT_EQ(call(), "argument 1 'attention_mask' has element type i64, got type 77; convert it");
  mask_.type = HEDDLE_NONE;
  EXPECT_EQ(call(), "argument 1 'attention_mask' is left out, and has no default; give it");
}

// echo(x: 2 x f32, w: 2 x f32 = [3 4]) -> w
TEST(Defaults, StandForWhatIsLeftOut) {
  fb::ModuleT source = emptyModule();
  auto echo = contract::test::function("echo",
                                       "const s0 8\nconst s1 0\nconst s2 2\nresult b2 r0 x0 s0\n"
                                       "copy t0 b2 s1 b1 s1 s0\nset_result r0 b2 [s2]\nreturn",
                                       3, 3);
  for (const char *name : {"x", "w"})
    echo->arguments.push_back(contract::test::value(name, ElementType::F32, {size(2)}));
  const float standard[] = {3, 4};
  const auto *first = reinterpret_cast<const uint8_t *>(standard);
  echo->arguments[1]->default_value.assign(first, first + sizeof standard);
  echo->results.push_back(contract::test::value("y", ElementType::F32, {size(2)}));
  source.functions.push_back(std::move(echo));
  Loaded loaded(std::move(source), {"local://0"});
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.text();

  std::vector<float> x = {1, 2}, w = {5, 6}, y(2);
  heddle_tensor out = tensorOf(y), whole[] = {tensorOf(x), tensorOf(w)}, part[] = {tensorOf(x), {}};
  Invocation &call = *loaded.calls[0];
  EXPECT_EQ(call.call(part, {&out, 1}).text(), "ok");
  EXPECT_EQ(y, (std::vector<float>{3, 4}));
  EXPECT_EQ(part[1].type, HEDDLE_NONE); // the caller's array is as it was
  EXPECT_EQ(call.call(whole, {&out, 1}).text(), "ok");
  EXPECT_EQ(y, (std::vector<float>{5, 6}));
  auto done = call.start(part, {&out, 1}, {}, nullptr);
  ASSERT_TRUE(done.ok()) << done.status().text();
  EXPECT_TRUE((*done)->wait(1).ok());
  EXPECT_EQ(y, (std::vector<float>{3, 4}));
  std::swap(part[0], part[1]);
  EXPECT_EQ(call.call(part, {&out, 1}).message(), "argument 0 'x' is left out, and has no default; give it");
  EXPECT_EQ(call.call({part, 1}, {&out, 1}).message(), "'echo' takes 2 arguments, got 1");
  EXPECT_EQ(call.call({}, {&out, 1}).message(), "'echo' takes 2 arguments, got 0");
}

TEST_F(Entry, Rank) {
  ids_.rank = 1;
  EXPECT_EQ(call(), "argument 0 'input_ids' has 2 dimensions, got 1 (2)");
  ids_.rank = 4000;
  EXPECT_EQ(call(), "argument 0 'input_ids' has 2 dimensions, got 4000");
}

TEST_F(Entry, StaticDimension) {
  scale_.dims[0] = 3;
  EXPECT_EQ(call(), "argument 2 'scale': dimension 0 is 2, got 3; give that size");
}

TEST_F(Entry, EqualSymbols) {
  mask_.dims[1] = 64;
  EXPECT_EQ(call(), "argument 1 'attention_mask': dimension 1 'seq' is 128 in argument 0 'input_ids', got 64; give "
                    "equal sizes");
}

TEST_F(Entry, Bounds) {
  ids_.dims[1] = 513;
  EXPECT_EQ(call(), "argument 0 'input_ids': dimension 1 'seq' must be between 1 and 512, got 513");
  ids_.dims[1] = 128;
  ids_.dims[0] = 0;
  EXPECT_EQ(call(), "argument 0 'input_ids': dimension 0 'batch' must be at least 1, got 0");
  ids_.dims[0] = -4;
  EXPECT_EQ(call(), "argument 0 'input_ids': dimension 0 'batch' must be at least 1, got -4");
  ids_.dims[0] = (int64_t(1) << 47) + 1;
  EXPECT_EQ(call(),
            "argument 0 'input_ids': dimension 0 'batch' must be between 1 and 140737488355328, got 140737488355329");
}

TEST_F(Entry, Memory) {
  ids_.bytes = 8;
  EXPECT_EQ(call(), "argument 0 'input_ids' of shape 2x128 has 2048 bytes, got 8");
  ids_.bytes = 2048;
  ids_.data = nullptr;
  EXPECT_EQ(call(), "argument 0 'input_ids' has no data; set heddle_tensor::data");
  ids_.data = memory_ + 4;
  EXPECT_EQ(call(), "argument 0 'input_ids' must be aligned to its elements of 8 bytes");
  ids_.data = memory_;
  ids_.dims[0] = int64_t(1) << 47;
  EXPECT_EQ(call(), "argument 0 'input_ids' of shape 140737488355328x128 has 144115188075855872 bytes, got 2048");
}

TEST(EntryOfTwoFreeSizes, MoreBytesThan64BitsCount) {
  fb::ModuleT module = emptyModule();
  auto sum = contract::test::function("sum", "return", 2, 1);
  addSymbol(*sum, "n", 0, INT64_MAX);
  addSymbol(*sum, "m", 0, INT64_MAX);
  sum->arguments.push_back(contract::test::value("x", ElementType::F32, {symbol(0), symbol(1)}));
  module.functions.push_back(std::move(sum));
  AlignedBytes bytes(build(module));
  auto artifact = Artifact::openMemory(bytes);
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  std::shared_ptr<Module> loaded = *Module::load(*artifact, std::vector<std::string>{"local://0"}, runBindFunction);
  std::unique_ptr<Invocation> call = std::move(*Invocation::create(loaded, *loaded->entryPoints()[0]));
  float data[4] = {};
  heddle_tensor x = {data, sizeof(data), HEDDLE_F32, 2, {int64_t(1) << 47, int64_t(1) << 47}, nullptr};
  EXPECT_EQ(call->call({&x, 1}, {}).message(),
            "argument 0 'x' of shape 140737488355328x140737488355328 has more bytes than 64 bits count");
}

TEST_F(Entry, ResultStorage) {
  alignas(8) std::byte storage[24];
  out_.data = given_ = storage;
  out_.bytes = 8;
  EXPECT_EQ(call(), "result 0 'out' needs 16 bytes, got storage of 8; give a larger buffer or none");
  out_.data = given_ = storage + 1;
  EXPECT_EQ(call(), "result 0 'out': its storage must be aligned to its elements of 8 bytes");
  out_.data = given_ = storage;
  out_.bytes = 24;
  EXPECT_EQ(call(), "ok");
  EXPECT_EQ(out_.data, storage);
  EXPECT_EQ(out_.bytes, 16u);
}

TEST_F(Entry, UnknownName) {
  EXPECT_EQ(module_->findEntryPoint("bret").status().message(),
            "the entry points are bert, got 'bret'; did you mean 'bert'?");
}

// A failed call leaves nothing behind: the next one is right.
TEST_F(Entry, NextCallAfterAFailureWorks) {
  scale_.dims[0] = 3;
  EXPECT_NE(call(), "ok");
  scale_.dims[0] = 2;
  EXPECT_EQ(call(), "ok");
}

} // namespace
