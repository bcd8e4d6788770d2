// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks of loops over streams (`heddle.stream`): which loop of an op they mean, and to which ops of a lowered node they
// go. Who makes loops of them: stage `partition`.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_STREAMMARKS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_STREAMMARKS_H

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Flow/Transforms/Extents.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>
#include <variant>

namespace mlir::heddle::flow {

// The marks of an op, from the outermost loop in; none where it has no mark.
SmallVector<StreamAxisAttr> getStreamAxes(Operation *op);
// What parts begin at multiples of.
Product getGranule(StreamAxisAttr axis);
// The mark of another loop, with another granule.
StreamAxisAttr withLoop(StreamAxisAttr axis, AxisKind kind, int64_t number, const Product &granule);
// Replaces the marks; none removes them.
void setStreamAxes(Operation *op, ArrayRef<StreamAxisAttr> axes);

// The loop that the axis names, or the reason why there is none.
std::variant<unsigned, std::string> findStreamLoop(linalg::LinalgOp op, StreamAxisAttr axis);

// Whether the op moves no element: expand_shape, collapse_shape, cast. What is cut is cut on both sides of it.
bool isTransparent(Operation *op);

// A dimension of the source of a transparent op: position p of the result's dimension is p * mul / div of it.
struct SourceDim {
  int64_t dim;
  Product mul, div;
};

// None where slices along the result's dimension are no slices of the source: only the outermost of the dimensions that
// one is split into is such, and inner sizes are known or have names.
std::optional<SourceDim> traceDim(Operation *transparent, int64_t resultDim);

// Hands the marks of one node of a model to the ops that it became (in program order): those that compute its result
// along the dimension, also through what lies between them; for a reduced axis those that reduce. `axes` count
// dimensions of the node's result. Fails with a diagnostic at `loc` where no op takes one of the marks.
LogicalResult markNode(Location loc, ArrayRef<Operation *> ops, ArrayRef<StreamAxisAttr> axes);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_STREAMMARKS_H
