// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/IR/OperandLayouts.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encoding;

void mlir::heddle::encoding::setOperandLayout(OpOperand &input, LayoutAttr layout) {
  auto op = cast<linalg::GenericOp>(input.getOwner());
  SmallVector<Attribute> operands(op.getNumDpsInputs(), IdentityAttr::get(op.getContext()));
  if (auto known = op->getAttrOfType<ArrayAttr>(kOperandsAttr))
    operands.assign(known.begin(), known.end());
  operands[input.getOperandNumber()] = layout;
  op->setAttr(kOperandsAttr, ArrayAttr::get(op.getContext(), operands));
}

LayoutAttr mlir::heddle::encoding::getOperandLayout(OpOperand &input) {
  auto operands = input.getOwner()->getAttrOfType<ArrayAttr>(kOperandsAttr);
  return operands && input.getOperandNumber() < operands.size()
             ? dyn_cast<LayoutAttr>(operands[input.getOperandNumber()])
             : LayoutAttr();
}

// What is divided by the constant; the expression itself where it is another one.
static AffineExpr withoutDivision(AffineExpr expr, AffineExprKind kind, int64_t divisor) {
  auto division = dyn_cast<AffineBinaryOpExpr>(expr);
  return division && division.getKind() == kind && division.getRHS() == divisor ? division.getLHS() : expr;
}

// Candidates for an index that stands in two dimensions: what either of them divides, and the sum of both.
static SmallVector<AffineExpr> candidatesFor(AffineExpr outer, AffineExpr inner, int64_t tile) {
  return {withoutDivision(inner, AffineExprKind::Mod, tile), withoutDivision(outer, AffineExprKind::FloorDiv, tile),
          outer * tile + inner};
}

std::optional<SmallVector<AffineExpr>> mlir::heddle::encoding::getLogicalIndex(LayoutAttr layout,
                                                                               ArrayRef<AffineExpr> physical) {
  SmallVector<PhysicalDim> dims = getPhysicalDims(layout);
  if (dims.size() != physical.size())
    return std::nullopt;
  SmallVector<AffineExpr> index(layout.getPerm().size());
  for (auto [outer, at] : llvm::zip_equal(dims, physical)) {
    if (outer.inner)
      continue;
    auto inner = llvm::find_if(dims, [&](const PhysicalDim &dim) { return dim.inner && dim.dim == outer.dim; });
    if (inner == dims.end()) {
      index[outer.dim] = at;
      continue;
    }
    AffineExpr within = physical[inner - dims.begin()];
    for (AffineExpr candidate : candidatesFor(at, within, inner->tile))
      if (!index[outer.dim] && candidate.floorDiv(outer.step) == at && candidate % inner->tile == within)
        index[outer.dim] = candidate;
    if (!index[outer.dim])
      return std::nullopt;
  }
  return index;
}

// Whether the type is one of memory in this layout: as many dimensions, those of tiles of their sizes.
static bool isPhysicalType(Type type, LayoutAttr layout) {
  auto tensor = dyn_cast<ShapedType>(type);
  SmallVector<PhysicalDim> dims = getPhysicalDims(layout);
  return tensor && tensor.hasRank() && tensor.getRank() == static_cast<int64_t>(dims.size()) &&
         llvm::all_of(llvm::zip_equal(tensor.getShape(), dims), [](auto pair) {
           auto [size, dim] = pair;
           return !dim.inner || size == dim.tile;
         });
}

static LogicalResult verify(Operation *op, Attribute attribute) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  auto operands = dyn_cast<ArrayAttr>(attribute);
  if (!generic || !operands || operands.size() != static_cast<size_t>(generic.getNumDpsInputs()) ||
      !llvm::all_of(operands, llvm::IsaPred<LayoutAttr, IdentityAttr>))
    return op->emitError() << kOperandsAttr << " stands on a linalg.generic and has, for each input, a layout or "
                           << "#encoding.identity, got " << attribute;
  for (OpOperand *input : generic.getDpsInputOperands())
    if (LayoutAttr layout = getOperandLayout(*input); layout && !isPhysicalType(input->get().getType(), layout))
      return op->emitError() << "reads operand " << input->getOperandNumber() << " in a layout that its type "
                             << input->get().getType() << " is not in: " << layout;
  return success();
}

LogicalResult mlir::heddle::encoding::verifyOperandLayouts(Operation *root) {
  WalkResult walk = root->walk([](Operation *op) {
    Attribute attribute = op->getDiscardableAttr(kOperandsAttr);
    return attribute && failed(verify(op, attribute)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
