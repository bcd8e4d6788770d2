// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random edits of an artifact's metadata with the hash made right again: whatever the verifier accepts can be described
// and summarised. Meant for the asan preset.
#include "contract/test/SampleArtifact.h"
#include "tools/inspect/Describe.h"
#include "tools/inspect/Summary.h"
#include "tools/lib/Error.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::tools {
namespace {

using contract::test::AlignedBytes;

TEST(Mutation, WhatTheVerifierAcceptsCanBeShown) {
  fb::ModuleT sample = contract::test::sampleModule();
  contract::test::addState(sample);
  const std::byte code[64] = {};
  const std::vector<std::byte> good = contract::test::build(sample, code);
  std::mt19937 random(3);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 10000; ++round) {
    AlignedBytes bytes(good);
    contract::Section metadata = bytes.header().metadata;
    for (size_t edits = 1 + random() % 3; edits > 0; --edits)
      bytes.data()[metadata.offset + random() % metadata.bytes] = static_cast<std::byte>(random());
    contract::test::repairHash(bytes);
    if (contract::verifyArtifact(bytes)) {
      ++refused;
      continue;
    }
    fb::ModuleT module;
    contract::viewArtifact(bytes).module->UnPackTo(&module);
    EXPECT_FALSE(summarizeArtifact(describe(module, bytes.header()), "m").empty());
    ++accepted;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace heddle::tools
