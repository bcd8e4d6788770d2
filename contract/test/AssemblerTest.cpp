// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Assembler.h"

#include <gtest/gtest.h>

using namespace heddle::contract;

namespace {

TEST(Assembler, RoundTrip) {
  const char *text = "@0 const s0 -7\n"
                     "@4 dispatch t0 1.2 s1 s2 [b0 b1] []\n"
                     "@14 fill t0 b1 s0 s1 s2 4\n"
                     "@21 br_if s0 @0 @25\n"
                     "@25 move_stream t1 t0\n"
                     "@28 move_event e1 e0\n"
                     "@31 follow t0 t1\n"
                     "@34 stream_at t1 x0 s0\n"
                     "@38 coordinate s0 g1 2\n"
                     "@42 member s0 g1\n"
                     "@45 comm_stream t1\n"
                     "@47 collective t1 j3 b0 b1 s0\n"
                     "@53 parameter_slice b1 p0 x0 s1 s0\n"
                     "@59 collective_cut t1 j3 b0 b1 s0 [s1 s2 s3 s4]\n"
                     "@70 return \n";
  std::vector<uint32_t> code;
  ASSERT_EQ(assemble(text, code), "");
  EXPECT_EQ(disassemble(code), text);
}

TEST(Assembler, Errors) {
  std::vector<uint32_t> code;
  EXPECT_EQ(assemble("const s0 1\nbogus s0", code), "line 2: unknown instruction bogus");
  EXPECT_EQ(assemble("move s0 b1", code), "line 1: expected operand 's'");
  EXPECT_EQ(assemble("return s0", code), "line 1: unexpected s0");
  EXPECT_EQ(assemble("br @nowhere", code), "no label @nowhere");
}

TEST(InstructionReader, RefusesBadLengths) {
  std::vector<uint32_t> code;
  ASSERT_EQ(assemble("dispatch t0 1.2 s1 s2 [b0 b1] []", code), "");
  auto read = [](std::span<const uint32_t> words) { return readOperands(words, [](const Operand &) { return true; }); };
  EXPECT_EQ(read(code), ReadResult::Ok);
  EXPECT_EQ(read(std::span(code).first(5)), ReadResult::TooShort);
  code[6] = 0xffffffff;
  EXPECT_EQ(read(code), ReadResult::TooShort);
  code[6] = 0;
  EXPECT_EQ(read(code), ReadResult::TooLong);
}

} // namespace
