// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Flow/IR/Pitch.h"
#include "compiler/Dialect/Syntax.h"
#include "heddle/contract/Launch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;
namespace contract = ::heddle::contract;

//===--- Verifiers -----------------------------------------------------------------------------------------------===//

LogicalResult mlir::heddle::flow::verifyDims(Operation *op, TypeRange types, OperandRange dims, StringRef what) {
  int64_t dynamic = 0;
  for (Type type : types)
    dynamic += cast<RankedTensorType>(type).getNumDynamicDims();
  if (dynamic != static_cast<int64_t>(dims.size()))
    return op->emitOpError() << "needs one size for each dynamic dimension of its " << what << ": " << dynamic
                             << ", got " << dims.size();
  return success();
}

LogicalResult ParameterOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape())
    return emitOpError() << "needs a static shape, got " << type;
  auto value = dyn_cast<RankedTensorType>(getValue().getShapedType());
  bool fits = value == type;
  if (encoding::isResolved(type.getEncoding())) // the layout's bytes, or plain ones until they are packed
    fits = value && value.hasStaticShape() && !value.getEncoding() && value.getElementType() == type.getElementType();
  else if (encoding::isAbstract(type.getEncoding()))
    fits = value == encoding::withoutEncoding(type);
  if (!fits)
    return emitOpError() << "has type " << type << " but its value has type " << getValue().getShapedType();
  return success();
}

LogicalResult ParameterLoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto parameter = symbols.lookupNearestSymbolFrom<ParameterOp>(*this, getParameterAttr());
  if (!parameter)
    return emitOpError() << "names no flow.parameter: " << getParameterAttr();
  if (parameter.getType() != getResult().getType())
    return emitOpError() << "has type " << getResult().getType() << " but " << getParameterAttr() << " has type "
                         << parameter.getType();
  return success();
}

LogicalResult GlobalOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getEncoding())
    return emitOpError() << "is plain in memory, got " << type;
  if (!getValue() || getValue()->getShapedType() == type)
    return success();
  // That of the whole, of which ranks have parts.
  ShardingAttr sharding = getShardingAttr();
  ShapedType whole = getValue()->getShapedType();
  bool fits = sharding && sharding.getRank() == type.getRank() && whole.getRank() == type.getRank() &&
              whole.getElementType() == type.getElementType();
  for (int64_t dim = 0; fits && dim < type.getRank(); ++dim)
    fits = sharding.isCut(dim) || whole.getDimSize(dim) == type.getDimSize(dim);
  if (!fits)
    return emitOpError() << "has type " << type << " but its initial value has type " << whole;
  return success();
}

LogicalResult RegionOp::verify() {
  if (failed(verifyDims(*this, getResultTypes(), getResultDims(), "results")) ||
      failed(verifyDims(*this, getCaptures().getTypes(), getCapturedDims(), "captured tensors")))
    return failure();
  auto terminator = dyn_cast<ReturnOp>(getBody().front().getTerminator());
  if (!terminator || terminator.getOperandTypes() != getResultTypes())
    return emitOpError() << "must end in a flow.return of its result types";
  return success();
}

func::FuncOp ExecutableOp::getFunction() { return lookupSymbol<func::FuncOp>(getSymName()); }

void ExecutableOp::build(OpBuilder &builder, OperationState &state, StringRef name) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getSymVisibilityAttrName(state.name), builder.getStringAttr("private"));
  state.addRegion()->emplaceBlock();
}

LogicalResult ExecutableOp::verify() {
  for (Operation &op : getBody().front())
    if (!isa<func::FuncOp, VariantOp>(op))
      return emitOpError() << "holds only func.func and flow.variant, got " << op.getName();
  func::FuncOp function = getFunction();
  if (!function)
    return emitOpError() << "needs a func.func of its own name";
  for (unsigned result = 0; result < function.getNumResults(); ++result)
    if (std::string reason = explainPitch(function, result); !reason.empty())
      return emitOpError() << "pitch of result " << result << " " << reason;
  return success();
}

func::FuncOp VariantOp::getWorkgroups() { return lookupSymbol<func::FuncOp>("workgroups"); }
func::FuncOp VariantOp::getScratch() { return lookupSymbol<func::FuncOp>("scratch"); }

// As contract/Launch.h has it.
static bool isLaunchRecord(ArrayRef<int64_t> launch) {
  constexpr size_t kNumbers = 4;
  int64_t invocations = 1;
  if (launch.size() != kNumbers || launch.back() < 0 || launch.back() > contract::kMaxSharedBytes)
    return false;
  for (int64_t along : launch.drop_back()) {
    if (along < 1 || along > contract::kMaxInvocations)
      return false;
    invocations *= along;
  }
  return invocations <= contract::kMaxInvocations;
}

LogicalResult VariantOp::verify() {
  if (std::optional<ArrayRef<int64_t>> launch = getLaunch(); launch && !isLaunchRecord(*launch))
    return emitOpError() << "launch must be invocations along x, y and z, from 1 to " << contract::kMaxInvocations
                         << " together, and at most " << contract::kMaxSharedBytes << " shared bytes, got "
                         << getLaunchAttr();
  for (StringRef name : {"workgroups", "scratch"}) {
    auto func = lookupSymbol<func::FuncOp>(name);
    if (!func)
      return emitOpError() << "needs a function @" << name;
    auto isIndex = [](Type type) { return type.isIndex(); };
    if (!llvm::all_of(func.getArgumentTypes(), isIndex) || func.getNumResults() != 1 ||
        !func.getResultTypes()[0].isIndex())
      return emitOpError() << "@" << name << " must take index values and give one, got " << func.getFunctionType();
  }
  return success();
}

LogicalResult DispatchOp::verify() {
  if (failed(verifyDims(*this, getBindings().getTypes(), getBindingDims(), "operands")))
    return failure();
  return verifyDims(*this, getResultTypes(), getResultDims(), "results");
}

// Of what a dispatch passes or expects. Each variant has a layout of its own where the function leaves it to them.
static bool fits(Type passed, Type taken) {
  if (passed == taken)
    return true;
  auto tensor = dyn_cast<RankedTensorType>(taken);
  return tensor && isa_and_present<encoding::ByTargetAttr>(tensor.getEncoding()) && isa<RankedTensorType>(passed) &&
         encoding::withoutEncoding(cast<RankedTensorType>(passed)) == encoding::withoutEncoding(tensor);
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto executable = symbols.lookupNearestSymbolFrom<ExecutableOp>(*this, getExecutableAttr());
  if (!executable)
    return emitOpError() << "names no flow.executable: " << getExecutableAttr();
  func::FuncOp function = executable.getFunction();
  if (!function)
    return success(); // reported by the executable's own verifier
  SmallVector<Type> expected(getBindings().getTypes());
  expected.append(getConstants().getTypes().begin(), getConstants().getTypes().end());
  if (!llvm::equal(expected, function.getArgumentTypes(), fits))
    return emitOpError() << "passes (" << expected << ") to " << getExecutableAttr() << ", which takes ("
                         << function.getArgumentTypes() << ")";
  if (!llvm::equal(getResultTypes(), function.getResultTypes(), fits))
    return emitOpError() << "expects (" << getResultTypes() << ") from " << getExecutableAttr() << ", which gives ("
                         << function.getResultTypes() << ")";
  return success();
}

static LogicalResult verifyAffinity(Operation *op, Attribute affinity) {
  if (isa<device::AffinityAttr, device::OptimalAttr, device::PromiseAttr>(affinity))
    return success();
  return op->emitOpError() << "goes to a #device.affinity, #device.optimal or #device.promise, got " << affinity;
}

LogicalResult ImportOp::verify() { return verifyAffinity(*this, getAffinity()); }
LogicalResult ExportOp::verify() { return verifyAffinity(*this, getAffinity()); }

LogicalResult AliasOp::verify() { return getAffinity() ? verifyAffinity(*this, *getAffinity()) : success(); }

LogicalResult TransferOp::verify() { return verifyDims(*this, getResult().getType(), getDims(), "operand"); }

LogicalResult EncodeOp::verify() {
  RankedTensorType source = getSource().getType(), result = getResult().getType();
  if (encoding::withoutEncoding(source) != encoding::withoutEncoding(result))
    return emitOpError() << "changes the encoding only, got " << source << " to " << result;
  return verifyDims(*this, getSource().getType(), getDims(), "operand");
}

//===--- Folders -------------------------------------------------------------------------------------------------===//

OpFoldResult CheckedIndexOp::fold(FoldAdaptor adaptor) {
  auto index = dyn_cast_if_present<IntegerAttr>(adaptor.getIndex());
  auto size = dyn_cast_if_present<IntegerAttr>(adaptor.getSize());
  if (index && size && index.getValue().sge(0) && index.getValue().slt(size.getValue()))
    return getIndex();
  return {};
}

OpFoldResult EncodeOp::fold(FoldAdaptor) {
  return getSource().getType() == getResult().getType() ? getSource() : OpFoldResult();
}

LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowOps.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowGlobals.cpp.inc"
