// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which work is known to have ended when other work begins: vector clocks over the streams of one call. Work of one
// stream runs in the order of its issue; events, `follow` and waits of the host are all that orders streams.
//
//   uint64_t first = streams.issue(a);   streams.record(0, a);   streams.wait(b, 0);   streams.knows(b, a, first) //
//   true
#ifndef HEDDLE_CONTRACT_LIB_CHECK_STREAMS_H
#define HEDDLE_CONTRACT_LIB_CHECK_STREAMS_H

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::contract::check {

class Streams {
public:
  static constexpr uint32_t kCall = 0; // the call's own stream

  Streams() : clocks_(1) {}

  // The stream of this name: a device and a number, or that of collectives.
  uint32_t named(int64_t device, int64_t number);
  size_t size() const { return clocks_.size(); }
  // One more piece of work; its number.
  uint64_t issue(uint32_t stream);
  // Whether all that the stream runs from here on comes after that work of another one.
  bool knows(uint32_t stream, uint32_t of, uint64_t work) const {
    return stream == of || at(clocks_[stream], of) >= work || at(host_, of) >= work;
  }
  void record(uint32_t event, uint32_t stream);
  // False: nothing was recorded there.
  bool wait(uint32_t stream, uint32_t event);
  bool await(uint32_t event);
  void awaitStream(uint32_t stream) { join(host_, clocks_[stream]); }
  void follow(uint32_t after, uint32_t before) { join(clocks_[after], clocks_[before]); }
  bool moveEvent(uint32_t to, uint32_t from);
  // Where work may still run that the call's stream does not come after.
  std::optional<uint32_t> firstLoose() const;

private:
  using Clock = std::vector<uint64_t>; // by stream; what is missing is 0
  static uint64_t at(const Clock &clock, uint32_t stream) { return stream < clock.size() ? clock[stream] : 0; }
  static void join(Clock &to, const Clock &from);

  std::map<std::pair<int64_t, int64_t>, uint32_t> names_;
  std::vector<Clock> clocks_;
  Clock host_;
  std::map<uint32_t, Clock> events_;
};

} // namespace heddle::contract::check

#endif // HEDDLE_CONTRACT_LIB_CHECK_STREAMS_H
