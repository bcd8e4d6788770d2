// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank of the conformance suite: test/e2e/test_ranks_mpi.py starts as many as it wants with an MPI launcher. Alone
// it is a world of one rank. Tests that end the world are run one at a time.
#include "runtime/collectives/mpi/MpiGroup.h"

#include "runtime/collectives/cts/Cts.h"

#include <cstdlib>

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
