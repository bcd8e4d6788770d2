#include "compiler/Codegen/Nest.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static bool isVectorizable(func::FuncOp func) {
  bool vectorizable = true;
  func.walk([&](linalg::GenericOp op) {
    for (Operation &inner : *op.getBody())
      vectorizable &= inner.getNumRegions() == 0;
  });
  return vectorizable;
}

Nest mlir::heddle::codegen::makeNest(Value result, int64_t binding, const cpu::CpuFeatures &features) {
  Nest nest{result, binding};
  auto type = cast<RankedTensorType>(result.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) != 1)
      nest.laneDim = dim;
  nest.masks = features.masks;
  Operation *def = result.getDefiningOp();
  if (def && isVectorizable(def->getParentOfType<func::FuncOp>()) && type.getRank() > 0)
    nest.width = features.vectorBytes / 4;
  return nest;
}

std::string mlir::heddle::codegen::describe(const Nest &nest) {
  return "elements, width " + std::to_string(nest.width);
}

namespace {

struct Rows {
  SmallVector<unsigned> dims;
  SmallVector<Value> sizes;
  Value total, perWorkgroup;
};

Rows getRows(const Nest &nest, FunctionScalars &scalars) {
  constexpr int64_t kElementsPerWorkgroup = 16384;
  Rows rows;
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  Value inner = scalars.constant(1);
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (dim == nest.laneDim) {
      inner = size;
      continue;
    }
    rows.dims.push_back(dim);
    rows.sizes.push_back(size);
  }
  rows.total = scalars.product(rows.sizes);
  rows.perWorkgroup = scalars.max(scalars.divide(scalars.constant(kElementsPerWorkgroup), scalars.max(inner, scalars.constant(1))),
                                  scalars.constant(1));
  return rows;
}

} // namespace

Value mlir::heddle::codegen::countWorkgroups(const Nest &nest, FunctionScalars &scalars) {
  Rows rows = getRows(nest, scalars);
  return scalars.divide(scalars.sub(scalars.add(rows.total, rows.perWorkgroup), scalars.constant(1)), rows.perWorkgroup);
}

Value mlir::heddle::codegen::countScratch(const Nest &nest, FunctionScalars &scalars) { return scalars.constant(0); }

void mlir::heddle::codegen::emitWorkgroup(const Nest &nest, ElementEmitter &emitter, Value workgroup,
                                          const Buffer &output) {
  LaneBuilder &lanes = emitter.lanes;
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  FunctionScalars &scalars = emitter.scalars;
  Rows rows = getRows(nest, scalars);
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  Value begin = arith::MulIOp::create(builder, loc, workgroup, rows.perWorkgroup);
  Value end = arith::MinSIOp::create(builder, loc, arith::AddIOp::create(builder, loc, begin, rows.perWorkgroup), rows.total);
  emitter.loop(begin, end, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
    SmallVector<LaneValue> index(sizes.size());
    LaneValue rest = LaneValue::uniform(row);
    for (size_t i = rows.dims.size(); i-- > 0;) {
      LaneValue size = LaneValue::uniform(rows.sizes[i]);
      index[rows.dims[i]] = i == 0 ? rest : lanes.mod(rest, size);
      if (i > 0)
        rest = lanes.floorDiv(rest, size);
    }
    auto body = [&](Value at, ValueRange) -> SmallVector<Value> {
      if (!index.empty())
        index[nest.laneDim] = LaneValue::affine(at, lanes.width == 1 ? 0 : 1);
      emitter.store(output, index, emitter.evaluate(nest.value, index));
      return {};
    };
    if (index.empty()) {
      body({}, {});
      return {};
    }
    Value size = sizes[nest.laneDim];
    if (nest.width == 1) {
      emitter.loop(lanes.index(0), size, 1, {}, body);
      return {};
    }
    Value full = builder.createOrFold<arith::SubIOp>(
        loc, size, builder.createOrFold<arith::RemUIOp>(loc, size, lanes.index(nest.width)));
    lanes.width = nest.width;
    if (getConstant(full) != 0)
      emitter.loop(lanes.index(0), full, nest.width, {}, body);
    lanes.width = 1;
    if (getConstant(size) && getConstant(size) == getConstant(full))
      return {};
    emitter.loop(full, size, 1, {}, body);
    return {};
  });
}
