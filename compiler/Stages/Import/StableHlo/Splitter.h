// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk of SplitComplex.h: functions, regions and calls in SplitComplex.cpp, single ops in SplitOps.cpp.
//
// A new module-level function takes the place of each; a value of the old one has one part, or two if it is complex. A
// rule is for ops that hold complex numbers somewhere: it emits what takes their place and sets the results' parts.
// What it refuses has none, and neither has what reads it.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_SPLITTER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_SPLITTER_H

#include "compiler/Stages/Import/StableHlo/ComplexArithmetic.h"
#include "compiler/Stages/Import/StableHlo/SplitComplex.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::heddle::hlo {

// The type of each part of a complex tensor.
RankedTensorType partType(Type type);
// With the parts as a last dimension; of other types the type itself.
Type joinedType(Type type);
// A complex type is two.
SmallVector<Type> splitTypes(TypeRange types);
// Between two parts and one tensor with both in its last dimension.
Value joinParts(RealOps &r, Parts x);
Parts cutParts(RealOps &r, Value joined, RankedTensorType part);

class Splitter {
public:
  explicit Splitter(ModuleOp module) : module(module), symbols(module), b(module.getContext()) {}

  LogicalResult run();

private:
  using Rule = void (Splitter::*)(Operation *);
  static Rule findRule(StringRef name);

  func::FuncOp splitFunction(func::FuncOp from);
  void splitBlock(Block &from);
  void splitRegion(Region &from, Region &to, ArrayRef<BlockArgument> order);
  void split(Operation *op);

  // Rules, each for ops that hold complex numbers.
  void splitReturn(Operation *op);
  void splitConstant(Operation *op);
  void splitCall(Operation *op);
  void splitRegions(Operation *op);
  void splitSort(Operation *op);
  void splitByPart(Operation *op);
  void splitReduction(Operation *op);
  void splitCollective(Operation *op);
  void splitScatter(Operation *op);
  void splitProduct(Operation *op);
  void splitTransform(Operation *op);
  void splitConvert(Operation *op);
  void splitComparison(Operation *op);
  void splitCustomCall(Operation *op);
  void splitIota(Operation *op);
  void splitComplexOp(Operation *op);
  void splitArithmetic(Operation *op, const ComplexRule &rule);

  void set(Value value, Parts parts) {
    values[value] = parts;
    if (!parts.isComplex())
      reals.map(value, parts.real);
  }
  void setAll(Operation *op, ValueRange results);
  SmallVector<Value> partsOf(ValueRange list);
  Operation *create(Operation *like, ValueRange operands, TypeRange results);
  // The op on part `which` of its complex operands, with the region that returns part `which`.
  Value createPart(Operation *op, unsigned which);
  void refuse(Operation *op, const Twine &reason);

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder b;
  DenseMap<Value, Parts> values;
  IRMapping reals; // the values that are no pairs
  bool isPublic = false, refused = false;
};

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_SPLITTER_H
