// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of devices for C++: RAII over buffers.h, header only, as heddle.hpp is over heddle.h.
//
//   heddle::Buffer buffer(module, 0, 16);                                      // on the module's first device
//   buffer.write(0, values.data(), 16);
//   heddle::View x = heddle::View::of(buffer, HEDDLE_F32, {4}), y = heddle::View::on(0);
//   heddle::callViews(call, {&x, 1}, {&y, 1});                                 // y stays on the device
//   y.read(values.data());
#ifndef HEDDLE_BUFFERS_HPP
#define HEDDLE_BUFFERS_HPP

#include "heddle/buffers.h"
#include "heddle/heddle.hpp"

namespace heddle {

// A share of a buffer.
class Buffer {
public:
  Buffer(const Module &module, uint32_t device, uint64_t bytes, uint32_t flags = 0) {
    check(heddle_buffer_allocate(module.raw(), device, bytes, flags, &raw_));
  }
  // Memory that is there already; `memory.struct_size` is set here.
  Buffer(const Module &module, uint32_t device, heddle_memory memory) {
    memory.struct_size = sizeof(memory);
    check(heddle_buffer_import(module.raw(), device, &memory, &raw_));
  }
  explicit Buffer(heddle_buffer *owned) : raw_(owned) {}
  Buffer(const Buffer &other) : raw_(other.raw_) {
    if (raw_)
      heddle_buffer_retain(raw_);
  }
  Buffer(Buffer &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Buffer &operator=(Buffer other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Buffer() { heddle_buffer_release(raw_); }

  void write(uint64_t offset, const void *data, uint64_t bytes) {
    check(heddle_buffer_write(raw_, offset, data, bytes));
  }
  void read(uint64_t offset, void *data, uint64_t bytes) const { check(heddle_buffer_read(raw_, offset, data, bytes)); }
  heddle_buffer_info info() const {
    heddle_buffer_info out{};
    out.struct_size = sizeof(out);
    heddle_buffer_get_info(raw_, &out);
    return out;
  }
  // A new file descriptor, the caller's.
  int exportDescriptor() {
    int32_t descriptor = -1;
    check(heddle_buffer_export(raw_, &descriptor));
    return descriptor;
  }
  heddle_buffer *raw() const { return raw_; }

private:
  heddle_buffer *raw_ = nullptr;
};

// A tensor in a buffer, of which it holds a share, or in borrowed memory of the host. Move only.
class View {
public:
  View() : raw_{} {}
  explicit View(const heddle_view &raw) : raw_(raw) {} // takes raw.buffer's reference
  View(View &&other) noexcept : raw_(std::exchange(other.raw_, {})) {}
  View &operator=(View &&other) noexcept {
    if (this != &other) {
      heddle_view_reset(&raw_);
      raw_ = std::exchange(other.raw_, {});
    }
    return *this;
  }
  ~View() { heddle_view_reset(&raw_); }

  // The elements from `offset` bytes on.
  static View of(const Buffer &buffer, ElementType type, std::initializer_list<int64_t> dims, uint64_t offset = 0) {
    View view;
    heddle_buffer_retain(buffer.raw());
    view.raw_.buffer = buffer.raw();
    view.raw_.offset = offset;
    view.describe(type, dims);
    return view;
  }
  // Memory of the host, which must outlive the view and every call that uses it.
  template <typename Container> static View borrow(Container &values, std::initializer_list<int64_t> dims) {
    using T = std::remove_cv_t<std::remove_reference_t<decltype(*std::data(values))>>;
    View view;
    view.raw_.data = const_cast<T *>(std::data(values));
    view.describe(elementTypeOf<T>(), dims);
    return view;
  }
  // A result that the library allocates on this device of the module, or with HEDDLE_HOST in memory of the host.
  static View on(uint32_t device) {
    View view;
    view.raw_.device = device;
    return view;
  }
  // A DLManagedTensor, or with `versioned` a DLManagedTensorVersioned; taken unless this throws.
  static View fromDlpack(const Module &module, void *tensor, bool versioned) {
    View view;
    check(heddle_view_from_dlpack(module.raw(), tensor, versioned, &view.raw_));
    return view;
  }
  void *toDlpack(bool versioned) const {
    void *tensor = nullptr;
    check(heddle_view_to_dlpack(&raw_, versioned, &tensor));
    return tensor;
  }

  ElementType type() const { return raw_.type; }
  Span<const int64_t> dims() const { return {raw_.dims, raw_.rank}; }
  uint64_t bytes() const { return raw_.bytes; }
  void read(void *data) const { check(heddle_buffer_read(raw_.buffer, raw_.offset, data, raw_.bytes)); }
  const heddle_view &raw() const { return raw_; }
  heddle_view &raw() { return raw_; }

private:
  void describe(ElementType type, std::initializer_list<int64_t> dims) {
    if (dims.size() > HEDDLE_MAX_RANK)
      check(heddle_status_create(HEDDLE_INVALID_ARGUMENT, "a tensor has at most 16 dimensions"));
    raw_.type = type;
    raw_.bytes = heddle_element_type_bytes(type);
    for (int64_t dim : dims) {
      raw_.dims[raw_.rank++] = dim;
      raw_.bytes *= static_cast<uint64_t>(dim);
    }
  }
  heddle_view raw_;
};
static_assert(sizeof(View) == sizeof(heddle_view), "arrays of View are passed as arrays of heddle_view");

class Semaphore {
public:
  explicit Semaphore(uint64_t value = 0) { check(heddle_semaphore_create(value, &raw_)); }
  Semaphore(const Semaphore &other) : raw_(other.raw_) { heddle_semaphore_retain(raw_); }
  Semaphore(Semaphore &&other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Semaphore &operator=(Semaphore other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Semaphore() { heddle_semaphore_release(raw_); }

  uint64_t value() const {
    uint64_t out = 0;
    check(heddle_semaphore_value(raw_, &out));
    return out;
  }
  void signal(uint64_t value) { check(heddle_semaphore_signal(raw_, value)); }
  void fail(StatusCode code, const char *message) { heddle_semaphore_fail(raw_, heddle_status_create(code, message)); }
  void wait(uint64_t value, uint64_t timeoutNs = HEDDLE_FOREVER) const {
    check(heddle_semaphore_wait(raw_, value, timeoutNs));
  }
  heddle_semaphore_point at(uint64_t value) const { return {raw_, value}; }
  heddle_semaphore *raw() const { return raw_; }

private:
  heddle_semaphore *raw_ = nullptr;
};

inline void callViews(Invocation &call, Span<const View> arguments, Span<View> results) {
  check(heddle_invocation_call_views(
      call.raw(), reinterpret_cast<const heddle_view *>(arguments.data()), static_cast<uint32_t>(arguments.size()),
      reinterpret_cast<heddle_view *>(results.data()), static_cast<uint32_t>(results.size())));
}

// `results` must live until the call is done.
inline Event startViews(Invocation &call, Span<const View> arguments, Span<View> results,
                        Span<const heddle_semaphore_point> waits = {}, Span<const heddle_semaphore_point> signals = {},
                        Stream *stream = nullptr) {
  heddle_start_options options{};
  options.struct_size = sizeof(options);
  options.waits = waits.data();
  options.wait_count = static_cast<uint32_t>(waits.size());
  options.signals = signals.data();
  options.signal_count = static_cast<uint32_t>(signals.size());
  options.stream = stream ? stream->raw() : nullptr;
  heddle_event *done = nullptr;
  check(heddle_invocation_start_views(
      call.raw(), reinterpret_cast<const heddle_view *>(arguments.data()), static_cast<uint32_t>(arguments.size()),
      reinterpret_cast<heddle_view *>(results.data()), static_cast<uint32_t>(results.size()), &options, &done));
  return Event(done);
}

} // namespace heddle

#endif // HEDDLE_BUFFERS_HPP
