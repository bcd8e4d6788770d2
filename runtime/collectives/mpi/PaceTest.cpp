// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/mpi/Pace.h"

#include <gtest/gtest.h>

namespace heddle::collectives {
namespace {

using namespace std::chrono_literals;

// Looks of `look` each until `end`; how many.
struct Waiter {
  Pace::Clock::time_point now{1s};
  Pace pace{now};
  bool leads = true;
  int looks = 0;

  Pace::Duration look(Pace::Duration takes) {
    const auto begin = now;
    now += takes;
    const Pace::Duration pause = pace.pause(begin, now, leads);
    now += pause;
    ++looks;
    return pause;
  }
  void until(Pace::Duration end, Pace::Duration takes) {
    while (now.time_since_epoch() - 1s < end)
      look(takes);
  }
};

TEST(Pace, LooksAtOnceForAMoment) {
  Waiter waiter;
  waiter.until(199us, 1us);
  EXPECT_EQ(waiter.looks, 199);
  waiter.until(300us, 1us);
  EXPECT_LT(waiter.looks, 205);
}

TEST(Pace, ALongWaitTakesFewLooksAndEndsLittleLater) {
  Waiter waiter;
  waiter.until(300ms, 2us);
  EXPECT_LT(waiter.looks, 550); // 1.1 ms of 300
  EXPECT_LE(waiter.look(2us), Pace::kLongest);
}

TEST(Pace, LooksThatMoveMuchHaveNoPauses) {
  Waiter waiter;
  waiter.until(20ms, 1us); // the delay
  EXPECT_EQ(waiter.look(1us), Pace::kLongest);
  EXPECT_EQ(waiter.look(300us), Pace::Duration::zero()); // a fast link: what a pause leaves takes a part of it
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(waiter.look(10us), Pace::Duration::zero());
}

TEST(Pace, APacketOfASlowLinkIsNotMuch) {
  Waiter waiter;
  waiter.until(20ms, 1us);
  EXPECT_EQ(waiter.look(10us), Pace::kLongest);
}

TEST(Pace, WhoDoesNotLeadAlwaysPauses) {
  Waiter waiter;
  waiter.leads = false;
  EXPECT_EQ(waiter.look(1us), Pace::kShortest);
  EXPECT_EQ(waiter.look(300us), Pace::Duration(321us) / Pace::kShare); // in all it has waited for so long
}

} // namespace
} // namespace heddle::collectives
