// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StableHLO to linalg on tensors, op by op.
//
// Ops are unregistered: known by name, their attributes and types checked here. A lowering is a function of an
// OpContext. It reads operands and attributes, emits with `emitter`, and sets every result. What it cannot do it
// refuses with a reason; the conversion goes on, so that all refused ops are reported together.
//
//   static LogicalResult lowerReverse(OpContext &op) { … return op.setResult(0, …); }
//   void registerReverse(LoweringTable &table) { table["stablehlo.reverse"] = lowerReverse; }
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_LOWERING_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_LOWERING_H

#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/StableHlo/Assembly/Attributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::heddle::hlo {

using importer::Emitter;
using importer::makeAttribute;
using importer::Scalar;
using importer::SizeList;
using importer::storageType;
using importer::Tensor;

class Converter;

// One op with its operands.
//
// A tensor may be narrower than its value's type says: of size 1 where it is broadcast. Only `narrow` gives it so;
// nothing is repeated until an op needs it.
class OpContext {
public:
  OpContext(Converter &converter, Operation *op);

  Converter &converter;
  Emitter &emitter;
  Operation *op;

  RankedTensorType operandType(unsigned i) const { return cast<RankedTensorType>(op->getOperand(i).getType()); }
  RankedTensorType resultType(unsigned i) const { return cast<RankedTensorType>(op->getResult(i).getType()); }
  Tensor &narrow(unsigned i);
  // With all elements.
  Tensor &operand(unsigned i);
  SizeList sizesOf(ArrayRef<int64_t> shape) const;

  // Refuses a tensor that is not of the result's type.
  LogicalResult setResult(unsigned i, Tensor tensor);
  // The same, but sizes may be 1 where the type says more.
  LogicalResult setNarrowResult(unsigned i, Tensor tensor);

  // Attributes; a malformed one, or an absent one without a default, is refused (`failed` then).
  FailureOr<SmallVector<int64_t>> ints(StringRef name);
  FailureOr<SmallVector<int64_t>> ints(StringRef name, SmallVector<int64_t> otherwise);
  FailureOr<int64_t> integer(StringRef name);
  FailureOr<int64_t> integer(StringRef name, int64_t otherwise);
  // The last word of an enumeration such as #stablehlo<comparison_direction LT>.
  FailureOr<std::string> word(StringRef name);
  // Refuses fields that are not among `known`.
  FailureOr<Fields> fields(StringRef name, StringRef kind, ArrayRef<StringRef> known);

  LogicalResult requireOperands(unsigned count);
  LogicalResult requireResults(unsigned count);
  // Each of `dims` lies in [0, rank), none twice.
  LogicalResult requireDims(ArrayRef<int64_t> dims, int64_t rank, const Twine &what);
  LogicalResult requireLength(ArrayRef<int64_t> list, int64_t length, const Twine &what);

  LogicalResult refuse(const Twine &reason);

private:
  LogicalResult set(unsigned i, Tensor tensor, bool mayBeNarrow);
};

using LoweringFunction = LogicalResult (*)(OpContext &);
using LoweringTable = llvm::StringMap<LoweringFunction>;
const LoweringTable &lowerings();

// Whether a machine addresses so many elements; a size of 0 counts as 1, so that no product of some of them overflows.
bool fitsMemory(ArrayRef<int64_t> shape);
// The length of a dimension of a tensor with padding; nothing if a padding is longer than any tensor.
std::optional<int64_t> paddedLength(int64_t size, int64_t low, int64_t high, int64_t between);
// `low` and `high` (which may be negative: elements are cut) around, `between` inside; `padding` has one element. Every
// dimension has a padded length.
Tensor padTensor(Emitter &emitter, Tensor &tensor, Tensor &padding, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                 ArrayRef<int64_t> between);
Tensor reverse(Emitter &emitter, Tensor &source, ArrayRef<int64_t> dims);
// If all that is done with a product is to exchange its sides, as JAX does with gradients of weights (in one block):
// the product of the operands exchanged. The other one is dead.
std::optional<Tensor> turnedProduct(OpContext &transpose, ArrayRef<int64_t> permutation);
// What a convert, subtract or multiply makes of a constant of at most 8 bits an element, if that is a dequantisation:
// a tensor that is made wide only where something else than a product reads it.
std::optional<Tensor> dequantize(OpContext &op);
// Floats of 8 bits that have a sign: SSA values hold their codes (storageType). Arithmetic on them is done in f32.
bool isFloat8(Type type);
// As convert (Scalars.h), but what a float of 8 bits cannot hold is infinite there, or NaN where the type has no
// infinity.
Value convertElement(Scalar s, Value x, Type from, Type to);
// An element of the integer type `type` as an index.
Value toIndex(OpBuilder &b, Location loc, Value element, Type type);
// The same, moved into [0, last].
Value toIndexWithin(OpBuilder &b, Location loc, Value element, Type type, int64_t last);
// Whether a custom call only tells another compiler of shardings, and nothing to several ranks (Requests.h).
bool isSharding(Operation *customCall);
// The routine of LAPACK that the target of a custom call names, on real matrices; null if there is none.
LoweringFunction findLapackRoutine(StringRef target);
// The value of a tensor of one element.
Value scalarOf(Emitter &emitter, Tensor &tensor);
// A tensor that has the value of `element`, a tensor of one element, everywhere: a fill of a constant, else a
// broadcast, since dispatches take no float that was computed.
Value filledWith(Emitter &emitter, Tensor &element, ArrayRef<OpFoldResult> sizes);

void registerCollectives(LoweringTable &table);
void registerControl(LoweringTable &table);
void registerElementwise(LoweringTable &table);
void registerGather(LoweringTable &table);
void registerMovement(LoweringTable &table);
void registerContraction(LoweringTable &table);
void registerLinearAlgebra(LoweringTable &table);
void registerReduceRanks(LoweringTable &table);
void registerReduction(LoweringTable &table);
void registerShardings(LoweringTable &table);
void registerSort(LoweringTable &table);
void registerStructure(LoweringTable &table);
void registerTransform(LoweringTable &table);
void registerWindow(LoweringTable &table);

// The ops of a block but the last one, which returns. (Block::without_terminator knows registered ops only.)
inline auto opsBeforeReturn(Block &block) { return llvm::make_range(block.begin(), std::prev(block.end())); }

// One element of an op that works element by element.
struct Element {
  Operation *op;

  Type operandType(unsigned i) const { return getElementTypeOrSelf(op->getOperand(i)); }
  Type resultType() const { return getElementTypeOrSelf(op->getResult(0)); }
};
// `s.type` is the element type of the last operand.
using ElementBody = Value (*)(Scalar &, const Element &, ValueRange);
struct ElementRule {
  unsigned operands;
  ElementBody body;
};
// Null if the op does not work element by element.
const ElementRule *findElementRule(Operation *op);
// The op, which has a rule and passes checkElement, on elements.
Value emitElement(OpBuilder &b, Location loc, Operation *op, ValueRange operands);
// Why the op cannot be done on its types and attributes; empty if it can.
std::string checkElement(Operation *op);

// A region of ops on tensors of rank 0, as reductions, scatters and sorts have it: emitted as scalars.
class ElementRegion {
public:
  // Checks a region of `op`: scalars of the element types `arguments` in, of `results` out. Refuses with a diagnostic
  // otherwise.
  static FailureOr<ElementRegion> read(OpContext &op, ArrayRef<Type> arguments, ArrayRef<Type> results,
                                       unsigned region = 0);

  SmallVector<Value> emit(OpBuilder &b, Location loc, ValueRange arguments) const;
  // The name of the only op if the region is `op(argument 0, argument 1)` in either order, else empty.
  StringRef combiner() const;
  // Whether the region is nothing but the argument.
  bool returnsArgument(unsigned i) const;

private:
  SmallVector<Value> emitBlock(OpBuilder &b, Location loc, Block &block, ValueRange arguments) const;

  Block *body = nullptr;
  llvm::MapVector<Value, Value> captured; // made before the op: constants as scalars, else tensors of rank 0
  SymbolTable *symbols = nullptr;
};

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_LOWERING_H
