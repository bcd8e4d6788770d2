// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle.h: events, streams, invocations.
#include "runtime/capi/Capi.h"
#include "runtime/hal/HostTime.h"

#include <cstring>

using namespace heddle;

heddle_status *heddle_event_create(heddle_event **event) {
  return entry([&] {
    auto out = std::make_unique<heddle_event>();
    out->event = std::make_shared<hal::Semaphore>();
    *event = out.release();
    return Status();
  });
}

heddle_status *heddle_event_signal(heddle_event *event, heddle_status *failure) {
  Status status(Status::FailurePointer{failure});
  return entry([&]() -> Status {
    if (event->call)
      return Status(StatusCode::InvalidArgument, "the event belongs to a call, which signals it");
    if (status.ok())
      hal::HostTime::signals(*event->event, 1);
    if (!(status.ok() ? event->event->signal(1) : event->event->fail(std::move(status))))
      return Status(StatusCode::InvalidArgument, "an event is signalled once, got a second time");
    return {};
  });
}

int32_t heddle_event_query(const heddle_event *event) { return static_cast<int32_t>(event->event->query(1)); }
heddle_status *heddle_event_wait(heddle_event *event, uint64_t timeout_ns) {
  constexpr uint64_t kPatienceNs = 1'000'000; // much more than a call may take that moves to who waits for it
  return entry([&] {
    if (event->call && timeout_ns >= kPatienceNs)
      event->call->tryRun();
    Status status = event->event->wait(1, timeout_ns);
    if (status.ok())
      hal::HostTime::waited(*event->event, 1);
    return status;
  });
}
void heddle_event_retain(heddle_event *event) { event->references.fetch_add(1, std::memory_order_relaxed); }
void heddle_event_release(heddle_event *event) {
  if (event && event->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete event;
}

heddle_status *heddle_stream_create(heddle_module *module, uint32_t device, heddle_stream **stream) {
  return entry([&]() -> Status {
    std::shared_ptr<const Module> current = module->live->current();
    size_t devices = current->devices().size();
    if (device >= devices && device != 0)
      return Status(StatusCode::InvalidArgument,
                    "the module has " + std::to_string(devices) + " devices, got index " + std::to_string(device));
    StatusOr<std::unique_ptr<hal::Queue>> made = current->createQueue(device);
    if (!made.ok())
      return made.takeStatus();
    *stream = new heddle_stream{std::move(current), std::move(*made)};
    return {};
  });
}
heddle_status *heddle_stream_synchronize(heddle_stream *stream) {
  return entry([&] {
    stream->queue->drain();
    return Status();
  });
}
void heddle_stream_release(heddle_stream *stream) { delete stream; }

heddle_status *heddle_invocation_create(heddle_module *module, uint32_t entry_point, heddle_invocation **invocation) {
  return entry([&]() -> Status {
    std::span<const Function *const> entries = module->live->first()->entryPoints();
    if (entry_point >= entries.size())
      return Status(StatusCode::InvalidArgument, "the module has " + std::to_string(entries.size()) +
                                                     " entry points, got index " + std::to_string(entry_point));
    StatusOr<std::unique_ptr<RecoveringInvocation>> made = RecoveringInvocation::create(module->live, entry_point);
    if (!made.ok())
      return made.takeStatus();
    *invocation = new heddle_invocation{std::move(*made)};
    return {};
  });
}

heddle_status *heddle_invocation_call(heddle_invocation *invocation, const heddle_tensor *arguments,
                                      uint32_t argument_count, heddle_tensor *results, uint32_t result_count) {
  return entry([&] { return invocation->invocation->call({arguments, argument_count}, {results, result_count}); });
}

// `start` hands the call out; the event has to be there before, as nothing may fail when the call is on its way.
template <typename Start> static Status startCall(heddle_event **done, Start &&start) {
  auto out = std::make_unique<heddle_event>();
  StatusOr<std::shared_ptr<StartedCall>> started = start();
  if (!started.ok())
    return started.takeStatus();
  out->event = std::shared_ptr<hal::Semaphore>(*started, &(*started)->done);
  out->call = std::move(*started);
  if (done)
    *done = out.release();
  return {};
}

heddle_status *heddle_invocation_start(heddle_invocation *invocation, const heddle_tensor *arguments,
                                       uint32_t argument_count, heddle_tensor *results, uint32_t result_count,
                                       heddle_event *const *waits, uint32_t wait_count, heddle_stream *stream,
                                       heddle_event **done) {
  return entry([&] {
    StartRequest request;
    request.tensors = {results, result_count};
    for (uint32_t i = 0; i < wait_count; ++i)
      request.waits.push_back({waits[i]->event, 1});
    request.queue = stream ? stream->queue.get() : nullptr;
    return startCall(done,
                     [&] { return invocation->invocation->start({arguments, argument_count}, std::move(request)); });
  });
}

heddle_status *heddle_invocation_call_views(heddle_invocation *invocation, const heddle_view *arguments,
                                            uint32_t argument_count, heddle_view *results, uint32_t result_count) {
  return entry([&] { return invocation->invocation->callViews({arguments, argument_count}, {results, result_count}); });
}

static Status takePoints(const char *which, const heddle_semaphore_point *points, uint32_t count,
                         std::vector<hal::Point> &to) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!points[i].semaphore)
      return Status(StatusCode::InvalidArgument,
                    std::string(which) + " " + std::to_string(i) + " of the call names no semaphore");
    to.push_back({points[i].semaphore->semaphore, points[i].value});
  }
  return {};
}

heddle_status *heddle_invocation_start_views(heddle_invocation *invocation, const heddle_view *arguments,
                                             uint32_t argument_count, heddle_view *results, uint32_t result_count,
                                             const heddle_start_options *options, heddle_event **done) {
  return entry([&]() -> Status {
    heddle_start_options given{};
    if (options)
      std::memcpy(&given, options, std::min<size_t>(options->struct_size, sizeof(given)));
    StartRequest request;
    request.views = {results, result_count};
    HEDDLE_RETURN_IF_ERROR(takePoints("wait", given.waits, given.wait_count, request.waits));
    HEDDLE_RETURN_IF_ERROR(takePoints("signal", given.signals, given.signal_count, request.signals));
    for (uint32_t i = 0; i < given.event_count; ++i)
      request.waits.push_back({given.events[i]->event, 1});
    request.queue = given.stream ? given.stream->queue.get() : nullptr;
    return startCall(
        done, [&] { return invocation->invocation->startViews({arguments, argument_count}, std::move(request)); });
  });
}

heddle_status *heddle_invocation_refuse(heddle_invocation *invocation, const char *why) {
  return entry([&] {
    Status status = invocation->invocation->refuseCall(Status(StatusCode::InvalidArgument, why));
    return status.code() == StatusCode::InvalidArgument ? Status() : std::move(status); // as it was told
  });
}

heddle_status *heddle_invocation_start_refusal(heddle_invocation *invocation, const char *why, heddle_event **done) {
  return entry([&]() -> Status {
    *done = nullptr;
    StatusOr<std::shared_ptr<StartedCall>> started =
        invocation->invocation->startRefusal(Status(StatusCode::InvalidArgument, why));
    if (started.ok() && !*started)
      return {};
    return startCall(done, [&] { return std::move(started); });
  });
}

void heddle_invocation_cancel(heddle_invocation *invocation) { invocation->invocation->cancel(); }
void heddle_invocation_set_timeout(heddle_invocation *invocation, uint64_t timeout_ns) {
  invocation->invocation->setTimeout(timeout_ns);
}
heddle_status *heddle_invocation_set_state(heddle_invocation *invocation, heddle_state *state) {
  return entry([&]() -> Status {
    if (state && !invocation->invocation->belongsTo(*state->live))
      return Status(StatusCode::InvalidArgument, "the state belongs to another module; create one of this module");
    return invocation->invocation->setState(state ? state->state : nullptr);
  });
}
void heddle_invocation_set_profiling(heddle_invocation *invocation, int32_t on) {
  invocation->invocation->setProfiling(on != 0);
}

void heddle_invocation_set_trace(heddle_invocation *invocation, heddle_trace_callback callback, void *user) {
  if (!callback)
    return invocation->invocation->setTrace({});
  invocation->invocation->setTrace([callback, user](const TraceSlice &slice) {
    heddle_trace_slice out{};
    out.kind = static_cast<heddle_trace_kind>(slice.kind);
    out.name = slice.name;
    out.source = slice.source;
    out.device = slice.device;
    out.stream = slice.stream;
    out.begin_ns = slice.beginNs;
    out.end_ns = slice.endNs;
    out.bytes = slice.bytes;
    out.from_device = slice.fromDevice;
    out.to_device = slice.toDevice;
    out.event = slice.event;
    out.group_size = slice.groupSize;
    out.group_first = slice.groupFirst;
    out.sequence = slice.sequence;
    callback(user, &out);
  });
}

void heddle_invocation_get_statistics(const heddle_invocation *invocation, heddle_statistics *statistics) {
  const Invocation &from = invocation->invocation->invocation();
  const CallStatistics &s = from.statistics();
  heddle_statistics out{};
  out.struct_size = statistics->struct_size;
  out.profiled = from.profiling();
  out.calls = s.calls;
  out.dispatches = s.dispatches;
  out.total_ns = s.totalNs;
  out.kernel_ns = s.kernelNs;
  out.slab_bytes = from.slabBytes();
  out.allocations = s.allocations;
  out.plan_misses = s.planMisses;
  out.copied_bytes = s.copiedBytes;
  out.boundary_bytes = s.boundaryBytes;
  out.collectives = s.collectives;
  out.collective_bytes = s.collectiveBytes;
  std::memcpy(statistics, &out, std::min<size_t>(statistics->struct_size, sizeof(out)));
}

void heddle_invocation_release(heddle_invocation *invocation) { delete invocation; }
