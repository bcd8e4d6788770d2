// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowShardings.h"

#include "compiler/Dialect/Suggest.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

static constexpr int64_t kFree = device::MeshOp::kFree;

LogicalResult flow::verifySharding(ShardingAttr sharding, int64_t rank, device::MeshOp mesh,
                                   llvm::function_ref<InFlightDiagnostic()> report) {
  if (!mesh)
    return report() << "has a sharding over " << sharding.getMesh() << ", which is not a device.mesh";
  if (sharding.getRank() != rank)
    return report() << "has a sharding of " << sharding.getRank() << " dimensions for a tensor of " << rank;
  SmallVector<StringAttr> axes(sharding.getPartial());
  for (int64_t dim = 0; dim < rank; ++dim)
    axes.append(sharding.getDimAxes(dim));
  for (StringAttr axis : axes) {
    if (mesh.findAxis(axis))
      continue;
    std::vector<std::string> known;
    for (StringRef name : mesh.getAxes().getAsValueRange<StringAttr>())
      known.push_back(name.str());
    return report() << "has a sharding over axis '" << axis.getValue() << "', which mesh @" << mesh.getSymName() << ", "
                    << mesh.describe() << ", does not have" << didYouMean(axis.getValue(), known);
  }
  for (int64_t dim = 0; dim < rank; ++dim)
    if (sharding.getWhole(dim) != -1 && !sharding.getGranule(dim).getNames().empty())
      return report() << "has a sharding that says the size of dimension " << dim
                      << " and cuts it at multiples of a size that has a name; say the number";
  return success();
}

int64_t flow::getParts(ShardingAttr sharding, int64_t dim, device::MeshOp mesh) {
  int64_t parts = 1;
  for (StringAttr axis : sharding.getDimAxes(dim)) {
    int64_t size = mesh.getSize(axis);
    if (size == kFree)
      return kFree;
    parts *= size;
  }
  return parts;
}

RankedTensorType flow::getPartType(RankedTensorType whole, ShardingAttr sharding, device::MeshOp mesh) {
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t parts = getParts(sharding, dim, mesh);
    if (parts == 1 || ShapedType::isDynamic(size) || size == 0)
      continue;
    GranuleAttr granule = sharding.getGranule(dim);
    bool isEqual = parts != kFree && granule.getNames().empty() && size % (parts * granule.getFactor()) == 0;
    size = isEqual ? size / parts : ShapedType::kDynamic;
  }
  return RankedTensorType::get(shape, whole.getElementType());
}

//===--- Verifiers -----------------------------------------------------------------------------------------------===//

static device::MeshOp lookup(Operation *op, ShardingAttr sharding, SymbolTableCollection &symbols) {
  return symbols.lookupNearestSymbolFrom<device::MeshOp>(op, sharding.getMesh());
}

// That parts can be combined so: a combination of bits, or of numbers without a sign, is of integers.
static LogicalResult verifyReduction(Operation *op, ShardingAttr sharding, Type element) {
  bool isOfIntegers = llvm::is_contained(
      {Reduction::And, Reduction::Or, Reduction::Xor, Reduction::UMin, Reduction::UMax}, sharding.getReduction());
  if (sharding.getPartial().empty() || !isOfIntegers || isa<IntegerType>(element))
    return success();
  return op->emitOpError() << "combines parts by '" << stringifyReduction(sharding.getReduction())
                           << "', which is of integers, got elements of " << element;
}

LogicalResult ShardOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyReduction(*this, getSharding(), getResult().getType().getElementType())))
    return failure();
  return verifySharding(getSharding(), getResult().getType().getRank(), lookup(*this, getSharding(), symbols),
                        [&] { return emitOpError(); });
}

// Granules divide sizes, and known sizes of the part are those of every rank.
static LogicalResult verifyPart(Operation *op, RankedTensorType whole, RankedTensorType part, ShardingAttr sharding,
                                SymbolTableCollection &symbols) {
  device::MeshOp mesh = lookup(op, sharding, symbols);
  if (failed(verifySharding(sharding, whole.getRank(), mesh, [&] { return op->emitOpError(); })) ||
      failed(verifyReduction(op, sharding, whole.getElementType())))
    return failure();
  if (part.getRank() != whole.getRank() || part.getElementType() != whole.getElementType())
    return op->emitOpError() << "has a part " << part << " of " << whole << ", which is of another kind";
  RankedTensorType expected = getPartType(whole, sharding, mesh);
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    GranuleAttr granule = sharding.getGranule(dim);
    if (!whole.isDynamicDim(dim) && whole.getDimSize(dim) % granule.getFactor())
      return op->emitOpError() << "cuts dimension " << dim << " of " << whole << " at multiples of "
                               << granule.getFactor() << ", which does not divide it";
    bool isKnown = !part.isDynamicDim(dim) && !whole.isDynamicDim(dim);
    if (isKnown && part.getDimSize(dim) != expected.getDimSize(dim))
      return op->emitOpError() << "has a part " << part << " of " << whole << "; by " << sharding << " it is "
                               << expected;
  }
  return success();
}

LogicalResult PartOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyPart(*this, getOperand().getType(), getResult().getType(), getSharding(), symbols);
}

LogicalResult WholeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyPart(*this, getResult().getType(), getOperand().getType(), getSharding(), symbols);
}

// A border says all of a sharding, and the sizes that the result's type leaves open.
static LogicalResult verifyBorder(Operation *op, ShardingAttr sharding, RankedTensorType result, OperandRange dims) {
  if (!sharding.getOpen().empty())
    return op->emitOpError() << "leaves dimension " << sharding.getOpen().front()
                             << " of its sharding open; only flow.shard may";
  return verifyDims(op, result, dims, "result");
}

LogicalResult PartOp::verify() { return verifyBorder(*this, getSharding(), getResult().getType(), getDims()); }
LogicalResult WholeOp::verify() { return verifyBorder(*this, getSharding(), getResult().getType(), getDims()); }

LogicalResult BlockOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (source.getRank() != 0 && source.getElementType() == result.getElementType() &&
      source.getShape().drop_front() == result.getShape())
    return success();
  return emitOpError() << "has blocks " << result << " of " << source
                       << ", whose dimensions behind the first are others";
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowShardings.cpp.inc"
