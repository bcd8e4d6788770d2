// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// buffers.h: semaphores.
#include "runtime/capi/Capi.h"
#include "runtime/hal/HostTime.h"

using namespace heddle;

heddle_status *heddle_semaphore_create(uint64_t value, heddle_semaphore **semaphore) {
  return entry([&] {
    auto out = std::make_unique<heddle_semaphore>();
    out->semaphore = std::make_shared<hal::Semaphore>(value);
    *semaphore = out.release();
    return Status();
  });
}

heddle_status *heddle_semaphore_value(heddle_semaphore *semaphore, uint64_t *value) {
  return entry([&]() -> Status {
    uint64_t reached = semaphore->semaphore->value();
    if (semaphore->semaphore->failed())
      return semaphore->semaphore->cause();
    *value = reached;
    return {};
  });
}

heddle_status *heddle_semaphore_signal(heddle_semaphore *semaphore, uint64_t value) {
  return entry([&]() -> Status {
    hal::HostTime::signals(*semaphore->semaphore, value);
    if (semaphore->semaphore->signal(value))
      return {};
    if (semaphore->semaphore->failed())
      return semaphore->semaphore->cause();
    return Status(StatusCode::InvalidArgument, "a semaphore's value must rise, got " + std::to_string(value) +
                                                   " where it has reached " +
                                                   std::to_string(semaphore->semaphore->value()));
  });
}

void heddle_semaphore_fail(heddle_semaphore *semaphore, heddle_status *failure) {
  Status cause(Status::FailurePointer{failure});
  if (cause.ok())
    cause = guarded([] { return Status(StatusCode::Internal, "a semaphore failed without a cause"); });
  (void)semaphore->semaphore->fail(std::move(cause));
}

heddle_status *heddle_semaphore_wait(heddle_semaphore *semaphore, uint64_t value, uint64_t timeout_ns) {
  return entry([&] {
    Status status = semaphore->semaphore->wait(value, timeout_ns);
    if (status.ok())
      hal::HostTime::waited(*semaphore->semaphore, value);
    return status;
  });
}

void heddle_semaphore_retain(heddle_semaphore *semaphore) {
  semaphore->references.fetch_add(1, std::memory_order_relaxed);
}
void heddle_semaphore_release(heddle_semaphore *semaphore) {
  if (semaphore && semaphore->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete semaphore;
}
