// libFuzzer target: any text after --input= is a value or an error with a message. `@` is left out: it reads files.
#include "tools/lib/Error.h"
#include "tools/lib/HostTensor.h"
#include "tools/lib/ValueSyntax.h"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  if (text.find('@') != std::string_view::npos)
    return 0;
  try {
    heddle::tools::parseValue(text);
  } catch (const heddle::tools::UsageError &error) {
    if (error.what()[0] == '\0')
      std::abort();
  } catch (const heddle::tools::Failure &error) {
    if (error.what()[0] == '\0')
      std::abort();
  } catch (const std::bad_alloc &) {
    return 0;
  }
  return 0;
}
