// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Repro.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Bytecode/BytecodeWriter.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;

// A name of its own for each dynamic dimension: no stage accepts one without.
static void nameDimensions(func::FuncOp function) {
  Builder builder(function.getContext());
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    SmallVector<StringRef> names;
    SmallVector<std::string> storage;
    auto tensor = cast<RankedTensorType>(type);
    for (int64_t d = 0; d < tensor.getRank(); ++d)
      storage.push_back(tensor.isDynamicDim(d) ? ("d" + Twine(i) + "_" + Twine(d)).str() : "");
    names.assign(storage.begin(), storage.end());
    function.setArgAttr(i, kDimsAttr, builder.getStrArrayAttr(names));
  }
}

std::optional<Repro> check::reproOf(ModuleOp module, const Step &dispatch, StringRef stage) {
  auto executable = module.lookupSymbol<flow::ExecutableOp>(dispatch.op);
  func::FuncOp original = executable ? executable.getFunction() : func::FuncOp();
  if (!original)
    return std::nullopt;
  OwningOpRef<ModuleOp> single = ModuleOp::create(module.getLoc());
  OpBuilder builder(single->getBodyRegion());
  auto function = cast<func::FuncOp>(builder.clone(*original));
  function.setName("main");
  function.setPublic();
  builder.setInsertionPointToStart(&function.getBody().front());
  for (auto [i, constant] : llvm::enumerate(dispatch.constants))
    function.getArgument(dispatch.operands.size() + i)
        .replaceAllUsesWith(arith::ConstantIndexOp::create(builder, function.getLoc(), constant));
  llvm::BitVector erased(function.getNumArguments());
  erased.set(dispatch.operands.size(), function.getNumArguments());
  if (failed(function.eraseArguments(erased)))
    return std::nullopt;
  nameDimensions(function);
  Repro repro;
  repro.name = (stage + "-" + dispatch.op + ".mlir").str();
  llvm::raw_string_ostream stream(repro.source);
  for (auto [i, input] : llvm::enumerate(dispatch.operands))
    stream << "// input " << i << ": " << spell(input) << '\n';
  single->print(stream);
  stream << '\n';
  repro.inputs = dispatch.operands;
  repro.expected = dispatch.results;
  return repro;
}

Repro check::reproOf(ModuleOp module, ArrayRef<Tensor> inputs, ArrayRef<Tensor> expected, StringRef stage) {
  Repro repro;
  repro.name = (stage + ".mlirbc").str();
  llvm::raw_string_ostream stream(repro.source);
  if (failed(writeBytecodeToFile(module, stream)))
    repro.source.clear();
  repro.inputs = inputs;
  repro.expected = expected;
  return repro;
}
