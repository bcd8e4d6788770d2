// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heddle for C++: RAII over heddle.h, header only. Errors are thrown as heddle::Error; everything else is as the C
// header says, ownership included. All types move; Module and Event also copy (they share). C++17 or later.
//
//   heddle::Module module("model.heddle", {"local://0-1"});
//   heddle::Invocation call(module);
//   std::vector<float> x = {1, 2, 3, 4};
//   std::vector<heddle::Tensor> out = call({heddle::Tensor::borrow(x, {2, 2})});
//   for (float y : out[0].values<float>()) std::printf("%g\n", y);
#ifndef HEDDLE_HEDDLE_HPP
#define HEDDLE_HEDDLE_HPP

#include "heddle/heddle.h"
#include "heddle/span.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

using StatusCode = heddle_status_code;
using ElementType = heddle_element_type;

// A failure: what() is the message and its notes, one per line.
class Error : public std::runtime_error {
public:
  explicit Error(const heddle_status *status)
      : std::runtime_error(text(status)), code_(heddle_status_get_code(status)) {}
  StatusCode code() const { return code_; }

private:
  static std::string text(const heddle_status *status) {
    std::string out = heddle_status_message(status);
    for (uint32_t i = 0, n = heddle_status_note_count(status); i < n; ++i)
      out.append("\n").append(heddle_status_note(status, i));
    return out;
  }
  StatusCode code_;
};

// Throws when `status` is a failure and releases it. Without exceptions: prints and aborts.
inline void check(heddle_status *status) {
  if (!status)
    return;
  Error error(status);
  heddle_status_release(status);
#if defined(__cpp_exceptions)
  throw error;
#else
  std::fprintf(stderr, "heddle: %s\n", error.what());
  std::abort();
#endif
}

template <typename T> constexpr ElementType elementTypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return HEDDLE_I1;
  else if constexpr (std::is_same_v<T, int8_t>)
    return HEDDLE_I8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return HEDDLE_I16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return HEDDLE_I32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return HEDDLE_I64;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return HEDDLE_U8;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return HEDDLE_U16;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return HEDDLE_U32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return HEDDLE_U64;
  else if constexpr (std::is_same_v<T, float>)
    return HEDDLE_F32;
  else if constexpr (std::is_same_v<T, double>)
    return HEDDLE_F64;
  else
    static_assert(!sizeof(T), "no element type for this C++ type");
}

// A tensor value: borrowed memory or a share of owned memory. Move only.
class Tensor {
public:
  Tensor() : raw_{} {}
  explicit Tensor(const heddle_tensor &raw) : raw_(raw) {} // takes raw.owner's reference
  Tensor(ElementType type, Span<const int64_t> dims) : raw_{} {
    check(heddle_tensor_allocate(type, static_cast<uint32_t>(dims.size()), dims.data(), &raw_));
  }
  Tensor(Tensor &&other) noexcept : raw_(std::exchange(other.raw_, {})) {}
  Tensor &operator=(Tensor &&other) noexcept {
    if (this != &other) {
      heddle_tensor_reset(&raw_);
      raw_ = std::exchange(other.raw_, {});
    }
    return *this;
  }
  ~Tensor() { heddle_tensor_reset(&raw_); }

  // Memory of the caller, which must outlive the tensor and every call that uses it.
  static Tensor borrow(ElementType type, Span<const int64_t> dims, const void *data, uint64_t bytes) {
    Tensor tensor;
    if (dims.size() > HEDDLE_MAX_RANK)
      check(heddle_status_create(HEDDLE_INVALID_ARGUMENT, "a tensor has at most 16 dimensions"));
    tensor.raw_.data = const_cast<void *>(data);
    tensor.raw_.bytes = bytes;
    tensor.raw_.type = type;
    tensor.raw_.rank = static_cast<uint32_t>(dims.size());
    for (size_t i = 0; i < dims.size(); ++i)
      tensor.raw_.dims[i] = dims[i];
    return tensor;
  }
  template <typename Container> static Tensor borrow(Container &values, std::initializer_list<int64_t> dims) {
    using T = std::remove_cv_t<std::remove_reference_t<decltype(*std::data(values))>>;
    return borrow(elementTypeOf<T>(), {dims.begin(), dims.size()}, std::data(values), std::size(values) * sizeof(T));
  }

  ElementType type() const { return raw_.type; }
  Span<const int64_t> dims() const { return {raw_.dims, raw_.rank}; }
  uint64_t bytes() const { return raw_.bytes; }
  void *data() const { return raw_.data; }
  template <typename T> Span<T> values() const {
    if (raw_.type != elementTypeOf<std::remove_cv_t<T>>())
      check(heddle_status_create(HEDDLE_INVALID_ARGUMENT, "values<T>(): T is not the tensor's element type"));
    return {static_cast<T *>(raw_.data), static_cast<size_t>(raw_.bytes / sizeof(T))};
  }
  const heddle_tensor &raw() const { return raw_; }
  heddle_tensor &raw() { return raw_; }

private:
  heddle_tensor raw_;
};
static_assert(sizeof(Tensor) == sizeof(heddle_tensor), "arrays of Tensor are passed as arrays of heddle_tensor");

// The machine's devices. Infos live as long as the list.
class DeviceList {
public:
  DeviceList() { check(heddle_device_list_create(out())); }
  explicit DeviceList(const char *uri) { check(heddle_device_list_create_for(uri, out())); }
  uint32_t size() const { return heddle_device_list_count(list_.get()); }
  const heddle_device_info &operator[](uint32_t i) const { return *heddle_device_list_get(list_.get(), i); }

private:
  struct Release {
    void operator()(heddle_device_list *list) const { heddle_device_list_release(list); }
  };
  struct Out {
    std::unique_ptr<heddle_device_list, Release> &to;
    heddle_device_list *raw = nullptr;
    operator heddle_device_list **() { return &raw; }
    ~Out() { to.reset(raw); }
  };
  Out out() { return {list_}; }
  std::unique_ptr<heddle_device_list, Release> list_;
};

class Module {
public:
  explicit Module(const std::string &path, const std::vector<std::string> &devices = {},
                  heddle_on_device_lost onDeviceLost = HEDDLE_ON_DEVICE_LOST_FAIL,
                  heddle_allow_native allowNative = HEDDLE_ALLOW_NATIVE_ALWAYS, uint32_t threads = 0) {
    std::vector<const char *> uris;
    for (const std::string &device : devices)
      uris.push_back(device.c_str());
    heddle_load_options options{};
    options.struct_size = sizeof(options);
    options.device_count = static_cast<uint32_t>(uris.size());
    options.devices = uris.data();
    options.on_device_lost = onDeviceLost;
    options.allow_native = allowNative;
    options.threads = threads;
    check(heddle_module_load_file(path.c_str(), &options, &raw_));
  }
  explicit Module(heddle_module *owned) : raw_(owned) {}
  Module(const Module &other) : raw_(other.raw_) { heddle_module_retain(raw_); }
  Module(Module &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Module &operator=(Module other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Module() { heddle_module_release(raw_); }

  uint32_t entryPoints() const { return heddle_module_entry_point_count(raw_); }
  const heddle_entry_point_info &entryPoint(uint32_t index) const { return *heddle_module_entry_point(raw_, index); }
  uint32_t find(const char *name) const { // nullptr: "main", or the only one
    uint32_t index = 0;
    check(heddle_module_find_entry_point(raw_, name, &index));
    return index;
  }
  uint32_t devices() const { return heddle_module_device_count(raw_); }
  const heddle_module_device_info &device(uint32_t index) const { return *heddle_module_device(raw_, index); }
  // Of the numbers that calls draw.
  void seed(uint64_t seed) { heddle_module_seed(raw_, seed); }
  std::string warnings() const { // a line each
    char *text = nullptr;
    check(heddle_module_warnings(raw_, &text));
    std::string out = text;
    heddle_string_release(text);
    return out;
  }
  heddle_module *raw() const { return raw_; }

private:
  heddle_module *raw_ = nullptr;
};

class Event {
public:
  Event() { check(heddle_event_create(&raw_)); }
  explicit Event(heddle_event *owned) : raw_(owned) {}
  Event(const Event &other) : raw_(other.raw_) { heddle_event_retain(raw_); }
  Event(Event &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Event &operator=(Event other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Event() { heddle_event_release(raw_); }

  void signal() { check(heddle_event_signal(raw_, nullptr)); }
  void fail(StatusCode code, const char *message) {
    check(heddle_event_signal(raw_, heddle_status_create(code, message)));
  }
  bool reached() const { return heddle_event_query(raw_) != 0; }
  void wait(uint64_t timeoutNs = HEDDLE_FOREVER) const { check(heddle_event_wait(raw_, timeoutNs)); }
  heddle_event *raw() const { return raw_; }

private:
  heddle_event *raw_ = nullptr;
};

class Stream {
public:
  explicit Stream(const Module &module, uint32_t device = 0) {
    check(heddle_stream_create(module.raw(), device, &raw_));
  }
  Stream(Stream &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Stream &operator=(Stream &&other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Stream() { heddle_stream_release(raw_); }
  void synchronize() { check(heddle_stream_synchronize(raw_)); }
  heddle_stream *raw() const { return raw_; }

private:
  heddle_stream *raw_ = nullptr;
};

// What a program keeps between calls; the module's own one is used where none is named.
class State {
public:
  explicit State(const Module &module) { check(heddle_state_create(module.raw(), &raw_)); }
  State(State &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  State &operator=(State &&other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~State() { heddle_state_release(raw_); }
  void reset() { check(heddle_state_reset(raw_)); }
  uint64_t bytes() const { return heddle_state_bytes(raw_); }
  heddle_state *raw() const { return raw_; }

private:
  heddle_state *raw_ = nullptr;
};

// The state of a call. Calls of one invocation follow one another; two threads take two invocations of one module.
class Invocation {
public:
  explicit Invocation(const Module &module, const char *entryPoint = nullptr) {
    uint32_t index = module.find(entryPoint);
    results_ = module.entryPoint(index).result_count;
    check(heddle_invocation_create(module.raw(), index, &raw_));
  }
  Invocation(Invocation &&other) noexcept
      : raw_(std::exchange(other.raw_, nullptr)), results_(other.results_), trace_(std::move(other.trace_)) {}
  Invocation &operator=(Invocation &&other) noexcept {
    std::swap(raw_, other.raw_);
    std::swap(results_, other.results_);
    std::swap(trace_, other.trace_);
    return *this;
  }
  ~Invocation() { heddle_invocation_release(raw_); }

  // Results are allocated by the library.
  std::vector<Tensor> operator()(Span<const Tensor> arguments) {
    std::vector<Tensor> results(results_);
    call(arguments, results);
    return results;
  }
  template <size_t N> std::vector<Tensor> operator()(Tensor (&&arguments)[N]) {
    return (*this)(Span<const Tensor>(arguments, N));
  }
  std::vector<Tensor> operator()() { return (*this)(Span<const Tensor>()); }
  // Results with memory are written in place.
  void call(Span<const Tensor> arguments, Span<Tensor> results) {
    check(heddle_invocation_call(raw_, raws(arguments.data()), static_cast<uint32_t>(arguments.size()),
                                 raws(results.data()), static_cast<uint32_t>(results.size())));
  }
  // Argument memory and `results` must live until the event is reached.
  Event start(Span<const Tensor> arguments, Span<Tensor> results, Span<const Event> waits = {},
              Stream *stream = nullptr) {
    std::vector<heddle_event *> events;
    for (const Event &event : waits)
      events.push_back(event.raw());
    heddle_event *done = nullptr;
    check(heddle_invocation_start(raw_, raws(arguments.data()), static_cast<uint32_t>(arguments.size()),
                                  raws(results.data()), static_cast<uint32_t>(results.size()), events.data(),
                                  static_cast<uint32_t>(events.size()), stream ? stream->raw() : nullptr, &done));
    return Event(done);
  }

  void cancel() { heddle_invocation_cancel(raw_); }
  void setTimeout(uint64_t ns) { heddle_invocation_set_timeout(raw_, ns); }
  void setState(const State &state) { check(heddle_invocation_set_state(raw_, state.raw())); }
  void setProfiling(bool on) { heddle_invocation_set_profiling(raw_, on); }
  // Later calls hand every slice of what they did to `sink`, which must not throw; {}: off.
  void setTrace(std::function<void(const heddle_trace_slice &)> sink) {
    heddle_invocation_set_trace(raw_, nullptr, nullptr);
    trace_ = sink ? std::make_unique<std::function<void(const heddle_trace_slice &)>>(std::move(sink)) : nullptr;
    if (trace_)
      heddle_invocation_set_trace(
          raw_,
          [](void *user, const heddle_trace_slice *slice) {
            (*static_cast<std::function<void(const heddle_trace_slice &)> *>(user))(*slice);
          },
          trace_.get());
  }
  heddle_statistics statistics() const {
    heddle_statistics out{};
    out.struct_size = sizeof(out);
    heddle_invocation_get_statistics(raw_, &out);
    return out;
  }
  heddle_invocation *raw() const { return raw_; }

private:
  static const heddle_tensor *raws(const Tensor *tensors) { return reinterpret_cast<const heddle_tensor *>(tensors); }
  static heddle_tensor *raws(Tensor *tensors) { return reinterpret_cast<heddle_tensor *>(tensors); }
  heddle_invocation *raw_ = nullptr;
  uint32_t results_ = 0;
  std::unique_ptr<std::function<void(const heddle_trace_slice &)>> trace_;
};

} // namespace heddle

#endif // HEDDLE_HEDDLE_HPP
