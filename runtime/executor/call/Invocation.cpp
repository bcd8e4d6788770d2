// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Invocation.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Guarded.h"
#include "runtime/executor/call/EntryChecks.h"
#include "runtime/executor/call/Interpreter.h"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace heddle {

uint64_t nowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

Invocation::Invocation(std::shared_ptr<const Module> module, const Function &function)
    : module_(std::move(module)), function_(function) {
  const fb::Function &source = *function.source;
  scalars_ = function.scalars;
  buffers_.resize(source.buffers());
  streams_.resize(source.streams());
  recorded_.resize(source.events());
  for (uint32_t i = 0; i < source.events(); ++i)
    events_.push_back(std::make_shared<hal::Event>());
  bindings_.resize(function.maxBindings);
  accesses_.resize(function.maxBindings);
  constants_.resize(function.maxConstants);
  devices_.resize(module_->devices().size());
  for (const fb::PlanSpec *spec : function.plans)
    memos_.emplace_back(*spec);
  results_.resize(source.results() ? source.results()->size() : 0);
  for (const StateUse &use : function.state)
    if (use.result >= 0)
      results_[use.result].held = true;
  donors_.resize(function.donations.size());
  for (size_t i = 0; i < donors_.size(); ++i)
    results_[function.donations[i].result].donor = &donors_[i];
  staged_.resize(function.staged.size());
  for (uint32_t d = 0; d < devices_.size(); ++d) {
    const DeviceSlot &slot = module_->devices()[d];
    maxBinding_.push_back(slot.device ? slot.device->maxBindingBytes() : UINT64_MAX);
    bool readable = slot.usesHostMemory() || slot.device->hostAddressable();
    memoryFlags_.push_back((slot.usesHostMemory() ? 0 : kDeviceMemory) | (readable ? kHostMemory : 0) | (1 + d));
  }
}

StatusOr<std::unique_ptr<Invocation>> Invocation::create(std::shared_ptr<const Module> module,
                                                         const Function &function) {
  std::unique_ptr<Invocation> invocation(new Invocation(std::move(module), function));
  HEDDLE_RETURN_IF_ERROR(invocation->createStreams());
  return invocation;
}

Invocation::~Invocation() {
  if (!running_.load(std::memory_order_acquire))
    return;
  cancel();
  if (finished_)
    (void)finished_->wait();
}

// What the call wrote in place is half done here.
void Invocation::afterForkInChild() {
  if (!running_.load(std::memory_order_relaxed))
    return;
  forked_ = true;
  auto failure = [] {
    return Status(StatusCode::Cancelled, "the process was forked while the call ran; it is done in the parent only");
  };
  if (state_)
    (void)guarded([&] {
      dropState(failure(), /*started=*/true);
      return Status();
    });
  if (finished_ && finished_->query() == hal::EventState::Pending)
    finished_->failAfterFork(guarded(failure));
}

void Invocation::setTrace(TraceSink sink) {
  auto tracer = sink ? std::make_unique<Tracer>(*this, std::move(sink)) : nullptr;
  std::vector<std::unique_ptr<hal::Stream>> wrappers; // all of them before any stream changes
  for (uint32_t d = 0; tracer && d < devices_.size(); ++d)
    for (uint32_t i = 0; i < devices_[d].streams.size(); ++i)
      if (devices_[d].streams[i].stream)
        wrappers.push_back(tracer->wrapper(d, i, devices_[d].streams[i].queued));
  size_t next = 0;
  for (DeviceState &device : devices_)
    for (StreamState &state : device.streams) {
      if (!state.stream)
        continue;
      if (tracer_)
        state.stream = Tracer::unwrap(std::move(state.stream));
      if (tracer)
        state.stream = Tracer::wrap(std::move(wrappers[next++]), std::move(state.stream));
    }
  tracer_ = std::move(tracer);
}

void Invocation::cancel() {
  if (running_.load(std::memory_order_acquire))
    interrupt_.fetch_or(kCancelled, std::memory_order_relaxed);
}

uint64_t Invocation::slabBytes() const {
  uint64_t bytes = 0;
  for (const DeviceState &state : devices_)
    bytes += state.slab ? state.slab->bytes() : 0;
  for (const Block &block : blocks_)
    bytes += block.buffer->bytes();
  return bytes;
}

Status Invocation::acquire() {
  bool busy = running_.exchange(true, std::memory_order_acquire);
  if (busy && forked_)
    return Status(StatusCode::Busy, "the process was forked while the invocation ran a call, which goes on in the "
                                    "parent; create another invocation of the module");
  if (busy)
    return Status(StatusCode::Busy, "an invocation runs one call at a time, got a second one; create another "
                                    "invocation of the module");
  interrupt_.store(0, std::memory_order_relaxed);
  return {};
}

// Everything that registers of the last call could name goes out of reach.
void Invocation::clearCall() {
  std::copy(function_.scalars.begin(), function_.scalars.end(), scalars_.begin());
  std::fill(buffers_.begin(), buffers_.end(), BufferRegister{});
  std::fill(streams_.begin(), streams_.end(), StreamRegister{});
  std::fill(recorded_.begin(), recorded_.end(), 0);
  for (DeviceState &state : devices_) {
    state.outgrown.clear();
    state.slabUsed = false;
  }
  for (Block &block : blocks_)
    block.live = false;
  newStorage_.clear();
  if (!devices_.empty())
    streams_[0] = streamOf(function_.source->device(), 0);
  uint64_t calls = statistics_.calls;
  statistics_ = {};
  statistics_.calls = calls;
}

Status Invocation::checkArguments(std::span<const heddle_tensor> arguments) {
  HEDDLE_RETURN_IF_ERROR(bindArguments(function_, arguments, scalars_.data()));
  for (size_t i = 0; i < arguments.size(); ++i)
    buffers_[i] = {{static_cast<std::byte *>(arguments[i].data), static_cast<int64_t>(arguments[i].bytes),
                    kDefined | kHostMemory}};
  return {};
}

Status Invocation::checkDonations(std::span<const heddle_tensor> arguments, std::span<const heddle_tensor> results) {
  for (size_t i = 0; i < donors_.size(); ++i) {
    const Donation &donation = function_.donations[i];
    HEDDLE_RETURN_IF_ERROR(checkDonation(function_, donation, arguments, results[donation.result]));
    donors_[i] = arguments[donation.argument];
    results_[donation.result].given = nullptr;
    if (donation.writable)
      buffers_[donation.argument].flags |= kWritable;
  }
  return {};
}

Status Invocation::checkResults(std::span<const heddle_tensor> results) {
  HEDDLE_RETURN_IF_ERROR(checkResultStorage(function_, results));
  for (size_t i = 0; i < results.size(); ++i) {
    results_[i].given = static_cast<std::byte *>(results[i].data);
    results_[i].givenBytes = results[i].data ? results[i].bytes : 0;
    results_[i].set = false;
    results_[i].storage = {};
    results_[i].imported = {};
  }
  return {};
}

Status Invocation::checkRoom(uint32_t index, uint64_t bytes) const {
  const Result &result = results_[index];
  if (!result.given || bytes <= result.givenBytes) [[likely]]
    return {};
  std::string name = function_.info.results[index].name;
  return Status(StatusCode::InvalidArgument, "result " + std::to_string(index) +
                                                 (name.empty() ? "" : " '" + name + "'") + " needs " +
                                                 std::to_string(bytes) + " bytes, got storage of " +
                                                 std::to_string(result.givenBytes) + "; give a larger buffer or none");
}

Status Invocation::checkAhead() {
  auto isWritable = [](const auto &use) { return use.writable; };
  if (std::none_of(function_.state.begin(), function_.state.end(), isWritable) &&
      std::none_of(function_.donations.begin(), function_.donations.end(), isWritable))
    return {};
  return std::any_of(results_.begin(), results_.end(), [](const Result &result) { return result.given; })
             ? Interpreter(*this).rehearse()
             : Status();
}

Status Invocation::checkCall(std::span<const heddle_tensor> arguments, std::span<const heddle_tensor> results) {
  if (!state_ && !function_.state.empty()) [[unlikely]]
    return Status(StatusCode::Internal, "a call of an entry point with state needs one (Invocation::setState)");
  HEDDLE_RETURN_IF_ERROR(checkArguments(arguments));
  HEDDLE_RETURN_IF_ERROR(checkResults(results));
  return donors_.empty() ? Status() : checkDonations(arguments, results);
}

// The program between what crosses the call's boundary, up to the end of all streams.
Status Invocation::runStaged() {
  if (tracer_)
    tracer_->start();
  Status status = guarded([&] {
    if (!function_.staged.empty())
      HEDDLE_RETURN_IF_ERROR(stageArguments());
    HEDDLE_RETURN_IF_ERROR(Interpreter(*this).run());
    return overlaps_ ? stageResults() : Status();
  });
  if (overlaps_)
    status = drain(std::move(status));
  releaseImports();
  if (tracer_)
    tracer_->finish();
  return status;
}

void Invocation::setDeadline(uint64_t startNs) {
  deadlineNs_ = timeoutNs_ ? startNs + timeoutNs_ : 0;
  if (timeoutNs_)
    interrupt_.fetch_or(kDeadline, std::memory_order_relaxed);
}

Status Invocation::runBound(uint64_t startNs) {
  setDeadline(startNs);
  if (!state_)
    HEDDLE_RETURN_IF_ERROR(checkAhead());
  if (overlaps_ || tracer_ || !function_.staged.empty()) {
    HEDDLE_RETURN_IF_ERROR(runStaged());
  } else {
    HEDDLE_RETURN_IF_ERROR(Interpreter(*this).run());
  }
  // Donated memory last: another result may be what lies there.
  for (bool donated : {false, true})
    for (uint32_t i = 0; i < results_.size() && (!donated || !donors_.empty()); ++i)
      if ((results_[i].donor != nullptr) == donated)
        HEDDLE_RETURN_IF_ERROR(prepareResult(i));
  return {};
}

// Brings a result to where the caller wants it when the program returned it from elsewhere (an argument, a parameter, a
// slab): a copy.
Status Invocation::prepareResult(uint32_t index) {
  Result &result = results_[index];
  if (!result.set)
    return Status(StatusCode::Internal, "the program ended without result " + std::to_string(index));
  if (result.held)
    return {};
  std::byte *home = result.given ? result.given : result.donated();
  if (!home && result.storage)
    home = result.storage->address();
  if ((home && home == result.value.address) || !(result.value.flags & kHostMemory))
    return {}; // what the host cannot read stageResults() has brought
  StatusOr<std::byte *> to = homeOf(index);
  if (!to.ok())
    return to.takeStatus();
  if (result.bytes)
    std::memmove(*to, result.value.address, result.bytes);
  return {};
}

Status Invocation::finishResults(std::span<heddle_tensor> results) {
  for (size_t i = 0; i < results.size(); ++i) {
    Result &result = results_[i];
    const heddle_value_info &info = function_.info.results[i];
    if (std::byte *donated = result.donated()) {
      results[i].data = donated;
      results[i].owner = result.donor->owner;
      if (results[i].owner)
        reinterpret_cast<hal::Buffer *>(results[i].owner)->retain();
    } else if (!result.given) {
      results[i].data = result.storage->address();
      results[i].owner = reinterpret_cast<heddle_buffer *>(result.storage.take());
    }
    results[i].bytes = result.bytes;
    results[i].type = info.type;
    results[i].rank = info.rank;
    std::copy_n(result.dims, info.rank, results[i].dims);
  }
  ++statistics_.calls;
  return {};
}

Status Invocation::call(std::span<const heddle_tensor> arguments, std::span<heddle_tensor> results) {
  HEDDLE_RETURN_IF_ERROR(acquire());
  DefaultFloatEnvironment floats;
  uint64_t start = profiling_ || timeoutNs_ ? nowNs() : 0;
  Status status = guarded([&] {
    clearCall();
    HEDDLE_RETURN_IF_ERROR(checkCall(arguments, results));
    HEDDLE_RETURN_IF_ERROR(state_ ? runOn(start, state_->ask()) : runBound(start));
    return finishResults(results);
  });
  if (profiling_)
    statistics_.totalNs = nowNs() - start;
  if (status.code() == StatusCode::DeviceLost)
    lostDevice_.store(true, std::memory_order_relaxed);
  running_.store(false, std::memory_order_release);
  return status;
}

Status Invocation::bind(Binding &binding) {
  binding_ = &binding;
  Status status = call({}, {});
  binding_ = nullptr;
  if (status.ok())
    giveMemory(binding.memory);
  return status;
}

void Invocation::giveMemory(std::vector<hal::BufferRef> &to) {
  for (DeviceState &state : devices_) {
    if (state.slab)
      to.push_back(std::move(state.slab));
    std::move(state.outgrown.begin(), state.outgrown.end(), std::back_inserter(to));
  }
  for (Block &block : blocks_)
    to.push_back(std::move(block.buffer));
  blocks_.clear();
}

Status runBindFunction(std::shared_ptr<const Module> module, const Function &function, Binding &binding) {
  // A bind function computes sizes and packs parameters; one that runs longer is a wrong program, and a load must end.
  constexpr uint64_t kLimitNs = 5'000'000'000;
  StatusOr<std::unique_ptr<Invocation>> call = Invocation::create(std::move(module), function);
  if (!call.ok())
    return call.takeStatus();
  (*call)->setTimeout(kLimitNs);
  return (*call)->bind(binding);
}

StatusOr<std::shared_ptr<hal::Event>> Invocation::start(std::span<const heddle_tensor> arguments,
                                                        std::span<heddle_tensor> results,
                                                        std::vector<std::shared_ptr<hal::Event>> waits,
                                                        hal::Stream *stream) {
  HEDDLE_RETURN_IF_ERROR(acquire());
  uint64_t start = nowNs();
  Status status = guarded([&]() -> Status {
    clearCall();
    HEDDLE_RETURN_IF_ERROR(checkCall(arguments, results));
    if (!stream) {
      StatusOr<hal::Stream *> own = module_->defaultStream();
      if (!own.ok())
        return own.takeStatus();
      stream = *own;
    }
    finished_ = std::make_shared<hal::Event>();
    return issue(*stream, start, results, std::move(waits));
  });
  if (status.ok())
    return finished_;
  running_.store(false, std::memory_order_release);
  return status;
}

// In one order on the stream and for the state.
Status Invocation::issue(hal::Stream &stream, uint64_t start, std::span<heddle_tensor> results,
                         std::vector<std::shared_ptr<hal::Event>> waits) {
  std::unique_lock<std::mutex> order = state_ ? std::unique_lock(state_->startMutex()) : std::unique_lock<std::mutex>();
  uint64_t ticket = state_ ? state_->ask() : 0;
  Status status = guarded([&] {
    return stream.execute(
        [this, start, ticket, results, waits = std::move(waits)] { runIssued(start, ticket, results, waits); });
  });
  if (!status.ok() && state_)
    state_->leave(ticket);
  return status;
}

// On the stream's thread.
void Invocation::runIssued(uint64_t start, uint64_t ticket, std::span<heddle_tensor> results,
                           std::span<const std::shared_ptr<hal::Event>> waits) {
  DefaultFloatEnvironment floats;
  deadlineNs_ = timeoutNs_ ? start + timeoutNs_ : 0;
  Status status = guarded([&] {
    for (const std::shared_ptr<hal::Event> &event : waits)
      HEDDLE_RETURN_IF_ERROR(waitFor(*event));
    return Status();
  });
  if (!status.ok() && state_)
    state_->leave(ticket);
  if (status.ok())
    status = guarded([&] {
      HEDDLE_RETURN_IF_ERROR(state_ ? runOn(start, ticket) : runBound(start));
      return finishResults(results);
    });
  statistics_.totalNs = nowNs() - start;
  if (status.code() == StatusCode::DeviceLost)
    lostDevice_.store(true, std::memory_order_relaxed);
  std::shared_ptr<hal::Event> finished = finished_; // the invocation may be in its next call, or gone, at once
  running_.store(false, std::memory_order_release);
  finished->signal(std::move(status));
}

Status Invocation::interrupted() {
  if (interrupt_.load(std::memory_order_relaxed) & kCancelled)
    return Status(StatusCode::Cancelled, "the call was cancelled");
  if (deadlineNs_ && nowNs() > deadlineNs_)
    return Status(StatusCode::DeadlineExceeded,
                  "the call takes longer than its limit of " + std::to_string(timeoutNs_ / 1000) + " us");
  return {};
}

// Waits in slices, so that a cancelled call ends soon.
Status Invocation::waitFor(hal::Event &event) {
  while (event.query() == hal::EventState::Pending) {
    HEDDLE_RETURN_IF_ERROR(interrupted());
    (void)event.wait(1'000'000); // too late for the slice is no answer: the event may be reached since
  }
  return event.wait();
}

} // namespace heddle
