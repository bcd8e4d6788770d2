// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of a resharding's plan.
#include "compiler/Dialect/Flow/Transforms/Shards.h"
#include "compiler/Stages/Ranks/Reshard/MeshViews.h"
#include "compiler/Stages/Ranks/Reshard/ReshardSearch.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::heddle;
using Kind = ReshardStep::Kind;
using flow::ShardingAttr;

//===--- Meshes --------------------------------------------------------------------------------------------------===//

// The module's mesh of the shape, which is declared where it is a view that the module does not have yet.
static device::MeshOp getOrDeclare(ModuleOp module, const MeshShape &shape) {
  auto isSame = [&](device::MeshOp mesh) {
    MeshShape found = MeshShape::of(mesh);
    return found.axes == shape.axes && found.sizes == shape.sizes && found.first == shape.first &&
           found.device == shape.device;
  };
  SymbolTable symbols(module);
  Operation *named = symbols.lookup(shape.name.getValue());
  if (auto mesh = dyn_cast_or_null<device::MeshOp>(named); mesh && isSame(mesh))
    return mesh;
  for (auto mesh : module.getOps<device::MeshOp>())
    if (isSame(mesh))
      return mesh;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  for (auto mesh : module.getOps<device::MeshOp>())
    builder.setInsertionPointAfter(mesh);
  SmallVector<Attribute> axes(shape.axes.begin(), shape.axes.end());
  auto mesh = device::MeshOp::create(builder, module.getLoc(), shape.name.getValue(), builder.getArrayAttr(axes),
                                     builder.getDenseI64ArrayAttr(shape.sizes), shape.first, shape.device);
  symbols.insert(mesh); // under another name where the name is taken
  return mesh;
}

//===--- Steps ---------------------------------------------------------------------------------------------------===//

namespace {

template <typename Op> constexpr bool hasCut = requires(Op op) { op.getCut(); };

class Emitter {
  using Sizes = SmallVector<OpFoldResult>;

public:
  Emitter(OpBuilder &builder, Location loc, Type element, ArrayRef<OpFoldResult> whole, const ReshardPlan &plan)
      : b(builder), loc(loc), element(element), given(whole), whole(whole), plan(plan) {}

  Value emit(Value local, ShardingAttr from, ShardingAttr to) {
    // Nobody has an element to give.
    if (llvm::any_of(whole, [](OpFoldResult size) { return isConstantIntValue(size, 0); }))
      return tensor::EmptyOp::create(b, loc, sizesOf(to), element);
    auto move = llvm::find_if(plan.steps, [](const ReshardStep &step) { return step.kind == Kind::Move; });
    if (move == plan.steps.end())
      return cast(run(plan.steps, local), sizesOf(to));
    local = runOnMembers(ArrayRef(plan.steps).take_front(move - plan.steps.begin()), local, from, move->from);
    local = emitMove(*move, local);
    return runOnMembers(ArrayRef(plan.steps).drop_front(move - plan.steps.begin() + 1), local, move->to, to);
  }

private:
  device::MeshOp getMesh(ShardingAttr sharding) {
    for (const MeshShape &shape : plan.meshes)
      if (shape.name == sharding.getMesh())
        return getOrDeclare(b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>(), shape);
    llvm_unreachable("a plan lists the meshes of its steps");
  }

  // Of this rank's part.
  Sizes sizesOf(ShardingAttr sharding) {
    auto [found, isNew] = known.try_emplace(sharding);
    if (!isNew)
      return found->second;
    Sizes sizes;
    for (auto [dim, size] : llvm::enumerate(whole)) {
      SmallVector<StringAttr> axes = sharding.getDimAxes(dim);
      flow::GranuleAttr granule = sharding.getGranule(dim);
      std::optional<int64_t> equal = flow::getEqualPart(getMesh(sharding), axes, granule, size);
      sizes.push_back(equal ? b.getIndexAttr(*equal)
                            : flow::buildRankPart(b, loc, getMesh(sharding), axes, granule, size).size);
    }
    known[sharding] = sizes;
    return sizes;
  }

  RankedTensorType typeOf(ArrayRef<OpFoldResult> sizes) {
    return RankedTensorType::get(
        llvm::map_to_vector(sizes,
                            [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); }),
        element);
  }

  static SmallVector<Value> dynamicOf(ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> values;
    for (OpFoldResult size : sizes)
      if (!getConstantIntValue(size))
        values.push_back(cast<Value>(size));
    return values;
  }

  Value cast(Value value, ArrayRef<OpFoldResult> sizes) {
    RankedTensorType type = typeOf(sizes);
    return value.getType() == type ? value : tensor::CastOp::create(b, loc, type, value);
  }

  Value filled(ArrayRef<OpFoldResult> sizes, TypedAttr value) {
    Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
    Value constant = arith::ConstantOp::create(b, loc, value);
    return linalg::FillOp::create(b, loc, constant, empty).getResult(0);
  }
  Value zeros(ArrayRef<OpFoldResult> sizes) { return filled(sizes, b.getZeroAttr(element)); }

  Sizes zeroOffsets() { return Sizes(whole.size(), b.getIndexAttr(0)); }
  Sizes unitStrides() { return Sizes(whole.size(), b.getIndexAttr(1)); }

  Value run(ArrayRef<ReshardStep> steps, Value local) {
    for (const ReshardStep &step : steps)
      local = emitStep(step, local);
    return local;
  }

  // Under flow.member, since other ranks do not take part. Theirs are zeros.
  Value runOnMembers(ArrayRef<ReshardStep> steps, Value local, ShardingAttr from, ShardingAttr to) {
    Sizes sizes = sizesOf(to);
    if (llvm::none_of(steps, [](const ReshardStep &step) { return step.communicates(); }))
      return cast(run(steps, local), sizes);
    auto name = FlatSymbolRefAttr::get(getMesh(steps.front().from).getSymNameAttr());
    Value member = flow::MemberOp::create(b, loc, b.getI1Type(), name);
    auto branch = scf::IfOp::create(b, loc, typeOf(sizes), member, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    llvm::SaveAndRestore outside(known); // what is computed in the branch stays there
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, cast(run(steps, local), sizes));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, zeros(sizes));
    return branch.getResult(0);
  }

  Value emitStep(const ReshardStep &step, Value local) {
    if (!step.joint.empty())
      return emitJoint(step, local);
    switch (step.kind) {
    case Kind::Slice: return emitSlice(step, local);
    case Kind::Mask: return emitMask(step, local);
    case Kind::Spread: return emitSpread(step, local);
    case Kind::AllGather: return emitShaped<flow::AllGatherOp>(step, local, {{"dim", step.dim}}, {{step.dim, step.to}});
    case Kind::ReduceScatter:
      return emitShaped<flow::ReduceScatterOp>(step, local, {{"dim", step.dim}}, {{step.dim, step.from}});
    case Kind::AllToAll:
      return emitShaped<flow::AllToAllOp>(step, local, {{"split", step.dim}, {"concat", step.source}},
                                          {{step.dim, step.from}, {step.source, step.to}});
    case Kind::AllReduce: return emitSame<flow::AllReduceOp>(step, local);
    case Kind::Broadcast: return emitSame<flow::BroadcastOp>(step, local);
    case Kind::Permute: return emitPermute(step, local);
    case Kind::Rename: return cast(local, sizesOf(step.to));
    case Kind::Expand: return emitExpand(step, local);
    case Kind::Collapse: return emitCollapse(step, local);
    case Kind::Move: llvm_unreachable("a move stands between what its two meshes do");
    case Kind::Exchange: llvm_unreachable("what is exchanged is no sharding");
    }
    llvm_unreachable("no such step");
  }

  //===--- What each rank does on its own ----------------------------------------------------------------------===//

  // Where the part by `to` begins in the part by `from`, which has the first of its axes.
  OpFoldResult offsetIn(ShardingAttr from, ShardingAttr to, int64_t dim, OpFoldResult size) {
    device::MeshOp mesh = getMesh(to);
    auto listAxes = [&](ShardingAttr sharding) {
      SmallVector<StringAttr> axes = sharding.getDimAxes(dim);
      llvm::erase_if(axes, [&](StringAttr axis) { return mesh.getSize(axis) == 1; });
      return axes;
    };
    SmallVector<StringAttr> outer = listAxes(from), axes = listAxes(to);
    if (outer == axes)
      return b.getIndexAttr(0);
    ArrayRef<StringAttr> added = ArrayRef(axes).drop_front(outer.size());
    if (getConstantIntValue(size))
      return flow::buildProduct(b, loc, flow::buildPlace(b, loc, mesh, added), size);
    OpFoldResult begin = flow::buildRankPart(b, loc, mesh, axes, to.getGranule(dim), whole[dim]).begin;
    OpFoldResult before = flow::buildRankPart(b, loc, mesh, outer, to.getGranule(dim), whole[dim]).begin;
    return flow::buildDifference(b, loc, begin, before);
  }

  Value emitSlice(const ReshardStep &step, Value local) {
    Sizes sizes = sizesOf(step.to), offsets;
    for (auto [dim, size] : llvm::enumerate(sizes))
      offsets.push_back(offsetIn(step.from, step.to, dim, size));
    return tensor::ExtractSliceOp::create(b, loc, typeOf(sizes), cast(local, sizesOf(step.from)), offsets, sizes,
                                          unitStrides());
  }

  Value emitMask(const ReshardStep &step, Value local) {
    Sizes sizes = sizesOf(step.to);
    Value place = getValueOrCreateConstantIndexOp(b, loc, flow::buildPlace(b, loc, getMesh(step.to), step.axes));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place, zero);
    // Both sides have the sizes of one of them, whichever formula tells those: so ranks that choose otherwise are seen
    // to have the same.
    Value given = cast(local, sizes);
    Value neutral = filled(tensor::getMixedSizes(b, loc, given), flow::getNeutral(step.to.getReduction(), element));
    return arith::SelectOp::create(b, loc, isFirst, given, neutral);
  }

  Value emitSpread(const ReshardStep &step, Value local) {
    Sizes sizes = sizesOf(step.to), own = sizesOf(step.from), offsets = zeroOffsets();
    offsets[step.dim] = offsetIn(step.to, step.from, step.dim, own[step.dim]);
    Value neutral = filled(sizes, flow::getNeutral(step.to.getReduction(), element));
    return tensor::InsertSliceOp::create(b, loc, cast(local, own), neutral, offsets, own, unitStrides());
  }

  //===--- Shapes ----------------------------------------------------------------------------------------------===//

  // The dimensions of the expanded value that are one of the value.
  static SmallVector<ReassociationIndices> groupsOf(ArrayRef<int64_t> lengths) {
    SmallVector<ReassociationIndices> groups;
    int64_t next = 0;
    for (int64_t length : lengths) {
      groups.push_back(llvm::to_vector<2>(llvm::seq(next, next + length)));
      next += length;
    }
    return groups;
  }

  Value emitExpand(const ReshardStep &step, Value local) {
    local = cast(local, sizesOf(step.from));
    whole.clear();
    for (auto [dim, group] : llvm::enumerate(groupsOf(step.groups)))
      for (int64_t i : group)
        whole.push_back(group.size() == 1 ? given[dim] : b.getIndexAttr(step.shape[i]));
    return reshape<tensor::ExpandShapeOp>(local, sizesOf(step.to), groupsOf(step.groups));
  }

  Value emitCollapse(const ReshardStep &step, Value local) {
    whole.assign(given.begin(), given.end());
    return reshape<tensor::CollapseShapeOp>(local, sizesOf(step.to), groupsOf(step.groups));
  }

  template <typename Op>
  Value reshape(Value value, ArrayRef<OpFoldResult> sizes, ArrayRef<ReassociationIndices> groups) {
    if (static_cast<size_t>(cast<RankedTensorType>(value.getType()).getRank()) == sizes.size())
      return cast(value, sizes);
    if constexpr (std::is_same_v<Op, tensor::ExpandShapeOp>)
      return Op::create(b, loc, typeOf(sizes), value, groups, sizes);
    else
      return Op::create(b, loc, typeOf(sizes), value, groups);
  }

  Value transpose(Value value, Sizes &sizes, ArrayRef<int64_t> order) {
    sizes = llvm::map_to_vector(order, [&](int64_t dim) { return sizes[dim]; });
    Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
    return linalg::TransposeOp::create(b, loc, value, empty, order)->getResult(0);
  }

  // Several axes at once: the dimensions that are all of the group's pieces, or the pieces, stand in front as one.
  Value emitJoint(const ReshardStep &step, Value local) {
    Sizes sizes = sizesOf(step.from), after = sizesOf(step.to);
    int64_t count = step.axes.size(), rank = sizes.size();
    SmallVector<int64_t> sources, dims, others;
    for (int64_t i = 0; i < count; ++i) {
      sources.push_back(step.joint[2 * i]);
      dims.push_back(step.joint[2 * i + 1]);
    }
    bool exchanges = step.kind == Kind::AllToAll;
    const SmallVector<int64_t> &front = step.kind == Kind::AllGather ? sources : dims;
    llvm::copy_if(llvm::seq<int64_t>(0, rank), std::back_inserter(others),
                  [&](int64_t dim) { return !llvm::is_contained(front, dim); });
    SmallVector<int64_t> order(front);
    order.append(others);
    local = transpose(cast(local, sizes), sizes, order);
    Sizes results = sizes;
    for (int64_t i = 0; i < count && !exchanges; ++i)
      results[i] = after[front[i]];
    local = collectInFront(step, local, count, sizes, results);
    // In front of the result of an exchange are the senders' pieces: the sources. What was split is as small as these
    // were.
    ArrayRef<int64_t> inFront = exchanges ? sources : front;
    SmallVector<int64_t> back;
    for (int64_t dim = 0; dim < rank; ++dim) {
      size_t place = llvm::find(inFront, dim) - inFront.begin(), split = llvm::find(dims, dim) - dims.begin();
      int64_t other = exchanges && split < dims.size() ? sources[split] : dim;
      back.push_back(place < inFront.size() ? place : count + (llvm::find(others, other) - others.begin()));
    }
    return transpose(local, results, back);
  }

  // The collective along the first `count` dimensions as one.
  Value collectInFront(const ReshardStep &step, Value local, int64_t count, ArrayRef<OpFoldResult> before,
                       ArrayRef<OpFoldResult> after) {
    auto merge = [&](ArrayRef<OpFoldResult> sizes) {
      Sizes merged{b.getIndexAttr(1)};
      for (OpFoldResult size : sizes.take_front(count))
        merged[0] = flow::buildProduct(b, loc, merged[0], size);
      merged.append(sizes.begin() + count, sizes.end());
      return merged;
    };
    Sizes source = merge(before), target = merge(after);
    SmallVector<int64_t> lengths(source.size(), 1);
    lengths[0] = count;
    local = reshape<tensor::CollapseShapeOp>(local, source, groupsOf(lengths));
    if (step.kind == Kind::AllGather)
      local = createShaped(step, flow::AllGatherOp::getOperationName(), local, source, target, {{"dim", 0}}, {});
    else if (step.kind == Kind::ReduceScatter)
      local = createShaped(step, flow::ReduceScatterOp::getOperationName(), local, source, target, {{"dim", 0}}, {});
    else
      local = createShaped(step, flow::AllToAllOp::getOperationName(), local, source, target,
                           {{"split", 0}, {"concat", 0}}, {});
    return reshape<tensor::ExpandShapeOp>(local, after, groupsOf(lengths));
  }

  //===--- Collectives -----------------------------------------------------------------------------------------===//

  // A dimension that is all pieces of the group, and the sharding by which it is.
  struct Joined {
    int64_t dim;
    ShardingAttr sharding;
  };

  // How the dimension is cut into the members' pieces, where these are not provably of one size: granules, positions of
  // a granule, the first member's part, parts.
  SmallVector<Value> cutsOf(const ReshardStep &step, ArrayRef<Joined> joined) {
    SmallVector<Value> cuts;
    auto finerThan = [&](ShardingAttr sharding) { return sharding == step.from ? step.to : step.from; };
    if (llvm::all_of(joined, [&](const Joined &all) {
          return getConstantIntValue(sizesOf(finerThan(all.sharding))[all.dim]).has_value();
        }))
      return cuts;
    device::MeshOp mesh = getMesh(step.from);
    for (auto [dim, sharding] : joined) {
      SmallVector<StringAttr> axes = sharding.getDimAxes(dim);
      ShardingAttr finer = finerThan(sharding);
      OpFoldResult granule = flow::buildGranule(b, loc, finer.getGranule(dim));
      OpFoldResult members = flow::buildCount(b, loc, mesh, step.axes);
      OpFoldResult first = flow::buildProduct(b, loc, flow::buildPlace(b, loc, mesh, axes), members);
      OpFoldResult parts = flow::buildProduct(b, loc, flow::buildCount(b, loc, mesh, axes), members);
      for (OpFoldResult value : {flow::buildQuotient(b, loc, whole[dim], granule), granule, first, parts})
        cuts.push_back(getValueOrCreateConstantIndexOp(b, loc, value));
    }
    return cuts;
  }

  void addGroup(OperationState &state, const ReshardStep &step) {
    SmallVector<Attribute> axes(step.axes.begin(), step.axes.end());
    state.addAttribute("mesh", FlatSymbolRefAttr::get(getMesh(step.from).getSymNameAttr()));
    state.addAttribute("axes", b.getArrayAttr(axes));
    if (step.kind == Kind::AllReduce || step.kind == Kind::ReduceScatter)
      state.addAttribute("reduction", flow::ReductionAttr::get(b.getContext(), step.from.getReduction()));
    if (step.kind == Kind::Broadcast)
      state.addAttribute("root", b.getI64IntegerAttr(0));
  }

  template <typename Op>
  Value emitShaped(const ReshardStep &step, Value local, ArrayRef<std::pair<StringRef, int64_t>> dims,
                   ArrayRef<Joined> joined) {
    SmallVector<Value> cuts = cutsOf(step, joined);
    return createShaped(step, Op::getOperationName(), local, sizesOf(step.from), sizesOf(step.to), dims, cuts);
  }

  Value createShaped(const ReshardStep &step, StringRef name, Value local, ArrayRef<OpFoldResult> before,
                     ArrayRef<OpFoldResult> after, ArrayRef<std::pair<StringRef, int64_t>> dims, ValueRange cuts) {
    OperationState state(loc, name);
    SmallVector<Value> operandDims = dynamicOf(before), resultDims = dynamicOf(after);
    state.addOperands(cast(local, before));
    state.addOperands(operandDims);
    state.addOperands(resultDims);
    state.addOperands(cuts);
    state.addTypes(typeOf(after));
    addGroup(state, step);
    for (auto [name, dim] : dims)
      state.addAttribute(name, b.getI64IntegerAttr(dim));
    SmallVector<int32_t> segments{1, static_cast<int32_t>(operandDims.size()), static_cast<int32_t>(resultDims.size())};
    if (hasCut<flow::AllGatherOp>)
      segments.push_back(cuts.size());
    state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
    return b.create(state)->getResult(0);
  }

  template <typename Op> Value emitSame(const ReshardStep &step, Value local) {
    Sizes sizes = sizesOf(step.from);
    OperationState state(loc, Op::getOperationName());
    state.addOperands(cast(local, sizes));
    state.addOperands(dynamicOf(sizes));
    state.addTypes(typeOf(sizes));
    addGroup(state, step);
    return b.create(state)->getResult(0);
  }

  // A permutation keeps the type, and members' parts may differ by a granule: what travels has the size of the largest.
  Value sendPairs(device::MeshOp mesh, ArrayRef<StringAttr> axes, ArrayRef<int64_t> pairs, Value local,
                  ShardingAttr from, ShardingAttr to) {
    Sizes own = sizesOf(from), wanted = sizesOf(to), largest = own;
    bool isEven = true;
    for (auto [dim, size] : llvm::enumerate(largest)) {
      if (!from.isCut(dim) || getConstantIntValue(size))
        continue;
      device::MeshOp cutter = getMesh(from);
      OpFoldResult granule = flow::buildGranule(b, loc, from.getGranule(dim));
      OpFoldResult count = flow::buildCount(b, loc, cutter, from.getDimAxes(dim));
      OpFoldResult granules = flow::buildQuotient(b, loc, whole[dim], granule);
      OpFoldResult up = flow::buildDifference(b, loc, flow::buildSum(b, loc, granules, count), b.getIndexAttr(1));
      size = flow::buildProduct(b, loc, flow::buildQuotient(b, loc, up, count), granule);
      isEven = false;
    }
    local = cast(local, own);
    if (!isEven)
      local = tensor::InsertSliceOp::create(b, loc, local, zeros(largest), zeroOffsets(), own, unitStrides());
    SmallVector<Attribute> names(axes.begin(), axes.end());
    OperationState state(loc, flow::PermuteOp::getOperationName());
    state.addOperands(local);
    state.addOperands(dynamicOf(largest));
    state.addTypes(local.getType());
    state.addAttribute("pairs", b.getDenseI64ArrayAttr(pairs));
    state.addAttribute("mesh", FlatSymbolRefAttr::get(mesh.getSymNameAttr()));
    state.addAttribute("axes", b.getArrayAttr(names));
    local = b.create(state)->getResult(0);
    if (isEven)
      return cast(local, wanted);
    return tensor::ExtractSliceOp::create(b, loc, typeOf(wanted), local, zeroOffsets(), wanted, unitStrides());
  }

  Value emitPermute(const ReshardStep &step, Value local) {
    return sendPairs(getMesh(step.from), step.axes, step.pairs, local, step.from, step.to);
  }

  Value emitMove(const ReshardStep &step, Value local) {
    if (step.bytes == 0 && llvm::all_of(llvm::seq<size_t>(0, step.pairs.size() / 2),
                                        [&](size_t i) { return step.pairs[2 * i] == step.pairs[2 * i + 1]; }))
      return cast(local, sizesOf(step.to));
    int64_t first = *llvm::min_element(step.pairs), end = *llvm::max_element(step.pairs) + 1;
    MLIRContext *context = b.getContext();
    MeshShape all{FlatSymbolRefAttr::get(context, ("__ranks_" + Twine(end - first) + "_at_" + Twine(first)).str()),
                  {StringAttr::get(context, "r0")},
                  {end - first},
                  first,
                  getMesh(step.from).getDeviceAttr()};
    auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
    auto pairs = llvm::map_to_vector(step.pairs, [&](int64_t rank) { return rank - first; });
    return sendPairs(getOrDeclare(module, all), all.axes, pairs, local, step.from, step.to);
  }

  OpBuilder &b;
  Location loc;
  Type element;
  ArrayRef<OpFoldResult> given;
  Sizes whole; // as steps see it
  const ReshardPlan &plan;
  llvm::DenseMap<ShardingAttr, Sizes> known;
};

} // namespace

Value mlir::heddle::emitReshard(OpBuilder &builder, Location loc, Value local, ArrayRef<OpFoldResult> whole,
                                ShardingAttr from, ShardingAttr to, const ReshardPlan &plan) {
  Type element = cast<RankedTensorType>(local.getType()).getElementType();
  return Emitter(builder, loc, element, whole, plan).emit(local, from, to);
}

FailureOr<Value> mlir::heddle::emitReshard(OpBuilder &builder, Location loc, Value local, ArrayRef<OpFoldResult> whole,
                                           ShardingAttr from, ShardingAttr to) {
  constexpr int64_t kGuessedSize = 256;
  auto type = cast<RankedTensorType>(local.getType());
  SmallVector<int64_t> shape, estimates;
  for (OpFoldResult size : whole) {
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    estimates.push_back(getConstantIntValue(size).value_or(kGuessedSize));
  }
  Operation *scope = builder.getInsertionBlock()->getParentOp();
  auto find = [&](ShardingAttr sharding) {
    return MeshShape::of(SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(scope, sharding.getMesh()));
  };
  auto plan =
      planReshard(from, to, RankedTensorType::get(shape, type.getElementType()), estimates, find(from), find(to));
  if (!plan)
    return failure();
  return emitReshard(builder, loc, local, whole, from, to, *plan);
}
