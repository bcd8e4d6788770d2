// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of one rank in one call: what each buffer holds (Content.h), and who touched it last and when (Streams.h).
// Nothing is stored: a buffer of 2^40 bytes costs as much as one of 4.
//
//   uint32_t root = memory.make({Root::Kind::Alloc, 64, at});
//   Fault fault = memory.touch(buffer, Streams::kCall, /*writes=*/true, at);   // a race, a use after free, …
#ifndef HEDDLE_CONTRACT_LIB_CHECK_MEMORY_H
#define HEDDLE_CONTRACT_LIB_CHECK_MEMORY_H

#include "Content.h"
#include "Streams.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::contract::check {

// What is wrong with an instruction; "$" in the text stands for the instruction `other`.
struct Wrong {
  std::string text;
  uint32_t other = 0;
};
using Fault = std::optional<Wrong>;

// The accesses that no instruction makes: the caller's, and those of calls before.
inline constexpr uint32_t kCaller = UINT32_MAX;

// The number of the work, on the call's stream, that is all that was there before.
inline constexpr uint64_t kBefore = 1;

struct Access {
  Span span;
  uint32_t stream;
  uint64_t work; // its number on the stream
  bool writes;
  uint32_t at;
};

struct Root {
  enum class Kind { Argument, Result, Slab, Alloc, Constant };
  Kind kind;
  int64_t bytes;
  uint32_t at = kCaller; // the instruction that made it
  bool writable = true;
  bool freed = false, returned = false;
  Content content = {};
  std::vector<Access> history = {};
};

// What a buffer register holds: part of a root.
struct Buffer {
  int64_t root = -1;
  Span span;
  Place place;
  int64_t bytes() const { return span.end - span.begin; }
  bool isSet() const { return root >= 0; }
};

// What all ranks of a case may do (Memory::work() and instructions) until the check gives up.
inline constexpr uint64_t kMostWorldWork = 300'000'000;

class Memory {
public:
  // A call begins: what it comes after is the first work of its stream.
  void beginCall() {
    streams = {};
    streams.issue(Streams::kCall);
  }
  // Those that the caller has may still be in use when the call begins.
  uint32_t make(Root root);
  Root &root(const Buffer &buffer) { return roots_[static_cast<size_t>(buffer.root)]; }
  Buffer whole(uint32_t root) const { return {root, {0, roots_[root].bytes}, {}}; }

  // Notes an access by the next work of the stream. Refuses what is not ordered with an earlier access of the same
  // bytes, what was freed, and writes to what is only read.
  Fault touch(const Buffer &buffer, uint32_t stream, bool writes, uint32_t at);
  // What the bytes hold; refused: bytes that nobody wrote, or that another buffer of the slab wrote. `holes`: a kernel
  // may be bound to more than it reads, so some bytes must have been written.
  Fault read(const Buffer &buffer, std::vector<Fragment> &to, bool holes = false);
  void write(const Buffer &buffer, uint64_t tag, uint32_t at) {
    work_ += runsOf(buffer.span);
    root(buffer).content.write(buffer.span, tag, 0, buffer.place, at);
  }
  void write(const Buffer &buffer, const std::vector<Fragment> &fragments, uint32_t at) {
    work_ += fragments.size();
    root(buffer).content.write(buffer.span.begin, fragments, buffer.place, at);
  }
  // How much was looked at and kept for all of it, in pieces of history and content: what hostile programs make long.
  uint64_t work() const { return work_; }
  void charge(uint64_t work) { work_ += work; }
  // The work ends the buffer.
  Fault free(const Buffer &buffer, uint32_t stream, uint32_t at);
  // At the call's end: nothing runs that the call's stream does not come after, each allocation was freed or returned.
  Fault end() const;

  Streams streams;

private:
  Fault checkOrder(const Root &root, const Buffer &buffer, uint32_t stream, bool writes) const;

  std::vector<Root> roots_;
  uint64_t work_ = 0;
};

} // namespace heddle::contract::check

#endif // HEDDLE_CONTRACT_LIB_CHECK_MEMORY_H
