// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON reports. Names come from models and need not be UTF-8: bytes that are not are replaced, never an exception.
#ifndef HEDDLE_TOOLS_LIB_JSON_H
#define HEDDLE_TOOLS_LIB_JSON_H

#include <nlohmann/json.hpp>

#include <string>

namespace heddle::tools {

using Json = nlohmann::ordered_json; // keys in the order of insertion

inline std::string toText(const Json &json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_JSON_H
