// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Shards.h"
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Ranks/Reshard/Exchange.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_LOWERCOLLECTIVES
#include "compiler/Stages/Ranks/Passes.h.inc"
} // namespace mlir::heddle

namespace {

using Sizes = SmallVector<OpFoldResult>;

// A tensor with its sizes at hand.
struct Sized {
  Value value;
  Sizes sizes;
};

// Builds reshapes and transposes in front of or behind one collective.
class Shaper {
public:
  Shaper(OpBuilder &builder, Location loc, Type element) : b(builder), loc(loc), element(element) {}

  OpFoldResult mul(OpFoldResult x, OpFoldResult y) {
    return fold<arith::MulIOp>(x, y, [](int64_t a, int64_t b) { return a * b; });
  }
  OpFoldResult div(OpFoldResult x, OpFoldResult y) {
    return fold<arith::DivSIOp>(x, y, [](int64_t a, int64_t b) { return a / b; });
  }
  OpFoldResult add(OpFoldResult x, OpFoldResult y) {
    return fold<arith::AddIOp>(x, y, [](int64_t a, int64_t b) { return a + b; });
  }
  OpFoldResult sub(OpFoldResult x, OpFoldResult y) {
    return fold<arith::SubIOp>(x, y, [](int64_t a, int64_t b) { return a - b; });
  }

  RankedTensorType typeOf(ArrayRef<OpFoldResult> sizes) {
    return RankedTensorType::get(
        llvm::map_to_vector(sizes,
                            [](OpFoldResult s) { return getConstantIntValue(s).value_or(ShapedType::kDynamic); }),
        element);
  }

  // Of `count` parts along `dim`: [… a * count …] is [… count, a …].
  Sized split(Sized tensor, int64_t dim, OpFoldResult count, OpFoldResult part) {
    Sizes sizes(tensor.sizes);
    sizes[dim] = mul(count, part);
    tensor.value = cast(tensor.value, typeOf(sizes)); // as static as the parts say
    sizes[dim] = part;
    sizes.insert(sizes.begin() + dim, count);
    return expand(tensor, sizes, groupsOf(sizes.size(), dim, 2));
  }

  // [… a, b …] is [… a * b …].
  Sized merge(Sized tensor, int64_t dim) { return collapse(tensor, dim, 2); }

  // Moves a dimension to another place; the others keep their order.
  Sized move(Sized tensor, int64_t from, int64_t to) {
    if (from == to)
      return tensor;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, tensor.sizes.size()));
    order.erase(order.begin() + from);
    order.insert(order.begin() + to, from);
    Sizes sizes = llvm::map_to_vector(order, [&](int64_t i) { return tensor.sizes[i]; });
    int64_t low = std::min(from, to), count = std::abs(from - to) + 1;
    bool onlyOnes = llvm::all_of(llvm::seq(low, low + count),
                                 [&](int64_t i) { return i == from || isConstantIntValue(tensor.sizes[i], 1); });
    if (onlyOnes) // no element moves
      return expand(collapse(tensor, low, count), sizes, groupsOf(sizes.size(), low, count));
    Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
    return {linalg::TransposeOp::create(b, loc, tensor.value, empty, order)->getResult(0), sizes};
  }

  Value cast(Value value, Type type) {
    return value.getType() == type ? value : tensor::CastOp::create(b, loc, type, value);
  }

  Value zeros(ArrayRef<OpFoldResult> sizes) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
    return linalg::FillOp::create(b, loc, ValueRange{zero}, ValueRange{empty}).getResult(0);
  }

  // Fails the call where they differ.
  void checkEqual(OpFoldResult x, OpFoldResult y, const Twine &message) {
    if (isEqualConstantIntOrValue(x, y))
      return;
    Value left = getValueOrCreateConstantIndexOp(b, loc, x), right = getValueOrCreateConstantIndexOp(b, loc, y);
    Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, left, right);
    flow::CheckOp::create(b, loc, equal, b.getStringAttr(message));
  }

  // The values of those that a type has no number for.
  SmallVector<Value> dynamicOf(ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> values;
    for (OpFoldResult size : sizes)
      if (!getConstantIntValue(size))
        values.push_back(cast<Value>(size));
    return values;
  }

private:
  template <typename Op>
  OpFoldResult fold(OpFoldResult x, OpFoldResult y, function_ref<int64_t(int64_t, int64_t)> compute) {
    if (std::optional<int64_t> first = getConstantIntValue(x), second = getConstantIntValue(y); first && second)
      return b.getIndexAttr(compute(*first, *second));
    Value left = getValueOrCreateConstantIndexOp(b, loc, x), right = getValueOrCreateConstantIndexOp(b, loc, y);
    return getAsOpFoldResult(b.createOrFold<Op>(loc, left, right));
  }

  // [0], [1], …, but `count` dimensions from `dim` on together.
  static SmallVector<ReassociationIndices> groupsOf(int64_t rank, int64_t dim, int64_t count) {
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0; i < rank; ++i)
      if (i > dim && i < dim + count)
        groups.back().push_back(i);
      else
        groups.push_back({i});
    return groups;
  }

  Sized expand(Sized tensor, ArrayRef<OpFoldResult> sizes, ArrayRef<ReassociationIndices> groups) {
    return {tensor::ExpandShapeOp::create(b, loc, typeOf(sizes), tensor.value, groups, sizes), Sizes(sizes)};
  }

  Sized collapse(Sized tensor, int64_t dim, int64_t count) {
    Sizes sizes(tensor.sizes.begin(), tensor.sizes.begin() + dim + 1);
    for (int64_t i = dim + 1; i < dim + count; ++i)
      sizes[dim] = mul(sizes[dim], tensor.sizes[i]);
    sizes.append(tensor.sizes.begin() + dim + count, tensor.sizes.end());
    auto groups = groupsOf(tensor.sizes.size(), dim, count);
    return {tensor::CollapseShapeOp::create(b, loc, typeOf(sizes), tensor.value, groups), sizes};
  }

  OpBuilder &b;
  Location loc;
  Type element;
};

// Rewrites one collective.
class Lowering {
public:
  explicit Lowering(flow::CollectiveOpInterface op)
      : op(op), b(op), shaper(b, op.getLoc(), op.getOperandType().getElementType()),
        from(mixed(op.getOperandType(), op.getOperandDims())), to(mixed(op.getResultType(), op.getResultDims())) {}

  void run() {
    // Static sizes are alike on all ranks: nobody has an element to give.
    if (llvm::is_contained(op.getResultType().getShape(), 0)) {
      replace({shaper.zeros(to), {}});
      return;
    }
    if (auto permute = dyn_cast<flow::PermuteOp>(*op)) {
      if (permute.getPairs() && permute.getPairs()->empty()) // nobody sends
        replace({shaper.zeros(from), {}});
      return;
    }
    if (isa<flow::ExchangeOp>(*op))
      return checkExchange();
    cuts = flow::getCuts(op);
    if (llvm::all_of(cuts, [&](const flow::CutDim &cut) { return pieceOf(cut).has_value(); }))
      makeEqual();
    if (!cuts.empty())
      lowerCut();
    else if (auto gather = dyn_cast<flow::AllGatherOp>(*op))
      lowerGather(gather.getDim());
    else if (auto gather = dyn_cast<flow::GatherOp>(*op))
      lowerGather(gather.getDim());
    else if (auto scatter = dyn_cast<flow::ReduceScatterOp>(*op))
      lowerScatter(scatter.getDim());
    else if (auto scatter = dyn_cast<flow::ScatterOp>(*op))
      lowerScatter(scatter.getDim());
    else if (auto exchange = dyn_cast<flow::AllToAllOp>(*op))
      lowerExchange(exchange.getSplit(), exchange.getConcat());
  }

private:
  static Sizes mixed(RankedTensorType type, ValueRange dims) {
    return getMixedValues(type.getShape(), dims, type.getContext());
  }

  // How many members a group has.
  OpFoldResult getMembers() {
    device::MeshOp mesh = flow::getMesh(op, op.getMeshAttr());
    if (int64_t size = flow::getGroupSize(op, mesh); size != device::MeshOp::kFree)
      return b.getIndexAttr(size);
    OpFoldResult members = b.getIndexAttr(1);
    for (auto axis : op.getAxes().getAsRange<StringAttr>())
      members = shaper.mul(members, getSize(mesh, axis));
    return members;
  }

  OpFoldResult getSize(device::MeshOp mesh, StringAttr axis) {
    if (int64_t size = mesh.getSize(axis); size != device::MeshOp::kFree)
      return b.getIndexAttr(size);
    return flow::MeshSizeOp::create(b, op.getLoc(), b.getIndexType(), op.getMeshAttr(), axis).getResult();
  }

  // Pieces that need not be of one size.

  // The size of each piece of a cut, where all are provably of one.
  static std::optional<int64_t> pieceOf(const flow::CutDim &cut) {
    std::optional<int64_t> granules = getConstantIntValue(cut.granules), granule = getConstantIntValue(cut.granule),
                           parts = getConstantIntValue(cut.parts);
    if (!granules || !granule || !parts || *parts < 1 || *granules % *parts)
      return std::nullopt;
    return *granules / *parts * *granule;
  }

  // Pieces are of one size after all.
  void makeEqual() {
    for (const flow::CutDim &cut : cuts) {
      Sizes &own = cut.isOfOperand ? to : from;
      OpFoldResult known = b.getIndexAttr(*pieceOf(cut));
      checkOwn(own[cut.dim], known, cut);
      own[cut.dim] = known;
    }
    cuts.clear();
  }

  // Where part `place` of a cut begins.
  OpFoldResult beginOf(const flow::CutDim &cut, OpFoldResult place) {
    OpFoldResult granules = getAsOpFoldResult(cut.granules), granule = getAsOpFoldResult(cut.granule);
    OpFoldResult parts = getAsOpFoldResult(cut.parts);
    if (isEqualConstantIntOrValue(place, parts))
      return shaper.mul(granules, granule);
    return shaper.mul(shaper.div(shaper.mul(place, granules), parts), granule);
  }

  // This rank's position in its group; the first one's outside of the mesh.
  OpFoldResult getPosition() {
    device::MeshOp mesh = flow::getMesh(op, op.getMeshAttr());
    OpFoldResult position = b.getIndexAttr(0);
    for (auto axis : op.getAxes().getAsRange<StringAttr>()) {
      OpFoldResult at =
          flow::CoordinateOp::create(b, op.getLoc(), b.getIndexType(), op.getMeshAttr(), axis).getResult();
      position = shaper.add(shaper.mul(position, getSize(mesh, axis)), at);
    }
    return position;
  }

  void checkOwn(OpFoldResult size, OpFoldResult expected, const flow::CutDim &cut) {
    shaper.checkEqual(size, expected,
                      op->getName().getStringRef() + ": dimension " + Twine(cut.dim) + " of its " +
                          (cut.isOfOperand ? "result" : "operand") + " is not this rank's part");
  }

  // That the sizes beside the op are those that the cut says.
  void checkCut(const flow::CutDim &cut) {
    OpFoldResult first = getAsOpFoldResult(cut.first), own = shaper.add(first, getPosition());
    OpFoldResult whole = shaper.sub(beginOf(cut, shaper.add(first, getMembers())), beginOf(cut, first));
    OpFoldResult piece = shaper.sub(beginOf(cut, shaper.add(own, b.getIndexAttr(1))), beginOf(cut, own));
    shaper.checkEqual((cut.isOfOperand ? from : to)[cut.dim], whole,
                      op->getName().getStringRef() + ": dimension " + Twine(cut.dim) + " of its " +
                          (cut.isOfOperand ? "operand" : "result") + " is not the parts of its group's members");
    checkOwn((cut.isOfOperand ? to : from)[cut.dim], piece, cut);
  }

  // Of an exchange, by two of its first eight values: this rank's part of the dimension, or of the loop.
  flow::RankPart partOf(ValueRange cut) {
    OpFoldResult granules = getAsOpFoldResult(cut[0]), granule = getAsOpFoldResult(cut[1]);
    device::MeshOp mesh = flow::getMesh(op, op.getMeshAttr());
    SmallVector<StringAttr> axes(op.getAxes().getAsRange<StringAttr>());
    if (std::optional<int64_t> known = getConstantIntValue(granule)) // as emitExchange() has it
      return flow::buildRankPart(b, op.getLoc(), mesh, axes, flow::GranuleAttr::get(b.getContext(), *known, {}),
                                 shaper.mul(granules, granule));
    flow::CutDim dim{0, true, cut[0], cut[1], cut[2], cut[3]};
    OpFoldResult place = getPosition(), begin = beginOf(dim, place);
    OpFoldResult end = beginOf(dim, shaper.add(place, b.getIndexAttr(1)));
    return {begin, shaper.sub(end, begin), shaper.mul(granules, granule)};
  }

  // It moves along any dimension. That the sizes beside it are those that it says.
  void checkExchange() {
    int64_t dim = cast<flow::ExchangeOp>(*op).getDim();
    OperandRange cut = op.getCut();
    flow::RankPart had = partOf(cut.take_front(4)), loop = partOf(cut.slice(4, 4));
    WindowValues window{getAsOpFoldResult(cut[8]), getAsOpFoldResult(cut[9]), getAsOpFoldResult(cut[10]),
                        getAsOpFoldResult(cut[11]), getAsOpFoldResult(cut[12])};
    flow::RankPart needed = buildReadPart(b, op.getLoc(), loop, window, had.whole);
    if (!getConstantIntValue(from[dim]))
      shaper.checkEqual(from[dim], had.size,
                        "flow.exchange: dimension " + Twine(dim) + " of its operand is not this rank's part");
    if (!getConstantIntValue(to[dim])) // else the op's verifier has asked
      shaper.checkEqual(to[dim], needed.size,
                        "flow.exchange: dimension " + Twine(dim) + " of its result is not what this rank needs");
  }

  // There is no type for pieces of several sizes, so what is cut comes to the front before, and goes back behind.
  void lowerCut() {
    llvm::for_each(cuts, [&](const flow::CutDim &cut) { checkCut(cut); });
    Sized operand{op.getOperand(), from};
    int64_t first = cuts[0].dim, second = cuts.back().dim + (cuts.back().dim < first);
    operand = shaper.move(operand, first, 0);
    if (cuts.size() == 2)
      operand = shaper.move(operand, second, 1);
    Sizes sizes = operand.sizes;
    for (auto [i, cut] : llvm::enumerate(cuts))
      sizes[i] = to[cut.dim];
    Sized result = collect(operand, sizes);
    if (cuts.size() == 2)
      result = shaper.move(result, 1, second);
    replace(shaper.move(result, 0, first));
  }

  // Pieces of one size.

  void check(OpFoldResult x, OpFoldResult y, StringRef what, int64_t dim) {
    shaper.checkEqual(x, y,
                      op->getName().getStringRef() + ": dimension " + Twine(dim) + " of its " + what +
                          " is not as many parts as its group has members");
  }

  // The same collective along dimension 0.
  Sized collect(Sized operand, Sizes sizes) {
    if (llvm::any_of(operand.sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); }))
      return {shaper.zeros(sizes), sizes};
    operand.value = shaper.cast(operand.value, shaper.typeOf(operand.sizes));
    OperationState state(op.getLoc(), op->getName());
    state.addOperands(operand.value);
    SmallVector<Value> from = shaper.dynamicOf(operand.sizes), to = shaper.dynamicOf(sizes);
    state.addOperands(from);
    state.addOperands(to);
    state.addTypes(shaper.typeOf(sizes));
    state.addAttributes(op->getAttrs());
    for (StringRef name : {"dim", "split", "concat"})
      if (op->hasAttr(name))
        state.attributes.set(name, b.getI64IntegerAttr(name == "concat" && !cuts.empty()));
    SmallVector<Value> cut;
    if (!cuts.empty())
      llvm::append_range(cut, op.getCut());
    state.addOperands(cut);
    state.attributes.set("operandSegmentSizes",
                         b.getDenseI32ArrayAttr({1, static_cast<int32_t>(from.size()), static_cast<int32_t>(to.size()),
                                                 static_cast<int32_t>(cut.size())}));
    return {b.create(state)->getResult(0), sizes};
  }

  // What stands in the result's type may be known, or not be known, by other means than `sized`'s.
  void replace(Sized sized) {
    op->getResult(0).replaceAllUsesWith(shaper.cast(sized.value, op.getResult().getType()));
    op->erase();
  }

  void lowerGather(int64_t dim) {
    OpFoldResult members = getMembers();
    Sizes piece = from, whole = piece;
    whole[dim] = shaper.mul(members, piece[dim]);
    check(to[dim], whole[dim], "result", dim);
    Sizes leading = piece;
    leading[0] = dim ? shaper.mul(members, piece[0]) : whole[0];
    Sized gathered = collect({op.getOperand(), piece}, leading);
    if (dim) {
      Sized parts = shaper.split(gathered, 0, members, piece[0]);
      gathered = shaper.merge(shaper.move(parts, 0, dim), dim);
    }
    replace(gathered);
  }

  void lowerScatter(int64_t dim) {
    OpFoldResult members = getMembers();
    Sizes whole = from, piece = whole;
    piece[dim] = to[dim];
    check(whole[dim], shaper.mul(members, piece[dim]), "operand", dim);
    Sized operand{op.getOperand(), whole};
    if (dim)
      operand = shaper.merge(shaper.move(shaper.split(operand, dim, members, piece[dim]), dim, 0), 0);
    replace(collect(operand, piece));
  }

  void lowerExchange(int64_t split, int64_t concat) {
    OpFoldResult members = getMembers();
    Sizes whole = from;
    OpFoldResult part = split == concat ? shaper.div(whole[split], members) : to[split];
    check(whole[split], shaper.mul(members, part), "operand", split);
    if (split != concat)
      check(to[concat], shaper.mul(members, whole[concat]), "result", concat);
    Sized operand{op.getOperand(), whole};
    if (split == 0 && concat == 0)
      return replace(collect(operand, whole));
    // [members, piece…], as one dimension in front; then each sender's piece.
    Sized parts = shaper.move(shaper.split(operand, split, members, part), split, 0);
    Sized merged = shaper.merge(parts, 0);
    Sized received = shaper.split(collect(merged, merged.sizes), 0, members, parts.sizes[1]);
    replace(shaper.merge(shaper.move(received, 0, concat), concat));
  }

  flow::CollectiveOpInterface op;
  OpBuilder b;
  Shaper shaper;
  Sizes from, to;                 // sizes of operand and result
  SmallVector<flow::CutDim> cuts; // none: pieces are of one size
};

struct LowerCollectives : mlir::heddle::impl::LowerCollectivesBase<LowerCollectives> {
  void runOnOperation() override {
    SmallVector<flow::CollectiveOpInterface> collectives;
    getOperation().walk([&](flow::CollectiveOpInterface op) { collectives.push_back(op); });
    for (flow::CollectiveOpInterface op : collectives)
      Lowering(op).run();
  }
};

} // namespace
