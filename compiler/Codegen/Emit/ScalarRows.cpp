// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/ScalarRows.h"

#include "compiler/Codegen/IR/KernelOps.h"
#include "heddle/contract/KernelAbi.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

static SmallVector<Value> withoutTensors(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) { return !isTensor(value); });
}

namespace {

class ScalarRowEmitter {
public:
  ScalarRowEmitter(flow::RowsOp op, OpBuilder &builder, FunctionScalars &scalars)
      : op(op), builder(builder), scalars(scalars) {}

  LogicalResult run(Value row) {
    bindMemory();
    mapping.map(op.getRow(), row);
    emitBlock(op.getBody().front());
    return failure(hasFailed || scalars.failed());
  }

private:
  //===--- Memory ---===//
  Buffer makeBuffer(RankedTensorType type, ArrayRef<Value> sizes, int64_t binding, bool written,
                    const std::optional<flow::Pitch> &pitch = {}) {
    Type element = type.getElementType(), stored = element.isInteger(1) ? builder.getI8Type() : element;
    Value memory = kernel::BindingOp::create(scalars.getBuilder(), op.getLoc(),
                                             MemRefType::get({ShapedType::kDynamic}, stored), binding, written);
    Buffer buffer{memory, element, {}, SmallVector<Value>(sizes.size()), SmallVector<Value>(sizes.size())};
    Value stride = scalars.constant(1);
    for (int64_t dim = sizes.size(); dim-- > 0;) {
      if (pitch && dim + 1 == pitch->outer)
        stride = scalars.pitchOf(*pitch);
      buffer.strides[dim] = stride;
      stride = scalars.mul(stride, sizes[dim]);
    }
    llvm::append_range(buffer.dims, llvm::seq<unsigned>(sizes.size()));
    return buffer;
  }

  void bindMemory() {
    unsigned tensors = getNumTensorArguments(scalars.getSource());
    for (BlockArgument argument : scalars.getSource().getArguments().take_front(tensors))
      arguments[argument] = makeBuffer(cast<RankedTensorType>(argument.getType()), scalars.sizes(argument),
                                       argument.getArgNumber(), /*written=*/false);
    auto returned = scalars.getSource().getBody().front().getTerminator()->getOperands();
    for (auto [i, version] : llvm::enumerate(op.getVersions())) {
      SmallVector<Value> sizes = llvm::map_to_vector(op.getMixedSizes(i), [&](OpFoldResult size) {
        std::optional<int64_t> known = getConstantIntValue(size);
        return known ? scalars.constant(*known) : scalars.get(cast<Value>(size));
      });
      int64_t position = llvm::find(returned, op.getResult(i)) - returned.begin();
      outputs.push_back(makeBuffer(cast<RankedTensorType>(version.getType()), sizes, tensors + position,
                                   /*written=*/true, flow::getPitch(scalars.getSource(), position)));
      outputOf[version] = i;
    }
  }

  // Which output a version lies in.
  unsigned memoryOf(Value version) const {
    auto found = outputOf.find(version);
    if (found == outputOf.end())
      llvm::report_fatal_error("a tensor that is no result of flow.rows is written, which its verifier refuses");
    return found->second;
  }

  // A new emitter for each read: what one knows of memory holds until the next write.
  Value read(Location loc, Value tensor, ValueRange indices) {
    ElementEmitter elements(builder, loc, scalars);
    SmallVector<LaneValue> index = llvm::map_to_vector(indices, [&](Value i) { return LaneValue::uniform(get(i)); });
    if (auto found = outputOf.find(tensor); found != outputOf.end()) {
      elements.bind(tensor, outputs[found->second]);
    } else {
      for (auto &[argument, buffer] : arguments)
        elements.bind(argument, buffer);
    }
    Value value = elements.evaluate(tensor, index).base;
    hasFailed |= elements.failed();
    return value;
  }

  void write(tensor::InsertOp insert) {
    ElementEmitter elements(builder, insert.getLoc(), scalars);
    SmallVector<LaneValue> index =
        llvm::map_to_vector(insert.getIndices(), [&](Value i) { return LaneValue::uniform(get(i)); });
    unsigned output = memoryOf(insert.getDest());
    elements.store(outputs[output], index, LaneValue::uniform(get(insert.getScalar())));
    outputOf[insert.getResult()] = output;
  }

  //===--- Scalars ---===//
  Value get(Value value) {
    if (!mapping.contains(value) && value.getParentRegion() == &scalars.getSource().getBody())
      return scalars.get(value);
    return mapping.lookup(value);
  }

  Value check(flow::CheckedIndexOp check) {
    Location loc = check.getLoc();
    Value index = get(check.getIndex()), zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, get(check.getSize()));
    auto branch = scf::IfOp::create(builder, loc, builder.getIndexType(), inside, /*withElseRegion=*/true);
    branch.getThenBodyBuilder().create<scf::YieldOp>(loc, index);
    OpBuilder otherwise = branch.getElseBodyBuilder();
    kernel::FailOp::create(otherwise, loc, HEDDLE_KERNEL_INDEX_OUT_OF_RANGE);
    scf::YieldOp::create(otherwise, loc, zero);
    return branch.getResult(0);
  }

  void emitOp(Operation &inner) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      return mapping.map(extract.getResult(), read(inner.getLoc(), extract.getTensor(), extract.getIndices()));
    if (auto insert = dyn_cast<tensor::InsertOp>(inner))
      return write(insert);
    if (auto index = dyn_cast<flow::CheckedIndexOp>(inner))
      return mapping.map(index.getResult(), check(index));
    if (auto loop = dyn_cast<scf::ForOp>(inner))
      return emitFor(loop);
    if (auto loop = dyn_cast<scf::WhileOp>(inner))
      return emitWhile(loop);
    if (auto branch = dyn_cast<scf::IfOp>(inner))
      return emitIf(branch);
    if (inner.getNumRegions() != 0 || llvm::any_of(inner.getOperands(), isTensor)) {
      inner.emitOpError() << "has no code in a flow.rows";
      hasFailed = true;
      return;
    }
    for (Value operand : inner.getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, get(operand));
    builder.clone(inner, mapping);
  }

  void emitBlock(Block &block) {
    for (Operation &inner : block.without_terminator()) {
      emitOp(inner);
      if (hasFailed)
        return;
    }
  }

  //===--- Control flow ---===//
  SmallVector<Value> getScalars(ValueRange values) {
    return llvm::map_to_vector(withoutTensors(values), [&](Value value) { return get(value); });
  }

  // `to` stand for the values `from`: memory by name, scalars in `values`.
  void bind(ValueRange to, ValueRange from, ValueRange values) {
    for (auto [target, source] : llvm::zip_equal(to, from))
      if (isTensor(target)) {
        outputOf[target] = memoryOf(source);
      } else {
        mapping.map(target, values.front());
        values = values.drop_front();
      }
  }

  // What a region hands on lies where the op's own value does.
  void checkMemory(ValueRange handed, ValueRange expected) {
    for (auto [a, b] : llvm::zip_equal(handed, expected))
      if (isTensor(a) && !hasFailed && memoryOf(a) != memoryOf(b))
        llvm::report_fatal_error("a region swaps results of flow.rows, which its verifier refuses");
  }

  void emitFor(scf::ForOp loop) {
    auto made = scf::ForOp::create(builder, loop.getLoc(), get(loop.getLowerBound()), get(loop.getUpperBound()),
                                   get(loop.getStep()), getScalars(loop.getInitArgs()));
    mapping.map(loop.getInductionVar(), made.getInductionVar());
    bind(loop.getRegionIterArgs(), loop.getInitArgs(), made.getRegionIterArgs());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(made.getBody());
    emitBlock(*loop.getBody());
    Operation *yield = loop.getBody()->getTerminator();
    checkMemory(yield->getOperands(), loop.getInitArgs());
    finish(*made.getBody(), yield->getOperands(), loop.getLoc());
    bind(loop.getResults(), loop.getInitArgs(), made.getResults());
  }

  // Ends a block in scf.yield, unless its builder made one already.
  void finish(Block &block, ValueRange yielded, Location loc) {
    SmallVector<Value> values = hasFailed ? SmallVector<Value>() : getScalars(yielded);
    if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
      block.back().setOperands(values);
    else
      scf::YieldOp::create(builder, loc, values);
  }

  void emitIf(scf::IfOp branch) {
    SmallVector<Type> types =
        llvm::map_to_vector(withoutTensors(branch.getResults()), [](Value v) { return v.getType(); });
    auto made = scf::IfOp::create(builder, branch.getLoc(), types, get(branch.getCondition()),
                                  /*withElseRegion=*/!branch.getElseRegion().empty());
    Operation *first = branch.thenBlock()->getTerminator();
    for (auto [from, to] : llvm::zip_equal(branch->getRegions(), made->getRegions())) {
      if (from.empty())
        continue;
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&to.front());
      emitBlock(from.front());
      Operation *yield = from.front().getTerminator();
      checkMemory(yield->getOperands(), first->getOperands());
      finish(to.front(), yield->getOperands(), branch.getLoc());
    }
    bind(branch.getResults(), first->getOperands(), made.getResults());
  }

  void emitWhile(scf::WhileOp loop) {
    Location loc = loop.getLoc();
    scf::ConditionOp condition = loop.getConditionOp();
    SmallVector<Value> inits = getScalars(loop.getInits());
    SmallVector<Type> types =
        llvm::map_to_vector(withoutTensors(loop.getResults()), [](Value v) { return v.getType(); });
    auto made = scf::WhileOp::create(builder, loc, types, inits);
    OpBuilder::InsertionGuard guard(builder);
    auto enter = [&](Region &region, TypeRange arguments) {
      Block *block = builder.createBlock(&region, {}, arguments, SmallVector<Location>(arguments.size(), loc));
      return block;
    };
    Block *before = enter(made.getBefore(), ValueRange(inits).getTypes());
    bind(loop.getBeforeArguments(), loop.getInits(), before->getArguments());
    emitBlock(*loop.getBeforeBody());
    if (hasFailed)
      return;
    scf::ConditionOp::create(builder, loc, get(condition.getCondition()), getScalars(condition.getArgs()));
    Block *after = enter(made.getAfter(), types);
    bind(loop.getAfterArguments(), condition.getArgs(), after->getArguments());
    emitBlock(*loop.getAfterBody());
    if (hasFailed)
      return;
    Operation *yield = loop.getAfterBody()->getTerminator();
    checkMemory(yield->getOperands(), loop.getInits());
    scf::YieldOp::create(builder, loc, getScalars(yield->getOperands()));
    bind(loop.getResults(), condition.getArgs(), made.getResults());
  }

  flow::RowsOp op;
  OpBuilder &builder;
  FunctionScalars &scalars;
  IRMapping mapping;
  SmallVector<Buffer> outputs;
  DenseMap<Value, unsigned> outputOf; // of each version
  llvm::MapVector<Value, Buffer> arguments;
  bool hasFailed = false;
};

} // namespace

flow::RowsOp codegen::getRows(func::FuncOp source) {
  flow::RowsOp rows;
  for (Value value : source.getBody().front().getTerminator()->getOperands()) {
    auto op = value.getDefiningOp<flow::RowsOp>();
    if (!op || (rows && rows != op))
      return {};
    rows = op;
  }
  return rows;
}

LogicalResult codegen::emitRowsHostFunctions(func::FuncOp source, int64_t rowsPerGroup) {
  flow::RowsOp rows = getRows(source);
  if (failed(emitHostFunction(source, "workgroups", [&](FunctionScalars &scalars) {
        return scalars.ceilDiv(scalars.get(rows.getRows()), rowsPerGroup);
      })))
    return failure();
  return emitHostFunction(source, "scratch", [](FunctionScalars &scalars) { return scalars.constant(0); });
}

LogicalResult codegen::emitRow(flow::RowsOp op, OpBuilder &builder, FunctionScalars &scalars, Value row) {
  return ScalarRowEmitter(op, builder, scalars).run(row);
}
