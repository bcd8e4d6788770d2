// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random edits of good texts and files: every outcome is a tensor or a message, never a crash or a large allocation.
// Meant for the asan preset, where a read past the end or a leak fails the test.
#include "tools/lib/Error.h"
#include "tools/lib/Npy.h"
#include "tools/lib/Print.h"
#include "tools/lib/ValueSyntax.h"
#include "tools/lib/test/Expect.h"

#include <random>

namespace heddle::tools {
namespace {

std::string mutate(std::string text, std::mt19937 &random, std::string_view alphabet) {
  for (size_t edits = 1 + random() % 4; edits > 0; --edits) {
    size_t at = text.empty() ? 0 : random() % text.size();
    char c = random() % 4 ? alphabet[random() % alphabet.size()] : static_cast<char>(random());
    switch (random() % 4) {
    case 0: text.insert(at, 1, c); break;
    case 1:
      if (!text.empty())
        text[at] = c;
      break;
    case 2: text.erase(at, 1 + random() % 3); break;
    case 3: text.insert(at, text.substr(at, random() % 8)); break;
    }
  }
  return text;
}

TEST(Mutation, Values) {
  const std::string seeds[] = {"2x3xf32=1,2,3,4,5,6",   "name=4xi32=7",       "f32=1",
                               "2x2xbf16=[[1 2][3 4]]", "2x1x2xi1=[[[1,0]]]", "3xui64=0xff 1 18446744073709551615"};
  std::mt19937 random(1);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = mutate(seeds[round % std::size(seeds)], random, "0123456789x=,[]fui.-e @");
    if (text.find('@') != text.npos)
      continue; // would open files
    try {
      NamedValue named = splitName(text);
      // A size edited to billions is right but slow.
      ElementType type;
      std::vector<int64_t> dims;
      std::string error;
      if (parseType(named.value.substr(0, named.value.find('=')), type, dims, error) && elementCount(dims) > 5000)
        continue;
      HostTensor tensor = parseValue(named.value);
      EXPECT_EQ(formatTensor(parseValue(formatTensor(tensor.view(), tensor.count())).view()),
                formatTensor(tensor.view()));
      ++accepted;
    } catch (const UsageError &) {
      ++refused;
    } catch (const Failure &) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(Mutation, NpyFiles) {
  test::TemporaryFolder folder;
  std::string seed;
  {
    OutputFile file(folder.path("seed.npy"));
    writeNpy(file, parseValue("2x3xf32=1,2,3,4,5,6").view());
    file.commit();
    seed = test::TemporaryFolder::read(folder.path("seed.npy"));
  }
  std::mt19937 random(2);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string path = folder.write("x.npy", mutate(seed, random, "0123456789<>|(){},:'fiubTrueFalse L"));
    try {
      HostTensor tensor = readNpy(path);
      formatTensor(tensor.view());
      ++accepted;
    } catch (const Failure &failure) {
      EXPECT_TRUE(std::string(failure.what()).find(path) != std::string::npos) << failure.what();
      ++refused;
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace heddle::tools
