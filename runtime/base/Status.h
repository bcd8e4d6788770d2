// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runtime reports failure: a code, one line of message (rule, got, remedy), and notes. No exceptions.
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

  Status() = default;
  Status(StatusCode code, std::string message)
      : failure_(std::make_unique<Failure>(Failure{code, std::move(message), {}})) {}
  explicit Status(std::unique_ptr<Failure> failure) : failure_(std::move(failure)) {}

  bool ok() const { return !failure_; }
  StatusCode code() const { return failure_ ? failure_->code : StatusCode::Ok; }
  const std::string &message() const;
  const std::vector<std::string> &notes() const;
  // Adds a line; nothing on success.
  Status &&note(std::string line) &&;
  // Puts text before the message; nothing on success.
  Status &&prefix(const std::string &text) &&;
  Status clone() const;
  // Message and notes, one per line.
  std::string text() const;
  std::unique_ptr<Failure> take() { return std::move(failure_); }

private:
  std::unique_ptr<Failure> failure_;
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
