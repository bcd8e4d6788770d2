// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the pieces of a request lie: behind one another, of one size or as it is cut. In bytes. Pure.
//
//   const Pieces pieces(request);
//   copy(target + pieces.begin(member), sourceOf(member), pieces.bytes(member));
#ifndef HEDDLE_RUNTIME_COLLECTIVES_PIECES_H
#define HEDDLE_RUNTIME_COLLECTIVES_PIECES_H

#include "runtime/collectives/Group.h"

namespace heddle::collectives {

// Of the side that has one piece of each member; of an all_to_all that is cut see Rows.
class Pieces {
public:
  explicit Pieces(const Request &request) : cut_(request.cuts), unit_(request.count * byteSize(request.type)) {}

  // Of a member, `members`: the end of all.
  uint64_t begin(uint32_t member) const { return unit_ * (cut_ ? uint64_t(cut_->begin(member)) : member); }
  uint64_t bytes(uint32_t member) const { return unit_ * (cut_ ? uint64_t(cut_->size(member)) : 1); }

private:
  const contract::Cut *cut_;
  uint64_t unit_;
};

// Of an all_to_all that is cut: the member `to` gets the rows split(to) of each source, whose width is concat(from).
class Rows {
public:
  explicit Rows(const Request &request)
      : split_(request.cuts[0]), concat_(request.cuts[1]), unit_(request.count * byteSize(request.type)) {}

  uint64_t count(uint32_t to) const { return uint64_t(split_.size(to)); }
  // Of a row of a member's source.
  uint64_t width(uint32_t from) const { return unit_ * uint64_t(concat_.size(from)); }
  // Where in the source of `from` the rows for `to` begin, and their bytes, which lie behind one another.
  uint64_t begin(uint32_t from, uint32_t to) const { return uint64_t(split_.begin(to)) * width(from); }
  uint64_t bytes(uint32_t from, uint32_t to) const { return count(to) * width(from); }
  // Where in a row of a target what comes from a member begins; `members`: the width of the target's rows.
  uint64_t column(uint32_t from) const { return unit_ * uint64_t(concat_.begin(from)); }

private:
  const contract::Cut &split_, &concat_;
  uint64_t unit_;
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_PIECES_H
