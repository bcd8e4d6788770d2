// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of the other ranks when one fails, is cancelled, late or never comes, or has another artifact, mesh,
// size or call: all end within seconds and say whose fault it was and why; the next world works.
#include "RanksFixture.h"

#include <bit>

#include <sys/wait.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::test;
using contract::test::function;
using contract::test::value;

namespace {

using SteadyClock = std::chrono::steady_clock;

Status callFailing(Invocation &call, size_t n, size_t k, size_t r) {
  std::vector<float> x(n, 1), second(k), third(r), y(n);
  heddle_tensor in[] = {tensorOf(x), tensorOf(second), tensorOf(third)}, out = tensorOf(y);
  Status status = call.call(in, {&out, 1});
  if (status.ok())
    EXPECT_GE(y[0], 1.0f);
  return status;
}

constexpr size_t kNever = 900; // a round, or a rank, that there is not

// What the threads of a failure test share.
struct Outcome {
  explicit Outcome(const RankModules &loaded) : loaded(loaded), statuses(loaded.threads.size()) {}
  template <typename Body> void run(Body &&body) {
    SteadyClock::time_point start = SteadyClock::now();
    loaded.threads.forEach([&](uint32_t r) { statuses[r] = body(r); });
    EXPECT_LT(SteadyClock::now() - start, std::chrono::seconds(5));
  }
  const RankModules &loaded;
  std::vector<Status> statuses;
};

bool has(const Status &status, std::string_view text) {
  if (status.text().find(text) != std::string::npos)
    return true;
  ADD_FAILURE() << "'" << text << "' is not in: " << status.text();
  return false;
}

class RankFailure : public testing::TestWithParam<const char *> {};

// At every collective, on every rank.
TEST_P(RankFailure, AKernelFails) {
  for (uint32_t failing = 0; failing < 3; ++failing)
    for (size_t k = 1; k <= 5; ++k) {
      RankModules loaded(failingModule(), 3, {GetParam()});
      ASSERT_TRUE(loaded.ok());
      Outcome outcome(loaded);
      outcome.run([&](uint32_t r) { return callFailing(*loaded.invocation(r), 8, k, failing); });
      for (uint32_t r = 0; r < 3; ++r) {
        EXPECT_EQ(outcome.statuses[r].code(), r == failing ? StatusCode::KernelFailed : StatusCode::RankFailed)
            << outcome.statuses[r].text();
        has(outcome.statuses[r], "dispatch 'out_of_range': an index is out of range");
        has(outcome.statuses[r], "/encoder/Gather_7");
        EXPECT_EQ(outcome.statuses[r].text().find("also on"), std::string::npos) << outcome.statuses[r].text();
        if (r != failing)
          has(outcome.statuses[r], "rank " + std::to_string(failing) + ": ");
      }
      // The world has ended, and says so.
      outcome.run([&](uint32_t r) { return callFailing(*loaded.invocation(r), 8, kNever, kNever); });
      for (const Status &status : outcome.statuses)
        has(status, "the world is of no use since a rank failed");
    }
  RankModules next(failingModule(), 3, {GetParam()});
  ASSERT_TRUE(next.ok());
  next.threads.forEach(
      [&](uint32_t r) { EXPECT_EQ(callFailing(*next.invocation(r), 8, kNever, kNever).text(), "ok"); });
}

INSTANTIATE_TEST_SUITE_P(Devices, RankFailure, testing::Values("local://0", "local?discrete=yes", "4*local://0"),
                         [](const auto &info) {
                           std::string_view uri = info.param;
                           return std::string(uri[1] == '*' ? "several" : uri == "local://0" ? "local" : "discrete");
                         });

// A rank that waits is cancelled: the one that comes later does not wait.
TEST(RankFailures, ACallIsCancelled) {
  RankModules loaded(failingModule(), 2);
  ASSERT_TRUE(loaded.ok());
  Outcome outcome(loaded);
  outcome.run([&](uint32_t r) {
    std::unique_ptr<Invocation> call = loaded.invocation(r);
    if (r == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return callFailing(*call, 8, kNever, kNever);
    }
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      call->cancel();
    });
    Status status = callFailing(*call, 8, kNever, kNever);
    canceller.join();
    return status;
  });
  EXPECT_EQ(outcome.statuses[0].code(), StatusCode::Cancelled);
  EXPECT_EQ(outcome.statuses[1].code(), StatusCode::RankFailed);
  has(outcome.statuses[1], "rank 0: the call was cancelled");
}

// The call's own limit, and the world's: both say who has not come, and to what.
TEST(RankFailures, ARankNeverCalls) {
  for (bool ofWorld : {false, true}) {
    RankModules loaded(failingModule(), 3, {"local://0"}, "", ofWorld ? kSecond : 60 * kSecond);
    ASSERT_TRUE(loaded.ok());
    Outcome outcome(loaded);
    outcome.run([&](uint32_t r) {
      std::unique_ptr<Invocation> call = loaded.invocation(r);
      if (!ofWorld)
        call->setTimeout(kSecond / 5);
      return r == 1 ? Status() : callFailing(*call, 8, kNever, kNever);
    });
    EXPECT_EQ(outcome.statuses[0].text().find("all_reduce all_reduce"), std::string::npos)
        << outcome.statuses[0].text();
    for (uint32_t r : {0u, 2u}) {
      EXPECT_EQ(outcome.statuses[r].code(), StatusCode::DeadlineExceeded) << outcome.statuses[r].text();
      has(outcome.statuses[r], "rank 1");
    }
  }
}

TEST(RankFailures, ARankNeverLoads) {
  AlignedBytes bytes = build(*std::make_unique<fb::ModuleT>(failingModule()));
  RankThreads threads(2, kSecond / 5);
  auto loaded = Module::load(*Artifact::openMemory(bytes), std::vector<std::string>{"local://0"}, runBindFunction, {},
                             0, true, {threads.world, 1, ""});
  EXPECT_EQ(loaded.status().code(), StatusCode::DeadlineExceeded) << loaded.status().text();
  has(loaded.status(), "rank 0");
}

// Loads rank 0 with one thing and rank 1 with another.
std::vector<Status> loadTwo(RankThreads &threads, const AlignedBytes &one, const AlignedBytes &two,
                            std::vector<std::string> meshes = {"", ""},
                            std::vector<std::string> uris = {"local://0", "local://0"}) {
  std::vector<Status> statuses(2);
  threads.forEach([&](uint32_t r) {
    auto loaded = Module::load(*Artifact::openMemory(r ? two : one), std::vector<std::string>{uris[r]}, runBindFunction,
                               {}, 0, true, {threads.world, r, meshes[r]});
    if (!loaded.ok())
      statuses[r] = loaded.takeStatus();
  });
  return statuses;
}

TEST(RankFailures, AnotherArtifactOrMesh) {
  fb::ModuleT source = failingModule(), changed = failingModule();
  changed.producer = "somebody else";
  AlignedBytes bytes = build(source), other = build(changed);
  source.meshes.clear();
  addMesh(source, "m", {{"x"}, {"y"}});
  AlignedBytes two = build(source);
  RankThreads threads(2);
  for (const Status &status : loadTwo(threads, bytes, other)) {
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(status.message(), "rank 1 loads another artifact than rank 0; give all ranks the same file");
  }
  for (const Status &status : loadTwo(threads, two, two, {"x=2", "x=1"}))
    has(status, "rank 1 has the size 1 for axis 'x' of mesh @m, rank 0 has 2; tell all ranks the same (--mesh)");
  for (const Status &status : loadTwo(threads, two, two))
    has(status, "the axis 'x' of mesh @m is free; tell its size (--mesh=x=RANKS)");
}

// What all ranks know alike leaves the world as it is; what one alone knows ends it.
TEST(RankFailures, TheNextLoadWorksWhereAllRanksRefused) {
  fb::ModuleT source = failingModule(), changed = failingModule();
  changed.producer = "somebody else";
  AlignedBytes bytes = build(source), other = build(changed);
  RankThreads threads(2);
  has(loadTwo(threads, bytes, other)[0], "another artifact");
  has(loadTwo(threads, bytes, bytes)[0], "ok");
  std::vector<Status> statuses = loadTwo(threads, bytes, bytes, {"", ""}, {"local://0", "nowhere://0"});
  EXPECT_EQ(statuses[0].code(), StatusCode::RankFailed);
  has(statuses[0], "rank 1: ");
  has(statuses[0], "nowhere");
  EXPECT_NE(statuses[1].code(), StatusCode::RankFailed);
}

TEST(RankFailures, TheWorldHasAnotherSize) {
  fb::ModuleT source = failingModule();
  source.meshes[0]->axes[0]->size = 4;
  AlignedBytes bytes = build(source);
  RankThreads threads(2);
  for (const Status &status : loadTwo(threads, bytes, bytes))
    has(status, "the program runs on 4 ranks, the world has 2; start 4 (heddle launch -n 4, mpirun -n 4)");
  RankThreads again(2);
  for (const Status &status : loadTwo(again, bytes, bytes, {"x=2", "x=2"}))
    has(status, "the axis 'x' of mesh @m has the size 4 in the program, got x=2");
  auto alone = Module::load(*Artifact::openMemory(bytes), std::vector<std::string>{"local://0"}, runBindFunction);
  has(alone.status(), "the program runs on ranks, and was loaded without a world of them");
}

// The load-time part of the proof.
TEST(RankFailures, AMeshForWhichACollectiveIsWrong) {
  fb::ModuleT source = exchangeModule(CollectiveKind::Broadcast);
  source.collectives[0]->root = 2;
  source.collectives[0]->location = 0;
  AlignedBytes bytes = build(source);
  RankThreads threads(2);
  for (const Status &status : loadTwo(threads, bytes, bytes)) {
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    has(status, "collective 'meet': ");
    has(status, "/encoder/Gather_7");
  }
}

// Sizes and calls that differ fail alike everywhere, before a byte is moved, and the next call works.
TEST(RankFailures, RanksCallWithOtherSizes) {
  RankModules loaded(failingModule(), 2);
  ASSERT_TRUE(loaded.ok());
  Outcome outcome(loaded);
  for (int again = 0; again < 3; ++again) {
    outcome.run([&](uint32_t r) { return callFailing(*loaded.invocation(r), 8 + r, kNever, kNever); });
    for (const Status &status : outcome.statuses) {
      EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.text();
      has(status, "dimension 'n': rank 1 has the size 9, rank 0 has 8; sizes of named dimensions are equal on all");
    }
    outcome.run([&](uint32_t r) { return callFailing(*loaded.invocation(r), 8, kNever, kNever); });
    for (const Status &status : outcome.statuses)
      has(status, "ok");
  }
}

TEST(RankFailures, RanksCallOtherEntryPoints) {
  fb::ModuleT source = failingModule();
  source.functions.push_back(std::move(failingModule().functions[0]));
  source.functions[1]->name = "second";
  RankModules loaded(std::move(source), 2);
  ASSERT_TRUE(loaded.ok());
  Outcome outcome(loaded);
  outcome.run([&](uint32_t r) { return callFailing(*loaded.invocation(r, r), 8, kNever, kNever); });
  for (const Status &status : outcome.statuses)
    has(status, "rank 1 calls another entry point than rank 0");
}

// How a rank makes a call that is refused: at once, on a stream, or without arguments to give.
enum class Refusing { Call, Start, Refuse, StartRefusal };

Status callRefused(Invocation &call, Refusing how) {
  if (how == Refusing::Refuse)
    return call.refuseCall(Status(StatusCode::InvalidArgument, "argument 0 'n': is no tensor"));
  if (how == Refusing::StartRefusal) {
    StatusOr<std::shared_ptr<StartedCall>> started =
        call.startRefusal(Status(StatusCode::InvalidArgument, "argument 0 'n': is no tensor"));
    return started.ok() ? (*started)->done.wait(1) : started.takeStatus();
  }
  if (how == Refusing::Call)
    return callFailing(call, 2000, kNever, kNever);
  std::vector<float> x(2000), second(kNever), third(kNever), y(2000);
  heddle_tensor in[] = {tensorOf(x), tensorOf(second), tensorOf(third)}, out = tensorOf(y);
  auto done = call.start(in, {&out, 1}, {}, nullptr);
  return done.ok() ? (*done)->wait(1) : done.takeStatus();
}

// Arguments that only some ranks find wrong: all fail alike, in their turn, and the next calls work.
TEST(RankFailures, ARankRefusesItsArguments) {
  for (Refusing how : {Refusing::Call, Refusing::Start, Refusing::Refuse, Refusing::StartRefusal})
    for (uint32_t refusing : {0b001u, 0b010u, 0b110u, 0b111u}) {
      RankModules loaded(failingModule(), 3);
      ASSERT_TRUE(loaded.ok());
      Outcome outcome(loaded);
      auto refuses = [&](uint32_t r) { return (refusing >> r & 1) != 0; };
      const std::string first = std::to_string(std::countr_zero(refusing)); // in the order of ranks
      for (int again = 0; again < 3; ++again) {
        outcome.run([&](uint32_t r) {
          std::unique_ptr<Invocation> call = loaded.invocation(r);
          return refuses(r) ? callRefused(*call, how) : callFailing(*call, 8, kNever, kNever);
        });
        for (uint32_t r = 0; r < 3; ++r) {
          EXPECT_EQ(outcome.statuses[r].code(), StatusCode::InvalidArgument) << outcome.statuses[r].text();
          has(outcome.statuses[r], "argument 0 'n': ");
          if (!refuses(r))
            has(outcome.statuses[r], "rank " + first + " refuses the call: argument 0 'n': ");
        }
        outcome.run([&](uint32_t r) { return callFailing(*loaded.invocation(r), 8, kNever, kNever); });
        for (const Status &status : outcome.statuses)
          has(status, "ok");
      }
    }
}

// A rank that computes without an end, and waits for nobody, ends too.
TEST(RankFailures, ARankThatComputesIsInterrupted) {
  fb::ModuleT source = emptyModule();
  addMesh(source, "m", {{"x"}});
  addCollective(source, CollectiveKind::AllReduce);
  auto main = function("main", R"(
      coordinate s0 g0 0
      const s1 1
      const s2 0
      const s3 4
      result b0 r0 x0 s3
      comm_stream t1
      br_if s0 @meet @loop
@loop dispatch t0 6.0 s1 s2 [b0] []
      br @loop
@meet fill t0 b0 s2 s3 s2 4
      collective t1 j0 b0 b0 s1
      set_result r0 b0 [s1]
      return)",
                       4, 1, 2);
  source.executables[kNothing]->exports[0]->writes = {true};
  main->results.push_back(value("y", ElementType::F32, {size(1)}));
  source.functions.push_back(std::move(main));
  RankModules loaded(std::move(source), 2);
  ASSERT_TRUE(loaded.ok());
  Outcome outcome(loaded);
  outcome.run([&](uint32_t r) {
    std::vector<float> y(1);
    heddle_tensor out = tensorOf(y);
    std::unique_ptr<Invocation> call = loaded.invocation(r);
    if (r == 1)
      call->setTimeout(kSecond / 5);
    return call->call({}, {&out, 1});
  });
  for (const Status &status : outcome.statuses)
    EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded) << status.text();
}

// Threads of the parent are not in the child; the parent goes on.
TEST(RankFailures, AChildOfAForkHasNoRanks) {
  RankModules loaded(failingModule(), 2);
  ASSERT_TRUE(loaded.ok());
  std::unique_ptr<Invocation> calls[] = {loaded.invocation(0), loaded.invocation(1)};
  auto callAll = [&] {
    loaded.threads.forEach([&](uint32_t r) { has(callFailing(*calls[r], 8, kNever, kNever), "ok"); });
  };
  callAll();
  pid_t child = fork();
  if (!child) {
    alarm(20);
    Status status = callFailing(*calls[0], 8, kNever, kNever);
    _exit(status.code() == StatusCode::RankFailed && has(status, "the process was forked") ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  callAll();
}

// Programs that no compiler makes.
TEST(RankFailures, StreamsOfCollectivesTakeNothingElse) {
  auto loads = [](const char *line) {
    fb::ModuleT source = exchangeModule(CollectiveKind::AllReduce);
    source.functions.clear();
    auto main = function("main",
                         std::string("const s0 4\nconst s1 0\nresult b0 r0 x0 s0\ncomm_stream t1\n") + line +
                             "\nset_result r0 b0 [s0]\nreturn",
                         2, 1, 2);
    main->results.push_back(value("y", ElementType::F32, {size(1)}));
    source.functions.push_back(std::move(main));
    RankModules loaded(std::move(source), 1);
    if (!loaded.modules[0])
      return std::move(loaded.statuses[0]);
    std::vector<float> y(1);
    heddle_tensor out = tensorOf(y);
    return loaded.invocation(0)->call({}, {&out, 1});
  };
  EXPECT_EQ(loads("fill t1 b0 s1 s0 s1 4").code(), StatusCode::Malformed);
  EXPECT_EQ(loads("dispatch t1 6.0 s0 s1 [b0] []").code(), StatusCode::Malformed);
  has(loads("collective t0 j0 b0 b0 s1"), "a collective runs on the stream of collectives, and got another one");
  has(loads("collective t1 j0 b0 b0 s0"), "all_reduce 'meet': the source has 4 bytes, 16 are needed among 1 ranks");
}

} // namespace
