// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle.h: events, streams, invocations.
#include "runtime/capi/Capi.h"

#include <cstring>

using namespace heddle;

heddle_status *heddle_event_create(heddle_event **event) {
  return entry([&] {
    auto out = std::make_unique<heddle_event>();
    out->event = std::make_shared<hal::Semaphore>();
    out->own = true;
    *event = out.release();
    return Status();
  });
}

heddle_status *heddle_event_signal(heddle_event *event, heddle_status *failure) {
  Status status(Status::FailurePointer{failure});
  return entry([&]() -> Status {
    if (!event->own)
      return Status(StatusCode::InvalidArgument, "the event belongs to a call, which signals it");
    if (!(status.ok() ? event->event->signal(1) : event->event->fail(std::move(status))))
      return Status(StatusCode::InvalidArgument, "an event is signalled once, got a second time");
    return {};
  });
}

int32_t heddle_event_query(const heddle_event *event) { return static_cast<int32_t>(event->event->query(1)); }
heddle_status *heddle_event_wait(heddle_event *event, uint64_t timeout_ns) {
  return entry([&] { return event->event->wait(1, timeout_ns); });
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

heddle_status *heddle_invocation_start(heddle_invocation *invocation, const heddle_tensor *arguments,
                                       uint32_t argument_count, heddle_tensor *results, uint32_t result_count,
                                       heddle_event *const *waits, uint32_t wait_count, heddle_stream *stream,
                                       heddle_event **done) {
  return entry([&]() -> Status {
    std::vector<hal::Point> points;
    for (uint32_t i = 0; i < wait_count; ++i)
      points.push_back({waits[i]->event, 1});
    auto out = std::make_unique<heddle_event>(); // nothing may fail when the call is on its way
    StatusOr<std::shared_ptr<hal::Semaphore>> event =
        invocation->invocation->start({arguments, argument_count}, {results, result_count}, std::move(points),
                                      stream ? stream->queue.get() : nullptr);
    if (!event.ok())
      return event.takeStatus();
    out->event = std::move(*event);
    *done = out.release();
    return {};
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
  std::memcpy(statistics, &out, std::min<size_t>(statistics->struct_size, sizeof(out)));
}

void heddle_invocation_release(heddle_invocation *invocation) { delete invocation; }
