// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A `heddle check` of a compiler that loses a maximum in stage `form`: what heddle reduce --diverges is tested with.
#include "compiler/Stages/Import/Import.h"
#include "tools/check/Check.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cstdio>

using namespace mlir;
using namespace mlir::heddle;

static LogicalResult loseMaximum(Stage stage, ModuleOp module) {
  if (stage != Stage::Form)
    return success();
  module.walk([](arith::MaximumFOp op) {
    op.replaceAllUsesWith(op.getLhs());
    op.erase();
    return WalkResult::interrupt();
  });
  return success();
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = argc > 1 ? importModel(argv[1], &context, {}) : nullptr;
  if (!module)
    return 1;
  FailureOr<reference::Signature> signature = reference::signatureOf(*module);
  if (failed(signature))
    return 1;
  std::vector<reference::Tensor> inputs;
  for (const auto &argument : signature->arguments) {
    SmallVector<int64_t> shape(argument.type.getShape());
    for (int64_t &size : shape)
      size = ShapedType::isDynamic(size) ? 3 : size;
    inputs.push_back(reference::Tensor::allocate(reference::elementTypeOf(argument.type.getElementType()), shape));
    for (int64_t i = 0; i < inputs.back().count(); ++i)
      inputs.back().setDouble(i, static_cast<double>(i % 5) - 2);
  }
  check::CheckOptions options;
  options.tamper = loseMaximum;
  FailureOr<bool> right = check::checkModule(*module, inputs, options, [](const check::StageReport &report) {
    if (!report.fault.empty())
      std::printf("DIVERGES: %s\n", report.fault.c_str());
  });
  return succeeded(right) && *right ? 0 : 1;
}
