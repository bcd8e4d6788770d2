// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions and convolutions, a block of rows times columns in each workgroup.
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/GPU/GpuProductEmitter.h"
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Plan/ContractionOperands.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- Plan ----------------------------------------------------------------------------------------------------===//

static Type elementOf(OpOperand *input) { return getElementTypeOrSelf(input->get().getType()); }

// Bytes that one row or column brings for each k.
static int64_t panelBytes(ArrayRef<OpOperand *> inputs) {
  int64_t bytes = 0;
  for (OpOperand *input : inputs)
    bytes += storageBytes(elementOf(input));
  return bytes;
}

namespace {

class PanelPlanner {
public:
  PanelPlanner(Value value, const NestAnalysis &analysis) : type(cast<RankedTensorType>(value.getType())) {
    product = findProduct(analysis, panels.position);
  }

  std::optional<GpuPanels> run(const gpu::GpuFeatures &features) {
    if (!product)
      return std::nullopt;
    panels.op = product->op;
    if (readsByItself() || !chooseInputs() || !chooseDims())
      return std::nullopt;
    SmallVector<unsigned> reductions;
    panels.op.getReductionDims(reductions);
    SmallVector<int64_t> loops = panels.op.getStaticLoopRanges();
    GpuProduct sizes;
    sizes.batch = sizeOf(type.getShape(), panels.batchDims);
    sizes.rows = sizeOf(type.getShape(), panels.rowDims);
    sizes.columns = sizeOf(type.getShape(), panels.columnDims);
    sizes.depth = sizeOf(loops, reductions);
    sizes.rowBytes = panelBytes(panels.rowInputs);
    sizes.columnBytes = panelBytes(panels.columnInputs);
    sizes.sumBytes = storageBytes(getElementTypeOrSelf(panels.op.getResult(0).getType()));
    std::optional<GpuBlock> block = chooseBlock(sizes, features);
    if (!block)
      return std::nullopt;
    panels.block = *block;
    return std::move(panels);
  }

private:
  static int64_t sizeOf(ArrayRef<int64_t> shape, ArrayRef<unsigned> dims) {
    int64_t size = 1;
    for (unsigned dim : dims) {
      if (ShapedType::isDynamic(shape[dim]))
        return ShapedType::kDynamic;
      size *= shape[dim];
    }
    return size;
  }

  // Tensors read in the body, or its position asked, for each product.
  bool readsByItself() {
    return panels.op.hasIndexSemantics() || llvm::any_of(*panels.op.getBody(), [](Operation &inner) {
             return isa<tensor::ExtractOp>(inner) || inner.getNumRegions() > 0;
           });
  }

  // Inputs that depend on the columns, others, and those with one element for all.
  bool chooseInputs() {
    std::optional<unsigned> column;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) != 1)
        column = dim;
    std::optional<unsigned> loop = column ? loopOf(panels.op, panels.position, *column) : std::nullopt;
    if (!loop)
      return false;
    for (OpOperand *input : panels.op.getDpsInputOperands()) {
      if (!isa<RankedTensorType>(input->get().getType()) || panels.op.getMatchingBlockArgument(input).use_empty())
        continue;
      bool isUniform =
          llvm::all_of(panels.op.getMatchingIndexingMap(input).getResults(), llvm::IsaPred<AffineConstantExpr>);
      if (!isUniform && (!elementOf(input).isIntOrFloat() || elementOf(input).isInteger(1)))
        return false;
      (isUniform                 ? panels.uniformInputs
       : dependsOn(input, *loop) ? panels.columnInputs
                                 : panels.rowInputs)
          .push_back(input);
    }
    return !panels.rowInputs.empty() && !panels.columnInputs.empty() &&
           getElementTypeOrSelf(panels.op.getResult(0).getType()).isIntOrFloat();
  }

  bool chooseDims() {
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (type.getDimSize(dim) == 1)
        continue;
      std::optional<unsigned> loop = loopOf(panels.op, panels.position, dim);
      if (!loop)
        return false;
      auto anyDepends = [&](ArrayRef<OpOperand *> inputs) {
        return llvm::any_of(inputs, [&](OpOperand *input) { return dependsOn(input, *loop); });
      };
      bool ofRows = anyDepends(panels.rowInputs), ofColumns = anyDepends(panels.columnInputs);
      (ofRows == ofColumns ? panels.batchDims : ofRows ? panels.rowDims : panels.columnDims).push_back(dim);
    }
    return !panels.rowDims.empty() && !panels.columnDims.empty();
  }

  RankedTensorType type;
  GpuPanels panels;
  std::optional<NeededOp> product;
};

} // namespace

std::optional<GpuPanels> mlir::heddle::codegen::planGpuPanels(Value value, const NestAnalysis &analysis,
                                                              const gpu::GpuFeatures &features) {
  return PanelPlanner(value, analysis).run(features);
}

//===--- Emission ------------------------------------------------------------------------------------------------===//

namespace {

// The panels of one side's inputs, element (k, line) at k * pitch + line.
struct Panel {
  ArrayRef<OpOperand *> inputs;
  ArrayRef<unsigned> lineDims; // of the value
  int64_t lines, pitch;
  LaneValue first = {}; // of the block's lines
  SmallVector<Value> memory = {};
};

class BlockEmitter : ProductEmitter {
public:
  BlockEmitter(Value value, const GpuPanels &panels, ElementEmitter &emitter, Value invocation, const Buffer &output)
      : ProductEmitter(value, panels.op, panels.position, emitter, output), panels(panels), block(panels.block),
        invocation(invocation), rows{panels.rowInputs, panels.rowDims, block.rows(), block.rowPitch()},
        columns{panels.columnInputs, panels.columnDims, block.columns(), block.columnPitch()} {
    op.getReductionDims(reductions);
    SmallVector<Value> bounds = emitter.scalars.loopSizes(op);
    for (unsigned dim : reductions)
      extent.push_back(bounds[dim]);
    depth = emitter.scalars.product(extent);
  }

  void run(Value number) {
    place(LaneValue::uniform(number));
    for (Panel *panel : {&rows, &columns})
      for (OpOperand *input : panel->inputs)
        panel->memory.push_back(kernel::SharedOp::create(
            lanes.builder, lanes.loc, MemRefType::get({block.depth * panel->pitch}, elementOf(input))));
    for (OpOperand *input : panels.uniformInputs) {
      SmallVector<LaneValue> at;
      for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
        at.push_back(lanes.apply(expr, ArrayRef<LaneValue>()));
      uniform[op.getMatchingBlockArgument(input)] = emitter.evaluate(input->get(), at);
    }
    store(emitter.loop(lanes.index(0), depth, block.depth, initialValues(), [&](Value begin, ValueRange sums) {
      bring(rows, begin);
      bring(columns, begin);
      kernel::BarrierOp::create(lanes.builder, lanes.loc);
      SmallVector<Value> next = multiply(begin, sums);
      kernel::BarrierOp::create(lanes.builder, lanes.loc);
      return next;
    }));
  }

private:
  void place(LaneValue number) {
    LaneValue columnBlocks = LaneValue::uniform(emitter.scalars.ceilDiv(product(panels.columnDims), block.columns()));
    LaneValue rowBlocks = LaneValue::uniform(emitter.scalars.ceilDiv(product(panels.rowDims), block.rows()));
    columns.first = lanes.mul(lanes.mod(number, columnBlocks), lanes.constant(block.columns()));
    LaneValue rest = lanes.floorDiv(number, columnBlocks);
    rows.first = lanes.mul(lanes.mod(rest, rowBlocks), lanes.constant(block.rows()));
    batch.assign(sizes.size(), lanes.constant(0));
    delinearize(batch, panels.batchDims, lanes.floorDiv(rest, rowBlocks));
    placeInvocation();
    SmallVector<LaneValue> ofRows, ofColumns;
    for (int64_t i = 0; i < block.tileRows; ++i)
      ofRows.push_back(lanes.add(rows.first, tileRow(i)));
    for (int64_t j = 0; j < block.tileColumns; ++j)
      ofColumns.push_back(lanes.add(columns.first, tileColumn(j)));
    placeElements(batch, panels.rowDims, ofRows, panels.columnDims, ofColumns);
  }

  // Subgroups lie side by side in the grid, and invocations in a subgroup.
  void placeInvocation() {
    LaneValue number = LaneValue::uniform(invocation), across = lanes.constant(block.subgroupColumns);
    LaneValue size = lanes.constant(block.subgroupRows * block.subgroupColumns);
    LaneValue subgroups = lanes.constant(block.gridColumns / block.subgroupColumns);
    LaneValue subgroup = lanes.floorDiv(number, size), lane = lanes.mod(number, size);
    column = lanes.add(lanes.mul(lanes.mod(subgroup, subgroups), across), lanes.mod(lane, across));
    row = lanes.add(lanes.mul(lanes.floorDiv(subgroup, subgroups), lanes.constant(block.subgroupRows)),
                    lanes.floorDiv(lane, across));
  }

  LaneValue tileRow(int64_t i) { return lanes.add(row, lanes.constant(i * block.gridRows)); }
  LaneValue tileColumn(int64_t j) { return lanes.add(column, lanes.constant(j * block.gridColumns)); }

  // Neighbouring invocations bring neighbours in memory: elements one k apart where the input's last index is of what
  // is reduced, else of neighbouring lines.
  bool walksDepth(OpOperand *input) {
    ArrayRef<AffineExpr> index = op.getMatchingIndexingMap(input).getResults();
    return !index.empty() &&
           llvm::any_of(reductions, [&](unsigned dim) { return index.back() == lanes.builder.getAffineDimExpr(dim); });
  }

  void bring(Panel &panel, Value begin) {
    for (auto [input, memory] : llvm::zip_equal(panel.inputs, panel.memory)) {
      OpOperand *operand = input;
      Value shared = memory;
      bool isDeep = walksDepth(operand);
      LaneValue inner = lanes.constant(isDeep ? block.depth : panel.lines);
      Value total = lanes.index(block.depth * panel.lines);
      emitter.loop(invocation, total, block.gridRows * block.gridColumns, {}, [&](Value i, ValueRange) {
        LaneValue element = LaneValue::uniform(i), first = lanes.mod(element, inner);
        LaneValue second = lanes.floorDiv(element, inner);
        LaneValue k = isDeep ? first : second, line = isDeep ? second : first;
        Value value = evaluateAt(panel, operand, lanes.add(LaneValue::uniform(begin), k), line);
        Value at = lanes.add(lanes.mul(k, lanes.constant(panel.pitch)), line).base;
        memref::StoreOp::create(lanes.builder, lanes.loc, value, shared, at);
        return SmallVector<Value>();
      });
    }
  }

  // What is past the end is another element that exists; nobody uses it.
  Value evaluateAt(Panel &panel, OpOperand *input, LaneValue k, LaneValue line) {
    SmallVector<LaneValue> at = batch;
    delinearize(at, panel.lineDims, clamp(lanes.add(panel.first, line), product(panel.lineDims)).first);
    SmallVector<LaneValue> dims = loopDims(at), index;
    LaneValue rest = clamp(k, depth).first;
    for (size_t d = reductions.size(); d-- > 0;) {
      LaneValue size = LaneValue::uniform(extent[d]);
      dims[reductions[d]] = d == 0 ? rest : lanes.mod(rest, size);
      rest = d == 0 ? rest : lanes.floorDiv(rest, size);
    }
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      index.push_back(lanes.apply(expr, dims));
    return emitter.evaluate(input->get(), index).base;
  }

  SmallVector<Value> multiply(Value begin, ValueRange sums) {
    Value left = lanes.builder.createOrFold<arith::SubIOp>(lanes.loc, depth, begin);
    std::optional<int64_t> known = getConstant(depth);
    Value steps = known && *known % block.depth == 0
                      ? lanes.index(block.depth)
                      : lanes.builder.createOrFold<arith::MinUIOp>(lanes.loc, left, lanes.index(block.depth));
    return emitter.loop(lanes.index(0), steps, 1, sums, [&](Value k, ValueRange carried) {
      SmallVector<SmallVector<Value>> ofRows, ofColumns;
      for (int64_t i = 0; i < block.tileRows; ++i)
        ofRows.push_back(read(rows, k, tileRow(i)));
      for (int64_t j = 0; j < block.tileColumns; ++j)
        ofColumns.push_back(read(columns, k, tileColumn(j)));
      SmallVector<Value> next;
      for (int64_t i = 0; i < block.tileRows; ++i)
        for (int64_t j = 0; j < block.tileColumns; ++j)
          next.push_back(accumulate(ofRows[i], ofColumns[j], carried[i * block.tileColumns + j]));
      return next;
    });
  }

  // A line's element of each of the panel's inputs.
  SmallVector<Value> read(const Panel &panel, Value k, LaneValue line) {
    Value at = lanes.add(lanes.mul(LaneValue::uniform(k), lanes.constant(panel.pitch)), line).base;
    return llvm::map_to_vector(panel.memory, [&](Value memory) -> Value {
      return memref::LoadOp::create(lanes.builder, lanes.loc, memory, at);
    });
  }

  Value accumulate(ArrayRef<Value> ofRow, ArrayRef<Value> ofColumn, Value sum) {
    DenseMap<Value, LaneValue> arguments = uniform;
    arguments[op.getRegionOutputArgs().front()] = LaneValue::uniform(sum);
    for (auto [input, value] : llvm::zip_equal(rows.inputs, ofRow))
      arguments[op.getMatchingBlockArgument(input)] = LaneValue::uniform(value);
    for (auto [input, value] : llvm::zip_equal(columns.inputs, ofColumn))
      arguments[op.getMatchingBlockArgument(input)] = LaneValue::uniform(value);
    return emitter.evaluateBody(op, {}, arguments).front().base;
  }

  const GpuPanels &panels;
  const GpuBlock &block;
  Value invocation;
  Panel rows, columns;
  SmallVector<unsigned> reductions;
  SmallVector<Value> extent;    // of what is reduced
  Value depth;                  // all of it as one
  SmallVector<LaneValue> batch; // the value's dimensions of the block's batch
  LaneValue row, column;        // of the invocation in the grid
  DenseMap<Value, LaneValue> uniform;
};

class GpuBlocksNest : public GpuStrategy {
public:
  GpuBlocksNest(const GpuValue &of, const GpuPanels &panels) : of(of), panels(panels) {}

  Value workgroups(FunctionScalars &scalars) const override {
    SmallVector<Value> sizes = scalars.sizes(of.value);
    auto product = [&](ArrayRef<unsigned> dims) {
      return scalars.product(llvm::map_to_vector(dims, [&](unsigned dim) { return sizes[dim]; }));
    };
    Value rows = scalars.ceilDiv(product(panels.rowDims), panels.block.rows());
    Value columns = scalars.ceilDiv(product(panels.columnDims), panels.block.columns());
    return scalars.mul(product(panels.batchDims), scalars.mul(rows, columns));
  }
  void emit(ElementEmitter &emitter, const GpuPlace &at) const override {
    BlockEmitter(of.value, panels, emitter, at.invocation, at.output).run(at.workgroup);
  }
  std::string describe() const override {
    const GpuBlock &block = panels.block;
    auto text = [](int64_t number) { return std::to_string(number); };
    return "blocks of " + text(block.rows()) + "x" + text(block.columns()) + "x" + text(block.depth) + ", tiles of " +
           text(block.tileRows) + "x" + text(block.tileColumns) + ", workgroups of " + text(of.features.invocations);
  }

private:
  GpuValue of;
  const GpuPanels &panels;
};

} // namespace

std::unique_ptr<GpuStrategy> mlir::heddle::codegen::makeStrategy(const GpuValue &of, const GpuPanels &plan) {
  return std::make_unique<GpuBlocksNest>(of, plan);
}
