// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/StorageBytes.h"

#include <gtest/gtest.h>

using namespace heddle::contract;

TEST(StorageBytes, WholeBytes) {
  EXPECT_EQ(storageBytes(1), 1);
  EXPECT_EQ(storageBytes(4), 1);
  EXPECT_EQ(storageBytes(8), 1);
  EXPECT_EQ(storageBytes(9), 2);
  EXPECT_EQ(storageBytes(24), 3);
  EXPECT_EQ(storageBytes(64), 8);
}

TEST(StorageBytes, TypesOfTheArtifact) {
  EXPECT_EQ(storageBytes(ElementType::I1, 12), 12);
  EXPECT_EQ(storageBytes(ElementType::U2, 3), 3);
  EXPECT_EQ(storageBytes(ElementType::BF16, 5), 10);
  EXPECT_EQ(storageBytes(ElementType::None, 5), 0);
  for (uint8_t i = 1; i < kElementTypes; ++i)
    EXPECT_EQ(storageBytes(static_cast<ElementType>(i), 1), byteSize(static_cast<ElementType>(i))) << int(i);
}

TEST(StorageBytes, WhatIsNoSize) {
  EXPECT_EQ(storageBytes(ElementType::F32, -1), std::nullopt);
  EXPECT_EQ(storageBytes(ElementType::F32, INT64_MAX / 4 + 1), std::nullopt);
  EXPECT_EQ(storageBytes(ElementType::F32, INT64_MAX / 4), INT64_MAX / 4 * 4);
  EXPECT_EQ(packedBytes(4, -1), std::nullopt);
  EXPECT_EQ(packedBytes(64, INT64_MAX), std::nullopt);
}

TEST(StorageBytes, Packed) {
  EXPECT_EQ(packedBytes(4, 3), 2);
  EXPECT_EQ(packedBytes(2, 8), 2);
  EXPECT_EQ(packedBytes(6, 4), 3);
  EXPECT_EQ(packedBytes(4, 0), 0);
}
