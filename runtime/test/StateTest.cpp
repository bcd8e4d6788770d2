// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program keeps between calls: turns, failures, growth. Runs under ThreadSanitizer.
#include "ResidentMemory.h"
#include "StateFixture.h"

#include <thread>

using namespace heddle;
using namespace heddle::test;
using contract::test::global;
using contract::test::state;

namespace {

// mark(): global 1, 4 x i64, += 1, 2, 3, 4 in place; gives it.   tear(): the same, then fails.
void addMarks(fb::ModuleT &module) {
  for (const char *name : {"mark", "tear"}) {
    std::string end = name == std::string("tear") ? "fail m0" : "set_result r0 b1 [s1]\nset_result r1 b0 [s1]\nreturn";
    auto mark = contract::test::function(name,
                                         "const s0 32\nconst s1 4\nconst s2 0\ndispatch t0 1.0 s1 s2 [b0] []\n"
                                         "result b1 r0 x0 s0\ncopy t0 b1 s2 b0 s2 s0\n" +
                                             end,
                                         3, 2);
    mark->arguments.push_back(state(1, ElementType::I64, {size(4)}, /*writable=*/true));
    mark->results.push_back(contract::test::value("y", ElementType::I64, {size(4)}));
    mark->results.push_back(state(1, ElementType::I64, {size(4)}));
    module.functions.push_back(std::move(mark));
  }
}

// grow() -> n: global 2 is one element longer each time; n tells how long it was.
void addGrowth(fb::ModuleT &module) {
  auto grow = contract::test::function("grow", R"(
      const s1 1
      const s2 8
      const s3 0
      result b1 r0 x0 s2
      fill t0 b1 s3 s2 s0 8
      set_result r0 b1 []
      add s0 s0 s1
      mul s2 s0 s2
      result b2 r1 x0 s2
      fill t0 b2 s3 s2 s0 8
      set_result r1 b2 [s0]
      return)",
                                       4, 3);
  addSymbol(*grow, "n", 0, INT64_MAX);
  grow->arguments.push_back(state(2, ElementType::I64, {symbol(0)}));
  grow->results.push_back(contract::test::value("n", ElementType::I64, {}));
  grow->results.push_back(state(2, ElementType::I64, {size(contract::kUnknownSize)}));
  module.functions.push_back(std::move(grow));
}

// wait(): holds global 1 until somebody stops it.
void addWait(fb::ModuleT &module) {
  auto wait = contract::test::function("wait", "@loop br @loop", 0, 1);
  wait->arguments.push_back(state(1, ElementType::I64, {size(4)}, /*writable=*/true));
  wait->results.push_back(state(1, ElementType::I64, {size(4)}));
  module.functions.push_back(std::move(wait));
}

// As mark(), and y has as many elements of 8 bytes as: wide(x): 4 for each of x; sift(x): the state's first one, which
// is read behind the write; turn(x): 4, said behind a loop.
void addSizes(fb::ModuleT &module) {
  const std::string mark = "const s1 4\nconst s2 0\nconst s3 8\ndispatch t0 1.0 s1 s2 [b1] []\n";
  for (const auto &[name, count] :
       {std::pair("wide", "mul s4 s0 s1\n"), std::pair("sift", "read s4 t0 b1 s2 5\n"),
        std::pair("turn", "const s5 2\nconst s6 1\n@again sub s5 s5 s6\nbr_if s5 @again @done\n@done move s4 s1\n")}) {
    auto function = contract::test::function(name,
                                             mark + count +
                                                 "mul s7 s4 s3\nresult b2 r0 x0 s7\nfill t0 b2 s2 s7 s1 8\n"
                                                 "set_result r0 b2 [s4]\nset_result r1 b1 [s1]\nreturn",
                                             8, 3);
    addSymbol(*function, "n", 0, 100);
    function->arguments.push_back(contract::test::value("x", ElementType::I64, {symbol(0)}));
    function->arguments.push_back(state(1, ElementType::I64, {size(4)}, /*writable=*/true));
    function->results.push_back(contract::test::value("y", ElementType::I64, {size(contract::kUnknownSize)}));
    function->results.push_back(state(1, ElementType::I64, {size(4)}));
    module.functions.push_back(std::move(function));
  }
}

// Globals "f" (first 2), "m" (4 x i64, first zeros), "g" (as long as it has grown) and the functions above.
fb::ModuleT stateModule(std::vector<const char *> drivers = {"local"}) {
  fb::ModuleT module = quadrupleModule();
  module.devices[0] = contract::test::device("device_0", std::move(drivers));
  module.functions.clear();
  module.messages = {"torn here"};
  addDoubledGlobal(module);
  module.globals.push_back(global("m", ElementType::I64, {4}));
  module.globals.push_back(global("g", ElementType::I64, {contract::kUnknownSize}));
  addMarks(module);
  addGrowth(module);
  addSizes(module);
  addWait(module);
  return module;
}

heddle_tensor storage(std::vector<int64_t> &values) {
  heddle_tensor out{};
  out.data = values.data();
  out.bytes = values.size() * 8;
  return out;
}

// The first element of the result, or -1 with the failure noted.
int64_t run(RecoveringInvocation &call) {
  std::vector<int64_t> values(4);
  heddle_tensor out = storage(values);
  Status status = call.call({}, {&out, 1});
  EXPECT_TRUE(status.ok()) << status.text();
  return status.ok() ? values[0] : -1;
}

TEST(State, BeginsKeepsAndStartsOver) {
  Program program(stateModule());
  auto twice = program.call("double");
  float y = 0;
  heddle_tensor out{};
  out.data = &y;
  out.bytes = 4;
  for (float expected : {4.f, 8.f, 16.f}) {
    ASSERT_TRUE(twice->call({}, {&out, 1}).ok());
    EXPECT_EQ(y, expected);
  }
  auto other = program.newState();
  ASSERT_TRUE(twice->setState(other).ok());
  ASSERT_TRUE(twice->call({}, {&out, 1}).ok());
  EXPECT_EQ(y, 4);
  ASSERT_TRUE(twice->setState(nullptr).ok());
  ASSERT_TRUE(twice->call({}, {&out, 1}).ok());
  EXPECT_EQ(y, 32);
  program.module->state()->reset();
  ASSERT_TRUE(twice->call({}, {&out, 1}).ok());
  EXPECT_EQ(y, 4);
}

// Neither the caller's arguments nor its results count state.
TEST(State, IsNotInTheSignature) {
  Program program(stateModule());
  const heddle_entry_point_info &info = program.module->first()->entryPoints()[0]->info;
  EXPECT_EQ(info.argument_count, 0u);
  EXPECT_EQ(info.result_count, 1u);
}

TEST(State, InPlaceNothingIsAllocatedOrCopied) {
  Program program(stateModule());
  auto mark = program.call("mark");
  EXPECT_EQ(run(*mark), 1);
  uint64_t bytes = program.module->state()->bytes();
  EXPECT_EQ(run(*mark), 2);
  EXPECT_EQ(mark->invocation().statistics().allocations, 0u);
  EXPECT_EQ(mark->invocation().statistics().copiedBytes, 32u); // for the caller
  EXPECT_EQ(program.module->state()->bytes(), bytes);
}

// Anew: as before the call. In place: no value until a reset.
TEST(State, AFailedCall) {
  Program program(stateModule());
  auto mark = program.call("mark"), tear = program.call("tear"), grow = program.call("grow");
  EXPECT_EQ(run(*grow), 0);
  EXPECT_EQ(run(*mark), 1);
  std::vector<int64_t> values(4);
  heddle_tensor out = storage(values);
  EXPECT_EQ(tear->call({}, {&out, 1}).message(), "torn here");
  Status status = mark->call({}, {&out, 1});
  EXPECT_EQ(status.code(), StatusCode::StateLost);
  EXPECT_EQ(status.message(),
            "state 'm' has no value, a call that updates it in place failed half way (torn here); reset the state");
  EXPECT_EQ(run(*grow), 1); // another global
  program.module->state()->reset();
  EXPECT_EQ(run(*mark), 1);
}

// Found before the call begins: nothing is torn.
TEST(State, ARefusedCallChangesNothing) {
  Program program(stateModule());
  auto mark = program.call("mark");
  EXPECT_EQ(run(*mark), 1);
  EXPECT_FALSE(mark->call({}, {}).ok());
  EXPECT_EQ(run(*mark), 2);
}

// Where the arguments tell a result's size, a call without room for it is refused before it writes.
TEST(State, TooLittleStorageForAResult) {
  Program program(stateModule());
  auto mark = program.call("mark"), twice = program.call("double");
  std::vector<int64_t> values(4);
  heddle_tensor out = storage(values), small = out;
  small.bytes = 1;
  ASSERT_TRUE(twice->call({}, {&out, 1}).ok());
  EXPECT_EQ(twice->call({}, {&small, 1}).code(), StatusCode::InvalidArgument);
  ASSERT_TRUE(twice->call({}, {&out, 1}).ok());
  EXPECT_EQ(*reinterpret_cast<float *>(values.data()), 8);
  EXPECT_EQ(run(*mark), 1);
  EXPECT_EQ(mark->call({}, {&small, 1}).message(),
            "result 0 'y' needs 32 bytes, got storage of 1; give a larger buffer or none");
  EXPECT_EQ(run(*mark), 2);
}

// Sizes that arguments tell are known ahead; those that data tell, or a loop, when the program says them.
TEST(State, TooLittleStorageBySizesOfArguments) {
  Program program(stateModule());
  auto mark = program.call("mark");
  std::vector<int64_t> x(2), values(8);
  heddle_tensor argument{x.data(), 16, HEDDLE_I64, 1, {2}, nullptr}, out = storage(values);
  for (const char *name : {"wide", "sift", "turn"}) {
    auto call = program.call(name);
    program.module->state()->reset();
    EXPECT_EQ(run(*mark), 1);
    out.bytes = std::string(name) == "wide" ? 63 : 8;
    EXPECT_EQ(call->call({&argument, 1}, {&out, 1}).code(), StatusCode::InvalidArgument) << name;
    out.bytes = 64;
    Status status = call->call({&argument, 1}, {&out, 1});
    EXPECT_EQ(status.code(), std::string(name) == "wide" ? StatusCode::Ok : StatusCode::StateLost) << status.text();
  }
}

// The state of a call that runs stays with it.
TEST(State, IsNotChangedUnderACall) {
  Program program(stateModule());
  auto mark = program.call("mark"), next = program.call("mark");
  auto gate = std::make_shared<hal::Semaphore>();
  std::vector<int64_t> values(4);
  heddle_tensor out = storage(values);
  auto started = mark->start({}, {&out, 1}, {{gate, 1}}, nullptr);
  auto other = program.newState();
  EXPECT_EQ(mark->setState(other).message(),
            "a call of the invocation runs and uses its state; set another one when it is done");
  gate->signal(1);
  EXPECT_TRUE((*started)->wait(1).ok());
  EXPECT_EQ(run(*next), 2);
  EXPECT_TRUE(mark->setState(other).ok());
  EXPECT_EQ(run(*mark), 1);
}

TEST(State, Grows) {
  Program program(stateModule());
  auto grow = program.call("grow");
  for (int64_t n = 0; n < 100; ++n)
    ASSERT_EQ(run(*grow), n);
  EXPECT_LT(program.module->state()->bytes(), 8u * 100 * 5);
}

// Eight threads, one state: calls come one after the other. A state for each thread: independent.
TEST(State, ThreadsTakeTurns) {
  Program program(stateModule());
  const int64_t calls = std::getenv("HEDDLE_STATE_CALLS") ? std::atoll(std::getenv("HEDDLE_STATE_CALLS")) : 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      auto shared = program.call("mark"), own = program.call("mark"), grow = program.call("grow");
      ASSERT_TRUE(own->setState(program.newState()).ok());
      int64_t last = 0, longest = -1;
      for (int64_t i = 0; i < calls; ++i) {
        int64_t now = run(*shared), length = run(*grow);
        EXPECT_GT(now, last);
        EXPECT_GT(length, longest);
        EXPECT_EQ(run(*own), i + 1);
        last = now;
        longest = length;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  auto mark = program.call("mark");
  EXPECT_EQ(run(*mark), 8 * calls + 1);
}

// Asynchronous calls keep the order in which they were started, on whatever stream.
TEST(State, AsynchronousCallsKeepTheirPlace) {
  Program program(stateModule());
  auto one = std::move(*program.module->current()->createQueue(0));
  auto two = std::move(*program.module->current()->createQueue(0));
  auto gate = std::make_shared<hal::Semaphore>();
  std::vector<std::unique_ptr<RecoveringInvocation>> calls;
  std::vector<std::vector<int64_t>> values(6, std::vector<int64_t>(4));
  std::vector<heddle_tensor> outs;
  std::vector<std::shared_ptr<hal::Semaphore>> done;
  for (auto &value : values)
    outs.push_back(storage(value));
  for (size_t i = 0; i < values.size(); ++i) {
    calls.push_back(program.call("mark"));
    std::vector<hal::Point> waits;
    if (i == 0)
      waits.push_back({gate, 1});
    auto started = calls.back()->start({}, {&outs[i], 1}, waits, i % 2 ? one.get() : two.get());
    ASSERT_TRUE(started.ok());
    done.push_back(*started);
  }
  EXPECT_EQ(done.back()->query(1), hal::SemaphoreState::Pending);
  gate->signal(1);
  for (size_t i = 0; i < done.size(); ++i) {
    EXPECT_TRUE(done[i]->wait(1).ok());
    EXPECT_EQ(values[i][0], static_cast<int64_t>(i) + 1);
  }
}

// Whoever waits for its turn can give up; the others go on.
TEST(State, DeadlineAndCancelEndTheWaitForATurn) {
  Program program(stateModule());
  auto gate = std::make_shared<hal::Semaphore>();
  auto first = program.call("mark"), second = program.call("mark"), third = program.call("mark");
  std::vector<int64_t> a(4), b(4), c(4);
  heddle_tensor x = storage(a), y = storage(b), z = storage(c);
  auto one = first->start({}, {&x, 1}, {{gate, 1}}, nullptr);
  auto stream = std::move(*program.module->current()->createQueue(0));
  auto three = third->start({}, {&z, 1}, {}, stream.get());
  second->setTimeout(5'000'000);
  EXPECT_EQ(second->call({}, {&y, 1}).code(), StatusCode::DeadlineExceeded);
  third->cancel();
  EXPECT_EQ((*three)->wait(1).code(), StatusCode::Cancelled);
  gate->signal(1);
  EXPECT_TRUE((*one)->wait(1).ok());
  second->setTimeout(0);
  EXPECT_EQ(run(*second), 2);
}

// In the middle of a loop, too; what it was about to update has no value then.
TEST(State, DeadlineInsideALoop) {
  Program program(stateModule());
  auto wait = program.call("wait"), mark = program.call("mark");
  wait->setTimeout(5'000'000);
  EXPECT_EQ(wait->call({}, {}).code(), StatusCode::DeadlineExceeded);
  std::vector<int64_t> values(4);
  heddle_tensor out = storage(values);
  EXPECT_EQ(mark->call({}, {&out, 1}).code(), StatusCode::StateLost);
}

// The values were on the device; they do not come back as the first ones.
TEST(State, ALostDeviceLosesIt) {
  Program program(stateModule({"cuda"}), {"null?lose=7"}); // an address that no other test uses: it is lost once
  auto mark = program.call("mark");
  std::vector<int64_t> values(4);
  heddle_tensor out = storage(values);
  for (int i = 0; i < 6; ++i)
    EXPECT_TRUE(mark->call({}, {&out, 1}).ok());
  EXPECT_EQ(mark->call({}, {&out, 1}).code(), StatusCode::DeviceLost);
  Status status = mark->call({}, {&out, 1});
  EXPECT_EQ(status.code(), StatusCode::StateLost) << status.text();
  program.module->state()->reset();
  EXPECT_TRUE(mark->call({}, {&out, 1}).ok());
}

// Calls mark() of `program` until its device is lost.
void lose(RecoveringInvocation &mark) {
  std::vector<int64_t> values(4);
  heddle_tensor out = storage(values);
  Status status;
  for (int i = 0; i < 20 && status.ok(); ++i)
    status = mark.call({}, {&out, 1});
  ASSERT_EQ(status.code(), StatusCode::DeviceLost) << status.text();
}

// Other states that were there before the loss follow when a call uses them; the program is loaded anew once.
TEST(State, OtherStatesFollowALoss) {
  Program program(stateModule({"cuda"}), {"null?lose=8"});
  auto mark = program.call("mark");
  std::vector<int64_t> values(4);
  heddle_tensor out = storage(values);
  auto used = program.newState(), unused = program.newState();
  ASSERT_TRUE(mark->setState(used).ok());
  ASSERT_TRUE(mark->call({}, {&out, 1}).ok());
  ASSERT_TRUE(mark->setState(nullptr).ok());
  lose(*mark);
  EXPECT_EQ(mark->call({}, {&out, 1}).code(), StatusCode::StateLost);
  ASSERT_TRUE(mark->setState(unused).ok());
  EXPECT_TRUE(mark->call({}, {&out, 1}).ok());
  ASSERT_TRUE(mark->setState(used).ok());
  Status status = mark->call({}, {&out, 1});
  EXPECT_EQ(status.message(), "state 'm' has no value, its device was lost; reset the state");
  used->reset();
  EXPECT_TRUE(mark->call({}, {&out, 1}).ok());
  EXPECT_EQ(program.module->current()->generation(), 1u);
}

// A value that a call tore before it was ever set is lost, not the initial one.
TEST(State, AFirstCallThatLosesTheDevice) {
  Program program(stateModule({"cuda"}), {"null?lose=1&memory=63m"});
  auto mark = program.call("mark");
  std::vector<int64_t> values(4);
  heddle_tensor out = storage(values);
  EXPECT_EQ(mark->call({}, {&out, 1}).code(), StatusCode::DeviceLost);
  EXPECT_EQ(mark->call({}, {&out, 1}).code(), StatusCode::StateLost);
}

// start() behind a call that waits for its caller comes back, though the state is still of the lost device.
TEST(State, StartAfterALossDoesNotWait) {
  Program program(stateModule({"cuda"}), {"null?lose=9"});
  auto first = program.call("mark"), second = program.call("mark");
  auto own = program.newState();
  ASSERT_TRUE(second->setState(own).ok());
  auto gate = std::make_shared<hal::Semaphore>();
  std::vector<int64_t> a(4), b(4);
  heddle_tensor x = storage(a), y = storage(b);
  auto one = first->start({}, {&x, 1}, {{gate, 1}}, nullptr);
  lose(*second);
  ASSERT_TRUE(second->setState(nullptr).ok());
  auto two = second->start({}, {&y, 1}, {}, nullptr);
  ASSERT_TRUE(two.ok());
  gate->signal(1);
  EXPECT_EQ((*one)->wait(1).code(), StatusCode::DeviceLost);
  EXPECT_EQ((*two)->wait(1).code(), StatusCode::StateLost);
}

// Neither the state nor what a call takes grows with the number of calls. Sanitizers keep freed memory for a while.
TEST(State, MemoryStaysFlat) {
  Program program(stateModule());
  auto mark = program.call("mark"), twice = program.call("double");
  auto calls = [&](int n) {
    for (int i = 0; i < n; ++i) {
      run(*mark);
      heddle_tensor out{};
      ASSERT_TRUE(twice->call({}, {&out, 1}).ok());
      reinterpret_cast<hal::Buffer *>(out.owner)->release();
    }
  };
  calls(1000);
  long before = residentBytes();
  uint64_t bytes = program.module->state()->bytes();
  calls(std::getenv("HEDDLE_STATE_CALLS") ? 100'000 : 5'000);
  EXPECT_EQ(program.module->state()->bytes(), bytes);
  EXPECT_EQ(mark->invocation().statistics().allocations, 0u);
  EXPECT_EQ(twice->invocation().statistics().allocations, 1u); // the caller's result
  if (!kSanitized)
    EXPECT_LT(residentBytes() - before, 1 << 20);
  RecordProperty("resident_bytes_more", std::to_string(residentBytes() - before));
}

// Nothing is issued on the state's device, so a call has no stream there.
TEST(State, OnADeviceThatTheEntryPointIssuesNothingOn) {
  for (const char *uri : {"local://0", "local://1", "null", "local://0?discrete=yes", "null?discrete=yes"}) {
    for (int32_t initial : {-1, 0}) {
      fb::ModuleT module = quadrupleModule();
      module.devices.push_back(contract::test::device("b", {"local", "null"}));
      module.globals.push_back(global("g", ElementType::F32, {1}, initial));
      module.globals[0]->device = 1;
      auto look = contract::test::function("look", "return", 0, 1);
      look->arguments.push_back(state(0, ElementType::F32, {size(1)}));
      look->arguments[0]->device = 1;
      module.functions.push_back(std::move(look));
      AlignedBytes bytes = build(module);
      auto loaded = LiveModule::load(*Artifact::openMemory(bytes), {"local://0", uri}, LiveModule::OnLoss::Reopen,
                                     runBindFunction);
      ASSERT_TRUE(loaded.ok()) << loaded.status().text();
      auto call = RecoveringInvocation::create(*loaded, *(*loaded)->first()->findEntryPoint("look"));
      ASSERT_TRUE(call.ok()) << call.status().text();
      for (int i = 0; i < 2; ++i) {
        Status status = (*call)->call({}, {});
        EXPECT_TRUE(status.ok()) << uri << ": " << status.text();
      }
    }
  }
}

} // namespace
