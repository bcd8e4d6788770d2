// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance suite of groups: what every transport must do, as Group.h says. A transport instantiates it with its
// worlds:
//
//   INSTANTIATE_TEST_SUITE_P(Local, GroupCts, testing::Values(&two, &three), nameOfWorld);
//
// Each test runs its body once on every rank: on threads where the process has all ranks, once where it has one (then
// all processes run the same tests in the same order).
#ifndef HEDDLE_RUNTIME_COLLECTIVES_CTS_CTS_H
#define HEDDLE_RUNTIME_COLLECTIVES_CTS_CTS_H

#include "runtime/collectives/Group.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace heddle::collectives {

class CtsWorld {
public:
  virtual ~CtsWorld() = default;
  virtual std::string name() const = 0;
  // Begins a test: a world that has not failed.
  virtual void begin() = 0;
  // Runs the body on each rank of this process and returns when all have.
  virtual void run(const std::function<void(Group &)> &body) = 0;
};

std::string nameOfWorld(const testing::TestParamInfo<CtsWorld *> &info);

// What must succeed.
class GroupCts : public testing::TestWithParam<CtsWorld *> {
protected:
  void SetUp() override { GetParam()->begin(); }
  void run(const std::function<void(Group &)> &body) { GetParam()->run(body); }
};

// What must fail on all ranks; the world is of no use afterwards.
class GroupFailureCts : public GroupCts {};

// Bytes that every rank can compute of every other: elements of the type that look like a sample of its values.
std::vector<std::byte> sampleOf(ElementType type, uint64_t elements, uint32_t rank, uint32_t seed = 0);

// What the member's target must be, computed in this process of all members' samples (Request::source is not read).
std::vector<std::byte> expectedOf(const Request &request, uint32_t rank, uint32_t members, uint32_t seed = 0);

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_CTS_CTS_H
