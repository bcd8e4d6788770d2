// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks that meet in collectives. A Group is one member's side of it: the other members hold theirs, on other
// threads of the process (createLocalWorld) or in other processes (createMpiWorld). What a collective does, and in
// which order the members run them, is the program's; a group moves bytes and reduces elements.
//
// All members run the same collectives in the same order; run() blocks until this member's part is done. Members that
// arrive with different collectives fail all, with words, before a byte is moved. Reductions are in the order of ranks,
// ((x0 + x1) + x2) + …: the bits depend on the values and the number of members, never on time, transport or threads.
// Floats of 16 and 8 bits are reduced in f32 and rounded once. Min and max of floats give NaN where an element is NaN,
// and -0 is less than +0, as arith.minimumf and arith.maximumf.
//
// Failure ends the whole world, not one group: who cannot go on calls abort(), every wait of every member of every
// group ends with that first cause, and so does each later call. A wait beyond the deadline does the same.
//
// Threads: one at a time for each Group; abort() at any time, from any thread, until the group is destroyed. Members of
// one process may be destroyed in any order, none while it runs.
//
//   Request request{CollectiveKind::AllReduce, Reduction::Sum, ElementType::F32};
//   request.count = 1024, request.source = in, request.target = out, request.name = "psum";
//   HEDDLE_RETURN_IF_ERROR(group->run(request));
#ifndef HEDDLE_RUNTIME_COLLECTIVES_GROUP_H
#define HEDDLE_RUNTIME_COLLECTIVES_GROUP_H

#include "heddle/contract/Collectives.h"
#include "heddle/contract/ElementType.h"
#include "runtime/base/Status.h"

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace heddle::collectives {

using contract::CollectiveKind;
using contract::ElementType;
using contract::Reduction;

// One collective as one member asks for it. Sizes of source and target in elements, what `count` counts and what a
// member gets: the table in contract/Collectives.h. A source that nobody reads (broadcast and scatter on others than
// the root, permute without sendTo) may be null. A source may be the target where they have one size, and else lie in
// it, or it in the source, as the member's own piece lies there (at rank() * count). Any other overlap is refused, and
// any at all where pieces are cut. An exchange is cut.
struct Request {
  static constexpr int64_t kNone = -1;

  CollectiveKind kind = CollectiveKind::AllReduce;
  Reduction reduction = Reduction::Sum; // all_reduce, reduce_scatter
  ElementType type = ElementType::None;
  int64_t root = 0;                            // broadcast, gather, scatter: a member
  int64_t sendTo = kNone, receiveFrom = kNone; // permute: members, maybe itself; must fit those of the others
  uint64_t count = 0;
  uint64_t order = 0;                  // of those in flight at once the bytes of the least go first; nobody checks it
  const contract::Cut *cuts = nullptr; // cutsOf(kind) of them, equal on all members; null: pieces are of one size
  const void *source = nullptr;
  void *target = nullptr;
  const char *name = ""; // for messages, behind the kind; read while run() runs, as cuts are

  std::span<const contract::Cut> allCuts() const { return {cuts, cuts ? contract::cutsOf(kind) : 0}; }
};

// How messages call it: "all_reduce psum", or "all_reduce" where it has no name.
std::string titleOf(const Request &request);
// Bytes of source and target of a member of a group of that size. They fit 64 bits where checkSizes() passes.
uint64_t sourceBytes(const Request &request, uint32_t rank, uint32_t members);
uint64_t targetBytes(const Request &request, uint32_t rank, uint32_t members);
// Of a piece; where it is cut no piece has more, and all members say the same.
uint64_t pieceBytes(const Request &request);
// What check() says of cuts, type and sizes.
Status checkSizes(const Request &request, uint32_t members);
// Whether two members' requests are not one collective.
bool isOther(const Request &theirs, const Request &mine);
// Why they are not, "" where they are: "all_reduce psum of 8 elements of f32 (sum), not
// all_gather x of 4 elements of f32".
std::string explainDifference(const Request &theirs, const Request &mine);
// Whether the member's source is read at all.
bool readsSource(const Request &request, uint32_t rank);
// What one member can say of a request alone: a partner or root that is none, a type that cannot be so reduced, sizes
// beyond 2^62 bytes, no memory, overlaps. InvalidArgument; Unsupported for a reduction that canReduce() of Reduce.h
// refuses.
Status check(const Request &request, uint32_t rank, uint32_t members);

// Where members gave different words to agree(). `word` is kCount when they differ in how many they gave.
struct Mismatch {
  static constexpr uint64_t kCount = ~uint64_t{0};
  uint64_t word = 0;
  uint32_t rank = 0;                // the first member, in order of ranks, that differs from member 0
  uint64_t value = 0, expected = 0; // its word, and member 0's
};

class Group {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNoDeadline = Clock::time_point::max();

  virtual ~Group() = default;
  virtual uint32_t rank() const = 0; // of this member, in 0 … size() - 1
  virtual uint32_t size() const = 0;
  // How many collectives of a rank gain by being in flight at once, each in a group of its own; equal on all members.
  // 1: they only move memory, and one after the other is as fast.
  virtual uint32_t atOnce() const { return 1; }
  // The rank in the world of a member.
  virtual uint32_t worldRank(uint32_t member) const = 0;
  // Memory of the host, which stays as it is until run() returns. What check() refuses on one member aborts the world.
  // After a failure the target's bytes are unspecified.
  virtual Status run(const Request &request) = 0;
  // Collective. The members that give one colour become a group, in the order of their keys, then of their ranks. Null
  // for a member with a colour below 0. Groups of several splits may be alive and used at once, by one thread each.
  virtual StatusOr<std::unique_ptr<Group>> split(int64_t color, int64_t key) = 0;
  // Collective. Fails on all members, with what `describe` makes of the first difference, unless all gave equal words;
  // the world goes on. InvalidArgument.
  virtual Status agree(std::span<const uint64_t> words,
                       const std::function<std::string(const Mismatch &)> &describe) = 0;
  // Collective. Returns when all members have come.
  Status barrier();
  // The world's first cause is "rank R: " and this one, R in the world; a later one is dropped. Returns at once.
  virtual void abort(const Status &cause) = 0;
  // The first cause, as run() returns it; success while there is none.
  virtual Status failure() const = 0;
  // Waits beyond it abort the world with DeadlineExceeded, which names the collective and the members that have not
  // come. Holds for this member's waits until it is set again.
  virtual void setDeadline(Clock::time_point deadline) = 0;
};

// How messages name a member: "rank 3", or "rank 3 (member 1 of 4)" where that is not its number in the group.
std::string describeMember(const Group &group, uint32_t member);

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_GROUP_H
