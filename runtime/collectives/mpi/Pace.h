// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a wait for messages looks again. MPI goes on with messages only while somebody looks, and whoever looks takes a
// core from those that compute. So the one that leads, of the threads that wait, looks without a pause for a moment,
// and as long as looking moves much; afterwards pauses are a share of the time for which nothing did. A wait for a slow
// link then costs few looks, and ends later by that share at most.
//
//   Pace pace(Clock::now());
//   … look …;  pause = pace.pause(begin, end, leads);   // zero: look at once
#ifndef HEDDLE_RUNTIME_COLLECTIVES_MPI_PACE_H
#define HEDDLE_RUNTIME_COLLECTIVES_MPI_PACE_H

#include <algorithm>
#include <chrono>

namespace heddle::collectives {

class Pace {
public:
  using Clock = std::chrono::steady_clock;
  using Duration = Clock::duration;
  static constexpr Duration kAtOnce = std::chrono::microseconds(200);  // without a pause, of the one that leads
  static constexpr Duration kMoving = std::chrono::microseconds(4);    // of a look that has moved bytes, at least
  static constexpr Duration kShortest = std::chrono::microseconds(20); // pauses
  static constexpr Duration kLongest = std::chrono::milliseconds(1);
  static constexpr int kShare = 8; // of the quiet time, and of the time between looks that moving much takes

  explicit Pace(Clock::time_point begin) : moved_(begin), looked_(begin) {}

  // After a look from `begin` to `end` that has not ended the wait.
  Duration pause(Clock::time_point begin, Clock::time_point end, bool leads) {
    const Duration between = begin - looked_;
    looked_ = end;
    if (leads && end - begin > std::max(kMoving, between / kShare))
      moved_ = end;
    const Duration quiet = end - moved_;
    return leads && quiet < kAtOnce ? Duration::zero() : std::clamp(quiet / kShare, kShortest, kLongest);
  }

private:
  Clock::time_point moved_, looked_; // when a look has last moved much; when the last one has ended
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_MPI_PACE_H
