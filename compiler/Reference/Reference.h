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

#include "compiler/Reference/Tensor.h"
#include "heddle/contract/Collectives.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::heddle::reference {

// An argument or result of the entry point.
struct BoundaryValue {
  std::string name; // heddle.name, else "arg0", "result0"
  RankedTensorType type;
  SmallVector<std::string> dims;       // one for each dimension: heddle.dims, "" where it has none
  DenseElementsAttr defaultValue = {}; // heddle.default, or null
  // heddle.sharding: for each dimension the sizes of the axes that cut it and their places among `meshSizes`, outermost
  // first. Not sharded: no list at all, and each rank has its own.
  std::vector<SmallVector<unsigned>> shards;
  std::vector<int64_t> meshSizes;
  int64_t firstRank = 0;
  // For each dimension the positions of the whole, -1 where that is not stated, and of a granule.
  std::vector<int64_t> wholes, granules;
  // Axes along which parts are combined, and how.
  std::vector<unsigned> partial;
  ::heddle::contract::Reduction reduction = ::heddle::contract::Reduction::Sum;
};

struct Signature {
  std::string name;
  SmallVector<BoundaryValue> arguments, results;
  bool hasMesh = false;
  unsigned ranks = 1; // on how many the program runs: those of its meshes; a free size counts as 1
};

// One execution of one op of the entry point: a dispatch, or before `form` an op that computes a tensor.
struct Step {
  std::string op; // the executable's name, else the op's ("linalg.matmul")
  Location location;
  bool isDispatch;
  std::vector<Tensor> operands;   // of a dispatch: its tensor operands
  std::vector<int64_t> constants; // of a dispatch: its index operands
  std::vector<Tensor> results;
};

// What flow.units and host.query "cores" are: any number is right, and with several what is split is computed in parts.
inline constexpr int64_t kUnits = 3;

struct ReferenceOptions {
  std::string entry;                     // empty: @main, else the only public function
  bool trace = false;                    // record every Step (slower; needs memory for one step at a time)
  bool optimize = true;                  // false: for small work, whose code takes longer to make than to run
  bool materialize = false;              // values with a layout are as they lie in memory; else encodings say nothing
  size_t memoryLimit = size_t(16) << 30; // bytes of intermediate values of one run
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

// The entry point `run` would take, with its signature: also for callers that make inputs. Emits an error at the module
// where there is none.
FailureOr<Signature> signatureOf(ModuleOp module, StringRef entry = "");

// The part of a rank of a sharded argument, and the whole of what all ranks give: parts behind one another, of partial
// ones combined. "" as error; else what does not fit.
std::string cutPart(const BoundaryValue &value, const Tensor &whole, unsigned rank, Tensor &part);
unsigned partNumber(const BoundaryValue &value, unsigned rank); // equal for ranks that have the same part
// The value's type, with the sizes of that part where a whole is stated. Any number.
RankedTensorType partType(const BoundaryValue &value, unsigned number);
std::string joinParts(const BoundaryValue &value, ArrayRef<Tensor> parts, Tensor &whole);

// A misfit between inputs and signature, "" if they fit: count, element types, shapes, one size for each named
// dimension.
std::string misfit(const Signature &signature, ArrayRef<Tensor> inputs);

} // namespace mlir::heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_REFERENCE_H
