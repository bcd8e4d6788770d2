// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits tensor ops in the forms that later stages like, and keeps track of sizes.
//
// One emitter writes one entry function, top to bottom. Results are Tensors with their sizes; no tensor.dim is ever
// emitted.
//
//   Tensor y = emitter.elementwise({&x, &bias}, f32, [](OpBuilder &b, Location l, ValueRange v) -> Value {
//     return arith::AddFOp::create(b, l, v[0], v[1]);
//   });
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_EMITTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_EMITTER_H

#include "compiler/Stages/Import/Emit/Tensor.h"
#include "compiler/Target/Forms/FormModel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <set>

namespace mlir::heddle::importer {

using heddle::FormModel;

// The result of one element, given the operands' elements.
using ScalarBody = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;
// One step of a reduction: (the operands' elements, the accumulator) to the new accumulator.
using ReductionBody = llvm::function_ref<Value(OpBuilder &, Location, ValueRange, Value)>;

class Emitter {
  using SizePairs = std::map<std::pair<void *, void *>, Value>;
  using Check = std::tuple<StringRef, void *, void *>;

public:
  // Emits at the end of `entry`; parameters go to `module`.
  Emitter(ModuleOp module, Block *entry, const FormModel &forms = {});

  const FormModel forms; // which of two forms is the faster one where the program runs
  OpBuilder builder;
  Sizes sizes;
  Location loc;

  // Keeps a symbol for others: no parameter gets the name.
  void reserve(StringRef symbol) { ++symbols[symbol]; }

  //===--- Regions ---===//
  // Where it emits and what it may use there. Values made inside a region must not be used after it: save before the
  // region is entered, restore after it. Tensors whose `value` was made inside are lost.
  struct State {
    OpBuilder::InsertPoint at;
    SizeTables sizes;
    std::set<Check> checked;
    SizePairs broadcasts;
    DenseMap<Value, SizeList> shapes;
  };
  State save() const;
  void restore(State state);
  // The tensor for use in a region just entered: what it makes later is its own, and its sizes are what assumptions
  // (Sizes::assume) say; a size that became fixed shows in its type.
  Tensor refine(Tensor tensor);

  //===--- Values ---===//
  // The SSA value of a tensor: loads a parameter, makes a literal, or builds it from index values.
  Value value(Tensor &tensor);
  // `elementType`: what the elements of `value` are, where that is more than their type tells (unsigned integers).
  Tensor fromValue(Value value, ArrayRef<OpFoldResult> sizes, Type elementType = {});
  Tensor fromContents(Type elementType, ArrayRef<OpFoldResult> sizes, SizeList contents);
  Tensor fromData(TensorData data);
  // A tensor of these sizes from elements of the `contents` of another: `index` says which.
  Tensor pickContents(Tensor &tensor, ArrayRef<int64_t> sizes,
                      llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> index);
  Tensor fromQuantization(Quantization quantization);
  Tensor empty(Type elementType, ArrayRef<OpFoldResult> sizes);
  Tensor filled(Type elementType, ArrayRef<OpFoldResult> sizes, TypedAttr value);

  //===--- Shapes ---===//
  // Same elements, other sizes; the numbers of elements must be equal: proved, or else checked at run time.
  Tensor reshape(Tensor &tensor, ArrayRef<OpFoldResult> sizes);
  Tensor transpose(Tensor &tensor, ArrayRef<int64_t> permutation);
  // The sizes of operands broadcast against each other, or nothing if static sizes cannot be. Where a free size is only
  // at run time known to be 1 or equal, emits a flow.check.
  std::optional<SizeList> broadcastSizes(ArrayRef<SizeList> shapes);
  Tensor broadcast(Tensor &tensor, ArrayRef<OpFoldResult> sizes);
  // The parts side by side along the axis: `sizes` are the result's.
  Tensor concatenate(SmallVector<Value> parts, int64_t axis, ArrayRef<OpFoldResult> sizes, Type elementType);
  // Every element `times` times along the axis, as far as `sizes` go.
  Tensor repeat(Tensor &tensor, ArrayRef<OpFoldResult> sizes, int64_t axis, int64_t times);
  // Makes the call fail with `message` unless lhs == rhs. What no call passes is `impossible`.
  void checkEqual(OpFoldResult lhs, OpFoldResult rhs, const Twine &message);
  void checkLessEqual(OpFoldResult lhs, OpFoldResult rhs, const Twine &message);
  // The message of the first check since the last call that is known to fail, or "".
  std::string takeImpossible() { return std::exchange(impossible, {}); }
  // A rectangular part with steps; all lists have an entry for each dimension.
  Tensor slice(Tensor &tensor, ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> steps);

  //===--- What only the call knows (EmitReads.cpp) ---===//
  // Gives a small integer tensor its contents, by reading its elements on the host where they are not known: the call
  // waits for them there. False if it has no integers, too many, or rank 2 or more.
  bool readContents(Tensor &tensor);
  // Makes the call fail unless all of `list` are at least 0; they are known to be from then on.
  void requireSizes(SizeList &list, const Twine &message);
  // What arithmetic on sizes gives as elements of an integer type: it wraps where they are data. Where they are sizes
  // of tensors only, the call fails if they do not fit, so that shapes stay what they are through 32-bit arithmetic.
  OpFoldResult narrow(OpFoldResult size, Type elementType);
  // `whenEqual` if a == b, else `otherwise`; decided at the call where it cannot be proved.
  OpFoldResult choose(OpFoldResult a, OpFoldResult b, OpFoldResult whenEqual, OpFoldResult otherwise);
  // An index that counts from the end if it is negative, counted from the front.
  OpFoldResult fromFront(OpFoldResult index, OpFoldResult size);
  // For each dimension 1 if it is among `axes` (which may be negative), else 0. Checks that the axes exist.
  SizeList marked(ArrayRef<OpFoldResult> axes, int64_t rank);
  // The `rank` sizes that are not marked, and the sizes with a 1 put in at every mark.
  SizeList withoutMarked(ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> marks, int64_t rank);
  SizeList withMarked(ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> marks);

  //===--- Computations ---===//
  // `body` on broadcast operands. Constants of one element become scalars of the body.
  Tensor elementwise(ArrayRef<Tensor *> operands, ArrayRef<OpFoldResult> sizes, Type elementType, ScalarBody body);
  // Combines the elements along `axes` (removed from the result), starting from `init`. All operands have these sizes,
  // but an operand may lack the reduced axes (rank of the result).
  Tensor reduce(ArrayRef<Tensor *> operands, ArrayRef<int64_t> axes, Type elementType, TypedAttr init,
                ReductionBody body);
  // Every element from its index: `body` gets one index value for each dimension, after the elements of `operands`,
  // which are broadcast.
  Tensor generate(ArrayRef<OpFoldResult> sizes, Type elementType, ArrayRef<Tensor *> operands, ScalarBody body);
  // Every element from `init` by a step for each place within `bounds`, in order: `body` gets an index for each
  // dimension of the result, then one for each of `bounds`.
  Tensor accumulate(ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> bounds, Type elementType, Value init,
                    ReductionBody body);
  // A general linalg.generic of one result; `init` null: an empty tensor.
  Tensor generic(ArrayRef<Value> operands, ArrayRef<AffineMap> maps, ArrayRef<utils::IteratorType> iterators,
                 ArrayRef<OpFoldResult> sizes, Type elementType, Value init,
                 llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body);
  // Marks sizes of `keptDims` as 1 in place of reduced axes.
  Tensor keepDims(Tensor &reduced, ArrayRef<int64_t> axes);

  // A tensor that stands for what is none, which lives as long as the emitter.
  Tensor fromAggregate(Aggregate aggregate);

private:
  Tensor refineAggregate(const Aggregate &aggregate);
  // What is being built fails in every call: `takeImpossible` tells.
  void refuse(const Twine &message);
  struct Access; // how elementwise reads one operand
  Value parameter(Tensor &tensor);
  Value fromIndices(Tensor &tensor);
  Value dequantize(Quantization &quantization);
  // The transpose that made the value, if its operand's sizes are known.
  linalg::TransposeOp transposeOf(const Tensor &tensor);
  Tensor dropUnitDims(Tensor &tensor, ArrayRef<bool> drop);
  Access accessOf(Tensor &tensor, ArrayRef<OpFoldResult> sizes);
  std::optional<OpFoldResult> broadcastSize(OpFoldResult a, OpFoldResult b);
  Value refineValue(Value value, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to);
  Value reshapeValue(Value value, ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to);
  Value flatten(Value value, ArrayRef<OpFoldResult> from, OpFoldResult count);
  Value unflatten(Value flat, ArrayRef<OpFoldResult> to);

  ModuleOp module;
  Operation *function;
  std::set<Check> checked;
  std::string impossible;
  SizePairs broadcasts;             // the size of two free sizes broadcast against each other
  DenseMap<Value, SizeList> shapes; // sizes of emitted values, for looking through reshapes
  std::vector<std::shared_ptr<const Aggregate>> aggregates;
  llvm::StringMap<unsigned> symbols;
  std::map<std::pair<const char *, const void *>, std::string> parameters; // by their bytes and type
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_EMITTER_H
