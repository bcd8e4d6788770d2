// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Assembly/Attributes.h"
#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

//===--- What can be printed -------------------------------------------------------------------------------------===//

static bool isWordOf(Operation *op, StringRef name, StringRef kind) {
  auto opaque = op->getAttrOfType<OpaqueAttr>(name);
  return opaque && opaque.getAttrData().starts_with((kind + " ").str()) && readWord(opaque);
}

static bool isIntegers(Operation *op, StringRef name, size_t length) {
  auto list = op->getAttrOfType<DenseI64ArrayAttr>(name);
  return list && static_cast<size_t>(list.size()) == length;
}

static bool canPrintShape(OpShape shape, Operation *op) {
  auto index = op->getAttrOfType<IntegerAttr>("index");
  auto starts = op->getAttrOfType<DenseI64ArrayAttr>("start_indices");
  switch (shape) {
  case OpShape::Compare:
    return op->getNumOperands() > 0 && isWordOf(op, "comparison_direction", "comparison_direction") &&
           (!op->hasAttr("compare_type") || isWordOf(op, "compare_type", "comparison_type"));
  case OpShape::Call: return isa_and_nonnull<StringAttr>(op->getAttr("call_target_name"));
  case OpShape::Named: return isa_and_nonnull<StringAttr>(op->getAttr("name"));
  case OpShape::Ranges:
    return starts && isIntegers(op, "limit_indices", starts.size()) && isIntegers(op, "strides", starts.size());
  case OpShape::Index: return index && index.getType().isSignlessInteger(32);
  default: return true;
  }
}

static bool canPrintTypes(TypesForm form, Operation *op) {
  auto tuple = op->getNumResults() == 1 ? dyn_cast<TupleType>(op->getResult(0).getType()) : TupleType();
  switch (form) {
  case TypesForm::Results: return op->getNumOperands() == 0 && op->getNumResults() == 1;
  case TypesForm::Operands: return op->getNumResults() == 0;
  case TypesForm::Pairwise: return op->getOperandTypes() == op->getResultTypes();
  case TypesForm::Tuple: return tuple && TypeRange(tuple.getTypes()) == TypeRange(op->getOperandTypes());
  case TypesForm::Arrow:
  case TypesForm::Grouped: return op->getNumOperands() > 0 && op->getNumResults() > 0;
  default: return true;
  }
}

bool mlir::heddle::hlo::canPrint(const OpFormat &format, Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumSuccessors() != 0 || !canPrintShape(format.shape, op) ||
      !canPrintTypes(format.types, op))
    return false;
  if (format.shape == OpShape::Barrier && op->getNumOperands() == 0)
    return attributesOf(op).empty();
  return llvm::all_of(format.fields, [&](const FieldFormat &field) { return canPrintField(field, op); });
}

//===--- Printing ------------------------------------------------------------------------------------------------===//

static SmallVector<StringRef> ownAttributes(const OpFormat &format) {
  SmallVector<StringRef> own;
  for (const FieldFormat &field : format.fields)
    own.push_back(field.attribute);
  switch (format.shape) {
  case OpShape::Compare: llvm::append_range(own, ArrayRef<StringRef>{"comparison_direction", "compare_type"}); break;
  case OpShape::Call: own.push_back("call_target_name"); break;
  case OpShape::Named: own.push_back("name"); break;
  case OpShape::Window:
    llvm::append_range(
        own, ArrayRef<StringRef>{"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"});
    break;
  case OpShape::Ranges:
    llvm::append_range(own, ArrayRef<StringRef>{"start_indices", "limit_indices", "strides"});
    break;
  case OpShape::Index: own.push_back("index"); break;
  default: break;
  }
  if (llvm::any_of(format.fields, [](const FieldFormat &f) { return f.kind == FieldKind::FloatFormat; }))
    own.push_back("mantissa_bits");
  return own;
}

static void printRanges(Operation *op, OpAsmPrinter &printer) {
  auto list = [&](StringRef name) { return op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef(); };
  printer << " [";
  llvm::interleaveComma(llvm::zip_equal(list("start_indices"), list("limit_indices"), list("strides")), printer,
                        [&](auto range) {
                          auto [start, limit, step] = range;
                          printer << start << ':' << limit;
                          if (step != 1)
                            printer << ':' << step;
                        });
  printer << ']';
}

// Between the op's name and its attributes.
static void printItems(const OpFormat &format, Operation *op, OpAsmPrinter &printer) {
  auto nameOf = [&](StringRef attribute) { return op->getAttrOfType<StringAttr>(attribute).getValue(); };
  StringRef separator = " ";
  switch (format.shape) {
  case OpShape::Compare:
    printer << ' ' << *readWord(op->getAttr("comparison_direction"));
    separator = ", ";
    break;
  case OpShape::Call:
    printer << ' ';
    printer.printSymbolName(nameOf("call_target_name"));
    separator = "(";
    break;
  case OpShape::Named: printer << ' ' << op->getAttr("name"); break;
  case OpShape::Window:
  case OpShape::Enclosed: separator = "("; break;
  default: break;
  }
  bool opens = separator == "(";
  if (op->getNumOperands() > 0 || opens)
    printer << separator << op->getOperands();
  separator = op->getNumOperands() > 0 ? ", " : opens ? "" : " ";
  if (format.shape == OpShape::Call || format.shape == OpShape::Window) {
    printer << ')';
    separator = " ";
  }
  if (op->hasAttr("compare_type") && format.shape == OpShape::Compare)
    printer << separator << *readWord(op->getAttr("compare_type"));
  for (const FieldFormat &field : format.fields)
    if (printField(field, op, printer, separator))
      separator = ", ";
  if (format.shape == OpShape::Enclosed)
    printer << ')';
  if (format.shape == OpShape::Ranges)
    printRanges(op, printer);
  if (format.shape == OpShape::Index)
    printer << '[' << op->getAttrOfType<IntegerAttr>("index").getInt() << ']';
}

static void printTypes(TypesForm form, Operation *op, OpAsmPrinter &printer) {
  auto results = op->getResultTypes();
  auto operands = op->getOperandTypes();
  if (operands.empty() && (form == TypesForm::Operands || form == TypesForm::Pairwise))
    return;
  printer << " : ";
  bool isOne = results.size() == 1;
  switch (form) {
  case TypesForm::Same:
    if (isOne && llvm::all_of(operands, [&](Type type) { return type == results[0]; }))
      return (void)(printer << results[0]);
    break;
  case TypesForm::Select:
    if (isOne && operands.size() == 3 && operands[1] == results[0] && operands[2] == results[0])
      return (void)(printer << operands[0] << ", " << results[0]);
    break;
  case TypesForm::Complex: {
    auto shaped = isOne ? dyn_cast<ShapedType>(results[0]) : ShapedType();
    auto complex = shaped ? dyn_cast<ComplexType>(shaped.getElementType()) : ComplexType();
    if (complex && llvm::all_of(operands, [&](Type type) { return type == shaped.clone(complex.getElementType()); }))
      return (void)(printer << results[0]);
    break;
  }
  case TypesForm::Results:
  case TypesForm::Tuple: return (void)(printer << results);
  case TypesForm::Operands:
  case TypesForm::Pairwise: return (void)(printer << operands);
  case TypesForm::Arrow: printer << operands; return printer.printArrowTypeList(results);
  case TypesForm::Function:
  case TypesForm::Grouped: break;
  }
  printer.printFunctionalType(op);
}

void mlir::heddle::hlo::printFormat(const OpFormat &format, Operation *op, OpAsmPrinter &printer) {
  if (format.shape == OpShape::Barrier) {
    if (op->getNumOperands() == 0)
      return (void)(printer << "()");
    printer.printOptionalAttrDict(attributesOf(op));
    printer << ' ' << op->getOperands();
  } else {
    printItems(format, op, printer);
    printer.printOptionalAttrDict(attributesOf(op), ownAttributes(format));
  }
  printTypes(format.types, op, printer);
}
