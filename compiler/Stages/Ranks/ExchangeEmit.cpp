// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of an exchange. What each place sends and takes is known, so that numbers stand in the program where all
// places have the same one, and choices by the place where they differ.
#include "compiler/Dialect/Flow/Transforms/Parts.h"
#include "compiler/Dialect/Flow/Transforms/Shards.h"
#include "compiler/Stages/Ranks/Exchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

class ExchangeEmitter {
public:
  ExchangeEmitter(OpBuilder &builder, Location loc, Value local, const WindowedDim &dim, const Exchange &exchange,
                  device::MeshOp mesh)
      : b(builder), loc(loc), local(local), dim(dim.dim), axes(dim.axes), exchange(exchange), mesh(mesh),
        count(exchange.had.size()) {}

  Value emit() {
    SmallVector<Value> pieces;
    for (const ExchangeRound &round : exchange.rounds) {
      if (round.distance > 0 && pieces.size() == countBefore())
        addOwn(pieces);
      pieces.push_back(receive(round, send(round)));
    }
    if (pieces.size() == countBefore())
      addOwn(pieces);
    if (pieces.empty()) // nobody needs anything
      return filled(sizesWith(b.getIndexAttr(0)));
    Value all = pieces.size() == 1 ? pieces.front() : tensor::ConcatOp::create(b, loc, dim, pieces).getResult();
    // Where all places need as much, the type says so.
    OpFoldResult size = pick([&](int64_t at) { return exchange.needed[at].size(); });
    auto type = cast<RankedTensorType>(all.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = getConstantIntValue(size).value_or(ShapedType::kDynamic);
    auto wanted = RankedTensorType::get(shape, type.getElementType());
    return type == wanted ? all : Value(tensor::CastOp::create(b, loc, wanted, all));
  }

private:
  // Rounds of positions in front of a place's own.
  size_t countBefore() const {
    return llvm::count_if(exchange.rounds, [](const ExchangeRound &round) { return round.distance < 0; });
  }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  Value getPlace() {
    if (!place)
      place = getValueOrCreateConstantIndexOp(b, loc, flow::buildPlace(b, loc, mesh, axes));
    return place;
  }

  // By this rank's place: runs in which the number grows by the same amount, chosen among by where they end.
  OpFoldResult pick(llvm::function_ref<int64_t(int64_t)> numberOf) {
    struct Run {
      int64_t end, first, step, begin;
    };
    SmallVector<Run> runs;
    for (int64_t at = 0; at < count;) {
      int64_t first = numberOf(at), end = at + 1, step = end < count ? numberOf(end) - first : 0;
      while (end < count && numberOf(end) == first + step * (end - at))
        ++end;
      if (end == at + 1)
        step = 0;
      runs.push_back({end, first, step, at});
      at = end;
    }
    if (runs.size() == 1 && runs.front().step == 0)
      return b.getIndexAttr(runs.front().first);
    Value result;
    for (const Run &run : llvm::reverse(runs)) {
      Value value = index(run.step == 0 ? run.first : run.step);
      if (run.step != 0) {
        value = arith::MulIOp::create(b, loc, getPlace(), value);
        if (int64_t base = run.first - run.step * run.begin)
          value = arith::AddIOp::create(b, loc, value, index(base));
      }
      if (result) {
        Value isIn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, getPlace(), index(run.end));
        value = arith::SelectOp::create(b, loc, isIn, value, result);
      }
      result = value;
    }
    return result;
  }

  SmallVector<OpFoldResult> sizesWith(OpFoldResult size) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, local);
    sizes[dim] = size;
    return sizes;
  }

  Value take(Value from, OpFoldResult begin, OpFoldResult size) {
    SmallVector<OpFoldResult> sizes = sizesWith(size), offsets(sizes.size(), b.getIndexAttr(0));
    offsets[dim] = begin;
    return flow::takeSlice(b, loc, from, offsets, sizes);
  }

  Value filled(ArrayRef<OpFoldResult> sizes) {
    Type element = cast<RankedTensorType>(local.getType()).getElementType();
    Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  }

  void addOwn(SmallVector<Value> &pieces) {
    auto own = [&](int64_t at) { return exchange.travelling(at, 0); };
    OpFoldResult size = pick([&](int64_t at) { return own(at).size(); });
    if (isConstantIntValue(size, 0))
      return;
    bool isAll = llvm::all_of(llvm::seq(count), [&](int64_t at) { return own(at) == exchange.had[at]; });
    pieces.push_back(isAll ? local : take(local, pick([&](int64_t at) { return beginIn(at, own(at)); }), size));
  }

  // Where positions begin in the part that has them.
  int64_t beginIn(int64_t sender, const Positions &positions) const {
    return positions.size() == 0 ? 0 : positions.begin - exchange.had[sender].begin;
  }

  // What this place sends, in the size of the largest piece of the round.
  Value send(const ExchangeRound &round) {
    auto sent = [&](int64_t sender) {
      int64_t receiver = sender - round.distance;
      return receiver < 0 || receiver >= count ? Positions() : exchange.travelling(receiver, round.distance);
    };
    auto begin = [&](int64_t sender) { return beginIn(sender, sent(sender)); };
    bool fits = llvm::all_of(
        llvm::seq(count), [&](int64_t sender) { return begin(sender) + round.largest <= exchange.had[sender].size(); });
    if (fits)
      return take(local, pick(begin), b.getIndexAttr(round.largest));
    OpFoldResult size = pick([&](int64_t sender) { return sent(sender).size(); });
    Value piece = take(local, pick(begin), size);
    SmallVector<OpFoldResult> sizes = sizesWith(b.getIndexAttr(round.largest));
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)), strides(sizes.size(), b.getIndexAttr(1));
    return tensor::InsertSliceOp::create(b, loc, piece, filled(sizes), offsets, sizesWith(size), strides);
  }

  Value receive(const ExchangeRound &round, Value sent) {
    SmallVector<Value> dynamic;
    for (OpFoldResult size : sizesWith(b.getIndexAttr(round.largest)))
      if (auto value = dyn_cast<Value>(size))
        dynamic.push_back(value);
    SmallVector<Attribute> names(axes.begin(), axes.end());
    OperationState state(loc, flow::PermuteOp::getOperationName());
    state.addOperands(sent);
    state.addOperands(dynamic);
    state.addTypes(sent.getType());
    state.addAttribute("pairs", b.getDenseI64ArrayAttr(round.pairs));
    state.addAttribute("mesh", FlatSymbolRefAttr::get(mesh.getSymNameAttr()));
    state.addAttribute("axes", b.getArrayAttr(names));
    Value received = b.create(state)->getResult(0);
    OpFoldResult size = pick([&](int64_t at) { return exchange.travelling(at, round.distance).size(); });
    return isConstantIntValue(size, round.largest) ? received : take(received, b.getIndexAttr(0), size);
  }

  OpBuilder &b;
  Location loc;
  Value local;
  int64_t dim;
  ArrayRef<StringAttr> axes;
  const Exchange &exchange;
  device::MeshOp mesh;
  int64_t count;
  Value place;
};

} // namespace

Value mlir::heddle::emitExchange(OpBuilder &builder, Location loc, Value local, const WindowedDim &dim,
                                 const Exchange &exchange, device::MeshOp mesh) {
  return ExchangeEmitter(builder, loc, local, dim, exchange, mesh).emit();
}
