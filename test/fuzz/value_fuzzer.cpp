// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: any text after --input= is a value, with or without a name, or an error with a message. `@` is left
// out: it reads files.
#include "test/fuzz/Target.h"
#include "tools/lib/HostTensor.h"
#include "tools/lib/ValueSyntax.h"

#include <cstdint>
#include <string_view>

// A value may be as large as the machine's memory, which takes a fuzzer longer than the same text with a small one.
static bool isLarge(std::string_view text) {
  using namespace heddle::tools;
  ElementType type = ElementType::None;
  std::vector<int64_t> dims;
  std::string error;
  constexpr int64_t kMost = 1 << 12;
  return parseType(text.substr(0, text.find('=')), type, dims, error) && elementCount(dims) > kMost;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  if (text.find('@') != std::string_view::npos || isLarge(text))
    return 0;
  heddle::fuzz::worksOrSays([&] { heddle::tools::parseValue(text); });
  heddle::fuzz::worksOrSays([&] { heddle::tools::splitName(text); });
  return 0;
}
