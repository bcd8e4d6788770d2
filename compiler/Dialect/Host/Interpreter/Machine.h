// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that the interpreter runs host programs on: buffers are real bytes, streams are queues whose items run in
// any legal order, chosen by a seed. What a program forgets to order goes wrong under some seed.
//
// Fresh memory holds 0xCD, freed memory 0xDD, so that reading either shows. One machine lives for the calls of one
// module; the slab keeps its bytes between calls, as the runtime's does.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_MACHINE_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_MACHINE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace mlir::heddle::host {

struct Storage {
  std::vector<std::byte> bytes;
  std::string device; // whose memory it is
  bool freed = false;
};

// Bytes of a storage. Null storage: no buffer.
struct BufferView {
  std::shared_ptr<Storage> storage;
  int64_t offset = 0;
  int64_t size = 0;

  std::span<std::byte> bytes() const { return {storage->bytes.data() + offset, static_cast<size_t>(size)}; }
};

struct Event {
  bool done = false;
};

class Machine {
public:
  // An item of a queue: does its work, or says what is wrong.
  using Work = std::function<std::string()>;
  using StreamId = unsigned;

  explicit Machine(uint64_t seed) : random(seed), pace(static_cast<Pace>(random() % 3)), favourite(random()) {}

  static std::shared_ptr<Storage> allocate(StringRef device, int64_t bytes);
  // The slab of a device symbol, grown to `bytes`, in the memory of `device`.
  std::shared_ptr<Storage> slab(StringRef symbol, StringRef device, int64_t bytes);

  StreamId stream(StringRef name, StringRef device);
  const std::string &deviceOf(StreamId stream) const { return devices[stream]; }
  void enqueue(StreamId stream, Work work);
  std::shared_ptr<Event> record(StreamId stream);
  void wait(StreamId stream, std::shared_ptr<Event> event);

  // Runs some ready items or none, as the seed says; called between the host's steps.
  void runSome();
  // Runs items in the seed's order until the event is done. False when nothing can run any more: a deadlock.
  bool runUntil(const Event &event);
  // Runs what is left.
  bool runAll();

  // The first thing that went wrong in an item; empty if nothing did.
  const std::string &failure() const { return error; }

private:
  struct Item {
    Work work;
    std::shared_ptr<Event> waitsFor, signals;
  };
  // How far the streams keep up with the host: only when it waits, somewhat, at once.
  enum class Pace { Lazy, Mixed, Eager };
  bool runOne();

  std::mt19937_64 random;
  Pace pace;
  uint64_t favourite;
  llvm::StringMap<StreamId> names;
  std::vector<std::deque<Item>> queues;
  std::vector<std::string> devices; // of the queues
  llvm::StringMap<std::shared_ptr<Storage>> slabs;
  std::string error;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_MACHINE_H
