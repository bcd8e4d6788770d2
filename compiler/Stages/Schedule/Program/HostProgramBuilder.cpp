// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Program/HostProgramBuilder.h"

#include "compiler/Dialect/Flow/IR/FlowPieces.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "compiler/Stages/Schedule/Program/DeviceIdentity.h"
#include "compiler/Stages/Schedule/Program/HostRanks.h"
#include "compiler/Stages/Schedule/Program/HostUpdates.h"
#include "heddle/contract/Draw.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;

HostProgramBuilder::HostProgramBuilder(func::FuncOp source, device::GlobalOp device, const SymbolTable &executables)
    : source(source), executables(executables), scalars(source.getContext(), source.getLoc()),
      issue(source, device, scalars), storages(source, scalars, issue),
      regions(scalars, issue, storages, [this](Block &block) { return buildBlock(block); }), builder(scalars.builder),
      loc(scalars.loc) {}

FailureOr<host::FuncOp> HostProgramBuilder::build() {
  if (!source.getBody().hasOneBlock())
    return source.emitOpError() << "has unstructured control flow; schedule takes scf only", failure();
  if (failed(claimResults()) || failed(buildSignature()))
    return failure();
  builder.setInsertionPointToEnd(&program.getBody().front());
  Block &body = source.getBody().front();
  if (succeeded(bindArguments()) && succeeded(buildBlock(body)) &&
      succeeded(buildReturn(cast<func::ReturnOp>(body.getTerminator()))))
    return program;
  program.erase();
  return failure();
}

//===--- Entry and exit ------------------------------------------------------------------------------------------===//

// The description of one argument or result from its attributes; a name is made up where there is none.
static FailureOr<host::ValueAttr> describe(func::FuncOp func, Type type, DictionaryAttr attributes, Twine fallback,
                                           FlatSymbolRefAttr device) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || host::getElementType(tensor.getElementType()) == ::heddle::contract::ElementType::None)
    return func.emitOpError() << "takes and gives ranked tensors of integers or floats at its boundary, got " << type,
           failure();
  Builder builder(func.getContext());
  auto name = attributes ? attributes.getAs<StringAttr>(kNameAttr) : StringAttr();
  auto dims = attributes ? attributes.getAs<ArrayAttr>(kDimsAttr) : ArrayAttr();
  if (!name)
    name = builder.getStringAttr(fallback);
  if (!dims)
    dims = builder.getStrArrayAttr(SmallVector<StringRef>(tensor.getRank(), ""));
  auto state = attributes ? attributes.getAs<FlatSymbolRefAttr>(kStateAttr) : FlatSymbolRefAttr();
  auto donated = attributes ? attributes.getAs<IntegerAttr>(kDonatedAttr) : IntegerAttr();
  auto defaultValue = attributes ? attributes.getAs<DenseElementsAttr>(kDefaultAttr) : DenseElementsAttr();
  Attribute sharding = attributes ? attributes.get(kShardingAttr) : Attribute();
  if (defaultValue && (state || donated))
    return func.emitError() << "argument " << name << " has a default, so it cannot be state or donated", failure();
  return host::ValueAttr::get(func.getContext(), name, getBoundaryType(tensor, attributes), dims, device, state,
                              donated, defaultValue, sharding);
}

FailureOr<host::FuncOp> HostProgramBuilder::buildSignature() {
  SmallVector<Attribute> arguments, results;
  SmallVector<StringRef> names;
  auto unlessDefault = [&](FlatSymbolRefAttr device) {
    return device == issue.getDefaultDevice() ? FlatSymbolRefAttr() : device;
  };
  for (auto [i, type] : llvm::enumerate(source.getArgumentTypes())) {
    auto value = describe(source, type, source.getArgAttrDict(i), "arg" + Twine(i),
                          unlessDefault(storages.deviceOf(source.getArgument(i))));
    if (failed(value))
      return failure();
    for (auto [d, entry] : llvm::enumerate(value->getDims().getAsRange<StringAttr>())) {
      if (!value->getType().isDynamicDim(d))
        continue;
      if (entry.empty())
        return source.emitOpError() << "argument " << value->getName() << " has dynamic dimension " << d
                                    << " without a name; name it in heddle.dims",
               failure();
      if (!llvm::is_contained(names, entry.getValue()))
        names.push_back(entry.getValue());
    }
    arguments.push_back(*value);
  }
  bool draws = false;
  source.walk([&](flow::DimensionOp op) { draws |= op.getName() == ::heddle::contract::kDrawnSymbol; });
  if (draws)
    names.push_back(::heddle::contract::kDrawnSymbol);
  for (auto [i, type] : llvm::enumerate(source.getResultTypes())) {
    auto value =
        describe(source, type, source.getResultAttrDict(i), "result" + Twine(i), unlessDefault(resultDevices[i]));
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  builder.setInsertionPoint(source);
  program = host::FuncOp::create(builder, loc, source.getSymName(), builder.getArrayAttr(arguments),
                                 builder.getArrayAttr(results), builder.getStrArrayAttr(names));
  // Calls that heddle-opt --run-host is to make.
  if (Attribute inputs = source->getAttr(host::kInputsAttr))
    program->setAttr(host::kInputsAttr, inputs);
  issue.setProgram(program);
  for (auto [i, name] : llvm::enumerate(names))
    symbols[name] = program.getSymbol(i);
  return program;
}

LogicalResult HostProgramBuilder::bindArguments() {
  for (auto [i, attribute] : llvm::enumerate(program.getArgumentsAttr().getAsRange<host::ValueAttr>())) {
    FailureOr<FlatSymbolRefAttr> device = issue.deviceFrom(source, source.getArgAttr(i, kAffinityAttr));
    if (failed(device))
      return failure();
    Storage &entry = storages[source.getArgument(i)];
    entry.buffer = program.getBufferArgument(i);
    entry.device = *device;
    for (auto [d, name] : llvm::enumerate(attribute.getDims().getAsRange<StringAttr>()))
      entry.dims.push_back(attribute.getType().isDynamicDim(d) ? symbols[name.getValue()]
                                                               : scalars.constant(attribute.getType().getDimSize(d)));
  }
  return success();
}

// Memory that is written part by part before anything reads it.
static bool isFilled(Operation *op) { return isa_and_nonnull<tensor::EmptyOp>(op) && op->hasAttr(flow::kFilledAttr); }

// Each result that a top-level dispatch, branch or loop over streams computes on the result's device, or a transfer
// brings there, is written in place by it, once.
LogicalResult HostProgramBuilder::claimResults() {
  for (auto [i, value] : llvm::enumerate(source.getBody().front().getTerminator()->getOperands())) {
    FlatSymbolRefAttr device = storages.deviceOf(value);
    if (Attribute affinity = source.getResultAttr(i, kAffinityAttr)) {
      FailureOr<FlatSymbolRefAttr> named = issue.deviceFrom(source, affinity);
      if (failed(named))
        return failure();
      device = *named;
    }
    resultDevices.push_back(device);
    Value root = storages.findWritten(value);
    Operation *op = root.getDefiningOp();
    bool isWriter = isa_and_nonnull<flow::DispatchOp, flow::TransferOp, flow::CollectiveOpInterface>(op) ||
                    isFilled(op) || (isa_and_nonnull<scf::ForOp>(op) && op->hasAttr(kStreamsAttr)) ||
                    (isa_and_nonnull<scf::IfOp>(op) && cast<RankedTensorType>(root.getType()).hasStaticShape());
    if (isWriter && op->getParentOp() == source && storages.deviceOf(root) == device)
      storages.claimResult(root, i);
  }
  return success();
}

// The argument in whose memory a result lies, if its value is there: the same state's, or the one donated to it.
Value HostProgramBuilder::homeOf(unsigned result) {
  auto state = cast<host::ValueAttr>(program.getResultsAttr()[result]).getState();
  for (auto [i, argument] : llvm::enumerate(program.getArgumentsAttr().getAsRange<host::ValueAttr>()))
    if ((state && argument.getState() == state) ||
        (argument.getDonated() && argument.getDonated().getInt() == static_cast<int64_t>(result)))
      return program.getBufferArgument(i);
  return {};
}

LogicalResult HostProgramBuilder::buildReturn(func::ReturnOp op) {
  loc = op.getLoc();
  SmallVector<Value> buffers, sizes;
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    const Storage &entry = storages[value];
    Value &buffer = storages.resultBuffer(i);
    if (!buffer && entry.buffer == homeOf(i))
      buffer = entry.buffer;
    if (!buffer) {
      Value bytes = scalars.byteSize(cast<RankedTensorType>(value.getType()), entry.dims);
      buffer = host::ResultOp::create(builder, loc, builder.getI32IntegerAttr(i), resultDevices[i], bytes);
      storages.copy(buffer, value, resultDevices[i]);
    }
    buffers.push_back(buffer);
    llvm::append_range(sizes, entry.dims);
  }
  host::ReturnOp::create(builder, loc, buffers, sizes);
  return success();
}

//===--- Ops -----------------------------------------------------------------------------------------------------===//

LogicalResult HostProgramBuilder::buildBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    if (!isOpTriviallyDead(&op) && failed(buildOp(op)))
      return failure();
  }
  return success();
}

LogicalResult HostProgramBuilder::buildOp(Operation &op) {
  for (Type type : op.getResultTypes())
    if (auto tensor = dyn_cast<TensorType>(type))
      if (!tensor.hasRank() || host::getElementType(tensor.getElementType()) == ::heddle::contract::ElementType::None)
        return op.emitOpError() << "gives " << type << ", which has no place in memory yet";
  return llvm::TypeSwitch<Operation &, LogicalResult>(op)
      .Case([&](flow::ParameterLoadOp load) { return buildParameter(load); })
      .Case([&](flow::DimensionOp dimension) { return buildDimension(dimension); })
      .Case([&](flow::DispatchOp dispatch) { return buildDispatch(dispatch); })
      .Case([&](flow::TransferOp transfer) { return buildTransfer(transfer); })
      .Case([&](flow::CheckOp check) {
        host::CheckOp::create(builder, loc, scalars.of(check.getCondition()), check.getMessageAttr());
        return success();
      })
      .Case(
          [&](flow::CollectiveOpInterface collective) { return buildCollective(collective, scalars, issue, storages); })
      .Case<flow::CoordinateOp, flow::MeshSizeOp, flow::MemberOp, flow::PiecesOp>(
          [&](Operation *) { return buildRank(op, scalars); })
      .Case([&](tensor::ExtractOp extract) { return buildRead(extract); })
      .Case([&](tensor::FromElementsOp elements) { return buildElements(elements); })
      .Case([&](flow::UnitsOp units) { return buildUnits(units); })
      .Case([&](tensor::EmptyOp empty) { return buildEmpty(empty); })
      .Case([&](tensor::ExtractSliceOp slice) { return buildSlice(slice); })
      .Case([&](flow::BlockOp block) { return buildBlock(block); })
      .Case([&](tensor::InsertSliceOp insert) { return buildUpdate(insert, scalars, issue, storages); })
      .Case([&](tensor::ExpandShapeOp expand) {
        return buildReshape(expand, expand.getSrc(), scalars.sizesOf(expand.getMixedOutputShape()));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        SmallVector<Value> dims;
        for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
          SmallVector<Value> factors;
          for (int64_t d : group)
            factors.push_back(storages[collapse.getSrc()].dims[d]);
          dims.push_back(scalars.product(factors));
        }
        return buildReshape(collapse, collapse.getSrc(), dims);
      })
      .Case([&](tensor::CastOp cast) {
        return buildReshape(cast, cast.getSource(), SmallVector<Value>(storages[cast.getSource()].dims));
      })
      .Case([&](scf::IfOp branch) { return regions.buildIf(branch); })
      .Case([&](scf::ForOp loop) { return regions.buildFor(loop); })
      .Case([&](scf::WhileOp loop) { return regions.buildWhile(loop); })
      .Default([&](Operation &other) { return buildScalar(other); });
}

LogicalResult HostProgramBuilder::buildParameter(flow::ParameterLoadOp op) {
  FailureOr<FlatSymbolRefAttr> device = issue.deviceFrom(op, op->getAttr(kAffinityAttr));
  if (failed(device))
    return failure();
  Storage &entry = storages[op.getResult()];
  entry.buffer = host::ParameterOp::create(builder, loc, op.getParameterAttr(), *device);
  entry.device = *device;
  entry.dims = scalars.dimsOf(cast<RankedTensorType>(op.getResult().getType()), {});
  return success();
}

LogicalResult HostProgramBuilder::buildDimension(flow::DimensionOp op) {
  auto symbol = symbols.find(op.getName());
  if (symbol == symbols.end())
    return op.emitOpError() << "names no dimension of the entry point's arguments: \"" << op.getName() << '"';
  scalars.map(op.getResult(), symbol->second);
  return success();
}

LogicalResult HostProgramBuilder::buildDispatch(flow::DispatchOp op) {
  FailureOr<FlatSymbolRefAttr> device = issue.deviceFrom(op, op->getAttr(kAffinityAttr));
  if (failed(device))
    return failure();
  SmallVector<Value> bindings, constants;
  SmallVector<StringRef> access(op.getBindings().size(), "r");
  for (Value operand : op.getBindings()) {
    FailureOr<Value> buffer = storages.bufferOn(op, operand, *device);
    if (failed(buffer))
      return failure();
    bindings.push_back(*buffer);
  }
  for (Value value : op.getConstants())
    constants.push_back(scalars.of(value));
  ValueRange dynamic = op.getResultDims();
  Value stream = issue.stream(*device, Issue::queueOf(op->getAttr(kAffinityAttr)));
  auto executable = executables.lookup<flow::ExecutableOp>(op.getExecutableAttr().getAttr());
  SmallVector<std::pair<OpResult, SpannedResult>, 1> spanned;
  for (OpResult result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Value> dims = scalars.dimsOf(type, dynamic.take_front(type.getNumDynamicDims()));
    dynamic = dynamic.drop_front(type.getNumDynamicDims());
    std::optional<flow::Pitch> pitch = flow::getPitch(executable.getFunction(), result.getResultNumber());
    bool isClaimed = storages.hasTarget(result);
    Value buffer = isClaimed ? Value() : placePart(result, pitch, scalars, issue, storages);
    if (!buffer && !isClaimed && pitch) {
      Value elements =
          pitch->elements ? scalars.constant(*pitch->elements) : constants[pitch->argument - op.getBindings().size()];
      spanned.push_back({result, {type, dims, pitch->outer, elements}});
      buffer = spanned.back().second.allocate(*device, scalars);
    } else if (!buffer) {
      buffer = storages.destination(result, dims, *device);
    }
    bindings.push_back(buffer);
    access.push_back("w");
    storages[result] = {buffer, dims, *device};
  }
  host::DispatchOp::create(builder, loc, stream, op.getExecutableAttr(), bindings, constants,
                           /*launch=*/ValueRange(), builder.getStrArrayAttr(access));
  for (auto &[result, span] : spanned) {
    Value dense = storages.destination(result, span.dims, *device);
    span.copyTo(dense, stream, scalars);
    storages[result].buffer = dense;
  }
  return success();
}

// Where the tensor lies on `device` when the source's device may turn out to be the same one: then it is the source.
Value HostProgramBuilder::copyUnlessSame(flow::TransferOp op, FlatSymbolRefAttr device) {
  const Storage from = storages[op.getOperand()];
  Value same = host::SameOp::create(builder, loc, from.device, device);
  Value bytes = scalars.byteSize(op.getResult().getType(), from.dims);
  Value size = arith::SelectOp::create(builder, loc, same, scalars.constant(0), bytes);
  Value own = host::AllocOp::create(builder, loc, device, size);
  auto branch = scf::IfOp::create(builder, loc, TypeRange(), same, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.elseBlock(), branch.elseBlock()->begin());
    storages.copy(own, op.getOperand(), device, Issue::queueOf(op.getAffinity()));
  }
  return arith::SelectOp::create(builder, loc, same, from.buffer, own);
}

LogicalResult HostProgramBuilder::buildTransfer(flow::TransferOp op) {
  FailureOr<FlatSymbolRefAttr> device = issue.deviceFrom(op, op.getAffinity());
  if (failed(device))
    return failure();
  const Storage from = storages[op.getOperand()];
  bool isClaimed = storages.isResult(op.getResult());
  if (!isClaimed) {
    Value buffer = from.device == *device ? from.buffer : issue.parameterOn(from.buffer, *device);
    if (from.device == *device || buffer != from.buffer) {
      storages[op.getResult()] = {buffer, from.dims, *device};
      return success();
    }
    if (mayBeOneDevice(source->getParentOfType<ModuleOp>(), from.device, *device)) {
      storages[op.getResult()] = {copyUnlessSame(op, *device), from.dims, *device};
      return success();
    }
  }
  Value buffer = storages.destination(op.getResult(), from.dims, *device);
  storages.copy(buffer, op.getOperand(), *device, Issue::queueOf(op.getAffinity()));
  storages[op.getResult()] = {buffer, from.dims, *device};
  return success();
}

// The first dispatch that a value computed from `value` is handed to, or chooses.
static flow::DispatchOp findDecided(Value value) {
  llvm::SetVector<Operation *> open(value.user_begin(), value.user_end());
  for (size_t i = 0; i < open.size(); ++i) {
    Operation *user = open[i];
    if (auto dispatch = dyn_cast<flow::DispatchOp>(user))
      return dispatch;
    flow::DispatchOp inside;
    if (user->getNumRegions() > 0)
      user->walk([&](flow::DispatchOp dispatch) {
        inside = dispatch;
        return WalkResult::interrupt();
      });
    if (inside)
      return inside;
    open.insert(user->user_begin(), user->user_end());
  }
  return {};
}

LogicalResult HostProgramBuilder::buildUnits(flow::UnitsOp op) {
  FlatSymbolRefAttr device = issue.getDefaultDevice();
  if (flow::DispatchOp dispatch = findDecided(op.getResult())) {
    FailureOr<FlatSymbolRefAttr> found = issue.deviceFrom(dispatch, dispatch->getAttr(kAffinityAttr));
    if (failed(found))
      return failure();
    device = *found;
  }
  StringRef key = op.getWorkgroups() ? host::kWorkgroupsKey : host::kCoresKey;
  scalars.map(op.getResult(),
              host::QueryOp::create(builder, loc, builder.getIndexType(), device, builder.getStringAttr(key)));
  return success();
}

// An element at known indices comes to the host.
LogicalResult HostProgramBuilder::buildRead(tensor::ExtractOp op) {
  Type type = op.getResult().getType();
  if (!type.isIntOrIndex())
    return op.emitOpError() << "reads " << type << " on the host, which computes with integers only";
  const Storage &entry = storages[op.getTensor()];
  Value element = scalars.constant(0);
  for (auto [d, index] : llvm::enumerate(op.getIndices())) {
    element = builder.createOrFold<arith::MulIOp>(loc, element, entry.dims[d]);
    element = builder.createOrFold<arith::AddIOp>(loc, element, scalars.of(index));
  }
  Value offset = scalars.product({element, scalars.constant(HostScalars::elementBytes(type))});
  Value value = host::ReadOp::create(builder, loc, issue.stream(entry.device), entry.buffer, offset, type);
  if (type.isInteger(1))
    value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, scalars.constant(0));
  else if (!type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, type, value);
  scalars.map(op.getResult(), value);
  return success();
}

// Scalars of the host become a tensor: one fill for each element.
LogicalResult HostProgramBuilder::buildElements(tensor::FromElementsOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (!type.getElementType().isIntOrIndex())
    return op.emitOpError() << "makes a tensor of " << type.getElementType()
                            << " on the host, which computes with integers only";
  FailureOr<FlatSymbolRefAttr> device = storages.deviceOfMade(op);
  if (failed(device))
    return failure();
  SmallVector<Value> dims = scalars.dimsOf(type, {});
  Value buffer = storages.allocate(op.getResult(), dims, *device);
  int64_t bytes = HostScalars::elementBytes(type.getElementType());
  for (auto [i, element] : llvm::enumerate(op.getElements())) {
    Value pattern = scalars.of(element);
    if (pattern.getType().isInteger(1))
      pattern = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), pattern);
    else if (!pattern.getType().isIndex())
      pattern = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), pattern);
    host::FillOp::create(builder, loc, issue.stream(*device), buffer, scalars.constant(i * bytes),
                         scalars.constant(bytes), pattern, static_cast<uint32_t>(bytes));
  }
  storages[op.getResult()] = {buffer, dims, *device};
  return success();
}

LogicalResult HostProgramBuilder::buildEmpty(tensor::EmptyOp op) {
  FailureOr<FlatSymbolRefAttr> device = storages.deviceOfMade(op);
  if (failed(device))
    return failure();
  SmallVector<Value> dims = scalars.sizesOf(op.getMixedSizes());
  if (isFilled(op)) {
    storages[op.getResult()] = {storages.destination(op.getResult(), dims, *device), dims, *device};
    return success();
  }
  if (flow::startsStreamLoop(op)) {
    storages[op.getResult()] = {Value(), dims, *device}; // the loop's result is the memory
    return success();
  }
  Value buffer = storages.allocate(op.getResult(), dims, *device);
  // Whatever is read of it before it is written reads zeros: a program's results never depend on old memory.
  host::FillOp::create(builder, loc, issue.stream(*device), buffer, scalars.constant(0),
                       scalars.byteSize(op.getType(), dims), scalars.constant(0),
                       /*pattern_bytes=*/1);
  storages[op.getResult()] = {buffer, dims, *device};
  return success();
}

LogicalResult HostProgramBuilder::buildSlice(tensor::ExtractSliceOp op) {
  if (!isContiguous(op))
    return op.emitOpError() << "is not contiguous in memory; form it into a dispatch";
  const Storage from = storages[op.getSource()];
  Value element = scalars.constant(0);
  for (auto [dim, offset] : llvm::zip_equal(from.dims, scalars.sizesOf(op.getMixedOffsets()))) {
    element = builder.createOrFold<arith::MulIOp>(loc, element, dim);
    element = builder.createOrFold<arith::AddIOp>(loc, element, offset);
  }
  SmallVector<Value> sizes = scalars.sizesOf(op.getMixedSizes()), dims;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!dropped.test(d))
      dims.push_back(size);
  RankedTensorType type = op.getType();
  Value offset = scalars.product({element, scalars.constant(HostScalars::elementBytes(type.getElementType()))});
  Value view = host::ViewOp::create(builder, loc, from.buffer, offset, scalars.byteSize(type, dims));
  storages[op.getResult()] = {view, dims, from.device};
  return success();
}

// Blocks lie behind one another in any layout.
LogicalResult HostProgramBuilder::buildBlock(flow::BlockOp op) {
  const Storage from = storages[op.getSource()];
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<Value> dims = scalars.dimsOf(type, {});
  Value size = scalars.byteSize(type, dims);
  Value offset = builder.createOrFold<arith::MulIOp>(loc, scalars.of(op.getBlock()), size);
  storages[op.getResult()] = {host::ViewOp::create(builder, loc, from.buffer, offset, size), dims, from.device};
  return success();
}

LogicalResult HostProgramBuilder::buildReshape(Operation *op, Value from, SmallVector<Value> dims) {
  const Storage &entry = storages[from];
  storages[op->getResult(0)] = Storage{entry.buffer, std::move(dims), entry.device};
  return success();
}

LogicalResult HostProgramBuilder::buildScalar(Operation &op) {
  if (auto dim = dyn_cast<tensor::DimOp>(op); dim && dim.getConstantIndex()) {
    scalars.map(dim.getResult(), storages[dim.getSource()].dims[*dim.getConstantIndex()]);
    return success();
  }
  auto isScalar = [](Type type) { return type.isIntOrIndex(); };
  if (!isa<arith::ArithDialect>(op.getDialect()) || op.getNumRegions() != 0 ||
      !llvm::all_of(op.getOperandTypes(), isScalar) || !llvm::all_of(op.getResultTypes(), isScalar))
    return op.emitOpError() << "cannot run on the host, which takes dispatches, transfers, checks, reshapes, scf and "
                               "integer arithmetic; form it into a dispatch";
  scalars.clone(op);
  return success();
}
