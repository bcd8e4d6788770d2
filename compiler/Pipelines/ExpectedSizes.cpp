// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/ExpectedSizes.h"

#include "compiler/Dialect/Heddle/IR/Expect.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Suggest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

// Names of free dimensions, in the order of the arguments.
static llvm::SetVector<StringRef> collectNames(ModuleOp module) {
  llvm::SetVector<StringRef> names;
  for (auto func : module.getOps<func::FuncOp>())
    for (BlockArgument argument :
         func.isPublic() && !func.isExternal() ? func.getArguments() : ArrayRef<BlockArgument>())
      if (auto dims = func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kDimsAttr))
        for (auto [dim, name] : llvm::enumerate(dims.getAsValueRange<StringAttr>()))
          if (!name.empty() && cast<RankedTensorType>(argument.getType()).isDynamicDim(dim))
            names.insert(name);
  return names;
}

// One NAME=SIZE; names may have equal signs.
static LogicalResult addOne(ModuleOp module, StringRef text, const llvm::SetVector<StringRef> &names,
                            NamedAttrList &into) {
  auto [name, digits] = text.rsplit('=');
  int64_t size = 0;
  if (!text.contains('=') || name.empty() || digits.getAsInteger(10, size) || size < 1)
    return module.emitError() << "--expect takes NAME=SIZE, a size of at least 1, got '" << text << "'";
  if (!names.contains(name)) {
    InFlightDiagnostic error = module.emitError() << "--expect: no free dimension is called '" << name << "'; ";
    if (names.empty())
      return error << "the program has none";
    return error << "there are: " << listNames(llvm::map_to_vector(names, [](StringRef one) { return one.str(); }))
                 << didYouMean(name, names.getArrayRef());
  }
  if (into.get(name))
    return module.emitError() << "--expect: '" << name << "' is given twice";
  into.set(name, Builder(module.getContext()).getI64IntegerAttr(size));
  return success();
}

// At commas behind which a name begins: what is between two is one entry if it has an equal sign.
static SmallVector<StringRef> split(StringRef entry) {
  SmallVector<StringRef> parts;
  size_t begin = 0;
  for (size_t at = entry.find(','); at != StringRef::npos; at = entry.find(',', at + 1))
    if (entry.slice(begin, at).contains('=')) {
      parts.push_back(entry.slice(begin, at));
      begin = at + 1;
    }
  parts.push_back(entry.substr(begin));
  return parts;
}

LogicalResult mlir::heddle::applyExpected(ModuleOp module, ArrayRef<std::string> entries) {
  if (entries.empty())
    return success();
  llvm::SetVector<StringRef> names = collectNames(module);
  NamedAttrList sizes;
  for (StringRef entry : entries)
    for (StringRef one : split(entry))
      if (failed(addOne(module, one, names, sizes)))
        return failure();
  module->setAttr(kExpectAttr, sizes.getDictionary(module.getContext()));
  return success();
}
