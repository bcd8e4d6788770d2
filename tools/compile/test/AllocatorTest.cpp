// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a build with asserts or sanitizers the allocator is the library's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <malloc.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

// Bytes of one value, so that what overlaps is seen.
struct Block {
  unsigned char *bytes;
  size_t size;
  unsigned char value;
};

Block make(size_t size, unsigned char value) {
  auto *bytes = static_cast<unsigned char *>(std::malloc(size));
  EXPECT_NE(bytes, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % 16, 0u) << size;
  EXPECT_GE(malloc_usable_size(bytes), size);
  std::memset(bytes, value, size);
  return {bytes, size, value};
}

bool isWhole(const Block &block) {
  return std::all_of(block.bytes, block.bytes + block.size, [&](unsigned char byte) { return byte == block.value; });
}

TEST(AllocatorTest, SizesAroundTheSteps) {
  std::vector<Block> blocks;
  for (size_t size : {0, 1, 15, 16, 17, 31, 32, 33, 1007, 1008, 1009, 1023, 1024, 1025, 4096, 1 << 20})
    for (int i = 0; i < 3; ++i)
      blocks.push_back(make(size, static_cast<unsigned char>(blocks.size() + 1)));
  for (const Block &block : blocks)
    EXPECT_TRUE(isWhole(block)) << block.size;
  for (const Block &block : blocks)
    std::free(block.bytes);
  std::free(nullptr);
}

TEST(AllocatorTest, ClearedIsZeroWhereSomethingLayBefore) {
  for (size_t size : {1, 24, 1000, 1024, 5000}) {
    std::vector<Block> before;
    for (int i = 0; i < 50; ++i)
      before.push_back(make(size, 0xff));
    for (const Block &block : before)
      std::free(block.bytes);
    for (int i = 0; i < 50; ++i) {
      auto *bytes = static_cast<unsigned char *>(std::calloc(size, 1));
      EXPECT_TRUE(isWhole({bytes, size, 0})) << size;
      std::free(bytes);
    }
  }
  volatile size_t most = SIZE_MAX;
  errno = 0;
  EXPECT_EQ(std::calloc(most, 2), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST(AllocatorTest, MovedKeepsItsBytes) {
  for (size_t from : {1, 16, 40, 1000, 1024, 1025, 100'000})
    for (size_t to : {1, 16, 17, 48, 1024, 1025, 3000, 200'000}) {
      Block block = make(from, 0x5a);
      block.bytes = static_cast<unsigned char *>(std::realloc(block.bytes, to));
      block.size = std::min(from, to);
      EXPECT_TRUE(isWhole(block)) << from << " to " << to;
      std::free(block.bytes);
    }
  void *made = std::realloc(nullptr, 30);
  EXPECT_NE(made, nullptr);
  std::free(made);
}

TEST(AllocatorTest, AlignedObjects) {
  for (size_t alignment : {16, 64, 4096}) {
    void *object = std::aligned_alloc(alignment, 2 * alignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % alignment, 0u);
    std::free(object);
  }
}

// Threads hand on what they made to the next one, which frees it.
TEST(AllocatorTest, OtherThreadsFree) {
  constexpr size_t kThreads = 4, kObjects = 10'000;
  unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::vector<std::vector<Block>> made(kThreads);
  std::vector<size_t> broken(kThreads);
  auto inThreads = [&](const std::function<void(size_t)> &work) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i)
      threads.emplace_back(work, i);
    for (std::thread &thread : threads)
      thread.join();
  };
  for (int round = 0; round < 4; ++round) {
    inThreads([&](size_t thread) {
      std::mt19937 random(seed + static_cast<unsigned>(thread));
      for (size_t i = 0; i < kObjects; ++i)
        made[thread].push_back(make(random() % 1200, static_cast<unsigned char>(random())));
    });
    inThreads([&](size_t thread) {
      for (const Block &block : made[(thread + 1) % kThreads]) {
        broken[thread] += !isWhole(block);
        std::free(block.bytes);
      }
    });
    for (auto &blocks : made)
      blocks.clear();
  }
  for (size_t count : broken)
    EXPECT_EQ(count, 0u);
}

} // namespace
