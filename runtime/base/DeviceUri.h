// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The name of a device at run time: `driver[://path][?key=value[&key=value]…]`.
//
//   DeviceUri uri = *DeviceUri::parse("local://0-1?cpu=x86-64-v3");
//   uri.driver == "local"; uri.path == "0-1"; uri.find("cpu") == "x86-64-v3";
#ifndef HEDDLE_RUNTIME_BASE_DEVICEURI_H
#define HEDDLE_RUNTIME_BASE_DEVICEURI_H

#include "runtime/base/Status.h"

#include <span>
#include <string_view>

namespace heddle {

struct DeviceUri {
  std::string driver;                                       // "local"
  std::string path;                                         // which of its devices; "" where the text says none
  std::vector<std::pair<std::string, std::string>> options; // key and value, in the order given

  // InvalidArgument for a text of another form.
  static StatusOr<DeviceUri> parse(std::string_view text);
  // The option's value, or null.
  const std::string *find(std::string_view key) const;
  // An error for an option that is not in `known`; a misspelt one gets the nearest.
  Status refuseUnknownOptions(std::span<const std::string_view> known) const;
  // The same again, as it is written.
  std::string text() const;
};

// "64m" → 67108864; suffixes k m g (1024). InvalidArgument for anything else.
StatusOr<uint64_t> parseByteCount(std::string_view text);

} // namespace heddle

#endif // HEDDLE_RUNTIME_BASE_DEVICEURI_H
