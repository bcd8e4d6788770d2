// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Codegen/MicrokernelForm.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

MicrokernelForm MicrokernelForm::get(kernel::MicrokernelOp op) {
  MicrokernelForm form;
  form.row = op.getRows().getType().getElementType();
  form.column = op.getColumns().getType().getElementType();
  form.result = form.sum = op.getResult().getType().getElementType();
  form.epilogue = op.getEpilogueAttr();
  // A function, or already in the LLVM dialect: its first argument is a vector of sums.
  if (form.epilogue) {
    Operation *function = op->getParentOfType<kernel::ProgramOp>().lookupSymbol(form.epilogue.getValue());
    form.sum = getElementTypeOrSelf(cast<FunctionOpInterface>(function).getArgumentTypes().front());
  }
  for (Value memory : op.getOperandMemory())
    form.operands.push_back(cast<MemRefType>(memory.getType()).getElementType());
  form.rows = static_cast<int64_t>(op.getTileRows());
  form.vectors = static_cast<int64_t>(op.getVectors());
  form.width = static_cast<int64_t>(op.getWidth());
  form.panel = static_cast<int64_t>(op.getPanel());
  form.loops = static_cast<int64_t>(op.getSteps().size());
  form.asksNext = !op.getNext().empty();
  form.isMasked = op.getLast() != nullptr;
  form.rowSigned = op.getRowSigned();
  form.columnSigned = op.getColumnSigned();
  form.hasFirst = op.getFirst() != nullptr;
  form.rest = op.getRest() ? static_cast<int64_t>(*op.getRest()) : kAnyRest;
  return form;
}

std::optional<MicrokernelForm> MicrokernelForm::get(LLVM::LLVMFuncOp declaration) {
  auto list = declaration->getAttrOfType<DictionaryAttr>(kMicrokernelAttr);
  const auto has = [&](auto kind, ArrayRef<StringRef> names) {
    return llvm::all_of(names, [&](StringRef name) { return list.getAs<decltype(kind)>(name) != nullptr; });
  };
  // Hand-written IR may say anything.
  if (!list || !has(TypeAttr(), {"row", "column", "sum", "result"}) ||
      !has(IntegerAttr(), {"rows", "vectors", "width", "panel", "loops"}) || !has(ArrayAttr(), {"operands"}) ||
      !llvm::all_of(list.getAs<ArrayAttr>("operands"), llvm::IsaPred<TypeAttr>))
    return std::nullopt;
  auto type = [&](StringRef name) { return list.getAs<TypeAttr>(name).getValue(); };
  auto number = [&](StringRef name) { return list.getAs<IntegerAttr>(name).getInt(); };
  MicrokernelForm form{type("row"),
                       type("column"),
                       type("sum"),
                       type("result"),
                       {},
                       number("rows"),
                       number("vectors"),
                       number("width"),
                       number("panel"),
                       number("loops"),
                       list.contains("next"),
                       list.contains("masked"),
                       list.getAs<FlatSymbolRefAttr>("epilogue"),
                       list.contains("row_signed"),
                       list.contains("column_signed"),
                       list.contains("first"),
                       has(IntegerAttr(), {"rest"}) ? number("rest") : kAnyRest};
  for (auto operand : list.getAs<ArrayAttr>("operands").getAsRange<TypeAttr>())
    form.operands.push_back(operand.getValue());
  return form;
}

DictionaryAttr MicrokernelForm::asAttribute() const {
  Builder builder(row.getContext());
  NamedAttrList list;
  for (auto [name, type] :
       {std::pair("row", row), std::pair("column", column), std::pair("sum", sum), std::pair("result", result)})
    list.append(name, TypeAttr::get(type));
  for (auto [name, value] : {std::pair("rows", rows), std::pair("vectors", vectors), std::pair("width", width),
                             std::pair("panel", panel), std::pair("loops", loops)})
    list.append(name, builder.getI64IntegerAttr(value));
  list.append("operands", builder.getTypeArrayAttr(operands));
  for (auto [name, isSo] : {std::pair("next", asksNext), std::pair("masked", isMasked), std::pair("first", hasFirst),
                            std::pair("row_signed", rowSigned), std::pair("column_signed", columnSigned)})
    if (isSo)
      list.append(name, builder.getUnitAttr());
  if (rest != kAnyRest)
    list.append("rest", builder.getI64IntegerAttr(rest));
  if (epilogue)
    list.append("epilogue", epilogue);
  return list.getDictionary(row.getContext());
}

std::string MicrokernelForm::name() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "microkernel_" << row << "_" << column << "_" << sum << "_" << rows << "x" << vectors << "x" << width
         << "_p" << panel << "_l" << loops << (asksNext ? "_next" : "") << (isMasked ? "_masked" : "")
         << (hasFirst ? "_first" : "");
  if (rest != kAnyRest)
    stream << "_rest" << rest;
  if (rowSigned || columnSigned)
    stream << (rowSigned ? "_signed" : "_unsigned") << (columnSigned ? "_signed" : "_unsigned");
  if (epilogue)
    stream << "_" << epilogue.getValue();
  return text;
}

LLVM::LLVMFunctionType MicrokernelForm::type() const {
  MLIRContext *context = row.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context), i64 = IntegerType::get(context, 64);
  SmallVector<Type> types{i64, pointer, i64, pointer, i64};
  types.append(2 * loops - 1, i64);
  types.append({pointer, i64});
  if (isMasked)
    types.push_back(i64);
  for (size_t i = 0; i < operands.size() + (asksNext ? 1 : 0); ++i)
    types.append({pointer, i64});
  if (hasFirst)
    types.push_back(pointer);
  return LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
}
