// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/local/LocalGroup.h"

#include "runtime/collectives/cts/Cts.h"
#include "runtime/collectives/mpi/MpiLibrary.h"

#include <thread>

namespace heddle::collectives {
namespace {

using namespace std::chrono_literals;

class LocalCtsWorld final : public CtsWorld {
public:
  explicit LocalCtsWorld(uint32_t ranks) : ranks_(ranks) {}
  std::string name() const override { return "local" + std::to_string(ranks_); }
  void begin() override { groups_ = std::move(*createLocalWorld(ranks_)); }
  void run(const std::function<void(Group &)> &body) override {
    std::vector<std::thread> threads;
    for (std::unique_ptr<Group> &group : groups_)
      threads.emplace_back([&] { body(*group); });
    for (std::thread &thread : threads)
      thread.join();
  }

private:
  uint32_t ranks_;
  std::vector<std::unique_ptr<Group>> groups_;
};

LocalCtsWorld one(1), two(2), three(3), four(4), eight(8), many(32);
const auto kWorlds = testing::Values(&one, &two, &three, &four, &eight, &many);
INSTANTIATE_TEST_SUITE_P(Local, GroupCts, kWorlds, nameOfWorld);
INSTANTIATE_TEST_SUITE_P(Local, GroupFailureCts, kWorlds, nameOfWorld);

TEST(LocalGroup, AWorldHasRanks) {
  EXPECT_EQ(createLocalWorld(0).status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(createLocalWorld(uint32_t(contract::kMaxRanks) + 1).status().code(), StatusCode::InvalidArgument);
}

// An MPI that is not there is an error that says what to install.
TEST(MpiLibrary, AbsenceHasARemedy) {
  const StatusOr<MpiLibrary *> library = MpiLibrary::open("/nowhere/libmpi_abi.so.1");
  ASSERT_FALSE(library.ok());
  EXPECT_EQ(library.status().code(), StatusCode::Unsupported);
  EXPECT_NE(library.status().message().find("/nowhere/libmpi_abi.so.1"), std::string::npos);
  EXPECT_NE(library.status().message().find("pip install mpich"), std::string::npos) << library.status().text();
  const StatusOr<MpiLibrary *> other = MpiLibrary::open("libm.so.6");
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.status().message().find("libm.so.6 lacks MPI_"), std::string::npos) << other.status().text();
}

// A rank's thread that ends early is no deadlock.
TEST(LocalGroup, WhoLeavesFailsThoseThatWait) {
  auto world = std::move(*createLocalWorld(3));
  std::thread leaver([&] {
    std::this_thread::sleep_for(20ms);
    world[1].reset();
  });
  std::thread other([&] { EXPECT_FALSE(world[2]->barrier().ok()); });
  const Status status = world[0]->barrier();
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
  EXPECT_NE(status.message().find("rank 1 left without it"), std::string::npos) << status.text();
  leaver.join();
  other.join();
}

// Who leaves a collective because of a failure has its memory to itself: under AddressSanitizer and ThreadSanitizer a
// member that still read it would show.
TEST(LocalGroup, MemoryIsTheCallersAfterAFailure) {
  for (int i = 0; i < 50; ++i) {
    auto world = std::move(*createLocalWorld(3));
    const auto body = [&](int rank) {
      for (int k = 0; k < 100; ++k) {
        auto source = std::make_unique<std::vector<float>>(20000, 1.f),
             target = std::make_unique<std::vector<float>>(20000);
        Request request;
        request.type = ElementType::F32, request.count = source->size();
        request.source = source->data(), request.target = target->data();
        if (!world[rank]->run(request).ok())
          return;
        if (rank == 1 && k == 3)
          world[rank]->abort(Status(StatusCode::Internal, "seeded"));
      }
    };
    std::thread a(body, 0), b(body, 1), c(body, 2);
    std::this_thread::sleep_for(std::chrono::microseconds(i * 20));
    world[0]->abort(Status(StatusCode::Internal, "seeded"));
    a.join(), b.join(), c.join();
  }
}

// Bits do not depend on who comes when: sums that another order would change.
TEST(LocalGroup, EqualBitsInAnyOrderOfArrival) {
  auto world = std::move(*createLocalWorld(4));
  const float values[] = {1e8f, 1.25f, -1e8f, 3.5f};
  const float expected = ((1e8f + 1.25f) + -1e8f) + 3.5f;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 4; ++rank)
    threads.emplace_back([&, rank] {
      for (uint64_t count : {1, 100, 3000}) {
        std::vector<float> data(count);
        Request request;
        request.type = ElementType::F32, request.count = count, request.source = request.target = data.data();
        for (int i = 0; i < 20; ++i) {
          std::fill(data.begin(), data.end(), values[rank]);
          std::this_thread::sleep_for(std::chrono::microseconds((rank * 7 + i * 13) % 50));
          ASSERT_TRUE(world[rank]->run(request).ok());
          for (float value : data)
            ASSERT_EQ(value, expected);
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace heddle::collectives
