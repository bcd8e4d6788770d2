// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the bytes of a buffer are computed from, without computing them: each byte has a tag (the hash of the op and of
// all that it read) and a position in what the op wrote. Equal tags and positions are equal bytes, on any rank.
//
//   content.write({0, 64}, tag, 0, {}, at);   content.read({16, 32}, {}, false, fragments, writer);  // 16 bytes of tag
//   from 16
#ifndef HEDDLE_CONTRACT_LIB_CHECK_CONTENT_H
#define HEDDLE_CONTRACT_LIB_CHECK_CONTENT_H

#include "heddle/contract/Draw.h"

#include <cstdint>
#include <map>
#include <vector>

namespace heddle::contract::check {

inline constexpr uint64_t kZeros = 1; // the tag of zeros
inline constexpr uint64_t kHole = 0;  // and of what nothing has written

constexpr uint64_t mix(uint64_t hash, uint64_t value) {
  return mixBits(hash + 0x9E3779B97F4A7C15) ^ mixBits(value + 0x632BE59BD9B4E019) * 3;
}

// Bytes [begin, end) of a root, or in them runs of `run` bytes, `stride` apart (0: all of them).
struct Span {
  int64_t begin = 0, end = 0, run = 0, stride = 0;
  bool isPlain() const { return stride == 0; }
  bool operator==(const Span &) const = default;
};
inline uint64_t runsOf(const Span &span) {
  return span.isPlain() ? 1 : static_cast<uint64_t>((span.end - span.begin) / span.stride + 1);
}
// Whether they have a byte in common; two of many thousand runs each are taken to have.
bool meet(const Span &a, const Span &b);
// Whether `a` is all of `b`, as far as that is plain.
inline bool covers(const Span &a, const Span &b) { return a.isPlain() && a.begin <= b.begin && b.end <= a.end; }

// The bytes of a slab that one buffer, or a part of one, was given: what is read there, a buffer that it contains or is
// part of has written. begin < 0: no slab.
struct Place {
  int64_t begin = -1, end = -1;
  bool operator==(const Place &) const = default;
};

// `bytes` bytes of what has the tag, from position `from` on.
struct Fragment {
  int64_t bytes;
  uint64_t tag;
  int64_t from;
};

// Of a sequence of fragments, whatever pieces they were read in.
uint64_t digestOf(const std::vector<Fragment> &fragments);
// Appends `bytes` bytes from byte `from` of the sequence on.
void slice(const std::vector<Fragment> &all, int64_t from, int64_t bytes, std::vector<Fragment> &to);

class Content {
public:
  enum class Found { All, Unwritten, Foreign };

  // `from`: the position of the first byte. `at`: the instruction, for messages. Of runs, positions go on from run to
  // run.
  void write(const Span &span, uint64_t tag, int64_t from, const Place &place, uint32_t at);
  void write(int64_t begin, const std::vector<Fragment> &fragments, const Place &place, uint32_t at);
  // Appends what the span holds. Unwritten: some byte was never written, or, with `holes`, none was; Foreign: the last
  // to write some of it was another buffer in its place, by the instruction `writer`.
  Found read(const Span &span, const Place &place, bool holes, std::vector<Fragment> &to, uint32_t &writer) const;

private:
  struct Piece {
    int64_t end;
    uint64_t tag;
    int64_t from;
    Place place;
    uint32_t at;
  };
  void writeRun(int64_t begin, int64_t end, Piece piece);
  Found readRun(int64_t begin, int64_t end, const Place &place, std::vector<Fragment> &to, uint32_t &writer) const;

  std::map<int64_t, Piece> pieces_; // by where they begin; they do not overlap
};

} // namespace heddle::contract::check

#endif // HEDDLE_CONTRACT_LIB_CHECK_CONTENT_H
