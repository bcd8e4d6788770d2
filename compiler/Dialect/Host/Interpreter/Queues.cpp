// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/Queues.h"

using namespace mlir::heddle::host;

size_t OrderScript::choose(size_t count) {
  if (step == choices.size())
    choices.push_back({0, count});
  return choices[step++].first;
}

bool OrderScript::next() {
  step = 0;
  while (!choices.empty() && ++choices.back().first == choices.back().second)
    choices.pop_back();
  return !choices.empty();
}

Queues::Queues(std::optional<uint64_t> seed)
    : random(seed.value_or(0)), pace(seed ? static_cast<Pace>(random() % 3) : Pace::InOrder), favourite(random()) {}

StreamId Queues::stream(llvm::StringRef name, llvm::StringRef device) {
  auto [entry, isNew] = names.try_emplace(name, queues.size());
  if (isNew) {
    queues.emplace_back();
    devices.push_back(device.str());
  }
  return entry->second;
}

// In order, whatever an item waits for is done: the program could only name an event that was recorded before.
void Queues::push(StreamId stream, Item item) {
  if (isInOrder())
    run(item);
  else
    queues[stream].push_back(std::move(item));
}

void Queues::run(const Item &item) {
  // In order, the others come meanwhile.
  while (item.isOpen && !item.isOpen())
    if (!othersGoOn()) {
      if (error.empty())
        error = "waits for ranks that do not come";
      break;
    }
  if (item.work && error.empty())
    error = item.work();
  if (item.signals)
    item.signals->done = true;
}

void Queues::enqueue(StreamId stream, Work work) { push(stream, {std::move(work), nullptr, nullptr}); }

void Queues::enqueueGate(StreamId stream, std::function<bool()> isOpen, Work work) {
  push(stream, {std::move(work), nullptr, nullptr, std::move(isOpen)});
}

std::shared_ptr<Event> Queues::record(StreamId stream) {
  auto event = std::make_shared<Event>();
  push(stream, {nullptr, nullptr, event});
  return event;
}

void Queues::wait(StreamId stream, std::shared_ptr<Event> event) { push(stream, {nullptr, std::move(event), nullptr}); }

bool Queues::runOne() {
  std::vector<size_t> ready;
  for (size_t i = 0; i < queues.size(); ++i)
    if (!queues[i].empty() && isReady(queues[i].front()))
      ready.push_back(i);
  if (ready.empty())
    return false;
  // One stream runs ahead of the others for a while: that shows more than a fair choice at each step.
  if (!script && random() % 8 == 0)
    favourite = random();
  auto order = llvm::find_if(ready, [&](size_t i) { return !queues[i].front().work; });
  // What only orders changes nothing but what is ready, so it makes no difference when it runs.
  size_t chosen = !script                ? favourite % ready.size()
                  : order != ready.end() ? order - ready.begin()
                                         : script->choose(ready.size());
  std::deque<Item> &queue = queues[ready[chosen]];
  Item item = std::move(queue.front());
  queue.pop_front();
  run(item);
  return true;
}

void Queues::runSome() {
  uint64_t count = pace == Pace::Lazy ? 0 : pace == Pace::Eager ? 1000 : random() % 3;
  for (; count > 0 && runOne(); --count) {
  }
}

bool Queues::runUntil(const Event &event) {
  while (!event.done)
    if (!runOne() && !othersGoOn())
      return false;
  return true;
}

bool Queues::runAll() {
  auto isEmpty = [](const std::deque<Item> &queue) { return queue.empty(); };
  for (;;) {
    while (runOne()) {
    }
    if (llvm::all_of(queues, isEmpty))
      return true;
    if (!othersGoOn())
      return false;
  }
}
