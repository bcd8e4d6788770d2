// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runtime reports failure: a code, one line of message (rule, got, remedy), and notes. Only a container that
// finds no memory throws, up to guarded() in Guarded.h, which makes it a status.
//
// A Status is one pointer; success is null and costs nothing to make, move or test. Move only: a failure that several
// events must carry is cloned. StatusOr<T> is a value or a failure.
//
//   StatusOr<File> file = open(path);
//   if (!file.ok())
//     return file.takeStatus().note("while loading " + path);
//   use(*file);
#ifndef HEDDLE_RUNTIME_BASE_STATUS_H
#define HEDDLE_RUNTIME_BASE_STATUS_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

// The values of heddle_status_code.
enum class StatusCode : uint8_t {
  Ok = 0,
  InvalidArgument = 1,
  NotFound = 2,
  Malformed = 3,
  Unsupported = 4,
  OutOfMemory = 5,
  Cancelled = 6,
  DeadlineExceeded = 7,
  KernelFailed = 8,
  Busy = 9,
  Io = 10,
  Internal = 11,
  DeviceLost = 12,
  StateLost = 13,
  RankFailed = 14,
};

// "invalid-argument", …
const char *spelling(StatusCode code);

class [[nodiscard]] Status {
public:
  struct Failure {
    StatusCode code;
    std::string message;
    std::vector<std::string> notes;
  };

  // Frees a failure, but for the one that outOfMemory() shares.
  struct Drop {
    void operator()(Failure *failure) const;
  };
  using FailurePointer = std::unique_ptr<Failure, Drop>;

  Status() = default;
  Status(StatusCode code, std::string message) : failure_(new Failure{code, std::move(message), {}}) {}
  explicit Status(FailurePointer failure) : failure_(std::move(failure)) {}

  // OutOfMemory, which needs no memory itself: every one is the same failure, and takes no notes.
  static Status outOfMemory() noexcept;

  bool ok() const { return !failure_; }
  StatusCode code() const { return failure_ ? failure_->code : StatusCode::Ok; }
  const std::string &message() const;
  const std::vector<std::string> &notes() const;
  // Adds a line; nothing on success, or where there is no memory for it.
  Status &&note(std::string line) && noexcept;
  // Puts text before the message; nothing on success, or where there is no memory for it.
  Status &&prefix(const std::string &text) && noexcept;
  // OutOfMemory where there is no memory for a copy.
  Status clone() const noexcept;
  // Message and notes changed by a function; OutOfMemory where that finds none.
  Status &&rewrite(const std::function<void(std::string &)> &change) && noexcept;
  // Message and notes, one per line.
  std::string text() const;
  FailurePointer take() { return std::move(failure_); }

private:
  FailurePointer failure_;
};

template <typename T> class [[nodiscard]] StatusOr {
public:
  StatusOr(T value) : value_(std::move(value)) {}
  StatusOr(Status failure) : status_(std::move(failure)) {} // must not be ok
  bool ok() const { return value_.has_value(); }
  const Status &status() const { return status_; }
  Status takeStatus() { return std::move(status_); }
  T &operator*() { return *value_; }
  const T &operator*() const { return *value_; }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

private:
  std::optional<T> value_;
  Status status_;
};

} // namespace heddle

// Returns from the function when the expression is a failure.
#define HEDDLE_RETURN_IF_ERROR(expression)                                                                             \
  if (::heddle::Status heddleStatus_ = (expression); !heddleStatus_.ok()) [[unlikely]]                                 \
  return heddleStatus_

#endif // HEDDLE_RUNTIME_BASE_STATUS_H
