// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What does the collectives of a call, on threads of its own: the device, so to say, of the stream of collectives. A
// collective is a dispatch there, in the order of the program and beside all other streams, also where these are
// inline. As many are in flight as the world gains by (Ranks::atOnce, hal/OverlapQueue.h), each in a group of its own:
// the n-th of a call among equal groups is in the n-th of them, in turn. Memory that the host cannot address is brought
// to it and back by blocking commands of its device.
//
// First in each call the ranks agree that they make the same one: entry point and sizes of named dimensions. Nobody
// waits for that but the first collective. Where they differ the call fails on all ranks, and the world goes on; so it
// is where a rank refuses the call, since its arguments do not fit. Any other failure ends the world.
//
// The program's thread makes dispatches, begins and asks; the queue's threads do the work.
//
//   devices.createStreams(Communicator::work(communicator));           // which it then shares
//   HEDDLE_RETURN_IF_ERROR(communicator.begin());                      // each call, in its turn
//   HEDDLE_RETURN_IF_ERROR(communicator.agree(stream, scalars));
//   HEDDLE_RETURN_IF_ERROR(communicator.collective(stream, index, source, target, count, {}, statistics));
//   status = communicator.end(std::move(status));                      // the program is over; drain() is owed
//   communicator.release();
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_COMMUNICATOR_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_COMMUNICATOR_H

#include "runtime/executor/call/Clock.h"
#include "runtime/executor/call/Frame.h"
#include "runtime/executor/load/Module.h"
#include "runtime/executor/load/Ranks.h"
#include "runtime/hal/OverlapQueue.h"

namespace heddle {

// How an instruction cuts pieces, by the registers that it reads.
class Cuts {
public:
  Cuts(const CollectiveCutOp &op, std::span<const int64_t> scalars) : count_(op.numbers / 4) {
    for (size_t i = 0; i < count_; ++i)
      cuts_[i] = {scalars[op.cut[4 * i]], scalars[op.cut[4 * i + 1]], scalars[op.cut[4 * i + 2]],
                  scalars[op.cut[4 * i + 3]]};
  }
  std::span<const contract::Cut> all() const { return {cuts_, count_}; }

private:
  contract::Cut cuts_[contract::kMostCuts];
  size_t count_;
};

class Communicator {
public:
  // All are borrowed; the function is one that meets (Function::meets).
  Communicator(const Module &module, const Function &function, Clock &clock);
  ~Communicator() { release(); }
  Communicator(const Communicator &) = delete;
  static hal::HostWork work(std::shared_ptr<Communicator> communicator);

  // In the call's turn: an abort of the world interrupts its clock from here to release(). RankFailed: the world is of
  // no use any more.
  Status begin();
  void release() { ranks_.world().setInterrupt(ranks_.member(), nullptr, nullptr); }
  // In place of all else of a call: it is refused. Returns when all ranks know, with this cause.
  Status refuse(Status cause);
  // Whether the ranks make the same call, with the registers that it begins with.
  Status agree(hal::Commands &stream, std::span<const int64_t> scalars);
  // InvalidArgument for memory that does not fit, and for cuts of no group. Counted in `statistics`.
  Status collective(hal::Commands &stream, uint32_t index, const PlacedBuffer &source, const PlacedBuffer &target,
                    int64_t count, std::span<const contract::Cut> cuts, CallStatistics &statistics);
  // The program ended so: what the call failed of. A failure that is this rank's alone ends the world.
  Status end(Status status);
  // Whether the call failed because the ranks made different ones, which each knows; forgotten when it was asked.
  bool takeAgreedFailure();

private:
  class Worker;
  // On a queue's thread.
  Status dispatch(const hal::Dispatch &dispatch, Worker &worker);
  // The cause outside of this rank's program for which the call cannot go on; ok: there is none.
  Status cause() const;
  Status runAgreement(std::span<const int64_t> words);
  // What the rank that refuses the call says, to all.
  Status shareRefusal(uint32_t rank, const Status &own);
  uint64_t entryPoint() const; // its number, equal on all ranks
  std::string describe(const collectives::Mismatch &mismatch) const;
  Status runCollective(const hal::Dispatch &dispatch, Worker &worker);
  // By the host's group, with staging where the host does not see the memory.
  Status meetOnHost(const hal::Dispatch &dispatch, const BoundCollective &bound, collectives::Request &request,
                    Worker &worker);
  // Has `run` do the collective until a deadline, and tells what it says as this rank's.
  template <typename Run> Status meet(const BoundCollective &collective, collectives::Group &group, Run &&run);
  // What `heddle launch` is told: the collective is in flight, and no more.
  void arrive(const BoundCollective &collective);
  void leave(const BoundCollective &collective);

  const Module &module_;
  const Function &function_;
  Ranks &ranks_;
  Clock &clock_;
  std::vector<int64_t> words_;
  std::vector<uint32_t> met_; // collectives of this call, by channel
  uint64_t order_ = 0;        // of the last collective
  mutable std::mutex mutex_;
  Status failure_; // of the first collective that failed
  std::vector<const BoundCollective *> inFlight_;
  std::atomic<bool> agreedToFail_{false};
  std::atomic<uint32_t> working_{0}; // threads, on a collective
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_COMMUNICATOR_H
