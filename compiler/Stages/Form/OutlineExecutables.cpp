// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/AlikeKey.h"
#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Encoding/Transforms/EraseEncodings.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Intent/IR/IntentOps.h"
#include "compiler/Stages/Form/Fusion.h"
#include "compiler/Stages/Form/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <map>
#include <set>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_OUTLINEEXECUTABLES
#include "compiler/Stages/Form/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// What a region takes from outside, in the order of the executable's arguments.
struct Captures {
  SmallVector<Value> tensors;
  SmallVector<Value> tensorDims; // sizes of the tensors' dynamic dimensions, in order
  SmallVector<Value> constants;  // index arguments: tensorDims, then the other captured scalars
};

// A name a reader recognises: the op that does the work.
std::string kindOf(flow::RegionOp region) {
  std::string name = "elementwise";
  for (Operation &op : region.getBody().front()) {
    if (isa<flow::RowsOp>(op)) {
      auto of = op.getAttrOfType<StringAttr>(intent::kOfAttr);
      return of ? of.str() : "rows";
    }
    if (isa<scf::ForallOp>(op))
      return "parts";
    auto linalgOp = dyn_cast<linalg::LinalgOp>(&op);
    if (linalgOp && linalgOp.getNumReductionLoops() > 0)
      name = isa<linalg::GenericOp>(&op) ? (isContraction(linalgOp) ? "contraction" : "reduction")
                                         : op.getName().stripDialect().str();
    else if (isa<tensor::TensorDialect>(op.getDialect()) && !isa<tensor::EmptyOp>(op) && name == "elementwise")
      name = op.getName().stripDialect().str();
  }
  return name;
}

// The sizes that stand beside the region's captures.
LogicalResult appendSizes(flow::RegionOp region, Captures &captures) {
  llvm::DenseMap<Value, OperandRange> sizes;
  OperandRange rest = region.getCapturedDims();
  for (Value tensor : region.getCaptures()) {
    int64_t dynamic = cast<RankedTensorType>(tensor.getType()).getNumDynamicDims();
    sizes.try_emplace(tensor, rest.take_front(dynamic));
    rest = rest.drop_front(dynamic);
  }
  for (Value tensor : captures.tensors) {
    auto it = sizes.find(tensor);
    if (it != sizes.end())
      llvm::append_range(captures.tensorDims, it->second);
    else if (!cast<RankedTensorType>(tensor.getType()).hasStaticShape())
      return region.emitError("captures a tensor of dynamic size that is not among its captures: run "
                              "form-capture-sizes first");
  }
  return success();
}

FailureOr<Captures> capture(flow::RegionOp region) {
  // Passes between may have replaced the region's own empty tensors and constants by equal ones outside.
  fusion::cloneIn(region);
  Captures captures;
  SmallVector<Value> scalars;
  for (Value value : fusion::getCaptures(region)) {
    if (isa<RankedTensorType>(value.getType()))
      captures.tensors.push_back(value);
    else if (value.getType().isIntOrIndex())
      scalars.push_back(value);
    else
      return region.emitError("a dispatch takes tensors, integers and index values, got ") << value.getType();
  }
  if (failed(appendSizes(region, captures)))
    return failure();
  captures.constants = captures.tensorDims;
  for (Value scalar : scalars)
    if (!llvm::is_contained(captures.tensorDims, scalar))
      captures.constants.push_back(scalar);
  return captures;
}

Value toIndex(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  if (value.getType().isInteger(1))
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), value);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
}

Value fromIndex(OpBuilder &builder, Location loc, Type type, Value value) {
  if (type.isIndex())
    return value;
  return arith::IndexCastOp::create(builder, loc, type, value);
}

// Gives slices that begin at a fixed place, along each dimension that they cut, the place `next` says instead.
void replaceOffsets(func::FuncOp function, llvm::function_ref<OpFoldResult(int64_t offset)> next) {
  SmallVector<tensor::ExtractSliceOp> slices;
  function.walk([&](tensor::ExtractSliceOp slice) { slices.push_back(slice); });
  for (tensor::ExtractSliceOp slice : slices) {
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    for (auto [dim, size] : llvm::enumerate(slice.getSourceType().getShape()))
      if (std::optional<int64_t> offset = getConstantIntValue(offsets[dim]);
          offset && (ShapedType::isDynamic(size) || slice.getStaticSizes()[dim] != size))
        offsets[dim] = next(*offset);
    if (offsets == slice.getMixedOffsets())
      continue;
    OpBuilder builder(slice);
    auto moved = tensor::ExtractSliceOp::create(builder, slice.getLoc(), slice.getType(), slice.getSource(), offsets,
                                                slice.getMixedSizes(), slice.getMixedStrides());
    slice.replaceAllUsesWith(moved.getResult());
    slice.erase();
  }
}

struct OutlineExecutables : mlir::heddle::impl::OutlineExecutablesBase<OutlineExecutables> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    Known known;
    SmallVector<flow::RegionOp> regions;
    module.walk([&](flow::RegionOp region) { regions.push_back(region); });
    FailureOr<DenseSet<Operation *>> sharing = findAlikeButOffsets(regions);
    if (failed(sharing))
      return signalPassFailure();
    for (flow::RegionOp region : regions)
      if (failed(outline(module, symbols, known, region, sharing->contains(region))))
        return signalPassFailure();
  }

  // Regions of which many differ in nothing but where their slices begin, as the parts of a long split.
  FailureOr<DenseSet<Operation *>> findAlikeButOffsets(ArrayRef<flow::RegionOp> regions) {
    constexpr size_t kMany = 8;
    struct Alike {
      SmallVector<Operation *> regions;
      std::set<AlikeKey> keys;
    };
    std::map<AlikeKey, Alike> groups;
    for (flow::RegionOp region : regions) {
      if (region.getBody().front().getOps<tensor::ExtractSliceOp>().empty())
        continue;
      FailureOr<Captures> captures = capture(region);
      if (failed(captures))
        return failure();
      OwningOpRef<func::FuncOp> function = buildFunction(region, *captures);
      AlikeKey key = alikeKeyOf(*function);
      replaceOffsets(*function, [&](int64_t) { return IntegerAttr::get(IndexType::get(&getContext()), 0); });
      Alike &group = groups[alikeKeyOf(*function)];
      group.regions.push_back(region);
      group.keys.insert(key);
    }
    DenseSet<Operation *> sharing;
    for (auto &[key, group] : groups)
      if (group.keys.size() > kMany)
        sharing.insert(group.regions.begin(), group.regions.end());
    return sharing;
  }

  // Makes the function's fixed offsets arguments of its own, whose values are added to the captures.
  void passOffsets(OpBuilder &builder, func::FuncOp function, Captures &captures) {
    Location loc = function.getLoc();
    Type index = builder.getIndexType();
    replaceOffsets(function, [&](int64_t offset) -> OpFoldResult {
      captures.constants.push_back(arith::ConstantIndexOp::create(builder, loc, offset));
      (void)function.insertArgument(function.getNumArguments(), index, {}, loc);
      return function.getArguments().back();
    });
  }

  // Executables by what they are, and names by that without encodings: the number of an executable does not depend on
  // data tiling, and what differs in encodings only is told apart by a suffix until `resolve` merges it.
  struct Known {
    std::map<AlikeKey, flow::ExecutableOp> executables;
    std::map<AlikeKey, std::string> names;
  };

  // `passesOffsets`: where its slices begin, the executable is told.
  LogicalResult outline(ModuleOp module, SymbolTable &symbols, Known &known, flow::RegionOp region,
                        bool passesOffsets) {
    OpBuilder builder(region);
    FailureOr<Captures> captures = capture(region);
    if (failed(captures))
      return failure();
    func::FuncOp function = buildFunction(region, *captures);
    if (passesOffsets)
      passOffsets(builder, function, *captures);
    flow::ExecutableOp &executable = known.executables[alikeKeyOf(function)];
    if (executable) {
      function.erase();
    } else {
      OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
      auto [entry, isNew] = known.names.try_emplace(plainKeyOf(function));
      if (isNew)
        entry->second = (kindOf(region) + "_" + Twine(known.names.size() - 1)).str();
      executable = flow::ExecutableOp::create(atEnd, region.getLoc(), entry->second);
      StringAttr name = symbols.insert(executable);
      function.setName(name);
      executable.getBody().front().push_back(function);
    }
    SmallVector<Value> constants =
        llvm::map_to_vector(captures->constants, [&](Value value) { return toIndex(builder, region.getLoc(), value); });
    auto dispatch = flow::DispatchOp::create(builder, originOf(region), region.getResultTypes(),
                                             FlatSymbolRefAttr::get(executable.getSymNameAttr()), captures->tensors,
                                             constants, captures->tensorDims, region.getResultDims());
    for (StringRef name : {kAffinityAttr, kPlacedByAttr, kSplitNoteAttr})
      if (Attribute attribute = region->getAttr(name))
        dispatch->setAttr(name, attribute);
    region.replaceAllUsesWith(dispatch.getOutputs());
    region.erase();
    return success();
  }

  // What the dispatch is made of, its root first: an executable that several dispatches share knows the first one's.
  // Not fills, which equal nodes share since CSE, nor reshapes, which stand on either side of a border.
  Location originOf(flow::RegionOp region) {
    SmallVector<Location> origins = {region.getLoc()};
    region.walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::ConstantLike>() &&
          !isa<linalg::FillOp, tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
        origins.push_back(op->getLoc());
    });
    return FusedLoc::get(&getContext(), origins);
  }

  // The function of a region, not yet in any module.
  func::FuncOp buildFunction(flow::RegionOp region, Captures &captures) {
    SmallVector<Type> inputs = llvm::map_to_vector(captures.tensors, [](Value value) { return value.getType(); });
    inputs.append(captures.constants.size(), IndexType::get(&getContext()));
    auto type = FunctionType::get(&getContext(), inputs, region.getResultTypes());
    auto function = func::FuncOp::create(region.getLoc(), "executable", type);
    Block *entry = function.addEntryBlock();
    OpBuilder builder = OpBuilder::atBlockBegin(entry);
    IRMapping mapping;
    auto arguments = entry->getArguments();
    for (auto [i, tensor] : llvm::enumerate(captures.tensors))
      mapping.map(tensor, arguments[i]);
    for (auto [i, constant] : llvm::enumerate(captures.constants)) {
      Value argument = arguments[captures.tensors.size() + i];
      if (!mapping.contains(constant)) // a size that several dimensions share: the first argument stands for it
        mapping.map(constant, fromIndex(builder, region.getLoc(), constant.getType(), argument));
    }
    for (Operation &op : region.getBody().front().without_terminator())
      builder.clone(op, mapping);
    auto terminator = cast<flow::ReturnOp>(region.getBody().front().getTerminator());
    SmallVector<Value> results =
        llvm::map_to_vector(terminator.getValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
    func::ReturnOp::create(builder, region.getLoc(), results);
    return function;
  }

  static AlikeKey plainKeyOf(func::FuncOp function) {
    OwningOpRef<func::FuncOp> plain = function.clone();
    LogicalResult erased = encoding::eraseEncodings(*plain);
    return alikeKeyOf(succeeded(erased) ? *plain : function);
  }
};

} // namespace
