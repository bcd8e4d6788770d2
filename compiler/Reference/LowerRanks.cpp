// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coordinates and collectives to calls. See Program.h.
#include "compiler/Reference/Program.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Ranks/Reshard/Reshard.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;
namespace contract = ::heddle::contract;

// Threads that a machine is expected to bear.
static constexpr int64_t kMaxThreads = 256;

namespace {

class RanksLowering {
public:
  RanksLowering(ModuleOp module, Program &program) : module(module), program(program), b(module.getContext()) {}

  LogicalResult run() {
    if (failed(lowerWhole()))
      return failure();
    for (auto mesh : module.getOps<device::MeshOp>())
      if (failed(addMesh(mesh)))
        return failure();
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (isa<flow::CoordinateOp, flow::MemberOp, flow::MeshSizeOp, flow::CollectiveOpInterface>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      lower(op);
    for (auto mesh : llvm::make_early_inc_range(module.getOps<device::MeshOp>()))
      mesh.erase();
    return success();
  }

private:
  // Of a whole program every rank runs all; only at borders have they parts.
  LogicalResult lowerWhole() {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (isa<flow::ShardOp, flow::PartOp, flow::WholeOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      Value operand = op->getOperand(0);
      FailureOr<Value> lowered = isa<flow::ShardOp>(op) ? FailureOr<Value>(operand) : lowerBorder(op);
      if (failed(lowered))
        return op->emitOpError() << "cannot be run by the reference";
      op->getResult(0).replaceAllUsesWith(*lowered);
      op->erase();
    }
    return success();
  }

  FailureOr<Value> lowerBorder(Operation *op) {
    b.setInsertionPoint(op);
    auto part = dyn_cast<flow::PartOp>(op);
    auto sharding = op->getAttrOfType<flow::ShardingAttr>("sharding");
    auto all = flow::ShardingAttr::getReplicated(sharding.getMesh(), sharding.getRank());
    SmallVector<OpFoldResult> sizes;
    if (part)
      sizes = tensor::getMixedSizes(b, op->getLoc(), part.getOperand());
    else
      sizes = getMixedValues(cast<flow::WholeOp>(op).getResult().getType().getShape(), op->getOperands().drop_front(),
                             op->getContext());
    FailureOr<Value> made =
        emitReshard(b, op->getLoc(), op->getOperand(0), sizes, part ? all : sharding, part ? sharding : all);
    if (failed(made) || made->getType() == op->getResult(0).getType())
      return made;
    return tensor::CastOp::create(b, op->getLoc(), op->getResult(0).getType(), *made).getResult();
  }

  LogicalResult addMesh(device::MeshOp mesh) {
    int64_t ranks = mesh.getNumRanks(), first = mesh.getFirst();
    if (ranks == device::MeshOp::kFree)
      return mesh.emitError() << "has a free size, " << mesh.describe()
                              << "; the reference runs all ranks of known sizes: say them (--mesh=)";
    if (first + ranks > kMaxThreads)
      return mesh.emitError() << "has ranks up to " << first + ranks << "; the reference runs at most " << kMaxThreads;
    numbers[mesh.getSymNameAttr()] = program.meshes.size();
    program.meshes.push_back({mesh.getSymName().str(), mesh.getSizes().vec(), first});
    return success();
  }

  Value index(Location loc, int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  func::CallOp call(Location loc, const Twine &name, TypeRange results, ValueRange operands, bool cInterface) {
    std::string symbol = name.str();
    if (!module.lookupSymbol(symbol)) {
      OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
      auto type = atStart.getFunctionType(operands.getTypes(), results);
      auto function = func::FuncOp::create(atStart, loc, symbol, type);
      function.setPrivate();
      if (cInterface)
        function->setAttr("llvm.emit_c_interface", atStart.getUnitAttr());
    }
    return func::CallOp::create(b, loc, symbol, results, operands);
  }

  void lower(Operation *op) {
    b.setInsertionPoint(op);
    if (auto collective = dyn_cast<flow::CollectiveOpInterface>(op)) {
      lowerCollective(collective);
    } else if (auto size = dyn_cast<flow::MeshSizeOp>(op)) {
      device::MeshOp mesh = flow::getMesh(op, size.getMeshAttr());
      op->getResult(0).replaceAllUsesWith(index(op->getLoc(), mesh.getSize(size.getAxis())));
    } else {
      lowerPlace(op);
    }
    op->erase();
  }

  void lowerPlace(Operation *op) {
    auto name = op->getAttrOfType<FlatSymbolRefAttr>("mesh");
    auto coordinate = dyn_cast<flow::CoordinateOp>(op);
    int axis = coordinate ? *flow::getMesh(op, name).findAxis(coordinate.getAxis()) : -1;
    Value number = index(op->getLoc(), program.places.size());
    program.places.push_back({numbers.lookup(name.getAttr()), axis});
    Value place = call(op->getLoc(), kPlace, b.getIndexType(), number, false).getResult(0);
    if (!coordinate)
      place = arith::CmpIOp::create(b, op->getLoc(), arith::CmpIPredicate::ne, place, index(op->getLoc(), 0));
    op->getResult(0).replaceAllUsesWith(place);
  }

  CollectiveInfo describe(flow::CollectiveOpInterface op) {
    CollectiveInfo info;
    info.name = op->getName().getStringRef();
    info.type = elementTypeOf(op.getOperandType().getElementType());
    info.rank = op.getOperandType().getRank();
    info.mesh = numbers.lookup(op.getMeshAttr().getAttr());
    info.spec.kind = op.getKind();
    info.spec.type = info.type;
    info.spec.group = flow::getGroupSpec(op, flow::getMesh(op, op.getMeshAttr()));
    if (std::optional<flow::Reduction> reduction = op.getCombiner()) {
      info.spec.reduction = flow::getContractReduction(*reduction);
      if (flow::isUnsigned(*reduction))
        info.spec.type = asUnsigned(info.type);
    }
    auto number = [&](StringRef name) {
      auto value = op->getAttrOfType<IntegerAttr>(name);
      return value ? value.getInt() : 0;
    };
    info.spec.root = number("root");
    info.spec.shift = number("shift");
    info.dim = op->hasAttr("split") ? number("split") : number("dim");
    info.concat = number("concat");
    auto pairs = op->getAttrOfType<DenseI64ArrayAttr>("pairs");
    info.isRing = !pairs;
    if (pairs)
      info.spec.pairs.assign(pairs.asArrayRef().begin(), pairs.asArrayRef().end());
    return info;
  }

  static ElementType asUnsigned(ElementType type) {
    switch (type) {
    case ElementType::I8: return ElementType::U8;
    case ElementType::I16: return ElementType::U16;
    case ElementType::I32: return ElementType::U32;
    case ElementType::I64: return ElementType::U64;
    default: return type;
    }
  }

  void lowerCollective(flow::CollectiveOpInterface op) {
    Location loc = op->getLoc();
    RankedTensorType from = op.getOperandType(), to = op.getResultType();
    std::string element;
    llvm::raw_string_ostream(element) << from.getElementType();
    std::string suffix = "_r" + std::to_string(from.getRank()) + "_" + element;
    Value number = index(loc, program.collectives.size());
    program.collectives.push_back(describe(op));
    SmallVector<int64_t> any(from.getRank(), ShapedType::kDynamic);
    auto strided = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, any);
    Value buffer = bufferization::ToBufferOp::create(
        b, loc, MemRefType::get(from.getShape(), from.getElementType(), strided), op.getOperand(), /*read_only=*/true);
    auto given = MemRefType::get(any, from.getElementType(), strided);
    if (buffer.getType() != given)
      buffer = memref::CastOp::create(b, loc, given, buffer);
    SmallVector<Value> numbers(op.getCut());
    if (isa<flow::ExchangeOp>(op)) { // rows are the dimensions in front
      numbers.insert(numbers.end() - 2, index(loc, 1));
      numbers.append(2, index(loc, 0));
    }
    for (ValueRange cut = numbers; !cut.empty(); cut = cut.drop_front(4))
      call(loc, kCut, {}, cut.take_front(4), false);
    call(loc, kGive + suffix, {}, {number, buffer}, true);
    auto received = MemRefType::get(any, to.getElementType());
    auto exact = MemRefType::get(to.getShape(), to.getElementType());
    Value result = call(loc, kTake + suffix, received, number, true).getResult(0);
    if (exact != received)
      result = memref::CastOp::create(b, loc, exact, result);
    op->getResult(0).replaceAllUsesWith(
        bufferization::ToTensorOp::create(b, loc, to, result, /*restrict=*/true, /*writable=*/false));
  }

  ModuleOp module;
  Program &program;
  OpBuilder b;
  llvm::DenseMap<StringAttr, unsigned> numbers; // of meshes
};

} // namespace

LogicalResult reference::lowerRanks(ModuleOp module, Program &program) { return RanksLowering(module, program).run(); }
