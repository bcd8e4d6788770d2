// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank of the conformance suite: test/e2e/test_ranks_mpi.py starts as many as it wants with an MPI launcher. Alone
// it is a world of one rank. Tests that end the world are run one at a time.
#include "runtime/collectives/mpi/MpiGroup.h"

#include "runtime/collectives/cts/Cts.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace heddle::collectives {
namespace {

class MpiCtsWorld final : public CtsWorld {
public:
  std::string name() const override { return "mpi"; }
  void begin() override {
    StatusOr<std::unique_ptr<Group>> world = createMpiWorld({});
    ASSERT_TRUE(world.ok()) << world.status().text();
    world_ = std::move(*world);
    world_->setDeadline(Group::Clock::now() + std::chrono::seconds(60)); // no test hangs
    if (const char *ranks = std::getenv("HEDDLE_TEST_RANKS"))
      ASSERT_EQ(world_->size(), unsigned(std::atoi(ranks)));
  }
  void run(const std::function<void(Group &)> &body) override {
    if (world_)
      body(*world_);
  }

private:
  std::unique_ptr<Group> world_;
};

MpiCtsWorld world;
INSTANTIATE_TEST_SUITE_P(Mpi, GroupCts, testing::Values(&world), nameOfWorld);
INSTANTIATE_TEST_SUITE_P(Mpi, GroupFailureCts, testing::Values(&world), nameOfWorld);

// More than MPI counts in an int, where there is memory for it.
TEST(MpiGroup, ManyBytes) {
  if (!std::getenv("HEDDLE_TEST_MANY_BYTES"))
    GTEST_SKIP() << "set HEDDLE_TEST_MANY_BYTES on a machine with 16 GB";
  StatusOr<std::unique_ptr<Group>> group = createMpiWorld({});
  ASSERT_TRUE(group.ok()) << group.status().text();
  Request request;
  request.kind = CollectiveKind::Broadcast, request.type = ElementType::I8, request.name = "much";
  request.count = (uint64_t(1) << 31) + 4097;
  std::vector<int8_t> values(request.count);
  if ((*group)->rank() == 0)
    for (uint64_t i = 0; i < values.size(); ++i)
      values[i] = int8_t(i * 7 >> 3);
  request.source = request.target = values.data();
  ASSERT_TRUE((*group)->run(request).ok());
  for (uint64_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], int8_t(i * 7 >> 3)) << i;
}

// Large collectives in flight at once, each in a group and a thread of its own, which begin in another order on each
// rank: what waits for its turn is sent in chunks, and the receiver learns of them by its header.
TEST(MpiGroup, LargeOnesInFlight) {
  StatusOr<std::unique_ptr<Group>> world = createMpiWorld({});
  ASSERT_TRUE(world.ok()) << world.status().text();
  (*world)->setDeadline(Group::Clock::now() + std::chrono::seconds(60));
  constexpr uint32_t kGroups = 4;
  const uint32_t rank = (*world)->rank(), size = (*world)->size();
  std::vector<std::unique_ptr<Group>> groups;
  for (uint32_t i = 0; i < kGroups; ++i) {
    groups.push_back(std::move(*(*world)->split(0, rank)));
    groups.back()->setDeadline(Group::Clock::now() + std::chrono::seconds(60));
  }
  const auto value = [](uint32_t round, uint32_t member, uint64_t i) {
    return uint32_t(round * 40503 + member * 77 + i);
  };
  std::vector<std::thread> threads;
  std::atomic<uint64_t> wrong{0};
  for (uint32_t g = 0; g < kGroups; ++g)
    threads.emplace_back([&, g] {
      std::this_thread::sleep_for(std::chrono::microseconds((g * 7 + rank * 13) % 5 * 100));
      for (uint32_t round = g; round < 5 * kGroups; round += kGroups) {
        const uint64_t count = 1000 + round * 30011; // up to 2.3 MB
        std::vector<uint32_t> own(count), all(count * size);
        for (uint64_t i = 0; i < count; ++i)
          own[i] = value(round, rank, i);
        Request request;
        request.kind = CollectiveKind::AllGather, request.type = ElementType::I32, request.name = "large";
        request.count = count, request.order = round + 1;
        request.source = own.data(), request.target = all.data();
        if (!groups[g]->run(request).ok())
          ++wrong;
        for (uint64_t i = 0; i < all.size(); ++i)
          wrong += all[i] != value(round, uint32_t(i / count), i % count);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE((*world)->failure().ok()) << (*world)->failure().text();
}

// A rank ends, with nothing to say, while others wait for it; large messages are on their way.
TEST(MpiLeaving, WhoLeavesFailsThoseThatWait) {
  StatusOr<std::unique_ptr<Group>> group = createMpiWorld({});
  ASSERT_TRUE(group.ok()) << group.status().text();
  if ((*group)->rank() == 0)
    return;
  std::vector<float> values(1 << 20);
  Request request;
  request.type = ElementType::F32, request.count = values.size(), request.name = "psum";
  request.source = request.target = values.data();
  const Status status = (*group)->run(request);
  EXPECT_EQ(status.code(), StatusCode::Cancelled) << status.text();
  EXPECT_NE(status.message().find("all_reduce psum cannot go on: rank 0 left without it"), std::string::npos)
      << status.text();
}

} // namespace
} // namespace heddle::collectives
