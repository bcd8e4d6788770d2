// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Forms/AxisOfCall.h"

using namespace mlir;
using namespace mlir::heddle::importer;

SizeList mlir::heddle::importer::splitAtMark(Emitter &emitter, ArrayRef<OpFoldResult> sizes,
                                             ArrayRef<OpFoldResult> marks) {
  OpFoldResult one = emitter.sizes.constant(1), passed = emitter.sizes.constant(0);
  SizeList split(3, one);
  auto multiply = [&](OpFoldResult &factor, OpFoldResult by) { factor = emitter.sizes.mul(factor, by); };
  for (auto [size, mark] : llvm::zip(sizes, marks)) {
    OpFoldResult whole = size, other = emitter.choose(mark, one, one, whole);
    multiply(split[1], emitter.choose(mark, one, whole, one));
    multiply(split[0], emitter.choose(passed, one, one, other));
    multiply(split[2], emitter.choose(passed, one, other, one));
    passed = emitter.sizes.add(passed, mark);
  }
  return split;
}
