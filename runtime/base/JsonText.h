// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A string of JSON, quoted. Names come from models and need not be UTF-8: what is not becomes U+FFFD.
#ifndef HEDDLE_RUNTIME_BASE_JSONTEXT_H
#define HEDDLE_RUNTIME_BASE_JSONTEXT_H

#include <string>
#include <string_view>

namespace heddle {

std::string jsonText(std::string_view text); // a"b is "a\"b"

} // namespace heddle

#endif // HEDDLE_RUNTIME_BASE_JSONTEXT_H
