// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Memory.h"

namespace heddle::contract::check {

uint32_t Memory::make(Root root) {
  constexpr uint64_t kWorkOfRoot = 16; // by its memory
  work_ += kWorkOfRoot;
  if (root.kind != Root::Kind::Alloc && root.kind != Root::Kind::Constant)
    root.history.push_back({{0, INT64_MAX}, Streams::kCall, kBefore, true, kCaller});
  roots_.push_back(std::move(root));
  return static_cast<uint32_t>(roots_.size() - 1);
}

Fault Memory::checkOrder(const Root &root, const Buffer &buffer, uint32_t stream, bool writes) const {
  for (const Access &access : root.history) {
    if (access.stream == stream || (!writes && !access.writes) || streams.knows(stream, access.stream, access.work) ||
        !meet(access.span, buffer.span))
      continue;
    if (access.at == kCaller)
      return Wrong{"runs on a stream that does not wait for the call's, on which the caller may still use its buffer"};
    return Wrong{std::string(writes ? "writes" : "reads") + " what $ may still be " +
                     (access.writes ? "writing" : "reading") + " on another stream; no event orders them",
                 access.at};
  }
  return std::nullopt;
}

Fault Memory::touch(const Buffer &buffer, uint32_t stream, bool writes, uint32_t at) {
  Root &root = this->root(buffer);
  if (root.freed)
    return Wrong{"uses a buffer that was freed; it was made by $", root.at};
  if (writes && !root.writable)
    return Wrong{"writes what is only read: an argument, a parameter or a bound value"};
  if (root.kind == Root::Kind::Constant || buffer.bytes() == 0)
    return std::nullopt;
  uint64_t work = streams.issue(stream);
  work_ += root.history.size() * runsOf(buffer.span) + streams.size();
  if (Fault fault = checkOrder(root, buffer, stream, writes))
    return fault;
  // Who comes after a write comes after what the write comes after; the same of reads of one stream.
  std::erase_if(root.history, [&](const Access &access) {
    return covers(buffer.span, access.span) && (writes || (!access.writes && access.stream == stream));
  });
  root.history.push_back({buffer.span, stream, work, writes, at});
  return std::nullopt;
}

Fault Memory::read(const Buffer &buffer, std::vector<Fragment> &to, bool holes) {
  uint32_t writer = kCaller;
  size_t before = to.size();
  Content::Found found = root(buffer).content.read(buffer.span, buffer.place, holes, to, writer);
  work_ += to.size() - before;
  switch (found) {
  case Content::Found::All: return std::nullopt;
  case Content::Found::Unwritten: return Wrong{"reads bytes that nothing has written"};
  case Content::Found::Foreign: return Wrong{"reads bytes of its buffer that $, of another buffer, wrote over", writer};
  }
  return std::nullopt;
}

Fault Memory::free(const Buffer &buffer, uint32_t stream, uint32_t at) {
  Root &root = this->root(buffer);
  if (root.kind != Root::Kind::Alloc)
    return Wrong{"frees what is not the program's to free"};
  Buffer whole{buffer.root, {0, root.bytes}, {}};
  if (Fault fault = touch(whole, stream, /*writes=*/true, at))
    return fault;
  root.freed = true;
  return std::nullopt;
}

Fault Memory::end() const {
  if (streams.firstLoose())
    return Wrong{"ends the call while work runs on a stream that the call's does not wait for"};
  for (const Root &root : roots_)
    if (root.kind == Root::Kind::Alloc && !root.freed && !root.returned)
      return Wrong{"ends the call without a free of what $ made", root.at};
  return std::nullopt;
}

} // namespace heddle::contract::check
