// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Annotations/KeptMemory.h"

#include <gtest/gtest.h>

using namespace mlir::heddle;

TEST(KeptMemory, StarsStandForOneTextOnBothSides) {
  KeptMemory kept{{"past.*.*=present.*.*", "length=new_length"}, {}};
  EXPECT_EQ(KeptMemory::Kind::State, kept.find("past.0.key", "present.0.key"));
  EXPECT_EQ(KeptMemory::Kind::State, kept.find("length", "new_length"));
  EXPECT_EQ(KeptMemory::Kind::None, kept.find("past.0.key", "present.1.key"));
  EXPECT_EQ(KeptMemory::Kind::None, kept.find("past", "present"));
}

TEST(KeptMemory, ADonationWithoutAnOutputCountsForAny) {
  KeptMemory kept{{}, {"a", "b=y"}};
  EXPECT_EQ(KeptMemory::Kind::Donated, kept.find("a", "x"));
  EXPECT_EQ(KeptMemory::Kind::Donated, kept.find("b", "y"));
  EXPECT_EQ(KeptMemory::Kind::None, kept.find("b", "x"));
  EXPECT_EQ(KeptMemory::Kind::None, kept.find("c", "x"));
}
