// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flow and device to upstream dialects. See Program.h.
#include "compiler/Reference/Program.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Flow/IR/FlowPieces.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "heddle/contract/Draw.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;

namespace {

class FlowLowering {
public:
  FlowLowering(ModuleOp module, const ReferenceOptions &options, Program &program)
      : module(module), options(options), program(program), builder(module.getContext()) {}

  LogicalResult run();

private:
  func::FuncOp declare(const Twine &name, TypeRange arguments, TypeRange results, bool cInterface);
  func::CallOp call(Location location, func::FuncOp callee, ValueRange operands);
  Value index(Location location, int64_t value);
  Value parameter(Location location, unsigned number, RankedTensorType type);

  LogicalResult lowerParameters();
  void renameFunctions();
  void hoistExecutables();
  LogicalResult lowerDimensions();
  void lowerOps();
  void lowerRows(flow::RowsOp op);
  void recordSteps();
  void recordStep(Operation *op);
  void emit(Location location, Value value, Emission::Kind kind, unsigned number);
  LogicalResult lowerBoundary();

  ModuleOp module;
  const ReferenceOptions &options;
  Program &program;
  OpBuilder builder;
  func::FuncOp entry;
};

// "r2_f32": part of the name of an external function, one for each rank and element type.
std::string suffix(RankedTensorType type) {
  std::string text = "_r" + std::to_string(type.getRank()) + "_";
  llvm::raw_string_ostream(text) << type.getElementType();
  return text;
}

MemRefType dynamicMemRef(RankedTensorType type, bool strided) {
  SmallVector<int64_t> shape(type.getRank(), ShapedType::kDynamic);
  MemRefLayoutAttrInterface layout;
  if (strided)
    layout = StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, shape);
  return MemRefType::get(shape, type.getElementType(), layout);
}

MemRefType stridedMemRef(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  return MemRefType::get(type.getShape(), type.getElementType(),
                         StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides));
}

} // namespace

func::FuncOp FlowLowering::declare(const Twine &name, TypeRange arguments, TypeRange results, bool cInterface) {
  std::string symbol = name.str();
  if (auto existing = module.lookupSymbol<func::FuncOp>(symbol))
    return existing;
  OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
  auto function = func::FuncOp::create(atStart, module.getLoc(), symbol, atStart.getFunctionType(arguments, results));
  function.setPrivate();
  if (cInterface)
    function->setAttr("llvm.emit_c_interface", atStart.getUnitAttr());
  return function;
}

func::CallOp FlowLowering::call(Location location, func::FuncOp callee, ValueRange operands) {
  return func::CallOp::create(builder, location, callee, operands);
}

Value FlowLowering::index(Location location, int64_t value) {
  return arith::ConstantIndexOp::create(builder, location, value);
}

//===--- Parameters ----------------------------------------------------------------------------------------------===//

Value FlowLowering::parameter(Location location, unsigned number, RankedTensorType type) {
  std::string symbol = (kParameter + Twine(number)).str();
  auto memref = MemRefType::get(type.getShape(), type.getElementType());
  if (!module.lookupSymbol(symbol)) {
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    memref::GlobalOp::create(atStart, location, symbol, /*sym_visibility=*/StringAttr(), memref,
                             /*initial_value=*/Attribute(), /*constant=*/false, /*alignment=*/IntegerAttr());
  }
  Value address = memref::GetGlobalOp::create(builder, location, memref, symbol);
  return bufferization::ToTensorOp::create(builder, location, type, address, /*restrict=*/true, /*writable=*/false);
}

LogicalResult FlowLowering::lowerParameters() {
  DenseMap<Attribute, unsigned> numbers;
  auto number = [&](ElementsAttr value, Operation *op) -> FailureOr<unsigned> {
    auto [found, isNew] = numbers.try_emplace(value, program.parameters.size());
    if (!isNew)
      return found->second;
    FailureOr<Tensor> tensor = tensorOf(value);
    if (failed(tensor))
      return op->emitError() << "the reference cannot read a constant of type " << value.getShapedType();
    program.parameters.push_back(*tensor);
    return found->second;
  };
  SymbolTable symbols(module);
  module.walk([&](flow::BlockOp op) {
    builder.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(op.getSource().getType());
    SmallVector<OpFoldResult> zeros(type.getRank(), builder.getIndexAttr(0)),
        ones(type.getRank(), builder.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(op.getContext(), type.getShape());
    zeros[0] = op.getBlock();
    sizes[0] = ones[0];
    op.getResult().replaceAllUsesWith(tensor::ExtractSliceOp::create(
        builder, op.getLoc(), cast<RankedTensorType>(op.getResult().getType()), op.getSource(), zeros, sizes, ones));
    op.erase();
  });
  WalkResult walked = module.walk([&](Operation *op) -> WalkResult {
    ElementsAttr value;
    if (auto load = dyn_cast<flow::ParameterLoadOp>(op))
      value = symbols.lookup<flow::ParameterOp>(load.getParameter()).getValue();
    else if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && isa<RankedTensorType>(constant.getType()))
      value = cast<ElementsAttr>(constant.getValue());
    else
      return WalkResult::advance();
    FailureOr<unsigned> known = number(value, op);
    if (failed(known))
      return WalkResult::interrupt();
    builder.setInsertionPoint(op);
    op->getResult(0).replaceAllUsesWith(
        parameter(op->getLoc(), *known, cast<RankedTensorType>(op->getResult(0).getType())));
    op->erase();
    return WalkResult::advance();
  });
  for (auto op : llvm::make_early_inc_range(module.getOps<flow::ParameterOp>()))
    op.erase();
  return failure(walked.wasInterrupted());
}

//===--- Functions -----------------------------------------------------------------------------------------------===//

// To names that cannot shadow a library's.
void FlowLowering::renameFunctions() {
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    function->removeAttr("llvm.emit_c_interface");
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
    function.setName(("heddle_function_" + function.getName()).str());
    function.setPrivate();
  }
  module.walk([&](func::CallOp op) { op.setCallee(("heddle_function_" + op.getCallee()).str()); });
}

void FlowLowering::hoistExecutables() {
  for (auto executable : llvm::make_early_inc_range(module.getOps<flow::ExecutableOp>())) {
    func::FuncOp function = executable.getFunction();
    function->moveBefore(executable);
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
    function.setName(("heddle_dispatch_" + executable.getSymName()).str());
    function.setPrivate();
    executable.erase();
  }
}

LogicalResult FlowLowering::lowerDimensions() {
  WalkResult walked = module.walk([&](flow::DimensionOp op) -> WalkResult {
    if (op.getName() == ::heddle::contract::kDrawnSymbol) { // the reference makes one call, of seed 0
      builder.setInsertionPoint(op);
      op.replaceAllUsesWith(
          arith::ConstantIndexOp::create(builder, op.getLoc(), ::heddle::contract::drawnNumber(0, 0)).getResult());
      op.erase();
      return WalkResult::advance();
    }
    for (auto [i, argument] : llvm::enumerate(program.signature.arguments)) {
      auto *found = llvm::find(argument.dims, op.getName());
      if (found == argument.dims.end() || op->getParentOfType<func::FuncOp>() != entry)
        continue;
      builder.setInsertionPoint(op);
      op.replaceAllUsesWith(
          tensor::DimOp::create(builder, op.getLoc(), entry.getArgument(i), found - argument.dims.begin()).getResult());
      op.erase();
      return WalkResult::advance();
    }
    op.emitError() << "no argument of the entry point has a dimension named \"" << op.getName() << '"';
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

void reference::callFail(OpBuilder &builder, Location location, Program &program, const std::string &message) {
  Value number = arith::ConstantIndexOp::create(builder, location, program.messages.size());
  program.messages.push_back(message);
  func::CallOp::create(builder, location, kFail, TypeRange(), number);
}

// All bits of an element: what stands where a flow.rows writes nothing, so that whoever compares knows it.
static Value allOnes(OpBuilder &builder, Location location, Type type) {
  auto bits = APInt::getAllOnes(type.getIntOrFloatBitWidth());
  if (auto real = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(builder, location, FloatAttr::get(real, APFloat(real.getFloatSemantics(), bits)));
  return arith::ConstantOp::create(builder, location, IntegerAttr::get(type, bits));
}

// A loop over the rows; what upstream's bufferisation does not find to be in place it copies.
void FlowLowering::lowerRows(flow::RowsOp op) {
  Location location = op.getLoc();
  SmallVector<Value> inits;
  for (auto [i, result] : llvm::enumerate(op.getOutputs())) {
    Type type = cast<RankedTensorType>(result.getType()).getElementType();
    Value empty = tensor::EmptyOp::create(builder, location, op.getMixedSizes(i), type);
    inits.push_back(linalg::FillOp::create(builder, location, allOnes(builder, location, type), empty).getResult(0));
  }
  auto loop = scf::ForOp::create(builder, location, index(location, 0), op.getRows(), index(location, 1), inits);
  loop.getRegion().takeBody(op.getBody());
  Operation *terminator = loop.getBody()->getTerminator();
  builder.setInsertionPoint(terminator);
  scf::YieldOp::create(builder, location, terminator->getOperands());
  terminator->erase();
  op.replaceAllUsesWith(loop.getResults());
}

void FlowLowering::lowerOps() {
  declare(kFail, builder.getIndexType(), {}, false);
  module.walk<WalkOrder::PostOrder>([&](Operation *op) {
    builder.setInsertionPoint(op);
    if (auto region = dyn_cast<flow::RegionOp>(op)) {
      Operation *terminator = region.getBody().front().getTerminator();
      region.replaceAllUsesWith(terminator->getOperands());
      terminator->erase();
      op->getBlock()->getOperations().splice(op->getIterator(), region.getBody().front().getOperations());
    } else if (auto rows = dyn_cast<flow::RowsOp>(op)) {
      lowerRows(rows);
    } else if (isa<flow::ImportOp, flow::ExportOp, flow::AliasOp>(op)) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    } else if (auto transfer = dyn_cast<flow::TransferOp>(op)) {
      transfer.replaceAllUsesWith(transfer.getOperand());
    } else if (auto dispatch = dyn_cast<flow::DispatchOp>(op)) {
      SmallVector<Value> operands(dispatch.getBindings());
      llvm::append_range(operands, dispatch.getConstants());
      dispatch.replaceAllUsesWith(func::CallOp::create(builder, op->getLoc(), dispatch.getResultTypes(),
                                                       ("heddle_dispatch_" + dispatch.getExecutable()).str(), operands)
                                      .getResults());
    } else if (isa<flow::UnitsOp>(op)) {
      op->replaceAllUsesWith(arith::ConstantIndexOp::create(builder, op->getLoc(), kUnits)->getResults());
    } else if (isa<flow::PiecesOp>(op)) { // whole: any number gives the same
      op->replaceAllUsesWith(arith::ConstantIndexOp::create(builder, op->getLoc(), 1)->getResults());
    } else if (auto check = dyn_cast<flow::CheckOp>(op)) {
      auto no = arith::ConstantIntOp::create(builder, op->getLoc(), 0, 1);
      auto failed = arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::eq, check.getCondition(), no);
      auto branch = scf::IfOp::create(builder, op->getLoc(), failed, /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
      callFail(builder, op->getLoc(), program, check.getMessage().str());
    } else {
      return;
    }
    op->erase();
  });
}

//===--- Recording -----------------------------------------------------------------------------------------------===//

void FlowLowering::emit(Location location, Value value, Emission::Kind kind, unsigned number) {
  Value id = index(location, program.emissions.size());
  if (value.getType().isIndex()) {
    program.emissions.push_back({kind, number, ElementType::I64, 0});
    call(location, declare(kConstant, {builder.getIndexType(), builder.getIndexType()}, {}, false), {id, value});
    return;
  }
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType known = kind == Emission::Result ? program.signature.results[number].type : type;
  program.emissions.push_back(
      {kind, number, elementTypeOf(known.getElementType()), static_cast<unsigned>(type.getRank())});
  MemRefType passed = dynamicMemRef(type, /*strided=*/true);
  Value buffer = bufferization::ToBufferOp::create(builder, location, stridedMemRef(type), value,
                                                   /*read_only=*/true);
  if (buffer.getType() != passed)
    buffer = memref::CastOp::create(builder, location, passed, buffer);
  call(location, declare(kEmit + suffix(type), {builder.getIndexType(), passed}, {}, true), {id, buffer});
}

// Movement that costs nothing to redo and values nobody looks at are left out.
static bool isStep(Operation *op) {
  if (isa<flow::DispatchOp, flow::RowsOp, flow::CollectiveOpInterface>(op))
    return true;
  if (isa<linalg::FillOp, tensor::EmptyOp, tensor::CastOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp>(op))
    return false;
  return isa<linalg::LinalgDialect, tensor::TensorDialect>(op->getDialect());
}

static bool canRecord(TypeRange types) {
  return llvm::all_of(types, [](Type type) {
    if (type.isIndex())
      return true;
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && elementTypeOf(tensor.getElementType()) != ElementType::None;
  });
}

void FlowLowering::recordStep(Operation *op) {
  unsigned number = program.steps.size();
  auto dispatch = dyn_cast<flow::DispatchOp>(op);
  std::string name = dispatch ? dispatch.getExecutable().str() : op->getName().getStringRef().str();
  program.steps.push_back({name, op->getLoc(), static_cast<bool>(dispatch)});
  if (dispatch) {
    builder.setInsertionPoint(op);
    for (Value operand : dispatch.getBindings())
      emit(op->getLoc(), operand, Emission::StepOperand, number);
    for (Value operand : dispatch.getConstants())
      emit(op->getLoc(), operand, Emission::StepConstant, number);
  }
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    emit(op->getLoc(), result, Emission::StepResult, number);
  program.emissions.back().last = true;
}

void FlowLowering::recordSteps() {
  SmallVector<Operation *> steps;
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool recorded = isStep(op) && op->getNumResults() != 0 && canRecord(op->getResultTypes()) &&
                    (!isa<flow::DispatchOp>(op) || canRecord(cast<flow::DispatchOp>(op).getBindings().getTypes()));
    if (recorded)
      steps.push_back(op);
    return isa<linalg::LinalgOp, flow::RowsOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  llvm::for_each(steps, [&](Operation *op) { recordStep(op); });
}

//===--- The entry point -----------------------------------------------------------------------------------------===//

LogicalResult FlowLowering::lowerBoundary() {
  Block &body = entry.getBody().front();
  Operation *terminator = body.getTerminator();
  builder.setInsertionPoint(terminator);
  for (auto [i, result] : llvm::enumerate(terminator->getOperands()))
    emit(terminator->getLoc(), result, Emission::Result, i);
  terminator->setOperands({});
  builder.setInsertionPointToStart(&body);
  for (auto [i, argument] : llvm::enumerate(entry.getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    Location location = argument.getLoc();
    MemRefType received = dynamicMemRef(type, /*strided=*/false);
    Value buffer =
        call(location, declare(kInput + suffix(type), builder.getIndexType(), received, true), index(location, i))
            .getResult(0);
    auto exact = MemRefType::get(type.getShape(), type.getElementType());
    if (exact != received)
      buffer = memref::CastOp::create(builder, location, exact, buffer);
    argument.replaceAllUsesWith(
        bufferization::ToTensorOp::create(builder, location, type, buffer, /*restrict=*/true, /*writable=*/false));
  }
  body.eraseArguments(0, body.getNumArguments());
  entry.setFunctionType(builder.getFunctionType({}, {}));
  entry.setName(kEntry);
  entry.setPublic();
  return success();
}

LogicalResult FlowLowering::run() {
  if (failed(lowerLayouts(module, options.materialize)))
    return failure();
  FailureOr<Signature> signature = signatureOf(module, options.entry);
  if (failed(signature))
    return failure();
  program.signature = std::move(*signature);
  entry = module.lookupSymbol<func::FuncOp>(program.signature.name);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    if (isa<device::GlobalOp>(op))
      op.erase();
    else if (!isa<func::FuncOp, flow::ParameterOp, flow::ExecutableOp, device::MeshOp>(op))
      return op.emitError() << "the reference runs IR up to the stage `resolve`, got " << op.getName();
  }
  module->removeAttr(device::DeviceDialect::kDefaultAttr);
  module->removeAttr(device::DeviceDialect::kTopologyAttr);
  renameFunctions();
  if (options.trace)
    recordSteps();
  if (failed(lowerRanks(module, program)) || failed(lowerParameters()))
    return failure();
  hoistExecutables();
  if (failed(lowerDimensions()))
    return failure();
  lowerOps();
  return lowerBoundary();
}

LogicalResult reference::lowerFlow(ModuleOp module, const ReferenceOptions &options, Program &program) {
  return FlowLowering(module, options, program).run();
}
