// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

OpContext::OpContext(Converter &converter, Operation *op) : converter(converter), emitter(converter.emitter), op(op) {}

//===--- Operands and results ------------------------------------------------------------------------------------===//

Tensor &OpContext::narrow(unsigned i) { return converter.tensor(op->getOperand(i)); }
Tensor &OpContext::operand(unsigned i) { return converter.full(op->getOperand(i)); }

SizeList OpContext::sizesOf(ArrayRef<int64_t> shape) const {
  return llvm::map_to_vector(shape, [&](int64_t size) { return emitter.sizes.constant(size); });
}

LogicalResult OpContext::setResult(unsigned i, Tensor tensor) { return set(i, std::move(tensor), false); }
LogicalResult OpContext::setNarrowResult(unsigned i, Tensor tensor) { return set(i, std::move(tensor), true); }

LogicalResult OpContext::set(unsigned i, Tensor tensor, bool mayBeNarrow) {
  RankedTensorType type = resultType(i);
  bool fits = tensor.elementType == type.getElementType() && tensor.rank() == type.getRank();
  for (int64_t d = 0; fits && d < tensor.rank(); ++d)
    fits = tensor.isStaticSize(d, type.getDimSize(d)) || (mayBeNarrow && tensor.isStaticSize(d, 1));
  if (!fits) {
    std::string text;
    llvm::raw_string_ostream(text) << "result " << i << " is declared as " << type << " but has elements of type "
                                   << tensor.elementType << " in the shape of " << tensor.type();
    return refuse(text);
  }
  converter.set(op->getResult(i), std::move(tensor));
  return success();
}

//===--- Attributes ----------------------------------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> OpContext::ints(StringRef name) {
  Attribute attribute = op->getAttr(name);
  if (!attribute)
    return refuse("needs the attribute " + name);
  if (std::optional<SmallVector<int64_t>> list = readInts(attribute))
    return *list;
  return refuse("attribute " + name + " must be a list of integers");
}

FailureOr<SmallVector<int64_t>> OpContext::ints(StringRef name, SmallVector<int64_t> otherwise) {
  return op->hasAttr(name) ? ints(name) : otherwise;
}

FailureOr<int64_t> OpContext::integer(StringRef name) {
  FailureOr<SmallVector<int64_t>> list = ints(name);
  if (failed(list))
    return failure();
  if (list->size() != 1)
    return refuse("attribute " + name + " must be one integer");
  return list->front();
}

FailureOr<int64_t> OpContext::integer(StringRef name, int64_t otherwise) {
  return op->hasAttr(name) ? integer(name) : otherwise;
}

FailureOr<std::string> OpContext::word(StringRef name) {
  std::optional<StringRef> word = op->hasAttr(name) ? readWord(op->getAttr(name)) : std::nullopt;
  if (!word)
    return refuse("needs the attribute " + name + ", such as #stablehlo<" + name + " …>");
  return word->str();
}

FailureOr<Fields> OpContext::fields(StringRef name, StringRef kind, ArrayRef<StringRef> known) {
  std::optional<Fields> fields = op->hasAttr(name) ? readFields(op->getAttr(name), kind) : std::nullopt;
  if (!fields)
    return refuse("needs the attribute " + name + ", #stablehlo." + kind + "<name = [integers], …>");
  for (const auto &field : fields->lists)
    if (!llvm::is_contained(known, field.getKey()))
      return refuse("attribute " + name + " has a field '" + field.getKey() + "'; known: " + llvm::join(known, ", "));
  return *fields;
}

//===--- Checks --------------------------------------------------------------------------------------------------===//

LogicalResult OpContext::refuse(const Twine &reason) {
  converter.report(op, reason);
  return failure();
}

LogicalResult OpContext::requireOperands(unsigned count) {
  if (op->getNumOperands() == count)
    return success();
  return refuse("needs " + Twine(count) + " operands, got " + Twine(op->getNumOperands()));
}

LogicalResult OpContext::requireResults(unsigned count) {
  if (op->getNumResults() == count)
    return success();
  return refuse("has " + Twine(count) + " results, got " + Twine(op->getNumResults()));
}

LogicalResult OpContext::requireDims(ArrayRef<int64_t> dims, int64_t rank, const Twine &what) {
  SmallVector<bool> seen(rank, false);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return refuse(what + " names dimension " + Twine(dim) + " of a tensor of rank " + Twine(rank));
    if (seen[dim])
      return refuse(what + " names dimension " + Twine(dim) + " twice");
    seen[dim] = true;
  }
  return success();
}

LogicalResult OpContext::requireLength(ArrayRef<int64_t> list, int64_t length, const Twine &what) {
  if (static_cast<int64_t>(list.size()) == length)
    return success();
  return refuse(what + " must have " + Twine(length) + " entries, got " + Twine(list.size()));
}

//===--- Table ---------------------------------------------------------------------------------------------------===//

const LoweringTable &mlir::heddle::hlo::lowerings() {
  static const LoweringTable table = [] {
    LoweringTable made;
    registerCollectives(made);
    registerContraction(made);
    registerControl(made);
    registerElementwise(made);
    registerGather(made);
    registerLinearAlgebra(made);
    registerMovement(made);
    registerReduceRanks(made);
    registerReduction(made);
    registerShardings(made);
    registerSort(made);
    registerStructure(made);
    registerTransform(made);
    registerWindow(made);
    return made;
  }();
  return table;
}
