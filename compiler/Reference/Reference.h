// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle: runs the IR of any stage up to `resolve` as naively as upstream MLIR allows, so that a stage can be
// compared with the one before it. Loops instead of tiles, a call for a dispatch, nothing for a transfer or an encoding
// (values are in rows, but see ReferenceOptions::materialize), no fast-math, a buffer for each value.
//
// A Reference is built from one module and holds machine code of it; the module may change or go away afterwards, its
// context (it owns the parameters' bytes) may not. Building reports failures as diagnostics. One thread at a time.
//
//   FailureOr<std::unique_ptr<Reference>> oracle = Reference::create(module);
//   Tensor x = Tensor::allocate(ElementType::F32, {2, 3});
//   std::vector<Tensor> results;
//   if (std::string error = (*oracle)->run({x}, results); !error.empty()) …
#ifndef HEDDLE_COMPILER_REFERENCE_REFERENCE_H
#define HEDDLE_COMPILER_REFERENCE_REFERENCE_H

#include "compiler/Reference/Options.h"
#include "compiler/Reference/Signature.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::heddle::reference {

// One execution of one op of the entry point: a dispatch, or before `form` an op that computes a tensor.
struct Step {
  std::string op; // the executable's name, else the op's ("linalg.matmul")
  Location location;
  bool isDispatch;
  std::vector<Tensor> operands;   // of a dispatch: its tensor operands
  std::vector<int64_t> constants; // of a dispatch: its index operands
  std::vector<Tensor> results;
};

class Reference {
public:
  static FailureOr<std::unique_ptr<Reference>> create(ModuleOp module, const ReferenceOptions &options = {});
  ~Reference();

  const Signature &signature() const;

  // Runs the entry point of a program for one rank. Returns "" or why it could not: inputs that do not fit the
  // signature, a failed flow.check, an index out of range, no memory. With `trace` on, `observe` sees each step in
  // program order as soon as it has run; the tensors it gets stay valid as long as they are held.
  std::string run(ArrayRef<Tensor> inputs, std::vector<Tensor> &results,
                  llvm::function_ref<void(const Step &)> observe = {});

  // The same on all ranks, each on a thread of its own. `observe` sees the steps of each rank, on its thread. Where
  // ranks do not meet (which ranks-verify-uniform would have refused) the run ends and says so.
  std::string runRanks(ArrayRef<std::vector<Tensor>> inputs, std::vector<std::vector<Tensor>> &results,
                       llvm::function_ref<void(unsigned rank, const Step &)> observe = {});

  struct Impl;

private:
  explicit Reference(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_REFERENCE_H
