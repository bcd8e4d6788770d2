// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: any byte string is a .npy file, or a raw file of a type that stands before it, that the tools read
// or refuse with a message; or an entry of the cache of packed parameters, which is taken or not.
#include "runtime/executor/load/PackCache.h"
#include "test/fuzz/Target.h"
#include "tools/lib/Arguments.h"
#include "tools/lib/Npy.h"
#include "tools/lib/ValueSyntax.h"

#include <cstdint>
#include <cstring>

using namespace heddle;
using namespace heddle::fuzz;

namespace {

constexpr tools::ElementType kTypes[] = {tools::ElementType::F32, tools::ElementType::BF16, tools::ElementType::I4,
                                         tools::ElementType::U8, tools::ElementType::I1};

void readArray(std::string_view text) {
  static File file("x.npy");
  unsigned type = takeChoice(text, std::size(kTypes));
  file.write(text);
  worksOrSays([&] {
    tools::HostTensor tensor = tools::readNpy(file.path);
    require(tensor.data().size() <= text.size());
    tools::fromCarrier(std::move(tensor), kTypes[type]);
  });
}

// A line with a type, then the file's bytes.
void readRaw(std::string_view text) {
  static File file("x.raw");
  size_t end = std::min(text.find('\n'), text.size());
  std::string type(text.substr(0, end));
  file.write(text.substr(std::min(end + 1, text.size())));
  if (type.find_first_of("@=") == type.npos)
    worksOrSays([&] { tools::parseValue(type + "=@" + file.path); });
}

// An entry of a key in the folder: a good one has the hash of its bytes, which is made so that some get that far.
void readEntry(std::string_view text) {
  static constexpr std::string_view kKey = "weights";
  const auto source = std::as_bytes(std::span("16 bytes, packed", 16));
  constexpr uint64_t kBytes = 64, kOffset = 64, kHash = 32;
  static File file(PackCache("").pathOf(kKey).substr(1));
  PackCache cache(file.folder());
  std::string entry(text);
  if (entry.size() == kOffset + kBytes) {
    cache.keep(kKey, source, std::as_bytes(std::span(entry)).subspan(kOffset));
    hal::BufferRef kept = cache.find(kKey, source, kBytes);
    require(kept && std::memcmp(kept->address(), entry.data() + kOffset, kBytes) == 0);
    std::FILE *whole = std::fopen(file.path.c_str(), "rb");
    require(whole && std::fseek(whole, kHash, SEEK_SET) == 0 && std::fread(entry.data() + kHash, 1, 8, whole) == 8);
    std::fclose(whole);
  }
  file.write(entry);
  if (hal::BufferRef found = cache.find(kKey, source, kBytes))
    require(std::memcmp(found->address(), entry.data() + kOffset, kBytes) == 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  switch (takeChoice(text, 3)) {
  case 0: readArray(text); break;
  case 1: readRaw(text); break;
  default: readEntry(text);
  }
  return 0;
}
