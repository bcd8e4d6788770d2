// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the machine code of an executable on the reference's values.
#ifndef HEDDLE_TOOLS_CHECK_KERNELS_H
#define HEDDLE_TOOLS_CHECK_KERNELS_H

#include "tools/check/Locate.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

namespace mlir::heddle::check {

// A loaded variant. In a child process, so that a kernel that crashes or hangs is a finding: each binding ends at a
// page that cannot be touched and is aligned to its element only, and the workgroups run in two ranges.
class Kernel {
public:
  // "" and a kernel, or why there is none.
  static std::string load(flow::VariantOp variant, std::unique_ptr<Kernel> &kernel);
  ~Kernel();

  // "" and the results of the step as the kernel computes them, or what went wrong.
  std::string run(const Step &step, std::vector<Tensor> &results) const;

private:
  explicit Kernel(flow::VariantOp variant) : variant(variant) {}
  mutable flow::VariantOp variant; // accessors of ops are not const
  int file = -1;
  void *library = nullptr;
  void *entry = nullptr;
};

// A function of index values that gives one (`@workgroups`, `@scratch`); fails if it does more than scalar arithmetic.
FailureOr<int64_t> evaluate(func::FuncOp function, ArrayRef<int64_t> arguments);

} // namespace mlir::heddle::check

#endif // HEDDLE_TOOLS_CHECK_KERNELS_H
