// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/DeviceUri.h"

#include "heddle/contract/Suggest.h"

#include <algorithm>
#include <charconv>

namespace heddle {
namespace {

Status malformed(std::string_view text) {
  return Status(StatusCode::InvalidArgument, "a device is driver[://which][?key=value[&key=value]…], got '" +
                                                 std::string(text) + "'; for example local://0-1");
}

} // namespace

StatusOr<DeviceUri> DeviceUri::parse(std::string_view text) {
  DeviceUri uri;
  size_t question = std::min(text.find('?'), text.size());
  std::string_view head = text.substr(0, question), rest = text.substr(std::min(question + 1, text.size()));
  size_t colon = head.find("://");
  uri.driver = head.substr(0, colon);
  if (colon != head.npos)
    uri.path = head.substr(colon + 3);
  bool word = !uri.driver.empty() && std::all_of(uri.driver.begin(), uri.driver.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  if (!word || (colon != head.npos && uri.path.empty()) || (question < text.size() && rest.empty()))
    return malformed(text);
  while (!rest.empty()) {
    size_t end = std::min(rest.find('&'), rest.size());
    std::string_view option = rest.substr(0, end);
    size_t equal = option.find('=');
    if (equal == option.npos || equal == 0 || equal + 1 == option.size())
      return malformed(text);
    uri.options.emplace_back(option.substr(0, equal), option.substr(equal + 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return uri;
}

const std::string *DeviceUri::find(std::string_view key) const {
  for (const auto &[name, value] : options)
    if (name == key)
      return &value;
  return nullptr;
}

Status DeviceUri::refuseUnknownOptions(std::span<const std::string_view> known) const {
  for (const auto &[name, value] : options)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string all;
      for (std::string_view one : known)
        all += (all.empty() ? "" : ", ") + std::string(one);
      return Status(StatusCode::InvalidArgument, "the driver '" + driver + "' has the options " + all + ", got '" +
                                                     name + "'" + contract::didYouMean(name, known));
    }
  return {};
}

std::string DeviceUri::text() const {
  std::string out = driver + (path.empty() ? "" : "://" + path);
  for (size_t i = 0; i < options.size(); ++i)
    out += (i ? "&" : "?") + options[i].first + "=" + options[i].second;
  return out;
}

StatusOr<uint64_t> parseByteCount(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view suffix(end, text.data() + text.size() - end);
  int shift = suffix.empty() ? 0 : suffix == "k" ? 10 : suffix == "m" ? 20 : suffix == "g" ? 30 : -1;
  if (error != std::errc() || shift < 0 || value > (UINT64_MAX >> shift))
    return Status(StatusCode::InvalidArgument,
                  "a number of bytes is digits, optionally followed by k, m or g, got '" + std::string(text) + "'");
  return value << shift;
}

} // namespace heddle
