// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ops can be computed in parts, from their structure: what cuts a loop of an op cuts every dimension that walks it.
//
//   %c = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%init : tensor<8x16xf32>)
//   // factors: 0 parallel (8), 1 parallel (16), 2 reduced by sum (32)
//   // operands: %a [[0], [2]], %b [[2], [1]], %init [[0], [1]]; result [[0], [1]]
//
// A reshape has a factor for each dimension of its finer side; a dimension of the coarser side walks several of them
// (leading ones of size 1 left out), of which the outermost can be cut: `tensor<12x4xf32>` from `tensor<3x4x4xf32>` is
// [[0, 1], [2]], and a cut of factor 0 is one of dimension 0 at multiples of 4.
//
// Where a part of an op needs something else of an operand than parts of its dimension, the dimension is needed whole,
// and the op on parts takes what it needs: windows, slices, padding, joins, what one dimension is split into. Where
// numbers tell which positions these are, a *reach* says so, and the op takes them from whoever has them.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_H

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/Transforms/Extents.h"
#include "compiler/Dialect/Flow/Transforms/RankPart.h"

#include "llvm/ADT/SmallBitVector.h"

#include <string>

namespace mlir::heddle::flow {

struct Factor {
  enum class Kind {
    Parallel, // parts of it are parts of every result
    Reduced,  // parts of it give partial results, which `reduction` combines
    Whole,    // cannot be cut, because of `reason`
  };
  Kind kind = Kind::Parallel;
  std::optional<Reduction> reduction; // of a reduced one
  SmallVector<Extent> extents;        // provably equal ones, the one that says most first; may be none if it is whole
  std::string reason;                 // of a whole one: "the op is a concatenation along it"

  bool canBeCut() const { return kind != Kind::Whole; }
};

// By dimension the factors that it walks, the outermost first; none: the dimension is needed, or made, whole.
using DimFactors = SmallVector<SmallVector<unsigned>>;

// What a factor reads of a dimension that no factor walks alone: its position p the positions [scale * p + first,
// scale * p + first + extent), those of them that the dimension has. `others`: factors that are whole then. `behind`:
// sizes that only the program tells, which come off `first`: what a join puts in front of the operand, or padding.
struct Reach {
  unsigned factor = 0;
  int64_t scale = 1, first = 0, extent = 1;
  SmallVector<unsigned, 2> others;
  SmallVector<Extent, 1> behind = {};
};

// By operand and dimension; none: the dimension is walked, or needed whole.
using Reaches = SmallVector<SmallVector<std::optional<Reach>>>;

struct Factors {
  SmallVector<Factor> factors;
  SmallVector<DimFactors> operands,
      results;                 // `operands`: those of the op, then `captured`; empty for what is no tensor
  SmallVector<Value> captured; // tensors from outside that its regions read
  Reaches reaches;             // as `operands`

  // As a test reads it: "0 parallel 8, 1 reduced sum 32; ([[0], [1]]) -> ([[0]])".
  std::string describe() const;
};

// The factors of an op; none where it computes no tensor, has regions of several ops that keep tensors (loops,
// branches), says itself how ranks share (flow.shard, part, whole, collectives), or cannot be cut at all.
std::optional<Factors> findFactors(Operation *op);

// The operands that are to be partial sums together with that one, so that the op makes partial sums of partial sums:
// those that are added to it. Empty: the op is not linear in it, or is a sum of something else. Read from the op's
// body; what divides is a constant, what multiplies any value that is whole.
SmallVector<unsigned> linearWith(Operation *op, unsigned operand);

// What the op needs of an operand (in the order of `Factors::operands`) where its factors are cut by `loops`, whose
// dimensions are the factors. Factors that are whole must not be cut.
ShardingAttr operandSharding(const Factors &factors, unsigned operand, ShardingAttr loops);

// What it makes, with partial sums over the axes that cut a reduced factor.
ShardingAttr resultSharding(const Factors &factors, unsigned result, ShardingAttr loops);

// The way back: which factor a cut of a dimension is that walks `dim`, and at multiples of what. `parts`: into how many
// the dimension is cut, where known: equal parts begin at the factor's positions whatever the granule. None where it
// fits no factor that can be cut.
std::optional<std::pair<unsigned, GranuleAttr>> factorOf(const Factors &factors, ArrayRef<unsigned> dim,
                                                         GranuleAttr granule, std::optional<int64_t> parts = {});

// Whether both granules cut `size` positions into `parts` parts at the same places.
bool cutsAlike(GranuleAttr a, GranuleAttr b, std::optional<int64_t> size, std::optional<int64_t> parts);

// Of an operand along which dimensions it is what the parts reach already, no more, and the sizes of all of it.
struct Taken {
  llvm::SmallBitVector dims;
  SmallVector<OpFoldResult> whole;
};

// The op on a rank's parts, in front of the builder's point; its results.
//
// `operands`: as `Factors::operands`, each as operandSharding() says, those that are no tensors as they were. `parts`:
// of each factor, whole ones too. linalg.index of cut loops counts from the part's begin. What a reduction begins with
// is combined once: on the rank whose coordinates along the axes of all cut reduced factors are 0. Attributes stay.
// Fails with an error at the op where a factor is cut that is whole.
FailureOr<SmallVector<Value>> cloneOnParts(OpBuilder &builder, Operation *op, const Factors &factors,
                                           ShardingAttr loops, ValueRange operands, ArrayRef<RankPart> parts,
                                           ArrayRef<Taken> taken = {});

// The same for parts that need not be ranks'. `place` (index) is 0 for the one part of a reduction that begins with the
// op's init, the others begin with what is neutral; null: this part begins with the init. `taken`: for each operand;
// empty: of none.
FailureOr<SmallVector<Value>> cloneOnParts(OpBuilder &builder, Operation *op, const Factors &factors,
                                           ValueRange operands, ArrayRef<RankPart> parts, Value place,
                                           ArrayRef<Taken> taken = {});

// A granule as a product of sizes, and back.
Product asProduct(GranuleAttr granule);
GranuleAttr asGranule(MLIRContext *context, const Product &product);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_FACTORS_H
