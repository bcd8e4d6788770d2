// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CumSum and CumProd.
#include "compiler/Stages/Import/Emit/Rows/ListOps.h"
#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Forms/AxisOfCall.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle::importer;

static LogicalResult lowerCumulative(NodeContext &node, bool product) {
  if (failed(node.requireInputs(2)))
    return failure();
  Emitter &emitter = node.emitter;
  Tensor &x = *node.input(0);
  ScanForm form{0, node.getInt("exclusive", 0) != 0, node.getInt("reverse", 0) != 0, /*associative=*/true};
  SizeList shape = x.sizes;
  if (std::optional<SmallVector<int64_t>> given = node.constantInts(1)) {
    if (given->size() != 1)
      return node.refuse("the axis must be one integer, got " + Twine(given->size()));
    std::optional<int64_t> axis = node.normalizeAxis(given->front(), x.rank());
    if (!axis)
      return failure();
    form.dim = *axis;
  } else {
    std::optional<SizeList> axis = node.input(1)->staticCount() == 1 ? node.readContents(1) : std::nullopt;
    if (!axis)
      return node.refuse("the axis must be one integer");
    shape = splitAtMark(emitter, x.sizes, emitter.marked(*axis, x.rank()));
    form.dim = 1;
  }
  Tensor lists = emitter.reshape(x, shape);
  Type type = x.elementType;
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    return SmallVector<Value>{product ? s.mul(v[1], v[2]) : s.add(v[1], v[2])};
  };
  Tensor result = scanAlong(emitter, {&lists}, form, {type}, {makeAttribute(type, product ? 1 : 0)}, body).front();
  node.setOutput(0, emitter.reshape(result, x.sizes));
  return success();
}

void mlir::heddle::importer::registerCumulative(LoweringTable &table) {
  table.add("CumSum", 11, [](NodeContext &node) { return lowerCumulative(node, /*product=*/false); });
  table.add("CumProd", 26, [](NodeContext &node) { return lowerCumulative(node, /*product=*/true); });
}
