// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/LocalValues.h"

#include "compiler/Dialect/Flow/Transforms/Shards.h"
#include "compiler/Stages/Ranks/Reshard/Reshard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::ShardingAttr;

ShardingAttr LocalValues::simplify(ShardingAttr sharding) const {
  if (!sharding || !sharding.isReplicated())
    return sharding;
  device::MeshOp other = flow::getMesh(mesh, sharding.getMesh());
  bool isAll = other == mesh || MeshShape::of(other).hasSameRanksAs(MeshShape::of(mesh));
  return isAll ? ShardingAttr() : sharding;
}

Value mlir::heddle::castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type ? value : tensor::CastOp::create(builder, loc, type, value).getResult();
}

void LocalValues::define(Value whole, Value local, ShardingAttr sharding, ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(whole.getType());
  Entry entry{local, {}, simplify(sharding), SmallVector<OpFoldResult>(sizes), false};
  entry.sizes.resize(type.getRank());
  for (auto [known, size] : llvm::zip_equal(type.getShape(), entry.sizes))
    if (!ShapedType::isDynamic(known))
      size = Builder(type.getContext()).getIndexAttr(known);
  entries[whole] = std::move(entry);
}

void LocalValues::defineShard(Value whole, Value source, Value local, ShardingAttr sharding) {
  define(whole, local, sharding, getSizes(source));
  entries[whole].source = source;
}

void LocalValues::defineOwn(Value old, Value now) { entries[old] = {now, {}, {}, {}, true}; }

ShardingAttr LocalValues::complete(Value whole, ShardingAttr sharding) const {
  if (sharding)
    return sharding;
  auto name = FlatSymbolRefAttr::get(device::MeshOp(mesh).getSymNameAttr());
  return ShardingAttr::getReplicated(name, cast<RankedTensorType>(whole.getType()).getRank());
}

RankedTensorType LocalValues::getType(Value whole, ShardingAttr wanted) const {
  auto type = cast<RankedTensorType>(whole.getType());
  return wanted ? flow::getPartType(type, wanted, flow::getMesh(mesh, wanted.getMesh())) : type;
}

SmallVector<OpFoldResult> LocalValues::getSizes(Value whole) {
  Entry &entry = entries.find(whole)->second;
  OpBuilder builder(whole.getContext());
  for (auto [dim, size] : llvm::enumerate(entry.sizes)) {
    if (size)
      continue;
    assert((!entry.sharding || !entry.sharding.isCut(dim)) && "a cut dimension's size is given");
    builder.setInsertionPointAfterValue(entry.local);
    size = tensor::DimOp::create(builder, entry.local.getLoc(), entry.local, dim).getResult();
  }
  return entry.sizes;
}

// Where the value is brought into another form for `use`. What a branch alone needs is made there; what a loop needs is
// made once.
static Operation *findPlace(Value local, Operation *use) {
  Region *home = local.getParentRegion();
  Operation *place = use;
  for (Operation *around = use; around->getParentRegion() != home;) {
    around = around->getParentOp();
    if (isa<scf::ForOp, scf::WhileOp>(around))
      place = around;
  }
  return place;
}

// Of a value and those that it is a request of: the one that has the wanted form, or that all ranks have whole, so that
// the form is made without anybody's help.
Value LocalValues::findSource(Value whole, ShardingAttr wanted) const {
  for (Value source = whole; source; source = entries.lookup(source).source)
    if (ShardingAttr given = entries.lookup(source).sharding; !given || given == wanted)
      return source;
  return whole;
}

// Values that every rank has without reading a tensor: memory without values, constants of one value, and fills.
Value LocalValues::makeFree(OpBuilder &builder, Location loc, Value whole, ShardingAttr wanted) {
  Operation *op = whole.getDefiningOp();
  auto constant = dyn_cast_if_present<arith::ConstantOp>(op);
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  auto fill = dyn_cast_if_present<linalg::FillOp>(op);
  if (!(splat || fill || isa_and_nonnull<tensor::EmptyOp>(op)))
    return {};
  // Zeros are the sum of zeros.
  if (wanted && !wanted.getPartial().empty() &&
      !(fill && wanted.getReduction() == flow::Reduction::Sum &&
        (matchPattern(fill.value(), m_AnyZeroFloat()) || matchPattern(fill.value(), m_Zero()))))
    return {};
  RankedTensorType type = getType(whole, wanted);
  if (splat && type.hasStaticShape())
    return arith::ConstantOp::create(builder, loc, splat.resizeSplat(type));
  SmallVector<OpFoldResult> sizes = getSizes(whole);
  if (wanted)
    for (auto [part, size] : llvm::zip_equal(
             flow::buildRankParts(builder, loc, flow::getMesh(mesh, wanted.getMesh()), wanted, sizes), sizes))
      size = part.size;
  Value memory = tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  if (!splat && !fill)
    return memory;
  Value element = fill ? fill.value() : arith::ConstantOp::create(builder, loc, splat.getSplatValue<TypedAttr>());
  return linalg::FillOp::create(builder, loc, element, memory).getResult(0);
}

Value LocalValues::makeForm(OpBuilder &builder, Location loc, Value whole, ShardingAttr wanted) {
  if (Value form = makeFree(builder, loc, whole, wanted))
    return form;
  SmallVector<OpFoldResult> sizes = getSizes(whole);
  const Entry &entry = entries.find(whole)->second;
  // What all ranks have, those of any mesh have.
  int64_t rank = sizes.size();
  ShardingAttr from = entry.sharding ? entry.sharding : ShardingAttr::getReplicated(wanted.getMesh(), rank);
  ShardingAttr to = wanted ? wanted : ShardingAttr::getReplicated(from.getMesh(), rank);
  if (!wanted && simplify(to)) // of some ranks only
    to = complete(whole, {});
  FailureOr<Value> form = emitReshard(builder, loc, entry.local, sizes, from, to);
  return succeeded(form) ? *form : Value();
}

// One that is at hand at the place.
Value LocalValues::findForm(const Forms &forms, Operation *place) const {
  for (Value form : forms)
    if (form.getParentRegion()->isAncestor(place->getParentRegion()))
      return form;
  return {};
}

Value LocalValues::get(Operation *use, Value whole, ShardingAttr wanted) {
  if (!isDefined(whole))
    return whole;
  wanted = simplify(wanted);
  Value source = findSource(whole, wanted);
  const Entry &entry = entries.find(source)->second;
  if (entry.isOwn || entry.sharding == wanted)
    return entry.local;
  Operation *place = findPlace(entry.local, use);
  Forms &forms = made[{source, wanted}];
  if (Value form = findForm(forms, place))
    return form;
  OpBuilder builder(place);
  Value form = makeForm(builder, use->getLoc(), source, wanted);
  if (!form) {
    InFlightDiagnostic error = use->emitOpError()
                               << "needs a value as " << wanted << " that ranks have as " << entry.sharding
                               << "; between meshes of different ranks sizes must be known (--mesh=)";
    error.attachNote(source.getLoc()) << "the value";
    failed = true;
    return whole;
  }
  forms.push_back(castTo(builder, use->getLoc(), form, getType(source, wanted)));
  return forms.back();
}

// What tells the windowed form of a value from others.
static Attribute keyOf(ShardingAttr cut, ArrayRef<WindowedDim> dims) {
  Builder builder(cut.getContext());
  SmallVector<Attribute> key{cut};
  for (const WindowedDim &windowed : dims) {
    const Window &window = windowed.window;
    key.push_back(builder.getDenseI64ArrayAttr({windowed.dim, window.scale, window.first, window.extent, window.size,
                                                window.granule, window.low, window.high, window.behind}));
  }
  return builder.getArrayAttr(key);
}

Value LocalValues::getWindows(Operation *use, Value whole, ShardingAttr wanted, ArrayRef<WindowedDim> dims) {
  Value source = findSource(whole, simplify(wanted));
  ShardingAttr from = entries.find(source)->second.sharding;
  if (!from || from.getMesh() != wanted.getMesh())
    return {};
  SmallVector<int64_t> shape, estimates;
  for (OpFoldResult size : getSizes(source)) {
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    estimates.push_back(getConstantIntValue(size).value_or(kGuessedSize));
  }
  auto type = RankedTensorType::get(shape, cast<RankedTensorType>(source.getType()).getElementType());
  device::MeshOp over = flow::getMesh(mesh, wanted.getMesh());
  std::optional<WindowPlan> plan = planWindows(from, wanted, dims, type, estimates, MeshShape::of(over));
  if (!plan)
    return {};
  Value form = get(use, source, plan->cut);
  if (failed)
    return form;
  // A size that the program tells is at hand at the use only.
  bool isShared = llvm::none_of(
      dims, [](const WindowedDim &windowed) { return isa<Value>(windowed.loop) || windowed.window.behind != 0; });
  Operation *place = isShared ? findPlace(form, use) : use;
  Attribute key = keyOf(plan->cut, dims);
  if (Value known = isShared ? findForm(made[{source, key}], place) : Value())
    return known;
  OpBuilder builder(place);
  SmallVector<OpFoldResult> sizes = getSizes(source);
  for (auto [windowed, exchange] : llvm::zip_equal(dims, plan->exchanges))
    form = emitExchange(builder, use->getLoc(), form, windowed, exchange, sizes[windowed.dim],
                        plan->cut.getGranule(windowed.dim).getFactor(), over);
  if (isShared)
    made[{source, key}].push_back(form);
  return form;
}
