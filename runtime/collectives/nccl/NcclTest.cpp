// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On the fake libnccl.so.2, which this program's run path finds before any other.
#include "runtime/collectives/nccl/NcclGroup.h"

#include "runtime/collectives/local/LocalGroup.h"
#include "runtime/collectives/nccl/NcclApi.h"
#include "runtime/collectives/nccl/test/FakeNccl.h"

#include <gtest/gtest.h>

#include <thread>

#include <dlfcn.h>

namespace heddle::collectives {
namespace {

template <typename F> F *fake(const char *name) {
  static void *library = dlopen("libnccl.so.2", RTLD_NOW);
  return reinterpret_cast<F *>(dlsym(library, name));
}

int zeroed = 0;
Status zeros(void *, uint64_t bytes, void *) { return zeroed += int(bytes), Status(); }

// Runs the body on two ranks that have a group of devices.
void onTwoRanks(const std::function<void(Group &, StatusOr<std::unique_ptr<DeviceGroup>>)> &body) {
  auto world = std::move(*createLocalWorld(2));
  std::vector<std::thread> threads;
  for (std::unique_ptr<Group> &group : world)
    threads.emplace_back([&] { body(*group, createNcclGroup(*group, zeros)); });
  for (std::thread &thread : threads)
    thread.join();
}

// The calls of a rank, without its number.
std::string callsOf(int rank) {
  std::string log = fake<const char *()>("fakeNcclLog")(), lines;
  const std::string mark = std::to_string(rank) + ": ";
  for (size_t begin = 0, end; begin < log.size(); begin = end + 1) {
    end = log.find('\n', begin);
    if (log.compare(begin, mark.size(), mark) == 0)
      lines += log.substr(begin + mark.size(), end - begin - mark.size()) + "\n";
  }
  return lines;
}

class Nccl : public testing::Test {
protected:
  void SetUp() override {
    fake<void()>("fakeNcclClear")();
    zeroed = 0;
  }
};

Request request(CollectiveKind kind, ElementType type, uint64_t count) {
  static float source[64], target[64];
  Request request;
  request.kind = kind, request.type = type, request.count = count, request.name = "x";
  request.source = source, request.target = target;
  return request;
}

TEST_F(Nccl, OneCommunicatorByTheOtherGroup) {
  onTwoRanks(
      [](Group &, StatusOr<std::unique_ptr<DeviceGroup>> group) { ASSERT_TRUE(group.ok()) << group.status().text(); });
  const std::string log = fake<const char *()>("fakeNcclLog")();
  EXPECT_EQ(log.find("ncclGetUniqueId"), log.rfind("ncclGetUniqueId")); // the first rank alone
  EXPECT_EQ(callsOf(0), "ncclCommInitRankConfig 2\nncclCommDestroy\n");
  EXPECT_EQ(callsOf(1), "ncclCommInitRankConfig 2\nncclCommDestroy\n");
}

TEST_F(Nccl, EveryKind) {
  onTwoRanks([](Group &ranks, StatusOr<std::unique_ptr<DeviceGroup>> group) {
    ASSERT_TRUE(group.ok());
    const int64_t rank = ranks.rank();
    for (const CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                      CollectiveKind::AllGather, CollectiveKind::Broadcast, CollectiveKind::AllToAll,
                                      CollectiveKind::Permute, CollectiveKind::Gather, CollectiveKind::Scatter}) {
      Request one = request(kind, ElementType::F32, 8);
      one.root = 1;
      one.sendTo = rank == 0 ? 1 : Request::kNone, one.receiveFrom = rank == 1 ? 0 : Request::kNone;
      ASSERT_TRUE((*group)->supports(one));
      const Status status = (*group)->enqueue(one, nullptr);
      EXPECT_TRUE(status.ok()) << status.text();
    }
    EXPECT_TRUE((*group)->enqueue(request(CollectiveKind::AllReduce, ElementType::F32, 0), nullptr).ok());
  });
  EXPECT_EQ(callsOf(0), "ncclCommInitRankConfig 2\nncclAllReduce 8 7 0\nncclReduceScatter 8 7 0\nncclAllGather 32 1\n"
                        "ncclBroadcast 32 1 1\nncclSend 32 1 0\nncclRecv 32 1 0\nncclSend 32 1 1\nncclRecv 32 1 1\n"
                        "ncclSend 32 1 1\nncclSend 32 1 1\nncclRecv 32 1 1\nncclCommDestroy\n");
  EXPECT_EQ(callsOf(1), "ncclCommInitRankConfig 2\nncclAllReduce 8 7 0\nncclReduceScatter 8 7 0\nncclAllGather 32 1\n"
                        "ncclBroadcast 32 1 1\nncclSend 32 1 0\nncclRecv 32 1 0\nncclSend 32 1 1\nncclRecv 32 1 1\n"
                        "ncclRecv 32 1 0\nncclRecv 32 1 0\nncclRecv 32 1 1\nncclSend 32 1 1\nncclSend 32 1 0\n"
                        "ncclSend 32 1 1\nncclRecv 32 1 1\nncclCommDestroy\n");
  EXPECT_EQ(zeroed, 32 + 64); // rank 0: permute, gather
}

// Pieces of 3 and 4 elements, of 12 and 16 bytes; an empty one is no call.
TEST_F(Nccl, PiecesOfSeveralSizes) {
  onTwoRanks([](Group &, StatusOr<std::unique_ptr<DeviceGroup>> group) {
    ASSERT_TRUE(group.ok());
    for (const contract::Cut &cut : {contract::Cut{7, 1, 0, 2}, contract::Cut{1, 1, 0, 2}})
      for (const CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                                        CollectiveKind::Gather, CollectiveKind::Scatter}) {
        Request one = request(kind, ElementType::F32, 1);
        one.cuts = &cut;
        ASSERT_TRUE((*group)->supports(one));
        const Status status = (*group)->enqueue(one, nullptr);
        EXPECT_TRUE(status.ok()) << status.text();
      }
  });
  EXPECT_EQ(callsOf(0), "ncclCommInitRankConfig 2\nncclBroadcast 12 1 0\nncclBroadcast 16 1 1\nncclReduce 3 7 0 0\n"
                        "ncclReduce 4 7 0 1\nncclRecv 12 1 0\nncclRecv 16 1 1\nncclSend 12 1 0\nncclSend 12 1 0\n"
                        "ncclSend 16 1 1\nncclRecv 12 1 0\nncclBroadcast 4 1 1\nncclReduce 1 7 0 1\nncclRecv 4 1 1\n"
                        "ncclSend 4 1 1\nncclCommDestroy\n");
  EXPECT_EQ(callsOf(1), "ncclCommInitRankConfig 2\nncclBroadcast 12 1 0\nncclBroadcast 16 1 1\nncclReduce 3 7 0 0\n"
                        "ncclReduce 4 7 0 1\nncclSend 16 1 0\nncclRecv 16 1 0\nncclBroadcast 4 1 1\n"
                        "ncclReduce 1 7 0 1\nncclSend 4 1 0\nncclRecv 4 1 0\nncclCommDestroy\n");
}

TEST_F(Nccl, WhatNcclDoesOtherwiseIsNotSupported) {
  onTwoRanks([](Group &, StatusOr<std::unique_ptr<DeviceGroup>> group) {
    ASSERT_TRUE(group.ok());
    const auto supports = [&](Reduction reduction, ElementType type) {
      Request one = request(CollectiveKind::AllReduce, type, 4);
      one.reduction = reduction;
      return (*group)->supports(one);
    };
    EXPECT_TRUE(supports(Reduction::Sum, ElementType::BF16));
    EXPECT_TRUE(supports(Reduction::Max, ElementType::I64));
    EXPECT_TRUE(supports(Reduction::And, ElementType::I1));
    EXPECT_FALSE(supports(Reduction::Max, ElementType::F32)); // NaN
    EXPECT_FALSE(supports(Reduction::Sum, ElementType::I16));
    EXPECT_FALSE(supports(Reduction::Xor, ElementType::I32));
    const contract::Cut cuts[2] = {{5, 1, 0, 2}, {5, 1, 0, 2}};
    Request rows = request(CollectiveKind::AllToAll, ElementType::F32, 4);
    rows.cuts = cuts;
    EXPECT_FALSE((*group)->supports(rows));
    Request inPlace = request(CollectiveKind::AllToAll, ElementType::F32, 4);
    inPlace.source = inPlace.target;
    EXPECT_FALSE((*group)->supports(inPlace));
    const Status status = (*group)->enqueue(inPlace, nullptr);
    EXPECT_EQ(status.code(), StatusCode::Unsupported);
    EXPECT_EQ((*group)->failure().code(), StatusCode::Cancelled);
  });
}

TEST_F(Nccl, Failures) {
  onTwoRanks([](Group &ranks, StatusOr<std::unique_ptr<DeviceGroup>> group) {
    ASSERT_TRUE(group.ok());
    ASSERT_TRUE(ranks.barrier().ok());
    if (ranks.rank() == 0) {
      fake<void(const char *, int)>("fakeNcclFail")("ncclAllReduce", 3);
      const Status status = (*group)->enqueue(request(CollectiveKind::AllReduce, ElementType::F32, 4), nullptr);
      EXPECT_EQ(status.message(), "NCCL: all_reduce x: internal error");
      fake<void(int)>("fakeNcclAsyncError")(3);
      EXPECT_EQ((*group)->failure().code(), StatusCode::Io);
      fake<void(int)>("fakeNcclAsyncError")(0);
      (*group)->abort();
      (*group)->abort();
      EXPECT_FALSE((*group)->enqueue(request(CollectiveKind::AllReduce, ElementType::F32, 4), nullptr).ok());
    }
  });
  EXPECT_EQ(callsOf(0), "ncclCommInitRankConfig 2\nncclCommAbort\n");
}

// Rank 1 does what the others do before they join, and then something else: a rank that hangs, or was killed.
void onRankThatWaits(Group::Clock::duration limit, const std::function<void(Status)> &body,
                     const std::function<void(Group &)> &other) {
  auto world = std::move(*createLocalWorld(2));
  std::thread waits([&] {
    const Group::Clock::time_point deadline = Group::Clock::now() + limit;
    world[0]->setDeadline(deadline);
    body(createNcclGroup(*world[0], zeros, deadline).takeStatus());
  });
  std::thread differs([&] {
    const uint64_t ready[] = {1};
    EXPECT_TRUE(world[1]->agree(ready, [](const Mismatch &) { return std::string(); }).ok());
    NcclUniqueId id;
    Request identity = request(CollectiveKind::Broadcast, ElementType::U8, sizeof(id));
    identity.target = &id, identity.name = "identity of NCCL's group";
    EXPECT_TRUE(world[1]->run(identity).ok());
    other(*world[1]);
  });
  waits.join();
  differs.join();
}

TEST_F(Nccl, WhoNeverJoinsIsNamedAtTheDeadline) {
  const auto begin = Group::Clock::now();
  onRankThatWaits(
      std::chrono::seconds(1),
      [](const Status &status) {
        EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
        EXPECT_EQ(status.message(),
                  "rank 0: all_gather of who joins NCCL's group waited beyond its deadline for rank 1");
      },
      [](Group &) {});
  EXPECT_LT(Group::Clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(callsOf(0), "ncclCommInitRankConfig 2\nncclCommAbort\n");
}

TEST_F(Nccl, WhoFailsBeforeItJoinsEndsTheOthers) {
  onRankThatWaits(
      std::chrono::seconds(30),
      [](const Status &status) { EXPECT_EQ(status.message(), "rank 1: it has no memory left"); },
      [](Group &group) {
        while (callsOf(0).empty()) // until the other one joins
          std::this_thread::yield();
        group.abort(Status(StatusCode::OutOfMemory, "it has no memory left"));
      });
  EXPECT_EQ(callsOf(0), "ncclCommInitRankConfig 2\nncclCommAbort\n");
}

// All have come, and the library does not end.
TEST_F(Nccl, ALibraryThatNeverJoinsIsGivenUp) {
  fake<void(int)>("fakeNcclAsyncError")(kNcclInProgress);
  auto world = std::move(*createLocalWorld(2));
  const Group::Clock::time_point deadline = Group::Clock::now() + std::chrono::milliseconds(100);
  std::vector<std::thread> threads;
  for (std::unique_ptr<Group> &group : world)
    threads.emplace_back([&] {
      const Status status = createNcclGroup(*group, zeros, deadline).takeStatus();
      EXPECT_NE(status.message().find("NCCL does not join the devices before the deadline"), std::string::npos)
          << status.text();
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(Nccl, IsIssuedLater) {
  onTwoRanks([](Group &, StatusOr<std::unique_ptr<DeviceGroup>> group) {
    ASSERT_TRUE(group.ok());
    fake<void(int)>("fakeNcclSlow")(3);
    for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::Gather}) {
      const Status status = (*group)->enqueue(request(kind, ElementType::F32, 4), nullptr);
      ASSERT_TRUE(status.ok()) << status.text();
      int asked = 1;
      for (StatusOr<bool> issued = (*group)->isIssued(); issued.ok() && !*issued; issued = (*group)->isIssued())
        ++asked;
      EXPECT_GE(asked, 2);
    }
  });
}

TEST_F(Nccl, WhoCannotJoinFailsAll) {
  fake<void(const char *, int)>("fakeNcclFail")("ncclGetUniqueId", 3);
  onTwoRanks([](Group &, StatusOr<std::unique_ptr<DeviceGroup>> group) {
    ASSERT_FALSE(group.ok());
    EXPECT_NE(group.status().message().find("rank 0 has no NCCL"), std::string::npos) << group.status().text();
  });
  EXPECT_FALSE(NcclApi::load("/nowhere/libnccl.so.2").ok());
  EXPECT_NE(NcclApi::load("libm.so.6").status().message().find("libm.so.6 lacks nccl"), std::string::npos);
}

} // namespace
} // namespace heddle::collectives
