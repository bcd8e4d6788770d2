// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must fail on all ranks alike.
#include "runtime/collectives/cts/CtsRequests.h"

#include <thread>

namespace heddle::collectives {

using namespace std::chrono_literals;

TEST_P(GroupFailureCts, AbortEndsAllWithTheFirstCause) {
  run([](Group &group) {
    const uint32_t last = group.size() - 1;
    runAndCompare(group, request(CollectiveKind::AllReduce, ElementType::F32, 5, group));
    const Group::Clock::time_point begin = Group::Clock::now();
    if (group.rank() == last) {
      std::this_thread::sleep_for(50ms);
      group.abort(Status(StatusCode::KernelFailed, "dispatch_7 divides by zero"));
      group.abort(Status(StatusCode::Internal, "a later cause"));
    }
    std::vector<float> values(1000 * group.size());
    Request one = request(CollectiveKind::AllToAll, ElementType::F32, 1000, group);
    one.source = one.target = values.data();
    for (int i = 0; i < 3; ++i) {
      const Status status = group.run(one);
      EXPECT_EQ(status.code(), StatusCode::KernelFailed);
      EXPECT_EQ(status.message(), "rank " + std::to_string(last) + ": dispatch_7 divides by zero");
    }
    EXPECT_EQ(group.failure().code(), StatusCode::KernelFailed);
    EXPECT_FALSE(group.split(0, 0).ok());
    EXPECT_FALSE(group.barrier().ok());
    EXPECT_LT(Group::Clock::now() - begin, 5s);
  });
}

TEST_P(GroupFailureCts, WhoNeverComesIsNamed) {
  run([](Group &group) {
    if (group.size() == 1)
      return;
    StatusOr<std::unique_ptr<Group>> mine = group.split(0, -int64_t(group.rank()));
    ASSERT_TRUE(mine.ok());
    const Group::Clock::time_point begin = Group::Clock::now();
    if (group.rank() == 0) { // comes much too late
      while (group.failure().ok() && Group::Clock::now() - begin < 5s)
        std::this_thread::sleep_for(10ms);
    } else {
      (*mine)->setDeadline(begin + 100ms);
    }
    float value = 1, sum = 0;
    Request one = request(CollectiveKind::AllReduce, ElementType::F32, 1, **mine);
    one.source = &value, one.target = &sum;
    const Status status = (*mine)->run(one);
    EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded) << status.text();
    EXPECT_NE(status.message().find("all_reduce cts waited beyond its deadline for rank 0"), std::string::npos)
        << status.text();
    EXPECT_LT(Group::Clock::now() - begin, 5s);
  });
}

TEST_P(GroupFailureCts, DifferentCollectivesFailAll) {
  run([](Group &group) {
    if (group.size() == 1)
      return;
    std::vector<float> values(64 * group.size());
    Request one = request(CollectiveKind::AllReduce, ElementType::F32, group.rank() == 1 ? 7 : 8, group);
    one.source = one.target = values.data();
    const Status status = group.run(one);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.text();
    for (const char *word : {"all_reduce cts of 7 elements of f32 (sum)", "all_reduce cts of 8 elements", ", not "})
      EXPECT_NE(status.message().find(word), std::string::npos) << status.text();
  });
}

TEST_P(GroupFailureCts, DifferentCutsFailAll) {
  run([](Group &group) {
    if (group.size() == 1)
      return;
    std::vector<float> source(64), target(64 * group.size());
    const contract::Cut cut{12, 1, 0, int64_t(group.size()) + (group.rank() == 1)};
    Request one = request(CollectiveKind::AllGather, ElementType::F32, 1, group);
    one.source = source.data(), one.target = target.data(), one.cuts = &cut;
    const Status status = group.run(one);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.text();
    EXPECT_NE(status.message().find("all_gather cts"), std::string::npos) << status.text();
  });
}

TEST_P(GroupFailureCts, CutsOfNoGroupFailAll) {
  run([](Group &group) {
    std::vector<float> values(64 * group.size());
    const contract::Cut cut{12, 1, 1, int64_t(group.size())};
    Request one = request(CollectiveKind::ReduceScatter, ElementType::F32, 1, group);
    one.source = values.data(), one.target = values.data() + 32, one.cuts = &cut;
    const Status status = group.run(one);
    EXPECT_NE(status.message().find("members have no parts from 1 on of"), std::string::npos) << status.text();
  });
}

TEST_P(GroupFailureCts, WhatOneRefusesFailsAll) {
  run([](Group &group) {
    std::vector<float> values(64);
    Request one = request(CollectiveKind::AllReduce, ElementType::F32, 4, group);
    one.source = one.target = values.data();
    if (group.rank() == group.size() - 1)
      one.source = values.data() + 1;
    const Status status = group.run(one);
    EXPECT_NE(status.message().find("source and target overlap at different places"), std::string::npos)
        << status.text();
  });
}

} // namespace heddle::collectives
