// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whose bytes go next, of the collectives that a process has in flight. They all begin at once, so that each waits for
// the link's delay beside the others; but what is large goes in chunks, of the first of them first. Were the link
// shared between them, all would end when the last one does, and whoever computes with the first would wait as long.
//
// Of sends only: receives are posted at once. So what this process has not sent is all that a turn keeps waiting; and
// that not for ever: one whose chunks do not come through, since its receiver has not come to it, is passed over.
//
//   Turns::Transfer transfer{request.order};
//   bool atOnce = turns.enter(transfer, bytes);  // now it has a place
//   if (turns.maySend(transfer, now)) …        // a chunk
//   turns.sent(transfer, chunk, now);  …  turns.cameThrough(transfer, chunk, now);
//   turns.leave(transfer);                     // done, or given up
#ifndef HEDDLE_RUNTIME_COLLECTIVES_MPI_TURNS_H
#define HEDDLE_RUNTIME_COLLECTIVES_MPI_TURNS_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

namespace heddle::collectives {

// Thread safe; a transfer is one thread's.
class Turns {
public:
  using Clock = std::chrono::steady_clock;
  // What is on its way at once, so that delays of chunks are waited for together.
  static constexpr uint64_t kWindow = 1 << 20;
  static constexpr uint64_t kLeastChunk = 128 << 10, kMostChunks = 64; // of one message
  static constexpr auto kPatience = std::chrono::seconds(2);           // much more than a window takes

  // What a message of so many bytes is sent in; the receiver reckons alike.
  static uint64_t chunkOf(uint64_t bytes) { return std::max(kLeastChunk, (bytes + kMostChunks - 1) / kMostChunks); }

  struct Transfer {
    uint64_t order = 0; // the least is first
    bool isWhole = false;
    uint64_t toSend = 0, onItsWay = 0; // bytes
    Clock::time_point moved{};         // when one of its chunks has last been sent from none, or come through
  };

  // True: nothing is before it, nor can come to be, so it may send all at once; else in chunks. Orders are consecutive,
  // but for what sends nothing.
  bool enter(Transfer &transfer, uint64_t bytes) {
    std::lock_guard lock(mutex_);
    const bool isAlone = transfers_.empty() && transfer.order <= last_ + 1;
    last_ = transfer.order;
    transfer.toSend = bytes;
    transfer.isWhole = isAlone;
    const auto isBefore = [](const Transfer *a, const Transfer *b) { return a->order < b->order; };
    transfers_.insert(std::upper_bound(transfers_.begin(), transfers_.end(), &transfer, isBefore), &transfer);
    return isAlone;
  }

  // Whether the transfer, which has something to send, may send a chunk now.
  bool maySend(const Transfer &transfer, Clock::time_point now) {
    std::lock_guard lock(mutex_);
    uint64_t before = 0;
    for (const Transfer *each : transfers_) {
      if (each == &transfer)
        break;
      if (each->onItsWay && now - each->moved > kPatience)
        continue;
      if (each->toSend)
        return false;
      // What is sent at once comes through at its end; the next one has begun by then.
      before += each->isWhole ? std::min(each->onItsWay, kWindow / 2) : each->onItsWay;
    }
    return transfer.isWhole || before + transfer.onItsWay < std::max(kWindow, 4 * chunkOf(transfer.toSend));
  }

  void sent(Transfer &transfer, uint64_t bytes, Clock::time_point now) {
    std::lock_guard lock(mutex_);
    if (!transfer.onItsWay)
      transfer.moved = now;
    transfer.toSend -= bytes, transfer.onItsWay += bytes;
  }

  void cameThrough(Transfer &transfer, uint64_t bytes, Clock::time_point now) {
    std::lock_guard lock(mutex_);
    transfer.onItsWay -= bytes, transfer.moved = now;
  }

  // Of one that is not there nothing is done.
  void leave(Transfer &transfer) {
    std::lock_guard lock(mutex_);
    transfer.toSend = transfer.onItsWay = 0;
    std::erase(transfers_, &transfer);
  }

private:
  std::mutex mutex_;
  std::vector<Transfer *> transfers_; // by their order
  uint64_t last_ = 0;                 // the order of the last that has entered
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_MPI_TURNS_H
