// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the pieces of a request lie: behind one another, of one size or as it is cut. In bytes. Pure.
//
//   const Pieces pieces(request);
//   copy(target + pieces.begin(member), sourceOf(member), pieces.bytes(member));
#ifndef HEDDLE_RUNTIME_COLLECTIVES_PIECES_H
#define HEDDLE_RUNTIME_COLLECTIVES_PIECES_H

#include "runtime/collectives/Group.h"

#include <cstring>

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

// Of an exchange: what moves between two members, in each of its rows.
class Windows {
public:
  struct Strip {
    uint64_t source, sourceWidth, target, targetWidth; // where the first row's lies, and the bytes from row to row
    uint64_t bytes;                                    // of each row
  };

  explicit Windows(const Request &request)
      : cuts_(request.allCuts()), unit_(request.count * byteSize(request.type)),
        rows_(uint64_t(contract::windowOf(cuts_).rows)) {}

  // Fills with zeros what a target has of no position.
  void fillZeros(std::byte *target, uint32_t to) const {
    const auto [front, behind] = contract::zerosOf(cuts_, to);
    const uint64_t width = unit_ * uint64_t(contract::neededOf(cuts_, to).size());
    for (uint64_t row = 0; (front || behind) && row < rows(); ++row) {
      std::memset(target + row * width, 0, unit_ * uint64_t(front));
      std::memset(target + (row + 1) * width - unit_ * uint64_t(behind), 0, unit_ * uint64_t(behind));
    }
  }
  // Rows in which something moves.
  uint64_t rows() const { return unit_ ? rows_ : 0; }
  Strip between(uint32_t from, uint32_t to) const {
    const contract::Positions had = contract::hadBy(cuts_, from), needed = contract::neededOf(cuts_, to);
    const contract::Positions moved = contract::movedBetween(cuts_, from, to);
    if (moved.size() == 0 || rows() == 0)
      return {};
    return {unit_ * uint64_t(moved.begin - had.begin), unit_ * uint64_t(had.size()),
            unit_ * uint64_t(moved.begin - needed.begin), unit_ * uint64_t(needed.size()),
            unit_ * uint64_t(moved.size())};
  }
  // Calls with each member that the one gets something of (that gets something of it), and the strip.
  template <typename Call> void eachSender(uint32_t to, Call &&call) const {
    const auto [first, end] = contract::sendersTo(cuts_, to);
    for (int64_t from = first; from < end; ++from)
      if (const Strip strip = between(uint32_t(from), to); strip.bytes)
        call(uint32_t(from), strip);
  }
  template <typename Call> void eachReceiver(uint32_t from, Call &&call) const {
    const auto [first, end] = contract::receiversOf(cuts_, from);
    for (int64_t to = first; to < end; ++to)
      if (const Strip strip = between(from, uint32_t(to)); strip.bytes)
        call(uint32_t(to), strip);
  }

private:
  std::span<const contract::Cut> cuts_;
  uint64_t unit_, rows_;
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_PIECES_H
