// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/Machine.h"

using namespace mlir::heddle::host;

std::shared_ptr<Storage> Machine::allocate(llvm::StringRef device, int64_t bytes) {
  auto storage = std::make_shared<Storage>();
  storage->device = device.str();
  storage->bytes.assign(bytes, std::byte{0xCD});
  return storage;
}

std::shared_ptr<Storage> Machine::slab(llvm::StringRef symbol, llvm::StringRef device, int64_t bytes) {
  std::shared_ptr<Storage> &storage = slabs[symbol];
  if (!storage || static_cast<int64_t>(storage->bytes.size()) < bytes)
    storage = allocate(device, bytes);
  return storage;
}

Machine::StreamId Machine::stream(llvm::StringRef name, llvm::StringRef device) {
  auto [entry, isNew] = names.try_emplace(name, queues.size());
  if (isNew) {
    queues.emplace_back();
    devices.push_back(device.str());
  }
  return entry->second;
}

void Machine::enqueue(StreamId stream, Work work) { queues[stream].push_back({std::move(work), nullptr, nullptr}); }

std::shared_ptr<Event> Machine::record(StreamId stream) {
  auto event = std::make_shared<Event>();
  queues[stream].push_back({nullptr, nullptr, event});
  return event;
}

void Machine::wait(StreamId stream, std::shared_ptr<Event> event) {
  queues[stream].push_back({nullptr, std::move(event), nullptr});
}

bool Machine::runOne() {
  std::vector<size_t> ready;
  for (size_t i = 0; i < queues.size(); ++i)
    if (!queues[i].empty() && (!queues[i].front().waitsFor || queues[i].front().waitsFor->done))
      ready.push_back(i);
  if (ready.empty())
    return false;
  // One stream runs ahead of the others for a while: that shows more than a fair choice at each step.
  if (random() % 8 == 0)
    favourite = random();
  std::deque<Item> &queue = queues[ready[favourite % ready.size()]];
  Item item = std::move(queue.front());
  queue.pop_front();
  if (item.work && error.empty())
    error = item.work();
  if (item.signals)
    item.signals->done = true;
  return true;
}

void Machine::runSome() {
  uint64_t count = pace == Pace::Lazy ? 0 : pace == Pace::Eager ? 1000 : random() % 3;
  for (; count > 0 && runOne(); --count) {
  }
}

bool Machine::runUntil(const Event &event) {
  while (!event.done)
    if (!runOne())
      return false;
  return true;
}

bool Machine::runAll() {
  while (runOne()) {
  }
  return llvm::all_of(queues, [](const std::deque<Item> &queue) { return queue.empty(); });
}
