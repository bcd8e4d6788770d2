// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/compare/Differences.h"

#include <gtest/gtest.h>

#include <cstring>
#include <list>

namespace heddle::tools {
namespace {

class Compared : public ::testing::Test {
protected:
  NamedTensor tensor(const std::string &name, std::vector<float> elements) {
    HostTensor &owner = tensors.emplace_back(ElementType::F32, std::vector<int64_t>{int64_t(elements.size())});
    std::memcpy(owner.data().data(), elements.data(), owner.data().size());
    return {name, owner.view()};
  }
  std::list<HostTensor> tensors;
};

TEST_F(Compared, TheFirstDifferenceIsOfTheFirstProgram) {
  std::vector<NamedTensor> one{tensor("a", {1}), tensor("b", {2}), tensor("c", {3}), tensor("gone", {4})};
  std::vector<NamedTensor> other{tensor("c", {4}), tensor("new", {0}), tensor("b", {2.5}), tensor("a", {1})};
  Differences found = findDifferences(one, other, {});
  EXPECT_EQ(found.compared, 3u);
  ASSERT_EQ(found.different.size(), 2u);
  EXPECT_EQ(found.different[0].name, "b");
  EXPECT_EQ(found.different[1].name, "c");
  EXPECT_EQ(found.onlyOne, std::vector<std::string>{"gone"});
  EXPECT_EQ(found.onlyOther, std::vector<std::string>{"new"});
  std::string text = toText(found, "x.onnx", "y.onnx", 1);
  EXPECT_EQ(text.find("only in x.onnx: 'gone'\nonly in y.onnx: 'new'\nfirst difference: 'b': 1 of 1 elements differ"),
            0u)
      << text;
  EXPECT_NE(text.find("… 1 more differ (--limit=N shows N)\n3 values compared, 2 differ\n"), std::string::npos) << text;
}

TEST_F(Compared, ToleranceAndSizes) {
  std::vector<NamedTensor> one{tensor("a", {1, 1})}, near{tensor("a", {1, 1.05f})}, other{tensor("a", {1})};
  EXPECT_EQ(findDifferences(one, near, {}).different.size(), 1u);
  EXPECT_EQ(findDifferences(one, near, Tolerance{0, 0.1}).different.size(), 0u);
  EXPECT_EQ(findDifferences(one, other, Tolerance{10, 10}).different.size(), 1u);
  EXPECT_EQ(toText(findDifferences(one, one, {}), "x", "y", 3), "1 value compared, all agree\n");
}

} // namespace
} // namespace heddle::tools
