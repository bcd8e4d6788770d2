// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/DotOperands.h"
#include "compiler/Codegen/CPU/Contraction/ContractionSpace.h"
#include "compiler/Codegen/Emit/VectorLoops.h"
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Plan/DotRows.h"
#include "heddle/contract/StorageBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// The reduction loops of a contraction, outermost first.
struct Reductions {
  SmallVector<unsigned> loops;
  SmallVector<Value> sizes;

  Reductions(linalg::GenericOp op, FunctionScalars &scalars) {
    op.getReductionDims(loops);
    SmallVector<Value> all = scalars.loopSizes(op);
    for (unsigned loop : loops)
      sizes.push_back(all[loop]);
  }
};

// Every group of the innermost reduction is whole.
bool isWhole(Value depth, int64_t group) {
  std::optional<int64_t> known = getConstant(depth);
  return known && *known % group == 0;
}

// Tile registers are loaded with a stride; rows that are left out at the end of a dynamic dimension have none.
bool hasScratchForRows(const ContractionPlan &nest) {
  auto type = cast<RankedTensorType>(nest.value.getType());
  if (!nest.usesTileRegisters())
    return nest.contraction.copiesRows;
  return mustPackRows(nest) || llvm::any_of(nest.tileDims, [&](unsigned dim) { return type.isDynamicDim(dim); });
}

// Columns in panels of groups that vectors can be read from.
bool isGrouped(const ContractionPlan &nest) {
  const IntegerContraction &form = *nest.integer;
  return form.panel > 0 && form.panel % nest.contraction.width == 0 && isInMemory(nest.step.op, form.column);
}

} // namespace

bool DotOperands::mustPackColumns(const ContractionPlan &nest) { return nest.integer->widens() || !isGrouped(nest); }

DotOperands::DotOperands(const ContractionPlan &nest, ElementEmitter &emitter)
    : nest(nest), form(*nest.integer), emitter(emitter), lanes(emitter.lanes), builder(lanes.builder), loc(lanes.loc),
      op(nest.step.op), width(nest.contraction.width), tileColumns(nest.contraction.vectors * width) {
  Reductions all(op, emitter.scalars);
  reductions = all.loops;
  depth = all.sizes.back();
  outerSizes.assign(all.sizes.begin(), std::prev(all.sizes.end()));
  groups = emitter.scalars.ceilDiv(depth, form.group());
  rowsPacked = nest.usesTileRegisters() ? mustPackRows(nest) : nest.contraction.copiesRows;
  columnsPacked = mustPackColumns(nest);
}

static Value countGroups(const ContractionPlan &nest, const Reductions &all, FunctionScalars &scalars) {
  return scalars.mul(scalars.product(ArrayRef(all.sizes).drop_back()),
                     scalars.ceilDiv(all.sizes.back(), nest.integer->group()));
}

static int64_t groupBytes(const IntegerContraction &form) {
  return *::heddle::contract::packedBytes(form.partBits(), form.group());
}

static Value groupsBytes(const ContractionPlan &nest, int64_t copies, const Reductions &all, FunctionScalars &scalars) {
  const IntegerContraction &form = *nest.integer;
  Value bytes = scalars.mul(countGroups(nest, all, scalars), scalars.constant(copies * groupBytes(form)));
  return scalars.mul(scalars.ceilDiv(bytes, 64), scalars.constant(64));
}

// Groups from one row of a block in scratch to the next: an odd number of lines, so that no two rows of a tile lie in
// the same set of the first-level cache.
static Value blockRowGroups(const ContractionPlan &nest, const Reductions &all, FunctionScalars &scalars) {
  int64_t line = 64 * 8 / (nest.integer->group() * nest.integer->partBits());
  Value lines = scalars.ceilDiv(countGroups(nest, all, scalars), line);
  Value odd =
      scalars.add(scalars.mul(scalars.divide(lines, scalars.constant(2)), scalars.constant(2)), scalars.constant(1));
  return scalars.mul(odd, scalars.constant(line));
}

static Value rowBytes(const ContractionPlan &nest, const Reductions &all, FunctionScalars &scalars) {
  if (nest.usesTileRegisters())
    return groupsBytes(nest, nest.contraction.rows(), all, scalars);
  const IntegerContraction &form = *nest.integer;
  Value row = scalars.mul(blockRowGroups(nest, all, scalars), scalars.constant(groupBytes(form)));
  return scalars.mul(scalars.product(blockExtents(nest, scalars)), row);
}

Value DotOperands::scratchBytes(const ContractionPlan &nest, FunctionScalars &scalars) {
  Reductions all(nest.step.op, scalars);
  Value total = scalars.constant(0);
  if (mustPackColumns(nest))
    total = groupsBytes(nest, nest.contraction.vectors * nest.contraction.width, all, scalars);
  if (hasScratchForRows(nest))
    total = scalars.add(total, rowBytes(nest, all, scalars));
  return total;
}

void DotOperands::setScratch(Value offset) {
  auto type = MemRefType::get({ShapedType::kDynamic}, partType());
  if (columnsPacked) {
    columnPanel = kernel::ScratchOp::create(builder, loc, type, offset);
    offset = add(offset, groupsBytes(nest, tileColumns, Reductions(op, emitter.scalars), emitter.scalars));
  }
  if (hasScratchForRows(nest))
    rowPanel = kernel::ScratchOp::create(builder, loc, type, offset);
}

//===--- Shared --------------------------------------------------------------------------------------------------===//

// The number of the group, counted over all reductions.
Value DotOperands::position(const GroupIndex &at) {
  Value result = lanes.index(0);
  for (auto [i, size] : llvm::zip(at.outer, outerSizes))
    result = add(mul(result, size), i);
  return add(mul(result, groups), at.group);
}

SmallVector<LaneValue> DotOperands::at(ArrayRef<LaneValue> dims, ArrayRef<Value> outer) {
  SmallVector<LaneValue> result(dims);
  for (auto [loop, i] : llvm::zip(reductions, outer))
    result[loop] = LaneValue::uniform(i);
  return result;
}

LaneValue DotOperands::evaluate(unsigned operand, ArrayRef<LaneValue> dims) {
  SmallVector<LaneValue> where;
  for (AffineExpr expr : op.getMatchingIndexingMap(&op->getOpOperand(operand)).getResults())
    where.push_back(lanes.apply(expr, dims));
  return emitter.evaluate(op->getOperand(operand), where);
}

static LaneValue wrap(Value value) {
  return isa<VectorType>(value.getType()) ? LaneValue::any(value) : LaneValue::uniform(value);
}

LaneValue DotOperands::toPart(LaneValue byte, bool isSigned) {
  if (!form.widens())
    return byte;
  Value element = lanes.materialize(byte);
  Type type = partType();
  if (auto vector = dyn_cast<VectorType>(element.getType()))
    type = vector.clone(type);
  return isSigned ? wrap(arith::ExtSIOp::create(builder, loc, type, element))
                  : wrap(arith::ExtUIOp::create(builder, loc, type, element));
}

SmallVector<Value> DotOperands::forEachGroup(ValueRange carried, GroupBody body) {
  auto loops = [&](ArrayRef<Value> sizes, ValueRange values, ReductionBody inner) {
    return emitter.loops(sizes, values, inner);
  };
  return forEachGroup(carried, loops, body);
}

SmallVector<Value> DotOperands::forEachGroup(ValueRange carried, Loops loops, GroupBody body) {
  SmallVector<Value> sizes(outerSizes);
  sizes.push_back(groups);
  return loops(sizes, carried, [&](ArrayRef<Value> index, ValueRange values) {
    return body({SmallVector<Value>(index.drop_back()), index.back()}, values);
  });
}

//===--- Rows ----------------------------------------------------------------------------------------------------===//

// The panel is [slot, outer…, groups, group]; in a block, slots end with lines.
Value DotOperands::rowPosition(Value slot, const GroupIndex &at) {
  Reductions all(op, emitter.scalars);
  Value row =
      nest.usesTileRegisters() ? countGroups(nest, all, emitter.scalars) : blockRowGroups(nest, all, emitter.scalars);
  return mul(add(mul(slot, row), position(at)), form.group());
}

void DotOperands::packRow(ArrayRef<LaneValue> row, Value slot) {
  int64_t step = width * form.group();
  if (std::optional<int64_t> known = getConstant(depth))
    step = std::min<int64_t>(step, llvm::PowerOf2Ceil(std::max<int64_t>(*known, 1)));
  Buffer panel{rowPanel, partType(), {0}, {lanes.index(1)}, {Value()}};
  emitter.loops(outerSizes, {}, [&](ArrayRef<Value> outer, ValueRange) -> SmallVector<Value> {
    SmallVector<LaneValue> dims = at(row, outer);
    Value start = rowPosition(slot, {SmallVector<Value>(outer), lanes.index(0)});
    if (packsLastGroup(dims, start))
      return {};
    if (!isWhole(depth, form.group()))
      zeroLastGroup(start);
    forEachVector(emitter, lanes.index(0), depth, step, nest.masks, [&](LaneValue k) {
      dims[reductions.back()] = k;
      LaneValue part = toPart(evaluate(form.row, dims), form.rowSigned);
      emitter.store(panel, {lanes.add(LaneValue::uniform(start), k)}, form.shiftsRows() ? shift(part) : part);
    });
    return {};
  });
}

// A row of less than a group, where vectors have masks: one load, whose lanes that are off are zeros, and one store.
bool DotOperands::packsLastGroup(SmallVector<LaneValue> dims, Value start) {
  std::optional<int64_t> known = getConstant(depth);
  if (!known || *known <= 0 || *known >= form.group() || !nest.masks || !isInMemory(op, form.row) ||
      !isRunAlong(op, form.row, reductions.back()))
    return false;
  lanes.width = form.group();
  lanes.mask = maskBelow(emitter, depth, form.group());
  dims[reductions.back()] = LaneValue::affine(lanes.index(0), 1);
  LaneValue part = toPart(evaluate(form.row, dims), form.rowSigned);
  Value packed = lanes.toVector(form.shiftsRows() ? shift(part) : part);
  lanes.mask = {};
  lanes.width = 1;
  vector::StoreOp::create(builder, loc, packed, rowPanel, ValueRange{start});
  return true;
}

// Makes the last group of the row at `start` zeros, if there is one.
void DotOperands::zeroLastGroup(Value start) {
  VectorType type = partsType(form.group());
  TypedAttr zero = form.shiftsRows() ? signBits(type) : builder.getZeroAttr(type);
  Value one = lanes.index(1), some = builder.createOrFold<arith::MinSIOp>(loc, groups, one);
  emitter.loop(lanes.index(0), some, 1, {}, [&](Value, ValueRange) -> SmallVector<Value> {
    Value last = mul(builder.createOrFold<arith::SubIOp>(loc, groups, one), form.group());
    vector::StoreOp::create(builder, loc, arith::ConstantOp::create(builder, loc, zero), rowPanel,
                            ValueRange{add(start, last)});
    return {};
  });
}

TypedAttr DotOperands::signBits(Type type) {
  TypedAttr sign = builder.getI8IntegerAttr(-128);
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(vector, static_cast<Attribute>(sign));
  return sign;
}

LaneValue DotOperands::shift(LaneValue byte) {
  Value element = lanes.materialize(byte);
  Value sign = arith::ConstantOp::create(builder, loc, signBits(element.getType()));
  return wrap(arith::XOrIOp::create(builder, loc, element, sign));
}

Value DotOperands::shiftRow() {
  return arith::ConstantOp::create(builder, loc, signBits(partsType(width * form.group())));
}

Value DotOperands::loadRow(ArrayRef<LaneValue> row, Value slot, const GroupIndex &index) {
  Value group;
  if (rowsPacked) {
    group =
        vector::LoadOp::create(builder, loc, partsType(form.group()), rowPanel, ValueRange{rowPosition(slot, index)});
  } else {
    SmallVector<LaneValue> dims = at(row, index.outer);
    dims[reductions.back()] = LaneValue::affine(mul(index.group, form.group()), 1);
    lanes.width = form.group();
    group = lanes.toVector(evaluate(form.row, dims));
    lanes.width = 1;
  }
  Type i32 = builder.getI32Type();
  Value word = vector::BitCastOp::create(builder, loc, VectorType::get({1}, i32), group);
  word = vector::ExtractOp::create(builder, loc, word, ArrayRef<int64_t>{0});
  Value all = vector::BroadcastOp::create(builder, loc, VectorType::get({width}, i32), word);
  return vector::BitCastOp::create(builder, loc, partsType(width * form.group()), all);
}

//===--- Columns -------------------------------------------------------------------------------------------------===//

void DotOperands::packColumns(const DotColumns &columns) {
  auto pack = [&](bool byVectors) {
    forEachGroup({}, [&](const GroupIndex &index, ValueRange) -> SmallVector<Value> {
      byVectors ? packVectors(columns, index) : packOneByOne(columns, index);
      return {};
    });
  };
  if (isGrouped(nest))
    return pack(true);
  if (!isRunAlong(op, form.column, columns.loop))
    return pack(false);
  if (!columns.ragged || nest.masks)
    return pack(true);
  // Without masks only full tiles can be read by vectors.
  Value full = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, columns.left, lanes.index(tileColumns));
  Value zero = lanes.index(0), one = lanes.index(1), times = arith::SelectOp::create(builder, loc, full, one, zero);
  for (bool byVectors : {true, false})
    emitter.loop(byVectors ? zero : times, byVectors ? times : one, 1, {},
                 [&](Value, ValueRange) -> SmallVector<Value> {
                   pack(byVectors);
                   return {};
                 });
}

// The columns' elements at `k` of the innermost reduction, as they are multiplied. Past its end, where rows are zeros,
// those of integers may be any; of floats they are zeros, too.
LaneValue DotOperands::columnPart(ArrayRef<LaneValue> dims, Value k) {
  bool whole = isWhole(depth, form.group());
  Value last = whole ? Value() : builder.createOrFold<arith::SubIOp>(loc, depth, lanes.index(1));
  SmallVector<LaneValue> at(dims);
  at[reductions.back()] = LaneValue::uniform(whole ? k : builder.createOrFold<arith::MinSIOp>(loc, k, last));
  LaneValue part = toPart(evaluate(form.column, at), form.columnSigned);
  if (!form.isFloat || whole)
    return part;
  Value element = lanes.materialize(part);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element.getType()));
  Value isInside = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, k, depth);
  return wrap(arith::SelectOp::create(builder, loc, isInside, element, zero));
}

// [a0, b0, a1, b1, …], or of four [a0, b0, c0, d0, a1, …].
Value DotOperands::interleave(ArrayRef<Value> parts) {
  auto two = [&](Value a, Value b) -> Value { return vector::InterleaveOp::create(builder, loc, a, b); };
  return parts.size() == 2 ? two(parts[0], parts[1]) : two(two(parts[0], parts[2]), two(parts[1], parts[3]));
}

void DotOperands::packVectors(const DotColumns &columns, const GroupIndex &index) {
  SmallVector<LaneValue> dims = at(columns.dims, index.outer);
  Value start = mul(position(index), tileColumns * form.group());
  for (int64_t vector = 0; vector < columns.vectors; ++vector) {
    Value to = add(start, lanes.index(vector * width * form.group()));
    if (form.widens() && isGrouped(nest)) {
      vector::StoreOp::create(builder, loc, pairsOfQuads(columns, vector, index), columnPanel, ValueRange{to});
      continue;
    }
    lanes.width = width;
    if (columns.ragged && nest.masks) {
      Value left = builder.createOrFold<arith::SubIOp>(loc, columns.left, lanes.index(vector * width));
      lanes.mask = maskBelow(emitter, left, width);
    }
    dims[columns.loop] = LaneValue::affine(add(columns.first, lanes.index(vector * width)), 1);
    SmallVector<Value> parts;
    for (int64_t i = 0; i < form.group(); ++i) {
      Value k = add(mul(index.group, form.group()), lanes.index(i));
      parts.push_back(lanes.toVector(columnPart(dims, k)));
    }
    lanes.width = 1;
    lanes.mask = {};
    vector::StoreOp::create(builder, loc, interleave(parts), columnPanel, ValueRange{to});
  }
}

void DotOperands::packOneByOne(const DotColumns &columns, const GroupIndex &index) {
  Value start = mul(position(index), tileColumns * form.group());
  Value last = builder.createOrFold<arith::SubIOp>(loc, columns.left, lanes.index(1));
  emitter.loop(lanes.index(0), lanes.index(tileColumns), 1, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
    // Columns past the end are computed from the last and not stored.
    Value column = builder.createOrFold<arith::MinSIOp>(loc, i, last);
    SmallVector<LaneValue> dims = at(columns.dims, index.outer);
    dims[columns.loop] = LaneValue::uniform(add(columns.first, column));
    Value to = add(start, mul(i, form.group()));
    for (int64_t j = 0; j < form.group(); ++j) {
      LaneValue part = columnPart(dims, add(mul(index.group, form.group()), lanes.index(j)));
      memref::StoreOp::create(builder, loc, part.base, columnPanel, ValueRange{add(to, lanes.index(j))});
    }
    return {};
  });
}

Value DotOperands::loadColumns(const DotColumns &columns, int64_t vector, const GroupIndex &index) {
  if (!columnsPacked)
    return loadGrouped(columns, vector, index);
  Value from = mul(position(index), tileColumns * form.group());
  from = add(from, lanes.index(vector * width * form.group()));
  return vector::LoadOp::create(builder, loc, partsType(width * form.group()), columnPanel, ValueRange{from});
}

// A vector of groups of four bytes or two of bf16, from panels: columns and groups are one run of bytes there. Vectors
// that begin past the last column read the last vector again.
SmallVector<LaneValue> DotOperands::groupedIndex(const DotColumns &columns, int64_t vector, const GroupIndex &index) {
  Value column = add(columns.first, lanes.index(vector * width));
  if (columns.ragged) {
    Value end = add(columns.first, columns.left);
    Value last = builder.createOrFold<arith::SubIOp>(loc, end, lanes.index(1));
    last = mul(builder.createOrFold<arith::DivUIOp>(loc, last, lanes.index(width)), width);
    column = builder.createOrFold<arith::MinSIOp>(loc, column, last);
  }
  SmallVector<LaneValue> dims = at(columns.dims, index.outer);
  dims[columns.loop] = LaneValue::uniform(column);
  // Of panels of groups the last three dimensions count groups, columns of a panel, and elements of a group.
  ArrayRef<AffineExpr> exprs = op.getMatchingIndexingMap(&op->getOpOperand(form.column)).getResults();
  SmallVector<LaneValue> where;
  for (auto [i, expr] : llvm::enumerate(exprs))
    where.push_back(i + 3 == exprs.size()   ? LaneValue::uniform(index.group)
                    : i + 1 == exprs.size() ? LaneValue::affine(lanes.index(0), 1)
                                            : lanes.apply(expr, dims));
  return where;
}

Value DotOperands::loadGrouped(const DotColumns &columns, int64_t vector, const GroupIndex &index) {
  SmallVector<LaneValue> where = groupedIndex(columns, vector, index);
  lanes.width = width * form.storedGroup();
  Value loaded = lanes.toVector(emitter.evaluate(op->getOperand(form.column), where));
  lanes.width = 1;
  return loaded;
}

void DotOperands::prefetchColumns(const DotColumns &columns, int64_t vector, const GroupIndex &index) {
  if (columnsPacked)
    return;
  GroupIndex later = index;
  later.group = add(index.group, lanes.index(kPanelPrefetchDistance));
  emitter.prefetch(op->getOperand(form.column), groupedIndex(columns, vector, later));
}

// The low or the high pair of each group of four bytes, widened.
Value DotOperands::pairsOfQuads(const DotColumns &columns, int64_t vector, const GroupIndex &index) {
  GroupIndex quads = index;
  quads.group = builder.createOrFold<arith::DivUIOp>(loc, index.group, lanes.index(2));
  Value half = builder.createOrFold<arith::RemUIOp>(loc, index.group, lanes.index(2));
  Value loaded = loadGrouped(columns, vector, quads);
  auto words = VectorType::get({width}, builder.getI32Type());
  Value word = vector::BitCastOp::create(builder, loc, words, loaded);
  Value bits = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), mul(half, 16));
  word = arith::ShRUIOp::create(builder, loc, word, vector::BroadcastOp::create(builder, loc, words, bits));
  Value pair = arith::TruncIOp::create(builder, loc, words.clone(builder.getI16Type()), word);
  Value bytes = vector::BitCastOp::create(builder, loc, VectorType::get({2 * width}, builder.getI8Type()), pair);
  return toPart(LaneValue::any(bytes), form.columnSigned).vector;
}

//===--- Tile registers ------------------------------------------------------------------------------------------===//

void DotOperands::forEachTile(int64_t step, function_ref<void(const GroupIndex &)> body) {
  emitter.loops(outerSizes, {}, [&](ArrayRef<Value> outer, ValueRange) -> SmallVector<Value> {
    emitter.loop(lanes.index(0), groups, step, {}, [&](Value group, ValueRange) -> SmallVector<Value> {
      body({SmallVector<Value>(outer), group});
      return {};
    });
    return {};
  });
}

std::pair<Value, Value> DotOperands::locateRow(ArrayRef<LaneValue> dims) {
  SmallVector<LaneValue> where;
  for (AffineExpr expr : op.getMatchingIndexingMap(&op->getOpOperand(form.row)).getResults())
    where.push_back(lanes.apply(expr, dims));
  return *emitter.locate(op->getOperand(form.row), where);
}

GroupIndex DotOperands::start() { return {SmallVector<Value>(outerSizes.size(), lanes.index(0)), lanes.index(0)}; }

DotMatrix DotOperands::rowsFrom(ArrayRef<LaneValue> first, ArrayRef<LaneValue> second, Value slot) {
  if (rowsPacked)
    return {rowPanel, rowPosition(slot, start()), rowPosition(lanes.index(1), start())};
  auto [memory, offset] = locateRow(first);
  return {memory, offset, builder.createOrFold<arith::SubIOp>(loc, locateRow(second).second, offset)};
}

DotOperands::Walk DotOperands::walkRows(ArrayRef<LaneValue> first) {
  FunctionScalars &scalars = emitter.scalars;
  if (rowsPacked) // one behind the other
    return {{scalars.mul(scalars.product(outerSizes), groups)}, {}};
  Walk walk{outerSizes, {}};
  walk.sizes.push_back(groups);
  for (unsigned loop : ArrayRef(reductions).drop_back()) {
    SmallVector<LaneValue> after(first);
    after[loop] = lanes.constant(1);
    walk.strides.push_back(builder.createOrFold<arith::SubIOp>(loc, locateRow(after).second, locateRow(first).second));
  }
  return walk;
}

DotMatrix DotOperands::rowMatrix(const DotRows &rows, const GroupIndex &index) {
  if (rows.first.empty())
    return {rowPanel, rowPosition(lanes.index(rows.slot), index), rowPosition(lanes.index(1), start())};
  Value stride = builder.createOrFold<arith::SubIOp>(loc, locateRow(rows.second).second, locateRow(rows.first).second);
  SmallVector<LaneValue> dims = at(rows.first, index.outer);
  dims[reductions.back()] = LaneValue::uniform(mul(index.group, form.group()));
  auto [memory, offset] = locateRow(dims);
  return {memory, offset, stride};
}

DotMatrix DotOperands::columnMatrix(const DotColumns &columns, int64_t vector, const GroupIndex &index) {
  if (columnsPacked) {
    Value from = add(mul(position(index), tileColumns * form.group()), lanes.index(vector * width * form.group()));
    return {columnPanel, from, lanes.index(tileColumns * form.group())};
  }
  auto [memory, offset] = *emitter.locate(op->getOperand(form.column), groupedIndex(columns, vector, index));
  return {memory, offset, lanes.index(form.panel * form.group())};
}
