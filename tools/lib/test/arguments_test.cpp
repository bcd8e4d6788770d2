// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Arguments.h"

#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/lib/Npy.h"
#include "tools/lib/Print.h"
#include "tools/lib/ValueSyntax.h"
#include "tools/lib/test/Expect.h"

namespace heddle::tools {
namespace {

using test::messageOf;

const heddle_dim kDims[] = {{-1, "batch", 1, 64}, {3, "", 3, 3}, {-1, "", 0, INT64_MAX}};
const heddle_value_info kInputs[] = {
    {"ids", HEDDLE_I64, 2, kDims}, {"mask", HEDDLE_BF16, 1, kDims + 1}, {"scale", HEDDLE_F32, 0, nullptr}};
const heddle_value_info kResults[] = {{"y", HEDDLE_F32, 3, kDims}, {"z", HEDDLE_F32, 0, nullptr}};
const heddle_entry_point_info kEntry = {"main", 3, 2, kInputs, kResults};

std::string bound(std::vector<std::string> texts) {
  std::string out;
  for (const HostTensor &tensor : bindInputs(kEntry, texts))
    out += (out.empty() ? "" : "; ") + formatTensor(tensor.view());
  return out;
}
std::string refusal(std::vector<std::string> texts) {
  return messageOf<UsageError>([&] { bindInputs(kEntry, texts); });
}

const std::string kList = "\n  ids: [batch]x3xi64\n  mask: 3xbf16\n  scale: f32";

TEST(Arguments, Types) {
  EXPECT_EQ(formatValueType(kResults[0]), "[batch]x3x?xf32");
  EXPECT_EQ(formatValueType(kResults[1]), "f32");
}

TEST(Arguments, OrderAndNames) {
  EXPECT_EQ(bound({"1xi64=1", "1xbf16=2", "f32=3"}), "1xi64=[1]; 1xbf16=[2]; f32=3");
  EXPECT_EQ(bound({"scale=f32=3", "1xi64=1", "mask=1xbf16=2"}), "1xi64=[1]; 1xbf16=[2]; f32=3");
  EXPECT_EQ(bound({"ids=1xi64=1", "1xbf16=2", "f32=3"}), "1xi64=[1]; 1xbf16=[2]; f32=3");
}

TEST(Arguments, Defaults) {
  float two = 2;
  heddle_tensor scale = {&two, sizeof two, HEDDLE_F32, 0, {}, nullptr};
  const heddle_tensor *defaults[] = {nullptr, nullptr, &scale};
  auto values = [&](std::vector<std::string> texts) {
    std::string out;
    for (const HostTensor &tensor : bindInputs(kEntry, texts, defaults))
      out += formatTensor(tensor.view()) + "; ";
    return out;
  };
  EXPECT_EQ(values({"1xi64=1", "1xbf16=2"}), "1xi64=[1]; 1xbf16=[2]; f32=2; ");
  EXPECT_EQ(values({"1xi64=1", "1xbf16=2", "f32=3"}), "1xi64=[1]; 1xbf16=[2]; f32=3; ");
  EXPECT_EQ(messageOf<UsageError>([&] { values({"mask=1xbf16=2"}); }),
            "--input: 'main' takes 3 inputs, got 1; 'ids' is missing" + kList);
}

// Names of the module win over what a text could be else.
TEST(Arguments, NamesLikeValues) {
  const heddle_value_info inputs[] = {
      {"i1", HEDDLE_I64, 1, kDims + 1}, {"a", HEDDLE_F32, 0, nullptr}, {"a=@b", HEDDLE_F32, 0, nullptr}};
  auto assigned = [&](std::vector<std::string> texts) {
    std::string out;
    for (const std::optional<std::string> &text : assignValues(inputs, texts, "--input", "input"))
      out += text.value_or("none") + "; ";
    return out;
  };
  EXPECT_EQ(assigned({"i1=@x.npy"}), "@x.npy; none; none; ");
  EXPECT_EQ(assigned({"i1=1"}), "i1=1; none; none; "); // no value stands behind the name
  EXPECT_EQ(assigned({"a=@b=f32=1", "a=f32=2"}), "none; f32=2; f32=1; ");
  EXPECT_EQ(assigned({"a=@c"}), "none; @c; none; ");
  const heddle_value_info results[] = {{"y=@z", HEDDLE_F32, 0, nullptr}, {"y", HEDDLE_F32, 0, nullptr}};
  std::vector<std::string> outputs{"y=@z=@1.npy", "y=@2.npy"};
  auto files = assignOutputs(results, outputs);
  EXPECT_EQ(files[0].value_or("none") + " " + files[1].value_or("none"), "1.npy 2.npy");
}

TEST(Arguments, Refused) {
  EXPECT_EQ(refusal({"1xi64=1", "1xbf16=2"}), "--input: 'main' takes 3 inputs, got 2; 'scale' is missing" + kList);
  EXPECT_EQ(refusal({}), "--input: 'main' takes 3 inputs, got 0; 'ids' is missing" + kList);
  EXPECT_EQ(refusal({"f32=1", "f32=1", "f32=1", "f32=1"}), "--input: the model has 3 inputs, got 4" + kList);
  EXPECT_EQ(refusal({"msak=f32=1"}),
            "--input: the model has no input 'msak'; did you mean 'mask'?\nits inputs are:" + kList);
  EXPECT_EQ(refusal({"ids=f32=1", "ids=f32=1"}), "--input: input 'ids' is given twice");
}

TEST(Arguments, CarrierBecomesTheType) {
  test::TemporaryFolder folder;
  std::string path = folder.path("x.npy");
  {
    OutputFile file(path);
    writeNpy(file, parseValue("2xbf16=1,2").view());
    file.commit();
  }
  EXPECT_EQ(formatTensor(parseValueAs("@" + path, ElementType::BF16).view()), "2xbf16=[1 2]");
  EXPECT_EQ(formatTensor(parseValueAs("@" + path, ElementType::U16).view()), "2xui16=[16256 16384]");
  EXPECT_EQ(parseValueAs("2xui16=1", ElementType::BF16).type(), ElementType::U16); // written out: no guessing
}

TEST(Arguments, CarrierOfNarrowElements) {
  test::TemporaryFolder folder;
  std::string path = "@" + folder.path("x.npy");
  auto write = [&](const char *value) {
    OutputFile file(path.substr(1));
    writeNpy(file, parseValue(value).view());
    file.commit();
  };
  auto read = [&](ElementType type) { return formatTensor(parseValueAs(path, type).view()); };
  auto refusal = [&](ElementType type) { return messageOf<Failure>([&] { parseValueAs(path, type); }); };
  write("3xi4=-8,-1,7");
  EXPECT_EQ(formatTensor(parseValue(path).view()), "3xi8=[-8 -1 7]");
  EXPECT_EQ(read(ElementType::I4), "3xi4=[-8 -1 7]");
  EXPECT_EQ(refusal(ElementType::U4), "element 0 of the file is -8, which is no ui4");
  EXPECT_EQ(refusal(ElementType::I2), "element 0 of the file is -8, which is no i2");
  write("2xui8=15,7"); // codes of four bits
  EXPECT_EQ(read(ElementType::I4), "2xi4=[-1 7]");
  EXPECT_EQ(read(ElementType::U4), "2xui4=[15 7]");
  EXPECT_EQ(read(ElementType::F4E2M1FN), "2xf4E2M1FN=[-6 6]");
  EXPECT_EQ(read(ElementType::F8E5M2), "2xf8E5M2=[0.0004 0.0001]");
  write("i8=12"); // a number, not a code
  EXPECT_EQ(refusal(ElementType::I4), "element 0 of the file is 12, which is no i4");
}

TEST(Arguments, Outputs) {
  auto files = [](std::vector<std::string> texts) {
    std::string out;
    for (const std::optional<std::string> &file : assignOutputs(kResults, texts))
      out += file.value_or("-") + ";";
    return out;
  };
  auto refusal = [&](std::vector<std::string> texts) { return messageOf<UsageError>([&] { files(texts); }); };
  EXPECT_EQ(files({"@a.npy"}), "a.npy;-;");
  EXPECT_EQ(files({"z=@a=@b.npy"}), "-;a=@b.npy;");
  EXPECT_EQ(files({"z=@a.npy", "@b.npy"}), "b.npy;a.npy;");
  EXPECT_EQ(refusal({"a.npy"}), "--output takes @FILE.npy or NAME=@FILE.npy, got 'a.npy'");
  EXPECT_EQ(refusal({"@a.txt"}), "--output takes @FILE.npy or NAME=@FILE.npy, got '@a.txt'");
  EXPECT_EQ(refusal({"@a.npy", "@a.npy"}), "--output: two results cannot go to one file, 'a.npy'");
  EXPECT_EQ(refusal({"@a.npy", "@b.npy", "@c.npy"}),
            "--output: the model has 2 results, got 3\n  y: [batch]x3x?xf32\n  z: f32");
}

} // namespace
} // namespace heddle::tools
