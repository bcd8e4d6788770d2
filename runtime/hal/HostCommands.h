// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices that compute on the host have in common: everything but the dispatch, each command done when it returns.
// Base of null's and local's.
//
// A device may pretend that the host does not see its memory (`discrete=yes`), so that all that stages and uploads can
// be tried anywhere: its buffers have no address, and only these commands know where they lie.
#ifndef HEDDLE_RUNTIME_HAL_HOSTCOMMANDS_H
#define HEDDLE_RUNTIME_HAL_HOSTCOMMANDS_H

#include "runtime/hal/Commands.h"
#include "runtime/hal/MemoryPool.h"

#include <vector>

namespace heddle::hal {

// A buffer of the pool without an address.
StatusOr<BufferRef> allocateDiscrete(MemoryPool &pool, uint64_t bytes);

class HostCommands : public Commands {
public:
  // `discrete`: the pool of the device's buffers, which have no address; null: they have.
  explicit HostCommands(const MemoryPool *discrete = nullptr) : discrete_(discrete) {}
  Status copy(const View &to, const View &from) override;
  Status fill(const View &to, uint64_t pattern, uint32_t patternBytes) override;
  Status stamp(uint64_t *ns) override;

protected:
  bool isDiscrete() const { return discrete_; }
  // Where the bindings of a discrete device's dispatch lie; valid until the next call.
  StatusOr<std::span<void *const>> translate(const Dispatch &dispatch);

private:
  std::byte *find(const View &view) const;

  const MemoryPool *discrete_;
  std::vector<void *> bindings_;
};

// The failure for a number of workgroups outside [0, kMaxWorkgroups].
Status refuseWorkgroups(int64_t workgroups);
// That for a tensor with more elements than a kernel of a GPU counts.
Status refuseElements(int64_t most);

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_HOSTCOMMANDS_H
