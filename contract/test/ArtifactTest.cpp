// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SampleArtifact.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>

using namespace heddle;
using namespace heddle::contract;
using namespace heddle::contract::test;

namespace {

const std::vector<std::byte> kCode(100, std::byte{0x90});

std::vector<std::byte> sample() {
  fb::ModuleT module = sampleModule();
  return build(module, kCode);
}

TEST(Artifact, SampleIsAccepted) {
  AlignedBytes bytes(sample());
  auto error = verifyArtifact(bytes);
  EXPECT_FALSE(error) << error->message;
  ArtifactView view = viewArtifact(bytes);
  EXPECT_EQ(view.code.size(), 100u);
  EXPECT_EQ(view.data.size(), 4u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(view.data.data()) % 64, 0u);
  EXPECT_EQ(view.module->functions()->Get(0)->name()->str(), "main");
  EXPECT_FALSE(verifyParameters(view));
}

TEST(Artifact, BytesAreDeterministic) { EXPECT_EQ(sample(), sample()); }

TEST(Artifact, EqualCodeIsStoredOnce) {
  fb::ModuleT module = sampleModule();
  module.executables.push_back(executable("again", {"scale"}, 3, 1));
  ArtifactBuilder builder;
  builder.addCode(*module.executables[0]->variants[0], kCode);
  builder.addCode(*module.executables[1]->variants[0], kCode);
  EXPECT_EQ(module.executables[0]->variants[0]->code_offset, module.executables[1]->variants[0]->code_offset);
}

TEST(Artifact, ParameterHashIsChecked) {
  AlignedBytes bytes(sample());
  bytes.data()[bytes.size() - 1] ^= std::byte{1};
  EXPECT_FALSE(verifyArtifact(bytes)); // parameters are outside of the file's hash: they are not read at load
  auto error = verifyParameters(viewArtifact(bytes));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "parameter 'factor' does not match its hash; the file is damaged, copy or compile it again");
}

// Whatever byte of the file changes: it is refused, or found when hashes are compared.
TEST(Artifact, NoChangedByteGoesUnseen) {
  const std::vector<std::byte> good = sample();
  EXPECT_FALSE(verifyHashes(AlignedBytes(good)));
  for (size_t at = 0; at < good.size(); ++at) {
    AlignedBytes bytes(good);
    bytes.data()[at] ^= std::byte{0x10};
    EXPECT_TRUE(verifyArtifact(bytes) || verifyHashes(bytes)) << at;
  }
}

TEST(Artifact, DamageIsNamed) {
  auto errorOf = [](const std::function<void(AlignedBytes &)> &damage) {
    AlignedBytes bytes(sample());
    damage(bytes);
    auto error = verifyHashes(bytes);
    return error ? error->message : "";
  };
  const std::string remedy = "; the file is damaged, copy or compile it again";
  EXPECT_EQ(errorOf([](AlignedBytes &b) { b.header().featureBits ^= 1; }),
            "the header does not match its hash" + remedy);
  EXPECT_EQ(errorOf([](AlignedBytes &b) { b.data()[b.header().code.offset] ^= std::byte{1}; }),
            "the code section does not match its hash" + remedy);
  EXPECT_EQ(errorOf([](AlignedBytes &b) { b.data()[b.header().code.offset - 1] = std::byte{7}; }),
            "bytes between the sections must be zero, got 7 at 4095" + remedy);
}

TEST(Artifact, DataHashCoversTheGapsBetweenParameters) {
  fb::ModuleT module = sampleModule();
  ArtifactBuilder builder;
  builder.addCode(*module.executables[0]->variants[0], kCode);
  float factor = 2;
  module.parameters.push_back(std::make_unique<fb::ParameterT>(*module.parameters[0]));
  for (auto &parameter : module.parameters)
    builder.addParameter(*parameter, std::as_bytes(std::span(&factor, 1)));
  AlignedBytes bytes(builder.assemble(module));
  EXPECT_FALSE(verifyHashes(bytes));
  bytes.data()[bytes.header().data.offset + 10] = std::byte{1};
  EXPECT_EQ(verifyHashes(bytes)->message,
            "the data section does not match its hash; the file is damaged, copy or compile it again");
}

TEST(Artifact, EveryPrefixIsRefused) {
  AlignedBytes bytes(sample());
  for (size_t n = 0; n < bytes.size(); n += n < 256 ? 1 : 97)
    EXPECT_TRUE(verifyArtifact(bytes.span(n))) << n;
}

// The verifier's own mutation test; runtime/test/MutationTest.cpp also runs what is accepted.
TEST(Artifact, MutationsNeverCrash) {
  unsigned seed = std::random_device{}();
  RecordProperty("seed", static_cast<int>(seed));
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  std::vector<std::byte> good = sample();
  int accepted = 0;
  for (int i = 0; i < 2000; ++i) {
    AlignedBytes bytes(good);
    size_t meta = sizeof(Header) + bytes.header().metadata.bytes;
    for (unsigned n = 1 + random() % 4; n; --n)
      bytes.data()[random() % (i % 2 ? meta : bytes.size())] = static_cast<std::byte>(random());
    if (i % 4 < 3)
      repairHash(bytes);
    accepted += !verifyArtifact(bytes);
  }
  EXPECT_LT(accepted, 2000);
}

// One code vector shared by many functions would make the walk quadratic: it must be refused.
TEST(Artifact, SharedVectorsAreRefused) {
  flatbuffers::FlatBufferBuilder flat;
  std::vector<uint32_t> code;
  ASSERT_EQ(assemble("return", code), "");
  std::vector<uint32_t> many;
  for (int i = 0; i < 20000; ++i)
    many.push_back(code[0]);
  auto shared = flat.CreateVector(many);
  std::vector<flatbuffers::Offset<fb::Function>> functions;
  for (int i = 0; i < 2000; ++i) {
    auto name = flat.CreateString(std::to_string(i));
    functions.push_back(fb::CreateFunction(flat, name, 0, 0, 0, 0, 0, 1, 0, shared));
  }
  auto list = flat.CreateVector(functions);
  fb::ModuleBuilder module(flat);
  module.add_functions(list);
  fb::FinishModuleBuffer(flat, module.Finish());
  std::vector<std::byte> file(sizeof(Header));
  Header header = *reinterpret_cast<const Header *>(sample().data());
  const auto *first = reinterpret_cast<const std::byte *>(flat.GetBufferPointer());
  file.insert(file.end(), first, first + flat.GetSize());
  header.metadata.bytes = flat.GetSize();
  file.resize((file.size() + 4095) / 4096 * 4096);
  header.code = header.data = {file.size(), 0};
  header.fileBytes = file.size();
  std::memcpy(file.data(), &header, sizeof(header));
  AlignedBytes bytes(file);
  repairHash(bytes);
  auto error = verifyArtifact(bytes);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "the metadata refers to the same data more often than its size allows");
}

} // namespace
