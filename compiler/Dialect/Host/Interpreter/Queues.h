// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams of a machine: queues whose items run in any legal order, chosen by a seed, so that what a program forgets to
// order goes wrong under some seed; or in every legal order, one run after the other; or each item at once, in the
// order of the program.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_QUEUES_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_QUEUES_H

#include "compiler/Dialect/Host/IR/HostMachine.h"

#include "llvm/ADT/StringMap.h"

#include <deque>
#include <optional>
#include <random>

namespace mlir::heddle::host {

// All orders of a program's work, run by run: which of the ready streams goes on at each step.
//
//   for (OrderScript script; …; ) { run(script); if (!script.next()) break; }
class OrderScript {
public:
  // The choice among `count` streams at the next step of this run.
  size_t choose(size_t count);
  // To the next order; false after the last.
  bool next();

private:
  std::vector<std::pair<size_t, size_t>> choices; // what was chosen, of how many
  size_t step = 0;
};

class Queues {
public:
  using Work = HostMachine::Work;

  // Without a seed: in the order of the program.
  explicit Queues(std::optional<uint64_t> seed);
  // In the order of the script's run, which is borrowed.
  explicit Queues(OrderScript &script) : pace(Pace::Lazy), favourite(0), script(&script) {}

  bool isInOrder() const { return pace == Pace::InOrder; }
  StreamId stream(StringRef name, StringRef device);
  const std::string &deviceOf(StreamId stream) const { return devices[stream]; }
  void enqueue(StreamId stream, Work work);
  // Work that waits until others, of other ranks, have come: `isOpen` tells, and changes nothing.
  void enqueueGate(StreamId stream, std::function<bool()> isOpen, Work work);
  // Called where nothing can run here any more; lets other ranks go on, false if none can.
  void setIdle(std::function<bool()> lets) { idle = std::move(lets); }
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
    std::function<bool()> isOpen = {};
  };
  // How far the streams keep up with the host: only when it waits, somewhat, at once in any order, exactly.
  enum class Pace { Lazy, Mixed, Eager, InOrder };
  bool runOne();
  bool othersGoOn() { return error.empty() && idle && idle(); }
  static bool isReady(const Item &item) {
    return (!item.waitsFor || item.waitsFor->done) && (!item.isOpen || item.isOpen());
  }
  void push(StreamId stream, Item item);
  void run(const Item &item);

  std::mt19937_64 random;
  Pace pace;
  uint64_t favourite;
  llvm::StringMap<StreamId> names;
  std::vector<std::deque<Item>> queues;
  std::vector<std::string> devices; // of the queues
  OrderScript *script = nullptr;
  std::function<bool()> idle;
  std::string error;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_QUEUES_H
