// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations take turns on streams of a second device: streams that the loop carries, and streams that it
// names by number.
#include "DevicePairs.h"
#include "ExecutorFixture.h"

using namespace heddle;
using namespace heddle::test;
using contract::test::device;
using contract::test::function;
using contract::test::value;

namespace {

// y = x * 2 on device 1, by `code`, which has as many registers of scalars, buffers, streams and events.
fb::ModuleT doubling(std::string_view code, uint32_t scalars, uint32_t buffers, uint32_t streams, uint32_t events) {
  fb::ModuleT module = quadrupleModule();
  module.functions.clear();
  module.devices.push_back(device("device_1", {"local"}));
  auto main = function("main", code, scalars, buffers, streams, events);
  addSymbol(*main, "n", 0, 100000);
  main->arguments.push_back(value("x", ElementType::F32, {symbol(0)}));
  main->results.push_back(value("y", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(main));
  return module;
}

// The loop carries both streams and swaps them. A first event stays what it was after its register is recorded anew.
fb::ModuleT twoStreamsInTurn() {
  return doubling(R"(
      const s1 4
      mul s2 s0 s1
      const s3 16
      const s4 0
      const s5 1000
      slab b1 x1 s2
      alloc b2 x1 s2
      result b3 r0 x0 s2
      parameter_on b4 p0 x1
      stream t1 x1 0
      stream t2 x1 1
      follow t1 t0
      copy t1 b1 s4 b0 s4 s2
      record e0 t1
      move_event e1 e0
      record e0 t0
      wait t2 e1
      move_stream t3 t1
      move_stream t4 t2
      move s7 s4
    @head cmp_lt s8 s7 s0
      br_if s8 @body @done
    @body sub s9 s0 s7
      min_s s9 s9 s5
      mul s10 s7 s1
      mul s11 s9 s1
      ceildiv_s s12 s9 s3
      view b5 b1 s10 s11
      view b6 b2 s10 s11
      dispatch t3 0.0 s12 s4 [b5 b4 b6] [s9]
      move_stream t5 t3
      move_stream t3 t4
      move_stream t4 t5
      add s7 s7 s5
      br @head
    @done follow t0 t1
      follow t0 t2
      copy t0 b3 s4 b2 s4 s2
      follow t1 t0
      free t1 b2
      set_result r0 b3 [s0]
      return)",
                  13, 7, 6, 2);
}

// As many streams as are asked for, each named by its number: as `package` writes a loop over streams.
fb::ModuleT manyStreamsInTurn(int streams) {
  return doubling("const s13 " + std::to_string(streams) + R"(
      const s1 4
      mul s2 s0 s1
      const s3 16
      const s4 0
      const s5 100
      const s14 1
      alloc b2 x1 s2
      result b3 r0 x0 s2
      parameter_on b4 p0 x1
      stream t1 x1 0
      follow t1 t0
      slab b1 x1 s2
      copy t1 b1 s4 b0 s4 s2
      record e0 t1
    @fork cmp_lt s8 s7 s13
      br_if s8 @wait @begin
    @wait stream_at t2 x1 s7
      wait t2 e0
      add s7 s7 s14
      br @fork
    @begin move s7 s4
    @head cmp_lt s8 s7 s0
      br_if s8 @body @join
    @body sub s9 s0 s7
      min_s s9 s9 s5
      mul s10 s7 s1
      mul s11 s9 s1
      ceildiv_s s12 s9 s3
      view b5 b1 s10 s11
      view b6 b2 s10 s11
      rem_s s16 s15 s13
      stream_at t2 x1 s16
      dispatch t2 0.0 s12 s4 [b5 b4 b6] [s9]
      add s7 s7 s5
      add s15 s15 s14
      br @head
    @join move s7 s4
    @next cmp_lt s8 s7 s13
      br_if s8 @each @done
    @each stream_at t2 x1 s7
      follow t0 t2
      add s7 s7 s14
      br @next
    @done copy t0 b3 s4 b2 s4 s2
      follow t1 t0
      free t1 b2
      set_result r0 b3 [s0]
      return)",
                  17, 7, 3, 1);
}

void expectDoubled(Loaded &loaded, const std::vector<size_t> &sizes, const std::string &name) {
  ASSERT_TRUE(loaded.status.ok()) << name << loaded.status.text();
  for (size_t n : sizes) {
    std::vector<float> x(n, 3), y(n);
    heddle_tensor in = tensorOf(x), out = tensorOf(y);
    Status status = loaded.calls[0]->call({&in, 1}, {&out, 1});
    ASSERT_TRUE(status.ok()) << name << n << " " << status.text();
    EXPECT_EQ(y, std::vector<float>(n, 6)) << name << n;
    if (out.owner) // without elements the storage is none, and the result is new
      reinterpret_cast<hal::Buffer *>(out.owner)->release();
  }
}

} // namespace

TEST(StreamLoop, StreamsThatItCarries) {
  for (const auto &uris : kPairs) {
    Loaded loaded(twoStreamsInTurn(), uris);
    expectDoubled(loaded, {0, 1, 1000, 1001, 7777}, nameOf(uris));
  }
}

// Numbers above 63 share the streams below.
TEST(StreamLoop, StreamsByNumber) {
  for (const auto &uris : kPairs)
    for (int streams : {1, 3, 70}) {
      Loaded loaded(manyStreamsInTurn(streams), uris);
      expectDoubled(loaded, {1, 250, 7777, 250}, nameOf(uris) + std::to_string(streams) + " streams, ");
    }
}

// Work goes to one device: a register that may hold streams of two is refused when the artifact is loaded.
TEST(StreamLoop, AMovedStreamBelongsToOneDevice) {
  fb::ModuleT module = quadrupleModule();
  module.functions.clear();
  module.devices.push_back(device("device_1", {"local"}));
  auto main = function("main", R"(
      const s1 64
      slab b1 x0 s1
      parameter b2 p0
      stream t1 x1 0
      br_if s0 @own @other
    @own move_stream t2 t0
      br @work
    @other move_stream t2 t1
    @work dispatch t2 0.0 s1 s1 [b1 b2 b1] [s0]
      return)",
                       2, 3, 3);
  addSymbol(*main, "n", 1, 10);
  main->arguments.push_back(value("x", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(main));
  Loaded loaded(std::move(module), {"local://0", "local"});
  EXPECT_EQ(loaded.status.code(), StatusCode::Unsupported);
  EXPECT_NE(loaded.status.message().find("a stream must belong to one device"), std::string::npos)
      << loaded.status.text();
}
