// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Stages/Import/StableHlo/Assembly/Attributes.h"
#include "compiler/Stages/Import/StableHlo/Lowering.h"
#include "compiler/Stages/Import/StableHlo/Ranks/ManualComputation.h"
#include "compiler/Stages/Import/StableHlo/Ranks/Requests.h"
#include "compiler/Stages/Import/StableHlo/Splitter.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

// The type of each part.
RankedTensorType mlir::heddle::hlo::partType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return cast<RankedTensorType>(tensor.clone(cast<ComplexType>(tensor.getElementType()).getElementType()));
}

// With the parts as a last dimension.
Type mlir::heddle::hlo::joinedType(Type type) {
  if (!isComplex(type))
    return type;
  RankedTensorType part = partType(type);
  SmallVector<int64_t> shape(part.getShape());
  shape.push_back(2);
  return RankedTensorType::get(shape, part.getElementType());
}

SmallVector<Type> mlir::heddle::hlo::splitTypes(TypeRange types) {
  SmallVector<Type> all;
  for (Type type : types)
    if (isComplex(type))
      all.append(2, partType(type));
    else
      all.push_back(type);
  return all;
}

//===--- Parts at the boundary -----------------------------------------------------------------------------------===//

Value mlir::heddle::hlo::joinParts(RealOps &r, Parts x) {
  auto type = cast<RankedTensorType>(x.real.getType());
  SmallVector<int64_t> shape(type.getShape()), pair(shape);
  shape.push_back(1);
  pair.push_back(2);
  auto wide = [&](Value v) {
    return r.make("stablehlo.reshape", v, RankedTensorType::get(shape, type.getElementType()));
  };
  return r.make("stablehlo.concatenate", {wide(x.real), wide(x.imaginary)},
                RankedTensorType::get(pair, type.getElementType()),
                r.b.getNamedAttr("dimension", r.b.getI64IntegerAttr(type.getRank())));
}

Parts mlir::heddle::hlo::cutParts(RealOps &r, Value joined, RankedTensorType part) {
  auto take = [&](int64_t which) {
    SmallVector<int64_t> start(part.getRank(), 0), limit(part.getShape()), shape(limit);
    start.push_back(which);
    limit.push_back(which + 1);
    shape.push_back(1);
    SmallVector<int64_t> strides(shape.size(), 1);
    Value slice = r.make("stablehlo.slice", joined, RankedTensorType::get(shape, part.getElementType()),
                         {r.b.getNamedAttr("start_indices", r.b.getDenseI64ArrayAttr(start)),
                          r.b.getNamedAttr("limit_indices", r.b.getDenseI64ArrayAttr(limit)),
                          r.b.getNamedAttr("strides", r.b.getDenseI64ArrayAttr(strides))});
    return r.make("stablehlo.reshape", slice, part);
  };
  Value real = take(0);
  return {real, take(1)};
}

//===--- Ops that do the same to both parts ----------------------------------------------------------------------===//

// Which operands such an op moves; the others are indices, or a predicate.
static std::optional<std::pair<unsigned, unsigned>> movedOperands(Operation *op) {
  using Range = std::pair<unsigned, unsigned>;
  Range all{0, op->getNumOperands()};
  return llvm::StringSwitch<std::optional<Range>>(op->getName().getStringRef())
      .Cases({"stablehlo.broadcast_in_dim", "stablehlo.dynamic_slice", "stablehlo.gather", "stablehlo.reshape"},
             Range{0, 1})
      .Cases({"stablehlo.reverse", "stablehlo.slice", "stablehlo.transpose", "flow.transfer"}, Range{0, 1})
      .Cases({"stablehlo.all_gather", "stablehlo.all_to_all", "stablehlo.collective_permute"}, Range{0, 1})
      .Cases({kRequestOp, kPartOp, kWholeOp, kSliceOp}, Range{0, 1})
      .Case("stablehlo.collective_broadcast", Range{0, 1})
      .Cases({"stablehlo.dynamic_update_slice", "stablehlo.pad"}, Range{0, 2})
      .Case("stablehlo.select", Range{1, 3})
      .Case("stablehlo.concatenate", all)
      .Default(std::nullopt);
}

void Splitter::splitByPart(Operation *op) {
  std::pair<unsigned, unsigned> moved = *movedOperands(op);
  if (op->getNumResults() != 1 || op->getNumOperands() < moved.second || op->getNumRegions() != 0)
    return refuse(op, "has too few operands, a region, or not one result");
  Type element = getElementTypeOrSelf(op->getResult(0));
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isMoved = i >= moved.first && i < moved.second;
    if (isMoved ? getElementTypeOrSelf(operand) != element : isComplex(operand.getType()))
      return refuse(op, "operand " + Twine(i) + " does not have the type it needs for a complex result");
  }
  Value real = createPart(op, 0);
  set(op->getResult(0), {real, createPart(op, 1)});
}

Value Splitter::createPart(Operation *op, unsigned which) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Parts parts = values.lookup(operand);
    operands.push_back(which ? (parts.isComplex() ? parts.imaginary : parts.real) : parts.real);
  }
  Operation *made = create(op, operands, partType(op->getResult(0).getType()));
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), made->getRegions())) {
    // A region of `worksByPart`: real arguments, the op, its return.
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&to);
    IRMapping mapping;
    for (BlockArgument argument : from.getArguments())
      mapping.map(argument, block->addArgument(partType(argument.getType()), argument.getLoc()));
    for (Operation &inner : from.front()) {
      Operation *copy = b.clone(inner, mapping);
      for (Value result : copy->getResults())
        result.setType(partType(result.getType()));
    }
  }
  return made->getResult(0);
}

// Whether part after part of what the region returns depends on that part of its two complex arguments only: their sum
// or difference, or one of them.
static bool worksByPart(Region &region) {
  if (!region.hasOneBlock() || region.getNumArguments() != 2 || !llvm::all_of(region.getArgumentTypes(), isComplex))
    return false;
  Block &block = region.front();
  if (block.getTerminator()->getNumOperands() != 1 || !isComplex(block.getTerminator()->getOperand(0).getType()))
    return false;
  auto isArgument = [&](Value value) { return llvm::is_contained(block.getArguments(), value); };
  if (block.getOperations().size() == 1)
    return isArgument(block.getTerminator()->getOperand(0));
  Operation &op = block.front();
  StringRef name = op.getName().getStringRef();
  return block.getOperations().size() == 2 && (name == "stablehlo.add" || name == "stablehlo.subtract") &&
         op.getNumOperands() == 2 && op.getNumResults() == 1 && llvm::all_of(op.getOperands(), isArgument) &&
         op.getResult(0).getType() == op.getOperand(0).getType() &&
         block.getTerminator()->getOperand(0) == op.getResult(0);
}

void Splitter::splitReduction(Operation *op) {
  if (op->getNumOperands() == 2 && op->getNumResults() == 1 && op->getNumRegions() == 1 &&
      llvm::all_of(op->getOperandTypes(), isComplex) && isComplex(op->getResult(0).getType()) &&
      worksByPart(op->getRegion(0))) {
    Value real = createPart(op, 0);
    return set(op->getResult(0), {real, createPart(op, 1)});
  }
  // A reduction of two tensors at once, whose region sees both parts.
  splitRegions(op);
}

// all_reduce and its like.
void Splitter::splitCollective(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 || op->getNumRegions() != 1 ||
      !isComplex(op->getOperand(0).getType()) ||
      getElementTypeOrSelf(op->getOperand(0)) != getElementTypeOrSelf(op->getResult(0)) ||
      !worksByPart(op->getRegion(0)))
    return refuse(op, "of complex numbers can only add them, from a complex operand");
  Value real = createPart(op, 0);
  set(op->getResult(0), {real, createPart(op, 1)});
}

void Splitter::splitScatter(Operation *op) {
  bool fits = op->getNumOperands() == 3 && op->getNumResults() == 1 && op->getNumRegions() == 1 &&
              isComplex(op->getOperand(0).getType()) && !isComplex(op->getOperand(1).getType()) &&
              isComplex(op->getOperand(2).getType()) && isComplex(op->getResult(0).getType());
  if (!fits || !worksByPart(op->getRegion(0)))
    return refuse(op, "of complex numbers can only set, add or subtract, one operand at a time");
  Value real = createPart(op, 0);
  set(op->getResult(0), {real, createPart(op, 1)});
}

//===--- Arithmetic ----------------------------------------------------------------------------------------------===//

void Splitter::splitConstant(Operation *op) {
  auto literal = dyn_cast_or_null<DenseElementsAttr>(op->getAttr("value"));
  if (op->getNumResults() != 1 || !literal || literal.getType() != op->getResult(0).getType())
    return refuse(op, "needs the attribute value, dense elements of the result's type");
  RankedTensorType type = partType(op->getResult(0).getType());
  size_t width = storageBytes(type.getElementType());
  ArrayRef<char> raw = literal.getRawData();
  RealOps r{b, op->getLoc()};
  auto part = [&](size_t which) {
    SmallVector<char> bytes;
    for (size_t at = which * width; at < raw.size(); at += 2 * width)
      bytes.append(raw.begin() + at, raw.begin() + at + width);
    return r.make("stablehlo.constant", {}, type,
                  b.getNamedAttr("value", DenseElementsAttr::getFromRawBuffer(type, bytes)));
  };
  Value real = part(0);
  set(op->getResult(0), {real, part(1)});
}

// dot_general and convolution: four real ones.
void Splitter::splitProduct(Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !llvm::all_of(op->getOperandTypes(), isComplex) || !isComplex(op->getResult(0).getType()))
    return refuse(op, "needs two complex operands and a complex result, or none");
  Parts x = values.lookup(op->getOperand(0)), y = values.lookup(op->getOperand(1));
  RankedTensorType type = partType(op->getResult(0).getType());
  auto product = [&](Value left, Value right) { return create(op, {left, right}, type)->getResult(0); };
  RealOps r{b, op->getLoc()};
  Value real = r.sub(product(x.real, y.real), product(x.imaginary, y.imaginary));
  set(op->getResult(0), {real, r.add(product(x.real, y.imaginary), product(x.imaginary, y.real))});
}

void Splitter::splitTransform(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return refuse(op, "needs one operand and one result");
  RealOps r{b, op->getLoc()};
  Parts x = values.lookup(op->getOperand(0));
  Value operand = x.isComplex() ? joinParts(r, x) : x.real;
  Type type = op->getResult(0).getType();
  Operation *made = create(op, operand, joinedType(type));
  made->setAttr(kPartsAttr, b.getUnitAttr());
  set(op->getResult(0),
      isComplex(type) ? cutParts(r, made->getResult(0), partType(type)) : Parts{made->getResult(0), {}});
}

// To a complex type from any, to a real one from a complex one: then the imaginary part goes.
void Splitter::splitConvert(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return refuse(op, "needs one operand and one result");
  Parts x = values.lookup(op->getOperand(0));
  Type type = op->getResult(0).getType();
  RealOps r{b, op->getLoc()};
  if (!isComplex(type))
    return set(op->getResult(0), {r.make("stablehlo.convert", x.real, type), {}});
  RankedTensorType part = partType(type);
  Value real = r.make("stablehlo.convert", x.real, part);
  set(op->getResult(0), {real, x.isComplex() ? r.make("stablehlo.convert", x.imaginary, part) : r.constant(real, 0)});
}

void Splitter::splitCustomCall(Operation *op) {
  if (isSharding(op))
    return splitRegions(op);
  auto target = op->getAttrOfType<StringAttr>("call_target_name");
  refuse(op, "the target '" + (target ? target.getValue() : "") + "' is not supported on complex numbers");
}

void Splitter::splitIota(Operation *op) {
  if (op->getNumOperands() != 0 || op->getNumResults() != 1)
    return refuse(op, "has no operands and one result");
  Value real = create(op, {}, partType(op->getResult(0).getType()))->getResult(0);
  RealOps r{b, op->getLoc()};
  set(op->getResult(0), {real, r.constant(real, 0)});
}

void Splitter::splitComparison(Operation *op) {
  Attribute attribute = op->getAttr("comparison_direction");
  std::optional<StringRef> direction = attribute ? readWord(attribute) : std::nullopt;
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      op->getOperand(0).getType() != op->getOperand(1).getType() || !direction ||
      (*direction != "EQ" && *direction != "NE"))
    return refuse(op, "complex numbers of one type can be compared for EQ and NE");
  Parts x = values.lookup(op->getOperand(0)), y = values.lookup(op->getOperand(1));
  RealOps r{b, op->getLoc()};
  Value real = r.compare(*direction, x.real, y.real), imaginary = r.compare(*direction, x.imaginary, y.imaginary);
  set(op->getResult(0), {r.of(*direction == "EQ" ? "stablehlo.and" : "stablehlo.or", real, imaginary), {}});
}

void Splitter::splitComplexOp(Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 || !isComplex(op->getResult(0).getType()) ||
      op->getOperand(0).getType() != partType(op->getResult(0).getType()) ||
      op->getOperand(1).getType() != op->getOperand(0).getType())
    return refuse(op, "needs two operands of the type of the result's parts");
  set(op->getResult(0), {values.lookup(op->getOperand(0)).real, values.lookup(op->getOperand(1)).real});
}

void Splitter::splitArithmetic(Operation *op, const ComplexRule &rule) {
  if (op->getNumOperands() != rule.operands || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return refuse(op, "needs " + Twine(rule.operands) + " operands and one result");
  SmallVector<Parts> operands;
  for (Value operand : op->getOperands()) {
    if (!isComplex(operand.getType()) || operand.getType() != op->getOperand(0).getType())
      return refuse(op, "needs complex operands of one type");
    operands.push_back(values.lookup(operand));
  }
  RealOps r{b, op->getLoc()};
  Parts result = rule.function(r, operands);
  Type type = op->getResult(0).getType();
  if (result.isComplex() ? type != op->getOperand(0).getType() : type != result.real.getType())
    return refuse(op, "the result does not have the operands' type");
  set(op->getResult(0), result);
}

Splitter::Rule Splitter::findRule(StringRef name) {
  return llvm::StringSwitch<Rule>(name)
      .Cases({"func.return", "stablehlo.return"}, &Splitter::splitReturn)
      .Case("stablehlo.constant", &Splitter::splitConstant)
      .Cases({"func.call", "stablehlo.composite"}, &Splitter::splitCall)
      .Cases({"stablehlo.case", "stablehlo.if", "stablehlo.while"}, &Splitter::splitRegions)
      .Case("stablehlo.optimization_barrier", &Splitter::splitRegions)
      .Case("stablehlo.sort", &Splitter::splitSort)
      .Cases({"stablehlo.broadcast_in_dim", "stablehlo.dynamic_slice", "stablehlo.gather", "stablehlo.reshape"},
             &Splitter::splitByPart)
      .Cases({"stablehlo.reverse", "stablehlo.slice", "stablehlo.transpose", "flow.transfer"}, &Splitter::splitByPart)
      .Cases({"stablehlo.dynamic_update_slice", "stablehlo.pad"}, &Splitter::splitByPart)
      .Cases({"stablehlo.select", "stablehlo.concatenate", "stablehlo.collective_broadcast"}, &Splitter::splitByPart)
      .Cases({"stablehlo.all_gather", "stablehlo.all_to_all", "stablehlo.collective_permute"}, &Splitter::splitByPart)
      .Cases({kRequestOp, kPartOp, kWholeOp, kSliceOp}, &Splitter::splitByPart)
      .Cases({"stablehlo.all_reduce", "stablehlo.collective_reduce", "stablehlo.reduce_scatter"},
             &Splitter::splitCollective)
      .Cases({"stablehlo.reduce", "stablehlo.reduce_window"}, &Splitter::splitReduction)
      .Case("stablehlo.scatter", &Splitter::splitScatter)
      .Cases({"stablehlo.dot_general", "stablehlo.convolution"}, &Splitter::splitProduct)
      .Case("stablehlo.fft", &Splitter::splitTransform)
      .Case("stablehlo.convert", &Splitter::splitConvert)
      .Case("stablehlo.custom_call", &Splitter::splitCustomCall)
      .Case("stablehlo.iota", &Splitter::splitIota)
      .Case("stablehlo.compare", &Splitter::splitComparison)
      .Case("stablehlo.complex", &Splitter::splitComplexOp)
      .Default(nullptr);
}
