// An opened device: a source of buffers, streams and executables, which keep it alive. Thread-safe.
#ifndef HEDDLE_RUNTIME_HAL_DEVICE_H
#define HEDDLE_RUNTIME_HAL_DEVICE_H

#include "runtime/hal/Buffer.h"
#include "runtime/hal/Stream.h"
#include "runtime/match/DeviceInfo.h"

namespace heddle::hal {

enum class StreamMode : uint8_t { Inline, Queued };

class Device {
public:
  virtual ~Device() = default;
  const DeviceInfo &info() const { return info_; }
  // OutOfMemory when there is not so much, or the device's limit is reached.
  virtual StatusOr<BufferRef> allocate(uint64_t bytes) = 0;
  // Io when the system gives no thread.
  virtual StatusOr<std::unique_ptr<Stream>> createStream(StreamMode mode) = 0;
  // Unsupported for a format that is not in info().formats; Malformed when the code cannot be loaded or lacks a symbol.
  virtual StatusOr<std::unique_ptr<Executable>> load(const ExecutableSource &source) = 0;

protected:
  explicit Device(DeviceInfo info) : info_(std::move(info)) {}

private:
  DeviceInfo info_;
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_DEVICE_H
