// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Status.h"

#include "runtime/base/Guarded.h"

namespace heddle {
namespace {

// Lives as long as the process: statuses may outlive everything else. Its text is short enough to lie in it.
Status::Failure *sharedFailure() {
  alignas(Status::Failure) static std::byte place[sizeof(Status::Failure)];
  static auto *failure = new (place) Status::Failure{StatusCode::OutOfMemory, "out of memory", {}};
  return failure;
}

} // namespace

void Status::Drop::operator()(Failure *failure) const {
  if (failure != sharedFailure())
    delete failure;
}

Status Status::outOfMemory() noexcept { return Status(FailurePointer(sharedFailure())); }

const char *spelling(StatusCode code) {
  static constexpr const char *names[] = {
      "ok",          "invalid-argument",  "not-found",     "malformed", "unsupported", "out-of-memory",
      "cancelled",   "deadline-exceeded", "kernel-failed", "busy",      "io",          "internal",
      "device-lost", "state-lost",        "rank-failed"};
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

Status &&Status::note(std::string line) && noexcept {
  if (failure_ && failure_.get() != sharedFailure())
    (void)guarded([&] {
      failure_->notes.push_back(std::move(line));
      return Status();
    });
  return std::move(*this);
}

Status &&Status::prefix(const std::string &text) && noexcept {
  if (failure_ && failure_.get() != sharedFailure())
    (void)guarded([&] {
      failure_->message.insert(0, text);
      return Status();
    });
  return std::move(*this);
}

Status Status::clone() const noexcept {
  if (!failure_ || failure_.get() == sharedFailure())
    return failure_ ? outOfMemory() : Status();
  return guarded([&] { return Status(FailurePointer(new Failure(*failure_))); });
}

Status &&Status::rewrite(const std::function<void(std::string &)> &change) && noexcept {
  if (!failure_ || failure_.get() == sharedFailure())
    return std::move(*this);
  Status changed = guarded([&] {
    change(failure_->message);
    for (std::string &note : failure_->notes)
      change(note);
    return Status();
  });
  if (!changed.ok())
    failure_ = std::move(changed.failure_);
  return std::move(*this);
}

std::string Status::text() const {
  std::string out = message();
  for (const std::string &note : notes())
    out += "\n" + note;
  return out;
}

} // namespace heddle
