// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Content.h"

#include <algorithm>
#include <iterator>

namespace heddle::contract::check {
namespace {

// A view of a view of a slab may be one of the slab: of one buffer and its parts the one contains the other.
bool isPart(const Place &part, const Place &whole) { return whole.begin <= part.begin && part.end <= whole.end; }

// Whether [begin, end) has a byte of the runs.
bool meetsRuns(int64_t begin, int64_t end, const Span &runs) {
  int64_t first = std::max<int64_t>(0, begin - runs.begin - runs.run + runs.stride) / runs.stride;
  int64_t at = runs.begin + first * runs.stride;
  return at < std::min(end, runs.end);
}

} // namespace

bool meet(const Span &a, const Span &b) {
  if (a.begin >= a.end || b.begin >= b.end || a.begin >= b.end || b.begin >= a.end)
    return false;
  if (a.isPlain() && b.isPlain())
    return true;
  if (b.isPlain())
    return meetsRuns(b.begin, b.end, a);
  if (a.isPlain())
    return meetsRuns(a.begin, a.end, b);
  const Span &few = runsOf(a) <= runsOf(b) ? a : b, &many = &few == &a ? b : a;
  constexpr uint64_t kMostRunsCompared = 8192;
  if (runsOf(few) > kMostRunsCompared)
    return true;
  for (int64_t at = few.begin; at < few.end; at += few.stride)
    if (meetsRuns(at, at + few.run, many))
      return true;
  return false;
}

uint64_t digestOf(const std::vector<Fragment> &fragments) {
  uint64_t hash = 0;
  for (size_t i = 0; i < fragments.size();) {
    Fragment whole = fragments[i];
    while (++i < fragments.size() && fragments[i].tag == whole.tag &&
           (whole.tag == kZeros || fragments[i].from == whole.from + whole.bytes))
      whole.bytes += fragments[i].bytes;
    int64_t from = whole.tag == kZeros ? 0 : whole.from;
    hash = mix(mix(mix(hash, whole.tag), static_cast<uint64_t>(from)), static_cast<uint64_t>(whole.bytes));
  }
  return hash;
}

void slice(const std::vector<Fragment> &all, int64_t from, int64_t bytes, std::vector<Fragment> &to) {
  for (const Fragment &fragment : all) {
    int64_t taken = std::min(fragment.bytes - from, bytes);
    if (taken > 0) {
      to.push_back({taken, fragment.tag, fragment.from + from});
      bytes -= taken;
      from += taken;
    }
    from -= fragment.bytes;
  }
}

void Content::write(const Span &span, uint64_t tag, int64_t from, const Place &place, uint32_t at) {
  if (span.isPlain())
    return writeRun(span.begin, span.end, {span.end, tag, from, place, at});
  for (int64_t begin = span.begin; begin < span.end; begin += span.stride, from += span.run)
    writeRun(begin, begin + span.run, {begin + span.run, tag, from, place, at});
}

void Content::write(int64_t begin, const std::vector<Fragment> &fragments, const Place &place, uint32_t at) {
  for (const Fragment &fragment : fragments) {
    writeRun(begin, begin + fragment.bytes, {begin + fragment.bytes, fragment.tag, fragment.from, place, at});
    begin += fragment.bytes;
  }
}

void Content::writeRun(int64_t begin, int64_t end, Piece piece) {
  if (begin >= end)
    return;
  auto next = pieces_.lower_bound(begin);
  if (next != pieces_.begin()) {
    auto before = std::prev(next);
    Piece old = before->second;
    if (old.end > begin) {
      before->second.end = begin;
      if (old.end > end)
        pieces_.emplace(end, Piece{old.end, old.tag, old.from + end - before->first, old.place, old.at});
    }
  }
  while (next != pieces_.end() && next->first < end) {
    Piece old = next->second;
    int64_t start = next->first;
    next = pieces_.erase(next);
    if (old.end > end)
      pieces_.emplace(end, Piece{old.end, old.tag, old.from + end - start, old.place, old.at});
  }
  pieces_.insert_or_assign(begin, piece);
}

Content::Found Content::read(const Span &span, const Place &place, bool holes, std::vector<Fragment> &to,
                             uint32_t &writer) const {
  size_t before = to.size();
  int64_t stride = span.isPlain() ? span.end - span.begin : span.stride;
  int64_t run = span.isPlain() ? stride : span.run;
  for (int64_t begin = span.begin; begin < span.end; begin += stride)
    if (Found found = readRun(begin, begin + run, place, to, writer); found == Found::Foreign)
      return found;
  auto isHole = [](const Fragment &fragment) { return fragment.tag == kHole; };
  auto first = to.begin() + static_cast<ptrdiff_t>(before);
  bool isUnwritten =
      holes ? first != to.end() && std::all_of(first, to.end(), isHole) : std::any_of(first, to.end(), isHole);
  return isUnwritten ? Found::Unwritten : Found::All;
}

Content::Found Content::readRun(int64_t begin, int64_t end, const Place &place, std::vector<Fragment> &to,
                                uint32_t &writer) const {
  auto next = pieces_.upper_bound(begin);
  if (next != pieces_.begin() && std::prev(next)->second.end > begin)
    --next;
  while (begin < end) {
    if (next == pieces_.end() || next->first > begin) {
      int64_t until = next == pieces_.end() ? end : std::min(end, next->first);
      to.push_back({until - begin, kHole, 0});
      begin = until;
      continue;
    }
    const Piece &piece = next->second;
    if (place.begin >= 0 && !isPart(place, piece.place) && !isPart(piece.place, place)) {
      writer = piece.at;
      return Found::Foreign;
    }
    int64_t until = std::min(end, piece.end);
    to.push_back({until - begin, piece.tag, piece.from + begin - next->first});
    begin = until;
    ++next;
  }
  return Found::All;
}

} // namespace heddle::contract::check
