// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two contractions with rows between them, computed block by block: scores of a block of rows, what softmax makes of
// them, and their product with the values, without memory for all scores.
//
//   for each workgroup: one position of the outer dimensions x a block of rows
//     scores[block, :] = contraction             to scratch
//     weights[block, :] = row nest of the scores  to scratch
//     result[block, :] = contraction of weights, and its epilogue
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/CPU/Contraction/ContractionNest.h"
#include "compiler/Codegen/CPU/RowsNest.h"
#include "compiler/Codegen/CPU/Strategy.h"
#include "compiler/Codegen/Emit/VectorLoops.h"
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- How many ------------------------------------------------------------------------------------------------===//

namespace {

// The workgroups: the value's dimensions but those of rows and columns, then blocks of rows.
struct ChainSpace {
  ChainSpace(const ChainPlan &nest, FunctionScalars &scalars) : sizes(scalars.sizes(nest.value)) {
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (dim != *nest.laneDim && dim != nest.rowDim && dim != nest.groupDim) {
        outerDims.push_back(dim);
        grid.push_back(sizes[dim]);
      }
    rows = nest.rowDim ? sizes[*nest.rowDim] : scalars.constant(1);
    grid.push_back(scalars.ceilDiv(rows, nest.blockRows));
  }

  SmallVector<Value> sizes, grid;
  SmallVector<unsigned> outerDims;
  Value rows;
};

int64_t bytesOf(const PlanCommon &stage) {
  return storageBytes(cast<RankedTensorType>(stage.value.getType()).getElementType());
}

// Elements from one row of a stage's block to the next: lines of their own, and not a power of two apart.
Value rowStride(const PlanCommon &stage, FunctionScalars &scalars) {
  int64_t line = 64 / bytesOf(stage);
  Value elements = scalars.size(stage.value, *stage.laneDim);
  return scalars.mul(scalars.add(scalars.ceilDiv(elements, line), scalars.constant(1)), scalars.constant(line));
}

Value blockBytes(const ChainPlan &chain, const PlanCommon &stage, FunctionScalars &scalars) {
  return scalars.mul(rowStride(stage, scalars), scalars.constant(bytesOf(stage) * chain.blockRows * chain.groupRows));
}

} // namespace

//===--- Emission ------------------------------------------------------------------------------------------------===//

namespace {

class ChainEmitter {
public:
  ChainEmitter(const ChainPlan &nest, ElementEmitter &emitter, const Buffer &output, Value scratch)
      : nest(nest), emitter(emitter), output(output), lanes(emitter.lanes), builder(lanes.builder), loc(lanes.loc),
        space(nest, emitter.scalars), blocks{scratch} {
    for (const PlanCommon *stage : std::initializer_list<const PlanCommon *>{&nest.scores, &nest.weights})
      blocks.push_back(
          builder.createOrFold<arith::AddIOp>(loc, blocks.back(), blockBytes(nest, *stage, emitter.scalars)));
  }

  void run(Value workgroup) {
    SmallVector<Value> at = delinearize(emitter, workgroup, space.grid);
    index.assign(space.sizes.size(), lanes.index(0));
    for (auto [dim, i] : llvm::zip(space.outerDims, at))
      index[dim] = i;
    block = at.back();
    begin = builder.createOrFold<arith::MulIOp>(loc, block, lanes.index(nest.blockRows));
    Value after = builder.createOrFold<arith::AddIOp>(loc, begin, lanes.index(nest.blockRows));
    end = builder.createOrFold<arith::MinSIOp>(loc, after, space.rows);
    Buffer scoreBlock = makeBlock(nest.scores, nest.scoreDims, blocks[0]);
    Buffer weightBlock = makeBlock(nest.weights, nest.weightDims, blocks[1]);
    emitContractionBlock(nest.scores, emitter, gridOf(nest.scores, nest.scoreDims), scoreBlock, blocks.back());
    emitter.bind(nest.scores.value, scoreBlock);
    emitter.loop(lanes.index(0), lanes.index(nest.groupRows), 1, {},
                 [&](Value member, ValueRange) -> SmallVector<Value> {
                   if (nest.groupDim)
                     index[*nest.groupDim] = member;
                   emitter.loop(begin, end, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
                     emitRow(nest.weights, emitter, indexOf(nest.weightDims, row), weightBlock, blocks.back());
                     return {};
                   });
                   return {};
                 });
    if (nest.groupDim)
      index[*nest.groupDim] = lanes.index(0);
    emitter.unbind(nest.scores.value);
    emitter.bind(nest.weights.value, weightBlock);
    emitContractionBlock(nest.product, emitter, gridOf(nest.product, {}), output, blocks.back());
    emitter.unbind(nest.weights.value);
  }

private:
  bool isGroup(int64_t dim) const { return nest.groupDim && dim == static_cast<int64_t>(*nest.groupDim); }
  bool isRow(int64_t dim) const { return nest.rowDim && dim == static_cast<int64_t>(*nest.rowDim); }

  // The block of a stage's value in scratch; the outer dimensions are those of the workgroup.
  Buffer makeBlock(const PlanCommon &stage, ArrayRef<int64_t> dims, Value begins) {
    Type element = cast<RankedTensorType>(stage.value.getType()).getElementType();
    auto type = MemRefType::get({ShapedType::kDynamic}, emitter.memoryType(element));
    Buffer buffer{kernel::ScratchOp::create(builder, loc, type, begins), element, {}, {}, {}};
    auto add = [&](unsigned dim, Value stride, Value origin) {
      buffer.dims.push_back(dim);
      buffer.strides.push_back(stride);
      buffer.origin.push_back(origin);
    };
    Value stride = rowStride(stage, emitter.scalars);
    for (auto [dim, position] : llvm::enumerate(dims))
      if (isRow(position))
        add(dim, stride, begin);
      else if (isGroup(position))
        add(dim, builder.createOrFold<arith::MulIOp>(loc, stride, lanes.index(nest.blockRows)), Value());
    add(*stage.laneDim, lanes.index(1), Value());
    return buffer;
  }

  SmallVector<LaneValue> indexOf(ArrayRef<int64_t> dims, Value row) {
    return llvm::map_to_vector(dims, [&](int64_t dim) {
      return dim < 0 ? lanes.constant(0) : LaneValue::uniform(isRow(dim) ? row : index[dim]);
    });
  }

  // Where the workgroup is in the grid of one of the contractions: batch dimensions, blocks of rows. `own`: the value's
  // dimension each of the contraction's is; the same where it is empty.
  SmallVector<Value> gridOf(const ContractionPlan &contraction, ArrayRef<int64_t> own) {
    SmallVector<Value> at;
    for (ArrayRef<unsigned> dims : {ArrayRef(contraction.batchDims), ArrayRef(contraction.tileDims)})
      for (unsigned dim : dims) {
        int64_t position = own.empty() ? dim : own[dim];
        at.push_back(isRow(position) ? block : index[position]);
      }
    return at;
  }

  const ChainPlan &nest;
  ElementEmitter &emitter;
  const Buffer &output;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  ChainSpace space;
  SmallVector<Value> blocks; // where scores, weights and the stages' own scratch begin
  SmallVector<Value> index;  // of the value; rows and columns 0
  Value block, begin, end;   // of rows
};

class ChainNest : public Strategy {
public:
  explicit ChainNest(const ChainPlan &nest) : nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override { return scalars.product(ChainSpace(nest, scalars).grid); }
  Value scratch(FunctionScalars &scalars) const override {
    Value shared = scalars.constant(0), kept = scalars.constant(0);
    for (const auto &stage : {makeStrategy(nest.scores), makeStrategy(nest.weights), makeStrategy(nest.product)})
      shared = scalars.max(shared, stage->scratch(scalars));
    for (const PlanCommon *stage : std::initializer_list<const PlanCommon *>{&nest.scores, &nest.weights})
      kept = scalars.add(kept, blockBytes(nest, *stage, scalars));
    return scalars.add(kept, shared);
  }
  void emit(ElementEmitter &emitter, const Workgroup &at) const override {
    ChainEmitter(nest, emitter, at.output, at.scratch).run(at.number);
  }
  std::string describe() const override {
    std::string text = "chain, " + std::to_string(nest.blockRows) + " rows at a time";
    if (nest.groupDim)
      text += " of each of " + std::to_string(nest.groupRows);
    for (const auto &stage : {makeStrategy(nest.scores), makeStrategy(nest.weights), makeStrategy(nest.product)})
      text += "; " + stage->describe() + ", staged" + (stage->isScalar() ? " (scalar)" : "");
    return text;
  }
  Unrolled unrolled() const override { return Unrolled::Addresses; }
  Value countRows(FunctionScalars &scalars) const override { return scalars.sizes(nest.value)[*nest.rowDim]; }
  std::string describeClass(const RowClass &few) const override {
    return "up to " + std::to_string(few.mostRows) + (few.mostRows == 1 ? " row " : " rows ") +
           describeTile(nest.scores) + " and " + describeTile(nest.product);
  }

private:
  const ChainPlan &nest;
};

} // namespace

std::unique_ptr<Strategy> mlir::heddle::codegen::makeStrategy(const ChainPlan &nest) {
  return std::make_unique<ChainNest>(nest);
}
