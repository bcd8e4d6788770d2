// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Status.h"

namespace heddle {

const char *spelling(StatusCode code) {
  static constexpr const char *names[] = {
      "ok",          "invalid-argument",  "not-found",     "malformed", "unsupported", "out-of-memory",
      "cancelled",   "deadline-exceeded", "kernel-failed", "busy",      "io",          "internal",
      "device-lost", "state-lost"};
  size_t index = static_cast<size_t>(code);
  return index < std::size(names) ? names[index] : "unknown";
}

const std::string &Status::message() const {
  static const std::string ok = "ok";
  return failure_ ? failure_->message : ok;
}

const std::vector<std::string> &Status::notes() const {
  static const std::vector<std::string> none;
  return failure_ ? failure_->notes : none;
}

Status &&Status::note(std::string line) && {
  if (failure_)
    failure_->notes.push_back(std::move(line));
  return std::move(*this);
}

Status &&Status::prefix(const std::string &text) && {
  if (failure_)
    failure_->message.insert(0, text);
  return std::move(*this);
}

Status Status::clone() const { return failure_ ? Status(std::make_unique<Failure>(*failure_)) : Status(); }

std::string Status::text() const {
  std::string out = message();
  for (const std::string &note : notes())
    out += "\n" + note;
  return out;
}

} // namespace heddle
