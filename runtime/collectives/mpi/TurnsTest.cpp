// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/mpi/Turns.h"

#include <gtest/gtest.h>

namespace heddle::collectives {
namespace {

using namespace std::chrono_literals;
constexpr uint64_t kChunk = Turns::kLeastChunk;
constexpr int kAll = Turns::kWindow / kChunk;

struct TurnsTest : testing::Test {
  Turns turns;
  Turns::Clock::time_point now{1s};
  Turns::Transfer first{.order = 1}, second{.order = 2};

  // As many chunks as it may send.
  int send(Turns::Transfer &transfer) {
    int chunks = 0;
    for (; transfer.toSend && turns.maySend(transfer, now); ++chunks)
      turns.sent(transfer, kChunk, now);
    return chunks;
  }
};

TEST_F(TurnsTest, OneThatIsAloneGoesAtOnce) {
  EXPECT_FALSE(turns.enter(second, 4 * kChunk)); // the first may come yet
  EXPECT_FALSE(turns.enter(first, 4 * kChunk));
  turns.leave(first);
  turns.leave(second);
  Turns::Transfer third{.order = 3}, fourth{.order = 4};
  EXPECT_FALSE(turns.enter(third, 4 * kAll * kChunk)); // the last that came was the first
  turns.leave(third);
  EXPECT_TRUE(turns.enter(fourth, 4 * kAll * kChunk));
  EXPECT_EQ(send(fourth), 4 * kAll);
  Turns::Transfer fifth{.order = 5};
  EXPECT_FALSE(turns.enter(fifth, 4 * kAll * kChunk));
  EXPECT_EQ(send(fifth), kAll / 2); // so that it does not begin only when the fourth has come through
  turns.leave(fourth);
  EXPECT_EQ(send(fifth), kAll / 2);
  turns.leave(fifth);
  turns.leave(fifth);
}

TEST_F(TurnsTest, TheFirstGoesFirst) {
  turns.enter(second, 4 * kAll * kChunk);
  EXPECT_EQ(send(second), kAll); // while it is alone
  turns.enter(first, (kAll + 2) * kChunk);
  EXPECT_EQ(send(first), kAll);
  turns.cameThrough(second, kChunk, now);
  EXPECT_EQ(send(second), 0);
  turns.cameThrough(first, 2 * kChunk, now);
  EXPECT_EQ(send(first), 2);
  EXPECT_EQ(send(second), 0); // a window of the first and nearly one of its own are on their way
  turns.cameThrough(first, (kAll - 2) * kChunk, now);
  turns.cameThrough(second, (kAll - 3) * kChunk, now);
  EXPECT_EQ(send(second), kAll - 4); // beside two and two
  turns.leave(first);
  EXPECT_EQ(send(second), 2);
  turns.leave(second);
}

TEST_F(TurnsTest, WhoseReceiverHasNotComeIsPassedOver) {
  turns.enter(second, 4 * kAll * kChunk);
  turns.enter(first, (kAll + 1) * kChunk);
  EXPECT_EQ(send(first), kAll);
  now += Turns::kPatience;
  EXPECT_EQ(send(second), 0);
  now += 1ms;
  EXPECT_EQ(send(second), kAll);
  turns.cameThrough(second, kAll * kChunk, now);
  EXPECT_EQ(send(second), kAll);
  turns.cameThrough(first, kChunk, now); // it has come
  turns.cameThrough(second, kAll * kChunk, now);
  EXPECT_EQ(send(second), 0);
  EXPECT_EQ(send(first), 1);
  EXPECT_EQ(send(second), 0); // a window of the first is on its way
  turns.leave(first);
  EXPECT_EQ(send(second), kAll);
  turns.leave(second);
}

TEST_F(TurnsTest, ChunksAreFew) {
  EXPECT_EQ(Turns::chunkOf(1), kChunk);
  EXPECT_EQ(Turns::chunkOf(64 * kChunk), kChunk);
  EXPECT_EQ(Turns::chunkOf(64 * kChunk + 1), kChunk + 1);
  Turns::Transfer huge{.order = 7}; // not the next one
  turns.enter(huge, uint64_t(1) << 32);
  EXPECT_TRUE(turns.maySend(huge, now));
  turns.sent(huge, uint64_t(1) << 26, now);
  EXPECT_TRUE(turns.maySend(huge, now));
  turns.leave(huge);
}

} // namespace
} // namespace heddle::collectives
