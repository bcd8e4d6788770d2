// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of an exchange. They are formulas of the rank's place, so their number does not depend on the ranks'.
#include "compiler/Dialect/Flow/Transforms/Parts.h"
#include "compiler/Dialect/Flow/Transforms/Shards.h"
#include "compiler/Stages/Ranks/Reshard/Exchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::RankPart;

RankPart mlir::heddle::buildReadPart(OpBuilder &builder, Location loc, const RankPart &part, const WindowValues &window,
                                     OpFoldResult size) {
  auto index = [&](OpFoldResult value) { return getValueOrCreateConstantIndexOp(builder, loc, value); };
  OpFoldResult zero = builder.getIndexAttr(0);
  OpFoldResult least = flow::buildDifference(builder, loc, zero, window.low);
  OpFoldResult most = flow::buildSum(builder, loc, size, window.high);
  auto clamp = [&](OpFoldResult at) {
    Value low = builder.createOrFold<arith::MaxSIOp>(loc, index(at), index(least));
    return getAsOpFoldResult(builder.createOrFold<arith::MinSIOp>(loc, low, index(most)));
  };
  auto sum = [&](OpFoldResult x, OpFoldResult y) { return flow::buildSum(builder, loc, x, y); };
  OpFoldResult from = sum(flow::buildProduct(builder, loc, part.begin, window.scale), window.first);
  // The last position begins `scale` in front of where one more would.
  OpFoldResult more = flow::buildDifference(builder, loc, window.extent, window.scale);
  OpFoldResult to = sum(sum(from, flow::buildProduct(builder, loc, part.size, window.scale)), more);
  OpFoldResult begin = clamp(from);
  OpFoldResult count = flow::buildDifference(builder, loc, clamp(to), begin);
  if (part.mayBeEmpty && getConstantIntValue(part.size).value_or(0) == 0) {
    Value isEmpty = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, index(part.size), index(zero));
    count = getAsOpFoldResult(builder.createOrFold<arith::SelectOp>(loc, isEmpty, index(zero), index(count)));
  }
  return {begin, count, size};
}

OpFoldResult mlir::heddle::buildFirst(OpBuilder &builder, Location loc, const WindowedDim &dim) {
  OpFoldResult known = builder.getIndexAttr(dim.window.first);
  return dim.window.behind ? flow::buildDifference(builder, loc, known, dim.behind) : known;
}

namespace {

class ExchangeEmitter {
public:
  ExchangeEmitter(OpBuilder &builder, Location loc, Value local, const WindowedDim &dim, const Exchange &exchange,
                  OpFoldResult whole, int64_t granule, device::MeshOp mesh)
      : b(builder), loc(loc), local(local), dim(dim), exchange(exchange), whole(whole), granule(granule), mesh(mesh) {}

  Value emit() {
    RankPart had = partOf(whole, granule), loop = partOf(loopSize(), dim.window.granule);
    const Window &window = dim.window;
    RankPart needed = buildReadPart(b, loc, loop,
                                    {b.getIndexAttr(window.scale), b.getIndexAttr(window.extent),
                                     buildFirst(b, loc, dim), b.getIndexAttr(window.low), b.getIndexAttr(window.high)},
                                    whole);
    if (std::optional<int64_t> size = exchange.equalSize())
      needed.size = b.getIndexAttr(*size);
    return exchange.moves ? meet(needed.size) : takeOwn(had, needed);
  }

private:
  OpFoldResult loopSize() const {
    return ShapedType::isDynamic(dim.window.size) ? dim.loop : OpFoldResult(b.getIndexAttr(dim.window.size));
  }

  RankPart partOf(OpFoldResult size, int64_t of) {
    return flow::buildRankPart(b, loc, mesh, dim.axes, flow::GranuleAttr::get(b.getContext(), of, {}), size);
  }

  // Each place has all that it needs.
  Value takeOwn(const RankPart &had, const RankPart &needed) {
    bool isAll =
        exchange.isKnown && llvm::all_of(llvm::seq(exchange.cuts[0].parts), [&](int64_t at) {
          return ::heddle::contract::hadBy(exchange.cuts, at) == ::heddle::contract::neededOf(exchange.cuts, at);
        });
    if (isAll)
      return local;
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, local), offsets(sizes.size(), b.getIndexAttr(0));
    sizes[dim.dim] = needed.size;
    OpFoldResult &begin = offsets[dim.dim];
    begin = flow::buildDifference(b, loc, needed.begin, had.begin);
    bool mayBeNone = !exchange.isKnown || llvm::any_of(llvm::seq(exchange.cuts[0].parts), [&](int64_t at) {
      return ::heddle::contract::neededOf(exchange.cuts, at).size() == 0;
    });
    if (mayBeNone) { // nothing is taken at a place that the part has
      Value low = b.createOrFold<arith::MaxSIOp>(loc, index(begin), index(b.getIndexAttr(0)));
      begin = getAsOpFoldResult(b.createOrFold<arith::MinSIOp>(loc, low, index(had.size)));
    }
    return flow::takeSlice(b, loc, local, offsets, sizes);
  }

  Value index(OpFoldResult value) { return getValueOrCreateConstantIndexOp(b, loc, value); }

  static SmallVector<Value> dynamicOf(ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> values;
    for (OpFoldResult size : sizes)
      if (!getConstantIntValue(size))
        values.push_back(cast<Value>(size));
    return values;
  }

  Value meet(OpFoldResult needed) {
    SmallVector<OpFoldResult> from = tensor::getMixedSizes(b, loc, local), to = from;
    to[dim.dim] = needed;
    auto type = cast<RankedTensorType>(local.getType());
    SmallVector<int64_t> shape = llvm::map_to_vector(
        to, [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); });
    SmallVector<Value> ofOperand = dynamicOf(from), ofResult = dynamicOf(to), cut;
    Value count = index(flow::buildCount(b, loc, mesh, dim.axes)), zero = index(b.getIndexAttr(0));
    for (auto [size, of] : {std::pair(whole, granule), std::pair(loopSize(), dim.window.granule)})
      cut.append(
          {index(flow::buildQuotient(b, loc, size, b.getIndexAttr(of))), index(b.getIndexAttr(of)), zero, count});
    auto number = [&](int64_t value) { return index(b.getIndexAttr(value)); };
    const Window &window = dim.window;
    cut.append({number(window.scale), number(window.extent), index(buildFirst(b, loc, dim)), number(window.low),
                number(window.high)});
    SmallVector<Attribute> names(dim.axes.begin(), dim.axes.end());
    OperationState state(loc, flow::ExchangeOp::getOperationName());
    state.addOperands(local);
    state.addOperands(ofOperand);
    state.addOperands(ofResult);
    state.addOperands(cut);
    state.addTypes(RankedTensorType::get(shape, type.getElementType()));
    state.addAttribute("dim", b.getI64IntegerAttr(dim.dim));
    state.addAttribute("mesh", FlatSymbolRefAttr::get(mesh.getSymNameAttr()));
    state.addAttribute("axes", b.getArrayAttr(names));
    state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr({1, static_cast<int32_t>(ofOperand.size()),
                                                                      static_cast<int32_t>(ofResult.size()),
                                                                      static_cast<int32_t>(cut.size())}));
    return b.create(state)->getResult(0);
  }

  OpBuilder &b;
  Location loc;
  Value local;
  const WindowedDim &dim;
  const Exchange &exchange;
  OpFoldResult whole;
  int64_t granule;
  device::MeshOp mesh;
};

} // namespace

Value mlir::heddle::emitExchange(OpBuilder &builder, Location loc, Value local, const WindowedDim &dim,
                                 const Exchange &exchange, OpFoldResult whole, int64_t granule, device::MeshOp mesh) {
  return ExchangeEmitter(builder, loc, local, dim, exchange, whole, granule, mesh).emit();
}
