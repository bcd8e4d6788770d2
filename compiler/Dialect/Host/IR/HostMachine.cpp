// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/IR/HostMachine.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::heddle::host;

FailureOr<BufferView> HostMachine::cut(Operation *op, Value from, int64_t offset, int64_t size) {
  const BufferView &whole = buffer(from);
  if (!whole.isOneRun())
    return LogicalResult(fail(op, "cuts a view of several runs"));
  if (offset < 0 || size < 0 || offset > whole.size || size > whole.size - offset)
    return LogicalResult(fail(op, "reaches bytes [" + Twine(offset) + ", " + Twine(offset + size) +
                                      ") of a buffer of " + Twine(whole.size)));
  return BufferView{whole.storage, whole.offset + offset, size};
}

std::vector<std::byte> BufferView::gather() const {
  std::vector<std::byte> all;
  for (int64_t i = 0; i < count; ++i)
    all.insert(all.end(), run(i).begin(), run(i).end());
  return all;
}

void BufferView::scatter(std::span<const std::byte> bytes) const {
  for (int64_t i = 0; i < count; ++i)
    std::copy_n(bytes.begin() + i * run(i).size(), run(i).size(), run(i).begin());
}
