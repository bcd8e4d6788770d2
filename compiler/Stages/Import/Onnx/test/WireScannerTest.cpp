// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Model/WireScanner.h"

#include "onnx-ml.pb.h"

#include <gtest/gtest.h>

using namespace mlir::heddle::importer;

// A model with initialisers of these raw sizes.
static std::string serialise(std::initializer_list<size_t> rawSizes) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.mutable_graph()->set_name("g");
  for (size_t size : rawSizes) {
    onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
    tensor->set_name("w" + std::to_string(size));
    tensor->set_raw_data(std::string(size, static_cast<char>('a' + size % 26)));
  }
  model.mutable_graph()->add_output()->set_name("y");
  return model.SerializeAsString();
}

TEST(WireScannerTest, CutsLargeWeightsAndKeepsTheRest) {
  std::string bytes = serialise({8, 5000, 3, 100000});
  ScannedModel scanned = cutOutWeights(bytes);
  EXPECT_LT(scanned.rest.size(), 200u);
  ASSERT_EQ(scanned.rawData.size(), 4u);
  EXPECT_FALSE(scanned.rawData[0]);
  ASSERT_TRUE(scanned.rawData[1]);
  EXPECT_EQ(scanned.rawData[1]->str(), std::string(5000, static_cast<char>('a' + 5000 % 26)));
  EXPECT_GE(scanned.rawData[1]->data(), bytes.data()); // in place
  EXPECT_EQ(scanned.rawData[3]->size(), 100000u);

  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(scanned.rest));
  EXPECT_EQ(model.graph().initializer(0).raw_data(), std::string(8, 'i'));
  EXPECT_FALSE(model.graph().initializer(1).has_raw_data());
  EXPECT_EQ(model.graph().initializer(1).name(), "w5000");
  EXPECT_EQ(model.graph().output(0).name(), "y");
}

// Every prefix and every single changed byte comes back whole or as something the parser can judge; nothing is read
// outside.
TEST(WireScannerTest, TotalOnDamagedBytes) {
  std::string bytes = serialise({8, 2000});
  for (size_t length = 0; length < bytes.size(); length += 7)
    EXPECT_LE(cutOutWeights(std::string(bytes, 0, length)).rest.size(), length + 16);
  for (size_t at = 0; at < 120; ++at)
    for (unsigned char flip : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      ScannedModel scanned = cutOutWeights(damaged);
      for (auto &raw : scanned.rawData)
        if (raw)
          EXPECT_LE(raw->data() + raw->size(), damaged.data() + damaged.size());
    }
}

TEST(WireScannerTest, TwoGraphsAreLeftToTheParser) {
  std::string bytes = serialise({5000}) + serialise({6000});
  ScannedModel scanned = cutOutWeights(bytes);
  EXPECT_EQ(scanned.rest, bytes);
  EXPECT_TRUE(scanned.rawData.empty());
}
